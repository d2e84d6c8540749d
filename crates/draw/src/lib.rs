//! Draws maps: turns a request into jobs, runs them and publishes the result.
//!
//! ```text
//! program ─► draw ──────────────────────────────────────────────────────────► report ─► exit code
//!             │ schedule runs one job per region, then one per parent tile
//!             ├─ world    region ─► chunk: bytes of any edition become one view
//!             ├─ paint    view ─► columns ─► pixels, one decode for all layers
//!             ├─ tile     pixels ─► smaller, encoded
//!             └─ store    tiles ─► their files, in one commit ─► MAP FOLDER ─► atlas reads it
//!                                                                 ├─ export   picture, archive, GeoTIFF, bucket
//!                                                                 ├─ compare  diff, verify, digest
//!                                                                 └─ serve    HTTP; asks draw for tiles not drawn yet
//! ```
//!
//! Data moves in one direction, because a crate returns values and never names the crates above it.
//! Only this crate covers the whole way from a world to a published map, and only this crate turns
//! the error of another one into an entry of the [`report`] and continues. It must never know the
//! command line and the terminal: it never prints and never exits.
//!
//! Three rooms draw nothing: `ask` answers questions about a world, `import` reads the folders of
//! map mods, and `map_mods` writes them.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files of their own")
)]

pub mod ask;
pub mod import;
mod map;
pub mod map_mods;
pub(crate) mod painter;
pub(crate) mod publish;
pub mod report;
pub mod request;
mod run_state;
pub(crate) mod runs;
pub mod schedule;
pub mod tiles;

pub use crate::report::Limit;
pub use crate::report::progress::{Progress, Snapshot};
pub use crate::request::plan::{Shard, ShardFigures};
pub use pixelmap_map::export::{PictureOptions, Poster, Scale, Size};
pub use pixelmap_paint::layers::{Choices, LOOK, Layer, game_version};
pub use pixelmap_paint::markers::MarkerSelection as WantedMarkers;
pub use pixelmap_paint::markers::{Find, FindDepth, MarkerKind, OwnerPaths, Pattern};
pub use pixelmap_paint::palette::UnknownBlocks;
pub use pixelmap_world::names::NamePattern as BlockPattern;
pub use publish::drawn::UnpublishedMap;
pub use request::colours::{
    ColourError, Colours, PaletteCheck, check_palette, generate_palette, newest_data_version,
};
pub use request::error::RenderError;
pub use request::fingerprint::PICTURE_VERSION;
pub use request::hide::{Hide, HideError};
pub use request::look::Look;
pub use request::reserved::RESERVED_NAMES;
pub use request::settings::{
    Check, MapRequest, Mode, MomentSettings, OutputRequest, RunSettings, Settings,
};
pub use request::shown_places::ShownPlaces;
pub use runs::dry::{DryDimension, DryMap, DryRun, DryTiles, dry_run};
pub use runs::import::{ImportedMap, import};
pub use runs::live::{
    BlockQueries, BlockQuery, DrawnTile, InnerTile, InnerTiles, LEAST_SHARE, LayerTile, Live,
    TileState, ViewJobs, Viewport,
};
pub use runs::open_world::{EarlyReading, open_world, open_world_early};
pub use runs::run::{Run, staged_path};
pub use runs::scratch::{ExportedMap, render};
pub use runs::shards::{
    ArchiveLayer, MergeError, MergeSettings, MergedMap, ShardDivision, divide, merge, merge_archive,
};
