//! Tests chunks that are cut short, unfinished, or have heights outside the limits.

use serde_json::json;

use super::{columns, with_bad};
use crate::map::{Place, fixture, on, render};

#[test]
fn chunks_without_their_last_bytes_are_drawn() {
    for name in [
        "zlib-cut",
        "zlib-open",
        "gzip-cut",
        "lz4-cut",
        "external-cut",
        "alpha-cut",
    ] {
        let (place, world) = (Place::empty(), fixture(name));
        let draw = || {
            render(&world, &place.at("map"), &["--check", "content"])
                .expect(0, name)
                .report()
        };

        let first = draw();
        let warnings =
            json!(["compressed bytes whose end is missing, drawn because the NBT is whole"]);
        assert_eq!(
            (&first["chunks"]["bad"], &first["warnings"]),
            (&json!(0), &warnings),
            "{name}"
        );

        let (x, z) = if name == "alpha-cut" {
            (39, -13)
        } else {
            (-1, -2)
        };

        assert_eq!(
            columns(&place.at("map")).drawn_of_chunk(x, z),
            256,
            "{name}"
        );

        let second = draw();
        assert_eq!(
            (&second["tiles"]["written"], &second["warnings"]),
            (&json!(0), &warnings),
            "{name}, unchanged"
        );

        let told = on("info", &world, &["--json"]).expect(0, name).report();
        assert_eq!(told["dimensions"][0]["damaged"], json!([]), "{name}");

        let column = [(x * 16 + 3).to_string(), (z * 16 + 3).to_string()];
        let answer = on("query", &world, &[&column[0], &column[1], "--json"])
            .expect(0, name)
            .report();
        assert!(answer["block"].is_string(), "{name}: {answer}");
    }
}

#[test]
fn unfinished_chunks_are_drawn_on_request() {
    let place = Place::empty();
    let report = render(&fixture("statuses"), &place.at("map"), &[])
        .expect(0, "statuses")
        .report();
    let chunks = &report["chunks"];
    let counts = ["drawn", "unfinished", "bad"].map(|kind| chunks[kind].as_u64().unwrap());
    let map = columns(&place.at("map"));
    assert_eq!(map.drawn() as u64, counts[0] * 256);
    assert!(counts[1] > 0 && counts[2] == 0, "{chunks}");

    // One chunk has a status that no version of the game writes, perhaps a future one.
    assert_eq!(
        report["warnings"],
        json!(["a status that is not known, treated as unfinished"])
    );

    let more = render(&fixture("statuses"), &place.at("more"), &["--unfinished"])
        .expect(0, "--unfinished")
        .report();

    let drawn = more["chunks"]["drawn"].as_u64().unwrap();
    assert!(
        drawn > counts[0] && drawn < counts[0] + counts[1],
        "{}",
        more["chunks"]
    );
    assert_eq!(columns(&place.at("more")).drawn() as u64, drawn * 256);
}

#[test]
fn chunks_without_trees_before_1_13_are_unfinished() {
    let (place, world) = (Place::empty(), fixture("statuses"));
    let ran = render(&world, &place.at("map"), &[]).expect(0, "statuses");
    let unfinished = ran.report()["chunks"]["unfinished"].as_u64().unwrap();
    let said = format!("{unfinished} unfinished chunks left out: --unfinished draws them\n");
    assert!(ran.err.contains(&said), "{}", ran.err);

    let told = on("info", &world, &["--json"]).expect(0, "info").report();
    assert_eq!(told["dimensions"][0]["unfinished"], unfinished);
    render(&world, &place.at("more"), &["--unfinished"]).expect(0, "--unfinished");

    let (map, more) = (columns(&place.at("map")), columns(&place.at("more")));
    for x in 0..4 {
        assert_eq!(
            (map.drawn_of_chunk(x, 4), more.drawn_of_chunk(x, 4)),
            (0, 256),
            "TerrainPopulated 0"
        );

        assert_eq!(
            (map.drawn_of_chunk(x, 5), more.drawn_of_chunk(x, 5)),
            (256, 256),
            "no such tag"
        );
    }

    let asked = on("query", &world, &["3", "67", "3", "83"])
        .expect(0, "query")
        .out;
    assert!(asked.starts_with("3\t67\tunfinished\n3\t83\t6"), "{asked}");
}

#[test]
fn heights_outside_the_limits_are_left_out() {
    let place = Place::of(&with_bad(0));
    let all = columns(&place.draw("all", &[]).root);
    let below = columns(&place.draw("below", &["--max-y", "61"]).root);
    let none = render(
        &place.world(),
        &place.at("none"),
        &["--max-y", "-20", "--min-y", "-30"],
    )
    .expect(0, "nothing");
    assert_eq!(none.report()["outcome"], "empty");
    assert_eq!((all.drawn(), below.drawn()), (2560, 2560));
    assert!((0..160).any(|x| all.at(x, 3) != below.at(x, 3)));
}
