//! Draws maps. This module turns a request into jobs, runs them and publishes the result.
//!
//! This is the only module that covers the whole way from a region file to a published tile, and
//! the only one that can turn an error of a lower module into an entry of the report and continue.

mod map;
pub(crate) mod painter;
pub(crate) mod publish;
pub mod request;
mod run_state;
pub(crate) mod runs;
pub mod tiles;

pub use crate::draw::request::plan::{Shard, ShardFigures};
pub use crate::export::{PictureOptions, Poster, Scale, Size};
pub use crate::markers::{Find, FindDepth, MarkerKind, MarkerSelection as WantedMarkers, Pattern};
pub use crate::paint::layers::{Choices, LOOK, Layer, game_version};
pub use crate::paint::palette::UnknownBlocks;
pub use crate::report::Limit;
pub use crate::report::progress::{Progress, Snapshot};
pub use crate::world::names::NamePattern as BlockPattern;
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
pub use runs::run::{Run, open_world, staged_path};
pub use runs::scratch::{ExportedMap, render};
pub use runs::shards::{
    ArchiveLayer, MergeError, MergeSettings, MergedMap, ShardDivision, divide, merge, merge_archive,
};
