//! Compares the program's answers with the slow reader's, column by column, on fixtures, on damage
//! made from a seed, and on real worlds if there are any.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::real_worlds;
use crate::against::ask;
use crate::map::program;
use crate::slow_reader::bedrock::{self, BedrockWorld, Place};
use crate::slow_reader::{Answer, Within};
use crate::world::Files;
use crate::world::bedrock::mutation;
use crate::world::fixture::bedrock as made;
use crate::world::seed::{Seed, of_place};

/// The name that the program has for a dimension.
fn dimension_name(dimension: i32) -> String {
    match dimension {
        0 => "overworld".to_owned(),
        1 => "nether".to_owned(),
        2 => "end".to_owned(),
        number => number.to_string(),
    }
}

/// The names that the slow reader has for the blocks it has read; `None` if it does not have the
/// expected name.
fn block_name(content: &str) -> Option<String> {
    let Some(number) = content.strip_prefix("numeric:") else {
        return Some(content.to_owned());
    };
    bedrock::block(number.split_once(':')?.0.parse().ok()?)
}

fn as_json(world: &BedrockWorld, x: i32, z: i32, answer: &Answer) -> Value {
    match answer {
        Answer::NoChunk => json!({"x": x, "z": z, "missing": "no chunk"}),
        Answer::Unfinished => json!({"x": x, "z": z, "missing": "unfinished"}),
        Answer::Damaged(_) => json!({"x": x, "z": z, "missing": "damaged"}),
        Answer::Column { top: None, .. } => {
            json!({"x": x, "z": z, "y": null, "block": null, "biome": null, "data_version": null})
        }
        Answer::Column { top: Some(top), .. } => {
            let biome = top
                .biome
                .as_ref()
                .map(|id| world.biome(id.parse().unwrap()));
            json!({"x": x, "z": z, "y": top.y, "block": block_name(&top.block), "biome": biome, "data_version": null})
        }
    }
}

/// Returns an answer without its unspecified parts: the words of a reason, and names that the slow
/// reader lacks.
fn loosened(answer: &Value, expected: &Value) -> Value {
    let mut answer = answer.clone();
    if answer["missing"]
        .as_str()
        .is_some_and(|reason| reason.starts_with("damaged: "))
    {
        answer["missing"] = json!("damaged");
    }

    let is_unknown = expected["block"].is_null() && expected["y"].is_number();
    if is_unknown && answer["block"].is_string() {
        answer["block"] = Value::Null;
    }

    answer
}

/// `each` columns in each of at most `most` chunks of a dimension, and some columns of absent
/// chunks.
fn positions(world: &BedrockWorld, most: usize, each: usize) -> BTreeMap<i32, Vec<(i32, i32)>> {
    let mut chunks: Vec<Place> = world.chunks().into_iter().collect();
    chunks.sort_by_key(|(dimension, x, z)| (*dimension, of_place(*x, *z, 1)));

    let mut positions: BTreeMap<i32, Vec<(i32, i32)>> = BTreeMap::new();
    for dimension in chunks.chunk_by(|a, b| a.0 == b.0) {
        let own = positions.entry(dimension[0].0).or_default();
        own.extend([(0, 0), (-1, -1), (300_000, -300_000)]);
        for &(_, x, z) in dimension.iter().take(most) {
            let mut seed = Seed::new(of_place(x, z, 2));
            let columns =
                (0..each).map(|column| if each < 256 { seed.below(256) } else { column } as i32);
            own.extend(columns.map(|column| (x * 16 + column % 16, z * 16 + column / 16)));
        }
    }

    positions
}

/// Asks both, and compares every line and the exit code.
fn assert_same_answers(
    name: &str,
    path: &Path,
    world: &BedrockWorld,
    within: Within,
    sample: (usize, usize),
) {
    for (dimension, positions) in positions(world, sample.0, sample.1) {
        let expected = world.answers(dimension, &positions, within);

        let dimension = dimension_name(dimension);
        let mut options = vec!["-d", &dimension];
        let heights = [within.low.to_string(), within.high.to_string()];
        if within.high < i32::MAX {
            options.extend(["--min-y", &heights[0], "--max-y", &heights[1]]);
        }

        if within.unfinished {
            options.push("--unfinished");
        }

        let (found, code) = ask(path, &options, &positions);
        let mut is_damaged = false;
        for (((x, z), expected), found) in positions.iter().zip(&expected).zip(&found) {
            let right = as_json(world, *x, *z, expected);
            let left = loosened(found, &right);
            is_damaged |= left["missing"] == "damaged";

            // A chunk may lack a version because the version was in a damaged block.
            let may_be_damaged =
                world.may_be_damaged((dimension_number(&dimension), x >> 4, z >> 4));
            if may_be_damaged && *expected == Answer::NoChunk && left["missing"] == "damaged" {
                continue;
            }

            assert_eq!(
                left, right,
                "{name}, {dimension}: the program (left) and the slow reader (right) differ"
            );
        }

        assert_eq!(
            code,
            if is_damaged { 3 } else { 0 },
            "{name}, {dimension}: exit code"
        );
    }
}

fn dimension_number(name: &str) -> i32 {
    ["overworld", "nether", "end"]
        .iter()
        .position(|known| *known == name)
        .map_or_else(|| name.parse().unwrap(), |at| at as i32)
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

#[test]
fn fixtures_match_the_slow_reader() {
    for made in made::all() {
        let path = fixture(made.name);
        let Ok(world) = BedrockWorld::open(&path) else {
            assert_eq!(made.name, "bedrock-encrypted");
            continue;
        };
        assert_same_answers(made.name, &path, &world, Within::default(), (1000, 256));
    }
}

#[test]
fn height_and_unfinished_options_are_respected() {
    let path = fixture("bedrock");
    let world = BedrockWorld::open(&path).unwrap();
    for (low, high, unfinished) in [
        (-64, 63, false),
        (60, 62, true),
        (-100, -1, false),
        (200, 100_000, true),
    ] {
        let within = Within {
            low,
            high,
            unfinished,
        };

        assert_same_answers(
            &format!("within {low}..={high}"),
            &path,
            &world,
            within,
            (1000, 20),
        );
    }
}

#[test]
fn real_worlds_match_the_slow_reader() {
    let Some(worlds) = real_worlds() else { return };

    for entry in std::fs::read_dir(worlds).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "netease-encrypted" {
            // The program refuses the world because of its manifest. The slow reader reads only the
            // log, which is not encrypted.
            continue;
        }

        if path.is_dir() {
            let world = BedrockWorld::open(&path).unwrap();
            assert_same_answers(&name, &path, &world, Within::default(), (400, 8));
        } else if path.extension().is_some_and(|ending| ending == "mcworld") {
            let folder = tempfile::tempdir().unwrap();
            zip::ZipArchive::new(std::fs::File::open(&path).unwrap())
                .unwrap()
                .extract(folder.path())
                .unwrap();
            let world = BedrockWorld::open(folder.path()).unwrap();
            assert_same_answers(&name, &path, &world, Within::default(), (200, 8));
        }
    }
}

fn compare_mutations(name: &str, seeds: std::ops::Range<u64>, damaged: impl Fn(u64) -> Files) {
    for seed in seeds {
        let folder = tempfile::tempdir().unwrap();
        damaged(seed).write_under(folder.path());

        let name = format!("{name} of seed {seed}");
        match BedrockWorld::open(folder.path()) {
            Ok(world) => {
                assert_same_answers(&name, folder.path(), &world, Within::default(), (30, 6));
            }
            Err(refusal) => {
                let output = program()
                    .arg("query")
                    .arg(folder.path())
                    .args(["0", "0"])
                    .output()
                    .unwrap();
                assert_eq!(output.status.code(), Some(1), "{name}: {refusal:?}");
            }
        }
    }
}

#[test]
fn damaged_databases_match_the_slow_reader() {
    compare_mutations("damaged file", 0..150, mutation::damaged_file);
}

#[test]
fn damaged_values_match_the_slow_reader() {
    compare_mutations("damaged values", 0..100, mutation::damaged_values);
}
