//! The part of the current region that a worker holds, seen from one view: two rows of chunks, their surroundings, and
//! what is still needed of the rows before. Layers that share a view share its scene.

use crate::base::coord::{REGION_CHUNKS, RegionPos, Slot};
use crate::paint::layers::{BiomeRows, ChunkRow};
use crate::paint::surface::{Border, BorderHeights, Columns, Frame};

/// One view of a region.
#[derive(Debug)]
pub(crate) struct Scene {
    /// The row of chunks that was read last, and the one before it.
    pub(crate) rows: Box<[[Columns; REGION_CHUNKS]; 2]>,
    pub(crate) frame: Box<Frame>,
    region: RegionPos,
    biomes: BiomeRows,
    /// Heights north of the row that is painted next.
    north: Box<BorderHeights>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            rows: Box::new(std::array::from_fn(|_| std::array::from_fn(|_| Columns::default()))),
            frame: Box::default(),
            region: RegionPos { x: 0, z: 0 },
            biomes: BiomeRows::default(),
            north: Box::default(),
        }
    }
}

impl Scene {
    /// Begins a region, whose frame is filled.
    pub(crate) fn start(&mut self, region: RegionPos) {
        self.region = region;
        self.biomes.start(&self.frame);
        (*self.north).clone_from(&self.frame.sides[0].heights);
    }

    /// The columns of a chunk of the row that is read.
    pub(crate) fn columns_mut(&mut self, slot: Slot) -> &mut Columns {
        &mut self.rows[slot.z() % 2][slot.x()]
    }

    /// Row `index` of chunks has been read.
    pub(crate) fn add(&mut self, index: usize) {
        self.biomes.add(index, &self.rows[index % 2], &self.frame);
    }

    /// All rows have been read.
    pub(crate) fn end(&mut self) {
        self.biomes.end(&self.frame);
    }

    /// A row of chunks as layers see it: what reaches into it from the south must have been read.
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

    /// Row `index` of chunks has been painted: its last columns lie north of the next one.
    pub(crate) fn keep_last_rows(&mut self, index: usize) {
        for (chunk, columns) in self.rows[index % 2].iter().enumerate() {
            self.north.take(Border::South, Slot::at(chunk, index), columns);
        }
    }
}
