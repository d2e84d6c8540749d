//! Reads one chunk: turns the bytes of a slot into the chunk's finished columns.

use std::io;
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use crate::painter::filter::ChunkFilter;
use crate::painter::found::BlockFinder;
use crate::report::{ChunkFindings, Clock, Stage, UnknownBlock};
use crate::run_state::Interruption;
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos, ColumnPos, Slot};
use pixelmap_paint::markers::{ChunkMarkers, MarkerSelection, chunk_markers};
use pixelmap_paint::surface::{self, Columns, NO_HEIGHT, View};
use pixelmap_world::chunk::{
    Chunk, ChunkBuffers, ChunkFault, Generation, Mask, Meta, Status, Warnings,
};
use pixelmap_world::internal::{
    ChunkHash, ChunkPass, ChunkRecord, ChunkStorage, EarlyChunk, Form, Inflater, Region,
};
use pixelmap_world::names::{BiomeId, BlockId, NameCache, Names, Traits};

/// The buffers with which one worker reads chunks.
#[derive(Debug)]
pub(crate) struct ChunkReader {
    inflater: Inflater,
    buffers: ChunkBuffers,
    pub(crate) name_cache: NameCache,
    /// Whether to read light.
    light: bool,
    /// Each worker has its own handle, so that reading a chunk does not touch a counter that
    /// workers share.
    wanted: Arc<MarkerSelection>,
    /// Looks for blocks, if the user asked for some.
    finder: Option<Box<BlockFinder>>,
    /// Measures the worker's time.
    pub(crate) clock: Clock,
    /// In tests, called before each read of a region file.
    #[cfg(test)]
    pub(crate) happens: Option<fn(&Path)>,
}

/// The content of a slot.
#[derive(Debug)]
pub(crate) enum SlotContent {
    /// Nothing is stored.
    Nothing,
    /// The chunk cannot be read.
    Bad(Reason),
    /// The game has not finished the chunk.
    Unfinished(Meta),
    /// Players spent less time in the chunk than requested.
    Unvisited(Meta),
    /// All columns of the chunk are empty.
    Empty(Meta),
    /// The columns of the chunk were written.
    Drawn(DrawnChunk),
}

/// A drawn chunk without its columns.
#[derive(Debug)]
pub(crate) struct DrawnChunk {
    pub(crate) meta: Meta,
    pub(crate) markers: ChunkMarkers,
}

impl DrawnChunk {
    /// Moves the markers out, and copies the rest.
    pub(crate) fn split(&mut self) -> Self {
        Self {
            meta: self.meta,
            markers: std::mem::take(&mut self.markers),
        }
    }
}

/// The reason why a chunk or a whole region cannot be read.
#[derive(Debug, Error)]
pub(crate) enum Reason {
    /// The region file cannot be opened.
    #[error("the file cannot be opened: {0}")]
    Unopened(io::Error),
    /// The region's job panicked, with this message.
    #[error("{0}")]
    Panicked(String),
    /// The chunk cannot be read.
    #[error("{0}")]
    Chunk(ChunkFault),
}

impl Reason {
    /// Returns the reason as one word, for reports.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Unopened(_) | Self::Panicked(_) => "unreadable",
            Self::Chunk(fault) => fault.word(),
        }
    }

    /// Returns whether the chunk is unreadable because the system failed to read its bytes.
    pub(crate) const fn is_of_system(&self) -> bool {
        matches!(self, Self::Chunk(fault) if fault.is_of_system())
    }

    /// Checks that a later attempt to read the file at `path` would fail as well. Otherwise the run
    /// must fail.
    pub(crate) fn check_lasts(&self, path: &Path) -> Result<(), Interruption> {
        self.retryable_error()
            .map_or(Ok(()), |error| Err(Interruption::reading(path, &error)))
    }

    /// Returns the system's error if a later attempt may succeed.
    pub(crate) fn retryable_error(&self) -> Option<io::Error> {
        let Self::Chunk(fault) = self else {
            return None;
        };
        fault.retryable_error()
    }
}

/// The columns in which each name was seen. There are few names, so they are compared one by one.
struct SeenNames<N>(Vec<(N, Mask)>);

impl<N: PartialEq> SeenNames<N> {
    /// Adds columns. A column counts once per name, although its overlays may be states of the same
    /// block.
    fn add(&mut self, name: N, columns: Mask) {
        match self.0.iter_mut().rev().find(|(seen, _)| *seen == name) {
            Some((_, seen)) => *seen = seen.or(columns),
            None => self.0.push((name, columns)),
        }
    }

    /// Calls `visit` once per name, with the number of its columns and the place of the first one.
    fn each(
        self,
        columns: &Columns,
        corner: ColumnPos,
        dimension: usize,
        mut visit: impl FnMut(N, UnknownBlock),
    ) {
        for (name, seen) in self.0 {
            let first = seen.first();
            let (x, z) = (
                corner.x + (first % CHUNK_SIDE) as i32,
                corner.z + (first / CHUNK_SIDE) as i32,
            );
            let position = [x, i32::from(columns.top_y[first]), z];

            let columns = u64::from(seen.count());
            visit(
                name,
                UnknownBlock {
                    columns,
                    dimension: dimension as u32,
                    first: position,
                    states: None,
                },
            );
        }
    }
}

/// Counts the columns of a chunk that show unknown blocks or store unknown biomes. `corner` is the
/// chunk's north-west column, and `dimension` the number of its dimension. Passes the id of each
/// state of an unknown block to `visit_state`.
pub(crate) fn count_unknown(
    columns: &Columns,
    name_cache: &mut NameCache,
    chunk_findings: &mut ChunkFindings,
    corner: ColumnPos,
    dimension: usize,
    mut visit_state: impl FnMut(BlockId),
) {
    if name_cache.has_unknown_biomes() {
        // Neighbouring columns mostly have the same biome, so it is looked up only where it
        // changes.
        let mut last = (BiomeId::NONE, true);
        let mut seen = SeenNames(Vec::new());
        for (column, &biome) in columns.biome.iter().enumerate() {
            if biome != last.0 {
                last = (biome, name_cache.knows_biome(biome));
            }
            if !last.1 {
                seen.add(biome, Mask::only(column));
            }
        }

        seen.each(columns, corner, dimension, |biome, seen| {
            chunk_findings.unknown_biome(&name_cache.biome_name(biome), seen);
        });
    }

    if !columns.unknown {
        return;
    }

    let overlays = columns
        .overlays
        .iter()
        .map(|overlay| (usize::from(overlay.column), overlay.id));

    let mut seen = SeenNames(Vec::new());
    let mut last = (BlockId::AIR, false);
    for (column, id) in columns.ground.iter().copied().enumerate().chain(overlays) {
        if id != last.0 {
            last = (id, name_cache.traits(id).any(Traits::UNKNOWN));
        }
        if last.1 && columns.top_y[column] != NO_HEIGHT {
            seen.add(id, Mask::only(column));
        }
    }

    // All states of a block count as one. The names are borrowed, because a clone would write to
    // counters that all workers share.
    let mut seen_names = SeenNames(Vec::new());
    for (id, columns) in seen.0 {
        visit_state(id);
        if let Some(name) = name_cache.known_name(id) {
            seen_names.add(name, columns);
        }
    }

    seen_names.each(columns, corner, dimension, |name, seen| {
        chunk_findings.unknown(name, seen);
    });
}

/// Restores the old meaning of names: some names meant another block when the chunk was stored.
fn restore_old_names(columns: &mut Columns, name_cache: &mut NameCache) {
    for &(now, before) in name_cache.old_names() {
        for id in &mut columns.ground {
            *id = if *id == now { before } else { *id };
        }
        for overlay in columns
            .overlays
            .iter_mut()
            .filter(|overlay| overlay.id == now)
        {
            overlay.id = before;
        }
    }
}

fn has_old_names(meta: Meta) -> bool {
    match meta.data_version {
        Some(version) => version < 1802,
        None => matches!(meta.generation, Generation::Mcregion | Generation::Numeric),
    }
}

/// Returns whether chunks with this status are drawn.
pub(crate) fn is_shown(status: Status, unfinished: bool) -> bool {
    match status {
        Status::Finished => true,
        Status::Raw => unfinished,
        Status::Unborn => false,
    }
}

impl ChunkReader {
    /// Makes a reader that inflates with `inflater` and reads no markers. It reads the light of
    /// columns if `light` is true.
    pub(crate) fn new(names: Arc<Names>, inflater: Inflater, light: bool) -> Self {
        let buffers = ChunkBuffers::default();
        Self {
            inflater,
            buffers: if light { buffers.with_light() } else { buffers },
            name_cache: NameCache::new(names),
            light,
            wanted: Arc::default(),
            finder: None,
            clock: Clock::default(),
            #[cfg(test)]
            happens: None,
        }
    }

    /// Makes the reader read these markers as well.
    pub(crate) fn with_markers(mut self, wanted: MarkerSelection) -> Self {
        self.set_markers(wanted);
        self
    }

    /// Makes the reader read these markers from now on, instead of others.
    pub(crate) fn set_markers(&mut self, wanted: MarkerSelection) {
        self.finder = wanted
            .find
            .as_ref()
            .map(|find| Box::new(BlockFinder::new(find)));
        self.wanted = Arc::new(wanted);
    }

    /// Reads the chunk in a slot and passes it to `then` together with how it is stored. Passes
    /// `None` if the slot is empty. The reader does not keep a large buffer afterwards.
    pub(crate) fn read<T>(
        &mut self,
        file: &mut Region,
        slot: Slot,
        then: impl FnOnce(Option<Result<Chunk<'_>, Reason>>, ChunkStorage) -> T,
    ) -> T {
        self.read_at(ChunkPlace::Slot(file, slot), then)
    }

    /// Reads the chunk at a place as [`ChunkReader::read`] does.
    fn read_at<T>(
        &mut self,
        place: ChunkPlace<'_, '_>,
        then: impl FnOnce(Option<Result<Chunk<'_>, Reason>>, ChunkStorage) -> T,
    ) -> T {
        #[cfg(test)]
        let place = place.before_reads(self.happens);

        let Self {
            inflater,
            buffers,
            name_cache,
            clock,
            ..
        } = self;
        let Some(record) = place.record(inflater, buffers, name_cache) else {
            return then(None, ChunkStorage::NOTHING);
        };

        if let Some(read) = record.read_at {
            clock.end_stage_at(Stage::Read, read);
            clock.end_stage(Stage::Inflate);
        }

        let plain = match record.plain {
            Ok(plain) => plain,
            Err(fault) => {
                let reason = Reason::Chunk(ChunkFault::Unread(fault));
                return then(Some(Err(reason)), record.stored);
            }
        };

        let mut chunk = Chunk::parse(&plain, record.form, buffers, name_cache);
        if let Ok(chunk) = &mut chunk
            && record.is_cut
        {
            chunk.warn(Warnings::CUT);
        }

        clock.end_stage(Stage::Parse);
        let chunk = chunk.map_err(|error| Reason::Chunk(ChunkFault::Unparsed(error)));
        then(Some(chunk), record.stored)
    }

    /// Passes the inflated bytes of a slot to `then`, which returns whether they are valid. Returns
    /// `None` if the slot is empty.
    pub(crate) fn visit_inflated(
        &mut self,
        file: &mut Region,
        slot: Slot,
        then: impl FnOnce(&[u8]) -> bool,
    ) -> Option<bool> {
        let record = file.read(slot, &mut self.inflater, |_| true)?;
        Some(record.plain.is_ok_and(|plain| then(&plain)))
    }

    /// Returns how the chunk in a slot is stored, with its hash, without inflating it.
    pub(crate) fn hash(&mut self, file: &mut Region, slot: Slot) -> ChunkStorage {
        file.hash(slot, &mut self.inflater)
    }

    /// Reads the columns of the chunk in a slot, one of `outs` per view. If the chunk is not drawn,
    /// its columns are empty but have its hash.
    pub(crate) fn columns<'c>(
        &mut self,
        file: &mut Region,
        slot: Slot,
        filter: ChunkFilter<'_>,
        outs: impl Iterator<Item = &'c mut Columns>,
    ) -> (SlotContent, ChunkStorage) {
        // This is the common case in sparse worlds.
        if !file.has(slot) {
            clear_columns(outs, ChunkStorage::NOTHING.hash);
            return (SlotContent::Nothing, ChunkStorage::NOTHING);
        }

        let position = file.pos().chunk(slot);
        self.columns_at(ChunkPlace::Slot(file, slot), position, filter, outs)
    }

    /// Reads the columns of the chunk that a pass has reached, as [`ChunkReader::columns`] does.
    pub(crate) fn passed_columns<'c>(
        &mut self,
        pass: &ChunkPass<'_>,
        position: ChunkPos,
        filter: ChunkFilter<'_>,
        outs: impl Iterator<Item = &'c mut Columns>,
    ) -> (SlotContent, ChunkStorage) {
        self.columns_at(ChunkPlace::Passed(pass), position, filter, outs)
    }

    /// Reads the columns of a chunk while its blocks are listed, as [`ChunkReader::columns`] does.
    pub(crate) fn early_columns<'c>(
        &mut self,
        chunk: EarlyChunk<'_>,
        filter: ChunkFilter<'_>,
        outs: impl Iterator<Item = &'c mut Columns>,
    ) -> (SlotContent, ChunkStorage) {
        let position = chunk.extent().chunk();
        self.columns_at(ChunkPlace::Listed(chunk), position, filter, outs)
    }

    /// Reads the columns of the chunk at a place.
    fn columns_at<'c>(
        &mut self,
        place: ChunkPlace<'_, '_>,
        position: ChunkPos,
        filter: ChunkFilter<'_>,
        outs: impl Iterator<Item = &'c mut Columns>,
    ) -> (SlotContent, ChunkStorage) {
        let light = self.light;
        let wanted = self.wanted.clone();
        let mut finder = self.finder.take();

        let (content, stored) = self.read_at(place, |chunk, stored| {
            let content = match chunk {
                None => SlotContent::Nothing,
                Some(Err(reason)) => SlotContent::Bad(reason),
                Some(Ok(chunk)) if !is_shown(chunk.meta().status, filter.look.unfinished) => {
                    SlotContent::Unfinished(chunk.meta())
                }
                Some(Ok(chunk))
                    if chunk.meta().inhabited_ticks.unwrap_or(0) < filter.look.min_ticks() =>
                {
                    SlotContent::Unvisited(chunk.meta())
                }
                Some(Ok(mut chunk)) => {
                    let (is_empty, land) = scan(&mut chunk, filter, light, stored.hash, outs);
                    let meta = chunk.meta();
                    if is_empty {
                        return (SlotContent::Empty(meta), stored);
                    }

                    let mut markers = chunk_markers(&chunk, position, &wanted);
                    if let Some(finder) = &mut finder {
                        finder.find(&mut chunk, position, filter, land, &mut markers);
                    }

                    return (SlotContent::Drawn(DrawnChunk { meta, markers }), stored);
                }
            };

            clear_columns(outs, stored.hash);
            (content, stored)
        });

        self.finder = finder;

        if !matches!(content, SlotContent::Nothing) {
            self.clock.end_stage(Stage::Scan);
        }

        (content, stored)
    }
}

/// The place from which a chunk is read.
enum ChunkPlace<'a, 'p> {
    Slot(&'a mut Region, Slot),
    /// The chunk that a pass has reached.
    Passed(&'a ChunkPass<'p>),
    /// A chunk whose blocks are being listed.
    Listed(EarlyChunk<'a>),
}

impl ChunkPlace<'_, '_> {
    /// Makes something happen before the file is read.
    #[cfg(test)]
    fn before_reads(mut self, happens: Option<fn(&Path)>) -> Self {
        if let (Some(happens), Self::Slot(file, _)) = (happens, &mut self) {
            file.before_reads(happens);
        }
        self
    }

    /// Reads the bytes of the chunk; `None`: the slot is empty.
    fn record<'i>(
        self,
        inflater: &'i mut Inflater,
        buffers: &mut ChunkBuffers,
        name_cache: &mut NameCache,
    ) -> Option<ChunkRecord<'i>> {
        let (file, slot) = match self {
            Self::Slot(file, slot) => (file, slot),
            Self::Passed(pass) => return Some(pass.record(inflater)),
            Self::Listed(chunk) => return Some(chunk.record(inflater)),
        };

        // While a game is writing the file, another chunk's record may be at the place where this
        // one's was.
        let position = file.pos().chunk(slot);
        file.read(slot, inflater, |plain| {
            Chunk::parse(plain, Form::Nbt, buffers, name_cache)
                .is_ok_and(|chunk| chunk.meta().is_at(position))
        })
    }
}

/// Reads the columns of a drawn chunk, one of `outs` per view. Returns whether all of them are
/// empty, and the columns of the land as layer `day` shows it, if a view has them.
fn scan<'c>(
    chunk: &mut Chunk<'_>,
    filter: ChunkFilter<'_>,
    light: bool,
    hash: ChunkHash,
    outs: impl Iterator<Item = &'c mut Columns>,
) -> (bool, Option<&'c Columns>) {
    let mut is_empty = true;
    let mut lands: [Option<&'c mut Columns>; 2] = [None, None];
    for (out, &view) in outs.zip(filter.views) {
        out.clear();

        let range = filter.view_range(chunk, view);
        match view.land_view() {
            None => surface::scan(chunk, view, range, out),
            // The views are sorted: the land is before its hollows.
            Some(land) => {
                if let Some(land) = &lands[usize::from(land.is_under_ceiling())] {
                    surface::hollows(chunk, land, range, out);
                }
            }
        }

        if light && view.land_view().is_none() {
            surface::light(chunk, out);
        }

        if has_old_names(chunk.meta()) && !view.shows_stored_blocks() {
            restore_old_names(out, chunk.name_cache());
        }

        out.hash = hash;

        if matches!(view, View::Sky | View::UnderCeiling) {
            lands[usize::from(view.is_under_ceiling())] = Some(out);
        } else {
            is_empty &= is_without_land(out, filter);
        }
    }

    // Hollows need the unexplored land above them until all of them are found.
    for land in lands.iter_mut().flatten() {
        is_empty &= is_without_land(land, filter);
    }

    let land = lands[usize::from(filter.ceiling.is_some())].take();
    (is_empty, land.map(|land| &*land))
}

/// Hides the unexplored land of a chunk. Returns whether its columns are all empty then.
fn is_without_land(columns: &mut Columns, filter: ChunkFilter<'_>) -> bool {
    if filter.may_be_unexplored {
        columns.hide_unexplored();
    }
    columns.is_empty()
}

/// Empties the columns of a chunk that is not drawn.
fn clear_columns<'c>(outs: impl Iterator<Item = &'c mut Columns>, hash: ChunkHash) {
    for out in outs {
        out.clear();
        out.hash = hash;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::Path;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use pixelmap_base::coord::RegionPos;
    use pixelmap_base::files::Files;
    use pixelmap_paint::palette::Palette;
    use pixelmap_paint::surface::Overlay;
    use pixelmap_world::internal::{RegionEntry, RegionStore};
    use pixelmap_world::names::NumericNames;

    fn names() -> Arc<Names> {
        Arc::new(Names::new(
            Arc::new(Palette::builtin()),
            NumericNames::default(),
        ))
    }

    const SLOT: Slot = Slot::at(3, 4);

    /// A region with one chunk that inflates to `plain`.
    fn region(folder: &Path, name: &str, plain: &[u8]) {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).unwrap();
        let packed = encoder.finish().unwrap();
        let mut bytes = vec![0; 8192];
        bytes[SLOT.index() * 4..][..4].copy_from_slice(&(2_u32 << 8 | 255).to_be_bytes());
        bytes.extend((packed.len() as u32 + 1).to_be_bytes());
        bytes.push(2);
        bytes.extend(packed);

        let path = folder.join(name);
        std::fs::File::create(&path)
            .unwrap()
            .write_all(&bytes)
            .unwrap();
    }

    /// An empty chunk of more than 12 MiB: a list of no sections, and an array that is not read.
    fn large_chunk() -> Vec<u8> {
        let len = 12_u32 << 20;
        let mut nbt =
            b"\x0a\0\0\x03\0\x0bDataVersion\0\0\x0f\x73\x09\0\x08sections\x0a\0\0\0\0\x07\0\x03pad"
                .to_vec();
        nbt.extend(len.to_be_bytes());
        nbt.resize(nbt.len() + len as usize, 0);
        nbt.push(0);
        nbt
    }

    /// Two workers read a large chunk each and then keep their readers until both have: neither may
    /// wait for the other.
    fn two_workers_read(plain: &[u8], read: fn(&mut ChunkReader, &mut Region) -> bool) {
        let folder = tempfile::tempdir().unwrap();
        let (sender, receiver) = mpsc::channel();
        let idle: Vec<mpsc::Sender<()>> = (0..2)
            .map(|worker| {
                region(folder.path(), &format!("r.{worker}.0.mca"), plain);
                let folder = folder.path().to_owned();
                let (end, ended) = mpsc::channel::<()>();
                let sender = sender.clone();

                // A scope would wait for a worker that is stuck, and the test would never end.
                std::thread::Builder::new()
                    .spawn(move || {
                        let mut reader = ChunkReader::new(names(), Inflater::default(), false);
                        let mut file = RegionStore::in_folder(&Files::Disk, &folder)
                            .open(RegionEntry::new(RegionPos { x: worker, z: 0 }, 0))
                            .unwrap();
                        let expected = read(&mut reader, &mut file);
                        sender.send(expected).unwrap();
                        ended.recv().ok();
                    })
                    .unwrap();

                end
            })
            .collect();

        for _ in &idle {
            let expected = receiver.recv_timeout(Duration::from_secs(45));
            assert_eq!(
                expected,
                Ok(true),
                "a worker that is idle holds the large buffer"
            );
        }
    }

    #[test]
    fn idle_workers_delay_no_others() {
        two_workers_read(&large_chunk(), |reader, file| {
            let (content, _) = reader.columns(
                file,
                SLOT,
                ChunkFilter::ALL,
                std::iter::once(&mut Columns::default()),
            );
            matches!(content, SlotContent::Empty(_) | SlotContent::Unfinished(_))
        });

        two_workers_read(&vec![0xff; 12 << 20], |reader, file| {
            let (content, _) = reader.columns(
                file,
                SLOT,
                ChunkFilter::ALL,
                std::iter::once(&mut Columns::default()),
            );
            matches!(content, SlotContent::Bad(_))
        });

        two_workers_read(&large_chunk(), |reader, file| {
            reader.read(file, SLOT, |chunk, _| {
                chunk.is_some_and(|chunk| chunk.is_ok())
            })
        });
    }

    #[test]
    fn stacked_unknown_blocks_count_as_one_column() {
        let (mut name_cache, mut chunk_findings, mut columns) = (
            NameCache::new(names()),
            ChunkFindings::default(),
            Columns::default(),
        );

        let wet: &dyn Fn(&[u8]) -> Option<&'static [u8]> =
            &|key| (key == b"waterlogged").then_some(b"true");
        let (dry, wet) = (
            name_cache.block(b"mod:zzz", |_| None),
            name_cache.block(b"mod:zzz", wet),
        );
        assert_ne!(dry, wet);
        columns.unknown = true;

        (columns.top_y[20], columns.top_y[100]) = (70, 80);
        columns.ground[100] = dry;
        columns.overlays = [dry, dry, wet]
            .map(|id| Overlay {
                column: 20,
                order: 0,
                id,
            })
            .to_vec();

        count_unknown(
            &columns,
            &mut name_cache,
            &mut chunk_findings,
            ColumnPos { x: 32, z: 64 },
            0,
            |_| (),
        );

        let seen = &chunk_findings.unknown["mod:zzz"];
        assert_eq!((seen.columns, seen.first), (2, [36, 70, 65]));
        columns.biome[20] = name_cache.biome(b"mod:heath");

        count_unknown(
            &columns,
            &mut name_cache,
            &mut chunk_findings,
            ColumnPos { x: 32, z: 64 },
            0,
            |_| (),
        );

        let seen = &chunk_findings.unknown_biomes["mod:heath"];
        assert_eq!((seen.columns, seen.first), (1, [36, 70, 65]));
    }
}
