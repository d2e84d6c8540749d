//! A map that is being drawn.

use std::sync::{Arc, OnceLock};

use crate::painter::shared::Painter;
use crate::tiles::map_tiles::MapTiles;
use pixelmap_map::atlas::MapFile;
use pixelmap_map::store::Output;

/// A map that is being drawn: the painter of its regions, and the tiles made from them.
#[derive(Debug)]
pub(crate) struct Map<'a> {
    pub(crate) painter: Painter<'a>,
    pub(crate) tiles: &'a MapTiles<'a>,
    pub(super) output: &'a Output,
    /// The start of this run, in nanoseconds since 1970.
    pub(super) began: i64,
    /// The name of the moment that this run draws, for layers that compare runs.
    pub(super) moment: Arc<str>,
    /// Whether a region still has the stamp of its record, indexed by the number of the record. The
    /// first worker that needs this compares the stamps, once per run.
    pub(super) stamps: Box<[OnceLock<bool>]>,
    /// The published map, in a run that draws no layers. Such a run only makes markers for the
    /// chunks that this map shows.
    pub(super) published: Option<MapFile>,
}
