//! Looks for blocks in a chunk whose columns were read. A block counts at the surface if layer
//! `day` shows it, or would show it if it were not too thin to be seen. This does not depend on the
//! layers that are drawn, because the markers of an unchanged region are kept when the layers
//! change.

use crate::painter::filter::ChunkFilter;
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos, ColumnPos, YRange};
use pixelmap_paint::layers::Layer;
use pixelmap_paint::markers::{ChunkMarkers, FoundBlocks};
use pixelmap_paint::markers::{Find, FindDepth};
use pixelmap_paint::surface::{self, Columns};
use pixelmap_world::chunk::{BlockSearch, Chunk, Mask};
use pixelmap_world::names::BlockId;

/// One worker's search for blocks.
#[derive(Debug)]
pub(super) struct BlockFinder {
    search: BlockSearch,
    depth: FindDepth,
    /// The land of the current chunk, if no layer has read it.
    land: Columns,
    /// The blocks that were met in the current chunk.
    met: MetBlocks,
}

/// Blocks that were met in a chunk: each with its number, and the height and the column of the
/// first one.
#[derive(Debug, Default)]
struct MetBlocks(Vec<(BlockId, u32, (i32, usize))>);

impl MetBlocks {
    fn add(&mut self, id: BlockId, y: i32, column: usize) {
        match self.0.iter_mut().find(|(known, ..)| *known == id) {
            Some((_, count, _)) => *count += 1,
            None => self.0.push((id, 1, (y, column))),
        }
    }
}

impl BlockFinder {
    pub(super) fn new(find: &Find) -> Self {
        let search = BlockSearch::new(find.patterns.clone());
        Self {
            search,
            depth: find.depth,
            land: Columns::default(),
            met: MetBlocks::default(),
        }
    }

    /// Adds the markers of the blocks in the chunk at `position`. `land` has its columns as layer
    /// `day` shows them, or is `None` if no layer needs them.
    pub(super) fn find(
        &mut self,
        chunk: &mut Chunk<'_>,
        position: ChunkPos,
        filter: ChunkFilter<'_>,
        land: Option<&Columns>,
        markers: &mut ChunkMarkers,
    ) {
        let columns = columns_of(filter, position);
        let Self {
            search,
            depth,
            land: own_land,
            met,
        } = self;
        met.0.clear();

        match depth {
            FindDepth::All => {
                let YRange { min, max } = filter.look.range;
                chunk.find_blocks(search, &(min..=max), columns, |y, column, block| {
                    met.add(block.id, y, column);
                });
            }
            FindDepth::Surface => {
                let view = Layer::default().view(filter.ceiling.is_some());
                let range @ YRange { min, max } = filter.view_range(chunk, view);
                let land = match land {
                    Some(land) => land,
                    None if !chunk.may_hold(search, &(min..=max)) => return,
                    None => {
                        own_land.clear();
                        surface::scan(chunk, view, range, own_land);
                        own_land
                    }
                };

                let lowest = land
                    .ground_y
                    .iter()
                    .fold(i16::MAX, |lowest, &y| lowest.min(y));

                chunk.find_blocks(
                    search,
                    &(min.max(i32::from(lowest))..=max),
                    columns,
                    |y, column, block| {
                        let ground = i32::from(land.ground_y[column]);
                        // Solid blocks above the ground are the ceiling of the dimension.
                        if y == ground || y > ground && !block.traits.is_plain_ground() {
                            met.add(block.id, y, column);
                        }
                    },
                );
            }
        }

        let mut found = FoundBlocks::default();
        for &(id, count, first) in &met.0 {
            if let Some(name) = search.wanted_name(id, chunk.name_cache()) {
                found.add(name, count, first, position);
            }
        }

        found.put(markers);
    }
}

/// Returns the columns of a chunk that are inside the area.
fn columns_of(filter: ChunkFilter<'_>, position: ChunkPos) -> Mask {
    let ColumnPos { x, z } = position.corner();
    filter.look.area.map_or(Mask::ALL, |area| {
        Mask::from_fn(|column| {
            let (dx, dz) = ((column % CHUNK_SIDE) as i32, (column / CHUNK_SIDE) as i32);
            area.contains(ColumnPos {
                x: x + dx,
                z: z + dz,
            })
        })
    })
}
