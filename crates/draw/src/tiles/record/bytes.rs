//! Writes and parses the bytes of records, which are numbers of eight bytes each, least byte first.
//!
//! The numbers of a region's facts are followed by JSON with its findings, which is left out if the
//! findings are only chunk counts. The numbers of a region's tile are followed by JSON with the
//! findings of its layer, which is left out if all of them are empty.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::report::{ChunkCounts, Findings, ShownNames};
use crate::tiles::record::region::RegionFacts;
use crate::tiles::record::source::{Hashes, RegionSource};
use crate::tiles::record::tile_facts::{NativeRecord, ParentRecord, TileFacts};
use pixelmap_base::coord::{Area, CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, REGION_SLOTS, Slot};
use pixelmap_map::atlas::TileRecord;
use pixelmap_world::internal::Stamp;

/// The part of a tile's record that is JSON.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct LayerFindings<'a> {
    shown: Cow<'a, ShownNames>,
    unlit: u64,
}

/// Returns the bytes of a region's facts.
pub fn facts_bytes(facts: &RegionFacts) -> Vec<u8> {
    let RegionFacts {
        source,
        neighbour_hash,
        findings,
    } = facts;

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
    out.write_json_unless(findings, &only_counts);

    out.0
}

/// Parses only the source of a region from the bytes of its facts.
pub fn parse_source(bytes: &[u8]) -> Option<RegionSource> {
    RecordReader(bytes).read_source()
}

/// Parses the facts of a region. Returns `None` if the bytes are not valid facts.
pub fn parse_facts(bytes: &[u8]) -> Option<RegionFacts> {
    let mut from = RecordReader(bytes);
    let source = from.read_source()?;
    let neighbour_hash = from.read_number()?;
    let [drawn, empty, unfinished, bad] = from.read_numbers()?;

    let mut findings: Findings = from.read_json()?;
    findings.chunks = ChunkCounts {
        drawn,
        empty,
        unfinished,
        bad,
        ..ChunkCounts::default()
    };

    Some(RegionFacts {
        source,
        neighbour_hash,
        findings,
    })
}

/// Returns the bytes of the record of a region's tile.
pub fn native_bytes(record: &NativeRecord) -> Vec<u8> {
    let mut out = RecordWriter::default();
    out.write_number(record.sources);
    out.write_tile(record.tile);
    out.write_area(record.filled);

    let findings = LayerFindings {
        shown: Cow::Borrowed(&record.shown),
        unlit: record.unlit,
    };
    out.write_json_unless(&findings, &LayerFindings::default());

    out.0
}

/// Parses the record of a region's tile. Returns `None` if the bytes are not a valid record.
pub fn parse_native(bytes: &[u8]) -> Option<NativeRecord> {
    let mut from = RecordReader(bytes);
    let sources = from.read_number()?;
    let tile = from.read_tile().ok()?;
    let filled = from.read_area()?;
    let LayerFindings { shown, unlit } = from.read_json()?;

    Some(NativeRecord {
        sources,
        tile,
        filled,
        shown: shown.into_owned(),
        unlit,
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
        // No tile has a file without bytes.
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

    /// Ends the record with a value as JSON, unless the value is the same as `usual`.
    fn write_json_unless<T: Serialize + PartialEq>(&mut self, value: &T, usual: &T) {
        if value != usual {
            // This cannot fail, because JSON can represent all values of records.
            self.0.extend(serde_json::to_vec(value).unwrap_or_default());
        }
    }
}

struct RecordReader<'a>(&'a [u8]);

impl<'a> RecordReader<'a> {
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
        let [bytes, file, pixels, modified] = self.read_numbers().ok_or(CutRecord)?;
        let record = TileRecord {
            bytes: u32::try_from(bytes).map_err(|_| CutRecord)?,
            file,
            pixels,
        };
        Ok((bytes > 0).then_some(TileFacts {
            record,
            modified: modified as i64,
        }))
    }

    /// Reads the JSON at the end of a record. Returns the default value if the record ends before
    /// it.
    fn read_json<T: Default + Deserialize<'a>>(self) -> Option<T> {
        if self.0.is_empty() {
            return Some(T::default());
        }
        serde_json::from_slice(self.0).ok()
    }
}

/// The bytes end before the record does, or a number is out of range.
struct CutRecord;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Damage, NewerChunks, UnknownBlock};
    use pixelmap_world::internal::ChunkHash;

    fn facts() -> RegionFacts {
        let stamp = Stamp {
            len: 5,
            modified: -6,
            changed: 7,
            inode: 8,
            header: 9,
        };

        let chunks = ChunkCounts {
            drawn: 4,
            empty: 3,
            unfinished: 2,
            bad: 1,
            ..ChunkCounts::default()
        };

        RegionFacts {
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
            findings: Findings {
                chunks,
                ..Findings::default()
            },
        }
    }

    fn native() -> NativeRecord {
        let tile = TileFacts {
            record: TileRecord {
                bytes: 1,
                file: 2,
                pixels: u64::MAX,
            },
            modified: -3,
        };

        NativeRecord {
            sources: 13,
            tile: Some(tile),
            filled: Area {
                x0: 16,
                z0: 0,
                x1: 512,
                z1: 48,
            },
            shown: ShownNames::default(),
            unlit: 0,
        }
    }

    #[test]
    fn region_facts_are_read_as_written() {
        let mut facts = facts();
        assert_eq!(parse_facts(&facts_bytes(&facts)).as_ref(), Some(&facts));

        let message = "a \"quoted\" \u{7} reason".to_owned();
        facts.findings.bad = vec![
            Damage::new(None, "unreadable", String::new()),
            Damage::new(Some(Slot::at(3, 30)), "inflate", message),
        ];

        facts.findings.chunk_findings.unknown.insert(
            "mod:ore".to_owned(),
            UnknownBlock {
                columns: 3,
                first: [1, -2, 3],
                ..UnknownBlock::default()
            },
        );

        facts.findings.chunk_findings.newer = Some(NewerChunks {
            chunks: 2,
            data_version: 9999,
        });

        facts.findings.chunk_findings.unvisited = 5;
        facts
            .findings
            .chunk_findings
            .warnings
            .insert("odd".into(), 4);

        let bytes = facts_bytes(&facts);
        assert_eq!(parse_facts(&bytes).as_ref(), Some(&facts));
        assert_eq!(parse_source(&bytes), Some(facts.source));
    }

    #[test]
    fn native_records_are_read_as_written() {
        let mut record = native();
        assert_eq!(parse_native(&native_bytes(&record)).as_ref(), Some(&record));
        record.tile = None;
        record.unlit = 6;
        assert_eq!(parse_native(&native_bytes(&record)).as_ref(), Some(&record));
        record.shown.add("a \"quoted\" heath");
        assert_eq!(parse_native(&native_bytes(&record)).as_ref(), Some(&record));
    }

    #[test]
    fn the_key_of_facts_ignores_stamps() {
        let first = facts();
        let mut touched = facts();
        touched.source.stamp.modified += 1;
        touched.source.read += 1;
        assert_eq!(touched.key(), first.key());

        touched.neighbour_hash += 1;
        assert_ne!(touched.key(), first.key());
        let mut changed = facts();
        changed.source.hashes.content += 1;
        assert_ne!(changed.key(), first.key());
    }

    #[test]
    fn parent_records_are_read_as_written() {
        for tile in [None, native().tile] {
            let record = ParentRecord { children: 77, tile };
            assert_eq!(parse_parent(&parent_bytes(&record)), Some(record));
        }
    }

    #[test]
    fn cut_bytes_are_not_a_record() {
        let bytes = facts_bytes(&facts());
        assert!((0..bytes.len()).all(|len| parse_facts(&bytes[..len]).is_none()));
        let native = native_bytes(&native());
        assert!((0..native.len()).all(|len| parse_native(&native[..len]).is_none()));
        let parent = parent_bytes(&ParentRecord {
            children: 7,
            tile: None,
        });
        assert!((0..parent.len()).all(|len| parse_parent(&parent[..len]).is_none()));
        assert!(parse_facts(&[0xff; 400]).is_none());
        assert!(parse_native(&[0xff; 400]).is_none());
    }
}
