//! Tests the script for CI jobs: which maps it considers equal, which comparisons it refuses, and
//! that it keeps files of the user.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;
use std::path::Path;

use crate::map::{Map, Place, Ran, assert_same_files, fixture, on, render, shell};
use crate::world::fixture::landscape;
use crate::world::{Files, Generation, RegionSpec, block};
use serde_json::Value;

/// Runs the script in a place.
fn script(place: &Place, arguments: &[&str]) -> Ran {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/check-map.sh");
    let mut command = shell("PIXELMAP=$0 exec sh \"$@\"");
    command
        .arg(script)
        .args(arguments)
        .current_dir(place.at("."));

    // Runs without the environment of the user's session.
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap());

    Ran::of(command.output().unwrap())
}

/// A place with a small world, and its expected map.
fn place() -> Place {
    let place = Place::empty();
    copy(&fixture("root-3955"), &place.world());
    script(
        &place,
        &["--update", "--baseline", "base", "world", "first"],
    )
    .expect(0, "the first map");
    place
}

fn copy(from: &Path, to: &Path) {
    Files::read_under(from).write_under(to);
}

fn digest(map: &Path) -> String {
    on("verify", map, &["-q", "--digest"])
        .expect(0, "digest")
        .out
        .trim()
        .to_owned()
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    Files::read_under(folder).0.into_keys().collect()
}

/// Writes a small world. It may have a block of wool high above the land at 40, -25.
fn write_land(folder: &Path, has_wool: bool) {
    let mut region = RegionSpec::new(0, -1);
    for (x, z) in [(1, -2), (2, -2), (3, -2), (2, -1)] {
        let mut chunk = landscape(x, z, Generation::Root(3955));
        if has_wool && (x, z) == (2, -2) {
            chunk.set(8, 120, 7, block::RED_WOOL);
        }
        region.put(&chunk);
    }

    let files = Files::of_regions([region]);
    files.write_under(folder);
}

#[test]
fn the_check_script_detects_edited_maps() {
    let place = Place::empty();
    let land = place.at("land");
    write_land(&land, false);
    render(&land, &place.at("baseline"), &["-q"]).expect(0, "baseline");
    let digest = digest(&place.at("baseline"));
    let check = |how: &[&str], world: &Path, out: &str| {
        script(
            &place,
            &[how, &[world.to_str().unwrap(), out, "-q", "-l", "day"]].concat(),
        )
    };
    let (pinned, compared) = (["--digest", &digest], ["--baseline", "baseline"]);
    let same = format!("same: {digest}\n");
    assert_eq!(check(&pinned, &land, "same").expect(0, "digest").out, same);
    assert!(!place.at("same.diff").exists());
    assert_eq!(
        check(&compared, &land, "same")
            .expect(0, "the same map")
            .out,
        same
    );
    assert_eq!(
        names(&place.at("same.diff")),
        [".gitignore", "junit.xml"],
        "nothing that shows differences"
    );

    write_land(&place.world(), true);
    let other = check(&pinned, &place.world(), "edited").expect(1, "another digest");
    assert!(
        other.out.starts_with("differs: ") && other.out.contains(&digest),
        "{}",
        other.out
    );
    check(&compared, &place.world(), "edited").expect(1, "another map");
    let left = Files::read_under(&place.at("edited.diff")).0;
    assert!(
        ["difference.png", "summary.md", "junit.xml"]
            .iter()
            .all(|file| left.contains_key(*file))
    );
    let told: Value = serde_json::from_slice(&left["diff.json"]).unwrap();
    let [x0, z0, x1, z1] = [0, 1, 2, 3].map(|at| told["layers"][0]["bounds"][at].as_i64().unwrap());
    assert!(
        (x0..x1).contains(&40) && (z0..z1).contains(&-25) && x1 - x0 < 8 && z1 - z0 < 8,
        "{told}"
    );

    // Both are checked, and each of them can fail.
    let both = [pinned, compared].concat();
    assert_eq!(
        check(&both, &place.world(), "edited")
            .expect(1, "both")
            .out
            .lines()
            .count(),
        2
    );
    check(&["--digest", "0", "--baseline", "baseline"], &land, "same")
        .expect(1, "another digest, the same map");
    check(&both, &land, "same").expect(0, "both");
}

#[test]
fn trouble_is_not_a_difference() {
    let place = place();
    let broken = fixture("slot-past-end");

    for wrong in [
        &["--digest", "0", "nothing", "map"][..],
        &["--baseline", "nothing", "world", "map"],
        &["--both", "0", "world", "map"],
        &["world", "map"],
        &["--baseline=base", "world"],
        // A variable that a job did not set.
        &["--baseline", "", "world", "map"],
        &["--digest", "", "--baseline", "base", "world", "map"],
        &["--baseline", "base", "--max-changed", "", "world", "map"],
        // Changes that a digest cannot detect.
        &["--digest", "0", "--max-changed", "1", "world", "map"],
        // Nothing is drawn, so the script would check an older map.
        &["--baseline", "base", "world", "first", "--dry-run"],
        &["--update", "--digest", "0", "world", "map"],
        &["--update", "--baseline", "world", "world", "map"],
        &["--update", "--baseline", "world/map", "world", "map"],
        &["--update", "--baseline", ".", "world", "map"],
    ] {
        let ran = script(&place, wrong).expect(2, &format!("{wrong:?}"));
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{wrong:?}");
    }

    assert_same_files(
        "the world",
        &Files::read_under(&place.world()).0,
        &Files::read_under(&fixture("root-3955")).0,
    );

    let broken = broken.to_str().unwrap();
    let gaps = script(
        &place,
        &["--digest", "0", "--baseline", "base", broken, "gaps"],
    )
    .expect(3, "chunks are broken");

    assert_eq!(
        gaps.out.matches("differs: ").count(),
        2,
        "both are compared first: {}",
        gaps.out
    );
    assert!(place.at("gaps.diff/summary.md").exists());
}

#[test]
#[cfg(unix)]
fn the_check_script_compares_no_map_with_itself() {
    use std::os::unix::fs::symlink;

    let (place, demo) = (place(), fixture("demo"));
    let manifest = "first/overworld/day/tiles.tsv";
    symlink("first", place.at("folder-link")).unwrap();
    symlink(place.at(manifest), place.at("file-link.tsv")).unwrap();
    let before = Files::read_under(&place.at("first"));

    for (baseline, out) in [
        ("first", "first"),
        ("first/", "./first"),
        ("folder-link", "first"),
        ("first", "folder-link/"),
        (manifest, "first"),
        ("file-link.tsv", "first"),
        ("first/overworld", "folder-link"),
    ] {
        for update in [&[][..], &["--update"]] {
            let arguments = [
                update,
                &["--baseline", baseline, demo.to_str().unwrap(), out],
            ]
            .concat();
            let ran = script(&place, &arguments).expect(2, &format!("{baseline} and {out}"));
            assert!(
                ran.err.contains("choose another place for the new map"),
                "{}",
                ran.err
            );
        }
    }

    assert_eq!(
        Files::read_under(&place.at("first")),
        before,
        "nothing was drawn"
    );

    // The earlier map does not exist yet, but the run would create it as the new map, so the script
    // refuses it.
    symlink("later", place.at("later-link")).unwrap();

    for (baseline, out) in [("later-link", "later"), ("last/saved.tsv", "last")] {
        script(&place, &["--update", "--baseline", baseline, "world", out]).expect(2, baseline);
    }

    assert!(!place.at("last/saved.tsv").exists());
    fs::copy(place.at(manifest), place.at("saved.tsv")).unwrap();
    script(&place, &["--baseline", "saved.tsv", "world", "first"])
        .expect(0, "a copy is another file");
}

#[test]
fn the_check_script_removes_only_its_files() {
    let place = place();
    let check = ["--baseline", "base", "world", "map"];
    let put = |path: &str| {
        fs::create_dir_all(place.at(path).parent().unwrap()).unwrap();
        fs::write(place.at(path), "mine").unwrap();
    };
    // A folder that somebody else made, even with the same names.
    put("map.diff/summary.md");
    let ran = script(&place, &check).expect(2, "a folder of somebody's");
    assert!(ran.err.contains("move it away"), "{}", ran.err);
    assert_eq!(names(&place.at("map.diff")), ["summary.md"]);
    fs::remove_dir_all(place.at("map.diff")).unwrap();

    // A file that somebody put next to the files of the check.
    copy(&fixture("demo"), &place.at("demo"));
    script(&place, &["--baseline", "base", "demo", "map"]).expect(1, "another world");
    put("map.diff/notes.txt");
    script(&place, &["--digest", "0", "nothing", "map"]).expect(2, "no world");
    assert_eq!(
        names(&place.at("map.diff")),
        ["notes.txt"],
        "an earlier check says nothing of this one"
    );
    fs::remove_dir_all(place.at("map.diff")).unwrap();

    // Inputs may have such names.
    for (input, arguments) in [
        ("base.diff", ["--baseline", "base.diff", "world", "base"]),
        (
            "base.diff/base",
            ["--baseline", "base.diff/base", "world", "base"],
        ),
        ("world.diff", ["--baseline", "first", "world.diff", "world"]),
    ] {
        copy(
            &place.at(if input.starts_with("world") {
                "world"
            } else {
                "first"
            }),
            &place.at(input),
        );

        let before = Files::read_under(&place.at(input));
        let ran = script(&place, &arguments).expect(2, input);
        assert!(
            ran.err.contains("choose another output"),
            "{input}: {}",
            ran.err
        );
        assert_eq!(Files::read_under(&place.at(input)), before);
        fs::remove_dir_all(place.at(input.split('/').next().unwrap())).unwrap();
    }
}

#[test]
fn an_update_replaces_the_earlier_map() {
    let place = place();
    let update = |world: &str, out: &str, options: &[&str]| {
        script(
            &place,
            &[
                &["--update", "--baseline", "base", world, out, "-q"],
                options,
            ]
            .concat(),
        )
    };
    let base = || Files::read_under(&place.at("base")).0;
    assert_same_files(
        "a copy without the state",
        &base(),
        &Map::at(&place.at("first")).files(),
    );
    // Other tiles, and a file that does not belong to a map.
    fs::write(place.at("base/.gitattributes"), "mine").unwrap();
    copy(&fixture("demo"), &place.at("demo"));
    let ran = update("demo", "second", &[]).expect(0, "an update");
    assert!(
        ran.out.starts_with("differs: ") && ran.out.ends_with("updated: base\n"),
        "{}",
        ran.out
    );
    assert!(
        place.at("second.diff/difference.png").exists(),
        "what differs is shown"
    );
    let told: Value =
        serde_json::from_slice(&fs::read(place.at("second.diff/diff.json")).unwrap()).unwrap();
    assert_eq!(told["same"], false);
    let mut expected = Map::at(&place.at("second")).files();
    expected.insert(".gitattributes".to_owned(), b"mine".to_vec());
    assert_same_files("an update", &base(), &expected);
    script(&place, &["--baseline", "base", "demo", "third"]).expect(0, "the same");

    update("world", "fourth", &[]).expect(0, "fewer tiles");
    assert_eq!(
        base().len() - 1,
        Map::at(&place.at("fourth")).files().len(),
        "tiles that went"
    );

    // A manifest covers only one layer.
    let lone = |options: &[&str]| {
        script(
            &place,
            &[&["--update", "--baseline", "lone.tsv"], options].concat(),
        )
    };
    let ran = lone(&["world", "two", "-l", "day", "-l", "height"]).expect(2, "two layers");
    assert!(
        ran.err.contains("choose one with --dimension and --layer"),
        "{}",
        ran.err
    );
    lone(&["--layer", "height", "world", "one"]).expect(0, "one layer");
    let read = |path: &str| fs::read(place.at(path)).unwrap();
    assert_eq!(read("lone.tsv"), read("one/overworld/height/tiles.tsv"));
    script(
        &place,
        &[
            "--baseline",
            "lone.tsv",
            "--layer",
            "height",
            "world",
            "again",
        ],
    )
    .expect(0, "the same");
    let ran = script(
        &place,
        &[
            "--baseline",
            "lone.tsv",
            "--layer",
            "height",
            "demo",
            "other",
        ],
    )
    .expect(1, "edited");
    assert!(
        !place.at("other.diff/difference.png").exists() && !ran.out.contains("difference.png"),
        "{}",
        ran.out
    );

    // A single file is replaced unchanged.
    for ending in ["pmtiles", "png", "webp"] {
        let [kept, new, again, other] =
            ["kept", "new", "again", "other"].map(|name| format!("{name}.{ending}"));
        let ran = script(&place, &["--update", "--baseline", &kept, "world", "one"])
            .expect(2, "a folder");
        assert!(
            ran.err.contains("the same ending") && !place.at(&kept).exists(),
            "{}",
            ran.err
        );

        script(&place, &["--update", "--baseline", &kept, "world", &new]).expect(0, "the first");
        assert_eq!(read(&kept), read(&new));
        script(&place, &["--baseline", &kept, "world", &again]).expect(0, "the same");

        // Pictures of other sizes cannot be compared.
        let code = if ending == "pmtiles" { 1 } else { 2 };
        let ran = script(&place, &["--baseline", &kept, "demo", &other]).expect(code, "edited");
        assert_eq!(ran.out.contains(" pixels ("), code == 1, "{}", ran.out);
        assert_eq!(
            place.at(&format!("{other}.diff/difference.png")).exists(),
            code == 1
        );
        script(&place, &["--baseline", &kept, "demo", &kept]).expect(2, "itself");
        assert_eq!(read(&kept), read(&new));
    }
}
