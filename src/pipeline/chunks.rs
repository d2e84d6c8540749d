//! From a slot of a region file to a chunk's finished columns.

use std::collections::HashMap;
use std::sync::Arc;

use crate::block::{BlockId, Book, Names, Traits};
use crate::chunk::{self, Chunk, Meta, Status};
use crate::coord::{CHUNK_SIDE, ColumnPos, Slot, YRange};
use crate::region::{Fault, Inflater, RegionFile};
use crate::report::Tally;
use crate::surface::{self, Columns, NO_HEIGHT, View};

/// What of a chunk is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    /// From where.
    pub(super) view: View,
    /// Between which heights.
    pub(super) range: YRange,
    /// Whether chunks are drawn that the game has not finished.
    pub(super) unfinished: bool,
}

/// One worker's means to read chunks.
#[derive(Debug)]
pub(super) struct ChunkReader {
    inflater: Inflater,
    buffers: chunk::Buffers,
    pub(super) book: Book,
}

/// What is in a slot.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing is stored.
    Nothing,
    /// The chunk cannot be read.
    Bad(Reason),
    /// The game has not finished it.
    Unfinished(Meta),
    /// Nothing stands in any of its columns.
    Empty(Meta),
    /// Its columns were written.
    Drawn(Meta),
}

/// Why a chunk cannot be read.
#[derive(Debug)]
pub(super) struct Reason {
    /// In one word.
    pub(super) word: &'static str,
    /// In a sentence.
    pub(super) message: String,
}

impl From<Fault> for Reason {
    fn from(fault: Fault) -> Self {
        Self { word: fault.reason(), message: fault.to_string() }
    }
}

impl From<chunk::Error> for Reason {
    fn from(error: chunk::Error) -> Self {
        Self { word: error.reason(), message: error.to_string() }
    }
}

/// Counts the columns of a chunk in which blocks are seen that no table knows; `corner` is its north-west column.
pub(super) fn count_unknown(columns: &Columns, book: &mut Book, tally: &mut Tally, corner: ColumnPos) {
    if !columns.unknown {
        return;
    }
    let mut seen: HashMap<BlockId, (u64, usize)> = HashMap::new();
    let overlays = columns.overlays.iter().map(|overlay| (usize::from(overlay.column), overlay.id));
    for (column, id) in columns.ground.iter().copied().enumerate().chain(overlays) {
        if columns.top_y[column] != NO_HEIGHT && book.traits(id).any(Traits::UNKNOWN) {
            let (count, first) = seen.entry(id).or_insert((0, column));
            *count += 1;
            *first = column.min(*first);
        }
    }
    for (id, (count, first)) in seen {
        let place = ColumnPos { x: corner.x + (first % CHUNK_SIDE) as i32, z: corner.z + (first / CHUNK_SIDE) as i32 };
        tally.unknown(&book.name(id).0, count, place, i32::from(columns.top_y[first]));
    }
}

/// Whether a chunk with this status is drawn.
pub(super) fn is_shown(status: Status, unfinished: bool) -> bool {
    match status {
        Status::Finished => true,
        Status::Raw => unfinished,
        Status::Unborn => false,
    }
}

impl ChunkReader {
    pub(super) fn new(names: Arc<Names>) -> Self {
        Self { inflater: Inflater::default(), buffers: chunk::Buffers::default(), book: Book::new(names) }
    }

    /// Reads the chunk in a slot; `None`: nothing is stored.
    pub(super) fn chunk<'a>(&'a mut self, file: &mut RegionFile, slot: Slot) -> Option<Result<Chunk<'a>, Reason>> {
        let bytes = match file.chunk(slot, &mut self.inflater)? {
            Ok(bytes) => bytes,
            Err(fault) => return Some(Err(fault.into())),
        };
        Some(Chunk::parse(bytes, &mut self.buffers, &mut self.book).map_err(Reason::from))
    }

    /// Reads the columns of the chunk in a slot; `out` is empty unless it is drawn.
    pub(super) fn columns(&mut self, file: &mut RegionFile, slot: Slot, sight: Sight, out: &mut Columns) -> Found {
        out.clear();
        let mut chunk = match self.chunk(file, slot) {
            None => return Found::Nothing,
            Some(Err(reason)) => return Found::Bad(reason),
            Some(Ok(chunk)) => chunk,
        };
        if !is_shown(chunk.meta().status, sight.unfinished) {
            return Found::Unfinished(chunk.meta());
        }
        surface::scan(&mut chunk, sight.view, sight.range, out);
        if out.is_empty() { Found::Empty(chunk.meta()) } else { Found::Drawn(chunk.meta()) }
    }
}
