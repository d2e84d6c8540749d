//! Finds the highest block in columns of a world. It reads only the chunks that contain these
//! columns.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::ask::chunk_reader::reader;
use crate::painter::chunk::{ChunkReader, is_shown};
use crate::request::ceilings;
use crate::request::ceilings::FoundCeiling;
use crate::request::colours::Colours;
use crate::request::error::RenderError;
use crate::request::hide::HiddenPlaces;
use crate::request::look::Look;
use pixelmap_base::coord::{Ceiling, ColumnPos, RegionPos, YRange};
use pixelmap_paint::surface::{highest, highest_under_ceiling, range_under_ceiling};
use pixelmap_world::chunk::Chunk;
use pixelmap_world::internal::Region;
use pixelmap_world::internal::{Dimension, World, WorldError};
use pixelmap_world::names::BlockId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The highest block, because the chunk exists and is included.
    Found(HighestBlock),
    /// The reason why the column is left out.
    Missing(MissingColumn),
}

/// The highest block of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HighestBlock {
    /// Its height and name; absent if the column is empty.
    pub block: Option<(i32, Arc<str>)>,
    /// The biome at its place; absent if none is stored.
    pub biome: Option<Arc<str>>,
    pub data_version: Option<i32>,
}

/// Why a column cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingColumn {
    NoChunk,
    /// The game has not finished the chunk.
    Unfinished,
    /// The chunk cannot be read: the reason in one word, as in reports.
    Damaged(&'static str),
}

/// The part of a column to search.
#[derive(Debug, Clone, Copy)]
pub struct ColumnPart {
    pub range: YRange,
    /// The ceiling under which to search; absent if the whole column is searched.
    pub ceiling: Option<Ceiling>,
    /// Whether to include chunks that the game has not finished.
    pub unfinished: bool,
}

/// Finds the ceiling that closes a dimension, the same one that maps of this world use.
///
/// # Errors
/// Fails if a data pack or a chunk of the world cannot be read now, but perhaps later.
pub fn ceiling(world: &World, dimension: &Dimension) -> Result<FoundCeiling, RenderError> {
    let chosen = Colours::default().choose(world, false);
    let dimension_types = chosen.map_err(RenderError::Colours)?.dimension_types;
    let hidden = HiddenPlaces::default();
    Ok(ceilings::find(
        world,
        &dimension_types,
        dimension,
        &Look::DEFAULT,
        &hidden,
    )?)
}

/// Answers for each of `columns`, in their order. Each region file is opened only once, because the
/// columns are grouped by region first.
///
/// The highest block is the highest one other than the kinds of air, `structure_void`, `barrier`
/// and `light`.
///
/// # Errors
/// Fails if a region file cannot be read now, but perhaps later.
pub fn query(
    world: &World,
    dimension: &Dimension,
    columns: &[ColumnPos],
    part: ColumnPart,
) -> Result<Vec<Answer>, WorldError> {
    let mut by_region: BTreeMap<RegionPos, Vec<usize>> = BTreeMap::new();
    for (index, column) in columns.iter().enumerate() {
        by_region
            .entry(column.chunk().region())
            .or_default()
            .push(index);
    }

    let mut reader = reader(world);
    let mut answers = vec![Answer::Missing(MissingColumn::NoChunk); columns.len()];
    for (region, mut wanted) in by_region {
        let Some(entry) = dimension.entry(region) else {
            continue;
        };

        let Some(mut file) = dimension.open(entry)? else {
            mark_missing(&mut answers, &wanted, &MissingColumn::Damaged("unreadable"));
            continue;
        };

        wanted.sort_by_key(|&index| columns[index].chunk().slot());

        for group in wanted.chunk_by(|&a, &b| columns[a].chunk() == columns[b].chunk()) {
            chunk(&mut reader, &mut file, columns, group, part, &mut answers)
                .map_err(|error| WorldError::Unreadable(dimension.store.path(entry), error))?;
        }
    }

    Ok(answers)
}

/// Answers for the columns of one chunk. Fails only with errors after which the same call may
/// succeed later.
fn chunk(
    reader: &mut ChunkReader,
    file: &mut Region,
    columns: &[ColumnPos],
    wanted: &[usize],
    part: ColumnPart,
    answers: &mut [Answer],
) -> io::Result<()> {
    reader.read(file, columns[wanted[0]].chunk().slot(), |chunk, _| {
        let mut chunk = match chunk {
            None => return Ok(()),
            Some(Err(reason)) => {
                mark_missing(answers, wanted, &MissingColumn::Damaged(reason.word()));
                return reason.retryable_error().map_or(Ok(()), Err);
            }
            Some(Ok(chunk)) => chunk,
        };

        let data_version = chunk.meta().data_version;

        if !is_shown(chunk.meta().status, part.unfinished) {
            mark_missing(answers, wanted, &MissingColumn::Unfinished);
            return Ok(());
        }

        for &index in wanted {
            let column = columns[index].in_chunk();
            let block = highest_in(&mut chunk, column, part);
            let biome = block
                .map(|(y, _)| chunk.biome(column, y))
                .map(|biome| chunk.name_cache().biome_name(biome));

            let block = block.map(|(y, id)| (y, chunk.name_cache().stored_name(id)));
            let biome = biome.filter(|name| !name.is_empty());
            answers[index] = Answer::Found(HighestBlock {
                block,
                biome,
                data_version,
            });
        }

        Ok(())
    })
}

/// Gives all `wanted` columns the same answer.
fn mark_missing(answers: &mut [Answer], wanted: &[usize], why: &MissingColumn) {
    for &index in wanted {
        answers[index] = Answer::Missing(why.clone());
    }
}

fn highest_in(
    chunk: &mut Chunk<'_>,
    column: usize,
    ColumnPart { range, ceiling, .. }: ColumnPart,
) -> Option<(i32, BlockId)> {
    let found = match ceiling {
        Some(ceiling) => {
            let range = range_under_ceiling(chunk, ceiling, range);
            highest_under_ceiling(chunk, column, range)
        }
        None => highest(chunk, column, range),
    };
    found.filter(|&(_, id)| id != BlockId::UNEXPLORED)
}
