//! Where the chunks of each dimension are: found by one pass over all blocks that may have keys of chunks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::block::BlockReader;
use super::database::OpenFiles;
use super::key::{CHUNK_BYTES, ChunkKey, ChunkPrefix};
use super::known_tables::KnownTables;
use super::log::Logs;
use super::sighting::{BlockRef, KeyState, Sighting};
use super::table::Table;
use crate::base::coord::{RegionPos, Slot};
use crate::base::mutex;
use crate::world::bytes::{Defect, FileDamage, Inflater};

/// Blocks that a thread takes at once.
const PIECE: usize = 32;

/// The chunks of a dimension.
#[derive(Debug, Default)]
pub struct DimensionChunks {
    /// Sorted by z, then by x.
    regions: Vec<RegionChunks>,
}

/// A region of a dimension in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionSummary {
    pub region: RegionPos,
    /// Compressed bytes of its chunks: of blocks that have several, their shares.
    pub bytes: u64,
    pub chunks: u32,
}

#[derive(Debug)]
pub(super) struct RegionChunks {
    summary: RegionSummary,
    /// Sorted by slot.
    chunks: Vec<IndexedChunk>,
    /// The blocks of all chunks, one after another.
    blocks: Vec<BlockRef>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct IndexedChunk {
    pub(super) slot: Slot,
    /// The newest sequence of its keys, deleted ones included.
    pub(super) newest: u64,
    /// Whether a part of it is, or may be, in a block that cannot be read.
    pub(super) is_damaged: bool,
    /// Where its blocks end in those of the region.
    end: u32,
}

/// What the pass over all blocks has found.
#[derive(Debug, Default)]
pub(super) struct ChunkIndex {
    /// By the numbers of the dimensions.
    pub(super) dimensions: Vec<(i32, DimensionChunks)>,
    /// The blocks that cannot be read, and those with entries that are left out.
    pub(super) damage: Vec<FileDamage>,
}

impl ChunkIndex {
    /// Inflates once every block that may have keys of chunks, but for the blocks of `known` tables, on as many
    /// `threads`; 0: as the system gives. Afterwards all tables that are whole are known, and the logs.
    pub(super) fn new(files: &OpenFiles, known: &mut KnownTables, threads: usize) -> Self {
        let OpenFiles { tables, logs, .. } = files;
        let mut sightings = known.sightings(tables);
        let Pass { sightings: new, damaged } = pass_blocks(tables, known, threads);
        let damaged: BTreeMap<BlockRef, FileDamage> = damaged.into_iter().collect();
        let unreadable = damaged.iter().filter(|(_, damage)| damage.defect != Defect::BadKey);
        let mut unread: BTreeSet<BlockRef> = unreadable.map(|(block, _)| *block).collect();
        let lost = known.lost_sightings(tables, &unread);
        let is_damaged = !(files.damage.is_empty() && unread.is_empty());
        let before = if is_damaged { known.all_sightings() } else { Vec::new() };
        // A table with any damage is read in each run, so that each run reports it.
        known.replace(tables, &new, &damaged.keys().copied().collect());
        sightings.extend(new);
        sightings.extend(lost);
        sight_logs(logs, &mut sightings);
        sightings.sort_unstable_by_key(Sighting::order);
        let missing = missing_chunks(before, &sightings);
        let in_logs = sightings.iter().filter(|sighting| sighting.block == BlockRef::LOGS);
        known.replace_others(files.log_numbers.clone(), in_logs.chain(&missing));
        sightings.extend(missing);
        let lost_tables = (0..).zip(tables).filter(|(_, table)| table.is_lost() && table.len() > 0);
        unread.extend(lost_tables.map(|(table, _)| BlockRef { table, block: 0 }));
        let more = unread_sightings(tables, &unread, &sightings);
        sightings.extend(more);
        sightings.sort_unstable_by_key(Sighting::order);
        Self { dimensions: dimensions(&sightings), damage: damaged.into_values().collect() }
    }
}

/// What threads have found so far.
#[derive(Debug, Default)]
struct Pass {
    sightings: Vec<Sighting>,
    /// The blocks that cannot be read, and those with entries that are left out.
    damaged: Vec<(BlockRef, FileDamage)>,
}

/// Goes through all blocks that may have keys of chunks, but for those of known tables.
fn pass_blocks(tables: &[Table], known: &KnownTables, threads: usize) -> Pass {
    let numbered = tables.iter().enumerate().filter(|(_, table)| !known.has(table));
    let blocks: Vec<BlockRef> = numbered.flat_map(|(number, table)| chunk_blocks(number as u32, table)).collect();
    let pieces: Vec<&[BlockRef]> = blocks.chunks(PIECE).collect();
    let threads = count_threads(threads, pieces.len());
    let next = AtomicUsize::new(0);
    let whole = Mutex::new(Pass::default());
    let work = || {
        let mut inflater = Inflater::default();
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            let part = pass_piece(tables, piece, &mut inflater);
            let mut whole = mutex::lock(&whole);
            whole.sightings.extend(part.sightings);
            whole.damaged.extend(part.damaged);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    mutex::into_inner(whole)
}

/// The number of threads for so many pieces; 0 are `wanted`: as many as the system gives.
fn count_threads(wanted: usize, pieces: usize) -> usize {
    let most = if wanted == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { wanted };
    most.min(pieces)
}

/// The blocks of a table that may have keys of chunks.
fn chunk_blocks(number: u32, table: &Table) -> impl Iterator<Item = BlockRef> {
    let len = if table.is_lost() { 0 } else { table.len() };
    let blocks = (0..len).filter(|&block| !table.range(block).has_no_chunk());
    blocks.map(move |block| BlockRef { table: number, block: block as u32 })
}

fn pass_piece(tables: &[Table], piece: &[BlockRef], inflater: &mut Inflater) -> Pass {
    let mut pass = Pass::default();
    for &block in piece {
        let table = &tables[block.table as usize];
        let start = pass.sightings.len();
        let read = table.inflate(block.block as usize, inflater).and_then(|plain| {
            let read = sight_block(block, &plain, &mut pass.sightings);
            inflater.kept_parts.take_back(plain);
            read.map_err(|defect| table.damage(block.block as usize, defect))
        });
        match read {
            Ok(has_bad_key) => {
                let damage = has_bad_key.then(|| table.damage(block.block as usize, Defect::BadKey));
                pass.damaged.extend(damage.map(|damage| (block, damage)));
            }
            Err(damage) => {
                pass.sightings.truncate(start);
                pass.damaged.push((block, damage));
            }
        }
        let in_block = &mut pass.sightings[start..];
        let share = table.place(block.block as usize).len / in_block.len().max(1) as u32;
        for sighting in in_block {
            sighting.bytes = share;
        }
    }
    pass
}

/// Adds what a block has of chunks. Returns whether it has entries that are left out.
fn sight_block(block: BlockRef, plain: &[u8], sightings: &mut Vec<Sighting>) -> Result<bool, Defect> {
    let start = sightings.len();
    let mut reader = BlockReader::new(plain)?;
    while let Some(entry) = reader.next()? {
        let Some(key) = ChunkKey::parse(entry.key) else { continue };
        add_entry(block, key, KeyState::new(entry.sequence, entry.value.is_some()), start, sightings);
    }
    Ok(reader.has_bad_key())
}

/// Adds what the logs have of chunks.
fn sight_logs(logs: &Logs, sightings: &mut Vec<Sighting>) {
    let start = sightings.len();
    for entry in logs.entries(b"") {
        let Some(key) = ChunkKey::parse(entry.key) else { continue };
        let bytes = entry.value.map_or(0, <[u8]>::len) as u32;
        let state = KeyState::new(entry.sequence, entry.value.is_some());
        add_entry(BlockRef::LOGS, key, state, start, sightings).bytes += bytes;
    }
}

/// Adds an entry to the sighting of its chunk: the last one, if there is one from `start` on, or else a new one.
fn add_entry(
    block: BlockRef,
    key: ChunkKey,
    state: KeyState,
    start: usize,
    sightings: &mut Vec<Sighting>,
) -> &mut Sighting {
    let is_known = |last: &Sighting| (last.dimension, last.chunk) == (key.dimension, key.chunk);
    if !sightings[start..].last().is_some_and(is_known) {
        sightings.push(Sighting::new(block, key.dimension, key.chunk));
    }
    let at = sightings.len() - 1;
    sightings[at].add(key.tag, state);
    &mut sightings[at]
}

/// What blocks that cannot be read may have of chunks that are known from other places.
fn unread_sightings(tables: &[Table], blocks: &BTreeSet<BlockRef>, sightings: &[Sighting]) -> Vec<Sighting> {
    let mut unread = Vec::new();
    if blocks.is_empty() {
        return unread;
    }
    let mut chunks: Vec<(ChunkPrefix, &Sighting)> =
        sightings.iter().map(|sighting| (ChunkPrefix::new(sighting.dimension, sighting.chunk), sighting)).collect();
    chunks.sort_unstable_by(|(a, _), (b, _)| a.bytes().cmp(b.bytes()));
    chunks.dedup_by(|(a, _), (b, _)| a.bytes() == b.bytes());
    for &block in blocks {
        let range = tables[block.table as usize].range(block.block as usize).with_first();
        let start = range.first.map_or(0, |first| {
            chunks.partition_point(|(prefix, _)| prefix.bytes() < &first[..first.len().min(CHUNK_BYTES)])
        });
        let near = chunks[start..].iter().take_while(|(prefix, _)| prefix.bytes() <= range.last);
        unread.extend(
            near.filter(|(prefix, _)| range.may_have_prefix(prefix.bytes()))
                .map(|(_, known)| Sighting { is_damaged: true, ..Sighting::new(block, known.dimension, known.chunk) }),
        );
    }
    unread
}

/// The chunks that were stored `before`, and of which a value is not there any more; `now` is in its order.
fn missing_chunks(mut before: Vec<Sighting>, now: &[Sighting]) -> Vec<Sighting> {
    before.sort_unstable_by_key(Sighting::order);
    let chunks = before.chunk_by(|a, b| a.place() == b.place()).map(|own| {
        let block = BlockRef::MISSING;
        own.iter().fold(Sighting::new(block, own[0].dimension, own[0].chunk), Sighting::merge)
    });
    let is_missing = |chunk: &Sighting| {
        let start = now.partition_point(|sighting| sighting.place() < chunk.place());
        let own = now[start..].iter().take_while(|sighting| sighting.place() == chunk.place());
        own.map(|sighting| sighting.newest).max().unwrap_or_default() < chunk.written
    };
    let stored = chunks.filter(|chunk| chunk.versions.into_iter().any(KeyState::is_stored));
    stored.filter(is_missing).map(|chunk| Sighting { is_damaged: true, ..chunk }).collect()
}

/// Puts together what was found of each chunk; `sightings` are in their order.
fn dimensions(sightings: &[Sighting]) -> Vec<(i32, DimensionChunks)> {
    let dimensions = sightings.chunk_by(|a, b| a.dimension == b.dimension).map(|own| {
        let regions = own.chunk_by(|a, b| a.chunk.region() == b.chunk.region()).filter_map(RegionChunks::new);
        (own[0].dimension, DimensionChunks { regions: regions.collect() })
    });
    dimensions.filter(|(_, chunks)| !chunks.regions.is_empty()).collect()
}

impl RegionChunks {
    /// Puts together what was found of each chunk of a region, in the order of slots. `None`: no chunk is stored.
    fn new(sightings: &[Sighting]) -> Option<Self> {
        let region = sightings.first()?.chunk.region();
        let summary = RegionSummary { region, bytes: 0, chunks: 0 };
        let mut chunks = Self { summary, chunks: Vec::new(), blocks: Vec::new() };
        sightings.chunk_by(|a, b| a.chunk == b.chunk).for_each(|own| chunks.add(own));
        chunks.chunks.shrink_to_fit();
        chunks.blocks.shrink_to_fit();
        (chunks.summary.chunks > 0).then_some(chunks)
    }

    /// Adds a chunk, if it is stored: that is so where its version is stored.
    fn add(&mut self, sightings: &[Sighting]) {
        let versions = [0, 1].map(|key| sightings.iter().map(|own| own.versions[key]).max().unwrap_or_default());
        let is_damaged = sightings.iter().any(|own| own.is_damaged);
        // Its version may lie in a damaged block.
        let may_be_stored = is_damaged && sightings.iter().any(|own| own.has_terrain);
        if !may_be_stored && !versions.into_iter().any(KeyState::is_stored) {
            return;
        }
        self.blocks.extend(sightings.iter().map(|own| own.block).filter(|&block| block != BlockRef::LOGS));
        let newest = sightings.iter().map(|own| own.newest).max().unwrap_or_default();
        let end = self.blocks.len() as u32;
        self.chunks.push(IndexedChunk { slot: sightings[0].chunk.slot(), newest, is_damaged, end });
        self.summary.chunks += 1;
        self.summary.bytes += sightings.iter().map(|own| u64::from(own.bytes)).sum::<u64>();
    }

    pub(super) fn chunks(&self) -> &[IndexedChunk] {
        &self.chunks
    }

    /// The blocks that have keys of a chunk; `None`: it is not stored.
    pub(super) fn blocks(&self, slot: Slot) -> Option<&[BlockRef]> {
        let place = self.chunks.binary_search_by_key(&slot, |chunk| chunk.slot).ok()?;
        let start = place.checked_sub(1).map_or(0, |before| self.chunks[before].end);
        Some(&self.blocks[start as usize..self.chunks[place].end as usize])
    }
}

impl DimensionChunks {
    /// The regions that have chunks, sorted by z, then by x.
    pub fn regions(&self) -> impl Iterator<Item = RegionSummary> {
        self.regions.iter().map(|region| region.summary)
    }

    pub(super) fn region(&self, RegionPos { x, z }: RegionPos) -> Option<&RegionChunks> {
        let order = |region: &RegionChunks| (region.summary.region.z, region.summary.region.x);
        let place = self.regions.binary_search_by_key(&(z, x), order).ok()?;
        Some(&self.regions[place])
    }
}

#[cfg(test)]
mod tests {
    use super::count_threads;

    #[test]
    fn no_more_threads_read_than_are_wanted() {
        assert_eq!(
            [(1, 9), (3, 9), (3, 2), (3, 0), (0, 1)].map(|(wanted, pieces)| count_threads(wanted, pieces)),
            [1, 3, 2, 0, 1]
        );
    }
}
