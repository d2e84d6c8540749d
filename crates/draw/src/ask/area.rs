//! Reads all columns of a rectangle, for programs that need a height map.
//!
//! It reads each region file and each chunk that the rectangle meets once, and passes the columns on
//! one by one. It keeps one row of a region's chunks in memory, so that the rectangle may have any
//! size.

use std::io;
use std::sync::Arc;

use crate::ask::chunk_reader;
use crate::ask::info::DamagedPlace;
use crate::ask::query::{ColumnPart, HighestBlock};
use crate::painter::chunk::{ChunkReader, DrawnChunk, SlotContent};
use crate::painter::filter::ChunkFilter;
use crate::request::look::Look;
use pixelmap_base::coord::{Area, ColumnPos, REGION_CHUNKS, RegionPos, Slot};
use pixelmap_paint::surface::{Columns, NO_HEIGHT, View};
use pixelmap_world::chunk::Meta;
use pixelmap_world::internal::{Dimension, Region, RegionEntry, World, WorldError};
use pixelmap_world::names::{BlockId, NameCache};

/// A part of the answer about a rectangle.
#[derive(Debug, Clone)]
pub enum AreaAnswer {
    /// A column of a chunk that exists and is included.
    Column(ColumnPos, AreaColumn),
    /// A chunk or a region file that cannot be read. Its columns are left out.
    Damaged(DamagedPlace),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AreaColumn {
    pub highest: HighestBlock,
    pub ground: Ground,
}

/// The ground of a column as maps show it: without water, and without blocks that are transparent
/// or flat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ground {
    /// Its height and name; absent in a column without ground.
    pub block: Option<(i32, Arc<str>)>,
    /// The number of wet blocks from the surface of the water down to the ground; 255 stands for
    /// 255 or more.
    pub water_depth: u8,
}

/// Reads the rows of chunks of one region after the other.
struct AreaReader<'a> {
    area: Area,
    filter: ChunkFilter<'a>,
    reader: ChunkReader,
    /// The chunks of the current row, from west to east.
    row: Vec<RowChunk>,
}

/// The columns of a chunk.
#[derive(Default)]
struct RowChunk {
    /// Absent if the columns are left out.
    meta: Option<Meta>,
    /// The columns as a map shows them, and then with their highest blocks.
    views: [Columns; 2],
}

/// Passes all columns of a rectangle to `visit`, except columns whose chunk is not stored, not
/// finished (unless `part` includes such chunks), or damaged.
///
/// The regions are sorted by z and then by x, and so are the columns of each region. Damaged places
/// of a row of chunks precede its columns. An error of `visit` ends the answer.
///
/// # Errors
/// Fails if `visit` fails, or if a region file cannot be read now, but perhaps later.
pub fn query_area<E: From<WorldError>>(
    world: &World,
    dimension: &Dimension,
    area: Area,
    part: ColumnPart,
    mut visit: impl FnMut(AreaAnswer) -> Result<(), E>,
) -> Result<(), E> {
    let look = Look {
        range: part.range,
        unfinished: part.unfinished,
        ..Look::DEFAULT
    };
    let views = if part.ceiling.is_some() {
        [View::UnderCeiling, View::HighestUnderCeiling]
    } else {
        [View::Sky, View::Highest]
    };
    let filter = ChunkFilter {
        views: &views,
        ceiling: part.ceiling,
        may_be_unexplored: dimension.store.is_explored(),
        look: &look,
    };

    let mut reader = AreaReader {
        area,
        filter,
        reader: chunk_reader::reader(world),
        row: (0..REGION_CHUNKS).map(|_| RowChunk::default()).collect(),
    };

    for &entry in &dimension.regions {
        if !area.meets(entry.region) {
            continue;
        }

        let Some(mut file) = dimension.open(entry)? else {
            visit(damaged(entry, None, "unreadable"))?;
            continue;
        };

        file.will_read(Slot::all().filter(|&slot| area.meets_chunk(entry.region.chunk(slot))));

        for z in 0..REGION_CHUNKS {
            let bad = reader
                .read_row(&mut file, z)
                .map_err(|error| WorldError::Unreadable(dimension.store.path(entry), error))?;
            for (slot, reason) in bad {
                visit(damaged(entry, Some(slot), reason))?;
            }

            reader.visit_row(entry.region, z, &mut visit)?;
        }
    }

    Ok(())
}

/// Returns the answer for a chunk, or for a whole region, that cannot be read.
fn damaged(entry: RegionEntry, slot: Option<Slot>, reason: &'static str) -> AreaAnswer {
    let chunk = slot.map(|slot| entry.region.chunk(slot));
    AreaAnswer::Damaged(DamagedPlace {
        region: entry.file_name(slot),
        chunk: chunk.map(|chunk| [chunk.x, chunk.z]),
        reason,
    })
}

impl AreaReader<'_> {
    /// Reads the chunks of a row that the rectangle meets. Returns the chunks that cannot be read,
    /// each with the reason in one word. Fails only with errors after which the same call may
    /// succeed later.
    fn read_row(&mut self, file: &mut Region, z: usize) -> io::Result<Vec<(Slot, &'static str)>> {
        let mut bad = Vec::new();
        for (x, chunk) in self.row.iter_mut().enumerate() {
            chunk.meta = None;

            let slot = Slot::at(x, z);
            if !self.area.meets_chunk(file.pos().chunk(slot)) {
                continue;
            }

            let views = chunk.views.iter_mut();
            let (content, _) = self.reader.columns(file, slot, self.filter, views);
            match content {
                SlotContent::Drawn(DrawnChunk { meta, .. }) | SlotContent::Empty(meta) => {
                    chunk.meta = Some(meta);
                }
                SlotContent::Bad(reason) => {
                    reason.retryable_error().map_or(Ok(()), Err)?;
                    bad.push((slot, reason.word()));
                }
                SlotContent::Nothing | SlotContent::Unfinished(_) | SlotContent::Unvisited(_) => {}
            }
        }

        Ok(bad)
    }

    /// Passes the columns of the row that was read, from north to south and from west to east.
    fn visit_row<E>(
        &mut self,
        region: RegionPos,
        z: usize,
        visit: &mut impl FnMut(AreaAnswer) -> Result<(), E>,
    ) -> Result<(), E> {
        let first = region.chunk(Slot::at(0, z)).area();
        let last = region.chunk(Slot::at(REGION_CHUNKS - 1, z)).area();
        let columns = Area {
            x1: last.x1,
            ..first
        }
        .overlap(self.area);

        for z in columns.z0..columns.z1 {
            for x in columns.x0..columns.x1 {
                let column = ColumnPos { x, z };
                let chunk = &self.row[column.chunk().slot().x()];
                if let Some(meta) = chunk.meta {
                    let names = &mut self.reader.name_cache;
                    let answer = chunk.column(column.in_chunk(), meta, names);
                    visit(AreaAnswer::Column(column, answer))?;
                }
            }
        }

        Ok(())
    }
}

impl RowChunk {
    fn column(&self, column: usize, meta: Meta, names: &mut NameCache) -> AreaColumn {
        let [land, highest] = &self.views;
        let biome = names.biome_name(highest.biome[column]);

        AreaColumn {
            highest: HighestBlock {
                block: block(highest, column, names),
                biome: (!biome.is_empty()).then_some(biome),
                data_version: meta.data_version,
            },
            ground: Ground {
                block: block(land, column, names),
                water_depth: land.depth[column],
            },
        }
    }
}

/// Returns the height and the stored name of the block at which a column ends. Water above the void
/// ends at no block.
fn block(columns: &Columns, column: usize, names: &mut NameCache) -> Option<(i32, Arc<str>)> {
    let (id, y) = (columns.ground[column], columns.ground_y[column]);
    if y == NO_HEIGHT || id == BlockId::AIR {
        None
    } else {
        Some((i32::from(y), names.stored_name(id)))
    }
}
