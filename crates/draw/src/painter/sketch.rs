//! Sketches outer tiles quickly. A sketch divides the tile into cells of 16 by 16 pixels and draws
//! one chunk per cell, which represents everything in the cell. So a sketch needs at most 1,024
//! chunks, as many as one region has, no matter how far out its tile is.

use std::collections::BTreeMap;

use crate::painter::chunk_use::ChunkUse;
use crate::painter::shared::{PaintWorker, Painter, PlannedRegion};
use crate::request::layers::MapLayer;
use pixelmap_base::coord::{
    CHUNK_SIDE, NATIVE_ZOOM, REGION_CHUNKS, RegionPos, Slot, SlotSet, TILE_SIDE, TilePos,
};
use pixelmap_paint::surface::Columns;
use pixelmap_tile::{Canvas, Pixel};
use pixelmap_world::internal::Region;

/// The number of levels from the native one out to the level where a cell is a whole region.
const WHOLE_REGION: u8 = REGION_CHUNKS.ilog2() as u8;

/// A cell of a tile, and the chunk that is drawn for it.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Its position in the tile, in cells.
    x: usize,
    z: usize,
    chunk: Slot,
}

impl Painter<'_> {
    /// Sketches an outer tile of a layer.
    pub(crate) fn sketch(
        &self,
        worker: &mut PaintWorker<'_>,
        map_layer: MapLayer,
        tile: TilePos,
    ) -> Canvas {
        let mut canvas = Canvas::default();
        for pos in self.sketched(map_layer.dimension, tile) {
            if self.run.is_stopped() {
                break;
            }

            let region = self.region(map_layer.dimension, pos);
            let Some(Ok(mut file)) = region.open() else {
                continue;
            };

            let cells = cells(&region, &file, tile);
            let chosen: SlotSet = cells.iter().map(|cell| cell.chunk).collect();
            self.paint_chosen(worker, &region, &mut file, &chosen);

            for cell in cells {
                put(&mut canvas, cell, &worker.canvases[map_layer.layer]);
            }

            if levels_below(tile) < WHOLE_REGION {
                clear_missing(&mut canvas, tile, &region, &file);
            }
        }

        canvas
    }

    /// Returns the regions to sample: all of them, or far out the one nearest to the middle of each
    /// cell.
    fn sketched(&self, dimension: usize, tile: TilePos) -> Vec<RegionPos> {
        let pyramid = &self.plan.dimensions[dimension].pyramid;
        let levels = levels_below(tile);
        if levels <= WHOLE_REGION {
            return tile
                .area()
                .regions()
                .1
                .filter(|region| pyramid.contains(region.tile()))
                .collect();
        }

        let area = tile.area();

        let side = 1 << (levels - WHOLE_REGION);
        let mut best: BTreeMap<(i32, i32), (i32, RegionPos)> = BTreeMap::new();
        let regions = pyramid.level(NATIVE_ZOOM).filter_map(TilePos::region);
        for region in regions.filter(|&region| area.meets(region)) {
            let distance = from_middle(region.x, side).max(from_middle(region.z, side));
            let cell = (region.z.div_euclid(side), region.x.div_euclid(side));
            let nearest = best.entry(cell).or_insert((distance, region));
            if distance < nearest.0 {
                *nearest = (distance, region);
            }
        }

        best.into_values().map(|(_, region)| region).collect()
    }

    /// Paints some chunks of a region on the worker's canvases, each without its neighbours.
    fn paint_chosen(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        file: &mut Region,
        chosen: &SlotSet,
    ) {
        self.start_region(worker, region);
        let filter = self.chunk_filter(region.dimension);

        for view in &mut worker.views {
            let scene = &mut view.scene;
            scene.frame.clear();
            scene.rows.iter_mut().flatten().for_each(Columns::clear);
            scene.start(region.pos);
        }

        let mut filled = [[false; REGION_CHUNKS]; 2];
        for row in 0..REGION_CHUNKS {
            for slot in (0..REGION_CHUNKS).map(|x| Slot::at(x, row)) {
                let mut outs = worker
                    .views
                    .iter_mut()
                    .map(|view| view.scene.columns_mut(slot));
                let was_filled =
                    std::mem::replace(&mut filled[row % 2][slot.x()], chosen.has(slot));
                if chosen.has(slot) {
                    // A chunk that cannot be read is reported when its region is drawn.
                    worker.reader.columns(file, slot, filter, &mut outs);
                } else if was_filled {
                    outs.for_each(Columns::clear);
                }
            }

            for view in &mut worker.views {
                view.scene.add(row);
            }

            if row > 0 {
                self.paint_row(worker, region.dimension, row - 1);
            }
        }

        for view in &mut worker.views {
            view.scene.end();
        }

        self.paint_row(worker, region.dimension, REGION_CHUNKS - 1);
    }
}

/// Returns the cells where a tile and a region overlap, each with the stored chunk nearest to its
/// centre.
fn cells(region: &PlannedRegion<'_>, file: &Region, tile: TilePos) -> Vec<Cell> {
    let levels = levels_below(tile);
    let side = 1 << levels.min(WHOLE_REGION);
    let first = first_cell(tile, region.pos);
    let positions =
        (0..REGION_CHUNKS / side).flat_map(|z| (0..REGION_CHUNKS / side).map(move |x| (x, z)));

    let mut cells = Vec::new();
    for (x, z) in positions {
        let slots = (0..side * side).map(|at| Slot::at(x * side + at % side, z * side + at / side));
        let nearest = slots
            .filter(|&slot| file.has(slot) && region.chunk_use(slot) == ChunkUse::Drawn)
            .min_by_key(|slot| {
                let (x, z) = (slot.x() as i32, slot.z() as i32);
                from_middle(x, side as i32).max(from_middle(z, side as i32))
            });
        cells.extend(nearest.map(|chunk| Cell {
            x: first.0 + x,
            z: first.1 + z,
            chunk,
        }));
    }

    cells
}

/// Returns twice the distance of `at` from the middle of its cell, if cells are `side` long.
fn from_middle(at: i32, side: i32) -> i32 {
    (2 * at.rem_euclid(side) + 1 - side).abs()
}

/// Clears the pixels of missing chunks, at levels where each chunk has pixels of its own.
fn clear_missing(canvas: &mut Canvas, tile: TilePos, region: &PlannedRegion<'_>, file: &Region) {
    let side = CHUNK_SIDE >> levels_below(tile);
    let (x0, z0) = first_cell(tile, region.pos);
    for slot in
        Slot::all().filter(|&slot| !file.has(slot) || region.chunk_use(slot) != ChunkUse::Drawn)
    {
        let x = x0 * CHUNK_SIDE + slot.x() * side;
        let first = z0 * CHUNK_SIDE + slot.z() * side;
        for z in first..first + side {
            let row = z % CHUNK_SIDE * TILE_SIDE;
            canvas.band_mut(z / CHUNK_SIDE)[row + x..][..side].fill(Pixel::CLEAR);
        }
    }
}

/// Returns the number of levels between a tile and the native one.
const fn levels_below(tile: TilePos) -> u8 {
    NATIVE_ZOOM - tile.zoom
}

/// Returns the cell of a tile at the north-western corner of a region.
fn first_cell(tile: TilePos, region: RegionPos) -> (usize, usize) {
    let levels = levels_below(tile);
    let inside = [(tile.x, region.x), (tile.y, region.z)]
        .map(|(tile, region)| i64::from(region) - (i64::from(tile) << levels));

    let [x, z] = inside.map(|regions| ((regions * REGION_CHUNKS as i64) >> levels) as usize);
    (x, z)
}

/// Copies the chunk of a cell from its place on `from` to the place of the cell.
fn put(canvas: &mut Canvas, cell: Cell, from: &Canvas) {
    let band = canvas.band_mut(cell.z);
    for z in 0..CHUNK_SIDE {
        let source = (cell.chunk.z() * CHUNK_SIDE + z) * TILE_SIDE + cell.chunk.x() * CHUNK_SIDE;
        let offset = z * TILE_SIDE + cell.x * CHUNK_SIDE;
        band[offset..][..CHUNK_SIDE].copy_from_slice(&from.pixels()[source..][..CHUNK_SIDE]);
    }
}
