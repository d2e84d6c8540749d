//! The parts of a Bedrock Edition world other than its chunks: its database as a world, players,
//! villages, nether portals, tables of names and add-ons.

pub(crate) mod database;
pub(crate) mod packs;
pub(crate) mod players;
pub(crate) mod points;
pub(crate) mod tables;
pub(crate) mod unlisted;
pub(crate) mod values;
