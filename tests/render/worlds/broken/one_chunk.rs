//! Breaks one chunk of a sound region in every way of the table. Only that chunk may be reported
//! and left out: the rest of the map and of the answers of `info` and `query` must equal the sound
//! world. Cases that end with the same exit code are regions of one world, so far apart that none
//! affects another.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::cases::{self, Case, Expect};
use super::run::{info, query, render};
use crate::map::{Map, NATIVE, Place, Rgba, SIDE, pixels};
use crate::world::level_dat::LevelDat;
use crate::world::{Files, Generation, Record, RegionSpec, fixture::landscape};

/// The chunk that is broken.
pub(crate) const VICTIM: (i32, i32) = (10, 12);
/// The distance at which a chunk changes its neighbours by shade and blended biomes, rounded up.
const REACH: i32 = 8;

/// The chunks of the region without the victim: the chunks around it in several generations, one
/// far away, and one in each of two corners. Every case has the same chunks.
static OTHERS: LazyLock<BTreeMap<(i32, i32), Record>> = LazyLock::new(others);

fn others() -> BTreeMap<(i32, i32), Record> {
    let generations = [
        Generation::Root(3955),
        Generation::Numeric(1343),
        Generation::Aligned(2586),
        Generation::Spanning(1631),
    ];

    let around = (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (VICTIM.0 + dx, VICTIM.1 + dz)));
    let places = around
        .filter(|place| *place != VICTIM)
        .chain([(0, 0), (20, 25), (31, 31)]);

    let chunk = |(number, (x, z)): (usize, (i32, i32))| {
        let nbt = landscape(x, z, generations[number % generations.len()]).nbt();
        // Without compression it takes several sectors, which the tests of overlapping records
        // need.
        let record = if (x, z) == cases::PLAIN {
            Record::new(3, nbt.document())
        } else {
            Record::zlib(&nbt)
        };
        ((x, z), record)
    };

    places.enumerate().map(chunk).collect()
}

/// The position of a region of a world, counted from 0: every second region in a row from west to
/// east.
type Number = usize;

/// The distance in blocks between the same columns of one region and of the next.
const STEP: i32 = 2 * SIDE as i32;

/// The position of the victim in a region, in chunks.
fn victim(number: Number) -> (i32, i32) {
    (VICTIM.0 + number as i32 * STEP / 16, VICTIM.1)
}

fn file_name(number: Number) -> String {
    format!("r.{}.0.mca", number * 2)
}

/// A world with one region per victim. All chunks store the positions of the chunks in the first
/// region. In the other regions this is only a warning.
fn world_of_victims(victims: impl IntoIterator<Item = Option<Record>>) -> Files {
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new("broken", Some(3955)).bytes());

    for (number, record) in victims.into_iter().enumerate() {
        let mut region = RegionSpec::new(number as i32 * 2, 0);
        for ((x, z), other) in &*OTHERS {
            region.put_record(x + number as i32 * STEP / 16, *z, other.clone());
        }

        if let Some(record) = record {
            let (x, z) = victim(number);
            region.put_record(x, z, record);
        }

        files.put_region("region", &region);
    }

    files
}

/// Columns of every chunk of the first region, with the columns of the broken chunk last.
fn columns() -> Vec<(i32, i32)> {
    let places = OTHERS.keys().copied().chain([VICTIM]);
    places
        .flat_map(|(x, z)| [(x * 16, z * 16), (x * 16 + 9, z * 16 + 13)])
        .collect()
}

/// The answers of `query` for the columns of each of `count` regions, with the positions of the
/// first region, and the exit code.
fn answers(world: &Path, count: usize) -> (Vec<Vec<Value>>, i32) {
    let shift = |number: usize| number as i32 * STEP;
    let all = (0..count).flat_map(|number| {
        columns()
            .into_iter()
            .map(move |(x, z)| (x + shift(number), z))
    });
    let (mut answers, code) = query(world, &all.collect::<Vec<_>>());
    assert_eq!(answers.len(), count * columns().len());

    for (at, answer) in answers.iter_mut().enumerate() {
        answer["x"] = json!(answer["x"].as_i64().unwrap() - i64::from(shift(at / columns().len())));
    }

    (
        answers
            .chunks(columns().len())
            .map(<[Value]>::to_vec)
            .collect(),
        code,
    )
}

/// The pixels of the regions of a map.
fn pictures(map: &Path, count: usize) -> Vec<Vec<Rgba>> {
    let tiles = Map::at(map).tiles("overworld");
    let native: BTreeSet<_> = tiles
        .keys()
        .filter(|tile| tile.0 == NATIVE)
        .copied()
        .collect();

    assert_eq!(
        native,
        (0..count)
            .map(|number| (NATIVE, number as i32 * 2, 0))
            .collect()
    );

    (0..count)
        .map(|number| pixels(&tiles[&(NATIVE, number as i32 * 2, 0)]))
        .collect()
}

/// The regions to compare with: one with the sound chunk, and one without any chunk in its place.
struct Fixed {
    sound: Vec<Rgba>,
    without: Vec<Rgba>,
    answers: Vec<Value>,
}

impl Fixed {
    fn new() -> Self {
        let chunk = Record::zlib(&landscape(VICTIM.0, VICTIM.1, Generation::Root(3955)).nbt());
        let place = Place::of(&world_of_victims([Some(chunk), None]));
        render(&place.world(), &place.at("map"), &[]).expect(0, "sound");
        let (answers, code) = answers(&place.world(), 2);
        assert_eq!((info(&place.world()).1, code), (0, 0));
        let [sound, without] = pictures(&place.at("map"), 2).try_into().unwrap();
        assert!(sound != without);
        Self {
            sound,
            without,
            answers: answers.into_iter().next().unwrap(),
        }
    }
}

/// Compares two tiles outside the reach of the victim.
fn is_same_elsewhere(one: &[Rgba], other: &[Rgba]) -> bool {
    let is_near = |at: usize, chunk: i32| {
        (chunk * 16 - REACH..chunk * 16 + 16 + REACH).contains(&(at as i32))
    };
    one.iter().zip(other).enumerate().all(|(at, (one, other))| {
        one == other || is_near(at % SIDE, VICTIM.0) && is_near(at / SIDE, VICTIM.1)
    })
}

/// Returns the names in the region folder of a world. The folder may contain things that are not
/// readable files.
fn names(world: &Path) -> BTreeSet<OsString> {
    world
        .join("region")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect()
}

/// The entries of a list of damage, by the name of their region.
fn by_region(list: &Value) -> HashMap<&str, Vec<&Value>> {
    let mut regions: HashMap<&str, Vec<&Value>> = HashMap::new();
    for entry in list.as_array().unwrap() {
        regions
            .entry(entry["region"].as_str().unwrap())
            .or_default()
            .push(entry);
    }
    regions
}

/// Checks cases that end with the same exit code, as one world.
fn check_together(cases: &[&Case], fixed: &Fixed) {
    let place = Place::of(&world_of_victims(
        cases.iter().map(|case| Some(case.record.clone())),
    ));
    for case in cases {
        (case.beside)(&place.world().join("region"));
    }

    let before = names(&place.world());
    let ran = render(&place.world(), &place.at("map"), &["-t", "2", "-v"]);
    let (answers, query_code) = answers(&place.world(), cases.len());
    let (info, info_code) = info(&place.world());

    let code = if matches!(cases[0].expect, Expect::Bad(_)) {
        3
    } else {
        0
    };

    assert_eq!(
        (ran.code, query_code, info_code),
        (code, code, code),
        "{}: exit codes; {}",
        cases[0].name,
        ran.err
    );

    let report = ran.report();
    let (reported, damaged) = (&report["bad_chunks"], &info["dimensions"][0]["damaged"]);
    let count = if code == 0 { 0 } else { cases.len() };
    assert_eq!(
        [reported, damaged].map(|list| list.as_array().unwrap().len()),
        [count; 2],
        "one entry per bad chunk"
    );

    let (reported, damaged) = (by_region(reported), by_region(damaged));
    for (number, (case, picture)) in cases
        .iter()
        .zip(pictures(&place.at("map"), cases.len()))
        .enumerate()
    {
        let Case { name, expect, .. } = case;
        let (rest, mine) = answers[number].split_at(OTHERS.len() * 2);
        assert_eq!(
            rest,
            &fixed.answers[..OTHERS.len() * 2],
            "{name}: the other chunks"
        );
        assert!(
            is_same_elsewhere(&picture, &fixed.sound),
            "{name}: pixels of other chunks"
        );

        match expect {
            Expect::Bad(reason) => {
                let file = file_name(number);
                let (x, z) = victim(number);
                let entry = json!({"region": file, "chunk": [x, z], "reason": reason});
                assert_eq!(damaged[&*file], [&entry], "{name}");

                let [bad] = &reported[&*file][..] else {
                    panic!("{name}: {reported:?}")
                };

                assert_eq!(
                    (&bad["chunk"], &bad["reason"]),
                    (&json!([x, z]), &json!(reason)),
                    "{name}"
                );

                assert!(
                    ran.err.contains(&format!("{file} chunk {x},{z}: ")),
                    "{name}: {}",
                    ran.err
                );

                assert!(
                    mine.iter()
                        .all(|answer| answer["missing"] == format!("damaged: {reason}")),
                    "{name}: {mine:?}"
                );
                assert!(picture == fixed.without, "{name}: as if it were not there");
            }
            Expect::Nothing | Expect::Empty => {
                assert!(picture == fixed.without, "{name}: as if it were not there");

                let nothing = if *expect == Expect::Nothing {
                    json!("no chunk")
                } else {
                    Value::Null
                };

                assert!(
                    mine.iter().all(|answer| answer["missing"] == nothing),
                    "{name}: {mine:?}"
                );
            }
            Expect::Drawn => assert!(picture == fixed.sound, "{name}: the sound map"),
            Expect::Odd(_) | Expect::Sound => {}
        }
    }

    assert_eq!(names(&place.world()), before, "the world was written to");
}

/// Checks the warning of a case in a world of its own.
fn check_warning(case: &Case, word: &str) {
    let place = Place::of(&world_of_victims([Some(case.record.clone())]));
    let ran = render(&place.world(), &place.at("map"), &["-t", "2"]).expect(0, &case.name);
    let is_warned = ran
        .err
        .lines()
        .any(|line| line.starts_with("warning: ") && line.contains(word));
    assert!(
        is_warned,
        "{}: no warning of {word:?} in {}",
        case.name, ran.err
    );
}

fn check_all(cases: &[Case]) {
    let fixed = Fixed::new();
    let (bad, drawn): (Vec<_>, Vec<_>) = cases
        .iter()
        .partition(|case| matches!(case.expect, Expect::Bad(_)));
    for cases in [bad, drawn].iter().filter(|cases| !cases.is_empty()) {
        check_together(cases, &fixed);
    }

    for case in cases {
        if let Expect::Odd(word) = case.expect {
            check_warning(case, word);
        }
    }
}

#[test]
fn a_broken_record_costs_only_its_chunk() {
    check_all(&cases::records());
}

#[test]
fn a_broken_compression_costs_only_its_chunk() {
    check_all(&cases::compressions());
}

#[test]
fn broken_nbt_costs_only_its_chunk() {
    check_all(&cases::nbt());
}

#[test]
fn broken_contents_cost_only_their_chunk() {
    check_all(&cases::contents());
}

#[cfg(unix)]
#[test]
fn a_bad_external_file_costs_only_its_chunk() {
    let fixed = Fixed::new();
    // The thing in place of the chunk's file has the name of the first region.
    for case in &cases::files_of_their_own() {
        check_together(&[case], &fixed);
    }
}
