//! The composer: builds the jobs from the plan, runs them, and closes the map.
//!
//! The only room that knows the whole way from a region file to a published tile, and the only one that turns a room's
//! error into an entry of the report and goes on.

mod dry;
mod error;
mod exported;
mod info;
mod live;
mod map;
mod markers;
mod paint;
mod parts;
mod prepare;
mod progress;
mod query;
mod report;
mod run;
mod settings;

pub use crate::export::{PictureOptions, Poster, Scale, Size};
pub use crate::layer::{Choices, LOOK, Layer, game_version};
pub use crate::marker::{Kind as MarkerKind, Pattern, Wanted as WantedMarkers};
pub use crate::palette::Unknown;
pub use crate::plan::{Shard, ShardFigures};
pub use crate::report::Limit;
pub use dry::{DryDimension, DryMap, DryRun, DryTiles, dry_run};
pub use error::RenderError;
pub use exported::{Exported, render};
pub use info::{Damaged, DimensionInfo, Spawn, WorldInfo, info};
pub use live::{At, Ended, LayerTile, Live, Look, Sight};
pub use map::drawn::DrawnMap;
pub use markers::{Remade, remake_markers};
pub use parts::{ArchiveLayer, Divided, MergeError, MergeSettings, Merged, divide, merge, merge_archive};
pub use prepare::colours::{Checked, ColourError, Colours, check_palette, generate_palette};
pub use prepare::fingerprint::PICTURE_VERSION;
pub use prepare::hide::{Hide, HideError};
pub use progress::{Progress, Snapshot};
pub use query::{Answer, Found, Missing, Part, ceiling_y, query};
pub use run::Run;
pub use settings::{Check, Mode, Settings};

use crate::palette::Palette;

/// The `DataVersion` of the newest release that this program knows.
pub fn newest_data_version() -> i32 {
    Palette::newest_data_version()
}
