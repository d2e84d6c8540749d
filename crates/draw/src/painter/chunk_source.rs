//! Provides the chunks of one region to its job. A border chunk may have been decoded early by a
//! neighbour's job, and all others are read from the region's file.

use crate::painter::chunk::{ChunkReader, SlotContent};
use crate::painter::decoded::{DecodedChunk, DecodedRegion};
use crate::painter::early::EarlyColumns;
use crate::painter::filter::ChunkFilter;
use crate::painter::shared::ViewBuffers;
use crate::run_state::{Interruption, RunState};
use pixelmap_base::coord::Slot;
use pixelmap_paint::surface::Columns;
use pixelmap_world::internal::{ChunkHash, NO_RECORD, Region};

pub(super) struct ChunkSource<'p> {
    pub(super) run: &'p RunState<'p>,
    pub(super) file: Region,
    pub(super) filter: ChunkFilter<'p>,
    /// Its chunks, if they are read in one pass.
    pub(super) decoded: Option<DecodedRegion>,
    /// The chunks that were decoded while the world was listed.
    pub(super) early: Option<&'p EarlyColumns>,
}

/// A chunk whose columns were handed out.
pub(super) struct SourceChunk {
    pub(super) content: SlotContent,
    pub(super) hash: ChunkHash,
    /// Whether it is stored in a file of its own.
    pub(super) is_external: bool,
    /// Whether a neighbour's job had decoded it.
    pub(super) is_from_cache: bool,
}

impl ChunkSource<'_> {
    /// Hands out the columns of a chunk to the region's own job, one per view, and keeps its border
    /// for neighbours. Fails if the run is stopping.
    pub(super) fn hand_out(
        &mut self,
        reader: &mut ChunkReader,
        slot: Slot,
        views: &mut [ViewBuffers],
    ) -> Result<SourceChunk, Interruption> {
        self.run.check_stop()?;

        let decoded = match &mut self.decoded {
            Some(region) => Some(hand_out_decoded(region, slot, views)),
            None if slot.is_on_border() => self.take_decoded(slot, views),
            None => None,
        };

        let chunk = match decoded {
            Some(chunk) => chunk,
            None => self.read(
                reader,
                slot,
                views.iter_mut().map(|view| view.scene.columns_mut(slot)),
            )?,
        };

        if slot.is_on_border() {
            for view in views {
                if let Some(edges) = &view.edges {
                    edges.lock().add(slot, view.scene.columns_mut(slot));
                }
            }
        }

        Ok(chunk)
    }

    /// Removes and returns a chunk that a neighbour's job decoded while the file was in its current
    /// state. Returns `None` unless its columns are cached for all views.
    fn take_decoded(&self, slot: Slot, views: &mut [ViewBuffers]) -> Option<SourceChunk> {
        let mut first = None;
        for view in views {
            let edges = view.edges.as_ref()?;
            let decoded = edges.lock().take(slot, self.file.state())?;
            let (columns, drawn) = *decoded.ok()?;
            // The first view has its markers.
            first.get_or_insert((columns.hash, drawn));
            *view.scene.columns_mut(slot) = columns;
        }

        let (hash, drawn) = first?;
        let is_external = self.file.is_in_own_file(slot);
        Some(SourceChunk {
            content: SlotContent::Drawn(drawn),
            hash,
            is_external,
            is_from_cache: true,
        })
    }

    /// Reads a chunk from the file, with its columns in one of `outs` per view. Fails if the run is
    /// stopping.
    pub(super) fn read<'c>(
        &mut self,
        reader: &mut ChunkReader,
        slot: Slot,
        outs: impl Iterator<Item = &'c mut Columns>,
    ) -> Result<SourceChunk, Interruption> {
        self.run.check_stop()?;
        if let Some(chunk) = self.early.and_then(|early| early.take(&self.file, slot)) {
            return Ok(hand_over(chunk, outs));
        }

        let (content, stored) = reader.columns(&mut self.file, slot, self.filter, outs);

        // The stop may have interrupted the read.
        self.run.check_stop()?;

        Ok(SourceChunk {
            content,
            hash: stored.hash,
            is_external: stored.is_external,
            is_from_cache: false,
        })
    }
}

/// Moves the columns of a chunk of a decoded region to the views of the region's job.
fn hand_out_decoded(
    region: &mut DecodedRegion,
    slot: Slot,
    views: &mut [ViewBuffers],
) -> SourceChunk {
    let chunk = region.chunks.remove(&slot);
    let is_from_cache = region.is_of_neighbour && chunk.is_some();
    let chunk = chunk.unwrap_or(DecodedChunk {
        columns: Vec::new(),
        hash: NO_RECORD,
        content: SlotContent::Nothing,
    });

    let outs = views.iter_mut().map(|view| view.scene.columns_mut(slot));
    SourceChunk {
        is_from_cache,
        ..hand_over(chunk, outs)
    }
}

/// Moves the columns of a decoded chunk to `outs`, one per view.
fn hand_over<'c>(chunk: DecodedChunk, outs: impl Iterator<Item = &'c mut Columns>) -> SourceChunk {
    let DecodedChunk {
        columns,
        hash,
        content,
    } = chunk;
    let mut columns = columns.into_iter();
    for out in outs {
        if let Some(own) = columns.next() {
            *out = own;
        } else {
            out.clear();
            out.hash = hash;
        }
    }

    SourceChunk {
        content,
        hash,
        is_external: false,
        is_from_cache: false,
    }
}
