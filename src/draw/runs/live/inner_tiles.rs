//! Tiles with textures, drawn when somebody looks at them. None is written: what columns show is kept in memory for those
//! parts of regions that were looked at last, and a tile is painted from it in a few milliseconds.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::scope;

use crate::atlas::{Format, Naming};
use crate::base::coord::{INNER_ZOOM, NATIVE_ZOOM, TilePos};
use crate::base::mutex;
use crate::draw::painter::shared::{PaintWorker, Painter};
use crate::draw::request::layers::{MapLayer, MapLayers};
use crate::draw::request::prepare::prepare;
use crate::draw::request::settings::Settings;
use crate::draw::runs::live::requests::{Request, Requests};
use crate::draw::tiles::run_state::RunState;
use crate::markers::MarkerSelection;
use crate::paint::layers::{InnerColumns, Layer, NightTone, ShownRegion};
use crate::report::progress::Progress;
use crate::schedule::{self, Stop};
use crate::tile::{Canvas, Encoder};
use crate::world::{World, WorldError};

/// The most threads that draw.
const MAX_THREADS: usize = 4;
/// Regions are read in parts of 8 by 8 chunks, as tiles of this zoom level show them: so a tile does not wait for all of
/// its region.
const PART_ZOOM: u8 = 19;
/// The parts whose columns are kept, of some 0.5 MiB each and view: more than those of a large screen at the outermost
/// level with textures.
const MAX_KEPT: usize = 192;

/// Draws tiles with textures for those who look at them.
pub struct InnerTiles {
    /// The user's, with the layers alone that have textures.
    settings: Settings,
    naming: Naming,
    requests: Requests<InnerTile>,
}

/// A tile with textures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerTile {
    /// The folder of its dimension.
    dimension: String,
    layer: Layer,
    tile: TilePos,
}

/// What the columns of a part of a region show, by view; `None`: nothing is drawn of it.
type PartViews = Option<Vec<Option<ShownRegion>>>;

/// A part of a region of a dimension, and what it shows once it is read.
type KeptPart = ((usize, TilePos), Arc<OnceLock<PartViews>>);

/// The world as it was when it was opened, and the parts of it that were looked at last.
struct OpenWorld<'a> {
    painter: Painter<'a>,
    /// The one that was looked at last is the last.
    kept: Mutex<VecDeque<KeptPart>>,
}

/// One thread's buffers.
struct Buffers<'a> {
    worker: PaintWorker<'a>,
    canvas: Canvas,
    encoder: Encoder,
    night: NightTone,
}

impl fmt::Debug for InnerTiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InnerTiles").finish_non_exhaustive()
    }
}

impl InnerTiles {
    /// What draws tiles with textures of a map with these settings; `None`: it has no layer with textures, or no assets to
    /// take them from.
    pub fn new(settings: &Settings, naming: Naming) -> Option<Self> {
        let layers: Vec<Layer> = settings.layers.iter().copied().filter(|layer| layer.inner_tone().is_some()).collect();
        if layers.is_empty() || settings.colours.assets.is_empty() {
            return None;
        }
        let settings = Settings {
            layers,
            zoom_in: INNER_ZOOM - NATIVE_ZOOM,
            markers: MarkerSelection::default(),
            own_markers: Vec::new(),
            ..settings.clone()
        };
        Some(Self { settings, naming, requests: Requests::default() })
    }

    /// The layers with textures.
    pub fn layers(&self) -> &[Layer] {
        &self.settings.layers
    }

    /// The tile with textures that has this path; `None`: no such tile has it.
    pub fn tile(&self, path: &str) -> Option<InnerTile> {
        let mut names = path.rsplitn(5, '/');
        let [y, x, zoom, layer, dimension] = std::array::from_fn(|_| names.next().unwrap_or_default());
        let layer = *self.settings.layers.iter().find(|known| known.name() == layer)?;
        let tile = self.naming.parse_path(&format!("{zoom}/{x}/{y}")).filter(|tile| tile.zoom > NATIVE_ZOOM)?;
        Some(InnerTile { dimension: dimension.to_owned(), layer, tile })
    }

    /// The format of tiles.
    pub fn format(&self) -> Format {
        self.naming.format
    }

    /// Asks for a tile. `reply` is called with the bytes of its file, or with none where nothing is on it, unless
    /// `is_awaited` returns false by then, or it cannot be drawn.
    pub fn ask(
        &self,
        tile: InnerTile,
        is_awaited: impl Fn() -> bool + Send + 'static,
        reply: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        self.requests.add(Request { subject: tile, is_awaited: Box::new(is_awaited), reply: Box::new(reply) });
    }

    /// Has the world opened again, which has changed.
    pub fn open_again(&self) {
        self.requests.begin_round();
    }

    /// Ends the work; what waits gets no reply.
    pub fn end(&self) {
        self.requests.close();
    }

    /// Draws what is asked for until the end. `open` opens the world, also again when it has changed.
    pub fn work(&self, open: impl Fn() -> Result<World, WorldError>) {
        while let Some(round) = self.requests.round() {
            if !self.work_on(round, &open) {
                // Nothing can be drawn now. One request gets no reply, and it is tried again for the next one.
                drop(self.requests.next(round));
            }
        }
    }

    /// Draws what is asked for until another round begins. Returns false where nothing can be drawn.
    fn work_on(&self, round: u64, open: impl Fn() -> Result<World, WorldError>) -> bool {
        let Ok(world) = open() else { return false };
        let Ok(prepared) = prepare(&world, &self.settings) else { return false };
        let progress = Progress::default();
        let run = RunState::new(&progress, &Stop::new());
        let map_layers = Arc::new(MapLayers::new(&prepared.plan, &self.settings, self.naming));
        let painter = Painter::new(&world, &prepared, &self.settings, &run, map_layers);
        let open = OpenWorld { painter, kept: Mutex::default() };
        let threads = if self.settings.threads == 0 { schedule::available_threads() } else { self.settings.threads };
        scope(|scope| {
            for _ in 0..threads.clamp(1, MAX_THREADS) {
                scope.spawn(|| self.answer(round, &open));
            }
        });
        true
    }

    /// Answers requests until another round begins.
    fn answer(&self, round: u64, open: &OpenWorld<'_>) {
        let mut buffers = None;
        while let Some(Request { subject: tile, reply, .. }) = self.requests.next(round) {
            // A panic costs its tile and the thread's buffers.
            let drawn = catch_unwind(AssertUnwindSafe(|| {
                let buffers = buffers.get_or_insert_with(|| open.buffers());
                open.draw(buffers, &tile)
            }));
            match drawn {
                Ok(file) => reply(file),
                Err(_) => buffers = None,
            }
            if open.painter.run.is_stopped() {
                // Reading has failed, and may do so no more.
                return self.requests.begin_round();
            }
        }
    }
}

impl OpenWorld<'_> {
    fn buffers(&self) -> Buffers<'_> {
        Buffers {
            worker: self.painter.worker(),
            canvas: Canvas::default(),
            encoder: Encoder::default(),
            night: NightTone::default(),
        }
    }

    /// The file of a tile; empty: nothing is on it.
    fn draw<'w>(&'w self, buffers: &mut Buffers<'w>, tile: &InnerTile) -> Vec<u8> {
        let Buffers { worker, canvas, encoder, night } = buffers;
        let map_layers = &self.painter.map_layers;
        let is_its_layer = |map_layer: &MapLayer| {
            map_layers.dimension_path(map_layer.dimension) == tile.dimension
                && map_layers.layer(*map_layer).painted() == Some(tile.layer)
        };
        let Some(map_layer) = map_layers.all().find(is_its_layer) else { return Vec::new() };
        let Some(tone) = tile.layer.inner_tone() else { return Vec::new() };
        canvas.clear();
        for part in parts(tile.tile) {
            let part = self.part(worker, map_layer.dimension, part);
            let views = part.get().and_then(Option::as_ref);
            if let Some(shown) = views.and_then(|views| views[map_layers.view_number(map_layer)].as_ref()) {
                shown.paint(tile.tile, tone, night, canvas);
            }
        }
        if canvas.is_empty() { Vec::new() } else { map_layers.encode(map_layer, encoder, canvas).to_vec() }
    }

    /// What a part of a region shows, which is read if it is not kept. Others that want it meanwhile wait for it.
    fn part<'w>(&'w self, worker: &mut PaintWorker<'w>, dimension: usize, part: TilePos) -> Arc<OnceLock<PartViews>> {
        let mut kept = mutex::lock(&self.kept);
        let known = kept.iter().position(|(place, _)| *place == (dimension, part)).and_then(|at| kept.remove(at));
        let (place, views) = known.unwrap_or_else(|| ((dimension, part), Arc::default()));
        if kept.len() == MAX_KEPT {
            kept.pop_front();
        }
        kept.push_back((place, views.clone()));
        drop(kept);
        views.get_or_init(|| self.read(worker, dimension, part));
        views
    }

    fn read<'w>(&'w self, worker: &mut PaintWorker<'w>, dimension: usize, part: TilePos) -> PartViews {
        let painter = &self.painter;
        let pos = part.native().and_then(TilePos::region)?;
        if !painter.plan.dimensions[dimension].pyramid.contains(pos.tile()) {
            return None;
        }
        let mut region = painter.region(dimension, pos);
        let area = region.area.map_or_else(|| part.area(), |area| area.overlap(part.area()));
        if area.is_empty() {
            return None;
        }
        region.area = Some(area);
        painter.paint_region(worker, &region)?;
        Some(worker.inner.iter_mut().map(|columns| columns.as_mut().map(InnerColumns::take)).collect())
    }
}

/// The parts of its region that a tile shows.
fn parts(tile: TilePos) -> Vec<TilePos> {
    if tile.zoom < PART_ZOOM {
        return tile.inner_tiles(PART_ZOOM).collect();
    }
    let levels = tile.zoom - PART_ZOOM;
    vec![TilePos { zoom: PART_ZOOM, x: tile.x >> levels, y: tile.y >> levels }]
}
