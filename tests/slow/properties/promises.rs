//! Promises for any bytes: one function per kind of input, which tests and fuzzing call. A panic
//! breaks a promise, and so does an answer that differs from a second way to compute it, or
//! unbounded memory or time. All functions use the public interface of the library.

#[path = "foreign_maps.rs"]
mod foreign_maps;
#[cfg(feature = "serve")]
#[path = "requests.rs"]
mod requests;
#[path = "signs.rs"]
mod signs;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use pixelmap::ask;
use pixelmap::atlas::{Manifest, ManifestLines, Scheme};
use pixelmap::base::coord::{ChunkPos, RegionPos, Slot, TilePos, YRange};
use pixelmap::draw::RESERVED_NAMES;
use pixelmap::draw::tiles::record::{
    parent_bytes, parse_parent, parse_region, parse_source, region_bytes,
};
use pixelmap::import::ExploredWorld;
use pixelmap::paint::palette::resolver::{Assets, Registry, Rules, TableSources, generate};
use pixelmap::paint::palette::{NUMERIC_BIOMES, NUMERIC_BLOCKS, Palette};
use pixelmap::paint::surface::{Columns, NO_HEIGHT, View, highest, scan};
use pixelmap::paint::textures::Textures;
use pixelmap::store::compact;
use pixelmap::store::{Commit, CompletedLayers, Identity, Journal, LayerKey, Output};

use pixelmap::world::anvil::{RegionFile, RegionHeader};
use pixelmap::world::bedrock::{BedrockRegion, Database};
use pixelmap::world::bytes::{Form, MAX_INFLATED};
use pixelmap::world::chunk::{Buffers, Chunk, Mask};
use pixelmap::world::files::Files;
use pixelmap::world::names::{NameCache, Names, NumericNames};
use pixelmap::world::nbt::{Error, Reader, Tag};
use pixelmap::world::{ChunkStorage, Fault, Inflater, World};

pub use self::foreign_maps::foreign_map;
#[cfg(feature = "serve")]
pub use self::requests::request;
use self::signs::markers;
pub use self::signs::sign;
use crate::slow_reader::bedrock::{BedrockWorld, masked_checksum};
use crate::slow_reader::{self, Numbers, Region, Within};

/// The slot of the chunk that single records are put into: one that neighbours do not look at.
const SLOT: Slot = Slot::at(5, 5);

thread_local! {
    /// A folder of this thread's own, written over and over.
    static SCRATCH: tempfile::TempDir = tempfile::tempdir().unwrap();
    static BUFFERS: RefCell<(Inflater, Buffers)> = RefCell::default();
}

fn scratch(name: &str) -> PathBuf {
    SCRATCH.with(|folder| folder.path().join(name))
}

/// Writes a file whose time lies ahead: one that was touched just now would be left alone until it
/// has rested.
fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = File::create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_hours(1))
        .unwrap();
}

/// A region file's header: every slot follows from its four bytes.
pub fn header(bytes: &[u8]) {
    let header = RegionHeader::parse(bytes);
    let byte = |at: usize| u32::from(bytes.get(at).copied().unwrap_or(0));

    let mut in_use = 0;
    for slot in Slot::all() {
        let at = slot.index() * 4;
        let (sector, count) = (
            byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2),
            byte(at + 3),
        );

        let location = header
            .location(slot)
            .map(|location| (location.sector, u32::from(location.count)));
        assert_eq!(
            location,
            (sector != 0 && count != 0).then_some((sector, count))
        );
        in_use += usize::from(location.is_some());
    }

    assert_eq!(header.in_use(), in_use);
}

/// A whole region file: each slot is a chunk, a fault or nothing, bounded, and its hash is the same
/// without inflating.
pub fn region_file(bytes: &[u8]) {
    let path = scratch("r.0.0.mca");
    put(&path, bytes);

    let open = || RegionFile::open(&Files::Disk, &path, RegionPos { x: 0, z: 0 }).unwrap();
    let (mut read, mut hashed) = (open(), open());
    BUFFERS.with_borrow_mut(|(inflater, _)| {
        for slot in Slot::all() {
            let record = read.read(slot, inflater, |_| true);
            let stored = record
                .as_ref()
                .map_or(ChunkStorage::NOTHING, |record| record.stored);
            assert!(record.is_none_or(|record| {
                record
                    .plain
                    .map_or(stored.hash != 0, |plain| plain.len() <= MAX_INFLATED)
            }));
            assert_eq!(stored.hash == 0, read.header().location(slot).is_none());
            assert_eq!(hashed.hash(slot, inflater).hash, stored.hash);
        }
    });
}

/// A record: a compression byte and a payload. Both readers read the same.
pub fn record(bytes: &[u8]) {
    let path = scratch("r.0.0.mca");
    let mut file = vec![0; 8192];
    file[SLOT.index() * 4..][..4].copy_from_slice(&(2_u32 << 8 | 255).to_be_bytes());
    file.extend((bytes.len() as u32).to_be_bytes());
    file.extend(bytes);
    put(&path, &file);

    let mut region = RegionFile::open(&Files::Disk, &path, RegionPos { x: 0, z: 0 }).unwrap();
    let slow = Region::read(&path, 0, 0).unwrap().payload(5, 5);
    BUFFERS.with_borrow_mut(|(inflater, _)| {
        let read = region.read(SLOT, inflater, |_| true).unwrap().plain;
        if let Ok(plain) = &read {
            assert!(plain.len() <= MAX_INFLATED);
        }

        // When built for fuzzing, the slow reader's inflate accepts any checksum.
        let is_told = !(cfg!(fuzzing) && matches!(bytes.first(), Some(1 | 2)));
        if let (Ok(Some(slow)), true) = (slow, is_told) {
            assert!(
                read.is_ok_and(|plain| *plain == slow[..]),
                "the slow reader reads {} bytes",
                slow.len()
            );
        }
    });
}

/// The payload of a record in LZ4.
pub fn lz4(bytes: &[u8]) {
    record(&[&[4], bytes].concat());
}

/// NBT: entering everything and skipping everything reach the same end.
pub fn nbt(bytes: &[u8]) {
    let skipped = Reader::root(bytes).and_then(|reader| each(reader, Reader::skip));
    let entered = Reader::root(bytes).and_then(|reader| each(reader, enter));
    match (skipped, entered) {
        (Ok(skipped), Ok(entered)) => assert_eq!(skipped, entered),
        (Err(_), Err(_)) => {}
        (skipped, entered) => panic!("skipped: {skipped:?}, entered: {entered:?}"),
    }
}

/// Hands each entry of the root to `take`. Returns the number of entries.
fn each<'a>(
    mut reader: Reader<'a>,
    take: impl Fn(&mut Reader<'a>, Tag) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut count = 0;
    while let Some((tag, _)) = reader.entry()? {
        take(&mut reader, tag)?;
        count += 1;
    }

    Ok(count)
}

fn enter(reader: &mut Reader<'_>, tag: Tag) -> Result<(), Error> {
    match tag {
        Tag::Compound => {
            reader.compound(tag)?;
            while let Some((tag, _)) = reader.entry()? {
                enter(reader, tag)?;
            }
        }
        Tag::List => {
            let Some(list) = reader.list(tag)? else {
                return Ok(());
            };
            for _ in 0..list.len {
                enter(reader, list.tag)?;
            }
            reader.leave();
        }
        Tag::String => drop(reader.string(tag)?),
        Tag::ByteArray | Tag::IntArray | Tag::LongArray => drop(reader.array(tag, tag)?),
        Tag::Byte | Tag::Short | Tag::Int | Tag::Long => drop(reader.int(tag)?),
        Tag::Float | Tag::Double | Tag::End => reader.skip(tag)?,
    }

    Ok(())
}

fn name_cache() -> NameCache {
    static NAMES: LazyLock<Arc<Names>> = LazyLock::new(|| {
        let numeric = NumericNames::new(NUMERIC_BLOCKS, NUMERIC_BIOMES);
        Arc::new(Names::new(Arc::new(Palette::builtin()), numeric))
    });
    NameCache::new(NAMES.clone())
}

/// A chunk's inflated bytes: every height and every column, read in any way, equals a walk down the
/// column cell by cell; and where the slow reader reads the chunk too, both see the same.
pub fn chunk(bytes: &[u8]) {
    static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| Numbers::parse(NUMERIC_BLOCKS));

    BUFFERS.with_borrow_mut(|(_, buffers)| {
        let mut name_cache = name_cache();
        let Ok(mut chunk) = Chunk::parse(bytes, Form::Nbt, buffers, &mut name_cache) else {
            return;
        };

        markers(&chunk);

        let mut columns = Box::<Columns>::default();
        for view in [View::Sky, View::UnderCeiling] {
            columns.clear();
            scan(&mut chunk, view, YRange::ALL, &mut columns);
            let heights = columns
                .top_y
                .iter()
                .chain(&columns.ground_y)
                .filter(|&&y| y != NO_HEIGHT);

            assert!(
                heights
                    .copied()
                    .all(|y| (YRange::ALL.min..=YRange::ALL.max).contains(&i32::from(y)))
            );
        }

        let tops: Vec<_> = (0..256).map(|column| top(&mut chunk, column)).collect();
        if let Ok(slow) = slow_reader::Chunk::parse(bytes, &NUMBERS) {
            for (column, found) in tops.into_iter().enumerate() {
                let top = slow.top(column as i32 % 16, column as i32 / 16, Within::default());
                let expected = top.map(|top| (top.y, loosened(&top.block)));
                assert_eq!(
                    found, expected,
                    "column {column}: the slow reader is on the right"
                );
            }
        }
    });
}

/// The values of a chunk of Bedrock Edition: its cells and biomes are the same whichever way they
/// are read.
pub fn values(bytes: &[u8]) {
    BUFFERS.with_borrow_mut(|(_, buffers)| {
        let mut name_cache = name_cache();
        let Ok(mut chunk) = Chunk::parse(bytes, Form::Values, buffers, &mut name_cache) else {
            return;
        };

        for section in 0..chunk.sections() {
            cells(&mut chunk, section);
        }

        markers(&chunk);
        let mut columns = Box::<Columns>::default();
        scan(&mut chunk, View::Sky, YRange::ALL, &mut columns);

        let by_column = chunk.biomes_by_column();
        for column in 0..256 {
            let place = top(&mut chunk, column);
            let height = place.map_or(0, |(y, _)| y);
            let biome = chunk.biome_or_default(column, height);
            assert!(by_column.is_none_or(|biomes| biomes[column] == biome));
        }
    });
}

/// A section's slices have the kinds of its cells, and walks down its columns meet the same cells.
fn cells(chunk: &mut Chunk<'_>, section: usize) {
    let mut blocks = Vec::new();
    for y in 0..16 {
        let slice = chunk.slice(section, y, Mask::ALL);
        chunk.each(section, y, Mask::ALL, |column, block| {
            let kinds = [slice.unseen, slice.water, slice.ground].map(|mask| mask.has(column));
            let traits = block.traits;
            assert_eq!(
                kinds,
                [
                    traits.is_unseen(),
                    traits.is_water(),
                    traits.is_plain_ground()
                ]
            );
            blocks.push(block.id);
        });
    }

    for column in 0..256 {
        chunk.visit_down(section, column, 15, |y, block| {
            assert_eq!(block.id, blocks[y * 256 + column]);
            false
        });
    }
}

/// One value of a chunk of Bedrock Edition in its overworld.
fn value(tag: u8, value: &[u8]) -> Vec<u8> {
    [&[1, tag, 3][..], &(value.len() as u32).to_le_bytes(), value].concat()
}

pub fn subchunk(bytes: &[u8]) {
    values(&value(47, bytes));
}

/// Biomes by section, under one section of blocks.
pub fn section_biomes(bytes: &[u8]) {
    let stone = value(47, &[&[0][..], &[1; 4096], &[0; 2048]].concat());
    values(&[&value(43, bytes)[..], &stone[1..]].concat());
}

fn top(chunk: &mut Chunk<'_>, column: usize) -> Option<(i32, String)> {
    let (y, id) = highest(chunk, column, YRange::ALL)?;
    chunk.biome(column, y);
    let name = chunk.name_cache().stored_name(id);
    Some((y, loosened(&name)))
}

/// The readers treat undecodable and long names differently.
fn loosened(name: &str) -> String {
    let is_told_alike = name.len() < 200 && !name.contains(['?', char::REPLACEMENT_CHARACTER]);
    if is_told_alike {
        name.to_owned()
    } else {
        "no text".to_owned()
    }
}

/// A colour file: an accepted file colours names, and means the same when it is read again.
pub fn palette(bytes: &[u8]) {
    static BUILTIN: LazyLock<Palette> = LazyLock::new(Palette::builtin);

    let text = String::from_utf8_lossy(bytes);
    let Ok(palette) = BUILTIN.clone().with_overrides("my.tsv", &text) else {
        return;
    };

    for word in text
        .split_whitespace()
        .take(50)
        .chain(["minecraft:stone", "mod:beam"])
    {
        palette.paint(word, "");
        palette.paint(word, "axis=x");
        palette.tints(word);
    }

    let again = BUILTIN.clone().with_overrides("my.tsv", &text).unwrap();
    assert_eq!(again.fingerprint(), palette.fingerprint());
}

/// The files of a pack with one block: its block state file, its model, the parent of that, and a
/// texture, each but the last ended by a byte of 0.
const PACK_FILES: [&str; 4] = [
    "blockstates/thing.json",
    "models/block/thing.json",
    "models/block/parent.json",
    "textures/block/thing.png",
];

/// A pack: its block gives a colour file, and its texture is found or not, with the same result
/// each time.
pub fn pack(bytes: &[u8]) {
    let mut parts = bytes.splitn(PACK_FILES.len(), |byte| *byte == 0);
    for file in PACK_FILES {
        put(
            &scratch("pack/assets/mod").join(file),
            parts.next().unwrap_or_default(),
        );
    }

    let assets = || Assets::open(&[scratch("pack")]).unwrap();
    let rules = Rules::parse("rules.tsv", "").unwrap();
    let made = generate(&TableSources {
        assets: assets(),
        registry: Registry::default(),
        rules,
    })
    .unwrap();

    Palette::builtin()
        .with_overrides("the pack", &made.text)
        .unwrap();

    let looks = || {
        let textures = Textures::new(assets()).unwrap();
        let properties = textures.properties([]).unwrap();
        assert!(properties.values().all(|properties| properties.is_sorted()));

        let states = [
            "",
            "axis=x",
            "facing=east,half=top,open=true",
            "east=true,north=false,up=true",
        ];

        states.map(|state| textures.has_texture("mod:thing", state))
    };

    assert_eq!(looks(), looks());
}

/// A manifest: an accepted one is written and read again.
pub fn manifest(bytes: &[u8]) {
    for scheme in [Scheme::Signed, Scheme::Xyz, Scheme::Tms] {
        let read = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            file.rewind().unwrap();
            Manifest {
                tiles: ManifestLines::new(file, scheme)
                    .filter_map(Result::ok)
                    .collect(),
            }
        };

        let manifest = read(bytes);
        let mut text = Vec::new();
        manifest.write(scheme, &mut text).unwrap();
        assert_eq!(read(&text), manifest);
    }
}

/// The record of a region or an outer tile: an accepted one comes back the same.
pub fn region_record(bytes: &[u8]) {
    if let Some(record) = parse_region(bytes) {
        assert_eq!(parse_source(bytes).as_ref(), Some(&record.source));
        assert_eq!(parse_region(&region_bytes(&record)), Some(record));
    }
    if let Some(record) = parse_parent(bytes) {
        assert_eq!(parse_parent(&parent_bytes(&record)), Some(record));
    }
}

/// The layer whose entries are asked for.
pub const LAYER: LayerKey = LayerKey {
    layer: 1,
    options: 2,
};

fn output() -> Output {
    let world = Identity {
        name: "w".to_owned(),
        spawn: None,
        path: scratch("world"),
    };
    let open = || Output::open(&scratch("map"), &world, &[]);

    // A program that another test starts also holds the lock between its fork and its start.
    let mut opened = open();
    for _ in 0..100 {
        if opened.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
        opened = open();
    }

    opened.unwrap()
}

/// A tile that is missing in the fuzzed map, or one of many.
const TILE: TilePos = TilePos {
    zoom: 17,
    x: -3,
    y: 4,
};

/// A journal: an entry that is added to it, however damaged it is, is there after a compaction.
pub fn journal(bytes: &[u8]) {
    let output = output();
    let folder = output.root().join(".pixelmap");
    put(&folder.join("journal"), bytes);
    let journal = Journal::open(&output, vec![LAYER]).unwrap();
    let count = journal.count();
    journal.add(0, TILE, b"new").unwrap();
    drop(journal);

    let mut commit = Commit::new(&output).unwrap();
    let finished = CompletedLayers {
        layers: &[LAYER],
        stays: &|_, _| true,
        is_published: &|_, _| false,
    };
    let compacted = compact(&output, &finished, &mut commit).unwrap();
    assert!(compacted.strays.contains(&(0, TILE)));
    commit.carry_out().unwrap();

    let journal = Journal::open(&output, vec![LAYER]).unwrap();
    assert!(journal.count() <= count + 1);
    assert_eq!(
        journal
            .find(0, TILE, <[u8]>::to_vec)
            .unwrap()
            .map(|known| known.value),
        Some(b"new".to_vec())
    );
}

/// level.dat: whatever it holds, the world opens.
pub fn level_dat(bytes: &[u8]) {
    let world = scratch("world");
    put(&world.join("level.dat"), bytes);
    put(&world.join("region/r.0.0.mca"), &[]);
    let opened = World::open(&world, RESERVED_NAMES).unwrap();
    assert_eq!(opened.dimensions.len(), 1);
    assert!(!opened.name().is_empty());
}

/// The list of files of a database that has one empty log.
const ONE_LOG: &[u8] =
    b"\x91\x8dtQ\x22\0\x01\x01\x1aleveldb.BytewiseComparator\x02\x03\x03\x04\x04\0";

/// level.dat of Bedrock Edition, with a database without a chunk: whatever it holds, the world
/// opens and answers.
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

/// The tables of add-ons in a world of Bedrock Edition: whatever they hold, the world opens, and
/// the dimension of an add-on has an id that a path can carry.
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

/// The files of a data pack with one dimension, each but the last ended by a byte of 0.
const DATA_PACK_FILES: [&str; 3] = [
    "pack.mcmeta",
    "data/mod/dimension_type/deep.json",
    "data/mod/dimension/deep.json",
];

/// A data pack of a world: a dimension's ceiling is one that the game could have, and is found
/// again.
pub fn data_pack(bytes: &[u8]) {
    let world = scratch("packed");
    put(&world.join("dimensions/mod/deep/region/r.0.0.mca"), &[]);

    let mut parts = bytes.splitn(DATA_PACK_FILES.len(), |byte| *byte == 0);
    for file in DATA_PACK_FILES {
        put(
            &world.join("datapacks/pack").join(file),
            parts.next().unwrap_or_default(),
        );
    }

    let ceiling = || {
        let world = World::open(&world, RESERVED_NAMES).unwrap();
        ask::ceiling(&world, world.dimension("mod:deep").unwrap()).unwrap()
    };

    let found = ceiling();
    let could_be = |y: i32| (YRange::ALL.min..=YRange::ALL.max).contains(&y);
    assert!(
        found
            .ceiling
            .is_none_or(|ceiling| could_be(ceiling.noise_y) && could_be(ceiling.type_y)),
        "{found:?}"
    );
    assert_eq!(ceiling(), found);
}

/// The files of an add-on of Bedrock Edition with one block, each but the last ended by a byte of
/// 0.
const ADD_ON_FILES: [&str; 4] = [
    "blocks.json",
    "textures/terrain_texture.json",
    "blocks/thing.json",
    "textures/thing.png",
];

/// An add-on: the colours that are made of its blocks can be read as a colour file.
pub fn add_on(bytes: &[u8]) {
    let mut parts = bytes.splitn(ADD_ON_FILES.len(), |byte| *byte == 0);
    put(&scratch("add-on/manifest.json"), b"{}");

    for file in ADD_ON_FILES {
        put(
            &scratch("add-on").join(file),
            parts.next().unwrap_or_default(),
        );
    }

    let assets = Assets::open(&[scratch("add-on")]).unwrap();
    let rules = Rules::parse("rules.tsv", "").unwrap();
    let made = generate(&TableSources {
        assets,
        registry: Registry::default(),
        rules,
    })
    .unwrap();

    Palette::builtin()
        .with_overrides("the add-on", &made.text)
        .unwrap();
}

/// A folder of JourneyMap can be read with any waypoints, and codes of colour are removed from
/// their names.
pub fn journeymap(bytes: &[u8]) {
    let player = scratch("player");
    put(&player.join("overworld/day/0,0.png"), bytes);
    put(&player.join("waypoints/a.json"), bytes);
    put(&player.join("waypoints/WaypointData.dat"), bytes);

    let explored = ExploredWorld::read(&[player], &[], RESERVED_NAMES).unwrap();
    assert_eq!(explored.dimensions.len(), 1);
    assert!(
        explored
            .waypoints
            .iter()
            .all(|waypoint| !waypoint.name.contains('§'))
    );
    drop(pixelmap::tile::decode_picture(bytes));
}

/// A table of a database: no chunk reads otherwise than by the slow reader.
pub fn database_table(bytes: &[u8]) {
    let world = scratch("table");
    put(&world.join("db/000005.ldb"), bytes);
    read_database(&world);
}

/// A log of a database, as [`database_table`].
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

/// Reads all chunks of a database, and compares them with the slow reader's.
fn read_database(world: &Path) {
    // An entirely unreadable database is refused.
    let opened = Database::open(&Files::Disk, world, &[], 0);
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

/// A promise, by its name.
pub type Promise = (&'static str, fn(&[u8]));

/// All of them.
pub const ALL: &[Promise] = &[
    ("header", header),
    ("region_file", region_file),
    ("record", record),
    ("lz4", lz4),
    ("nbt", nbt),
    ("chunk", chunk),
    ("values", values),
    ("subchunk", subchunk),
    ("section_biomes", section_biomes),
    ("sign", sign),
    ("palette", palette),
    ("pack", pack),
    ("manifest", manifest),
    ("region_record", region_record),
    ("journal", journal),
    ("level_dat", level_dat),
    ("database_table", database_table),
    ("database_log", database_log),
    ("database_manifest", database_manifest),
    ("bedrock_level_dat", bedrock_level_dat),
    ("add_on_tables", add_on_tables),
    ("data_pack", data_pack),
    ("add_on", add_on),
    ("journeymap", journeymap),
    ("foreign_map", foreign_map),
    #[cfg(feature = "serve")]
    ("request", request),
];
