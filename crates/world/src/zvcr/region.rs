//! The chunks of one file.

use std::cell::{Cell, OnceCell};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use crate::bytes::{ChunkRecord, ChunkStorage, Disk, Inflater, Stamp, StreamDamage, hash_fault};
use crate::zvcr::container::{Content, MAX_KEPT, ReadChunk, WantedChunks};
use crate::zvcr::header::{self, Header};
use crate::zvcr::pass::{ChunkPass, record};
use crate::zvcr::store::ZvcrStore;
use pixelmap_base::coord::{REGION_CHUNKS, RegionPos, Slot};
use pixelmap_base::zstd_stream;

/// An open file. Nothing of it is inflated until a chunk is needed. Then a pass reads either the
/// chunks on the border, whose hashes neighbours need, or all chunks.
#[derive(Debug)]
pub struct ZvcrRegion {
    store: Arc<ZvcrStore>,
    region: RegionPos,
    disk: Disk,
    header: Header,
    stamp: Stamp,
    /// Whether chunks inside the border will be read.
    needs_inside: Cell<bool>,
    content: OnceCell<Arc<Content>>,
}

impl ZvcrRegion {
    /// Opens the file of a region, and reads its header.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or has a form that is not known.
    pub fn open(store: &Arc<ZvcrStore>, region: RegionPos) -> io::Result<Self> {
        let disk = Disk::open_regular(&store.files, &store.path(region))?;
        let mut start = [0; header::LEN];
        let len = disk.read_at(&mut start, 0)?;

        Ok(Self {
            header: Header::parse(&start[..len])?,
            stamp: stamp_at(disk.last_stamp(), store.at),
            store: store.clone(),
            region,
            disk,
            needs_inside: Cell::new(false),
            content: OnceCell::new(),
        })
    }

    pub fn region(&self) -> RegionPos {
        self.region
    }

    /// Returns whether a slot has a chunk, or its chunk may be lost by damage.
    pub fn has(&self, slot: Slot) -> bool {
        self.content().stored.has(slot)
    }

    /// Notes which chunks will be read, so that one pass over the file is enough.
    pub fn will_read(&self, mut slots: impl Iterator<Item = Slot>) {
        if slots.any(|slot| !slot.is_on_border()) {
            self.needs_inside.set(true);
        }
    }

    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Reads the chunk in `slot`; `None`: the slot is empty.
    pub fn read<'a>(&mut self, slot: Slot, inflater: &'a mut Inflater) -> Option<ChunkRecord<'a>> {
        let chunk = self.chunk(slot)?.as_ref();
        Some(record(
            chunk.map(|chunk| (&*chunk.plain, chunk.hash)),
            inflater,
        ))
    }

    /// Begins a pass over the file, which reads its chunks in the order in which they are stored.
    pub fn pass(&self) -> ChunkPass<'_> {
        let file = FileReader {
            disk: &self.disk,
            position: header::LEN as u64,
        };
        let inflated = zstd_stream::decoder(file).map(|inflated| Box::new(inflated) as Box<_>);
        ChunkPass::start(inflated, self.header, self.store.at, self.region)
    }

    /// Returns how the chunk in `slot` is stored, with the same hash as [`ZvcrRegion::read`].
    pub fn hash(&mut self, slot: Slot) -> ChunkStorage {
        match self.chunk(slot) {
            None => ChunkStorage::NOTHING,
            Some(Ok(chunk)) => ChunkStorage::unread(chunk.hash),
            Some(Err(damage)) => ChunkStorage::unread(hash_fault(&damage.clone().into())),
        }
    }

    /// Returns the chunk in a slot, after another pass over the file if it is not kept.
    fn chunk(&mut self, slot: Slot) -> Option<&Result<ReadChunk, StreamDamage>> {
        self.will_read(std::iter::once(slot));
        if !self.content().kept.has(slot) {
            let rows = slot.z()..REGION_CHUNKS;
            self.content = OnceCell::from(Arc::new(self.read_rows(rows)));
        }

        self.content().chunk(slot)
    }

    /// Returns the result of the last pass over the file, or of the first one.
    fn content(&self) -> &Content {
        self.content.get_or_init(|| {
            let state = self.stamp.state();
            if !self.needs_inside.get()
                && let Some(border) = self.store.kept_border(self.region, state)
            {
                return border;
            }

            let content = Arc::new(self.read_rows(0..REGION_CHUNKS));
            self.store.keep_border(self.region, state, &content);
            content
        })
    }

    fn read_rows(&self, rows: Range<usize>) -> Content {
        let wanted = WantedChunks {
            border_only: !self.needs_inside.get(),
            rows,
            most_bytes: MAX_KEPT,
        };
        Content::read(self.pass(), wanted)
    }
}

/// Returns the stamp of a file for the state of a time. Another time counts as another file, because
/// it has other chunks.
pub(crate) fn stamp_at(stamp: Stamp, at: Option<i64>) -> Stamp {
    match at {
        Some(at) => stamp.of_another_file(&at.to_le_bytes()),
        None => stamp,
    }
}

/// Reads an open file from a position on.
struct FileReader<'a> {
    disk: &'a Disk,
    position: u64,
}

impl Read for FileReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.disk.read_at(buffer, self.position)?;
        self.position += len as u64;
        Ok(len)
    }
}
