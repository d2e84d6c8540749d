//! Tests that a small world cannot demand millions of markers: the first ones are shown, and the
//! rest is counted.

use std::fs;

use serde_json::{Value, json};

use super::framed_maps::{FILE, MAPS, map_item};
use super::{GENERATIONS, Point, features, kinds, put_points, stone, world_of};
use crate::map::{Map, Place, Ran, program, render};
use crate::world::payload::gzip;
use crate::world::{Record, RegionSpec, Tag};

/// The warning about markers that are left out in the report of a run, without its reason.
fn left_out(report: &Value) -> Vec<String> {
    let warnings = report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str);
    warnings
        .filter_map(|text| {
            let (what, rest) = text.split_once(" is left out")?;
            Some(match rest.rsplit_once(" (") {
                Some((_, times)) => times.trim_end_matches(')').to_owned(),
                None => what.to_owned(),
            })
        })
        .collect()
}

#[test]
fn structures_beyond_the_bound_are_counted() {
    let newest = GENERATIONS[5];
    let mut chunk = stone(0, 0, newest);
    let start = |id: &str| Tag::compound([("id", Tag::string(id))]);

    let mut starts = Tag::compound([("long", start(&"x".repeat(300)))]);
    for number in 0..300 {
        starts.set(
            &format!("start_{number}"),
            start(&format!("mod:tower_{number:03}")),
        );
    }

    chunk.extra = vec![("structures", Tag::compound([("starts", starts)]))];

    let place = Place::of(&world_of(&[chunk]));
    for run in ["drawn", "unchanged"] {
        let ran = render(&place.world(), &place.at("map"), &[]).expect(0, run);
        assert_eq!(left_out(&ran.report()), ["45 times"], "{run}");
    }

    let without = render(
        &place.world(),
        &place.at("other"),
        &["--marker-kinds", "none"],
    )
    .expect(0, "without markers");
    assert_eq!(left_out(&without.report()), Vec::<String>::new());

    for run in ["read without drawing", "recorded without drawing"] {
        let ran = render(&place.world(), &place.at("other"), &[]).expect(0, run);
        assert_eq!(left_out(&ran.report()), ["45 times"], "{run}");
    }

    assert_eq!(
        kinds(&Map::at(&place.at("map"))),
        [("world".to_owned(), 1), ("structures".to_owned(), 256)]
    );
}

#[test]
fn points_beyond_the_bound_are_counted() {
    let chunks: Vec<_> = (0..17).map(|x| stone(x, 0, GENERATIONS[5])).collect();
    let mut files = world_of(&chunks);
    let block = |x: i32, number: i32| [x * 16 + number % 16, 64 + number / 256, number / 16 % 16];
    let points: Vec<Point<'_>> = (0..17)
        .flat_map(|x| (0..4100).map(move |number| ("minecraft:home", block(x, number))))
        .collect();
    put_points(&mut files, &points);

    let place = Place::of(&files);
    let ran = render(&place.world(), &place.at("map"), &[]).expect(0, "many points");
    let beds = kinds(&Map::at(&place.at("map")))
        .into_iter()
        .find(|(kind, _)| kind == "beds")
        .unwrap()
        .1;

    assert_eq!(beds, 65_536);
    assert_eq!(
        left_out(&ran.report()),
        [format!("{} times", 17 * 4100 - 65_536)]
    );
}

#[test]
fn a_picture_is_stored_once_for_its_frames() {
    let mut files = world_of(&[stone(0, 0, GENERATIONS[5])]);
    let overworld = Tag::string("minecraft:overworld");
    files.put("data/map_3.dat", map_item(overworld, None));

    let frame = |number: i32| {
        let place = [5.5, f64::from(number), 6.5].map(Tag::Double).to_vec();
        let item = Tag::compound([
            ("id", Tag::string("minecraft:filled_map")),
            (
                "components",
                Tag::compound([("minecraft:map_id", Tag::Int(3))]),
            ),
        ]);

        Tag::compound([
            ("id", Tag::string("minecraft:item_frame")),
            ("Pos", Tag::List(place)),
            ("Item", item),
        ])
    };

    let entities = Tag::compound([("Entities", Tag::List((0..5000).map(frame).collect()))]);
    let mut region = RegionSpec::new(0, 0);
    region.put_record(0, 0, Record::zlib(&entities));
    files.put_region("entities", &region);
    let place = Place::of(&files);
    let ran = render(&place.world(), &place.at("map"), &MAPS).expect(0, "many frames");

    let map = Map::at(&place.at("map"));
    let shown = features(&map, FILE);
    assert!(
        shown.len() == 4096
            && shown
                .iter()
                .all(|(_, properties)| properties["image"] == json!("3"))
    );
    assert_eq!(left_out(&ran.report()), ["904 times"]);

    let text = fs::read_to_string(map.root.join(FILE)).unwrap();
    assert_eq!(text.matches("data:image/png").count(), 1);
}

#[test]
fn a_dimension_of_any_type_is_the_overworld() {
    let mut files = world_of(&[stone(0, 0, GENERATIONS[5])]);
    let player = Tag::compound([
        ("Dimension", Tag::List(vec![Tag::Byte(1); 100_000])),
        ("Pos", Tag::List([1.0, 64.0, 2.0].map(Tag::Double).to_vec())),
    ]);
    files.put(
        "playerdata/00000000-0000-0000-0000-000000000001.dat",
        gzip(&player.document()),
    );
    let place = Place::of(&files);
    let map = place.draw("map", &["--players", "--marker-kinds", "none"]);
    assert_eq!(features(&map, "overworld/markers/players.geojson").len(), 1);
}

#[test]
fn a_merge_repeats_what_shards_left_out() {
    let mut files = world_of(&[stone(0, 0, GENERATIONS[5])]);
    files.put(
        "playerdata/00000000-0000-0000-0000-000000000001.dat",
        b"torn".to_vec(),
    );

    let place = Place::of(&files);
    for shard in ["1/2", "2/2"] {
        let ran = render(
            &place.world(),
            &place.at("map"),
            &["--players", "--shard", shard],
        )
        .expect(0, shard);
        assert_eq!(left_out(&ran.report()), ["1 player"], "{shard}");
    }

    let merge = program()
        .args(["merge", "--report", "-", "-o"])
        .arg(place.at("map"))
        .output()
        .unwrap();
    assert_eq!(
        left_out(&Ran::of(merge).expect(0, "merge").report()),
        ["1 player"]
    );
}
