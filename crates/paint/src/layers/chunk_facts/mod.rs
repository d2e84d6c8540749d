//! The layers that show one fact per chunk.

pub(crate) mod changed;
pub(crate) mod inhabited;
pub(crate) mod slime;
pub(crate) mod version;
