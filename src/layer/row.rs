//! A row of chunks for painters: its columns, the heights along its borders, and the biomes around it.

use crate::block::BiomeId;
use crate::coord::{CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, RegionPos};
use crate::surface::{Columns, Frame, REACH};

/// Rows of columns that are remembered: a row of chunks and one on each side of it.
const REMEMBERED: usize = 3 * CHUNK_SIDE;
/// Columns of a row, with those that blending reaches on both sides.
pub(super) const ROW_SIDE: usize = REGION_SIDE + 2 * REACH;

/// One row of chunks of a region.
#[derive(Debug)]
pub struct Row<'a> {
    /// The region it is in.
    pub region: RegionPos,
    /// The row's place in its region, 0 (north) to 31.
    pub index: usize,
    /// The chunks, west to east; empty columns where there is none.
    pub chunks: &'a [Columns; REGION_CHUNKS],
    /// Ground heights of the columns just north of the row.
    pub north_ground_y: &'a [i16; REGION_SIDE],
    /// Heights of ground or water just north of the row.
    pub north_top_y: &'a [i16; REGION_SIDE],
    /// The surroundings of the region.
    pub frame: &'a Frame,
    /// The biomes of the row and of [`REACH`] columns around it.
    pub biomes: &'a BiomeRows,
}

impl Row<'_> {
    /// Returns whether no chunk in it is drawn.
    pub fn is_empty(&self) -> bool {
        self.chunks.iter().all(|columns| columns.saved.is_none())
    }

    /// Heights of ground and of ground or water just west of a chunk, north to south.
    pub(super) fn west(&self, chunk: usize) -> ([i16; CHUNK_SIDE], [i16; CHUNK_SIDE]) {
        let last = |heights: &[i16; 256]| std::array::from_fn(|z| heights[z * CHUNK_SIDE + CHUNK_SIDE - 1]);
        if let Some(west) = chunk.checked_sub(1) {
            return (last(&self.chunks[west].ground_y), last(&self.chunks[west].top_y));
        }
        let side = &self.frame.sides[2];
        let part = |heights: &[i16; REGION_SIDE]| std::array::from_fn(|z| heights[self.index * CHUNK_SIDE + z]);
        (part(&side.ground_y), part(&side.top_y))
    }
}

/// The biomes of a region's columns, row by row as they become known, with [`REACH`] columns of the neighbours around.
#[derive(Debug)]
pub struct BiomeRows {
    /// Row `z` (from [`REACH`] north of the region) stands at `(z + REACH) % REMEMBERED`.
    rows: Box<[[BiomeId; ROW_SIDE]]>,
}

impl Default for BiomeRows {
    fn default() -> Self {
        Self { rows: vec![[BiomeId::NONE; ROW_SIDE]; REMEMBERED].into() }
    }
}

impl BiomeRows {
    /// The row `z` columns south of the region's north edge (from `-REACH`), starting [`REACH`] columns west of it.
    pub(super) fn row(&self, z: i32) -> &[BiomeId; ROW_SIDE] {
        &self.rows[(z + REACH as i32) as usize % REMEMBERED]
    }

    fn row_mut(&mut self, z: i32) -> &mut [BiomeId; ROW_SIDE] {
        &mut self.rows[(z + REACH as i32) as usize % REMEMBERED]
    }

    /// Starts a region: the rows north of it.
    pub fn start(&mut self, frame: &Frame) {
        for away in 0..REACH {
            let corner = REACH - 1 - away;
            self.fill(
                -1 - away as i32,
                &frame.sides[0].biome[away],
                frame.corners[0][corner],
                frame.corners[1][corner],
            );
        }
    }

    /// Ends a region: the rows south of it.
    pub fn end(&mut self, frame: &Frame) {
        for away in 0..REACH {
            let z = (REGION_SIDE + away) as i32;
            self.fill(z, &frame.sides[1].biome[away], frame.corners[2][away], frame.corners[3][away]);
        }
    }

    fn fill(&mut self, z: i32, row: &[BiomeId; REGION_SIDE], west: [BiomeId; REACH], east: [BiomeId; REACH]) {
        let to = self.row_mut(z);
        to[..REACH].copy_from_slice(&west);
        to[REACH..REACH + REGION_SIDE].copy_from_slice(row);
        to[REACH + REGION_SIDE..].copy_from_slice(&east);
    }

    /// Adds row `index` of chunks.
    pub fn add(&mut self, index: usize, chunks: &[Columns; REGION_CHUNKS], frame: &Frame) {
        for dz in 0..CHUNK_SIDE {
            let z = index * CHUNK_SIDE + dz;
            let [west, east] = [&frame.sides[2], &frame.sides[3]];
            let to = self.row_mut(z as i32);
            for away in 0..REACH {
                to[REACH - 1 - away] = west.biome[away][z];
                to[REACH + REGION_SIDE + away] = east.biome[away][z];
            }
            for (chunk, columns) in chunks.iter().enumerate() {
                let row = &columns.biome[dz * CHUNK_SIDE..(dz + 1) * CHUNK_SIDE];
                to[REACH + chunk * CHUNK_SIDE..][..CHUNK_SIDE].copy_from_slice(row);
            }
        }
    }
}
