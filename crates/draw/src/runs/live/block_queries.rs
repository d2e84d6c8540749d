//! Answers pages that look for blocks: one region at a time, in the form of the markers of a map.
//! Nothing is stored.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::painter::shared::{PaintWorker, Painter};
use crate::report::progress::Progress;
use crate::request::layers::MapLayers;
use crate::request::prepare::prepare;
use crate::request::settings::Settings;
use crate::run_state::RunState;
use crate::runs::live::requests::{Request, Requests};
use crate::schedule::Stop;
use pixelmap_base::coord::{RegionPos, SlotSet};
use pixelmap_map::atlas::Naming;
use pixelmap_paint::markers::{Find, MarkerKind};
use pixelmap_paint::markers::{MarkerSelection, OwnerPaths, collection};
use pixelmap_world::internal::{World, WorldError};

/// Looks for blocks when pages ask.
pub struct BlockQueries {
    /// The user's settings without markers.
    settings: Settings,
    naming: Naming,
    requests: Requests<BlockQuery>,
}

/// A region in which a page looks for blocks.
#[derive(Debug, Clone)]
pub struct BlockQuery {
    /// The folder of its dimension.
    pub dimension: String,
    pub region: RegionPos,
    pub find: Find,
}

impl fmt::Debug for BlockQueries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockQueries").finish_non_exhaustive()
    }
}

impl BlockQueries {
    /// Makes the state for a map with these settings. Returns `None` unless the user looks for
    /// blocks, because other owners of a world may not want visitors to find ores or hidden rooms.
    pub fn new(settings: &Settings, naming: Naming) -> Option<Self> {
        settings.request.markers.find.as_ref()?;
        let mut settings = settings.clone();
        settings.request.markers = MarkerSelection::default();
        settings.request.own = OwnerPaths::default();
        Some(Self {
            settings,
            naming,
            requests: Requests::default(),
        })
    }

    /// Returns the requests for regions, which are answered by `GeoJSON` files. A new round opens
    /// the world again.
    pub fn requests(&self) -> &Requests<BlockQuery> {
        &self.requests
    }

    /// Answers requests until the end. `open` opens the world, and is called again when the world
    /// has changed. One thread answers, so that visitors cannot take the CPU from the drawing.
    pub fn work(&self, open: impl Fn() -> Result<World, WorldError>) {
        while let Some(round) = self.requests.round() {
            // The world is opened for the first request only.
            let Some(first) = self.requests.next(round) else {
                continue;
            };
            if self.answer(round, first, &open).is_none() {
                self.requests.begin_round();
            }
        }
    }

    /// Answers requests until another round begins. Returns `None` if the world cannot be read.
    fn answer(
        &self,
        round: u64,
        first: Request<BlockQuery>,
        open: impl Fn() -> Result<World, WorldError>,
    ) -> Option<()> {
        let world = open().ok()?;
        let prepared = prepare(&world, &self.settings).ok()?;
        let progress = Progress::default();
        let run = RunState::new(&progress, &Stop::new());
        let map_layers = Arc::new(MapLayers::new(&prepared.plan, &self.settings, self.naming));

        let painter = Painter::new(&world, &prepared, &self.settings, &run, map_layers, None);
        let mut worker = painter.worker();
        let mut next = Some(first);
        while let Some(Request { subject, reply, .. }) = next {
            // A panic only loses this answer and the worker's buffers.
            match catch_unwind(AssertUnwindSafe(|| find(&painter, &mut worker, &subject))) {
                Ok(text) => reply(text.into_bytes()),
                Err(_) => worker = painter.worker(),
            }

            if painter.run.is_stopped() {
                return None;
            }

            next = self.requests.next(round);
        }

        Some(())
    }
}

/// Returns the markers of the blocks in a region as a file of their kind.
fn find<'w>(painter: &'w Painter<'_>, worker: &mut PaintWorker<'w>, query: &BlockQuery) -> String {
    let dimensions = &painter.plan.dimensions;
    let Some(number) = dimensions
        .iter()
        .position(|dimension| dimension.path == query.dimension)
    else {
        return collection(
            &query.dimension,
            MarkerKind::Found,
            &[],
            None,
            &BTreeMap::new(),
        );
    };

    let selection = MarkerSelection {
        find: Some(query.find.clone()),
        ..MarkerSelection::default()
    };
    worker.reader.set_markers(selection);

    let region = painter.region(number, query.region);
    let found = painter
        .read_markers(worker, &region, &SlotSet::ALL)
        .unwrap_or_default();
    let markers: Vec<_> = found.markers.iter().map(Cow::Borrowed).collect();
    collection(
        &dimensions[number].id,
        MarkerKind::Found,
        &markers,
        None,
        &BTreeMap::new(),
    )
}
