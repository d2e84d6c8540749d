//! Writes and parses the bytes of records, which are numbers of eight bytes each, least byte first.
//!
//! The numbers of a region's record are followed by JSON with its findings and the names on its
//! tile. The JSON is left out if the findings are only chunk counts and the tile shows nothing with
//! a name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::report::{ChunkCounts, Findings, ShownNames};
use crate::tiles::record::region::RegionRecord;
use crate::tiles::record::source::{Hashes, RegionSource};
use crate::tiles::record::tile_facts::{ParentRecord, TileFacts};
use pixelmap_base::coord::{Area, CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, REGION_SLOTS, Slot};
use pixelmap_map::atlas::TileRecord;
use pixelmap_world::internal::Stamp;

/// The part of a record that is JSON.
#[derive(Default, Serialize, Deserialize)]
struct Json<'a> {
    #[serde(flatten)]
    findings: Cow<'a, Findings>,
    #[serde(default, skip_serializing_if = "is_empty")]
    shown: Cow<'a, ShownNames>,
}

fn is_empty(shown: &ShownNames) -> bool {
    shown.is_empty()
}

pub fn region_bytes(record: &RegionRecord) -> Vec<u8> {
    let RegionRecord {
        source,
        neighbour_hash,
        tile,
        filled,
        findings,
        shown,
    } = record;

    let mut out = RecordWriter::default();
    out.write_stamp(&source.stamp);
    out.write_number(source.read as u64);
    out.write_number(source.hashes.content);
    out.write_numbers(source.hashes.sides);
    out.write_numbers(source.hashes.corners);
    out.write_number(source.external.len() as u64);

    for (slot, stamp) in &source.external {
        out.write_number(slot.index() as u64);
        out.write_number(u64::from(stamp.is_some()));
        out.write_stamp(&stamp.unwrap_or_default());
    }

    out.write_number(*neighbour_hash);
    out.write_tile(*tile);
    out.write_area(*filled);

    let ChunkCounts {
        drawn,
        empty,
        unfinished,
        bad,
        ..
    } = findings.chunks;
    out.write_numbers([drawn, empty, unfinished, bad]);

    let only_counts = Findings {
        chunks: findings.chunks,
        ..Findings::default()
    };

    if *findings != only_counts || !shown.is_empty() {
        let json = Json {
            findings: Cow::Borrowed(findings),
            shown: Cow::Borrowed(shown),
        };
        // This cannot fail, because JSON can represent all of these values.
        out.0.extend(serde_json::to_vec(&json).unwrap_or_default());
    }

    out.0
}

/// Parses only the source of a region from the bytes of its record.
pub fn parse_source(bytes: &[u8]) -> Option<RegionSource> {
    RecordReader(bytes).read_source()
}

/// Parses a region's record. Returns `None` if the bytes are not a valid record.
pub fn parse_region(bytes: &[u8]) -> Option<RegionRecord> {
    let mut from = RecordReader(bytes);
    let source = from.read_source()?;
    let neighbour_hash = from.read_number()?;
    let tile = from.read_tile().ok()?;
    let filled = from.read_area()?;
    let [drawn, empty, unfinished, bad] = from.read_numbers()?;

    let json: Json<'_> = if from.0.is_empty() {
        Json::default()
    } else {
        serde_json::from_slice(from.0).ok()?
    };

    let mut findings = json.findings.into_owned();
    findings.chunks = ChunkCounts {
        drawn,
        empty,
        unfinished,
        bad,
        ..ChunkCounts::default()
    };

    Some(RegionRecord {
        source,
        neighbour_hash,
        tile,
        filled,
        findings,
        shown: json.shown.into_owned(),
    })
}

/// Returns the bytes of an outer tile's record.
pub fn parent_bytes(record: &ParentRecord) -> Vec<u8> {
    let mut out = RecordWriter::default();
    out.write_number(record.children);
    out.write_tile(record.tile);
    out.0
}

/// Parses an outer tile's record. Returns `None` if the bytes are not a valid record.
pub fn parse_parent(bytes: &[u8]) -> Option<ParentRecord> {
    let mut from = RecordReader(bytes);
    let record = ParentRecord {
        children: from.read_number()?,
        tile: from.read_tile().ok()?,
    };
    from.0.is_empty().then_some(record)
}

#[derive(Default)]
struct RecordWriter(Vec<u8>);

impl RecordWriter {
    fn write_number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn write_numbers<const N: usize>(&mut self, numbers: [u64; N]) {
        for number in numbers {
            self.write_number(number);
        }
    }

    fn write_stamp(&mut self, stamp: &Stamp) {
        let Stamp {
            len,
            modified,
            changed,
            inode,
            header,
        } = *stamp;
        self.write_numbers([len, modified as u64, changed as u64, inode, header]);
    }

    /// Writes the sides of a part of a region as one byte each, in chunks from the corner.
    fn write_area(&mut self, Area { x0, z0, x1, z1 }: Area) {
        let sides = [x0, z0, x1, z1].map(|side| (side / CHUNK_SIDE as i32) as u8);
        self.write_number(u32::from_le_bytes(sides).into());
    }

    fn write_tile(&mut self, tile: Option<TileFacts>) {
        self.write_number(u64::from(tile.is_some()));
        let TileFacts { record, modified } = tile.unwrap_or(TileFacts {
            record: TileRecord {
                bytes: 0,
                file: 0,
                pixels: 0,
            },
            modified: 0,
        });

        self.write_numbers([
            u64::from(record.bytes),
            record.file,
            record.pixels,
            modified as u64,
        ]);
    }
}

struct RecordReader<'a>(&'a [u8]);

impl RecordReader<'_> {
    fn read_number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn read_numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.read_number()?;
        }
        Some(numbers)
    }

    fn read_stamp(&mut self) -> Option<Stamp> {
        let [len, modified, changed, inode, header] = self.read_numbers()?;
        Some(Stamp {
            len,
            modified: modified as i64,
            changed: changed as i64,
            inode,
            header,
        })
    }

    fn read_source(&mut self) -> Option<RegionSource> {
        let stamp = self.read_stamp()?;
        let read = self.read_number()? as i64;
        let hashes = Hashes {
            content: self.read_number()?,
            sides: self.read_numbers()?,
            corners: self.read_numbers()?,
        };

        let count = self.read_number()?;
        let mut external = Vec::new();
        for _ in 0..count.min(REGION_SLOTS as u64) {
            let index = usize::try_from(self.read_number()?).ok()?;
            let there = self.read_number()? == 1;
            let stamp = self.read_stamp()?;
            external.push((
                Slot::at(index % REGION_CHUNKS, index / REGION_CHUNKS),
                there.then_some(stamp),
            ));
        }

        Some(RegionSource {
            stamp,
            read,
            external,
            hashes,
        })
    }

    fn read_area(&mut self) -> Option<Area> {
        let sides = u32::try_from(self.read_number()?).ok()?.to_le_bytes();
        let [x0, z0, x1, z1] = sides.map(|side| i32::from(side) * CHUNK_SIDE as i32);
        (x1.max(z1) <= REGION_SIDE as i32).then_some(Area { x0, z0, x1, z1 })
    }

    fn read_tile(&mut self) -> Result<Option<TileFacts>, CutRecord> {
        let [there, bytes, file, pixels, modified] = self.read_numbers().ok_or(CutRecord)?;
        let record = TileRecord {
            bytes: u32::try_from(bytes).map_err(|_| CutRecord)?,
            file,
            pixels,
        };
        Ok((there == 1).then_some(TileFacts {
            record,
            modified: modified as i64,
        }))
    }
}

/// The bytes end before the record does, or a number is out of range.
struct CutRecord;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Damage, NewerChunks, UnknownBlock};
    use pixelmap_world::internal::ChunkHash;

    fn record() -> RegionRecord {
        let stamp = Stamp {
            len: 5,
            modified: -6,
            changed: 7,
            inode: 8,
            header: 9,
        };

        let tile = TileFacts {
            record: TileRecord {
                bytes: 1,
                file: 2,
                pixels: u64::MAX,
            },
            modified: -3,
        };

        let chunks = ChunkCounts {
            drawn: 4,
            empty: 3,
            unfinished: 2,
            bad: 1,
            ..ChunkCounts::default()
        };

        RegionRecord {
            source: RegionSource {
                stamp,
                read: 11,
                external: vec![(Slot::at(3, 30), None), (Slot::at(31, 31), Some(stamp))],
                hashes: Hashes {
                    content: 1,
                    sides: [2, 3, 4, 5],
                    corners: [6, 7, 8, ChunkHash::MAX],
                },
            },
            neighbour_hash: 12,
            tile: Some(tile),
            filled: Area {
                x0: 16,
                z0: 0,
                x1: 512,
                z1: 48,
            },
            findings: Findings {
                chunks,
                ..Findings::default()
            },
            shown: ShownNames::default(),
        }
    }

    #[test]
    fn region_records_are_read_as_written() {
        let mut record = record();
        assert_eq!(parse_region(&region_bytes(&record)).as_ref(), Some(&record));
        record.tile = None;
        record.shown.add("a \"quoted\" heath");
        assert_eq!(parse_region(&region_bytes(&record)).as_ref(), Some(&record));

        let message = "a \"quoted\" \u{7} reason".to_owned();
        record.findings.bad = vec![
            Damage::new(None, "unreadable", String::new()),
            Damage::new(Some(Slot::at(3, 30)), "inflate", message),
        ];

        record.findings.chunk_findings.unknown.insert(
            "mod:ore".to_owned(),
            UnknownBlock {
                columns: 3,
                first: [1, -2, 3],
                ..UnknownBlock::default()
            },
        );

        record.findings.chunk_findings.newer = Some(NewerChunks {
            chunks: 2,
            data_version: 9999,
        });

        record.findings.chunk_findings.unvisited = 5;
        record.findings.chunk_findings.unlit = 6;
        record
            .findings
            .chunk_findings
            .warnings
            .insert("odd".into(), 4);

        let bytes = region_bytes(&record);
        assert_eq!(parse_region(&bytes).as_ref(), Some(&record));
        assert_eq!(parse_source(&bytes), Some(record.source));
    }

    #[test]
    fn parent_records_are_read_as_written() {
        for tile in [None, record().tile] {
            let record = ParentRecord { children: 77, tile };
            assert_eq!(parse_parent(&parent_bytes(&record)), Some(record));
        }
    }

    #[test]
    fn cut_bytes_are_not_a_record() {
        let bytes = region_bytes(&record());
        assert!((0..bytes.len()).all(|len| parse_region(&bytes[..len]).is_none()));
        let parent = parent_bytes(&ParentRecord {
            children: 7,
            tile: None,
        });
        assert!((0..parent.len()).all(|len| parse_parent(&parent[..len]).is_none()));
        assert!(parse_region(&[0xff; 400]).is_none());
    }
}
