//! Tests the outputs with which a person judges a difference: added and removed layers, shares,
//! pictures, one page.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;

use crate::compare::differences::{X, Z, ab, diff, drawn, sand};
use crate::map::{Map, Place, assert_same_files, land};
use crate::world::{ChunkSpec, Files, block};
use serde_json::{Value, json};

const DAY_AND_HEIGHT: [&str; 4] = ["-l", "day", "-l", "height"];

/// A block with another colour and a greater height.
fn tower(chunk: &mut ChunkSpec) {
    (65..90).for_each(|y| chunk.set(6, y, 7, block::SAND));
}

#[test]
fn an_added_or_removed_layer_is_a_difference() {
    let place = drawn(|_| {}, &[]);
    place.draw("both", &DAY_AND_HEIGHT);
    let at = |name: &str| place.at(name).to_str().unwrap().to_owned();

    for (a, b, word, change) in [
        ("a", "both", "new", "added"),
        ("both", "a", "gone", "removed"),
    ] {
        let files = [
            "i.png",
            "junit.xml",
            "s.md",
            "page.html",
            "changed",
            "deleted",
        ]
        .map(at);

        let names = [
            "--image",
            "--junit",
            "--markdown",
            "--html",
            "--changed-list",
            "--deleted-list",
        ];

        let options: Vec<&str> = names
            .iter()
            .zip(&files)
            .flat_map(|(name, file)| [*name, file.as_str()])
            .collect();
        let ran = diff(&place.at(a), &place.at(b), &options).expect(1, word);
        let verdict = format!(
            "differs: overworld/height is {word}: 1,280 pixels (100.0 %) in -320,80 1136,656\n"
        );

        assert!(ran.out.starts_with(&verdict), "{}", ran.out);
        assert!(
            ran.out
                .lines()
                .skip(1)
                .all(|line| line.contains(&format!("\t{change}\t"))),
            "{}",
            ran.out
        );

        let read = |name: &str| fs::read_to_string(place.at(name)).unwrap();
        assert!(
            read("junit.xml").contains("failures=\"1\"")
                && read("s.md").contains(&format!("height ({word})"))
        );
        assert!(place.at("i.png").is_file() && read("page.html").contains("overworld/height"));

        // The lists turn a copy of the first map into the second one.
        let copy = place.at("copy");
        let _ = fs::remove_dir_all(&copy);
        Files(Map::at(&place.at(a)).files()).write_under(&copy);

        for path in read("deleted").lines() {
            fs::remove_file(copy.join(path)).unwrap();
        }

        for path in read("changed").lines() {
            fs::create_dir_all(copy.join(path).parent().unwrap()).unwrap();
            fs::copy(place.at(b).join(path), copy.join(path)).unwrap();
        }

        assert_same_files(
            word,
            &Map::at(&place.at(b)).files(),
            &Map::at(&copy).files(),
        );

        let told: Value = serde_json::from_str(
            &diff(&place.at(a), &place.at(b), &["--json"])
                .expect(1, "json")
                .out,
        )
        .unwrap();

        let changes: Vec<&Value> = told["layers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|layer| &layer["change"])
            .collect();
        assert_eq!(changes, [&Value::Null, &json!(change)]);

        // A limit of pixels does not excuse a removed layer, but -l leaves the layer out.
        diff(&place.at(a), &place.at(b), &["--max-changed", "100%"]).expect(1, "a limit");
        diff(&place.at(a), &place.at(b), &["-l", "day"]).expect(0, "the layer that both have");
        diff(&place.at(a), &place.at(b), &["-l", "height"]).expect(1, "the layer of one");
    }
}

#[test]
fn an_added_or_removed_dimension_is_a_difference() {
    let place = Place::of(&land::two_dimensions());
    place.draw("a", &[]);
    place.draw("b", &["-d", "overworld"]);
    let ran = ab(&place, &[]).expect(1, "a dimension");
    assert!(
        ran.out.starts_with("differs: the_nether/day is gone: "),
        "{}",
        ran.out
    );
    diff(&place.at("a"), &place.at("b"), &["-d", "overworld"]).expect(0, "the other one");
}

#[test]
fn a_met_limit_is_reported() {
    let place = drawn(sand, &[]);
    let ran = ab(&place, &["--max-changed", "1"]).expect(0, "a limit");
    let (x, z) = (X + 1, Z + 1);
    let verdict = format!(
        "same: 5 tiles, except overworld/day 1 pixel (0.078 %) in {X},{Z} {x},{z}: within \
         --max-changed 1\n"
    );
    assert!(ran.out.starts_with(&verdict), "{}", ran.out);
}

#[test]
fn a_place_is_shown_once_whatever_the_layers() {
    let place = drawn(tower, &["-l", "height", "-l", "day", "-l", "biome"]);
    let at = |name: &str| place.at(name).to_str().unwrap().to_owned();
    let ran = ab(
        &place,
        &["--markdown", &at("s.md"), "--html", &at("page.html")],
    )
    .expect(1, "two layers");

    assert!(
        ran.out.starts_with("differs: overworld/day ") && ran.out.contains(", and 1 more layer\n"),
        "{}",
        ran.out
    );

    assert!(
        ran.err.contains("overworld/day ") && ran.err.contains("overworld/height "),
        "{}",
        ran.err
    );

    let text = fs::read_to_string(at("s.md")).unwrap();
    assert_eq!(
        text.matches("![before, after, difference]").count(),
        1,
        "{text}"
    );

    assert!(
        text.contains("**overworld/day 17/1/0**") && text.contains("; also in height"),
        "{text}"
    );
    assert!(place.at("s-1.png").is_file() && !place.at("s-2.png").exists());

    let page = fs::read_to_string(at("page.html")).unwrap();
    assert_eq!(page.matches("<figure>").count(), 1);
}

#[test]
fn the_page_needs_no_other_file() {
    let place = drawn(sand, &[]);
    let page = place.at("page.html");
    let options = ["--html", page.to_str().unwrap()];
    ab(&place, &options).expect(1, "a page");

    let text = fs::read_to_string(&page).unwrap();
    assert_eq!(
        text.matches("src=\"data:image/png;base64,iVBORw0KGgo")
            .count(),
        3,
        "before, after, difference"
    );

    assert_eq!(text.matches("src=").count(), 3);
    assert!(
        !text.contains("http:") && !text.contains("https:") && !text.contains("<!-- "),
        "{text}"
    );
    assert!(
        text.contains("<title>differs: overworld/day 1 pixel (0.078 %)")
            && text.contains("type=\"range\"")
    );

    diff(&place.at("a"), &place.copy("a", "c"), &options).expect(0, "the same");
    let text = fs::read_to_string(&page).unwrap();
    assert!(
        text.contains("<title>same: 5 tiles</title>") && !text.contains("<img"),
        "{text}"
    );

    diff(&place.at("a"), &place.at("nowhere"), &options).expect(2, "trouble");
    assert!(
        fs::read_to_string(&page)
            .unwrap()
            .contains("it cannot be compared")
    );
}

#[test]
fn a_suite_has_the_name_of_its_map() {
    let place = drawn(sand, &[]);
    let junit = ab(&place, &["--junit", "-"]).expect(1, "junit").out;
    assert!(
        junit.contains("<testsuite name=\"land\" tests=\"1\""),
        "{junit}"
    );

    let junit = ab(&place, &["--junit", "-", "--suite", "a & b"])
        .expect(1, "junit")
        .out;
    assert!(
        junit.contains("<testsuite name=\"a &amp; b\"")
            && junit.contains("classname=\"a &amp; b\""),
        "{junit}"
    );
}

#[test]
fn ignored_places_may_differ() {
    let place = drawn(sand, &[]);
    let (x, z) = (X + 1, Z + 1);
    let (exact, beside) = (format!("{X},{Z},{x},{z}"), format!("{x},{Z},{},{z}", x + 9));
    ab(&place, &["--ignore", &exact]).expect(0, "the block");
    ab(&place, &["--ignore", &beside]).expect(1, "another");

    ab(
        &place,
        &[
            "--ignore",
            "0,0,9,9",
            "--ignore",
            &exact,
            "--ignore",
            "-9,-9,0,0",
        ],
    )
    .expect(0, "several");

    ab(&place, &["--ignore", "-4096,-4096,4096,4096"]).expect(0, "everything");
    let file = place.at("ignore.txt");
    fs::write(&file, format!("# a clock\n{exact}\n")).unwrap();
    ab(&place, &["--ignore", file.to_str().unwrap()]).expect(0, "a file");
    fs::write(&file, "1,2,3\n").unwrap();

    let wrong = ab(&place, &["--ignore", file.to_str().unwrap()]).expect(2, "a wrong file");
    assert!(wrong.err.contains("line 1: "), "{}", wrong.err);
    let saved = place.copy_file(&place.at("a/overworld/day/tiles.tsv"), "saved.tsv");
    let ran = diff(&saved, &place.at("b"), &["--ignore", &exact]).expect(2, "a manifest");
    assert!(ran.err.contains("--ignore"), "{}", ran.err);

    // The rest of the tile still counts. The share refers to the compared pixels.
    let near = format!("{},{Z},{X},{z}", X - 9);
    let told: Value = serde_json::from_str(
        &ab(&place, &["--json", "--ignore", &near])
            .expect(1, "near")
            .out,
    )
    .unwrap();
    assert_eq!(told["layers"][0]["pixels_drawn"], json!(5 * 256 - 6));

    for name in ["a.png", "b.png"] {
        let of = if name == "a.png" {
            place.at("before")
        } else {
            place.world()
        };
        crate::map::render(&of, &place.at(name), &["-a", "560,64,640,128"]).expect(0, name);
    }

    diff(
        &place.at("a.png"),
        &place.at("b.png"),
        &["--ignore", &exact],
    )
    .expect(0, "pictures");

    diff(
        &place.at("a.png"),
        &place.at("b.png"),
        &["--ignore", &beside],
    )
    .expect(1, "pictures");
}

#[test]
fn a_tolerance_below_a_step_ignores_nothing() {
    let place = drawn(sand, &[]);
    // The program rounds colours to a lattice.
    ab(&place, &["--tolerance", "6"]).expect(1, "less than a step");
}
