//! Builds the index of all chunks: for each dimension and region, which chunks are stored and which
//! blocks contain them.
//!
//! LevelDB sorts its keys by bytes, not by region, so only a pass over all blocks that may contain
//! chunk keys can find the chunks of a region. Tables that an earlier run has read are skipped.
//! Chunks that damage may have destroyed are added as damaged chunks, so that they are reported
//! instead of silently missing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::block_ref::BlockRef;
use super::early::{EarlyChunks, EarlyReaders};
use super::key::{CHUNK_BYTES, ChunkKey, ChunkPrefix};
use super::known_tables::KnownTables;
use super::sighting::{KeyState, Sighting};
use super::sighting_list::{SightingGroup, SightingList};
use crate::bedrock::leveldb::{BlockReader, Logs, OpenFiles, Table};
use crate::bytes::{Defect, FileDamage, Inflater};
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::mutex;

/// The number of blocks that a thread takes at once.
const PIECE: usize = 32;
/// The number of sightings that are sorted at once. Nearly all worlds have fewer.
const SORTED_AT_ONCE: usize = 1 << 18;
/// The most parts in which sightings are sorted. It is bounded because each part iterates over all
/// sightings again.
const MAX_PARTS: usize = 32;

/// The chunks of one dimension.
#[derive(Debug, Default)]
pub struct DimensionChunks {
    /// Sorted by z, then by x.
    regions: Vec<RegionChunks>,
}

/// The size of a region, which is known without reading its chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionSummary {
    pub region: RegionPos,
    /// Compressed bytes of its chunks. The bytes of a block are shared equally by the chunks in it.
    pub bytes: u64,
    pub chunks: u32,
}

#[derive(Debug)]
pub(crate) struct RegionChunks {
    summary: RegionSummary,
    /// Sorted by slot.
    chunks: Vec<IndexedChunk>,
    /// The blocks of all chunks, in the order of the chunks.
    blocks: Vec<BlockRef>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexedChunk {
    pub(crate) slot: Slot,
    /// The newest sequence of its keys, including deleted keys.
    pub(crate) newest: u64,
    /// Whether an unreadable block contains, or may contain, a part of it.
    pub(crate) is_damaged: bool,
    /// The end of its blocks in `blocks`. They begin at the end of the previous chunk.
    end: u32,
}

/// The result of the pass over all blocks.
#[derive(Debug, Default)]
pub(crate) struct ChunkIndex {
    /// Sorted by dimension number.
    pub(crate) dimensions: Vec<(i32, DimensionChunks)>,
    /// Unreadable blocks, and blocks in which entries were skipped.
    pub(crate) damage: Vec<FileDamage>,
}

impl ChunkIndex {
    /// Inflates every block that may contain chunk keys once, on up to `threads` threads. With 0
    /// threads, the system suggests the number. Blocks of `known` tables are skipped. Afterwards
    /// `known` contains all undamaged tables and the logs. The readers of `early` get most chunks of
    /// these blocks.
    ///
    /// # Errors
    /// Fails if a block cannot be read because of an error that may pass.
    pub(crate) fn new(
        files: &OpenFiles,
        known: &mut KnownTables,
        threads: usize,
        early: Option<&dyn EarlyReaders>,
    ) -> io::Result<Self> {
        let OpenFiles { tables, logs, .. } = files;
        let Pass { found, damaged } = pass_blocks(files, known, threads, early)?;
        let unreadable = damaged
            .iter()
            .filter(|(_, damage)| damage.defect != Defect::BadKey);
        let unread: BTreeSet<BlockRef> = unreadable.map(|(block, _)| *block).collect();

        let mut sightings = AllSightings {
            tables,
            logs,
            known,
            found: &found,
            lost: Vec::new(),
        };

        let mut missing = Vec::new();
        if !(files.damage.is_empty() && unread.is_empty()) {
            missing = sightings.add_lost_chunks(unread);
        }

        let dimensions = sightings.join_by_dimension();
        known.replace_others(files.log_numbers.clone(), list_others(logs, &missing));

        // A damaged table does not become known, because each run has to read it again in order to
        // report the damage.
        known.replace(tables, found, &damaged.keys().copied().collect());

        Ok(Self {
            dimensions,
            damage: damaged.into_values().collect(),
        })
    }
}

/// All sightings of chunks, from tables, logs and earlier runs.
struct AllSightings<'a> {
    tables: &'a [Table],
    logs: &'a Logs,
    /// Sightings from tables that earlier runs have read.
    known: &'a KnownTables,
    found: &'a BTreeMap<u32, SightingList>,
    /// Chunks that may be lost because of damage.
    lost: Vec<Sighting>,
}

impl AllSightings<'_> {
    /// Adds the chunks that may be lost because they may be in `unread` blocks or in lost tables.
    /// Returns the chunks that an earlier run found and this run did not.
    fn add_lost_chunks(&mut self, mut unread: BTreeSet<BlockRef>) -> Vec<Sighting> {
        self.lost = self.known.lost_sightings(self.tables, &unread);

        // Chunks that an earlier run found and that nothing mentions now.
        let mut all = Vec::new();
        self.visit(|sighting| all.push(sighting));
        all.sort_unstable_by_key(Sighting::order);
        let missing = missing_chunks(self.known.all_sightings(), &all);
        all.extend_from_slice(&missing);
        self.lost.extend_from_slice(&missing);

        // The blocks of a lost table are unknown, so its first block stands for all of them.
        let lost_tables = (0..)
            .zip(self.tables)
            .filter(|(_, table)| table.is_lost() && table.len() > 0);
        unread.extend(lost_tables.map(|(table, _)| BlockRef { table, block: 0 }));
        self.lost
            .extend(unread_sightings(self.tables, &unread, &all));

        missing
    }

    /// Returns an upper bound of the number of sightings.
    fn len(&self) -> usize {
        let lists = (0..)
            .zip(self.tables)
            .filter_map(|(number, table)| self.list(number, table));
        lists.map(SightingList::len).sum::<usize>() + self.logs.len() + self.lost.len()
    }

    fn list(&self, number: u32, table: &Table) -> Option<&SightingList> {
        self.known
            .sightings(table)
            .or_else(|| self.found.get(&number))
    }

    fn visit(&self, mut visit: impl FnMut(Sighting)) {
        for (number, table) in (0..).zip(self.tables) {
            let Some(list) = self.list(number, table) else {
                continue;
            };
            list.visit(number, |sighting| {
                if (sighting.block.block as usize) < table.len() {
                    visit(sighting);
                }
            });
        }

        sight_logs(self.logs, &mut visit);
        self.lost.iter().copied().for_each(visit);
    }

    /// Joins the sightings of each chunk. If there are very many, each of several parts sorts the
    /// sightings of some regions, because a sighting takes several times as much memory while it is
    /// sorted as it takes in a list.
    fn join_by_dimension(&self) -> Vec<(i32, DimensionChunks)> {
        let parts = (self.len() / SORTED_AT_ONCE).clamp(1, MAX_PARTS) as u32;
        let mut dimensions: BTreeMap<i32, DimensionChunks> = BTreeMap::new();
        let mut own = Vec::new();
        for part in 0..parts {
            own.clear();
            self.visit(|sighting| {
                if parts == 1 || sighting.region_hash() % parts == part {
                    own.push(sighting);
                }
            });
            own.sort_unstable_by_key(Sighting::order);

            for own in own.chunk_by(|a, b| a.dimension == b.dimension) {
                let regions = own
                    .chunk_by(|a, b| a.chunk.region() == b.chunk.region())
                    .filter_map(RegionChunks::new);
                dimensions
                    .entry(own[0].dimension)
                    .or_default()
                    .regions
                    .extend(regions);
            }
        }

        for chunks in dimensions.values_mut() {
            chunks.regions.sort_unstable_by_key(RegionChunks::order);
        }

        dimensions
            .into_iter()
            .filter(|(_, chunks)| !chunks.regions.is_empty())
            .collect()
    }
}

/// The joined results of the threads.
#[derive(Debug, Default)]
struct Pass {
    /// Sightings by table number.
    found: BTreeMap<u32, SightingList>,
    /// Unreadable blocks, and blocks in which entries were skipped.
    damaged: BTreeMap<BlockRef, FileDamage>,
}

/// Reads all blocks that may contain chunk keys, except the blocks of known tables.
///
/// # Errors
/// Fails if a block cannot be read because of an error that may pass: such a block must not count
/// as damaged.
fn pass_blocks(
    files: &OpenFiles,
    known: &KnownTables,
    threads: usize,
    early: Option<&dyn EarlyReaders>,
) -> io::Result<Pass> {
    let OpenFiles { tables, logs, .. } = files;
    let numbered = tables
        .iter()
        .enumerate()
        .filter(|(_, table)| !known.has(table));
    let blocks: Vec<BlockRef> = numbered
        .flat_map(|(number, table)| chunk_blocks(number as u32, table))
        .collect();

    let pieces: Vec<&[BlockRef]> = blocks
        .chunk_by(|a, b| a.table == b.table)
        .flat_map(|own| own.chunks(PIECE))
        .collect();
    let threads = count_threads(threads, pieces.len());

    let next = AtomicUsize::new(0);
    let whole = Mutex::new(PassedPieces::default());

    let pass = || {
        let early = early.map(|readers| EarlyChunks::new(readers, logs));
        pass_pieces(tables, &pieces, &next, &whole, early);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(pass);
        }
        pass();
    });

    let PassedPieces { lists, damaged } = mutex::into_inner(whole);
    damaged
        .values()
        .try_for_each(|damage| damage.defect.check_lasts())?;

    let mut found: BTreeMap<u32, SightingList> = BTreeMap::new();
    for (number, list) in lists {
        found
            .entry(pieces[number][0].table)
            .or_default()
            .append(list);
    }

    Ok(Pass { found, damaged })
}

/// The results of the workers that read pieces.
#[derive(Default)]
struct PassedPieces {
    /// The sightings by number of the piece.
    lists: BTreeMap<usize, SightingList>,
    damaged: BTreeMap<BlockRef, FileDamage>,
}

/// Reads one piece after another until all are begun, and adds the results to `whole`. `next` is
/// the number of the first piece that no worker has begun.
fn pass_pieces(
    tables: &[Table],
    pieces: &[&[BlockRef]],
    next: &AtomicUsize,
    whole: &Mutex<PassedPieces>,
    mut early: Option<EarlyChunks<'_>>,
) {
    let mut inflater = Inflater::default();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(piece) = pieces.get(number) else {
            break;
        };

        let (list, damaged) = pass_piece(tables, piece, &mut inflater, early.as_mut());

        let mut whole = mutex::lock(whole);
        whole.lists.insert(number, list);
        whole.damaged.extend(damaged);
    }
}

/// Returns the number of threads to use: at most `wanted`, and at most one per piece of work. If
/// `wanted` is 0, the system suggests the number.
fn count_threads(wanted: usize, pieces: usize) -> usize {
    let most = if wanted == 0 {
        std::thread::available_parallelism().map_or(1, usize::from)
    } else {
        wanted
    };
    most.min(pieces)
}

/// Returns the blocks of a table that may contain chunk keys.
fn chunk_blocks(number: u32, table: &Table) -> impl Iterator<Item = BlockRef> {
    let len = if table.is_lost() { 0 } else { table.len() };
    let blocks = (0..len).filter(|&block| !table.range(block).has_no_chunk());
    blocks.map(move |block| BlockRef {
        table: number,
        block: block as u32,
    })
}

/// Returns the sightings in some blocks of one table, the unreadable blocks, and the blocks in
/// which entries were skipped.
fn pass_piece(
    tables: &[Table],
    piece: &[BlockRef],
    inflater: &mut Inflater,
    mut early: Option<&mut EarlyChunks<'_>>,
) -> (SightingList, Vec<(BlockRef, FileDamage)>) {
    let (mut list, mut damaged) = (SightingList::default(), Vec::new());
    let mut group = SightingGroup::new();
    for &block in piece {
        let table = &tables[block.table as usize];
        let number = block.block as usize;
        let read = table.inflate(number, inflater).and_then(|plain| {
            let read = sight_block(block, &plain, &mut group, early.as_deref_mut());
            inflater.kept_parts.give_back(plain);
            read.map_err(|defect| table.damage(number, defect))
        });

        match read {
            Ok(has_bad_key) => {
                list.add_group(block.block, table.extent(number).len, &mut group);
                damaged.extend(has_bad_key.then(|| (block, table.damage(number, Defect::BadKey))));
            }
            Err(damage) => {
                group.clear();
                if let Some(early) = &mut early {
                    early.forget();
                }
                damaged.push((block, damage));
            }
        }
    }

    if let Some(early) = early {
        early.end();
    }
    list.shrink();
    (list, damaged)
}

/// Adds the chunks of a block to `group`, and their entries to `early`. Returns whether entries were
/// skipped because their keys are bad.
fn sight_block(
    block: BlockRef,
    plain: &[u8],
    group: &mut SightingGroup,
    mut early: Option<&mut EarlyChunks<'_>>,
) -> Result<bool, Defect> {
    let mut reader = BlockReader::new(plain)?;
    let mut current = CurrentChunk {
        block,
        sighting: None,
    };

    while let Some(entry) = reader.next()? {
        let Some(key) = ChunkKey::parse(entry.key) else {
            continue;
        };
        let state = KeyState::new(entry.sequence, entry.value.is_some());
        current.add(key, state, 0, |done| group.add(&done));
        if let Some(early) = &mut early {
            early.add((block, plain), &key, entry.sequence, entry.value);
        }
    }

    if let Some(early) = early {
        early.end_block(plain);
    }
    current.sighting.iter().for_each(|last| group.add(last));
    Ok(reader.has_bad_key())
}

/// Calls `visit` with a sighting of each chunk in the logs.
fn sight_logs(logs: &Logs, mut visit: impl FnMut(Sighting)) {
    let mut current = CurrentChunk {
        block: BlockRef::LOGS,
        sighting: None,
    };

    for entry in logs.entries(b"") {
        let Some(key) = ChunkKey::parse(entry.key) else {
            continue;
        };

        let bytes = entry.value.map_or(0, <[u8]>::len) as u32;
        current.add(
            key,
            KeyState::new(entry.sequence, entry.value.is_some()),
            bytes,
            &mut visit,
        );
    }

    current.sighting.into_iter().for_each(visit);
}

/// Lists the sightings that are not in tables, for later runs.
fn list_others(logs: &Logs, missing: &[Sighting]) -> SightingList {
    let (mut list, mut group) = (SightingList::default(), SightingGroup::new());
    sight_logs(logs, |sighting| group.add(&sighting));
    for chunk in missing {
        group.add(chunk);
    }
    list.add_group(0, 0, &mut group);
    list.shrink();
    list
}

/// Collects the sighting of one chunk at a time. This works because the entries of a chunk follow
/// one another.
struct CurrentChunk {
    block: BlockRef,
    sighting: Option<Sighting>,
}

impl CurrentChunk {
    /// Adds an entry of `bytes` bytes. If the entry belongs to another chunk than the previous
    /// entry, calls `done` with the finished chunk first.
    fn add(&mut self, key: ChunkKey, state: KeyState, bytes: u32, done: impl FnOnce(Sighting)) {
        let own = (key.dimension, key.chunk);
        if let Some(before) = self
            .sighting
            .take_if(|last| (last.dimension, last.chunk) != own)
        {
            done(before);
        }

        let own = self
            .sighting
            .get_or_insert(Sighting::new(self.block, key.dimension, key.chunk));
        own.add(key.tag, state);
        own.bytes = own.bytes.saturating_add(bytes);
    }
}

/// Returns a damaged sighting for each known chunk that may also have entries in one of these
/// unreadable blocks.
fn unread_sightings(
    tables: &[Table],
    blocks: &BTreeSet<BlockRef>,
    sightings: &[Sighting],
) -> Vec<Sighting> {
    let mut unread = Vec::new();
    if blocks.is_empty() {
        return unread;
    }

    let mut chunks: Vec<(ChunkPrefix, &Sighting)> = sightings
        .iter()
        .map(|sighting| {
            (
                ChunkPrefix::new(sighting.dimension, sighting.chunk),
                sighting,
            )
        })
        .collect();

    chunks.sort_unstable_by(|(a, _), (b, _)| a.bytes().cmp(b.bytes()));
    chunks.dedup_by(|(a, _), (b, _)| a.bytes() == b.bytes());

    for &block in blocks {
        let range = tables[block.table as usize]
            .range(block.block as usize)
            .with_first();
        let start = range.first.map_or(0, |first| {
            chunks.partition_point(|(prefix, _)| {
                prefix.bytes() < &first[..first.len().min(CHUNK_BYTES)]
            })
        });

        let near = chunks[start..]
            .iter()
            .take_while(|(prefix, _)| prefix.bytes() <= range.last);
        unread.extend(
            near.filter(|(prefix, _)| range.may_have_prefix(prefix.bytes()))
                .map(|(_, known)| Sighting {
                    is_damaged: true,
                    ..Sighting::new(block, known.dimension, known.chunk)
                }),
        );
    }

    unread
}

/// Returns the chunks that were stored `before` and have since lost a value: no entry in `now` is
/// as new as the newest value then. `now` must be sorted by `Sighting::order`.
fn missing_chunks(mut before: Vec<Sighting>, now: &[Sighting]) -> Vec<Sighting> {
    before.sort_unstable_by_key(Sighting::order);
    let chunks = before
        .chunk_by(|a, b| a.chunk_order() == b.chunk_order())
        .map(|own| {
            let block = BlockRef::MISSING;
            own.iter().fold(
                Sighting::new(block, own[0].dimension, own[0].chunk),
                Sighting::merge,
            )
        });

    // Chunks without terrain are ignored, because they leave no hole in a map.
    let stored = chunks
        .filter(|chunk| chunk.has_terrain && chunk.versions.into_iter().any(KeyState::is_stored));
    stored
        .filter(|chunk| has_lost_value(chunk, now))
        .map(|chunk| Sighting {
            is_damaged: true,
            ..chunk
        })
        .collect()
}

/// Returns whether no entry of this chunk in `now` is as new as its newest value was.
fn has_lost_value(chunk: &Sighting, now: &[Sighting]) -> bool {
    let start = now.partition_point(|sighting| sighting.chunk_order() < chunk.chunk_order());
    let own = now[start..]
        .iter()
        .take_while(|sighting| sighting.chunk_order() == chunk.chunk_order());
    let newest = own.map(|sighting| sighting.newest).max();

    newest.unwrap_or_default() < chunk.written
}

impl RegionChunks {
    /// Joins the sightings of a region, which must be sorted by slot. Returns `None` if the region
    /// has no stored chunk.
    fn new(sightings: &[Sighting]) -> Option<Self> {
        let region = sightings.first()?.chunk.region();
        let summary = RegionSummary {
            region,
            bytes: 0,
            chunks: 0,
        };

        let mut chunks = Self {
            summary,
            chunks: Vec::new(),
            blocks: Vec::with_capacity(sightings.len()),
        };
        sightings
            .chunk_by(|a, b| a.chunk == b.chunk)
            .for_each(|own| chunks.add(own));

        chunks.chunks.shrink_to_fit();
        chunks.blocks.shrink_to_fit();

        (chunks.summary.chunks > 0).then_some(chunks)
    }

    /// Returns the sort key: z, then x.
    fn order(&self) -> (i32, i32) {
        (self.summary.region.z, self.summary.region.x)
    }

    /// Adds a chunk if it is stored, which means that it has a version. In a region that is too far
    /// out to have a tile, only chunks with blocks count, because nothing else would be missing on
    /// a map.
    fn add(&mut self, sightings: &[Sighting]) {
        let versions = [0, 1].map(|key| {
            sightings
                .iter()
                .map(|own| own.versions[key])
                .max()
                .unwrap_or_default()
        });
        let is_damaged = sightings.iter().any(|own| own.is_damaged);

        // A damaged block may contain the version.
        let may_be_stored = is_damaged && sightings.iter().any(|own| own.has_terrain);
        if !may_be_stored && !versions.into_iter().any(KeyState::is_stored) {
            return;
        }
        if !self.summary.region.is_on_map() && !sightings.iter().any(|own| own.has_blocks) {
            return;
        }

        self.blocks.extend(
            sightings
                .iter()
                .map(|own| own.block)
                .filter(|&block| block != BlockRef::LOGS),
        );

        let newest = sightings
            .iter()
            .map(|own| own.newest)
            .max()
            .unwrap_or_default();

        let end = self.blocks.len() as u32;
        self.chunks.push(IndexedChunk {
            slot: sightings[0].chunk.slot(),
            newest,
            is_damaged,
            end,
        });

        self.summary.chunks += 1;
        self.summary.bytes += sightings
            .iter()
            .map(|own| u64::from(own.bytes))
            .sum::<u64>();
    }

    pub(crate) fn chunks(&self) -> &[IndexedChunk] {
        &self.chunks
    }

    /// Returns the blocks that contain keys of a chunk, or `None` if the chunk is not stored.
    pub(crate) fn blocks(&self, slot: Slot) -> Option<&[BlockRef]> {
        let index = self
            .chunks
            .binary_search_by_key(&slot, |chunk| chunk.slot)
            .ok()?;
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.chunks[before].end);
        Some(&self.blocks[start as usize..self.chunks[index].end as usize])
    }
}

impl DimensionChunks {
    /// Returns the regions that have chunks, sorted by z, then by x.
    pub fn regions(&self) -> impl Iterator<Item = RegionSummary> {
        self.regions.iter().map(|region| region.summary)
    }

    /// Returns the blocks of the chunks of each region. A block is listed once for each chunk that
    /// it contains.
    pub(crate) fn region_blocks(&self) -> impl Iterator<Item = &[BlockRef]> {
        self.regions.iter().map(|region| &*region.blocks)
    }

    pub(crate) fn region(&self, RegionPos { x, z }: RegionPos) -> Option<&RegionChunks> {
        let index = self
            .regions
            .binary_search_by_key(&(z, x), RegionChunks::order)
            .ok()?;
        Some(&self.regions[index])
    }
}

#[cfg(test)]
mod tests {
    use super::count_threads;

    #[test]
    fn reading_uses_no_more_threads_than_requested() {
        assert_eq!(
            [(1, 9), (3, 9), (3, 2), (3, 0), (0, 1)]
                .map(|(wanted, pieces)| count_threads(wanted, pieces)),
            [1, 3, 2, 0, 1]
        );
    }
}
