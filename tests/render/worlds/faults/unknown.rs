//! Tests chunks and blocks that the program does not know.

use serde_json::json;

use super::columns;
use crate::map::{Place, fixture, render};
use crate::world::{Files, Generation, RegionSpec, fixture as made};

#[test]
fn a_chunk_newer_than_the_program_is_drawn() {
    let place = Place::empty();
    let ran = render(&fixture("newer-version"), &place.at("map"), &[]).expect(0, "newer-version");
    assert_eq!(
        ran.report()["newer"],
        json!({"chunks": 1, "data_version": 9000})
    );

    assert!(ran.err.contains("9000"), "{}", ran.err);
    assert_eq!(columns(&place.at("map")).drawn_of_chunk(1, 0), 256);
    render(
        &fixture("newer-version"),
        &place.at("denied"),
        &["--deny", "newer-version"],
    )
    .expect(3, "denied");

    assert_eq!(
        columns(&place.at("denied")).drawn_of_chunk(1, 0),
        256,
        "drawn all the same"
    );

    render(
        &fixture("gzip"),
        &place.at("sound"),
        &["--deny", "newer-version"],
    )
    .expect(0, "nothing to deny");
}

#[test]
fn unknown_blocks_are_drawn_and_can_be_denied() {
    let place = Place::empty();
    let ran = render(&fixture("odd-blocks"), &place.at("map"), &[]).expect(0, "odd-blocks");
    let report = ran.report();
    let unknown = report["unknown_blocks"].as_object().unwrap();
    assert_eq!(unknown.len(), 5, "{unknown:?}");
    assert_eq!(
        unknown["example:machine_0"],
        json!({"columns": 3, "dimension": "overworld", "first": [16, 71, 2]})
    );

    assert_eq!(columns(&place.at("map")).drawn_of_chunk(1, 0), 256);
    render(
        &fixture("odd-blocks"),
        &place.at("denied"),
        &["--deny", "unknown-blocks"],
    )
    .expect(3, "denied");

    let both = ["--deny", "unknown-blocks", "--deny", "newer-version"];
    render(&fixture("newer-version"), &place.at("both"), &both).expect(3, "both denied");
    render(&fixture("gzip"), &place.at("sound"), &both).expect(0, "nothing to deny");
}

/// A world with two chunks in the overworld and two in the nether. Each dimension has a status.
fn with_status(overworld: &'static str, nether: &'static str) -> Files {
    let mut files = Files::new();
    for (folder, status) in [("region", overworld), ("DIM-1/region", nether)] {
        let mut region = RegionSpec::new(0, 0);
        for x in 0..2 {
            let mut chunk = made::landscape(x, 0, Generation::Root(3955));
            chunk.status = Some(status);
            region.put(&chunk);
        }
        files.put_region(folder, &region);
    }

    files
}

#[test]
fn an_incomprehensible_dimension_is_code_3() {
    for (world, code, says) in [
        (
            with_status("minecraft:full", "minecraft:grown"),
            3,
            "no chunk could be understood in the_nether",
        ),
        (
            with_status("minecraft:grown", "minecraft:grown"),
            3,
            "no chunk could be understood in overworld, the_nether",
        ),
        (with_status("minecraft:full", "minecraft:noise"), 0, ""),
    ] {
        let place = Place::of(&world);
        for again in ["drawn", "unchanged"] {
            let ran = render(&place.world(), &place.at("map"), &["-q"]).expect(code, again);
            assert_eq!(
                ran.err.lines().count(),
                usize::from(code != 0),
                "{again}: {}",
                ran.err
            );
            assert!(ran.err.contains(says), "{again}: {}", ran.err);
        }

        render(&place.world(), &place.at("staged"), &["--staged"]).expect(code, "staged");
        assert_eq!(place.at("staged/index.html").exists(), code == 0);
    }
}

#[test]
fn a_dimension_without_anything_drawn_can_be_denied() {
    let place = Place::of(&with_status("minecraft:full", "minecraft:noise"));
    let ran = render(&place.world(), &place.at("map"), &["-q", "--deny", "empty"])
        .expect(3, "the nether is empty");
    assert!(
        ran.err.contains("nothing is drawn in the_nether") && ran.err.contains("--deny empty"),
        "{}",
        ran.err
    );

    render(
        &place.world(),
        &place.at("map"),
        &["--deny", "empty", "-d", "overworld"],
    )
    .expect(0, "not asked for");

    render(
        &place.world(),
        &place.at("far"),
        &["--deny", "empty", "-a", "5000,0,5100,9"],
    )
    .expect(3, "an empty area");

    render(
        &place.world(),
        &place.at("map"),
        &["--unfinished", "--deny", "empty"],
    )
    .expect(0, "raw terrain is drawn");

    render(
        &place.world(),
        &place.at("part"),
        &["--deny", "empty", "--shard", "1/2"],
    )
    .expect(2, "a part");
}
