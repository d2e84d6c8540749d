//! Writes a region file from records: a sound one, or one with exactly the fault that a test needs.

use std::collections::BTreeMap;

use super::chunk::ChunkSpec;
use super::nbt::Tag;
use super::payload;

/// The bytes of a sector.
pub const SECTOR: usize = 4096;
/// The bytes of locations and timestamps before the first sector of data.
pub const HEADER: usize = 2 * SECTOR;
/// Compression bytes.
pub const GZIP: u8 = 1;
pub const ZLIB: u8 = 2;
pub const NONE: u8 = 3;
pub const LZ4: u8 = 4;
pub const CUSTOM: u8 = 127;
/// Added to the compression byte of a chunk in its own `.mcc` file.
pub const EXTERNAL: u8 = 128;

/// The position of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After the previous record.
    Next,
    /// No record is written. The header names this sector, whatever it contains.
    Sector(u32),
    /// The record begins in the record of another slot, this many sectors after its start.
    Over(usize, u32),
}

/// One chunk's record, and its entry in the header.
#[derive(Debug, Clone)]
pub struct Record {
    compression: u8,
    payload: Vec<u8>,
    external: Option<Vec<u8>>,
    length: Option<u32>,
    count: Option<u8>,
    place: Place,
}

impl Record {
    /// A record with this compression byte and payload.
    pub const fn new(compression: u8, payload: Vec<u8>) -> Self {
        Self {
            compression,
            payload,
            external: None,
            length: None,
            count: None,
            place: Place::Next,
        }
    }

    /// A chunk in zlib, as the game writes it.
    pub fn zlib(nbt: &Tag) -> Self {
        Self::new(ZLIB, payload::zlib(&nbt.document()))
    }

    /// A chunk in its own file. With `None` the file is missing.
    pub fn external(compression: u8, file: Option<Vec<u8>>) -> Self {
        let record = Self::new(EXTERNAL | compression, Vec::new());
        Self {
            external: file,
            ..record
        }
    }

    /// A slot that points at a sector without a record.
    pub fn pointing_at(sector: u32, count: u8) -> Self {
        let record = Self::new(0, Vec::new());
        Self {
            count: Some(count),
            place: Place::Sector(sector),
            ..record
        }
    }

    /// A slot that points `sectors` into the record of another chunk (slot number).
    pub fn over(slot: usize, sectors: u32) -> Self {
        let record = Self::new(0, Vec::new());
        Self {
            count: Some(1),
            place: Place::Over(slot, sectors),
            ..record
        }
    }

    /// Changes the length field.
    pub fn length(self, length: u32) -> Self {
        Self {
            length: Some(length),
            ..self
        }
    }

    /// Changes the sector count in the header.
    pub fn count(self, count: u8) -> Self {
        Self {
            count: Some(count),
            ..self
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let length = self.length.unwrap_or(self.payload.len() as u32 + 1);
        let mut bytes = length.to_be_bytes().to_vec();
        bytes.push(self.compression);
        bytes.extend(&self.payload);
        bytes
    }
}

/// A region file that is built chunk by chunk.
#[derive(Debug, Clone)]
pub struct RegionSpec {
    pub x: i32,
    pub z: i32,
    /// `mca` or `mcr`.
    pub ending: &'static str,
    /// The last record is filled up to a whole sector.
    pub padded: bool,
    /// The file ends here, even if records are cut.
    pub cut: Option<usize>,
    records: BTreeMap<usize, Record>,
    external: BTreeMap<String, Vec<u8>>,
}

impl RegionSpec {
    /// Makes a region without chunks.
    pub fn new(x: i32, z: i32) -> Self {
        let (records, external) = (BTreeMap::new(), BTreeMap::new());
        Self {
            x,
            z,
            ending: "mca",
            padded: false,
            cut: None,
            records,
            external,
        }
    }

    /// Puts a chunk into its slot, in zlib.
    pub fn put(&mut self, chunk: &ChunkSpec) {
        self.put_record(chunk.x, chunk.z, Record::zlib(&chunk.nbt()));
    }

    /// Puts a record into the slot of a chunk (world position).
    pub fn put_record(&mut self, x: i32, z: i32, record: Record) {
        assert!(
            (x >> 5, z >> 5) == (self.x, self.z),
            "chunk {x}, {z} lies elsewhere"
        );

        if let Some(file) = &record.external {
            self.external.insert(format!("c.{x}.{z}.mcc"), file.clone());
        }

        let before = self.records.insert(slot(x, z), record);
        assert!(before.is_none(), "chunk {x}, {z} is there already");
    }

    /// Returns whether no slot is in use.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The name of the file.
    pub fn file_name(&self) -> String {
        format!("r.{}.{}.{}", self.x, self.z, self.ending)
    }

    /// The `.mcc` files next to it.
    pub const fn external(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.external
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut file = vec![0_u8; HEADER];
        let mut starts = BTreeMap::new();
        for (slot, record) in self
            .records
            .iter()
            .filter(|(_, record)| record.place == Place::Next)
        {
            file.resize(file.len().next_multiple_of(SECTOR), 0);
            starts.insert(*slot, (file.len() / SECTOR) as u32);
            file.extend(record.bytes());
        }

        if self.padded {
            file.resize(file.len().next_multiple_of(SECTOR), 0);
        }

        for (slot, record) in &self.records {
            let start = match record.place {
                Place::Next => starts[slot],
                Place::Sector(sector) => sector,
                Place::Over(other, sectors) => starts[&other] + sectors,
            };

            let count = record
                .count
                .unwrap_or(record.bytes().len().div_ceil(SECTOR).min(255) as u8);
            file[slot * 4..slot * 4 + 4]
                .copy_from_slice(&(start << 8 | u32::from(count)).to_be_bytes());
            let saved = 1_600_000_000 + *slot as u32;
            file[SECTOR + slot * 4..SECTOR + slot * 4 + 4].copy_from_slice(&saved.to_be_bytes());
        }

        file.truncate(self.cut.unwrap_or(file.len()));
        file
    }
}

/// The slot of a chunk (world position) in its region's header.
pub const fn slot(x: i32, z: i32) -> usize {
    (x & 31) as usize + (z & 31) as usize * 32
}
