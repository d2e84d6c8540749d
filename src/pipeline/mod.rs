//! The composer: builds the jobs from the plan, runs them, and closes the map.
//!
//! The only room that knows the whole way from a region file to a published tile, and the only one that turns a room's
//! error into an entry of the report and goes on.

mod account;
mod asked;
mod chunks;
mod colours;
mod descriptors;
mod drawing;
mod dry;
mod exported;
mod finish;
mod frame;
mod hiding;
mod info;
mod kept;
mod legend;
mod map;
mod options;
mod parents;
mod progress;
mod query;
mod regions;
mod removals;
mod render;
mod scene;
mod scratch;
mod settings;
mod sheet;
mod standing;
mod unchanged;

pub use crate::export::Scale;
pub use crate::layer::{Choices, LOOK, Layer};
pub use crate::palette::Unknown;
pub use crate::report::Limit;
pub use colours::{Checked, ColourError, Colours, check_palette, generate_palette};
pub use dry::{DryDimension, DryMap, DryRun, DryTiles, dry_run};
pub use exported::Exported;
pub use finish::DrawnMap;
pub use hiding::{Hide, HideError};
pub use info::{Damaged, DimensionInfo, WorldInfo, info};
pub use options::PICTURE_VERSION;
pub use progress::{Progress, Snapshot};
pub use query::{Answer, Found, Missing, query};
pub use render::{RenderError, Run, render};
pub use settings::{Check, Image, Mode, Settings};

use std::sync::Arc;

use crate::block::{Names, NumericNames};
use crate::palette::{NUMERIC_BIOMES, NUMERIC_BLOCKS, Palette};
use crate::world::World;

/// The `DataVersion` of the newest release that this program knows.
pub fn newest_data_version() -> i32 {
    Palette::newest_data_version()
}

/// The names of a run: the palette's traits, the game's numeric ids, and the ids that mods were given in this world.
fn names(world: &World, palette: &Arc<Palette>) -> Arc<Names> {
    let registry = (world.level.block_ids.clone(), world.level.biome_ids.clone());
    let numeric = NumericNames::parse(NUMERIC_BLOCKS, NUMERIC_BIOMES).with_registry(registry.0, registry.1);
    Arc::new(Names::new(palette.clone(), numeric))
}
