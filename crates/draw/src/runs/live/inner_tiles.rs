//! Draws tiles with textures when somebody looks at them. They are not written to disk. The columns
//! of the parts of regions that were viewed last are kept in memory, so that a tile is painted from
//! them in a few milliseconds.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::scope;

use crate::painter::shared::{PaintWorker, Painter};
use crate::report::progress::Progress;
use crate::request::layers::MapLayers;
use crate::request::prepare::prepare;
use crate::request::settings::{MapRequest, Settings};
use crate::run_state::RunState;
use crate::runs::live::requests::{Request, Requests};
use crate::schedule::{self, Stop};
use pixelmap_base::coord::{INNER_ZOOM, NATIVE_ZOOM, TilePos};
use pixelmap_base::mutex;
use pixelmap_base::recent::RecentValues;
use pixelmap_map::atlas::{Format, Naming};
use pixelmap_paint::layers::Layer;
use pixelmap_paint::layers::{InnerColumns, NightTone, ShownRegion};
use pixelmap_tile::{Canvas, Encoder};
use pixelmap_world::internal::{World, WorldError};

/// The most threads that draw.
const MAX_THREADS: usize = 4;
/// The zoom level whose tiles are parts of 8 by 8 chunks. Regions are read in such parts, so that a
/// tile does not wait for its whole region.
const PART_ZOOM: u8 = 19;
/// How many parts are kept, of about 0.5 MiB per view: more than a large screen shows at the
/// outermost level with textures.
const MAX_KEPT: usize = 192;

/// Draws tiles with textures on demand.
pub struct InnerTiles {
    /// The user's settings, limited to the layers that have textures.
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

/// The columns of a part of a region once it is read, one entry per view. Empty if nothing is drawn
/// there.
type PartViews = OnceLock<Vec<Option<ShownRegion>>>;

/// The world in the state in which it was opened, and the parts of it that were viewed last.
struct OpenWorld<'a> {
    painter: Painter<'a>,
    /// The columns of parts by the number of their dimension, once they are read.
    kept: Mutex<RecentValues<(usize, TilePos), PartViews>>,
}

/// The buffers of one thread.
struct InnerTileBuffers<'a> {
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
    /// Makes the state for a map with these settings. Returns `None` if no layer supports textures,
    /// or if assets for textures are missing.
    pub fn new(settings: &Settings, naming: Naming) -> Option<Self> {
        let layers: Vec<Layer> = settings
            .request
            .layers
            .iter()
            .copied()
            .filter(|layer| layer.inner_tone().is_some())
            .collect();
        if layers.is_empty() || settings.look.colours.assets.is_empty() {
            return None;
        }

        let mut settings = settings.clone();
        let MapRequest {
            dimensions, shard, ..
        } = settings.request;

        let zoom_in = INNER_ZOOM - NATIVE_ZOOM;
        settings.request = MapRequest {
            dimensions,
            layers,
            zoom_in,
            shard,
            ..MapRequest::default()
        };

        Some(Self {
            settings,
            naming,
            requests: Requests::default(),
        })
    }

    /// Returns the layers with textures.
    pub fn layers(&self) -> &[Layer] {
        &self.settings.request.layers
    }

    /// Returns the tile with textures that has this path, or `None` if the path is not one of such
    /// a tile.
    pub fn tile(&self, path: &str) -> Option<InnerTile> {
        let mut names = path.rsplitn(5, '/');
        let [y, x, zoom, layer, dimension] =
            std::array::from_fn(|_| names.next().unwrap_or_default());
        let layer = *self
            .settings
            .request
            .layers
            .iter()
            .find(|known| known.name() == layer)?;

        let tile = self
            .naming
            .parse_path(&format!("{zoom}/{x}/{y}"))
            .filter(|tile| tile.zoom > NATIVE_ZOOM)?;

        Some(InnerTile {
            dimension: dimension.to_owned(),
            layer,
            tile,
        })
    }

    /// Returns the format of the tiles.
    pub fn format(&self) -> Format {
        self.naming.format
    }

    /// Returns the requests for tiles. An empty tile has an empty file. A new round opens the world
    /// again.
    pub fn requests(&self) -> &Requests<InnerTile> {
        &self.requests
    }

    /// Draws the requested tiles until the end. `open` opens the world, and is called again when
    /// the world has changed.
    pub fn work(&self, open: impl Fn() -> Result<World, WorldError>) {
        while let Some(round) = self.requests.round() {
            if !self.work_on(round, &open) {
                // Nothing can be drawn now. Drop one request without a reply, and try again for the
                // next one.
                drop(self.requests.next(round));
            }
        }
    }

    /// Draws the requested tiles until another round begins. Returns false if nothing can be drawn.
    fn work_on(&self, round: u64, open: impl Fn() -> Result<World, WorldError>) -> bool {
        let Ok(world) = open() else { return false };
        let Ok(prepared) = prepare(&world, &self.settings) else {
            return false;
        };

        let progress = Progress::default();
        let run = RunState::new(&progress, &Stop::new());
        let map_layers = Arc::new(MapLayers::new(&prepared.plan, &self.settings, self.naming));
        let painter = Painter::new(&world, &prepared, &self.settings, &run, map_layers, None);
        let open = OpenWorld {
            painter,
            kept: Mutex::new(RecentValues::new(MAX_KEPT)),
        };

        let threads = if self.settings.run.threads == 0 {
            schedule::available_threads()
        } else {
            self.settings.run.threads
        };

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
        while let Some(Request {
            subject: tile,
            reply,
            ..
        }) = self.requests.next(round)
        {
            // A panic only loses this tile and the thread's buffers.
            let drawn = catch_unwind(AssertUnwindSafe(|| {
                let buffers = buffers.get_or_insert_with(|| open.buffers());
                open.draw(buffers, &tile)
            }));

            match drawn {
                Ok(file) => reply(file),
                Err(_) => buffers = None,
            }

            if open.painter.run.is_stopped() {
                // Reading has failed. It may succeed in the next round, which opens the world
                // again.
                return self.requests.begin_round();
            }
        }
    }
}

impl OpenWorld<'_> {
    fn buffers(&self) -> InnerTileBuffers<'_> {
        InnerTileBuffers {
            worker: self.painter.worker(),
            canvas: Canvas::default(),
            encoder: Encoder::default(),
            night: NightTone::default(),
        }
    }

    /// Returns the file of a tile, or no bytes if the tile is empty.
    fn draw<'w>(&'w self, buffers: &mut InnerTileBuffers<'w>, tile: &InnerTile) -> Vec<u8> {
        let InnerTileBuffers {
            worker,
            canvas,
            encoder,
            night,
        } = buffers;

        let map_layers = &self.painter.map_layers;
        let map_layer = map_layers.all().find(|&map_layer| {
            map_layers.dimension_path(map_layer.dimension) == tile.dimension
                && map_layers.layer(map_layer).painted() == Some(tile.layer)
        });
        let Some(map_layer) = map_layer else {
            return Vec::new();
        };
        let Some(tone) = tile.layer.inner_tone() else {
            return Vec::new();
        };

        canvas.clear();

        for part in parts(tile.tile) {
            let part = self.part(worker, map_layer.dimension, part);
            let view = part
                .get()
                .and_then(|views| views.get(map_layers.view_number(map_layer))?.as_ref());
            if let Some(shown) = view {
                shown.paint(tile.tile, tone, night, canvas);
            }
        }

        if canvas.is_empty() {
            Vec::new()
        } else {
            map_layers.encode(map_layer, encoder, canvas).to_vec()
        }
    }

    /// Returns the columns of a part of a region, which is read if it is not kept. Other threads
    /// that need it wait meanwhile.
    fn part<'w>(
        &'w self,
        worker: &mut PaintWorker<'w>,
        dimension: usize,
        part: TilePos,
    ) -> Arc<PartViews> {
        let key = (dimension, part);
        let mut kept = mutex::lock(&self.kept);
        let views = kept.get(&key).unwrap_or_else(|| {
            let views = Arc::default();
            kept.put(key, Arc::clone(&views));
            views
        });
        drop(kept);
        views.get_or_init(|| self.read(worker, dimension, part).unwrap_or_default());

        views
    }

    /// Reads the columns of a part of a region. Returns `None` if nothing is drawn there.
    fn read<'w>(
        &'w self,
        worker: &mut PaintWorker<'w>,
        dimension: usize,
        part: TilePos,
    ) -> Option<Vec<Option<ShownRegion>>> {
        let painter = &self.painter;
        let pos = part.native().and_then(TilePos::region)?;
        if !painter.plan.dimensions[dimension]
            .pyramid
            .contains(pos.tile())
        {
            return None;
        }

        let region = painter.region(dimension, pos).within(part.area())?;
        painter
            .run
            .end_job(painter.paint_region(worker, &region).map(drop));

        if painter.run.is_stopped() {
            return None;
        }

        Some(
            worker
                .views
                .iter_mut()
                .map(|view| view.inner.as_mut().map(InnerColumns::take))
                .collect(),
        )
    }
}

/// Returns the parts of its region that a tile shows.
fn parts(tile: TilePos) -> Vec<TilePos> {
    if tile.zoom < PART_ZOOM {
        return tile.inner_tiles(PART_ZOOM).collect();
    }

    let levels = tile.zoom - PART_ZOOM;
    vec![TilePos {
        zoom: PART_ZOOM,
        x: tile.x >> levels,
        y: tile.y >> levels,
    }]
}
