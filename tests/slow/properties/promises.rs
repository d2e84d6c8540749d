//! Promises for any bytes: one function per kind of input, which tests and fuzzing call. A function
//! panics if the program panics, disagrees with a second way to compute the answer, or needs
//! unbounded memory or time. All functions use the public interface of the library.

#[path = "databases.rs"]
mod databases;
#[path = "foreign_maps.rs"]
mod foreign_maps;
#[path = "packs.rs"]
mod packs;
#[cfg(feature = "serve")]
#[path = "requests.rs"]
mod requests;
#[path = "signs.rs"]
mod signs;
#[path = "stored_maps.rs"]
mod stored_maps;

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use pixelmap_base::coord::{RegionPos, Slot, YRange};
use pixelmap_base::files::Files;
use pixelmap_draw::RESERVED_NAMES;
use pixelmap_draw::import::ExploredWorld;
use pixelmap_paint::palette::Palette;
use pixelmap_paint::surface::{Columns, NO_HEIGHT, View, highest, scan};
use pixelmap_world::anvil::{RegionFile, RegionHeader};
use pixelmap_world::bytes::MAX_INFLATED;
use pixelmap_world::chunk::{Chunk, ChunkBuffers, Mask};
use pixelmap_world::explored::read_stream;
use pixelmap_world::internal::Form;
use pixelmap_world::internal::{ChunkStorage, Inflater, World};
use pixelmap_world::names::{NUMERIC_BIOMES, NUMERIC_BLOCKS, NameCache, Names, NumericNames};
use pixelmap_world::nbt::{Error, Reader, Tag};
use pixelmap_world::zvcr::{PlainChunk, read_container};

pub use self::databases::{
    add_on_tables, bedrock_level_dat, database_log, database_manifest, database_table,
};
pub use self::foreign_maps::foreign_map;
pub use self::packs::{add_on, data_pack, pack, palette};
#[cfg(feature = "serve")]
pub use self::requests::request;
use self::signs::markers;
pub use self::signs::sign;
pub use self::stored_maps::{LAYER, journal, manifest, region_record};
use crate::slow_reader::{self, Numbers, Region, Within};

/// The slot of the chunk for single records. Neighbours do not look at this chunk.
const SLOT: Slot = Slot::at(5, 5);

thread_local! {
    /// A folder of this thread, which every call overwrites.
    static SCRATCH: tempfile::TempDir = tempfile::tempdir().unwrap();
    static BUFFERS: RefCell<(Inflater, ChunkBuffers)> = RefCell::default();
}

fn scratch(name: &str) -> PathBuf {
    SCRATCH.with(|folder| folder.path().join(name))
}

/// Writes a file with a time in the future, because the program leaves a file alone that was
/// changed just now.
fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = File::create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_hours(1))
        .unwrap();
}

/// The header of a region file: the entry of each slot follows from its four bytes.
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

/// A whole region file: each slot is empty, a chunk of bounded size, or a fault. Its hash is the
/// same without inflating.
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

/// The inflated bytes of a file of zvcr. Every chunk that is read is a chunk of the game, and a state
/// of the past has the same slots.
pub fn zvcr_container(bytes: &[u8]) {
    const HEADER: &[u8] = b"zvcr3d\x07\x00\x01\x03";
    let newest = read_container(HEADER, bytes, None).unwrap();
    let oldest = read_container(HEADER, bytes, Some(i64::MIN)).unwrap();

    let slots =
        |read: &[(Slot, PlainChunk)]| read.iter().map(|(slot, _)| *slot).collect::<Vec<_>>();
    assert_eq!(slots(&newest), slots(&oldest));

    let mut names = name_cache();
    for plain in newest.into_iter().chain(oldest).flat_map(|(_, read)| read) {
        BUFFERS.with_borrow_mut(|(_, buffers)| {
            let mut chunk = Chunk::parse(&plain, Form::Network, buffers, &mut names).unwrap();
            drop(top(&mut chunk, 0));
        });
    }
}

/// The inflated bytes of a region file of Xaero's World Map. Every chunk that is read is a chunk of
/// the game, and no file has more chunks than a region.
pub fn xaero_stream(bytes: &[u8]) {
    let Ok(chunks) = read_stream(bytes) else {
        return;
    };
    assert!(chunks.len() <= 1024);

    let mut names = name_cache();
    for plain in chunks.into_iter().filter_map(|(_, read)| read.ok()) {
        BUFFERS.with_borrow_mut(|(_, buffers)| {
            let mut chunk = Chunk::parse(&plain, Form::Nbt, buffers, &mut names).unwrap();
            drop(top(&mut chunk, 0));
        });
    }
}

/// A record: a compression byte and a payload. Both readers read the same bytes.
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

/// The payload of an LZ4 record.
pub fn lz4(bytes: &[u8]) {
    record(&[&[4], bytes].concat());
}

/// NBT: a reader that enters everything and a reader that skips everything reach the same end.
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

/// The inflated bytes of a chunk: every height and column equals a walk down the column, cell by
/// cell. Both readers find the same in a chunk that the slow reader can read.
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

/// The values of a chunk of Bedrock Edition: all ways to read its cells and biomes have the same
/// result.
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

/// The slices of a section have the kinds of its cells, and a walk down its columns meets the same
/// cells.
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

/// level.dat: whatever it contains, the world opens.
pub fn level_dat(bytes: &[u8]) {
    let world = scratch("world");
    put(&world.join("level.dat"), bytes);
    put(&world.join("region/r.0.0.mca"), &[]);
    let opened = World::open(&world, RESERVED_NAMES).unwrap();
    assert_eq!(opened.dimensions.len(), 1);
    assert!(!opened.name().is_empty());
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
    drop(pixelmap_tile::decode_picture(bytes));
}

/// A promise, by its name.
pub type Promise = (&'static str, fn(&[u8]));

/// All promises.
pub const ALL: &[Promise] = &[
    ("header", header),
    ("region_file", region_file),
    ("record", record),
    ("zvcr_container", zvcr_container),
    ("xaero_stream", xaero_stream),
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
