//! An open region file: its header, and the chunks in it.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::ahead;
use super::header::{EXTERNAL, HEADER_BYTES, RegionHeader, SECTOR};
use crate::bytes::{
    Allowance, ChunkHash, ChunkRecord, ChunkStorage, Disk, Fault, Form, InflatedLen, Inflater,
    LONG_REST, PlainBytes, Stamp, WaitingTime,
};
use crate::nbt;
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::files::Files;

/// An open region file. A server may be writing it. Then a chunk is read until its bytes and its
/// entry in the header no longer change, so the result is the state before or after the server
/// saved the chunk, never a mixture.
#[derive(Debug)]
pub struct RegionFile {
    pub(super) disk: Disk,
    pub files: Files,
    pub(crate) path: PathBuf,
    pub(super) region: RegionPos,
    stamp: Stamp,
    pub(super) header: RegionHeader,
    /// Bytes that the chunks inside the border have cost so far.
    pub(super) inflated: u64,
    pub(super) waited: WaitingTime,
    /// Records that failed, by first sector, so that a record is not tried a thousand times if a
    /// thousand slots refer to it.
    failed: HashMap<u32, (Fault, ChunkHash)>,
}

/// The compression of a record, and the position of its payload in the inflater's buffer.
pub(super) type Payload = (u8, Range<usize>);

/// The result of reading a chunk's stored bytes once.
pub(super) struct RecordReading {
    pub(super) payload: Result<Payload, Fault>,
    pub(super) hash: ChunkHash,
    pub(super) is_external: bool,
    /// The external file, if the chunk has one and it was read.
    pub(super) own_file: Option<Box<Disk>>,
}

impl RegionFile {
    /// Opens a region file and reads its header. If the file is shorter than a header, the missing
    /// bytes count as zeros.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or read, or is not a regular file.
    pub fn open(files: &Files, path: &Path, region: RegionPos) -> io::Result<Self> {
        let disk = Disk::open_regular(files, path)?;
        let mut bytes = [0; HEADER_BYTES];

        let read = disk.read_at(&mut bytes, 0)?;
        let header = RegionHeader::parse(&bytes[..read]);
        let stamp = disk.last_stamp().with_header(&bytes[..read]);
        Ok(Self {
            disk,
            files: files.clone(),
            path: path.to_owned(),
            region,
            stamp,
            header,
            inflated: 0,
            waited: WaitingTime::default(),
            failed: HashMap::new(),
        })
    }

    /// Asks the system to read the chunks in `slots` ahead, because they will be read soon, one
    /// after the other.
    pub fn will_read(&self, slots: impl Iterator<Item = Slot>) {
        ahead::pieces(&self.header, slots, self.disk.last_stamp().len)
            .for_each(|piece| self.disk.will_read(piece));
    }

    /// Returns the file's stamp when it was opened.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    pub fn region(&self) -> RegionPos {
        self.region
    }

    pub fn header(&self) -> &RegionHeader {
        &self.header
    }

    /// Returns whether the file is not empty but ends inside the header.
    pub fn has_short_header(&self) -> bool {
        (1..HEADER_BYTES as u64).contains(&self.stamp.len)
    }

    /// Returns a number that identifies the file's state when it was opened.
    pub fn state(&self) -> u64 {
        self.stamp.state()
    }

    /// Sets a function that is called before each read of the file.
    #[cfg(any(test, feature = "faults"))]
    pub(crate) fn before_reads(&mut self, called: impl FnMut() + Send + 'static) {
        *self.disk.before_read.get_mut() = Some(Box::new(called));
    }

    /// Reads the chunk in `slot`; `None`: the slot is empty. A fault in the chunk affects no other
    /// slot.
    ///
    /// While the file is being written, the bytes may be a half-written chunk: `is_whole` decides
    /// whether they are used or read again. It is not called for a file that is not being written.
    pub fn read<'a>(
        &mut self,
        slot: Slot,
        inflater: &'a mut Inflater,
        mut is_whole: impl FnMut(&[u8]) -> bool,
    ) -> Option<ChunkRecord<'a>> {
        self.header.location(slot)?;
        let mut plain = PlainBytes::start(inflater);
        let mut allowance = Allowance::for_slot(self.inflated, slot);

        let failed = self.failed(slot);

        // If the file is being written, the record may have been replaced, so it is read again.
        if failed.is_some() && !self.disk.ask_live() {
            return failed.map(|(fault, hash)| unread(fault, hash));
        }

        let RecordReading {
            payload,
            hash,
            is_external,
            ..
        } = self.load(
            slot,
            plain.inflater(),
            allowance,
            &mut |inflater, compression, payload| {
                inflater
                    .inflate(compression, payload, &mut { allowance })
                    .is_ok()
                    && is_whole(inflater.plain())
            },
        );

        if let Some((fault, before)) = failed
            && before == hash
        {
            return Some(unread(fault, hash));
        }

        let stored = ChunkStorage {
            hash,
            compression: payload.as_ref().ok().map(|(compression, _)| *compression),
            is_external,
        };

        let read_at = payload.is_ok().then(Instant::now);
        let mut cost = 0;
        let inflated = payload.and_then(|(compression, bytes)| {
            cost = bytes.len();

            // The bytes may be parts of two records if the file was written a moment ago, and
            // without the end of the stream no checksum shows that.
            let is_recent = self.disk.time_to_rest(LONG_REST).is_some();
            let is_usable = if is_recent {
                nbt::is_exactly_whole
            } else {
                nbt::is_whole
            };

            let inflated =
                plain
                    .inflater()
                    .inflate_cut(compression, bytes, &mut allowance, is_usable);

            // A success costs its plain bytes, and a failure costs the buffer space that it needed.
            cost = cost.max(
                inflated
                    .as_ref()
                    .map_or(allowance.reached, |inflated| inflated.len),
            );

            inflated
        });

        if !slot.is_on_border() {
            self.inflated += cost as u64;
        }

        if let Err(fault) = &inflated {
            self.remember_failure(slot, fault, &stored);
        }

        let is_cut = matches!(inflated, Ok(InflatedLen { is_cut: true, .. }));
        Some(ChunkRecord {
            plain: inflated.map(|_| plain),
            form: Form::Nbt,
            is_cut,
            stored,
            read_at,
        })
    }

    /// Remembers the fault of a record for other slots that refer to it.
    fn remember_failure(&mut self, slot: Slot, fault: &Fault, stored: &ChunkStorage) {
        // A torn record changed while it was read, and the earlier chunks of the region decide
        // whether it is too large. A fault in an external file belongs to its slot.
        let is_fault_of_reading = matches!(fault, Fault::Torn | Fault::RegionTooLarge);
        let is_fault_of_record = !is_fault_of_reading && !stored.is_external;

        if is_fault_of_record && let Some(sector) = self.sector(slot) {
            self.failed.insert(sector, (fault.clone(), stored.hash));
        }
    }

    /// Returns how the chunk in `slot` is stored, with the same hash as [`RegionFile::read`].
    /// Inflates nothing.
    pub fn hash(&mut self, slot: Slot, inflater: &mut Inflater) -> ChunkStorage {
        if self.header.location(slot).is_none() {
            return ChunkStorage::NOTHING;
        }

        let mut plain = PlainBytes::start(inflater);
        let reading = self.load(slot, plain.inflater(), Allowance::FULL, &mut |_, _, _| true);
        let RecordReading {
            payload,
            hash,
            is_external,
            ..
        } = reading;

        // The hash of a record that cannot be read shows the fault.
        ChunkStorage {
            hash,
            compression: payload.ok().map(|(compression, _)| compression),
            is_external,
        }
    }

    /// Returns the remembered fault of the record of `slot`.
    fn failed(&self, slot: Slot) -> Option<(Fault, ChunkHash)> {
        self.failed.get(&self.sector(slot)?).cloned()
    }

    /// Returns the first sector of the record of `slot`.
    fn sector(&self, slot: Slot) -> Option<u32> {
        self.header.location(slot).map(|location| location.sector)
    }

    /// Returns whether the record of the chunk in `slot` refers to an external file.
    pub fn leads_outside(&self, slot: Slot) -> bool {
        let Some(location) = self
            .header
            .location(slot)
            .filter(|location| location.sector >= 2)
        else {
            return false;
        };
        let mut head = [0; 5];
        let read = self
            .disk
            .read_at(&mut head, u64::from(location.sector) * SECTOR);
        read.is_ok_and(|read| read == head.len()) && head[4] & EXTERNAL != 0
    }

    /// Returns the stamp of the external file of the chunk in `slot`; `None`: the file does not
    /// exist.
    pub fn external_stamp(&self, slot: Slot) -> Option<Stamp> {
        let facts = self.files.facts(&self.external_path(slot)).ok()?;
        Some(Stamp::new(&facts))
    }

    pub(super) fn external_path(&self, slot: Slot) -> PathBuf {
        let chunk = self.region.chunk(slot);
        self.path
            .with_file_name(format!("c.{}.{}.mcc", chunk.x, chunk.z))
    }
}

/// Returns the record of a chunk whose bytes cannot be read.
fn unread(fault: Fault, hash: ChunkHash) -> ChunkRecord<'static> {
    ChunkRecord {
        plain: Err(fault),
        form: Form::Nbt,
        is_cut: false,
        stored: ChunkStorage::unread(hash),
        read_at: None,
    }
}
