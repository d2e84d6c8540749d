//! Draws maps. This module turns a request into jobs, runs them and publishes the result.
//!
//! This is the only module that covers the whole way from a region file to a published tile, and
//! the only one that can turn an error of a lower module into an entry of the report and continue.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "what tests write is no output of the program"
    )
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
pub use pixelmap_paint::markers::{Find, FindDepth, MarkerKind, Pattern};
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
pub use runs::run::{Run, open_world, staged_path};
pub use runs::scratch::{ExportedMap, render};
pub use runs::shards::{
    ArchiveLayer, MergeError, MergeSettings, MergedMap, ShardDivision, divide, merge, merge_archive,
};
