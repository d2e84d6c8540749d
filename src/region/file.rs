//! An open region file and the records in it, in the file itself or in `.mcc` files beside it.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Fault;
use super::disk::{Disk, REST, unrest};
use super::hash::{self, ChunkHash, NO_RECORD, Stamp, UNSETTLED};
use super::header::{HEADER_BYTES, Header, Location, SECTOR};
use super::inflate::{Inflater, Plain, SHORT_CHUNK, UNCOMPRESSED};
use crate::coord::{REGION_SLOTS, RegionPos, Slot};

/// Set in the compression byte of a chunk that is stored in a file of its own.
const EXTERNAL: u8 = 0x80;
/// The most bytes that the chunks of one region may inflate to: above this a region is a bomb. The chunks along its
/// border are left out, as neighbours read them in whatever order: which chunks are refused then depends on the file
/// alone.
pub(super) const MAX_REGION: u64 = 2 << 30;
/// The most bytes that one record is inflated to in all for the slots that lead to it: those further on are refused. It
/// hangs on the file alone which they are, so this holds along the border, too.
pub(super) const MAX_SHARED: usize = 1 << 30;
/// How often a record that somebody may be writing is read in search of two readings that are the same.
const READINGS: usize = 8;
/// How long is waited in all for a file to be left alone for a moment.
const PATIENCE: Duration = Duration::from_millis(150);

/// An open region file. A game may be writing it: each record is then read until its bytes and the header's entry stand
/// still, and what comes out is the chunk before it was saved or after. What is being written that moment may be a fault
/// for now: see [`RegionFile::is_live`] and [`RegionFile::stands_still`].
#[derive(Debug)]
pub struct RegionFile {
    pub(super) disk: Disk,
    path: PathBuf,
    region: RegionPos,
    stamp: Stamp,
    header: Header,
    /// What the chunks inside the border have inflated to, or were given room for in vain, and what else was slow in them.
    pub(super) inflated: u64,
    /// Whether that was more than it may be before what was read last.
    is_spent: bool,
    /// The compression of the record read last.
    compression: Option<u8>,
    /// The hash of what was read last, and whether it leads to a file of its own.
    hash: ChunkHash,
    external: bool,
    /// Whether somebody may be writing that, and what the system said of it last.
    external_live: bool,
    external_seen: Option<Stamp>,
    /// How many bytes were read for hashes alone.
    hashed: u64,
    /// How long was waited for whoever writes it.
    waited: Duration,
    /// When the record read last was read whole and its inflating began.
    was_read: Option<Instant>,
    /// First sectors of records that failed, or that are long and shared, with their hashes: one that a thousand slots
    /// point to is not tried for each.
    known: HashMap<u32, (Tried, ChunkHash)>,
}

/// What came of a record.
#[derive(Debug)]
enum Tried {
    Failed(Fault),
    /// It inflates to so many bytes.
    Long(usize),
}

impl RegionFile {
    /// Opens a region file and reads its header. A file shorter than a header is read as if zeros followed.
    ///
    /// # Errors
    /// The file cannot be opened or read, or is no regular file.
    pub fn open(path: &Path, region: RegionPos) -> io::Result<Self> {
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let disk = Disk::open(path)?;
        let mut bytes = [0; HEADER_BYTES];
        let read = disk.read_at(&mut bytes, 0)?;
        let header = Header::parse(&bytes[..read]);
        let stamp = disk.seen().with_header(&bytes[..read]);
        Ok(Self {
            disk,
            path: path.to_owned(),
            region,
            stamp,
            header,
            inflated: 0,
            is_spent: false,
            compression: None,
            hash: NO_RECORD,
            external: false,
            external_live: false,
            external_seen: None,
            hashed: 0,
            waited: Duration::ZERO,
            was_read: None,
            known: HashMap::new(),
        })
    }

    /// What the system and the header said of the file when it was opened.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// The region's position.
    pub fn region(&self) -> RegionPos {
        self.region
    }

    /// Where the chunks are.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the file ends inside the header although it is not empty.
    pub fn short_header(&self) -> bool {
        (1..HEADER_BYTES as u64).contains(&self.stamp.len)
    }

    /// Whether somebody may be writing the file: it was touched while it was open, or shortly before.
    pub fn is_live(&self) -> bool {
        self.disk.is_live() || self.external_live
    }

    /// Whether nothing is stored, or not even a whole header, and somebody has touched the file within such a time: who
    /// writes it anew may have emptied it first.
    pub fn is_emptied(&self, within: Duration) -> bool {
        (self.short_header() || self.header.in_use() == 0) && unrest(self.disk.seen(), within).is_some()
    }

    /// Whether what [`RegionFile::chunk`] read last of `slot` is still there, by reading it again without inflating it. Of
    /// a record that may not be read again that is to be believed.
    pub fn stands_still(&mut self, slot: Slot, inflater: &mut Inflater) -> bool {
        let (entry, hash, external) = (self.header.entry(slot), self.hash, self.external);
        if hash == UNSETTLED || self.hashed > MAX_REGION {
            return true;
        }
        let again = self.hash(slot, inflater);
        (self.hash, self.external) = (hash, external);
        again == hash && self.header.entry(slot) == entry
    }

    /// Whether the header says something else of `slot` than when it was read last. Of a file that nobody has touched it
    /// does not.
    pub fn has_moved(&mut self, slot: Slot) -> bool {
        let entry = self.header.entry(slot);
        if self.is_live() || self.disk.was_touched() {
            self.look_again();
        }
        self.header.entry(slot) != entry
    }

    /// What was read last of `slot` costs as much as so many bytes more.
    ///
    /// # Errors
    /// Others of the region have used up what that may cost, and this is no chunk of usual length.
    pub fn add_cost(&mut self, slot: Slot, bytes: usize) -> Result<(), Fault> {
        if !slot.is_on_border() {
            self.inflated += bytes as u64;
        }
        if self.is_spent && bytes > SHORT_CHUNK { Err(Fault::RegionTooLarge) } else { Ok(()) }
    }

    /// What was read last is not to be taken for what is stored.
    pub fn unsettle(&mut self) {
        self.hash = UNSETTLED;
    }

    /// What a test has happen before each read of the file.
    #[cfg(test)]
    pub(crate) fn before_reads(&mut self, happens: impl FnMut() + Send + 'static) {
        *self.disk.before_read.get_mut() = Some(Box::new(happens));
    }

    /// A number for the state in which the file was when it was opened.
    pub fn state(&self) -> u64 {
        self.stamp.state()
    }

    /// Reads the header again.
    fn look_again(&mut self) {
        self.disk.was_touched();
        let mut bytes = [0; HEADER_BYTES];
        if let Ok(read) = self.disk.read_at(&mut bytes, 0) {
            self.header.update(&bytes[..read]);
        }
    }

    /// The compression of the record read last, without the mark of a file of its own; `None` if it could not be read.
    pub fn compression(&self) -> Option<u8> {
        self.compression
    }

    /// When the record read last was read and its inflating began; `None` if it could not be read.
    pub fn was_read(&self) -> Option<Instant> {
        self.was_read
    }

    /// The hash of what [`RegionFile::chunk`] or [`RegionFile::hash`] read last.
    pub fn last_hash(&self) -> ChunkHash {
        self.hash
    }

    /// The hash of the chunk in `slot`, without inflating it: the one that [`RegionFile::chunk`] leaves behind.
    pub fn hash(&mut self, slot: Slot, inflater: &mut Inflater) -> ChunkHash {
        (self.hash, self.external) = (NO_RECORD, false);
        if self.header.location(slot).is_none() {
            return NO_RECORD;
        }
        self.hash = UNSETTLED;
        let mut plain = Plain::start(inflater);
        // A file whose slots all lead to the same large record would be read a thousand times.
        if self.hashed <= MAX_REGION {
            // What is wrong with it is in the hash.
            let record = self.load(slot, plain.inflater());
            self.hashed += record.map_or(0, |(_, bytes)| bytes.len() as u64);
        }
        self.hash
    }

    /// Whether what was read last leads to a file of its own.
    pub fn is_external(&self) -> bool {
        self.external
    }

    /// Whether the record of the chunk in `slot` leads to a file of its own.
    pub fn leads_outside(&self, slot: Slot) -> bool {
        let Some(location) = self.header.location(slot).filter(|location| location.sector >= 2) else { return false };
        let mut head = [0; 5];
        let read = self.disk.read_at(&mut head, u64::from(location.sector) * SECTOR);
        read.is_ok_and(|read| read == head.len()) && head[4] & EXTERNAL != 0
    }

    /// The stamp of the file of its own that the chunk in `slot` has; `None` where there is no such file.
    pub fn external_stamp(&self, slot: Slot) -> Option<Stamp> {
        let metadata = self.external_path(slot).metadata().ok()?;
        Some(Stamp::new(&metadata))
    }

    fn external_path(&self, slot: Slot) -> PathBuf {
        let chunk = self.region.chunk(slot);
        self.path.with_file_name(format!("c.{}.{}.mcc", chunk.x, chunk.z))
    }

    /// The plain bytes of the chunk in `slot`, or `None` for an empty slot. A large buffer is given back when they are
    /// dropped.
    ///
    /// # Errors
    /// What is wrong with the chunk; other slots are not affected.
    pub fn chunk<'a>(&mut self, slot: Slot, inflater: &'a mut Inflater) -> Option<Result<Plain<'a>, Fault>> {
        (self.compression, self.was_read) = (None, None);
        (self.hash, self.external) = (NO_RECORD, false);
        self.header.location(slot)?;
        let mut plain = Plain::start(inflater);
        Some(self.read(slot, plain.inflater()).map(|()| plain))
    }

    fn read(&mut self, slot: Slot, inflater: &mut Inflater) -> Result<(), Fault> {
        // What is not read is not known.
        self.hash = UNSETTLED;
        if let Some((fault, hash)) = self.known_fault(slot) {
            self.hash = hash;
            self.disk.was_touched();
            return Err(fault);
        }
        let counted = !slot.is_on_border();
        self.is_spent = counted && self.inflated > MAX_REGION;
        if self.is_spent {
            // One of usual length is not to pay for the others: no region has many of those.
            inflater.only_short();
        }
        let record = self.load(slot, inflater);
        self.compression = record.as_ref().ok().map(|(compression, _)| *compression);
        self.was_read = record.is_ok().then(Instant::now);
        let mut cost = 0;
        let inflated = record.and_then(|(compression, bytes)| {
            cost = bytes.len();
            let inflated = inflater.inflate(compression, bytes);
            // A success costs what came out of it, a failure what it was given room for.
            cost = cost.max(*inflated.as_ref().unwrap_or(&inflater.reached()));
            inflated
        });
        let fits = inflated.as_ref().map_or(Ok(()), |&len| self.share(slot, len));
        // What is refused here is inflated once at most, for whichever slot is the first: it must not matter for which.
        if counted && fits.is_ok() {
            self.inflated += cost as u64;
        }
        if self.is_spent && inflated == Err(Fault::TooLarge) {
            if self.was_read.is_none() {
                self.hash = UNSETTLED;
            }
            return Err(Fault::RegionTooLarge);
        }
        let tried = match &inflated {
            Err(fault) => Some(Tried::Failed(fault.clone())),
            Ok(len) => fits.is_err().then_some(Tried::Long(*len)),
        };
        // What is wrong with a file of its own is the slot's, not the record's that leads there.
        if let (Some(tried), false, Some(sector)) = (tried, self.external, self.sector(slot)) {
            self.known.insert(sector, (tried, self.hash));
        }
        inflated.and(fits)
    }

    /// What is wrong with the record of `slot`, as far as that is known without reading it again.
    fn known_fault(&self, slot: Slot) -> Option<(Fault, ChunkHash)> {
        let (tried, hash) = self.known.get(&self.sector(slot)?)?;
        let fault = match tried {
            Tried::Failed(fault) => fault.clone(),
            Tried::Long(len) => self.share(slot, *len).err()?,
        };
        Some((fault, *hash))
    }

    /// Whether the record of `slot`, of `len` plain bytes, may be read for it and all slots before that lead there, too.
    fn share(&self, slot: Slot, len: usize) -> Result<(), Fault> {
        // Nearly every chunk is so short that all slots could have it.
        if len <= MAX_SHARED / REGION_SLOTS {
            return Ok(());
        }
        let sector = self.sector(slot);
        let sharing = Slot::all().take(slot.index() + 1).filter(|&slot| self.sector(slot) == sector).count();
        if sharing > 1 && sharing * len > MAX_SHARED { Err(Fault::SharedTooOften) } else { Ok(()) }
    }

    /// Where the record of `slot` begins.
    fn sector(&self, slot: Slot) -> Option<u32> {
        self.header.location(slot).map(|location| location.sector)
    }

    /// Reads the record of `slot` as [`RegionFile::load_once`] does. Of a file that somebody may be writing it is read until
    /// two readings in succession, and the header's entries around them, are the same, and for that until it was left alone
    /// for a moment. Where it is not, what has no checksum is not believed.
    fn load(&mut self, slot: Slot, inflater: &mut Inflater) -> Result<(u8, Range<usize>), Fault> {
        let (mut last, mut readings) = (None, 0);
        while readings < READINGS {
            let Some(location) = self.header.location(slot) else { break };
            let entry = self.header.entry(slot);
            let record = self.load_once(slot, location, inflater);
            if !self.is_live() && !self.disk.was_touched() {
                return record;
            }
            readings += usize::from(!self.has_waited());
            self.look_again();
            let read = Some((entry, self.hash));
            if self.header.entry(slot) == entry && last == read {
                // Nothing but its file tells of such a record that it is half written.
                let is_unchecked = record.as_ref().is_ok_and(|(compression, _)| *compression == UNCOMPRESSED);
                if is_unchecked && self.unrest().is_some() {
                    break;
                }
                if self.known.get(&location.sector).is_some_and(|(_, hash)| *hash != self.hash) {
                    self.known.remove(&location.sector);
                }
                return record;
            }
            last = read;
        }
        self.hash = UNSETTLED;
        Err(Fault::Torn)
    }

    /// How long it is until nobody has touched the file, or that of its own which the record read last has, for a moment.
    fn unrest(&self) -> Option<Duration> {
        unrest(self.disk.seen(), REST).max(self.external_seen.and_then(|seen| unrest(seen, REST)))
    }

    /// Waits until the file was left alone for a moment, if that is to come and there is patience left.
    fn has_waited(&mut self) -> bool {
        self.disk.was_touched();
        let rest = self.unrest().filter(|rest| self.waited + *rest <= PATIENCE);
        if let Some(rest) = rest {
            std::thread::sleep(rest);
            self.waited += rest;
        }
        rest.is_some()
    }

    /// Reads the record at `location`, or the file of its own to which it leads, into the inflater's room, and takes its
    /// hash: its compression, and where its payload stands there.
    fn load_once(
        &mut self,
        slot: Slot,
        location: Location,
        inflater: &mut Inflater,
    ) -> Result<(u8, Range<usize>), Fault> {
        (self.external_live, self.external_seen) = (false, None);
        let mut record = self.record(location, inflater);
        self.external = record.as_ref().is_ok_and(|(compression, _)| compression & EXTERNAL != 0);
        if let (Ok((compression, _)), true) = (&record, self.external) {
            record = self.external(slot, compression & !EXTERNAL, inflater);
        }
        self.hash = match &record {
            Err(fault) => hash::of_fault(fault),
            Ok((compression, bytes)) if self.external => hash::of_external(*compression, inflater.stored(bytes)),
            // The byte before the payload is its compression.
            Ok((_, bytes)) => hash::of_record(inflater.stored(&(bytes.start - 1..bytes.end))),
        };
        record
    }

    /// Reads the record at `location` into the inflater's room: its compression, with the mark of a file of its own, and
    /// where its payload stands there.
    fn record(&self, location: Location, inflater: &mut Inflater) -> Result<(u8, Range<usize>), Fault> {
        if location.sector < 2 {
            return Err(Fault::InHeader);
        }
        let start = u64::from(location.sector) * SECTOR;
        let len = self.disk.seen().len;
        if start >= len {
            return Err(Fault::OutOfFile);
        }
        let rest = len - start;
        // One read for the reserved sectors gives nearly every record whole.
        let reserved = (u64::from(location.count) * SECTOR).min(rest) as usize;
        let record = self.fill(inflater, start, reserved)?;
        let &[a, b, c, d, compression] = record.first_chunk::<5>().ok_or(Fault::CutOff)?;
        let len = u32::from_be_bytes([a, b, c, d]);
        if len == 0 || u64::from(len) + 4 > rest {
            return Err(Fault::BadLength(len));
        }
        if compression & EXTERNAL != 0 {
            return Ok((compression, 5..5));
        }
        let end = len as usize + 4;
        // Longer than 255 sectors: the count stops there and the length goes on.
        if end > record.len() && self.fill(inflater, start, end)?.len() < end {
            return Err(Fault::CutOff);
        }
        Ok((compression, 5..end))
    }

    fn fill<'a>(&self, inflater: &'a mut Inflater, start: u64, len: usize) -> Result<&'a [u8], Fault> {
        let record = inflater.record(len)?;
        let read = self.disk.read_at(record, start)?;
        Ok(&record[..read])
    }

    /// Reads the file of its own that the chunk in `slot` has.
    fn external(&mut self, slot: Slot, compression: u8, inflater: &mut Inflater) -> Result<(u8, Range<usize>), Fault> {
        let path = self.external_path(slot);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Fault::MissingMcc(name.clone()),
            _ => error.into(),
        };
        let there = path.metadata().map_err(unreadable)?;
        if !there.is_file() {
            return Err(Fault::NotMcc(name, if there.is_dir() { "a folder" } else { "no regular file" }));
        }
        let mut disk = Disk::open(&path).map_err(unreadable)?;
        self.external_live = disk.is_live();
        let record = inflater.record(usize::try_from(disk.seen().len).unwrap_or(usize::MAX))?;
        let read = disk.read_at(record, 0).map_err(unreadable)?;
        self.external_live |= disk.was_touched();
        self.external_seen = Some(disk.seen());
        Ok((compression, 0..read))
    }
}
