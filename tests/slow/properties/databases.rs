//! Promises for the database of a world of Bedrock Edition, its files and its tables.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pixelmap_base::coord::{ChunkPos, Slot};
use pixelmap_base::files::Files;
use pixelmap_draw::RESERVED_NAMES;
use pixelmap_world::bedrock::{BedrockRegion, Database, OpenedDatabase};
use pixelmap_world::internal::{ChunkExtent, EarlyChunk, EarlyReaders, Fault, Inflater, World};

use super::{BUFFERS, put, scratch};
use crate::slow_reader::bedrock::{BedrockWorld, masked_checksum};

/// The list of files of a database that has one empty log.
const ONE_LOG: &[u8] =
    b"\x91\x8dtQ\x22\0\x01\x01\x1aleveldb.BytewiseComparator\x02\x03\x03\x04\x04\0";

/// level.dat of Bedrock Edition, with a database without chunks. Whatever level.dat contains, the
/// world opens and answers.
pub fn bedrock_level_dat(bytes: &[u8]) {
    let world = scratch("bedrock");
    put(&world.join("level.dat"), bytes);
    put(
        &world.join("levelname.txt"),
        bytes.get(8..).unwrap_or_default(),
    );
    put(&world.join("db/CURRENT"), b"MANIFEST-000002\n");
    put(&world.join("db/MANIFEST-000002"), ONE_LOG);
    put(&world.join("db/000003.log"), &[]);
    let opened = World::open(&world, RESERVED_NAMES).unwrap();
    assert!(!opened.name().is_empty() && opened.players(&mut Vec::new()).is_empty());
}

/// The keys of the tables with the names and heights of add-ons.
const ADD_ON_TABLES: [&[u8]; 3] = [
    b"DimensionNameIdTable",
    b"BiomeIdsTable",
    b"LevelChunkMetaDataDictionary",
];

/// The most bytes of a table here, so that all three fit into one record of a log.
const TABLE_BYTES: usize = 10_000;

/// The tables of add-ons in a world of Bedrock Edition. Whatever they contain, the world opens, and
/// the id of an add-on's dimension is safe in a path.
pub fn add_on_tables(bytes: &[u8]) {
    let table = &bytes[..bytes.len().min(TABLE_BYTES)];
    let chunk = [chunk_prefix((1000, 0, 0)), vec![44]].concat();
    let mut entries = vec![(&chunk[..], &[42][..])];
    entries.extend(ADD_ON_TABLES.map(|key| (key, table)));

    let world = scratch("tables");
    put(&world.join("db/CURRENT"), b"MANIFEST-000002\n");
    put(&world.join("db/MANIFEST-000002"), ONE_LOG);
    put(&world.join("db/000003.log"), &log_of(&entries));

    let opened = World::open(&world, RESERVED_NAMES).unwrap();
    let [dimension] = &opened.dimensions[..] else {
        panic!("{:?}", opened.dimensions);
    };
    let is_safe = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
    assert!(
        dimension.id.split([':', '/']).all(is_safe),
        "{}",
        dimension.id
    );
}

/// Returns the log of a database with one batch, which puts these keys and values. The batch must
/// fit into one record.
fn log_of(entries: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut batch = vec![1];
    batch.extend(1_u64.to_le_bytes());
    batch.extend((entries.len() as u32).to_le_bytes());

    for (key, value) in entries {
        batch.push(1);
        for text in [key, value] {
            let len = text.len();
            batch.extend([len as u8 | 0x80, (len >> 7) as u8 | 0x80, (len >> 14) as u8]);
            batch.extend(*text);
        }
    }

    let mut log = masked_checksum(&batch).to_le_bytes().to_vec();
    log.extend((batch.len() as u16 - 1).to_le_bytes());
    log.extend(batch);

    log
}

/// A table of a database: the program and the slow reader read the same chunks.
pub fn database_table(bytes: &[u8]) {
    let world = scratch("table");
    put(&world.join("db/000005.ldb"), bytes);
    read_database(&world);
}

/// A log of a database, with the same promise as [`database_table`].
pub fn database_log(bytes: &[u8]) {
    let world = scratch("log");
    put(&world.join("db/000005.log"), bytes);
    read_database(&world);
}

/// The list of the files of a database: every listed file that is missing counts as damage. A
/// database with neither a list nor a table is refused.
pub fn database_manifest(bytes: &[u8]) {
    let world = scratch("list");
    put(&world.join("db/MANIFEST-000002"), bytes);
    put(&world.join("db/CURRENT"), b"MANIFEST-000002\n");
    let Ok(database) = Database::open(&Files::Disk, &world, &[], 0) else {
        return;
    };

    assert!(database.dimensions().is_empty());
    assert!(
        database
            .damage()
            .iter()
            .all(|damage| damage.offset.is_none() || damage.file == "MANIFEST-000002")
    );
}

/// Reads all chunks of a database, and compares them with the slow reader.
fn read_database(world: &Path) {
    // An entirely unreadable database is refused.
    let early = EarlyRecords::default();
    let opened = OpenedDatabase::open(&Files::Disk, world, &[])
        .ok()
        .and_then(|opened| Database::list(opened, 0, Some(&early)).ok());
    if let Some(database) = &opened {
        early.check(database);
    }
    let Ok(slow) = BedrockWorld::open(world) else {
        return assert!(cfg!(fuzzing) || opened.iter().flat_map(chunks).next().is_none());
    };

    let places = slow.chunks();

    let mut read = BTreeSet::new();
    for (dimension, x, z, values) in opened.iter().flat_map(chunks) {
        let place = (dimension, x, z);

        // When built for fuzzing, the library accepts any checksum.
        if cfg!(fuzzing) || slow.may_be_damaged(place) {
            continue;
        }

        let values = values.unwrap_or_else(|fault| panic!("{place:?}: {fault}"));
        for (tag, value) in values {
            let key = [chunk_prefix(place), tag].concat();
            assert_eq!(slow.database.value(&key), Some(&value[..]), "{key:?}");
        }

        read.insert(place);
    }

    let missing = places
        .iter()
        .find(|place| !read.contains(*place) && !slow.may_be_damaged(**place));
    assert!(cfg!(fuzzing) || missing.is_none(), "{missing:?}");
}

/// The bytes of the chunks that were read while a database was listed.
#[derive(Default)]
struct EarlyRecords(Mutex<Vec<(ChunkExtent, Vec<u8>)>>);

impl EarlyReaders for EarlyRecords {
    fn reader(&self) -> Box<dyn FnMut(EarlyChunk<'_>) + '_> {
        let mut inflater = Inflater::default();
        Box::new(move |chunk| {
            let extent = chunk.extent();
            let plain = chunk.record(&mut inflater).plain.unwrap();
            self.0.lock().unwrap().push((extent, plain.to_vec()));
        })
    }
}

impl EarlyRecords {
    /// Checks that all chunks that count have the same bytes as the chunks of their regions.
    fn check(&self, database: &Arc<Database>) {
        let mut inflater = Inflater::default();
        for (extent, plain) in &*self.0.lock().unwrap() {
            let (region, slot) = (extent.chunk().region(), extent.chunk().slot());
            let mut region = BedrockRegion::open(database.clone(), extent.dimension(), region);
            if region.extent(slot) == Some(*extent) {
                let record = region.read(slot, &mut inflater).unwrap();
                assert_eq!(&record.plain.unwrap()[..], plain, "{extent:?}");
            }
        }
    }
}

fn chunk_prefix((dimension, x, z): (i32, i32, i32)) -> Vec<u8> {
    let dimension = Some(dimension).filter(|dimension| *dimension != 0);
    [x, z]
        .into_iter()
        .chain(dimension)
        .flat_map(i32::to_le_bytes)
        .collect()
}

/// The values of a chunk by the ends of their keys.
type ChunkValues = Result<Vec<(Vec<u8>, Vec<u8>)>, Fault>;

/// The chunks of a database: their dimensions, x, z and values.
fn chunks(database: &Arc<Database>) -> Vec<(i32, i32, i32, ChunkValues)> {
    let mut chunks = Vec::new();
    for (dimension, own) in database.dimensions() {
        for summary in own.regions() {
            let mut region = BedrockRegion::open(database.clone(), *dimension, summary.region);
            BUFFERS.with_borrow_mut(|(inflater, _)| {
                for slot in Slot::all()
                    .filter(|&slot| region.has(slot))
                    .collect::<Vec<_>>()
                {
                    let ChunkPos { x, z } = summary.region.chunk(slot);
                    let plain = region.read(slot, inflater).unwrap().plain;
                    chunks.push((
                        *dimension,
                        x,
                        z,
                        plain.map(|plain| chunk_values(&plain[1..])),
                    ));
                }
            });
        }
    }

    chunks
}

fn chunk_values(mut plain: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut values = Vec::new();
    while let Some((&[tag, section, a, b, c, d], rest)) = plain.split_first_chunk() {
        let (value, rest) = rest.split_at(u32::from_le_bytes([a, b, c, d]) as usize);
        let end = if tag == 47 {
            vec![tag, section]
        } else {
            vec![tag]
        };
        values.push((end, value.to_vec()));
        plain = rest;
    }

    values
}
