//! Finds the ceilings of dimensions. The type of a dimension decides, and if nobody stores the type,
//! some chunks of the dimension.
//!
//! The choice of the chunks depends only on the world and on hidden places. So all threads, shards
//! and commands decide in the same way, and a run on an earlier map decides again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::request::colours::names;
use crate::request::hide::HiddenPlaces;
use crate::request::look::Look;
use pixelmap_base::coord::{Ceiling, Slot};
use pixelmap_base::words::{ASSETS, LAYER};
use pixelmap_paint::palette::Palette;
use pixelmap_paint::surface::ClosedColumns;
use pixelmap_world::chunk::{Chunk, ChunkBuffers, Status};
use pixelmap_world::internal::{
    Dimension, DimensionTypes, Form, Inflater, Region, World, WorldError,
};
use pixelmap_world::names::NameCache;

/// The most regions of a dimension that are opened, and the most chunks in all of them that are
/// read.
const MAX_REGIONS: usize = 16;
const MAX_CHUNKS: usize = 64;

/// The ceiling of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundCeiling {
    /// `None` in dimensions that are open at the top.
    pub ceiling: Option<Ceiling>,
    /// The height of the bedrock from which the ceiling follows, if the type of the dimension is
    /// unknown.
    pub assumed_y: Option<i32>,
}

/// The ceilings of the dimensions of a run.
#[derive(Debug, Default)]
pub(crate) struct Ceilings {
    /// The key is the id of a dimension. Dimensions without a ceiling are absent.
    by_dimension: BTreeMap<String, Ceiling>,
    /// Warnings about ceilings of dimensions whose type is unknown.
    pub(crate) notes: Vec<String>,
}

impl Ceilings {
    /// Finds the ceilings of dimensions. Chunks that are hidden count as absent.
    ///
    /// # Errors
    /// Fails if a chunk cannot be read now, but perhaps later.
    pub(crate) fn find(
        world: &World,
        dimension_types: &DimensionTypes,
        dimensions: &[&Dimension],
        look: &Look,
        hidden: &HiddenPlaces,
    ) -> Result<Self, WorldError> {
        let mut ceilings = Self::default();
        for dimension in dimensions {
            let found = find(world, dimension_types, dimension, look, hidden)?;
            ceilings.notes.extend(found.note(&dimension.id));
            if let Some(ceiling) = found.ceiling {
                ceilings.by_dimension.insert(dimension.id.clone(), ceiling);
            }
        }

        Ok(ceilings)
    }

    pub(crate) fn get(&self, id: &str) -> Option<Ceiling> {
        self.by_dimension.get(id).copied()
    }
}

impl FoundCeiling {
    /// Returns a warning if the ceiling follows from chunks.
    fn note(&self, id: &str) -> Option<String> {
        self.assumed_y.map(|y| {
            format!(
                "the dimension type of {id} is unknown, but bedrock at y {y} closes it, so the \
                 land under this ceiling is drawn: give {ASSETS} MOD.jar to use the type of the \
                 mod, or {LAYER} roof to see the bedrock"
            )
        })
    }
}

/// Finds the ceiling of a dimension.
///
/// # Errors
/// Fails if a chunk cannot be read now, but perhaps later.
pub(crate) fn find(
    world: &World,
    dimension_types: &DimensionTypes,
    dimension: &Dimension,
    look: &Look,
    hidden: &HiddenPlaces,
) -> Result<FoundCeiling, WorldError> {
    if dimension_types.get(&dimension.id).is_some() {
        return Ok(FoundCeiling {
            ceiling: dimension_types.ceiling(&dimension.id),
            assumed_y: None,
        });
    }

    let mut shown = dimension.regions.clone();
    shown.retain(|entry| hidden.is_empty() || !hidden.slots(entry.region).is_full());
    let chunks_per_region = MAX_CHUNKS / shown.len().clamp(1, MAX_REGIONS);

    let mut sample = CeilingSample::new(world, look.min_ticks());
    for entry in spread(&shown, MAX_REGIONS) {
        let Some(mut region) = dimension.open(*entry)? else {
            continue;
        };

        let path = dimension.store.path(*entry);
        let hidden = hidden.slots(entry.region);
        let stored: Vec<Slot> = region.stored().filter(|&slot| !hidden.has(slot)).collect();
        for slot in spread(&stored, chunks_per_region) {
            sample.add(&mut region, *slot, &path)?;
        }
    }

    let assumed_y = sample.closed.ceiling_y();
    let ceiling = assumed_y.map(|y| Ceiling {
        noise_y: y,
        type_y: y,
    });
    Ok(FoundCeiling { ceiling, assumed_y })
}

/// Returns at most `most` things of a list, evenly spread.
fn spread<T>(things: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = things.len().min(most);
    (0..count).map(move |number| &things[number * things.len() / count])
}

/// Some chunks of a dimension, and the buffers for reading them.
struct CeilingSample {
    inflater: Inflater,
    buffers: ChunkBuffers,
    name_cache: NameCache,
    /// Chunks in which players spent less time count as absent.
    min_ticks: u64,
    closed: ClosedColumns,
}

impl CeilingSample {
    fn new(world: &World, min_ticks: u64) -> Self {
        // The colours of a run must not decide, because `query` does not read them.
        let palette = Arc::new(Palette::builtin());
        Self {
            inflater: Inflater::default(),
            buffers: ChunkBuffers::default(),
            name_cache: NameCache::new(names(world, &palette)),
            min_ticks,
            closed: ClosedColumns::default(),
        }
    }

    /// Counts the columns of a chunk. Leaves out chunks that are damaged or not finished.
    fn add(&mut self, region: &mut Region, slot: Slot, path: &Path) -> Result<(), WorldError> {
        let Self {
            inflater,
            buffers,
            name_cache,
            min_ticks,
            closed,
        } = self;

        let record = region.read(slot, inflater, |plain| {
            Chunk::parse(plain, Form::Nbt, buffers, name_cache).is_ok()
        });
        let Some(record) = record else {
            return Ok(());
        };

        let plain = match record.plain {
            Ok(plain) => plain,
            Err(fault) => {
                return match fault.retryable_error() {
                    Some(error) => Err(WorldError::Unreadable(path.to_owned(), error)),
                    None => Ok(()),
                };
            }
        };

        if let Ok(mut chunk) = Chunk::parse(&plain, record.form, buffers, name_cache)
            && chunk.meta().status == Status::Finished
            && chunk.meta().inhabited_ticks.unwrap_or(0) >= *min_ticks
        {
            closed.add(&mut chunk);
        }

        Ok(())
    }
}
