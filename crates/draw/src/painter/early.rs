//! Decodes chunks while the database of a world is listed. They wait for their regions, so that the
//! blocks of the database are inflated only once.
//!
//! The memory for them is bounded. Chunks beyond the bound are read from their blocks again, like all
//! chunks of a run that lists nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::painter::chunk::{ChunkReader, SlotContent};
use crate::painter::decoded::DecodedChunk;
use crate::painter::filter::ChunkFilter;
use crate::report::Stages;
use crate::request::colours::{RunColours, names};
use crate::request::layers::dimension_views;
use crate::request::look::Look;
use crate::request::settings::Settings;
use pixelmap_base::coord::{Ceiling, Slot};
use pixelmap_base::mutex;
use pixelmap_paint::markers::MarkerSelection;
use pixelmap_paint::surface::{Columns, View};
use pixelmap_world::internal::{
    ChunkExtent, DimensionTypes, EarlyChunk, EarlyReaders, Inflater, Region, World,
};
use pixelmap_world::names::Names;

/// The most bytes of decoded chunks that wait for their regions: about 14,000 chunks in one view.
const MAX_BYTES: usize = 48 << 20;
/// The ids of the game's own dimensions, by number.
const OWN_DIMENSIONS: [&str; 3] = ["overworld", "the_nether", "the_end"];

/// The decoded chunks of a world that was listed for one map.
#[derive(Debug)]
pub(crate) struct EarlyColumns {
    look: Look,
    /// Whether to read light.
    is_lit: bool,
    markers: MarkerSelection,
    names: Arc<Names>,
    /// The game's own dimensions, by number. `None`: its chunks are not decoded early.
    dimensions: [Option<EarlyDimension>; 3],
    chunks: Mutex<HashMap<ChunkExtent, DecodedChunk>>,
    /// The bytes of all chunks that were decoded.
    bytes: AtomicUsize,
    began: Instant,
    /// The times of the readers that have ended.
    stages: Mutex<Stages>,
}

/// How a dimension is drawn.
#[derive(Debug)]
struct EarlyDimension {
    views: Vec<View>,
    ceiling: Option<Ceiling>,
}

impl EarlyDimension {
    /// Returns how the dimension with this id is drawn. Returns `None` if the map does not show it,
    /// or if its ceiling follows from its chunks.
    fn find(id: &str, world: &World, settings: &Settings, types: &DimensionTypes) -> Option<Self> {
        let mut wanted = settings.request.dimensions.iter();
        let is_wanted = settings.request.dimensions.is_empty()
            || wanted.any(|name| name == "all" || world.dimension_id(name) == id);
        if !is_wanted || types.get(id).is_none() {
            return None;
        }

        let ceiling = types.ceiling(id);
        let (views, _) = dimension_views(&settings.request.layers, ceiling.is_some());
        Some(Self { views, ceiling })
    }
}

impl EarlyColumns {
    /// Prepares to decode the chunks of a world whose dimensions are not known yet.
    pub(crate) fn new(world: &World, settings: &Settings, colours: &RunColours) -> Self {
        let types = &colours.dimension_types;
        let dimensions = OWN_DIMENSIONS.map(|id| EarlyDimension::find(id, world, settings, types));
        let layers = &settings.request.layers;
        Self {
            look: settings.look.clone(),
            is_lit: layers.iter().any(|layer| layer.is_lit()),
            markers: settings.request.markers.clone(),
            names: names(world, &colours.palette),
            dimensions,
            chunks: Mutex::default(),
            bytes: AtomicUsize::new(0),
            began: Instant::now(),
            stages: Mutex::default(),
        }
    }

    /// Returns when the world began to be listed.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// Returns the time that was spent on decoding, over all threads.
    pub(crate) fn stages(&self) -> Stages {
        *mutex::lock(&self.stages)
    }

    /// Returns the names with which the chunks were decoded.
    pub(crate) fn names(&self) -> Arc<Names> {
        self.names.clone()
    }

    /// Removes and returns a chunk of a region, unless a part of the chunk is stored elsewhere.
    pub(super) fn take(&self, region: &Region, slot: Slot) -> Option<DecodedChunk> {
        mutex::lock(&self.chunks).remove(&region.extent(slot)?)
    }

    /// Returns the number of chunks that wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        mutex::lock(&self.chunks).len()
    }

    /// Leaves no room for chunks.
    #[cfg(test)]
    pub(crate) fn fill(&self) {
        self.bytes.store(MAX_BYTES, Ordering::Relaxed);
    }

    /// Decodes a chunk and keeps it, as long as there is room.
    fn decode(&self, reader: &mut ChunkReader, chunk: EarlyChunk<'_>) {
        let extent = chunk.extent();
        let dimension = self.dimensions.get(extent.dimension() as usize);
        let Some(EarlyDimension { views, ceiling }) = dimension.and_then(Option::as_ref) else {
            return;
        };
        let is_full = self.bytes.load(Ordering::Relaxed) >= MAX_BYTES;
        if is_full || !extent.chunk().region().is_on_map() {
            return;
        }

        let filter = ChunkFilter {
            views,
            ceiling: *ceiling,
            may_be_unexplored: false,
            look: &self.look,
        };
        let mut columns: Vec<Columns> = views.iter().map(|_| Columns::default()).collect();

        reader.clock.start();
        let (content, stored) = reader.early_columns(chunk, filter, columns.iter_mut());

        match content {
            // The job of the region reports damage.
            SlotContent::Bad(_) => return,
            SlotContent::Drawn(_) => {}
            _ => columns = Vec::new(),
        }

        let chunk = DecodedChunk {
            columns,
            hash: stored.hash,
            content,
        };
        self.bytes.fetch_add(chunk.bytes(), Ordering::Relaxed);
        mutex::lock(&self.chunks).insert(extent, chunk);
    }
}

impl EarlyReaders for EarlyColumns {
    fn reader(&self) -> Box<dyn FnMut(EarlyChunk<'_>) + '_> {
        let reader = ChunkReader::new(self.names(), Inflater::default(), self.is_lit)
            .with_markers(self.markers.clone());
        let mut reader = TimedReader {
            reader,
            stages: &self.stages,
        };
        Box::new(move |chunk| self.decode(&mut reader.reader, chunk))
    }
}

/// The reader of one thread, which adds its time to the time of all threads when it ends.
struct TimedReader<'a> {
    reader: ChunkReader,
    stages: &'a Mutex<Stages>,
}

impl Drop for TimedReader<'_> {
    fn drop(&mut self) {
        mutex::lock(self.stages).add(&self.reader.clock.stages());
    }
}
