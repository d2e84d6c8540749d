//! Makes the table of block colours from the assets of the game, of a pack or of a mod.

mod add_on;
mod add_on_biomes;
mod assets;
mod climate;
mod generate;
mod generated_table;
pub(crate) mod model;
mod registry;
mod rules;
pub(crate) mod states;
pub(crate) mod texture;
mod view;

pub use assets::Assets;
pub use climate::{Climates, Colormaps};
pub use generate::{TableSources, generate};
pub use generated_table::GeneratedTable;
pub(crate) use registry::parse_state;
pub use registry::{BlockFacts, Registry};
pub use rules::{BUILT_IN_RULES, Rules};
pub use states::State;
