//! Tests that a wrong call is never reported as "same": a map compared with itself, outputs over an
//! input, files of an earlier call.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::compare::differences::{ab, diff, drawn, sand};
use crate::map::{Place, Ran, fixture, on, program, render, run, shell};
use crate::world::Files;
use serde_json::Value;

/// Two maps that differ, and a picture of each.
fn maps() -> Place {
    let place = drawn(sand, &[]);
    for (world, picture) in [(place.at("before"), "a.png"), (place.world(), "b.png")] {
        render(&world, &place.at(picture), &["-a", "560,60,640,140"]).expect(0, picture);
    }
    place
}

#[test]
fn a_map_is_not_compared_with_itself() {
    let place = maps();
    for (real, link) in [("a", "link"), ("a.png", "link.png")] {
        symlink(place.at(real), place.at(link)).unwrap();
    }

    let manifest = "overworld/day/tiles.tsv";
    for (one, other) in [
        ("a", "a"),
        ("a", "a/../a"),
        ("a", "link"),
        ("link", "a/"),
        ("a.png", "link.png"),
        (&*format!("a/{manifest}"), "a"),
        (&*format!("link/{manifest}"), "a"),
    ] {
        let ran = diff(
            &place.at(one),
            &place.at(other),
            &["-d", "overworld"][..if one == "a.png" { 0 } else { 2 }],
        );

        assert!(
            ran.code == 2 && ran.err.contains("the same map"),
            "{one} {other}: {} {}",
            ran.code,
            ran.err
        );
        assert_eq!(ran.out, "");
    }

    diff(&place.at("a"), &place.copy("a", "copy"), &[]).expect(0, "a copy");
}

#[test]
fn only_one_text_goes_to_standard_output() {
    let place = maps();
    let texts = ["--junit", "--markdown", "--changed-list", "--deleted-list"];
    for option in texts {
        let ran = ab(&place, &[option, "-"]).expect(1, option);
        assert!(!ran.out.contains('\t'), "{option}: {}", ran.out);
        let both = ab(&place, &[option, "-", "--json"]).expect(2, option);
        assert!(
            both.out.contains("\"code\":2") && both.err.contains(&format!("--json and {option}")),
            "{}",
            both.err
        );
    }

    for pair in texts.windows(2) {
        ab(&place, &[pair[0], "-", pair[1], "-"]).expect(2, pair[0]);
    }
}

#[test]
fn inputs_of_a_comparison_are_not_overwritten() {
    let place = maps();
    let (at, tile) = (
        |name: &str| place.at(name).to_str().unwrap().to_owned(),
        "overworld/day/17/1/0.png",
    );
    symlink(place.at("b.png"), place.at("link.png")).unwrap();
    symlink(place.at("b").join(tile), place.at("tile.png")).unwrap();

    let elsewhere = Place::empty();
    let folder = elsewhere.at("folder");
    symlink(place.at("b"), &folder).unwrap();
    let through = folder.join("map.json").to_str().unwrap().to_owned();

    for name in ["a-1.png", "a-2.png"] {
        fs::copy(
            place.at(&name.replace("-1", "").replace("-2", "")),
            place.at(name),
        )
        .unwrap();
    }

    let before = Files::read_under(&place.at(""));

    for (a, b, option, out) in [
        ("a.png", "b.png", "--image", "b.png"),
        ("a.png", "b.png", "--heatmap", "a.png"),
        ("a.png", "b.png", "--image", "link.png"),
        ("a.png", "link.png", "--junit", "b.png"),
        ("a-1.png", "b.png", "--markdown", "a.md"),
        ("a", "b", "--image", &*format!("b/{tile}")),
        ("a", "b", "--image", "tile.png"),
        ("a", "b", "--junit", &through),
        (
            "a/overworld/day/tiles.tsv",
            "b",
            "--changed-list",
            "a/overworld/day/tiles.tsv",
        ),
    ] {
        let ran = diff(&place.at(a), &place.at(b), &[option, &at(out)]);
        assert!(
            ran.code == 2 && ran.err.contains("overwrite an input"),
            "{a} {b} {out}: {}",
            ran.err
        );
    }

    for (one, other, name) in [
        ("--junit", "--markdown", "x"),
        ("--image", "--heatmap", "x"),
        ("--image", "--markdown", "x-1.png"),
    ] {
        let out = [
            at(name),
            at(if other == "--markdown" && name != "x" {
                "x.md"
            } else {
                name
            }),
        ];

        let ran = ab(&place, &[one, &out[0], other, &out[1]]);
        assert!(
            ran.code == 2 && ran.err.contains("name a file for each"),
            "{one} {other}: {}",
            ran.err
        );
    }

    assert!(
        before.0 == Files::read_under(&place.at("")).0,
        "nothing was written"
    );
}

#[test]
fn a_manifest_has_no_pixels_to_count() {
    let place = maps();
    let saved = place.at("saved.tsv");
    fs::copy(place.at("a/overworld/day/tiles.tsv"), &saved).unwrap();

    for limit in ["1", "99999", "100%"] {
        let ran = diff(&saved, &place.at("b"), &["--max-changed", limit]);
        assert!(
            ran.code == 2 && ran.err.contains("--max-changed"),
            "{limit}: {} {}",
            ran.code,
            ran.err
        );
    }

    diff(&saved, &place.at("b"), &["--max-changed", "0"]).expect(1, "no limit");
}

#[test]
fn a_closed_pipe_changes_no_verdict() {
    let place = maps();
    let piped = |args: &[&str], code: i32| {
        // The reader ends before the first line.
        let mut command = shell("{ sleep 0.2; \"$0\" \"$@\"; echo $? >&2; } | true");
        let ran = Ran::of(
            command
                .args(args)
                .current_dir(place.at(""))
                .output()
                .unwrap(),
        );

        assert_eq!(
            ran.err.lines().last(),
            Some(&*code.to_string()),
            "{args:?}: {}",
            ran.err
        );

        assert!(
            !ran.err.contains("pipe") && !ran.err.contains("panicked"),
            "{args:?}: {}",
            ran.err
        );
    };

    piped(&["diff", "a", "b", "-q"], 1);
    piped(&["diff", "a", "b", "--json"], 1);
    piped(&["diff", "a", "b", "--junit", "-"], 1);

    piped(
        &[
            "diff",
            "a",
            "b",
            "--changed-list",
            "-",
            "--deleted-list",
            "left.txt",
        ],
        1,
    );

    assert!(
        fs::read(place.at("left.txt")).unwrap().is_empty(),
        "the other list is written all the same"
    );

    piped(&["render", "world", "-o", "c", "--report", "-"], 0);
    let damaged = fixture("slot-past-end");
    let damaged = damaged.to_str().unwrap();
    piped(&["render", damaged, "-o", "d", "--report", "-"], 3);
    piped(&["info", damaged], 0);

    piped(&["query", damaged, "0", "0"], 0);
    fs::remove_file(place.at("a/overworld/day/17/1/0.png")).unwrap();
    piped(&["verify", "a"], 1);
    piped(&["verify", "a", "--json"], 1);
    piped(&["--help"], 0);
}

#[test]
fn unread_changes_are_on_the_next_list() {
    let place = maps();
    let list = |reader: &str| {
        let mut command = shell(&format!(
            "{{ sleep 0.2; \"$0\" render world -o b -q --changed-list -; }} | {reader}"
        ));
        Ran::of(command.current_dir(place.at("")).output().unwrap()).out
    };
    assert_eq!(list("cat"), "", "lists begin here");
    fs::remove_file(place.world().join("region/r.1.0.mca")).unwrap();
    assert_eq!(list("true"), "");
    assert!(list("cat").contains("overworld/day/tiles.tsv\n"));
}

#[test]
fn refused_runs_replace_the_earlier_report() {
    let place = maps();
    let at = |name: &str| place.at(name).to_str().unwrap().to_owned();
    let (report, changed, deleted) = (at("report.json"), at("changed"), at("deleted"));
    fs::write(place.at("wrong.toml"), "layer = 7\n").unwrap();
    fs::create_dir(place.at("mine")).unwrap();
    fs::write(place.at("mine/notes.txt"), "mine").unwrap();

    let (wrong, level) = (at("wrong.toml"), at("world/level.dat"));
    for (what, world, out, options, code) in [
        ("no world", "nowhere", "b", &[][..], 1),
        ("no map", "world", "mine", &[], 1),
        ("a configuration file", "world", "b", &["-c", &wrong], 2),
        ("lists of a picture", "world", "b.png", &[], 2),
        ("no such dimension", "world", "b", &["-d", "end"], 1),
        ("no such palette", "world", "b", &["--palette", &level], 2),
        ("a world without regions", "mine/world", "b", &[], 1),
    ] {
        for file in [&report, &changed, &deleted] {
            fs::write(file, "of last night").unwrap();
        }

        let mut command = program();
        command.args(["render", &at(world), "-o", &at(out), "--report", &report]);
        command
            .args(["--changed-list", &changed, "--deleted-list", &deleted])
            .args(options);

        Ran::of(command.output().unwrap()).expect(code, what);
        let told: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
        assert_eq!(told["outcome"], "failed", "{what}: {told}");
        assert!(
            told["error"]["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{what}: {told}"
        );

        assert_eq!(
            [&changed, &deleted].map(|list| fs::read(list).unwrap()),
            [b"", b""],
            "{what}"
        );
    }

    let mut command = program();
    fs::write(&changed, "of last night").unwrap();
    command.args([
        "render",
        &at("nowhere"),
        "--dry-run",
        "--changed-list",
        &changed,
    ]);

    Ran::of(command.output().unwrap()).expect(1, "a dry run");
    assert_eq!(
        fs::read(&changed).unwrap(),
        b"of last night",
        "a dry run writes nothing"
    );
}

#[test]
fn a_report_never_overwrites_an_input() {
    let place = maps();
    let at = |name: &str| place.at(name).to_str().unwrap().to_owned();
    fs::write(place.at("map.toml"), "layer = \"day\"\n").unwrap();
    fs::write(place.at("mine.tsv"), "stone 102030\n").unwrap();
    symlink(place.at("mine.tsv"), place.at("link.tsv")).unwrap();

    for (option, input, report) in [
        ("-c", "map.toml", "map.toml"),
        ("--palette", "mine.tsv", "link.tsv"),
    ] {
        let before = fs::read(place.at(input)).unwrap();
        let ran = run(&[
            "render",
            &at("world"),
            "-o",
            &at("c"),
            option,
            &at(input),
            "--report",
            &at(report),
        ]);

        assert!(
            ran.code == 2 && ran.err.contains("is read by this run"),
            "{option}: {} {}",
            ran.code,
            ran.err
        );
        assert_eq!(fs::read(place.at(input)).unwrap(), before, "{option}");
    }
}

#[test]
fn trouble_leaves_no_earlier_report_of_a_comparison() {
    let place = maps();
    let at = |name: &str| place.at(name).to_str().unwrap().to_owned();

    let names = [
        "--image",
        "--heatmap",
        "--junit",
        "--markdown",
        "--changed-list",
        "--deleted-list",
    ];

    let files: Vec<String> = ["i.png", "h.png", "junit.xml", "s.md", "changed", "deleted"]
        .map(at)
        .into();
    let options: Vec<&str> = names
        .iter()
        .zip(&files)
        .flat_map(|(name, file)| [*name, file.as_str()])
        .collect();
    ab(&place, &options).expect(1, "last night");

    assert!(
        files
            .iter()
            .chain([&at("s-1.png")])
            .all(|file| Path::new(file).is_file())
    );

    let mine = fs::read(place.at("a.png")).unwrap();
    fs::write(place.at("s-2.png"), &mine).unwrap();
    diff(&place.at("a"), &place.at("nowhere"), &options).expect(2, "this night");

    let read = |name: &str| fs::read_to_string(place.at(name)).unwrap();
    assert_eq!([read("changed"), read("deleted")], ["", ""]);
    assert!(read("junit.xml").contains("errors=\"1\"") && read("junit.xml").contains("nowhere"));
    assert!(read("s.md").contains("cannot be compared") && read("s.md").contains("nowhere"));
    assert!(
        ["i.png", "h.png", "s-1.png"]
            .iter()
            .all(|name| !place.at(name).exists())
    );

    assert_eq!(
        fs::read(place.at("s-2.png")).unwrap(),
        mine,
        "a picture of someone else"
    );
}

#[test]
fn git_lfs_pointers_are_recognised() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123\n";
    for file in [
        "a.png",
        "a/map.json",
        "a/overworld/day/tiles.tsv",
        "a/overworld/day/17/1/0.png",
        "saved.tsv",
        "a.pmtiles",
    ] {
        let place = maps();
        fs::write(place.at(file), pointer).unwrap();

        let (one, other) = match file.split('/').next() {
            Some("a") => ("a", "b"),
            _ if file == "a.png" => (file, "b.png"),
            _ => (file, "b"),
        };

        let ran = diff(&place.at(one), &place.at(other), &[]).expect(2, file);
        assert!(
            ran.err.contains("git lfs pull") && ran.err.contains(file),
            "{file}: {}",
            ran.err
        );

        let ran = on::<&str>("verify", &place.at(one), &[]).expect(1, file);
        assert!(ran.err.contains("git lfs pull"), "{file}: {}", ran.err);
    }
}

#[test]
fn git_ignores_the_state_of_a_map() {
    let place = maps();
    for map in ["a", "b"] {
        assert_eq!(
            fs::read_to_string(place.at(map).join(".pixelmap/.gitignore")).unwrap(),
            "*\n"
        );
    }
}
