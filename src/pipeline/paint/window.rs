//! The part of the current region that a worker holds, seen from one view: two rows of chunks, their surroundings, and
//! what is still needed of the rows before. Layers that share a view share its scene.

use crate::coord::{CHUNK_AREA, CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, RegionPos};
use crate::layer::{BiomeRows, Row};
use crate::surface::{Columns, Frame};

/// One view of a region.
#[derive(Debug)]
pub(crate) struct Scene {
    /// The row of chunks that was read last, and the one before it.
    pub(crate) rows: Box<[[Columns; REGION_CHUNKS]; 2]>,
    pub(crate) frame: Box<Frame>,
    region: RegionPos,
    biomes: BiomeRows,
    north_ground_y: [i16; REGION_SIDE],
    north_top_y: [i16; REGION_SIDE],
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            rows: Box::new(std::array::from_fn(|_| std::array::from_fn(|_| Columns::default()))),
            frame: Box::default(),
            region: RegionPos { x: 0, z: 0 },
            biomes: BiomeRows::default(),
            north_ground_y: [0; REGION_SIDE],
            north_top_y: [0; REGION_SIDE],
        }
    }
}

impl Scene {
    /// Begins a region, whose frame is filled.
    pub(crate) fn start(&mut self, region: RegionPos) {
        self.region = region;
        self.biomes.start(&self.frame);
        self.north_ground_y = self.frame.sides[0].ground_y;
        self.north_top_y = self.frame.sides[0].top_y;
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
    pub(crate) fn row(&self, index: usize) -> Row<'_> {
        Row {
            region: self.region,
            index,
            chunks: &self.rows[index % 2],
            north_ground_y: &self.north_ground_y,
            north_top_y: &self.north_top_y,
            frame: &self.frame,
            biomes: &self.biomes,
        }
    }

    /// Row `index` of chunks has been painted: its last columns lie north of the next one.
    pub(crate) fn painted(&mut self, index: usize) {
        for (chunk, columns) in self.rows[index % 2].iter().enumerate() {
            let last = CHUNK_AREA - CHUNK_SIDE;
            let along = chunk * CHUNK_SIDE..(chunk + 1) * CHUNK_SIDE;
            self.north_ground_y[along.clone()].copy_from_slice(&columns.ground_y[last..]);
            self.north_top_y[along].copy_from_slice(&columns.top_y[last..]);
        }
    }
}
