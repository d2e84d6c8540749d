//! Tests that a second run draws only changes and gives the same bytes as a first run.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pixelmap::draw::PICTURE_VERSION;
use serde_json::Value;
use twox_hash::XxHash3_64;

use crate::incremental::unread::change_on_disk;
use crate::map::{Map, Place, Ran, assert_same_files, fixture, has_ending, land, render};
use crate::world::level_dat::LevelDat;
use crate::world::region::NONE;
use crate::world::{Block, ChunkSpec, Files, Generation, Record, RegionSpec, block};

const GENERATION: Generation = Generation::Root(3955);
/// Regions along each side of the world.
const SIDE: i32 = 3;
/// Slots in use in each region: corners, the middle of each side, the middle.
const SLOTS: [(i32, i32); 9] = [
    (0, 0),
    (31, 0),
    (0, 31),
    (31, 31),
    (15, 0),
    (15, 31),
    (0, 15),
    (31, 15),
    (15, 15),
];

/// Ground that rises from chunk to chunk, stored without compression, so that a block's name can be
/// replaced in place.
fn chunk(x: i32, z: i32, ground: Block) -> Record {
    let mut chunk = ChunkSpec::new(x, z, GENERATION);
    chunk.layer(50, 50, block::STONE);
    chunk.layer(
        60 + (x * 7 + z * 3).rem_euclid(5),
        70 + (x + z).rem_euclid(3),
        ground,
    );
    Record::new(NONE, chunk.nbt().document())
}

/// The regions of a world of dirt, but for `change`, which may put another record into a slot or
/// none.
fn world_but(change: impl Fn(i32, i32) -> Option<Option<Record>>) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("nightly", GENERATION.data_version()).bytes(),
    );

    for at in 0..SIDE * SIDE {
        let mut region = RegionSpec::new(at % SIDE, at / SIDE);
        for (x, z) in SLOTS.map(|(x, z)| (region.x * 32 + x, region.z * 32 + z)) {
            if let Some(record) = change(x, z).unwrap_or_else(|| Some(chunk(x, z, block::DIRT))) {
                region.put_record(x, z, record);
            }
        }
        files.put_region("region", &region);
    }

    files
}

fn world() -> Files {
    world_but(|_, _| None)
}

fn file(place: &Place, x: i32, z: i32) -> PathBuf {
    place.world().join(format!("region/r.{x}.{z}.mca"))
}

/// Replaces dirt with clay in one chunk: the same length, the same header, the same time of
/// writing.
fn edit(place: &Place, x: i32, z: i32) {
    let path = file(place, x.div_euclid(32), z.div_euclid(32));
    let bytes = fs::read(&path).unwrap();
    let slot = (x.rem_euclid(32) + z.rem_euclid(32) * 32) as usize;
    let start = u32::from_be_bytes(bytes[slot * 4..][..4].try_into().unwrap()) as usize >> 8;
    assert!(start > 0, "no chunk {x}, {z}");
    let len = u32::from_be_bytes(bytes[start * 4096..][..4].try_into().unwrap()) as usize;
    replace(
        &path,
        start * 4096..start * 4096 + len,
        b"minecraft:dirt",
        b"minecraft:clay",
    );
}

/// Replaces every `from` in a part of a file without a trace in its length and time.
fn replace(path: &Path, part: Range<usize>, from: &[u8], to: &[u8]) {
    let modified = path.metadata().unwrap().modified().unwrap();
    let bytes = fs::read(path).unwrap();
    let windows = bytes[part.clone()].windows(from.len()).enumerate();
    let places: Vec<usize> = windows
        .filter(|(_, window)| *window == from)
        .map(|(at, _)| part.start + at)
        .collect();
    assert!(!places.is_empty());

    let open = File::options().write(true).open(path).unwrap();
    for at in places {
        open.write_all_at(to, at as u64).unwrap();
    }

    open.set_modified(modified).unwrap();
    assert_eq!(path.metadata().unwrap().modified().unwrap(), modified);
}

fn numbers<const N: usize>(report: &Value, what: &str, names: [&str; N]) -> [u64; N] {
    names.map(|name| report[what][name].as_u64().unwrap())
}

/// Numbers of regions that were drawn and that were not.
fn regions(report: &Value) -> [u64; 2] {
    let [total, drawn, unchanged, failed] =
        numbers(report, "regions", ["total", "drawn", "unchanged", "failed"]);
    assert_eq!(drawn + unchanged + failed, total, "{}", report["regions"]);
    [drawn, unchanged]
}

fn written(report: &Value) -> u64 {
    numbers(report, "tiles", ["written"])[0]
}

/// Turns a journal into one of a run that was killed at its very end: no entry is confirmed.
pub(crate) fn as_if_killed(map: &Map) {
    let path = map.root.join(".pixelmap/journal");
    let mut journal = fs::read(&path).unwrap();
    let mut rest = &mut journal[19..];
    while let Some(len) = rest
        .first_chunk()
        .map(|len| u32::from_le_bytes(*len) as usize)
    {
        let (entry, after) = rest.split_at_mut(12 + len);
        entry[12] = 1;
        let check = XxHash3_64::oneshot(&entry[12..]);
        entry[4..12].copy_from_slice(&check.to_le_bytes());
        rest = after;
    }

    fs::write(path, journal).unwrap();
}

/// Draws again: how many regions that took is checked, and that the map is the one of a first run.
fn again(place: &Place, options: &[&str], drawn: u64, what: &str) -> Value {
    let report = render(&place.world(), &place.at("map"), options)
        .expect(0, what)
        .report();
    assert_eq!(regions(&report)[0], drawn, "{what}: regions drawn");
    assert_same_as_fresh(place, options, what);
    report
}

fn assert_same_as_fresh(place: &Place, options: &[&str], what: &str) {
    let fresh = place.at(&format!("fresh {what}").replace('/', "-"));
    render(&place.world(), &fresh, options).expect(0, "fresh");
    assert_same_files(
        what,
        &Map::at(&fresh).files(),
        &Map::at(&place.at("map")).files(),
    );
}

fn times(map: &Map) -> Vec<(String, SystemTime)> {
    let time = |path: String| {
        (
            path.clone(),
            map.root.join(&path).metadata().unwrap().modified().unwrap(),
        )
    };
    map.files().into_keys().map(time).collect()
}

/// Maps that an older program drew are kept unless the program declares that its pictures changed.
#[test]
fn changed_tiles_require_a_new_picture_version() {
    let place = Place::empty();
    render(&fixture("demo"), &place.at("map"), &[]).expect(0, "demo");
    let manifest = fs::read(place.at("map").join("overworld/day/tiles.tsv")).unwrap();
    let pictures = format!(
        "{} {:016x}",
        PICTURE_VERSION,
        XxHash3_64::oneshot(&manifest)
    );
    assert_eq!(
        pictures, "8 9f51434d3bdb4a93",
        "raise PICTURE_VERSION in src/draw/request/fingerprint.rs, and put this here"
    );
}

#[test]
fn an_unchanged_world_writes_nothing() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);
    let before = times(&map);

    for options in [
        &[][..],
        &["--check", "content"],
        &["--check", "quick", "-t", "1"],
        &["-t", "8"],
    ] {
        let report = again(&place, options, 0, &format!("{options:?}"));
        assert_eq!(
            numbers(&report, "tiles", ["written", "unchanged", "removed"]),
            [0, 13, 0]
        );
        assert_eq!(
            numbers(&report, "chunks", ["drawn", "bad"]),
            [81, 0],
            "the map as it stands"
        );
        assert_eq!(report["chunks_per_second"], 0.0, "none was read");
    }

    assert_eq!(times(&map), before);
}

#[test]
fn findings_of_unchanged_regions_are_repeated() {
    let mut newer = ChunkSpec::new(47, 47, Generation::Root(99_999));
    newer.layer(0, 3, Block::named("mod:purple_ore"));

    let place = Place::of(&world_but(|x, z| match (x, z) {
        (47, 15) => Some(Some(Record::new(NONE, b"no chunk".to_vec()))),
        (32, 32) => Some(Some(Record::pointing_at(1, 1))),
        (47, 47) => Some(Some(Record::zlib(&newer.nbt()))),
        // Its own position is another one: odd, but no fault.
        (15, 47) => Some(Some(chunk(16, 47, block::DIRT))),
        _ => None,
    }));

    let draw = |options: &[&str]| {
        render(&place.world(), &place.at("map"), options)
            .expect(3, "gaps")
            .report()
    };

    let said = |report: &Value| {
        let parts = [
            "outcome",
            "chunks",
            "bad_chunks",
            "unknown_blocks",
            "newer",
            "warnings",
        ];
        let mut said = parts.map(|part| report[part].clone());
        said[1]["edge"] = Value::Null;
        said
    };

    let first = draw(&[]);
    assert_eq!(first["bad_chunks"].as_array().unwrap().len(), 2);
    assert!(
        first["newer"].is_object() && first["unknown_blocks"]["mod:purple_ore"].is_object(),
        "{first}"
    );

    assert_eq!(
        first["warnings"].as_array().unwrap().len(),
        1,
        "{}",
        first["warnings"]
    );

    for options in [&[][..], &["--check", "content"]] {
        let second = draw(options);
        assert_eq!(
            (regions(&second), said(&second)),
            ([0, 9], said(&first)),
            "{options:?}"
        );
    }

    edit(&place, 79, 79);
    let third = draw(&[]);
    assert_eq!((regions(&third), said(&third)), ([1, 8], said(&first)));

    let denied = render(
        &place.world(),
        &place.at("map"),
        &["--allow-gaps", "2", "--deny", "newer-version"],
    );
    assert_eq!(denied.code, 3);
    render(&place.world(), &place.at("map"), &["--allow-gaps", "2"])
        .expect(0, "as many gaps as are allowed");
}

#[test]
fn an_edit_redraws_its_region_and_neighbours() {
    let place = Place::of(&world());
    place.draw("map", &[]);

    for ((x, z), drawn) in [
        ((47, 47), 1),
        ((63, 47), 2),
        ((47, 32), 2),
        ((63, 63), 4),
        ((0, 0), 1),
    ] {
        edit(&place, x, z);
        let report = again(&place, &[], drawn, &format!("chunk {x}, {z}"));
        assert!(written(&report) >= 1);
    }
}

#[test]
fn an_edit_is_seen_whatever_the_times_are() {
    let (now, year) = (SystemTime::now(), Duration::from_hours(24 * 365));
    for (name, time) in [
        ("long ago", now - year),
        ("in the future", now + year),
        ("1970", SystemTime::UNIX_EPOCH),
    ] {
        let place = Place::of(&world());

        let set = |path: &Path| {
            File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_modified(time)
                .unwrap();
        };

        set(&file(&place, 1, 1));
        place.draw("map", &[]);
        assert_eq!(
            regions(&again(&place, &[], 0, &format!("{name}, untouched"))),
            [0, 9]
        );
        edit(&place, 47, 47);
        again(&place, &[], 1, &format!("{name}, edited"));

        // Put back from a backup: another file with the old time.
        let whole = fs::read(file(&place, 1, 1)).unwrap();
        fs::remove_file(file(&place, 1, 1)).unwrap();
        fs::copy(
            Place::of(&world()).world().join("region/r.1.1.mca"),
            file(&place, 1, 1),
        )
        .unwrap();
        set(&file(&place, 1, 1));
        assert_eq!(fs::read(file(&place, 1, 1)).unwrap().len(), whole.len());
        again(&place, &[], 1, &format!("{name}, put back"));
    }
}

/// After some seconds the stamp of a file is trusted. A change that leaves every byte the same only
/// costs hashing the file.
#[test]
fn a_touched_file_is_hashed_only_once() {
    let external = |x, z| Some(Record::external(NONE, Some(chunk_bytes(x, z))));

    let with_outside = |outside| {
        Place::of(&world_but(|x, z| {
            ((x, z) == outside).then(|| external(x, z))
        }))
    };

    // At either side of a border: one of them is read for the neighbour before its own region is
    // drawn.
    let places = [((63, 47), 2), ((64, 47), 2), ((79, 79), 1)]
        .map(|(at, drawn)| (with_outside(at), at, drawn));
    std::thread::sleep(Duration::from_millis(2100));

    for (place, (x, z), drawn) in &places {
        place.draw("map", &[]);
        again(place, &[], 0, "settled");
        let path = place.world().join(format!("region/c.{x}.{z}.mcc"));
        let len = path.metadata().unwrap().len() as usize;
        replace(&path, 0..len, b"minecraft:dirt", b"minecraft:clay");
        again(
            place,
            &[],
            *drawn,
            &format!("chunk {x}, {z} in a file of its own"),
        );
    }

    let [.., (place, ..)] = places;
    File::options()
        .write(true)
        .open(file(&place, 0, 1))
        .unwrap()
        .set_modified(SystemTime::UNIX_EPOCH)
        .unwrap();

    again(&place, &[], 0, "touched");
    edit(&place, 0, 32);
    again(&place, &[], 2, "edited on its northern and western side");
}

#[test]
fn file_warnings_are_current_though_chunks_are_unchanged() {
    let place = Place::of(&world());
    place.draw("map", &[]);

    let path = file(&place, 1, 1);
    let count = &fs::read(&path).unwrap()[3..4].to_vec();
    let warnings = |count: &[u8], drawn: u64| {
        change_on_disk(&path, 3, count);
        again(
            &place,
            &["--check", "content"],
            drawn,
            "chunks as they were",
        )["warnings"]
            .as_array()
            .unwrap()
            .len()
    };

    // The first record claims the sectors of the one behind it.
    assert_eq!(
        (
            warnings(&[count[0] + 1], 1),
            warnings(&[count[0] + 1], 0),
            warnings(count, 1)
        ),
        (1, 1, 0)
    );
}

#[test]
fn a_lower_border_changes_the_neighbours_shade() {
    let place = Place::of(&world());
    place.draw("map", &[]);
    let before = place.at("map").join("overworld/day/17/1/2.png");
    let shaded = fs::read(&before).unwrap();
    let mut pit = ChunkSpec::new(47, 63, GENERATION);
    pit.layer(50, 52, block::DIRT);
    let lower = world_but(|x, z| {
        ((x, z) == (47, 63)).then(|| Some(Record::new(NONE, pit.nbt().document())))
    });
    fs::write(file(&place, 1, 1), &lower.0["region/r.1.1.mca"]).unwrap();
    again(&place, &[], 2, "a pit in the north of another region");
    assert!(fs::read(&before).unwrap() != shaded, "this tests nothing");
}

#[test]
fn an_invisible_edit_writes_no_tile() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);
    let before = times(&map);

    // The stone is under the dirt.
    replace(
        &file(&place, 1, 1),
        8192..12_288,
        b"minecraft:stone",
        b"minecraft:water",
    );

    let report = again(&place, &[], 4, "under the ground, in a corner");
    assert_eq!(written(&report), 0);
    assert_eq!(times(&map), before);
    again(&place, &[], 0, "and once more");
}

#[test]
fn other_options_redraw_everything() {
    let place = Place::of(&world());
    place.draw("map", &[]);

    for options in [
        &["--min-y", "55"][..],
        &["--max-y", "65"],
        &["--unfinished"],
        &["--max-y", "65", "--unfinished"],
        &["-a", "0,0,1536,1536"],
        &[],
    ] {
        again(&place, options, 9, &format!("{options:?}"));
        again(&place, options, 0, &format!("{options:?} once more"));
        again(
            &place,
            &[options, &["-f"]].concat(),
            9,
            &format!("{options:?} forced"),
        );
    }
}

#[test]
fn a_partial_map_follows_edits_within_its_reach() {
    let place = Place::of(&world());
    // Its southern edge is four blocks away from the chunk at 47, 32, its eastern one farther from
    // the next region.
    let options = ["-a", "300,300,900,509"];
    render(&place.world(), &place.at("map"), &options).expect(0, "a part");
    again(&place, &options, 0, "unchanged");

    edit(&place, 47, 32);
    again(
        &place,
        &options,
        1,
        "within reach of the region in the north",
    );

    edit(&place, 47, 47);
    again(&place, &options, 0, "out of reach");
    edit(&place, 31, 31);
    again(
        &place,
        &options,
        2,
        "seen, and at the border of another one",
    );
}

#[test]
fn changed_mod_block_names_redraw_the_map() {
    let level = |name: &str| {
        LevelDat::new("nightly", Some(1343))
            .forge_registry(&[(name, 3)])
            .bytes()
    };

    let mut files = land::world([0, 0, 64, 64], (0, 0), land::BY_COLUMN, |_, _| {
        Some(land::Column::of(60, block::STONE))
    });
    files
        .0
        .insert("level.dat".to_owned(), level("minecraft:dirt"));

    let place = Place::of(&files);
    place.draw("map", &[]);
    again(&place, &[], 0, "the same names");
    fs::write(place.world().join("level.dat"), level("mod:purple_ore")).unwrap();
    again(&place, &[], 1, "another name");
}

#[test]
fn new_and_removed_regions_redraw_their_neighbours() {
    let place = Place::of(&world());
    place.draw("map", &[]);
    let (path, aside) = (file(&place, 2, 2), place.at("aside"));
    fs::rename(&path, &aside).unwrap();
    let report = again(&place, &[], 3, "gone");
    assert_eq!(
        numbers(&report, "tiles", ["removed"]),
        [2],
        "its own and the one above it"
    );
    fs::rename(&aside, &path).unwrap();
    again(&place, &[], 4, "back");
}

#[test]
fn a_far_region_reaches_the_outermost_level() {
    let mut files = world();
    let mut far = RegionSpec::new(40, 40);
    far.put_record(1280, 1280, chunk(1280, 1280, block::DIRT));
    files.put_region("region", &far);

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    let there = |map: &Map| {
        map.tiles("overworld")
            .into_keys()
            .filter(|tile| tile.1 > 3)
            .count()
    };

    assert!(there(&map) >= 2, "{:?}", map.tiles("overworld"));
    fs::remove_file(file(&place, 40, 40)).unwrap();
    let report = again(&place, &[], 0, "gone");
    assert_eq!(there(&map), 0);
    assert!(numbers(&report, "tiles", ["removed"])[0] >= 2);
}

#[test]
fn only_missing_or_overwritten_tiles_are_redrawn() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);
    for (tile, regions) in [("17/1/1", 1), ("16/0/0", 0)] {
        let path = map.root.join(format!("overworld/day/{tile}.png"));
        fs::remove_file(&path).unwrap();
        assert_eq!(
            written(&again(&place, &[], regions, &format!("{tile} deleted"))),
            1
        );

        let len = path.metadata().unwrap().len() as usize;
        fs::write(&path, vec![7; len]).unwrap();
        assert_eq!(
            written(&again(&place, &[], regions, &format!("{tile} overwritten"))),
            1
        );
    }
}

#[test]
fn a_map_without_state_is_redrawn() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);
    let journal = map.root.join(".pixelmap/journal");
    again(&place, &[], 0, "with it");
    fs::remove_file(&journal).unwrap();
    again(&place, &[], 9, "without it");
    let mut bytes = fs::read(&journal).unwrap();
    bytes[17] += 1;
    fs::write(&journal, &bytes).unwrap();
    again(&place, &[], 9, "of another version");
    fs::remove_dir_all(map.root.join(".pixelmap")).unwrap();
    again(&place, &[], 9, "without the folder");
}

#[test]
fn a_torn_journal_is_valid_up_to_there() {
    let place = Place::of(&world());

    let map = place.draw("map", &[]);
    let journal = map.root.join(".pixelmap/journal");
    let whole = fs::read(&journal).unwrap();
    for share in 0..=8 {
        let cut = whole.len() * share / 8;
        fs::write(&journal, &whole[..cut]).unwrap();

        let report = render(&place.world(), &map.root, &[])
            .expect(0, "torn")
            .report();
        let [drawn, unchanged] = regions(&report);
        assert!(share > 0 || drawn == 9);
        assert!(share < 8 || drawn == 0);

        assert!(
            unchanged as usize + 1 >= 9 * share / 8,
            "{share}: {drawn} drawn"
        );
        assert_eq!(written(&report), 0);
        assert_same_as_fresh(&place, &[], &format!("torn at {cut}"));
    }
}

#[test]
fn unsynced_records_are_not_trusted() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);

    // A power cut before the end of the run: length and time were stored, but the bytes were not.
    as_if_killed(&map);
    let tile = map.root.join("overworld/day/17/1/1.png");
    let len = tile.metadata().unwrap().len() as usize;
    let modified = tile.metadata().unwrap().modified().unwrap();
    fs::write(&tile, vec![0; len]).unwrap();

    File::options()
        .write(true)
        .open(&tile)
        .unwrap()
        .set_modified(modified)
        .unwrap();

    let report = again(&place, &[], 1, "after a power cut");
    assert_eq!(written(&report), 1);
}

#[test]
fn an_mcc_file_belongs_to_its_region() {
    let external = |x, z| Some(Some(Record::external(NONE, Some(chunk_bytes(x, z)))));

    let outside = |x: i32, z: i32| {
        if (x, z) == (47, 47) || (x, z) == (63, 47) {
            external(x, z)
        } else {
            None
        }
    };

    let place = Place::of(&world_but(outside));
    place.draw("map", &[]);
    again(&place, &[], 0, "unchanged");

    for (name, drawn) in [("c.47.47.mcc", 1), ("c.63.47.mcc", 2)] {
        let path = place.world().join("region").join(name);
        let len = path.metadata().unwrap().len() as usize;
        replace(&path, 0..len, b"minecraft:dirt", b"minecraft:clay");
        again(&place, &[], drawn, name);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let ran = render(&place.world(), &place.at("map"), &[]).expect(3, "no such file");
        assert_eq!(regions(&ran.report())[0], drawn);
        render(&place.world(), &place.at("map"), &[]).expect(3, "no such file, once more");
        fs::write(&path, bytes).unwrap();
        again(&place, &[], drawn, &format!("{name} is back"));
    }
}

fn chunk_bytes(x: i32, z: i32) -> Vec<u8> {
    let mut chunk = ChunkSpec::new(x, z, GENERATION);
    chunk.layer(60, 64, block::DIRT);
    chunk.nbt().document()
}

#[test]
fn a_returning_dimension_has_its_former_map() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &[]);
    let before = Map::at(&place.at("map")).files();
    fs::rename(place.world().join("DIM-1"), place.at("aside")).unwrap();
    let report = render(&place.world(), &place.at("map"), &[])
        .expect(0, "no nether")
        .report();
    assert_eq!(regions(&report)[0], 0);

    let report = render(&place.world(), &place.at("map"), &["-f"])
        .expect(0, "no nether")
        .report();
    assert!(regions(&report)[0] > 0);
    fs::rename(place.at("aside"), place.world().join("DIM-1")).unwrap();
    assert_eq!(regions(&again(&place, &[], 0, "back"))[0], 0);
    assert_same_files("as before", &before, &Map::at(&place.at("map")).files());
}

#[test]
fn threads_do_not_change_an_update() {
    let place = Place::of(&world());
    let edits = [(47, 47), (63, 63), (0, 47), (64, 15), (95, 95), (31, 31)];

    for threads in ["1", "2", "8"] {
        render(&place.world(), &place.at(threads), &["-t", threads]).expect(0, threads);
    }

    for (x, z) in edits {
        edit(&place, x, z);

        let fresh = place.draw(&format!("fresh {x} {z}"), &[]).files();
        for threads in ["1", "2", "8"] {
            let check = if x == 47 { "content" } else { "quick" };
            let options = ["-t", threads, "--check", check, "--max-batch", "1"];
            let report = render(&place.world(), &place.at(threads), &options)
                .expect(0, threads)
                .report();
            assert!(regions(&report)[0] <= 4);
            assert_same_files(threads, &fresh, &Map::at(&place.at(threads)).files());
        }
    }
}

#[test]
fn unreadable_chunks_keep_pixels_and_removed_vanish() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);
    let whole = map.columns();
    let drawn = |x: i32, z: i32| map.columns().drawn_of_chunk(x, z);

    let damaged = |at: (i32, i32)| {
        world_but(move |x, z| ((x, z) == at).then(|| Some(Record::new(NONE, b"damaged".to_vec()))))
    };

    let put = |files: &Files| fs::write(file(&place, 1, 1), &files.0["region/r.1.1.mca"]).unwrap();

    let draw = |options: &[&str], code: i32| -> Ran {
        render(&place.world(), &map.root, options).expect(code, "kept")
    };

    put(&damaged((47, 47)));
    draw(&[], 3);

    let same = |x: i32, z: i32| {
        let now = map.columns();
        (0..256).all(|at| {
            let (x, z) = (x * 16 + at % 16, z * 16 + at / 16);
            now.at(x, z) == whole.at(x, z)
        })
    };

    assert!(same(47, 47) && drawn(47, 47) == 256);

    // And stays, whatever else is drawn.
    draw(&[], 3);
    draw(&["-f"], 3);
    edit(&place, 63, 63);
    assert_eq!(regions(&draw(&[], 3).report())[0], 4);
    assert!(same(47, 47) && !same(63, 63));

    // A map with other options never showed it.
    draw(&["--min-y", "40"], 3);
    assert_eq!(drawn(47, 47), 0);
    put(&world_but(|x, z| ((x, z) == (47, 47)).then_some(None)));
    draw(&[], 0);
    assert_eq!(drawn(47, 47), 0);
    assert_same_as_fresh(&place, &[], "no longer stored");

    // A whole file that cannot be read.
    put(&world());
    draw(&[], 0);
    fs::remove_file(file(&place, 1, 1)).unwrap();
    fs::create_dir(file(&place, 1, 1)).unwrap();

    let report = draw(&[], 3).report();
    assert_eq!(numbers(&report, "regions", ["failed"]), [1]);
    draw(&[], 3);
    assert!(same(47, 47) && drawn(47, 47) == 256);
    fs::remove_dir(file(&place, 1, 1)).unwrap();
}

#[test]
fn a_map_survives_kills_and_shrinking_worlds() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);

    // As a killed first run leaves it: tiles and a journal, and nothing that names them.
    as_if_killed(&map);

    for path in map
        .files()
        .into_keys()
        .filter(|path| !has_ending(path, "png"))
    {
        fs::remove_file(map.root.join(path)).unwrap();
    }

    fs::remove_file(file(&place, 2, 0)).unwrap();
    again(&place, &[], 3, "a region less");
}

#[test]
fn an_unreadable_child_tile_stops_its_parent() {
    let place = Place::of(&world());
    render(&place.world(), &place.at("map"), &[]).expect(0, "first");
    edit(&place, 15, 15);

    // Region 1, 0 is unchanged; its tile is read for the parent that it shares with region 0, 0.
    let tile = place.at("map").join("overworld/day/17/1/0.png");
    let sound = fs::read(&tile).unwrap();
    let put = |bytes: &[u8]| change_on_disk(&tile, 0, bytes);
    put(&vec![7; sound.len()]);

    let parents = || {
        ["16/0/0.png", "15/0/0.png"]
            .map(|path| fs::read(place.at("map/overworld/day").join(path)).ok())
    };

    let before = parents();
    let ran = render(&place.world(), &place.at("map"), &["-t", "1"]).expect(75, "a damaged tile");
    assert!(ran.err.contains("is damaged"), "{}", ran.err);
    assert!(parents() == before, "they are not as they were");
    put(&sound);
    render(&place.world(), &place.at("map"), &[]).expect(0, "mended");
    assert_same_as_fresh(&place, &[], "mended");
}

#[test]
fn kept_pixels_survive_a_run_that_failed() {
    let place = Place::of(&world());
    render(&place.world(), &place.at("map"), &[]).expect(0, "first");
    edit(&place, 15, 15);

    // A parent cannot be drawn: the run ends after the region's tile took its place.
    let [tile, beside] = ["0/0", "1/0"].map(|path| {
        place
            .at("map/overworld/day/17")
            .join(path)
            .with_extension("png")
    });

    let times = |path: &Path| path.metadata().unwrap().modified().unwrap();
    let (sound, before) = (fs::read(&beside).unwrap(), times(&tile));
    let put = |bytes: &[u8]| change_on_disk(&beside, 0, bytes);
    put(&vec![7; sound.len()]);
    render(&place.world(), &place.at("map"), &["-t", "1"]).expect(75, "a damaged tile");
    put(&sound);
    assert_ne!(times(&tile), before, "drawn");

    let shown = |x, z| Map::at(&place.at("map")).columns().at(x, z);
    let kept = shown(5, 5);
    assert_ne!(kept, [0; 4]);
    damage(&place, 0, 0);
    render(&place.world(), &place.at("map"), &[]).expect(3, "a damaged chunk");
    assert_eq!(shown(5, 5), kept, "as it was drawn before the failure");
}

/// Makes a chunk one that cannot be read.
fn damage(place: &Place, x: i32, z: i32) {
    let path = file(place, x.div_euclid(32), z.div_euclid(32));
    let bytes = fs::read(&path).unwrap();
    let slot = (x.rem_euclid(32) + z.rem_euclid(32) * 32) as usize;
    let start = u32::from_be_bytes(bytes[slot * 4..][..4].try_into().unwrap()) as usize >> 8;
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .write_all_at(&[0xff; 9], start as u64 * 4096 + 5)
        .unwrap();
}
