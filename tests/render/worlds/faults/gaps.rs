//! Tests how a run reports gaps, and the options that limit them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{columns, with_bad};
use crate::map::{Map, Place, render, run};

#[test]
fn a_quiet_run_prints_a_line_per_reason() {
    let place = Place::of(&with_bad(3));
    let ran = render(&place.world(), &place.at("map"), &["-q"]).expect(3, "gaps");

    assert!(
        ran.err.starts_with(
            "pixelmap: 3 places could not be read, the first: overworld r.0.0.mca chunk 0,0: "
        ),
        "{}",
        ran.err
    );
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["-q", "--max-bad-chunks", "1"],
    )
    .expect(1, "too many");

    assert!(
        ran.err.lines().count() == 1 && ran.err.contains("--max-bad-chunks"),
        "{}",
        ran.err
    );

    let report = place.at("report.json");
    let [world, out] =
        [place.world(), place.at("other")].map(|path| path.to_str().unwrap().to_owned());

    let report = report.to_str().unwrap();
    let ran = run(&[
        "render", &world, "-o", &out, "-q", "--report", report, "--min-y", "1000", "--deny",
        "empty",
    ]);

    assert_eq!((ran.code, ran.err.lines().count()), (3, 2), "{}", ran.err);
    assert!(
        ran.err.contains(&format!("all are listed in {report}")),
        "{}",
        ran.err
    );

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["-q", "--allow-gaps", "3"],
    )
    .expect(0, "allowed");
    assert_eq!(ran.err, "");
}

#[test]
fn limits_of_gaps_decide_only_the_code() {
    let place = Place::of(&with_bad(3));
    let mut maps = BTreeMap::new();
    for (options, code) in [
        (&[][..], 3),
        (&["--allow-gaps", "2"], 3),
        (&["--allow-gaps", "3"], 0),
        (&["--allow-gaps", "29%"], 3),
        (&["--allow-gaps", "30%"], 0),
        (&["--max-bad-chunks", "3"], 3),
        (&["--max-bad-chunks", "2"], 1),
        (&["--max-bad-chunks", "29.9%"], 1),
        (&["--max-bad-chunks", "2", "--allow-gaps", "100%"], 1),
        (&["--max-bad-chunks", "5", "--allow-gaps", "5"], 0),
    ] {
        let name = format!("map{}", options.join(""));
        let ran = render(&place.world(), &place.at(&name), options).expect(code, &name);
        let report = ran.report();
        assert_eq!(
            report["bad_chunks"].as_array().unwrap().len(),
            3,
            "{name}: reported all the same"
        );

        assert_eq!(
            (&report["outcome"], &report["chunks"]["drawn"]),
            (&json!("gaps"), &json!(7)),
            "{name}"
        );
        maps.insert(name.clone(), Map::at(&place.at(&name)).files());
    }

    let first = maps.values().next().unwrap();
    assert!(
        maps.values().all(|map| map == first),
        "the map is published all the same"
    );
    assert!(first.contains_key("map.json"));
}

#[test]
fn the_report_names_an_unopened_region() {
    let place = Place::of(&with_bad(0));
    std::fs::create_dir(place.world().join("region/r.1.0.mca")).unwrap();
    let report = render(&place.world(), &place.at("map"), &[])
        .expect(3, "a folder as region file")
        .report();

    let bad = &report["bad_chunks"][0];
    assert_eq!(
        (&bad["region"], &bad["chunk"], &bad["reason"]),
        (&json!("r.1.0.mca"), &Value::Null, &json!("unreadable"))
    );

    assert_eq!(
        report["regions"],
        json!({"total": 2, "drawn": 1, "unchanged": 0, "failed": 1, "hidden": 0})
    );
    assert_eq!(columns(&place.at("map")).drawn_of_chunk(9, 0), 256);
}
