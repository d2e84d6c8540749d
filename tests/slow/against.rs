//! Compares the program's answers with the slow reader's, column by column, on fixtures, on damage
//! made from a seed, and on real worlds if there are any. Every line and the exit code are
//! compared: 3 if a requested column is damaged, else 0. `query` may word a reason freely, so
//! `info` is compared for the reason of each fixture.
#![allow(
    clippy::print_stderr,
    reason = "a comparison that cannot be made is said aloud"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::map::program;
use crate::missing;
use crate::slow_reader::{Answer, Damage, Folder, Numbers, Within, real_regions};
use crate::world::seed::{Seed, of_place};
use crate::world::{Files, mutation};
use serde_json::{Value, json};

/// A question to both readers.
struct Question<'a> {
    /// The folder given on the command line.
    world: &'a Path,
    options: &'a [&'a str],
    /// The folder in which the slow reader finds the same dimension.
    region: PathBuf,
    within: Within,
}

impl<'a> Question<'a> {
    fn of_world(world: &'a Path) -> Self {
        let (options, region) = (&[][..], terrain(world));
        Self {
            world,
            options,
            region,
            within: Within::default(),
        }
    }
}

/// The folder of an overworld's terrain: `region`, or the world itself before Beta 1.3.
fn terrain(world: &Path) -> PathBuf {
    Some(world.join("region"))
        .filter(|region| region.exists())
        .unwrap_or_else(|| world.to_owned())
}

fn numbers() -> Numbers {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/world/src/names/numeric.tsv");
    Numbers::parse(&fs::read_to_string(table).unwrap())
}

/// The program's answers on the lines of `positions`, and its exit code.
pub(crate) fn ask(world: &Path, options: &[&str], positions: &[(i32, i32)]) -> (Vec<Value>, i32) {
    let mut command = program();
    command
        .arg("query")
        .arg(world)
        .args(["--json", "--top"])
        .args(options);

    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();

    let lines: Vec<String> = positions
        .iter()
        .map(|(x, z)| format!("{x} {z}\n"))
        .collect();

    // The program reads standard input completely before its first answer, so writing everything
    // first cannot block.
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.concat().as_bytes())
        .unwrap();

    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output
        .status
        .code()
        .unwrap_or_else(|| panic!("killed: {said}"));

    let lines = String::from_utf8(output.stdout).unwrap();
    let answers = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")));

    let answers: Vec<Value> = answers.collect();
    assert_eq!(
        answers.len(),
        positions.len(),
        "answers of {} (code {code}): {said}",
        world.display()
    );

    (answers, code)
}

fn as_json(x: i32, z: i32, answer: &Answer) -> Value {
    match answer {
        Answer::NoChunk => json!({"x": x, "z": z, "missing": "no chunk"}),
        Answer::Unfinished => json!({"x": x, "z": z, "missing": "unfinished"}),
        Answer::Damaged(reason) => {
            json!({"x": x, "z": z, "missing": format!("damaged: {}", reason.word())})
        }
        Answer::Column { top, data_version } => {
            let (y, block, biome) = match top {
                None => (None, None, None),
                Some(top) => (Some(top.y), Some(&top.block), top.biome.as_ref()),
            };
            json!({"x": x, "z": z, "y": y, "block": block, "biome": biome, "data_version": data_version})
        }
    }
}

/// Returns an answer without its unspecified parts: the words of a reason, and undecodable names.
fn loosened(answer: &Value) -> Value {
    let mut answer = answer.clone();
    let text = |answer: &Value, key: &str| {
        answer
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };

    if text(&answer, "missing").starts_with("damaged: ") {
        answer["missing"] = json!("damaged");
    }

    for key in ["block", "biome"] {
        if text(&answer, key).contains(['?', char::REPLACEMENT_CHARACTER]) {
            answer[key] = json!("no text");
        }
    }

    answer
}

/// Five columns in each of at most `slots` chunks of a region, and columns of absent chunks.
fn positions(folder: &Folder, slots: usize) -> Vec<(i32, i32)> {
    let mut positions = vec![(0, 0), (-1, -1), (300_000, -300_000)];
    for (x, z) in folder.positions() {
        positions.push((x * 512 + 511, z * 512 + 511));
        let mut used = folder
            .region(x, z)
            .unwrap()
            .map(|region| region.used())
            .unwrap_or_default();
        used.sort_by_key(|(x, z)| of_place(*x, *z, 1));

        for (x, z) in used.into_iter().take(slots) {
            let mut seed = Seed::new(of_place(x, z, 2));
            positions.push((x * 16, z * 16));
            positions.push((x * 16 + 15, z * 16 + 15));
            positions.extend((0..3).map(|_| {
                (
                    x * 16 + seed.below(16) as i32,
                    z * 16 + seed.below(16) as i32,
                )
            }));
        }
    }

    positions
}

/// Asks both and compares every line and the exit code.
fn assert_same_answers(name: &str, question: &Question<'_>, slots: usize) {
    // The user may give the folder of a dimension or of its regions. The world's level.dat is then
    // in a folder around it.
    let mut levels = question
        .world
        .ancestors()
        .take(4)
        .map(|folder| folder.join("level.dat"));

    let level = levels.find(|path| path.exists());
    let numbers = level.map_or_else(numbers, |level| numbers().with_level_dat(&level));
    let folder = Folder::open(&question.region, numbers);

    let positions = positions(&folder, slots);
    let expected: Vec<Answer> = folder.answers(&positions, question.within);
    let (found, code) = ask(question.world, question.options, &positions);
    for (((x, z), expected), found) in positions.iter().zip(&expected).zip(&found) {
        let (left, right) = (loosened(found), loosened(&as_json(*x, *z, expected)));
        assert_eq!(
            left, right,
            "{name}: the program (left) and the slow reader (right) differ"
        );
    }

    let is_damaged = expected
        .iter()
        .any(|answer| matches!(answer, Answer::Damaged(_)));
    assert_eq!(code, if is_damaged { 3 } else { 0 }, "{name}: exit code");
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// The fixture, the world folder in it, `-d`, and the region folder in it, for fixtures in which
/// this is not just `region`.
const DIMENSIONS: &[(&str, &str, &str, &str)] = &[
    ("layout-old", "", "overworld", "region"),
    ("layout-old", "", "nether", "DIM-1/region"),
    ("layout-old", "", "-1", "DIM-1/region"),
    ("layout-old", "", "end", "DIM1/region"),
    (
        "layout-new",
        "",
        "overworld",
        "dimensions/minecraft/overworld/region",
    ),
    (
        "layout-new",
        "",
        "nether",
        "dimensions/minecraft/the_nether/region",
    ),
    (
        "layout-new",
        "",
        "end",
        "dimensions/minecraft/the_end/region",
    ),
    (
        "layout-both",
        "",
        "overworld",
        "dimensions/minecraft/overworld/region",
    ),
    ("layout-both", "", "nether", "DIM-1/region"),
    ("layout-bukkit", "world", "overworld", "world/region"),
    (
        "layout-bukkit",
        "world",
        "nether",
        "world_nether/DIM-1/region",
    ),
    ("layout-bukkit", "world", "end", "world_the_end/DIM1/region"),
    ("layout-custom", "", "overworld", "region"),
    (
        "layout-custom",
        "",
        "example:moon",
        "dimensions/example/moon/region",
    ),
    (
        "layout-custom",
        "",
        "example:planets/mars",
        "dimensions/example/planets/mars/region",
    ),
    ("layout-custom", "", "7", "DIM7/region"),
    ("alpha", "", "overworld", "."),
    ("alpha", "", "nether", "DIM-1"),
];

#[test]
fn fixtures_match_the_slow_reader() {
    for fixture_made in crate::world::fixture::all() {
        let world = fixture(fixture_made.name);
        if DIMENSIONS
            .iter()
            .all(|(name, ..)| *name != fixture_made.name)
        {
            assert_same_answers(fixture_made.name, &Question::of_world(&world), 1024);
        }
    }

    assert_same_answers("demo", &Question::of_world(&fixture("demo")), 200);

    for (name, world, dimension, region) in DIMENSIONS {
        let world = fixture(name).join(world);
        let options = ["-d", dimension];
        let region = fixture(name).join(region);
        let question = Question {
            options: &options,
            region,
            ..Question::of_world(&world)
        };
        assert_same_answers(&format!("{name}, {dimension}"), &question, 1024);
    }
}

#[test]
fn info_names_every_damaged_fixture_chunk() {
    for made in crate::world::fixture::all() {
        let world = fixture(made.name);

        if DIMENSIONS.iter().any(|(name, ..)| *name == made.name) {
            continue;
        }

        let damaged = Folder::open(&terrain(&world), numbers()).damaged();
        let expected: Vec<Value> = damaged.iter().map(damage_as_json).collect();
        let output = program()
            .arg("info")
            .arg(&world)
            .arg("--json")
            .output()
            .unwrap();

        let said = String::from_utf8_lossy(&output.stderr);
        let info: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {said}"));
        assert_eq!(
            info["dimensions"][0]["damaged"],
            json!(expected),
            "{}: {said}",
            made.name
        );

        assert_eq!(
            output.status.code(),
            Some(if expected.is_empty() { 0 } else { 3 }),
            "{}",
            made.name
        );
    }
}

fn damage_as_json(damage: &Damage) -> Value {
    let chunk = damage.chunk.map(|(x, z)| [x, z]);
    json!({"region": damage.file, "chunk": chunk, "reason": damage.reason.word()})
}

#[test]
fn folders_given_directly_are_their_dimension() {
    for (name, _, dimension, region) in DIMENSIONS {
        let region = fixture(name).join(region);
        for world in [&region, region.parent().unwrap()] {
            // The folder above an overworld's `region` is the world itself. The folder above that
            // world holds all fixtures.
            if world.join("level.dat").exists() || world.ends_with("fixtures") {
                continue;
            }

            let question = Question {
                region: region.clone(),
                ..Question::of_world(world)
            };
            assert_same_answers(&format!("{name}, {dimension}, directly"), &question, 16);
        }
    }
}

#[test]
fn big_worlds_match_the_slow_reader() {
    for fixture in crate::world::fixture::big() {
        let folder = tempfile::tempdir().unwrap();
        fixture.files.write_under(folder.path());
        assert_same_answers(fixture.name, &Question::of_world(folder.path()), 1024);
    }
    let folder = tempfile::tempdir().unwrap();
    crate::world::many::regions(&folder.path().join("region"), 4);
    assert_same_answers("many regions", &Question::of_world(folder.path()), 16);
}

#[test]
fn a_non_file_region_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let made = crate::world::fixture::all()
        .into_iter()
        .find(|fixture| fixture.name == "root-3955")
        .unwrap();
    made.files.write_under(folder.path());
    fs::create_dir(folder.path().join("region/r.1.0.mca")).unwrap();
    assert_same_answers(
        "a folder as region file",
        &Question::of_world(folder.path()),
        1024,
    );
}

#[test]
fn height_and_unfinished_options_are_respected() {
    let world = fixture("root-3955");
    for (low, high) in [(-64, 63), (60, 62), (64, 319), (200, 100_000)] {
        let (least, most) = (low.to_string(), high.to_string());
        let options = ["--min-y", &least, "--max-y", &most];
        let within = Within {
            low,
            high,
            unfinished: false,
        };

        let question = Question {
            options: &options,
            within,
            ..Question::of_world(&world)
        };
        assert_same_answers(&format!("root-3955 within {low}..={high}"), &question, 1024);
    }

    let world = fixture("statuses");
    let within = Within {
        unfinished: true,
        ..Within::default()
    };

    let question = Question {
        options: &["--unfinished"],
        within,
        ..Question::of_world(&world)
    };
    assert_same_answers("statuses, unfinished too", &question, 1024);
}

fn compare_mutations(name: &str, seeds: std::ops::Range<u64>, damage: impl Fn(u64) -> Vec<u8>) {
    for seed in seeds {
        let folder = tempfile::tempdir().unwrap();
        let files = Files(BTreeMap::from([(
            "region/r.0.0.mca".to_owned(),
            damage(seed),
        )]));
        files.write_under(folder.path());
        let question = Question::of_world(folder.path());
        assert_same_answers(&format!("{name} of seed {seed}"), &question, 16);
    }
}

#[test]
fn damaged_files_match_the_slow_reader() {
    compare_mutations("damaged file", 0..300, mutation::damaged_file);
}

#[test]
fn damaged_chunks_match_the_slow_reader() {
    compare_mutations("damaged chunks", 0..120, mutation::damaged_chunks);
}

#[test]
fn real_worlds_match_the_slow_reader() {
    for region in real_regions() {
        let (world, dimension) = world_and_dimension(&region);
        let options = ["-d", &dimension];
        let question = Question {
            options: &options,
            region: region.clone(),
            ..Question::of_world(&world)
        };
        assert_same_answers(&region.display().to_string(), &question, 40);
    }
}

#[test]
fn real_alpha_worlds_match_the_slow_reader() {
    let world = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/worlds/alpha-leppers");
    if world.exists() {
        assert_same_answers("alpha-leppers", &Question::of_world(&world), 40);
    } else {
        missing::report(
            "shared",
            &format!("a real world of Alpha: {} is not here", world.display()),
        );
    }
}

/// The world folder above a region folder, and the dimension's name on the command line.
fn world_and_dimension(region: &Path) -> (PathBuf, String) {
    let folder = region.parent().unwrap();
    let parts: Vec<&str> = folder.iter().map(|part| part.to_str().unwrap()).collect();
    let number = parts.last().unwrap().strip_prefix("DIM");

    if let Some(at) = parts.iter().rposition(|part| *part == "dimensions") {
        let name = format!("{}:{}", parts[at + 1], parts[at + 2..].join("/"));
        return (parts[..at].iter().collect(), name);
    }

    number.map_or_else(
        || (folder.to_owned(), "overworld".to_owned()),
        |number| (folder.parent().unwrap().to_owned(), number.to_owned()),
    )
}
