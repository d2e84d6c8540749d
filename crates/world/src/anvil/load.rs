//! Reads a slot's stored bytes, repeatedly while a server is writing the file, until they can be
//! trusted.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use super::file::{Payload, RecordReading, RegionFile};
use super::header::{EXTERNAL, HEADER_BYTES, Location, SECTOR};
use crate::bytes::{
    Allowance, Disk, Fault, Inflater, PATIENCE, PAUSE, REST, RESTS, UNCOMPRESSED, UNSTABLE,
    hash_external, hash_fault, hash_record,
};
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::files::Files;

/// The most readings of a chunk whose file does not rest.
const READINGS: usize = 8;
/// An empty file that was touched within this time may have been emptied to be written again.
const EMPTIED: Duration = Duration::from_millis(100);

/// Checks whether a chunk's stored bytes inflate to a whole chunk.
type IsSound<'a> = dyn FnMut(&mut Inflater, u8, Range<usize>) -> bool + 'a;

impl RegionFile {
    /// Opens a region file. If it is empty and was touched a moment ago, first waits until it was
    /// left alone for 100 ms, because a server may have emptied it to write it again.
    pub fn open_filled(files: &Files, path: &Path, region: RegionPos) -> io::Result<Self> {
        Self::open_after(files, path, region, std::thread::sleep)
    }

    /// Opens a region file like `open_filled`, but calls `wait` to wait.
    pub(super) fn open_after(
        files: &Files,
        path: &Path,
        region: RegionPos,
        wait: impl FnOnce(Duration),
    ) -> io::Result<Self> {
        let file = Self::open(files, path, region)?;
        let is_empty = file.has_short_header() || file.header.in_use() == 0;
        if is_empty && let Some(rest) = file.disk.time_to_rest(EMPTIED) {
            wait(rest);
            return Self::open(files, path, region);
        }

        Ok(file)
    }

    /// Reads the stored bytes of the chunk in `slot` into the inflater's buffer.
    ///
    /// A file that is being written is read until it has rested, and two successive readings and
    /// the header's entries around them are the same. If it does not rest, two equal readings are
    /// accepted if they are sound, or if a third reading equals them. `is_sound` is called only in
    /// this case. A chunk without a checksum is never accepted from a file that does not rest.
    pub(super) fn load(
        &mut self,
        slot: Slot,
        inflater: &mut Inflater,
        allowance: Allowance,
        is_sound: &mut IsSound<'_>,
    ) -> RecordReading {
        let mut last = None;
        let mut is_doubted = false;
        let mut readings = 0;
        while readings < READINGS
            && let Some(location) = self.header.location(slot)
        {
            let entry = self.header.entry(slot);

            let mut reading = self.load_once(slot, location, inflater, allowance);
            if !self.disk.ask_live()
                && !reading.own_file.as_ref().is_some_and(|disk| disk.is_live())
            {
                return reading;
            }

            let has_waited = self.wait_for_rest(&mut reading);
            readings += usize::from(!has_waited);
            self.update_header();

            let this = Some((entry, reading.hash));
            if last == this && self.header.entry(slot) == entry {
                if self.time_to_rest(&reading).is_none() {
                    return reading;
                }

                let is_sound = match &reading.payload {
                    Ok((UNCOMPRESSED, _)) => break,
                    Ok((compression, bytes)) => {
                        is_doubted || is_sound(inflater, *compression, bytes.clone())
                    }
                    Err(_) => is_doubted,
                };

                if is_sound {
                    return reading;
                }

                is_doubted = true;
            } else {
                is_doubted = false;
            }

            last = this;

            if !has_waited && self.time_to_rest(&reading).is_some() {
                self.waited.wait(PAUSE, PATIENCE);
            }
        }

        RecordReading {
            payload: Err(Fault::Torn),
            hash: UNSTABLE,
            is_external: false,
            own_file: None,
        }
    }

    /// Returns the time until the file, and the external file if there is one, will have rested;
    /// `None`: they already have.
    fn time_to_rest(&self, reading: &RecordReading) -> Option<Duration> {
        self.disk.time_to_rest(REST).max(
            reading
                .own_file
                .as_ref()
                .and_then(|disk| disk.time_to_rest(REST)),
        )
    }

    /// Waits until the files have rested, within the limit. Returns whether it waited.
    fn wait_for_rest(&mut self, reading: &mut RecordReading) -> bool {
        self.disk.ask_live();
        reading.own_file.as_mut().map(|disk| disk.ask_live());
        self.time_to_rest(reading)
            .is_some_and(|rest| self.waited.wait(rest, RESTS))
    }

    fn update_header(&mut self) {
        self.disk.ask_live();
        let mut bytes = [0; HEADER_BYTES];
        if let Ok(read) = self.disk.read_at(&mut bytes, 0) {
            self.header.update(&bytes[..read]);
        }
    }

    /// Reads the record at `location`, or the external file to which it refers, and hashes it.
    fn load_once(
        &self,
        slot: Slot,
        location: Location,
        inflater: &mut Inflater,
        allowance: Allowance,
    ) -> RecordReading {
        let mut own_file = None;
        let mut payload = self.record(location, inflater, allowance);
        let is_external = payload
            .as_ref()
            .is_ok_and(|(compression, _)| compression & EXTERNAL != 0);
        if is_external && let Ok((compression, _)) = &payload {
            let compression = compression & !EXTERNAL;
            let read = read_own(
                &self.files,
                &self.external_path(slot),
                inflater,
                allowance,
                &mut own_file,
            );
            payload = read.map(|len| (compression, 0..len));
        }

        let hash = match &payload {
            Err(fault) => hash_fault(fault),
            Ok((compression, bytes)) if is_external => {
                hash_external(*compression, inflater.stored(bytes))
            }
            // The byte before the payload is its compression.
            Ok((_, bytes)) => hash_record(inflater.stored(&(bytes.start - 1..bytes.end))),
        };

        RecordReading {
            payload,
            hash,
            is_external,
            own_file,
        }
    }

    /// Reads the record at `location`: its compression, including the bit for an external file, and
    /// its payload.
    fn record(
        &self,
        location: Location,
        inflater: &mut Inflater,
        allowance: Allowance,
    ) -> Result<Payload, Fault> {
        if location.sector < 2 {
            return Err(Fault::InHeader);
        }

        let start = u64::from(location.sector) * SECTOR;
        let len = self.disk.last_stamp().len;
        if start >= len {
            return Err(Fault::OutOfFile);
        }

        let rest = len - start;

        // Reading the reserved sectors once is enough for nearly every record.
        let reserved = (u64::from(location.count) * SECTOR).min(rest) as usize;
        let record = self.fill(inflater, allowance, start, reserved)?;
        let &[a, b, c, d, compression] = record.first_chunk::<5>().ok_or(Fault::CutOff)?;
        let len = u32::from_be_bytes([a, b, c, d]);
        if len == 0 || u64::from(len) + 4 > rest {
            return Err(Fault::BadLength(len));
        }
        if compression & EXTERNAL != 0 {
            return Ok((compression, 5..5));
        }

        let end = len as usize + 4;

        // The number of sectors ends at 255, but the length of a record does not.
        if end > record.len() && self.fill(inflater, allowance, start, end)?.len() < end {
            return Err(Fault::CutOff);
        }

        Ok((compression, 5..end))
    }

    fn fill<'a>(
        &self,
        inflater: &'a mut Inflater,
        allowance: Allowance,
        start: u64,
        len: usize,
    ) -> Result<&'a [u8], Fault> {
        let record = inflater.record(len, allowance)?;
        let read = self.disk.read_at(record, start)?;
        Ok(&record[..read])
    }
}

/// Reads an external file. Returns its length, and puts the open file into `own_file`.
fn read_own(
    files: &Files,
    path: &Path,
    inflater: &mut Inflater,
    allowance: Allowance,
    own_file: &mut Option<Box<Disk>>,
) -> Result<usize, Fault> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();

    let facts = files
        .facts(path)
        .map_err(|error| own_file_fault(&name, error))?;
    if !facts.is_file() {
        return Err(Fault::NotMcc(
            name,
            if facts.is_folder() {
                "a folder"
            } else {
                "not a regular file"
            },
        ));
    }

    let opened = Disk::open(files, path).map_err(|error| own_file_fault(&name, error))?;
    let disk = own_file.insert(Box::new(opened));
    let read = disk.read_record(inflater, allowance)?;
    disk.ask_live();

    Ok(read)
}

/// Returns the fault of an external file that cannot be opened.
fn own_file_fault(name: &str, error: io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::NotFound => Fault::MissingMcc(name.to_owned()),
        _ => error.into(),
    }
}
