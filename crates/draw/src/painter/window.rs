//! The part of the current region that a worker has in memory, seen from one view: two rows of
//! chunks, their surroundings, and the data of earlier rows that later rows need. Layers that share
//! a view share its scene.

use pixelmap_base::coord::{REGION_CHUNKS, RegionPos, Slot};
use pixelmap_paint::layers::{BiomeRows, ChunkRow};
use pixelmap_paint::surface::{Border, BorderHeights, Columns, RegionFrame};

/// One view of a region.
#[derive(Debug)]
pub(crate) struct Scene {
    /// The row of chunks that was read last, and the row before it.
    pub(crate) rows: Box<[[Columns; REGION_CHUNKS]; 2]>,
    pub(crate) frame: Box<RegionFrame>,
    region: RegionPos,
    biomes: BiomeRows,
    /// Heights north of the row that is painted next.
    north: Box<BorderHeights>,
    /// Whether all heights of `north` are known to be missing.
    is_north_clear: bool,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            rows: Box::new(std::array::from_fn(|_| {
                std::array::from_fn(|_| Columns::default())
            })),
            frame: Box::default(),
            region: RegionPos { x: 0, z: 0 },
            biomes: BiomeRows::default(),
            north: Box::default(),
            is_north_clear: false,
        }
    }
}

impl Scene {
    /// Starts a region whose frame is already filled.
    pub(crate) fn start(&mut self, region: RegionPos) {
        self.region = region;
        self.biomes.start(&self.frame);
        (*self.north).clone_from(&self.frame.sides[0].heights);
        self.is_north_clear = false;
    }

    /// Returns the columns of a chunk in the row that is being read.
    pub(crate) fn columns_mut(&mut self, slot: Slot) -> &mut Columns {
        &mut self.rows[slot.z() % 2][slot.x()]
    }

    /// Must be called when row `index` of chunks has been read.
    pub(crate) fn add(&mut self, index: usize) {
        self.biomes.add(index, &self.rows[index % 2], &self.frame);
    }

    /// Must be called when all rows have been read.
    pub(crate) fn end(&mut self) {
        self.biomes.end(&self.frame);
    }

    /// Returns a row of chunks for the layers. The row to its south must have been read, because it
    /// affects this one.
    pub(crate) fn row(&self, index: usize) -> ChunkRow<'_> {
        ChunkRow {
            region: self.region,
            index,
            chunks: &self.rows[index % 2],
            north: &self.north,
            frame: &self.frame,
            biomes: &self.biomes,
        }
    }

    /// Must be called when row `index` of chunks has been painted. Keeps its last heights, which
    /// are north of the next row.
    pub(crate) fn keep_last_rows(&mut self, index: usize) {
        let row = &self.rows[index % 2];
        let is_clear = row.iter().all(Columns::is_clear);
        if !(is_clear && self.is_north_clear) {
            for (chunk, columns) in row.iter().enumerate() {
                self.north
                    .copy(Border::South, Slot::at(chunk, index), columns);
            }
        }

        self.is_north_clear = is_clear;
    }
}
