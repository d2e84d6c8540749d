//! Writes records in the framing of logs and manifests, and the contents of both kinds.

use super::crc32c;
use super::table::{Entry, varint};

/// Frames begin again at every multiple of this.
const BLOCK: usize = 32 << 10;

/// Appends a record, in one or more frames.
pub fn put_record(mut record: &[u8], out: &mut Vec<u8>) {
    let mut is_first = true;
    loop {
        let room = BLOCK - out.len() % BLOCK;
        if room < 7 {
            out.resize(out.len() + room, 0);
            continue;
        }

        let (part, rest) = record.split_at(record.len().min(room - 7));
        let kind = match (is_first, rest.is_empty()) {
            (true, true) => 1,
            (true, false) => 2,
            (false, false) => 3,
            (false, true) => 4,
        };

        out.extend(crc32c::masked(&[&[kind], part].concat()).to_le_bytes());
        out.extend((part.len() as u16).to_le_bytes());
        out.push(kind);
        out.extend(part);
        (record, is_first) = (rest, false);

        if rest.is_empty() {
            return;
        }
    }
}

/// A log of batches. The entries of a batch have sequence numbers in a row.
pub fn write(batches: &[Vec<Entry>]) -> Vec<u8> {
    let mut out = Vec::new();
    for batch in batches {
        let mut record = batch[0].sequence.to_le_bytes().to_vec();
        record.extend((batch.len() as u32).to_le_bytes());

        for entry in batch {
            record.push(u8::from(entry.value.is_some()));
            put_text(&entry.key, &mut record);
            if let Some(value) = &entry.value {
                put_text(value, &mut record);
            }
        }

        put_record(&record, &mut out);
    }

    out
}

/// The entry of a table in a manifest.
#[derive(Debug, Clone)]
pub struct TableFile {
    pub level: u64,
    pub number: u64,
    pub size: u64,
    pub smallest: Vec<u8>,
    pub largest: Vec<u8>,
}

/// A manifest: the state of an earlier time with a table that is gone, and the changes since.
pub fn manifest(
    tables: &[TableFile],
    gone: Option<&TableFile>,
    log: u64,
    next: u64,
    sequence: u64,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut first = vec![1];
    put_text(b"leveldb.BytewiseComparator", &mut first);

    if let Some(table) = gone {
        put_table(table, &mut first);
    }

    put_record(&first, &mut out);

    let mut second = Vec::new();
    for (tag, number) in [(2, log), (9, 0), (3, next), (4, sequence)] {
        second.push(tag);
        second.extend(varint(number));
    }

    if let Some(table) = gone {
        second.push(6);
        second.extend(varint(table.level));
        second.extend(varint(table.number));
    }

    for table in tables {
        put_table(table, &mut second);
    }

    // The key at which the next compaction of level 1 would begin.
    second.extend([5, 1]);
    put_text(b"somewhere\x01\0\0\0\0\0\0\0", &mut second);
    put_record(&second, &mut out);

    out
}

fn put_table(table: &TableFile, out: &mut Vec<u8>) {
    out.push(7);
    for number in [table.level, table.number, table.size] {
        out.extend(varint(number));
    }
    put_text(&table.smallest, out);
    put_text(&table.largest, out);
}

fn put_text(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(varint(bytes.len() as u64));
    out.extend(bytes);
}
