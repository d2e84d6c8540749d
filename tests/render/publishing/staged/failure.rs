//! Tests staged runs that fail: the published map stays, and a later run starts anew or continues.

use std::fs::{self, File};
use std::time::Duration;

use serde_json::json;

use super::{Is, SIDE, World, as_it_is, draw, is_waiting};
use crate::cli::log;
use crate::map::{Map, Place, assert_same_files, render};

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

    // The files exist, so only the end of the run shows the failure.
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
        // The world equals the published one again, so the tiles that wait are not needed.
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
            // The records of a staged run include the published tiles, so nothing is drawn.
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
