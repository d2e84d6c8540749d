//! Tests `--staged`: nothing is published until everything has succeeded, and the result equals a
//! plain run.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds and states of a killed run are no output of the program"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::cli::log;
use crate::map::{Map, Place, Ran, assert_same_files, land, program, render};
use crate::world::level_dat::LevelDat;
use crate::world::region::NONE;
use crate::world::{ChunkSpec, Files, Generation, Record, RegionSpec, block};

/// Regions along each side of the world.
const SIDE: i32 = 3;
/// Slots in use in each region.
const SLOTS: [(i32, i32); 6] = [(0, 0), (31, 0), (0, 31), (31, 31), (15, 15), (16, 15)];

/// State of a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Is {
    Dirt,
    Clay,
    /// A block that no table contains.
    Unknown,
    Newer,
    /// Not to be read.
    Bad,
}

fn record(x: i32, z: i32, is: Is) -> Record {
    let generation = Generation::Root(if is == Is::Newer { 9000 } else { 3955 });
    let mut chunk = ChunkSpec::new(x, z, generation);
    chunk.layer(60 + (x * 7 + z * 3).rem_euclid(5), 70, block::DIRT);
    let mut document = chunk.nbt().document();

    let name: &[u8; 14] = match is {
        Is::Clay => b"minecraft:clay",
        Is::Unknown => b"somemods:stone",
        Is::Dirt | Is::Newer => b"minecraft:dirt",
        Is::Bad => return Record::new(NONE, b"no chunk".to_vec()),
    };

    while let Some(at) = document
        .windows(14)
        .position(|part| part == b"minecraft:dirt")
        .filter(|_| is != Is::Dirt)
    {
        document[at..at + 14].copy_from_slice(name);
        if is == Is::Newer {
            break;
        }
    }

    Record::new(NONE, document)
}

/// A world of dirt, but for some chunks, and without some regions.
#[derive(Debug, Clone, Default)]
struct World {
    but: BTreeMap<(i32, i32), Is>,
    without: BTreeSet<(i32, i32)>,
}

impl World {
    fn but(chunks: &[((i32, i32), Is)]) -> Self {
        Self {
            but: chunks.iter().copied().collect(),
            ..Self::default()
        }
    }

    fn without(mut self, region: (i32, i32)) -> Self {
        self.without.insert(region);
        self
    }

    /// Replaces the world of a place. Unchanged files keep their times.
    fn write(&self, place: &Place) {
        let mut files = Files::new();
        files.put("level.dat", LevelDat::new("staged", Some(3955)).bytes());

        for (x, z) in (0..SIDE * SIDE)
            .map(|at| (at % SIDE, at / SIDE))
            .filter(|at| !self.without.contains(at))
        {
            let mut region = RegionSpec::new(x, z);
            for (x, z) in SLOTS.map(|(dx, dz)| (x * 32 + dx, z * 32 + dz)) {
                region.put_record(
                    x,
                    z,
                    record(x, z, self.but.get(&(x, z)).copied().unwrap_or(Is::Dirt)),
                );
            }

            files.put_region("region", &region);
        }

        for path in Files::read_under(&place.world())
            .0
            .into_keys()
            .filter(|path| !files.0.contains_key(path))
        {
            fs::remove_file(place.world().join(path)).unwrap();
        }

        files.0.retain(|path, bytes| {
            fs::read(place.world().join(path))
                .is_ok_and(|there| there == *bytes)
                .eq(&false)
        });
        files.write_under(&place.world());
    }
}

/// Everything of a map but its state, with times.
fn as_it_is(map: &Map) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let time = |path: &str| map.root.join(path).metadata().unwrap().modified().unwrap();
    map.files()
        .into_iter()
        .map(|(path, bytes)| (path.clone(), (bytes, time(&path))))
        .collect()
}

/// Draws with change lists. Returns the messages, the report, and the lists.
fn draw(place: &Place, out: &str, options: &[&str], code: i32) -> (Ran, Value, [String; 2]) {
    let lists = ["changed", "deleted"].map(|name| place.at(name));
    let [changed, deleted] = lists.each_ref().map(|path| path.to_str().unwrap());
    let all = [
        options,
        &["--changed-list", changed, "--deleted-list", deleted],
    ]
    .concat();

    let ran =
        render(&place.world(), &place.at(out), &all).expect(code, &format!("{out}: {options:?}"));
    let report = ran.report();
    (
        ran,
        report,
        lists.map(|path| fs::read_to_string(path).unwrap()),
    )
}

fn is_waiting(map: &Map) -> bool {
    map.root.join(".pixelmap/next").exists()
}

#[test]
fn staged_runs_equal_plain_runs() {
    let clay = World::but(&[((0, 0), Is::Clay), ((47, 47), Is::Clay)]);
    let bad = World::but(&[
        ((0, 0), Is::Clay),
        ((47, 47), Is::Bad),
        ((48, 47), Is::Clay),
        ((95, 95), Is::Bad),
    ]);

    let fewer = clay.clone().without((2, 0)).without((2, 1)).without((2, 2));
    for shape in [&["-t", "1"][..], &["-t", "2", "-l", "day", "-l", "height"]] {
        let place = Place::empty();
        for (number, (world, more)) in [
            (World::default(), &[][..]),
            (World::default(), &[]),
            (clay.clone(), &[]),
            (bad.clone(), &["--allow-gaps", "2"]),
            (bad.clone(), &["--allow-gaps", "2", "-f"]),
            (fewer.clone(), &[]),
            (clay.clone(), &["-a", "-9,-9,900,900"]),
        ]
        .into_iter()
        .enumerate()
        {
            world.write(&place);
            let options = [shape, more].concat();
            let what = format!("step {number}: {options:?}");
            let before = as_it_is(&Map::at(&place.at("staged")));
            let (_, plain, plain_lists) = draw(&place, "plain", &options, 0);
            let (_, staged, lists) =
                draw(&place, "staged", &[&options[..], &["--staged"]].concat(), 0);
            let [map, wanted] = ["staged", "plain"].map(|out| Map::at(&place.at(out)));
            assert_same_files(&what, &wanted.files(), &map.files());
            assert_eq!(lists, plain_lists, "{what}");

            for counts in [
                "/regions",
                "/tiles",
                "/chunks/drawn",
                "/chunks/bad",
                "/outcome",
            ] {
                assert_eq!(
                    staged.pointer(counts),
                    plain.pointer(counts),
                    "{what}: {counts}"
                );
            }

            assert_eq!(
                (&staged["options"]["staged"], &plain["options"]["staged"]),
                (&json!(true), &json!(false))
            );
            assert!(!is_waiting(&map), "{what}: something is left");

            for (path, (bytes, time)) in as_it_is(&map) {
                let earlier = before.get(&path).filter(|(earlier, _)| *earlier == bytes);
                assert!(
                    earlier.is_none_or(|(_, earlier)| *earlier == time),
                    "{what}: {path} was written again"
                );
            }
        }

        // Neither has to do anything after the other, nor after itself.
        for (out, options) in [
            ("staged", &[][..]),
            ("plain", &["--staged"]),
            ("staged", &["--staged"]),
        ] {
            let options = [shape, &["-a", "-9,-9,900,900"], options].concat();
            let (_, report, lists) = draw(&place, out, &options, 0);
            assert_eq!(
                [&report["regions"]["drawn"], &report["tiles"]["written"]],
                [0, 0],
                "{options:?}"
            );
            assert_eq!(lists, [""; 2]);
        }
    }
}

#[test]
fn a_failed_staged_run_leaves_the_map_alone() {
    let gaps = World::but(&[((0, 0), Is::Clay), ((15, 15), Is::Bad), ((95, 95), Is::Bad)]);
    let unknown = World::but(&[((0, 0), Is::Unknown)]);
    let newer = World::but(&[((0, 0), Is::Newer), ((31, 31), Is::Clay)]);
    for (world, demands, code, says, remedy) in [
        (
            &gaps,
            &[][..],
            3,
            "--allow-gaps 2",
            &["--allow-gaps", "2"][..],
        ),
        (
            &gaps,
            &["--allow-gaps", "1"],
            3,
            "--allow-gaps 2",
            &["--allow-gaps", "2"],
        ),
        (
            &gaps,
            &["--max-bad-chunks", "1"],
            1,
            "--max-bad-chunks 2 and --allow-gaps 2",
            &["--allow-gaps", "4%"],
        ),
        (&unknown, &["--deny", "unknown-blocks"], 3, "--palette", &[]),
        (
            &newer,
            &["--deny", "newer-version"],
            3,
            "--deny newer-version",
            &[],
        ),
    ] {
        let place = Place::empty();
        World::default().write(&place);

        for out in ["plain", "staged"] {
            draw(&place, out, &[], 0);
        }

        let (map, what) = (Map::at(&place.at("staged")), format!("{demands:?}"));
        let before = as_it_is(&map);
        world.write(&place);

        for again in [false, true] {
            let options = [demands, &["--staged"]].concat();
            let (ran, report, lists) = draw(&place, "staged", &options, code);
            assert!(as_it_is(&map) == before, "{what}: the map is another one");
            assert!(
                ran.err.contains("nothing was published") && ran.err.contains(says),
                "{what}: {}",
                ran.err
            );

            assert_eq!(
                ran.err
                    .lines()
                    .filter(|line| line.starts_with("pixelmap: "))
                    .count(),
                1,
                "{}",
                ran.err
            );

            assert_eq!(
                (&report["outcome"], &report["error"]["kind"]),
                (&json!("failed"), &json!("held_back"))
            );

            assert_eq!(
                [&report["tiles"]["written"], &report["tiles"]["removed"]],
                [0, 0],
                "{what}"
            );

            assert_eq!(lists, [""; 2], "{what}");
            assert_eq!(
                report["regions"]["drawn"] == 0,
                again,
                "{what}: what waits is not drawn again"
            );
            assert!(
                log::validator("report.schema.json").is_valid(&report),
                "{what}: {report}"
            );
        }

        let json = [demands, &["--staged", "--log-format", "json"]].concat();
        let events = log::events(&draw(&place, "staged", &json, code).0);
        assert_eq!(log::of(&events, "error")[0]["kind"], "held_back");
        assert_eq!(log::of(&events, "end")[0]["code"], code);
        draw(&place, "plain", demands, code);
        let (_, report, _) = draw(&place, "staged", &[remedy, &["--staged"]].concat(), 0);
        assert_eq!(report["regions"]["drawn"], 0, "{what}: all of it waited");
        assert!(report["tiles"]["written"].as_u64().unwrap() > 0);
        assert_same_files(&what, &Map::at(&place.at("plain")).files(), &map.files());
        assert!(!is_waiting(&map));
    }
}

#[test]
fn refused_removals_and_failed_writes_leave_the_map() {
    let place = Place::empty();
    World::default().write(&place);
    draw(&place, "staged", &[], 0);
    let map = Map::at(&place.at("staged"));
    let before = as_it_is(&map);

    // The files are there, so that only the end shows it.
    for x in 0..SIDE {
        for z in 0..2 {
            File::create(place.world().join(format!("region/r.{x}.{z}.mca"))).unwrap();
        }
    }

    let (ran, report, lists) = draw(&place, "staged", &["--staged"], 1);
    assert!(
        ran.err.contains("--max-removed") && report["error"]["kind"] == "max_removed",
        "{}",
        ran.err
    );

    assert_eq!(
        (&report["tiles"]["written"], lists),
        (&json!(0), [String::new(), String::new()])
    );
    assert!(as_it_is(&map) == before);

    let (_, report, [_, deleted]) =
        draw(&place, "staged", &["--staged", "--max-removed", "100%"], 0);
    assert_eq!(
        deleted.lines().count() as u64,
        report["tiles"]["removed"].as_u64().unwrap()
    );

    render(&place.world(), &place.at("fresh"), &[]).expect(0, "fresh");
    assert_same_files(
        "allowed",
        &Map::at(&place.at("fresh")).files(),
        &map.files(),
    );
}

#[test]
fn a_folder_instead_of_a_tile_stops_publication() {
    let place = Place::empty();
    World::default().write(&place);
    draw(&place, "staged", &[], 0);
    let map = Map::at(&place.at("staged"));
    fs::remove_file(map.root.join("overworld/day/17/2/2.png")).unwrap();
    fs::create_dir_all(map.root.join("overworld/day/17/2/2.png/in-the-way")).unwrap();
    let before = as_it_is(&map);
    World::but(&[((0, 0), Is::Clay), ((95, 95), Is::Clay)]).write(&place);

    let (ran, report, lists) = draw(&place, "staged", &["--staged"], 1);
    assert!(
        ran.err.contains("2.png") && report["error"]["kind"] == "output",
        "{}",
        ran.err
    );

    assert_eq!(
        (&report["tiles"]["written"], lists),
        (&json!(0), [String::new(), String::new()])
    );
    assert!(as_it_is(&map) == before);
}

/// A map that was held back never counts as the last render, because it was never shown.
#[test]
fn a_plain_run_ignores_the_map_held_back() {
    let place = Place::empty();
    World::default().write(&place);

    for out in ["plain", "staged"] {
        draw(&place, out, &[], 0);
    }

    World::but(&[((0, 0), Is::Clay), ((15, 15), Is::Bad)]).write(&place);
    draw(&place, "staged", &["--staged"], 3);
    World::but(&[((0, 0), Is::Bad), ((15, 15), Is::Bad)]).write(&place);

    for out in ["plain", "staged"] {
        draw(&place, out, &["--allow-gaps", "2"], 0);
    }

    let [map, wanted] = ["staged", "plain"].map(|out| Map::at(&place.at(out)));
    assert!(!is_waiting(&map));
    assert!(
        map.columns().drawn_of_chunk(0, 0) == 256 && map.columns().drawn_of_chunk(15, 15) == 256,
        "pixels are kept"
    );
    assert_same_files("plain after staged", &wanted.files(), &map.files());
}

#[test]
fn other_options_or_worlds_discard_the_waiting_map() {
    let place = Place::empty();
    World::default().write(&place);

    // Waits until the times of unchanged files are trusted.
    std::thread::sleep(Duration::from_millis(2100));

    for out in ["plain", "staged"] {
        draw(&place, out, &["-l", "day", "-l", "height"], 0);
    }

    for (world, options, code) in [
        // The second chunk touches a region whose own file does not change.
        (
            World::but(&[((0, 0), Is::Clay), ((64, 0), Is::Clay), ((95, 95), Is::Bad)]),
            &["-l", "day", "-l", "height"][..],
            3,
        ),
        // None of the drawn tiles is still to be drawn.
        (World::default(), &["-l", "day", "-l", "height"], 0),
        (
            World::but(&[((0, 0), Is::Clay), ((95, 95), Is::Bad)]),
            &["-l", "height"],
            3,
        ),
        (World::but(&[((47, 47), Is::Clay)]), &["-l", "day"], 0),
        (
            World::but(&[((0, 0), Is::Clay), ((95, 95), Is::Bad)]),
            &["--min-y", "65"],
            3,
        ),
        (World::default(), &["-l", "day"], 0),
    ] {
        world.write(&place);
        draw(&place, "staged", &[options, &["--staged"]].concat(), code);

        if code == 0 {
            draw(&place, "plain", options, 0);
            // After a staged run the published tiles are known, so nothing is drawn.
            let (_, report, _) = draw(&place, "staged", options, 0);
            assert_eq!(report["regions"]["drawn"], 0, "{options:?}");
        }

        let [map, wanted] = ["staged", "plain"].map(|out| Map::at(&place.at(out)));
        assert_same_files(&format!("{options:?}"), &wanted.files(), &map.files());
    }

    for out in ["plain", "staged"] {
        draw(&place, out, &["-l", "day", "-l", "height"], 0);
    }

    let [map, wanted] = ["staged", "plain"].map(|out| Map::at(&place.at(out)));
    assert_same_files("both layers", &wanted.files(), &map.files());
}

#[test]
fn only_good_pictures_and_archives_replace_the_old() {
    let place = Place::empty();
    let world = |chunks: &[_]| World::but(chunks).write(&place);

    for name in ["map.png", "map.webp", "map.pmtiles"] {
        let out = place.at(name);
        let folder = || fs::read_dir(place.at("")).unwrap().count();
        world(&[((0, 0), Is::Bad)]);
        let before = folder();
        let ran = render(&place.world(), &out, &["--staged"]).expect(3, name);
        assert!(
            !out.exists() && folder() == before,
            "{name}: nothing is there"
        );

        assert!(ran.err.contains("--allow-gaps 1"), "{}", ran.err);
        assert_eq!(ran.report()["error"]["kind"], "held_back");
        world(&[]);
        render(&place.world(), &out, &["--staged"]).expect(0, name);
        let good = fs::read(&out).unwrap();
        render(&place.world(), &place.at(&format!("plain.{name}")), &[]).expect(0, name);
        assert!(
            good == fs::read(place.at(&format!("plain.{name}"))).unwrap(),
            "{name}"
        );

        world(&[((0, 0), Is::Bad)]);
        let before = (folder(), out.metadata().unwrap().modified().unwrap());
        render(&place.world(), &out, &["--staged"]).expect(3, name);
        assert!(
            good == fs::read(&out).unwrap()
                && before == (folder(), out.metadata().unwrap().modified().unwrap())
        );

        render(&place.world(), &out, &["--staged", "--allow-gaps", "1"]).expect(0, name);
        assert!(
            before.1 != out.metadata().unwrap().modified().unwrap(),
            "{name}: published"
        );
    }
}

#[test]
fn several_maps_are_published_together_or_never() {
    let place = Place::empty();
    World::default().write(&place);

    // The first map is not affected by the fault of the second.
    let maps = "[[map]]\nlayer = \"day\"\narea = \"0,0,1024,1024\"\n[[map]]\nlayer = \"height\"\n";
    fs::write(place.at("maps.toml"), maps).unwrap();

    let config = place.at("maps.toml");
    let draw = |out: &str, options: &[&str], code| {
        draw(
            &place,
            out,
            &[&["-c", config.to_str().unwrap()], options].concat(),
            code,
        )
    };

    let files = |out: &str| Map::at(&place.at(out)).files();

    for out in ["plain", "staged"] {
        draw(out, &[], 0);
    }

    World::but(&[((0, 0), Is::Clay), ((95, 95), Is::Bad)]).write(&place);
    let map = Map::at(&place.at("staged"));
    let before = as_it_is(&map);
    let (ran, report, lists) = draw("staged", &["--staged"], 3);
    assert!(
        as_it_is(&map) == before && is_waiting(&map),
        "neither is published"
    );

    assert_eq!(
        (&report["error"]["kind"], &report["tiles"]["written"]),
        (&json!("held_back"), &json!(0))
    );
    assert_eq!(
        (&report["outcome"], &lists),
        (&json!("failed"), &[String::new(), String::new()])
    );
    assert!(ran.err.contains("--allow-gaps 1"), "{}", ran.err);

    // Both maps wait, and equal the maps of a single run; this run publishes them.
    let (_, staged, lists) = draw("staged", &["--staged", "--allow-gaps", "1", "-t", "3"], 0);
    let (_, plain, wanted) = draw("plain", &["--allow-gaps", "1"], 0);
    assert_eq!(
        (&staged["regions"]["drawn"], &staged["regions"]["unchanged"]),
        (&json!(0), &json!(13))
    );

    assert_eq!((&staged["tiles"], &lists), (&plain["tiles"], &wanted));
    assert_eq!(
        (&staged["outcome"], &staged["chunks"]["bad"]),
        (&json!("gaps"), &json!(1))
    );
    assert_eq!(staged["maps"].as_array().unwrap().len(), 2);
    assert_same_files("published", &files("plain"), &files("staged"));
    assert!(!is_waiting(&map));

    // All maps at once, even with `--force`.
    World::but(&[((0, 0), Is::Dirt), ((33, 33), Is::Clay)]).write(&place);
    let (_, staged, lists) = draw("staged", &["--staged", "-f"], 0);
    let (_, plain, wanted) = draw("plain", &["-f"], 0);
    assert_eq!(
        (&staged["regions"], &staged["tiles"], &lists),
        (&plain["regions"], &plain["tiles"], &wanted)
    );

    assert_same_files("by force", &files("plain"), &files("staged"));
    assert!(!is_waiting(&map));

    // A threshold that one of them exceeds holds both back.
    World::default()
        .without((0, 0))
        .without((1, 0))
        .write(&place);
    let before = as_it_is(&map);
    let (_, report, _) = draw("staged", &["--staged", "--max-removed", "1"], 1);
    assert!(as_it_is(&map) == before, "{report}");

    let (_, _, lists) = draw("staged", &["--staged"], 0);
    let (_, _, wanted) = draw("plain", &[], 0);
    assert_eq!(lists, wanted);
    assert_same_files("fewer", &files("plain"), &files("staged"));
}

#[test]
fn config_files_and_dry_runs_accept_staged() {
    let place = Place::of(&land::two_dimensions());
    let config = |text: &str| {
        fs::write(place.at("maps.toml"), text).unwrap();
        let mut command = program();
        command
            .arg("render")
            .arg(place.world())
            .arg("-o")
            .arg(place.at("map"))
            .arg("-c")
            .arg(place.at("maps.toml"));
        command
    };

    let one = "staged = true\n[[map]]\nlayer = \"day\"\n";
    let dry =
        Ran::of(config(one).args(["--dry-run", "--json"]).output().unwrap()).expect(0, "a dry run");
    let dry: Value = serde_json::from_str(&dry.out).unwrap();
    assert_eq!(dry["maps"][0]["options"]["staged"], true);
    assert!(!place.at("map").exists());

    Ran::of(config(one).output().unwrap()).expect(0, "one map");
    render(&place.world(), &place.at("plain"), &[]).expect(0, "plain");
    assert_same_files(
        "one map",
        &Map::at(&place.at("plain")).files(),
        &Map::at(&place.at("map")).files(),
    );
}

#[cfg(target_os = "linux")]
mod killed {
    use std::process::{Child, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, kill_process};

    use super::{as_it_is, is_waiting};
    use crate::map::{Map, Place, assert_same_files, program, render};
    use crate::world::many;

    /// Regions of 1,024 chunks: a second of work or two.
    const REGIONS: usize = 30;

    fn start(place: &Place, out: &Map) -> Child {
        let mut command = program();
        command
            .arg("render")
            .arg(place.world())
            .arg("-o")
            .arg(&out.root)
            .args(["-t", "2", "--staged"]);
        command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Waits until this many native tiles are staged.
    fn wait_for_tiles(out: &Map, child: &mut Child, count: usize) {
        let tiles = out.root.join(".pixelmap/next/overworld/day/17");
        let start = Instant::now();

        let there = || {
            let columns = tiles.read_dir().into_iter().flatten().flatten();
            columns
                .filter_map(|column| column.path().read_dir().ok())
                .map(Iterator::count)
                .sum::<usize>()
        };

        while there() < count {
            assert!(
                child.try_wait().unwrap().is_none(),
                "the run ended before it could be killed"
            );
            assert!(
                start.elapsed() < Duration::from_mins(1),
                "no tile after a minute"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_killed_staged_run_resumes() {
        let place = Place::empty();
        many::regions(&place.at("source"), 1);
        many::replicate(&place.at("source"), &place.world().join("region"), REGIONS);

        let fresh = place.draw("fresh", &[]).files();
        for (name, signal, next) in [
            ("on", Signal::KILL, &["--staged"][..]),
            ("ended", Signal::INT, &["--staged"]),
            ("plain", Signal::KILL, &[]),
        ] {
            // The folder already has a map that shows less.
            let map = place.draw(name, &["-a", "0,0,512,512"]);
            let before = as_it_is(&map);
            for count in [3, 12] {
                let mut child = start(&place, &map);
                wait_for_tiles(&map, &mut child, count);
                kill_process(Pid::from_child(&child), signal).unwrap();
                let code = child.wait().unwrap().code();
                assert_eq!(code, (signal == Signal::INT).then_some(130), "{name}");
                assert!(as_it_is(&map) == before, "{name}: the map is another one");
            }

            let report = render(&place.world(), &map.root, next)
                .expect(0, name)
                .report();
            let unchanged = report["regions"]["unchanged"].as_u64().unwrap();
            assert_eq!(
                unchanged >= 10,
                next.contains(&"--staged"),
                "{name}: {unchanged} were not drawn again"
            );
            assert_same_files(name, &fresh, &map.files());
            assert!(!is_waiting(&map), "{name}");

            let report = render(&place.world(), &map.root, &[])
                .expect(0, "once more")
                .report();
            assert_eq!(report["regions"]["unchanged"], REGIONS, "{name}");
        }
    }
}
