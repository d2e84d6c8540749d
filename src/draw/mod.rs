//! The composer: builds the jobs from the plan, runs them, and closes the map.
//!
//! The only room that knows the whole way from a region file to a published tile, and the only one that turns a room's
//! error into an entry of the report and goes on.

mod account;
pub(crate) mod colours;
mod dry;
pub(crate) mod error;
mod exported;
pub(crate) mod hide;
mod imported;
mod live;
mod map;
pub(crate) mod painter;
mod parts;
pub mod plan;
pub(crate) mod prepare;
pub(crate) mod progress;
pub mod record;
pub mod report;
pub(crate) mod run;
pub(crate) mod settings;

pub use crate::draw::plan::{Shard, ShardFigures};
pub use crate::draw::report::Limit;
pub use crate::export::{PictureOptions, Poster, Scale, Size};
pub use crate::paint::layers::{Choices, LOOK, Layer, game_version};
pub use crate::paint::markers::{MarkerKind, MarkerSelection as WantedMarkers, Pattern};
pub use crate::paint::palette::Unknown;
pub use colours::{ColourError, Colours, PaletteCheck, check_palette, generate_palette};
pub use dry::{DryDimension, DryMap, DryRun, DryTiles, dry_run};
pub use error::RenderError;
pub use exported::{Exported, render};
pub use hide::{Hide, HideError};
pub use imported::{Imported, import};
pub use live::{DrawnTile, InnerTile, InnerTiles, LayerTile, Live, TileState, ViewJobs, Viewport};
pub use map::drawn::DrawnMap;
pub use parts::{ArchiveLayer, Divided, MergeError, MergeSettings, Merged, divide, merge, merge_archive};
pub use prepare::fingerprint::PICTURE_VERSION;
pub use progress::{Progress, Snapshot};
pub use run::{Run, open_world, staged_path};
pub use settings::{Check, Mode, MomentSettings, Settings};

use crate::paint::palette::Palette;

/// The `DataVersion` of the newest release that this program knows.
pub fn newest_data_version() -> i32 {
    Palette::newest_data_version()
}
