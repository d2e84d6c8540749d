//! Tests staged runs that succeed: the result equals a plain run.

use std::fs;

use serde_json::{Value, json};

use super::{Is, World, as_it_is, draw, is_waiting};
use crate::map::{Map, Place, Ran, assert_same_files, land, program, render};

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

        // Neither kind of run has anything to do after the other, or after itself.
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

    // The fault of the second map does not affect the first one.
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

    // Both maps wait, and equal the maps of a single run. This run publishes them.
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

    // All maps are published together, even with `--force`.
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
