//! From a slot of a region file to a chunk's finished columns.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::torn::{EMPTIED, Patience, Verdict};
use crate::block::{BlockId, Book, Names, Traits};
use crate::chunk::{self, Chunk, Generation, Meta, Status};
use crate::coord::{CHUNK_AREA, CHUNK_SIDE, ChunkPos, ColumnPos, RegionPos, Slot, YRange};
use crate::publish::retryable;
use crate::region::{ChunkHash, Fault, Inflater, RegionFile, UNSETTLED};
use crate::report::{Clock, Remarks, Stage};
use crate::schedule::Stop;
use crate::surface::{self, Columns, NO_HEIGHT, View};

/// What of a chunk is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    /// From where: the columns are read once for each.
    pub(super) views: &'a [View],
    /// Between which heights.
    pub(super) range: YRange,
    /// Where a ceiling closes the dimension: nothing above it is looked at from under it.
    pub(super) ceiling_y: Option<i32>,
    /// Whether chunks are drawn that the game has not finished.
    pub(super) unfinished: bool,
    /// How long players must have been in it, in ticks.
    pub(super) min_ticks: u64,
}

impl Sight<'_> {
    /// The heights looked at from a view.
    fn range_of(&self, view: View) -> YRange {
        let YRange { min, max } = self.range;
        match (view, self.ceiling_y) {
            (view, Some(y)) if view.is_under_ceiling() => YRange { min, max: max.min(y) },
            _ => self.range,
        }
    }
}

/// One worker's means to read chunks.
#[derive(Debug)]
pub(super) struct ChunkReader {
    inflater: Inflater,
    buffers: chunk::Buffers,
    pub(super) book: Book,
    /// Whether light is looked for.
    light: bool,
    patience: Patience,
    /// What the worker's time goes to.
    pub(super) clock: Clock,
    /// What a test has happen before each read of a region file.
    #[cfg(test)]
    pub(super) happens: Option<fn(&Path)>,
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
    /// Players were in it for less time than is asked for.
    Unvisited(Meta),
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
    /// What the system said, where it is to blame: such an error may pass.
    pub(super) io: Option<(io::ErrorKind, Option<i32>)>,
}

impl Reason {
    /// Of a region file that cannot be opened, whoever asks for it.
    pub(super) fn unopened(error: &io::Error) -> Self {
        Self { word: "unreadable", message: format!("the file cannot be opened: {error}"), io: None }
    }

    /// What the system said, if it may be better later.
    pub(super) fn passing(&self) -> Option<io::Error> {
        let (kind, os) = self.io?;
        Some(os.map_or_else(|| kind.into(), io::Error::from_raw_os_error)).filter(retryable)
    }
}

impl From<Fault> for Reason {
    fn from(fault: Fault) -> Self {
        Self { word: fault.reason(), message: fault.to_string(), io: fault.io_error() }
    }
}

impl From<chunk::Error> for Reason {
    fn from(error: chunk::Error) -> Self {
        Self { word: error.reason(), message: error.to_string(), io: None }
    }
}

/// A bit a column.
type ColumnBits = [u64; CHUNK_AREA / 64];

/// The columns of a chunk that have something, by what it is.
type Seen<N> = BTreeMap<N, ColumnBits>;

/// Hands each name with the number of its columns, and the first of them with its height, to `tell`.
fn tell<N: AsRef<str>>(
    seen: Seen<N>,
    columns: &Columns,
    corner: ColumnPos,
    mut tell: impl FnMut(&str, u64, ColumnPos, i32),
) {
    for (name, bits) in seen {
        let is_set = |column: &usize| bits[column / 64] >> (column % 64) & 1 != 0;
        let Some(first) = (0..CHUNK_AREA).find(is_set) else { continue };
        let count = bits.iter().map(|word| u64::from(word.count_ones())).sum();
        let place = ColumnPos { x: corner.x + (first % CHUNK_SIDE) as i32, z: corner.z + (first / CHUNK_SIDE) as i32 };
        tell(name.as_ref(), count, place, i32::from(columns.top_y[first]));
    }
}

/// Counts the columns of a chunk in which blocks are seen, or biomes stored, that no table knows; `corner` is its
/// north-west column.
pub(super) fn count_unknown(columns: &Columns, book: &mut Book, remarks: &mut Remarks, corner: ColumnPos) {
    if book.has_unknown_biomes() {
        let mut seen = Seen::new();
        for (column, &biome) in columns.biome.iter().enumerate() {
            if !book.knows_biome(biome) {
                seen.entry(book.biome_name(biome)).or_default()[column / 64] |= 1 << (column % 64);
            }
        }
        tell(seen, columns, corner, |name, count, first, y| remarks.unknown_biome(name, count, first, y));
    }
    if !columns.unknown {
        return;
    }
    // A bit a column, so that a stack of one block counts once.
    let mut seen: Seen<BlockId> = Seen::new();
    let overlays = columns.overlays.iter().map(|overlay| (usize::from(overlay.column), overlay.id));
    for (column, id) in columns.ground.iter().copied().enumerate().chain(overlays) {
        if columns.top_y[column] != NO_HEIGHT && book.traits(id).any(Traits::UNKNOWN) {
            seen.entry(id).or_default()[column / 64] |= 1 << (column % 64);
        }
    }
    // In whatever states it stands there. Names are lent: a clone would write to what all workers share.
    let mut named: Seen<&str> = Seen::new();
    for (id, bits) in seen {
        let Some(name) = book.known_name(id) else { continue };
        named.entry(name).or_default().iter_mut().zip(bits).for_each(|(all, more)| *all |= more);
    }
    tell(named, columns, corner, |name, count, first, y| remarks.unknown(name, count, first, y));
}

/// Names that were given to other blocks since stand for what they were when the chunk was stored.
fn take_old_names(columns: &mut Columns, book: &mut Book) {
    for &(now, before) in book.old_names() {
        for id in &mut columns.ground {
            *id = if *id == now { before } else { *id };
        }
        for overlay in columns.overlays.iter_mut().filter(|overlay| overlay.id == now) {
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
        Self::with(names, Inflater::default())
    }

    /// One that waits for nothing once the run is to end: what it says of a chunk then is of no account.
    pub(super) fn until(names: Arc<Names>, stop: &Stop) -> Self {
        let stop = stop.clone();
        Self::with(names, Inflater::until(move || stop.requested()))
    }

    fn with(names: Arc<Names>, inflater: Inflater) -> Self {
        Self {
            inflater,
            buffers: chunk::Buffers::default(),
            book: Book::new(names),
            light: false,
            patience: Patience::default(),
            clock: Clock::default(),
            #[cfg(test)]
            happens: None,
        }
    }

    /// Looks for the light that falls on columns, too, if `light` is true.
    pub(super) fn with_light(self, light: bool) -> Self {
        if light { Self { light, buffers: self.buffers.with_light(), ..self } } else { self }
    }

    /// Reads the chunk in a slot and hands it to `then`, with its hash; `None`: nothing is stored. A chunk that somebody
    /// writes meanwhile is read again. No large buffer is held afterwards.
    pub(super) fn read<T>(
        &mut self,
        file: &mut RegionFile,
        slot: Slot,
        then: impl FnOnce(Option<Result<Chunk<'_>, Reason>>, ChunkHash) -> T,
    ) -> T {
        let mut tries = 0;
        loop {
            tries += 1;
            let reason = {
                // Dropped on every way out, and with it what other workers may wait for.
                let plain = file.chunk(slot, &mut self.inflater);
                if let Some(read) = file.was_read() {
                    self.clock.ended(Stage::Read, read);
                    self.clock.ends(Stage::Inflate);
                }
                match &plain {
                    None => return then(None, file.last_hash()),
                    Some(Err(fault)) => fault.clone().into(),
                    Some(Ok(plain)) => {
                        let parsed = Chunk::parse(plain, &mut self.buffers, &mut self.book);
                        self.clock.ends(Stage::Parse);
                        if let Err(fault) = file.add_cost(slot, parsed.as_ref().map_or(0, Chunk::palettes_cost)) {
                            return then(Some(Err(fault.into())), file.last_hash());
                        }
                        match parsed {
                            // Perhaps the place where it was found is another chunk's by now.
                            Ok(chunk)
                                if tries == 1
                                    && !lies_in(chunk.meta(), file.region().chunk(slot))
                                    && file.has_moved(slot) =>
                            {
                                continue;
                            }
                            Ok(chunk) => return then(Some(Ok(chunk)), file.last_hash()),
                            Err(error) => Reason::from(error),
                        }
                    }
                }
            };
            match self.patience.judge(file, slot, &mut self.inflater, tries, &reason) {
                Verdict::Again => {}
                Verdict::Damaged => return then(Some(Err(reason)), file.last_hash()),
                Verdict::Torn => {
                    file.unsettle();
                    return then(Some(Err(Fault::Torn.into())), UNSETTLED);
                }
            }
        }
    }

    /// Opens a region file. Of one in which nothing is stored, and that was written a moment ago, somebody may be writing
    /// more: it is waited for briefly.
    ///
    /// # Errors
    /// Those of [`RegionFile::open`].
    pub(super) fn open(&mut self, path: &Path, region: RegionPos) -> io::Result<RegionFile> {
        let mut file = RegionFile::open(path, region)?;
        while file.is_emptied(EMPTIED) && self.patience.wait() {
            file = RegionFile::open(path, region)?;
        }
        #[cfg(test)]
        if let Some(happens) = self.happens {
            let path = path.to_owned();
            file.before_reads(move || happens(&path));
        }
        Ok(file)
    }

    /// The hash of the chunk in a slot, which is not inflated for it.
    pub(super) fn hash(&mut self, file: &mut RegionFile, slot: Slot) -> ChunkHash {
        file.hash(slot, &mut self.inflater)
    }

    /// Reads the columns of the chunk in a slot, those of each view into one of `outs`; they are empty unless it is drawn,
    /// and have the chunk's hash.
    pub(super) fn columns<'c>(
        &mut self,
        file: &mut RegionFile,
        slot: Slot,
        sight: Sight<'_>,
        outs: impl Iterator<Item = &'c mut Columns>,
    ) -> Found {
        let light = self.light;
        let found = self.read(file, slot, |chunk, hash| match chunk {
            None => blank(outs, hash, Found::Nothing),
            Some(Err(reason)) => blank(outs, hash, Found::Bad(reason)),
            Some(Ok(chunk)) if !is_shown(chunk.meta().status, sight.unfinished) => {
                blank(outs, hash, Found::Unfinished(chunk.meta()))
            }
            Some(Ok(chunk)) if chunk.meta().inhabited_ticks.unwrap_or(0) < sight.min_ticks => {
                blank(outs, hash, Found::Unvisited(chunk.meta()))
            }
            Some(Ok(mut chunk)) => scan(&mut chunk, sight, light, hash, outs),
        });
        if !matches!(found, Found::Nothing) {
            self.clock.ends(Stage::Scan);
        }
        found
    }
}

/// Reads the columns of a chunk that is drawn, those of each view into one of `outs`.
fn scan<'c>(
    chunk: &mut Chunk<'_>,
    sight: Sight<'_>,
    light: bool,
    hash: ChunkHash,
    outs: impl Iterator<Item = &'c mut Columns>,
) -> Found {
    let mut is_empty = true;
    let mut lands: [Option<&Columns>; 2] = [None; 2];
    for (out, &view) in outs.zip(sight.views) {
        out.clear();
        let range = sight.range_of(view);
        match view.land() {
            None => surface::scan(chunk, view, range, out),
            // Sheets see to it that the land comes first.
            Some(land) => {
                if let Some(land) = lands[usize::from(land.is_under_ceiling())] {
                    surface::hollows(chunk, land, range, out);
                }
            }
        }
        if light && view.land().is_none() {
            surface::light(chunk, out);
        }
        if has_old_names(chunk.meta()) {
            take_old_names(out, chunk.book());
        }
        out.hash = hash;
        is_empty &= out.is_empty();
        if matches!(view, View::Sky | View::UnderCeiling) {
            lands[usize::from(view.is_under_ceiling())] = Some(out);
        }
    }
    if is_empty { Found::Empty(chunk.meta()) } else { Found::Drawn(chunk.meta()) }
}

/// Whether a chunk says nothing else than that it lies at `place`.
pub(super) fn lies_in(meta: Meta, place: ChunkPos) -> bool {
    meta.position.is_none_or(|position| position == (i64::from(place.x), i64::from(place.z)))
}

/// Empties columns of which nothing is drawn but what was `found`.
fn blank<'c>(outs: impl Iterator<Item = &'c mut Columns>, hash: ChunkHash, found: Found) -> Found {
    for out in outs {
        out.clear();
        out.hash = hash;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::PathBuf;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::block::NumericNames;
    use crate::palette::Palette;
    use crate::surface::Overlay;

    fn names() -> Arc<Names> {
        Arc::new(Names::new(Arc::new(Palette::builtin()), NumericNames::default()))
    }

    const SLOT: Slot = Slot::at(3, 4);
    const SIGHT: Sight<'_> =
        Sight { views: &[View::Sky], range: YRange::ALL, ceiling_y: None, unfinished: false, min_ticks: 0 };

    /// A region with one chunk that inflates to `plain`.
    fn region(folder: &Path, name: &str, plain: &[u8]) -> PathBuf {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).unwrap();
        let packed = encoder.finish().unwrap();
        let mut bytes = vec![0; 8192];
        bytes[SLOT.index() * 4..][..4].copy_from_slice(&(2_u32 << 8 | 255).to_be_bytes());
        bytes.extend((packed.len() as u32 + 1).to_be_bytes());
        bytes.push(2);
        bytes.extend(packed);
        let path = folder.join(name);
        std::fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
        path
    }

    /// An empty chunk of more than 12 MiB: a list of no sections, and an array that nobody reads.
    fn large_chunk() -> Vec<u8> {
        let len = 12_u32 << 20;
        let mut nbt = b"\x0a\0\0\x03\0\x0bDataVersion\0\0\x0f\x73\x09\0\x08sections\x0a\0\0\0\0\x07\0\x03pad".to_vec();
        nbt.extend(len.to_be_bytes());
        nbt.resize(nbt.len() + len as usize, 0);
        nbt.push(0);
        nbt
    }

    /// Two workers read a large chunk each and then keep their readers until both have: neither may wait for the other.
    fn two_workers_read(plain: &[u8], read: fn(&mut ChunkReader, &mut RegionFile) -> bool) {
        let folder = tempfile::tempdir().unwrap();
        let (says, heard) = mpsc::channel();
        let idle: Vec<mpsc::Sender<()>> = (0..2)
            .map(|worker| {
                let path = region(folder.path(), &format!("r.{worker}.0.mca"), plain);
                let (end, ended) = mpsc::channel::<()>();
                let says = says.clone();
                // A scope would wait for a worker that is stuck, and the test would never end.
                std::thread::Builder::new()
                    .spawn(move || {
                        let mut reader = ChunkReader::new(names());
                        let mut file = RegionFile::open(&path, RegionPos { x: worker, z: 0 }).unwrap();
                        let expected = read(&mut reader, &mut file);
                        says.send(expected).unwrap();
                        ended.recv().ok();
                    })
                    .unwrap();
                end
            })
            .collect();
        for _ in &idle {
            let expected = heard.recv_timeout(Duration::from_secs(45));
            assert_eq!(expected, Ok(true), "a worker that is idle holds the large buffer");
        }
    }

    #[test]
    fn a_worker_without_a_chunk_at_hand_holds_up_no_other() {
        two_workers_read(&large_chunk(), |reader, file| {
            let found = reader.columns(file, SLOT, SIGHT, std::iter::once(&mut Columns::default()));
            matches!(found, Found::Empty(_) | Found::Unfinished(_))
        });
        two_workers_read(&vec![0xff; 12 << 20], |reader, file| {
            matches!(reader.columns(file, SLOT, SIGHT, std::iter::once(&mut Columns::default())), Found::Bad(_))
        });
        two_workers_read(&large_chunk(), |reader, file| {
            reader.read(file, SLOT, |chunk, _| chunk.is_some_and(|chunk| chunk.is_ok()))
        });
    }

    #[test]
    fn a_stack_of_an_unknown_block_is_one_column_of_it() {
        let (mut book, mut remarks, mut columns) = (Book::new(names()), Remarks::default(), Columns::default());
        let wet: &dyn Fn(&[u8]) -> Option<&'static [u8]> = &|key| (key == b"waterlogged").then_some(b"true");
        let (dry, wet) = (book.block(b"mod:zzz", |_| None), book.block(b"mod:zzz", wet));
        assert_ne!(dry, wet);
        columns.unknown = true;
        (columns.top_y[20], columns.top_y[100]) = (70, 80);
        columns.ground[100] = dry;
        columns.overlays = [dry, dry, wet].map(|id| Overlay { column: 20, order: 0, id }).to_vec();
        count_unknown(&columns, &mut book, &mut remarks, ColumnPos { x: 32, z: 64 });
        let seen = remarks.unknown["mod:zzz"];
        assert_eq!((seen.columns, seen.first), (2, [36, 70, 65]));
        columns.biome[20] = book.biome(b"mod:heath");
        count_unknown(&columns, &mut book, &mut remarks, ColumnPos { x: 32, z: 64 });
        let seen = remarks.unknown_biomes["mod:heath"];
        assert_eq!((seen.columns, seen.first), (1, [36, 70, 65]));
    }
}
