//! One chunk of a sound region is broken in every way of the table: that chunk alone is reported and left out, and the
//! rest of the map, of what `info` says and of what `query` answers is that of the sound world.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::cases::{self, Case, Expect};
use super::run::{info, query, render};
use crate::map::{Columns, Map, Place, Rgba, Tile};
use crate::world::level_dat::LevelDat;
use crate::world::{Files, Generation, Record, RegionSpec, fixture::landscape};

/// The chunk that is broken.
pub(crate) const VICTIM: (i32, i32) = (10, 12);
/// Distance, rounded up, at which a chunk changes its neighbours: by shade and blended biomes.
const REACH: i32 = 8;

/// The chunks of the region but for the victim: those around it, in several generations, one far off, and one in each of
/// two corners. Every case has the same.
static OTHERS: LazyLock<BTreeMap<(i32, i32), Record>> = LazyLock::new(others);

fn others() -> BTreeMap<(i32, i32), Record> {
    let generations =
        [Generation::Root(3955), Generation::Numeric(1343), Generation::Aligned(2586), Generation::Spanning(1631)];
    let around = (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (VICTIM.0 + dx, VICTIM.1 + dz)));
    let places = around.filter(|place| *place != VICTIM).chain([(0, 0), (20, 25), (31, 31)]);
    let chunk = |(number, (x, z)): (usize, (i32, i32))| {
        let nbt = landscape(x, z, generations[number % generations.len()]).nbt();
        // Stored plain it takes several sectors, which records that overlap need.
        let record = if (x, z) == cases::PLAIN { Record::new(3, nbt.document()) } else { Record::zlib(&nbt) };
        ((x, z), record)
    };
    places.enumerate().map(chunk).collect()
}

fn world(victim: Option<Record>) -> Files {
    let mut region = RegionSpec::new(0, 0);
    for ((x, z), record) in &*OTHERS {
        region.put_record(*x, *z, record.clone());
    }
    if let Some(record) = victim {
        region.put_record(VICTIM.0, VICTIM.1, record);
    }
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new("broken", Some(3955)).bytes());
    files.put_region("region", &region);
    files
}

/// Columns of every chunk, those of the victim last.
fn asked() -> Vec<(i32, i32)> {
    let places = OTHERS.keys().copied().chain([VICTIM]);
    places.flat_map(|(x, z)| [(x * 16, z * 16), (x * 16 + 9, z * 16 + 13)]).collect()
}

/// A map to hold others against.
struct Good {
    pictures: BTreeMap<Tile, Vec<Rgba>>,
    columns: Columns,
    answers: Vec<Value>,
}

impl Good {
    fn of(files: &Files) -> Self {
        let place = Place::of(files);
        render(&place.world(), &place.at("map"), &[]).expect(0, "sound");
        let pictures = Map::at(&place.at("map")).pictures("overworld");
        let (answers, code) = query(&place.world(), &asked());
        assert_eq!((info(&place.world()).1, code), (0, 0));
        Self { columns: Columns::of(&pictures), pictures, answers }
    }
}

/// Compares two maps outside the reach of the victim.
fn is_same_elsewhere(one: &Columns, other: &Columns) -> bool {
    let is_near = |at: i32, chunk: i32| (chunk * 16 - REACH..chunk * 16 + 16 + REACH).contains(&at);
    let all = (0..512).flat_map(|z| (0..512).map(move |x| (x, z)));
    all.filter(|(x, z)| !is_near(*x, VICTIM.0) || !is_near(*z, VICTIM.1)).all(|(x, z)| one.at(x, z) == other.at(x, z))
}

/// The names in a world's region folder: what lies there may be no file that can be read.
fn names(world: &Path) -> BTreeSet<OsString> {
    world.join("region").read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

struct Fixed {
    sound: Good,
    without: Good,
}

fn check(case: &Case, fixed: &Fixed) {
    let Case { name, expect, record, beside } = case;
    let place = Place::of(&world(Some(record.clone())));
    beside(&place.world().join("region"));
    let before = names(&place.world());
    let ran = render(&place.world(), &place.at("map"), &["-t", "2"]);
    let (answers, query_code) = query(&place.world(), &asked());
    let (info, info_code) = info(&place.world());
    let code = if matches!(expect, Expect::Bad(_)) { 3 } else { 0 };
    assert_eq!((ran.code, query_code, info_code), (code, code, code), "{name}: exit codes; {}", ran.err);
    let report = ran.report();
    let pictures = Map::at(&place.at("map")).pictures("overworld");
    let others = OTHERS.len();
    let (told, damaged) = (&report["bad_chunks"], &info["dimensions"][0]["damaged"]);
    let (mine, rest) = (&answers[others * 2..], &answers[..others * 2]);
    assert_eq!(rest, &fixed.sound.answers[..others * 2], "{name}: the other chunks");
    assert!(is_same_elsewhere(&Columns::of(&pictures), &fixed.sound.columns), "{name}: pixels of other chunks");
    match expect {
        Expect::Bad(reason) => {
            let position = [VICTIM.0, VICTIM.1];
            assert_eq!(*damaged, json!([{"region": "r.0.0.mca", "chunk": position, "reason": reason}]), "{name}");
            let [bad] = &told.as_array().unwrap()[..] else { panic!("{name}: {told}") };
            assert_eq!((&bad["chunk"], &bad["reason"]), (&json!(position), &json!(reason)), "{name}");
            assert!(ran.err.contains("r.0.0.mca chunk 10,12: "), "{name}: {}", ran.err);
            assert!(mine.iter().all(|answer| answer["missing"] == format!("damaged: {reason}")), "{name}: {mine:?}");
            assert!(pictures == fixed.without.pictures, "{name}: as if it were not there");
        }
        Expect::Nothing | Expect::Empty => {
            assert!(pictures == fixed.without.pictures, "{name}: as if it were not there");
            let nothing = if *expect == Expect::Nothing { json!("no chunk") } else { Value::Null };
            assert!(mine.iter().all(|answer| answer["missing"] == nothing), "{name}: {mine:?}");
        }
        Expect::Drawn => assert!(pictures == fixed.sound.pictures, "{name}: the sound map"),
        Expect::Odd(word) => {
            let warned = ran.err.lines().any(|line| line.starts_with("warning: ") && line.contains(word));
            assert!(warned, "{name}: no warning of {word:?} in {}", ran.err);
        }
        Expect::Sound => {}
    }
    if code == 0 {
        assert_eq!((told, damaged), (&json!([]), &json!([])), "{name}");
    }
    assert_eq!(names(&place.world()), before, "{name}: the world was written to");
}

fn check_all(cases: &[Case]) {
    let victim = Record::zlib(&landscape(VICTIM.0, VICTIM.1, Generation::Root(3955)).nbt());
    let fixed = Fixed { sound: Good::of(&world(Some(victim))), without: Good::of(&world(None)) };
    assert!(fixed.sound.pictures != fixed.without.pictures);
    for case in cases {
        check(case, &fixed);
    }
}

#[test]
fn a_broken_record_costs_its_chunk_alone() {
    check_all(&cases::records());
}

#[test]
fn a_broken_compression_costs_its_chunk_alone() {
    check_all(&cases::compressions());
}

#[test]
fn broken_nbt_costs_its_chunk_alone() {
    check_all(&cases::nbt());
}

#[test]
fn broken_contents_cost_their_chunk_alone() {
    check_all(&cases::contents());
}

#[cfg(unix)]
#[test]
fn a_bad_external_file_costs_its_chunk_alone() {
    check_all(&cases::files_of_their_own());
}
