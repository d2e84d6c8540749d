//! The input of painters: a row of chunks with its columns, the heights along its borders, and the
//! biomes around it.

use crate::surface::{BorderHeights, Columns, NO_HEIGHT, REACH, RegionFrame};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, RegionPos};
use pixelmap_world::names::BiomeId;

/// The number of rows of columns that are remembered: a row of chunks and one more on each side of
/// it, because tints blend over the borders between rows.
const REMEMBERED: usize = 3 * CHUNK_SIDE;
/// The number of columns in a row, including the columns on both sides that blending reaches.
pub(super) const ROW_SIDE: usize = REGION_SIDE + 2 * REACH;

/// The number of columns along one side of the patch from which a chunk's relief is made.
const HEIGHT_PATCH: usize = REACH + CHUNK_SIDE;
/// Heights of a chunk and of [`REACH`] columns north and west of it, `[z][x]`. The corner between
/// north and west stays empty, because relief does not use it.
pub(super) type HeightPatch = [[i16; HEIGHT_PATCH]; HEIGHT_PATCH];

#[derive(Debug)]
pub struct ChunkRow<'a> {
    pub region: RegionPos,
    /// The row's position in its region, 0 (north) to 31.
    pub index: usize,
    /// The chunks from west to east. A missing chunk has empty columns.
    pub chunks: &'a [Columns; REGION_CHUNKS],
    pub north: &'a BorderHeights,
    /// The surroundings of the region.
    pub frame: &'a RegionFrame,
    /// The biomes of the row and of [`REACH`] columns around it.
    pub biomes: &'a BiomeRows,
}

impl ChunkRow<'_> {
    /// Returns whether no chunk of the row is drawn.
    pub fn is_empty(&self) -> bool {
        self.chunks.iter().all(|columns| columns.saved.is_none())
    }

    /// Returns the heights of the ground of a chunk and of the columns around it.
    pub(super) fn ground_heights(&self, chunk: usize) -> HeightPatch {
        let west = &self.frame.sides[2].heights;
        self.heights(
            chunk,
            |columns| &columns.ground_y,
            &self.north.ground_y,
            &west.ground_y,
        )
    }

    /// Returns the heights of the ground or water of a chunk and of the columns around it.
    pub(super) fn top_heights(&self, chunk: usize) -> HeightPatch {
        let west = &self.frame.sides[2].heights;
        self.heights(
            chunk,
            |columns| &columns.top_y,
            &self.north.top_y,
            &west.top_y,
        )
    }

    fn heights(
        &self,
        chunk: usize,
        own_heights: impl Fn(&Columns) -> &[i16; CHUNK_AREA],
        north: &[[i16; REGION_SIDE]; REACH],
        west: &[[i16; REGION_SIDE]; REACH],
    ) -> HeightPatch {
        let mut patch = [[NO_HEIGHT; HEIGHT_PATCH]; HEIGHT_PATCH];
        for (away, north) in north.iter().enumerate() {
            patch[REACH - 1 - away][REACH..]
                .copy_from_slice(&north[chunk * CHUNK_SIDE..][..CHUNK_SIDE]);
        }

        let own = own_heights(&self.chunks[chunk]).as_chunks::<CHUNK_SIDE>().0;
        for (to, own) in patch[REACH..].iter_mut().zip(own) {
            to[REACH..].copy_from_slice(own);
        }

        match chunk.checked_sub(1) {
            Some(chunk) => {
                let western = own_heights(&self.chunks[chunk]).as_chunks::<CHUNK_SIDE>().0;
                for (to, western) in patch[REACH..].iter_mut().zip(western) {
                    to[..REACH].copy_from_slice(&western[CHUNK_SIDE - REACH..]);
                }
            }
            None => {
                for (z, to) in patch[REACH..].iter_mut().enumerate() {
                    let along = self.index * CHUNK_SIDE + z;
                    to.iter_mut()
                        .zip(west.iter().rev())
                        .for_each(|(to, west)| *to = west[along]);
                }
            }
        }

        patch
    }
}

/// The biomes of a region's columns and of [`REACH`] columns of the neighbours around. A
/// row is added when it has been read, and replaces the oldest row.
#[derive(Debug)]
pub struct BiomeRows {
    /// Row `z` (from [`REACH`] north of the region) is at `(z + REACH) % REMEMBERED`.
    rows: Box<[[BiomeId; ROW_SIDE]]>,
}

impl Default for BiomeRows {
    fn default() -> Self {
        Self {
            rows: vec![[BiomeId::NONE; ROW_SIDE]; REMEMBERED].into(),
        }
    }
}

impl BiomeRows {
    /// Returns the row `z` columns south of the region's north edge (`z` begins at `-REACH`). Its
    /// first column is [`REACH`] columns west of the region.
    pub(super) fn row(&self, z: i32) -> &[BiomeId; ROW_SIDE] {
        &self.rows[(z + REACH as i32) as usize % REMEMBERED]
    }

    fn row_mut(&mut self, z: i32) -> &mut [BiomeId; ROW_SIDE] {
        &mut self.rows[(z + REACH as i32) as usize % REMEMBERED]
    }

    /// Begins a region: adds the rows north of it.
    pub fn start(&mut self, frame: &RegionFrame) {
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

    /// Ends a region: adds the rows south of it.
    pub fn end(&mut self, frame: &RegionFrame) {
        for away in 0..REACH {
            let z = (REGION_SIDE + away) as i32;
            self.fill(
                z,
                &frame.sides[1].biome[away],
                frame.corners[2][away],
                frame.corners[3][away],
            );
        }
    }

    fn fill(
        &mut self,
        z: i32,
        row: &[BiomeId; REGION_SIDE],
        west: [BiomeId; REACH],
        east: [BiomeId; REACH],
    ) {
        let to = self.row_mut(z);
        to[..REACH].copy_from_slice(&west);
        to[REACH..REACH + REGION_SIDE].copy_from_slice(row);
        to[REACH + REGION_SIDE..].copy_from_slice(&east);
    }

    pub fn add(&mut self, index: usize, chunks: &[Columns; REGION_CHUNKS], frame: &RegionFrame) {
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
