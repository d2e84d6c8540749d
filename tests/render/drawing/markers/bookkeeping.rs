//! Tests that the markers of an unchanged region are kept without reading it, and that every change
//! is noticed.

use std::fs;

use serde_json::json;

use super::{
    GENERATIONS, entities, features, kinds, put_points, put_region, replace_region, scripted, sign,
    stone, structures, world_of,
};
use crate::map::{Map, Place, Ran, assert_same_files, on, render};
use crate::world::{ChunkSpec, Files, Record, RegionSpec, Tag, many};

/// The chunks of a village around a corner of four regions: 6 by 6, each with a structure and a
/// sign.
fn around_a_corner() -> Files {
    let newest = GENERATIONS[5];
    let mut files = world_of(&[marked(0, 0, "first")]);
    for (region_x, region_z) in [(-1, -1), (0, -1), (-1, 0), (0, 0)] {
        let all = (-3..3).flat_map(|z| (-3..3).map(move |x| (x, z)));
        let here = all.filter(|(x, z)| (x >> 5, z >> 5) == (region_x, region_z));
        let chunks: Vec<ChunkSpec> = here
            .map(|(x, z)| marked(x, z, &format!("sign {x} {z}")))
            .collect();
        assert_eq!(chunks[0].generation, newest);
        put_region(&mut files, "region", &chunks);
    }

    files
}

fn marked(x: i32, z: i32, text: &str) -> ChunkSpec {
    let newest = GENERATIONS[5];
    let mut chunk = stone(x, z, newest);
    chunk.extra = vec![
        structures(newest, "minecraft:igloo", x, z),
        entities(
            newest,
            vec![sign(newest, [x * 16 + 1, 63, z * 16 + 1], &[text])],
        ),
    ];
    chunk
}

#[test]
fn threads_do_not_change_markers() {
    let place = Place::of(&around_a_corner());
    let one = place.draw("one", &["--signs", ".", "-t", "1"]);
    let many = place.draw("many", &["--signs", ".", "-t", "4"]);
    assert_same_files("threads", &one.files(), &many.files());
    assert_eq!(
        kinds(&one),
        [
            ("world".to_owned(), 1),
            ("structures".to_owned(), 36),
            ("signs".to_owned(), 36)
        ]
    );
}

#[test]
fn other_markers_need_no_tile_to_be_drawn() {
    let place = Place::of(&around_a_corner());
    place.draw("map", &[]);
    let ran =
        render(&place.world(), &place.at("map"), &["--signs", "."]).expect(0, "signs are new");
    let report = ran.report();
    assert_eq!(
        (&report["regions"]["unchanged"], &report["tiles"]["written"]),
        (&json!(4), &json!(0))
    );

    let whole = place.draw("whole", &["--signs", "."]);
    assert_same_files(
        "signs later",
        &Map::at(&place.at("map")).files(),
        &whole.files(),
    );

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--marker-kinds", "none"],
    )
    .expect(0, "none");

    assert_eq!(ran.report()["tiles"]["written"], json!(0));
    assert!(
        !place.at("map").join("overworld/markers").exists()
            && !place.at("map").join("markers.js").exists()
    );
}

#[test]
fn changed_chunks_and_poi_files_are_noticed() {
    let mut files = world_of(&[marked(0, 0, "before")]);
    put_points(&mut files, &[("minecraft:home", [4, 63, 4])]);

    let place = Place::of(&files);
    let map = place.draw("map", &["--signs", "."]);
    let name = |kind: &str| {
        features(&map, &format!("overworld/markers/{kind}.geojson"))[0].1["name"].clone()
    };

    assert_eq!(
        (name("signs"), name("beds")),
        (json!("before"), json!("Bed"))
    );
    put_points(&mut files, &[("minecraft:meeting", [4, 63, 4])]);
    files.write_under(&place.world());

    let ran = render(&place.world(), &map.root, &["--signs", "."]).expect(0, "a bell");
    assert_eq!(
        ran.report()["regions"]["drawn"],
        json!(0),
        "points alone draw no region"
    );

    assert_eq!(
        (
            name("bells"),
            map.root.join("overworld/markers/beds.geojson").exists()
        ),
        (json!("Bell"), false)
    );

    put_region(&mut files, "region", &[marked(0, 0, "after")]);
    files.write_under(&place.world());
    place.draw("map", &["--signs", "."]);
    assert_eq!(
        (name("signs"), name("bells")),
        (json!("after"), json!("Bell"))
    );

    put_points(&mut files, &[("minecraft:lodestone", [4, 63, 4])]);
    files.write_under(&place.world());
    place.draw("map", &["--signs", ".", "--check", "content"]);
    assert_eq!(name("lodestones"), json!("Lodestone"));
}

#[test]
fn unreadable_chunks_keep_their_markers() {
    let mut files = world_of(&[marked(0, 0, "good"), marked(1, 0, "to be damaged")]);
    let place = Place::of(&files);
    let map = place.draw("map", &["--signs", "."]);
    let before = map.files();

    let mut region = RegionSpec::new(0, 0);
    region.put(&marked(0, 0, "good"));
    region.put_record(1, 0, Record::new(2, b"no zlib".to_vec()));
    replace_region(&mut files, "region", &region);
    files.write_under(&place.world());
    render(&place.world(), &map.root, &["--signs", "."]).expect(3, "a gap");

    for kind in ["signs", "structures"] {
        let path = format!("overworld/markers/{kind}.geojson");
        assert_eq!(
            fs::read(map.root.join(&path)).unwrap(),
            before[&path],
            "{kind}"
        );
    }
}

#[test]
fn damaged_markers_cost_no_chunk() {
    let mut chunk = stone(0, 0, GENERATIONS[5]);
    chunk.extra = vec![
        (
            "structures",
            Tag::compound([("starts", Tag::List(vec![Tag::Int(1)]))]),
        ),
        (
            "block_entities",
            Tag::List(vec![Tag::string("no compound")]),
        ),
    ];

    let mut files = world_of(&[chunk]);
    let mut region = RegionSpec::new(0, 0);
    region.put_record(0, 0, Record::new(2, b"no zlib".to_vec()));
    files.put_region("poi", &region);
    let place = Place::of(&files);
    let ran = render(&place.world(), &place.at("map"), &["--signs", "."]).expect(0, "all is drawn");
    let warnings = ran.report()["warnings"].to_string();
    assert!(warnings.contains("points of interest"), "{warnings}");
}

#[test]
fn change_lists_name_files_of_markers() {
    let place = Place::of(&around_a_corner());
    let lists = ["changed", "deleted"].map(|name| place.at(name));
    let [changed, deleted] = lists.each_ref().map(|path| path.to_str().unwrap());
    let draw = |more: &[&str]| {
        let options = [
            &["--changed-list", changed, "--deleted-list", deleted],
            more,
        ]
        .concat();
        render(&place.world(), &place.at("map"), &options).expect(0, "a list");

        lists.each_ref().map(|path| {
            fs::read_to_string(path)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
    };

    let [changed, _] = draw(&["--signs", "."]);
    for path in [
        "overworld/markers/signs.geojson",
        "overworld/markers/structures.geojson",
        "markers.js",
    ] {
        assert!(
            changed.iter().any(|line| line == path),
            "{path}: {changed:?}"
        );
    }

    let [changed, deleted] = draw(&[]);
    assert_eq!(deleted, ["overworld/markers/signs.geojson"]);

    assert_eq!(
        changed,
        [
            "index.html",
            "map.js",
            "map.json",
            "markers.js",
            "version.json"
        ]
        .map(str::to_owned)
    );
}

#[test]
fn markers_of_dimensions_that_are_not_drawn_stay() {
    let mut files = around_a_corner();
    put_region(&mut files, "DIM-1/region", &[marked(0, 0, "nether")]);
    let place = Place::of(&files);
    let both = place.draw("both", &["--signs", "."]);
    let map = place.draw("map", &["--signs", ".", "-d", "nether"]);
    let nether = fs::read(map.root.join("the_nether/markers/signs.geojson")).unwrap();

    place.draw("map", &["--signs", ".", "-d", "overworld"]);
    assert_eq!(
        fs::read(map.root.join("the_nether/markers/signs.geojson")).unwrap(),
        nether
    );

    assert_same_files("one by one", &map.files(), &both.files());
    let said = scripted(&map.root);
    assert_eq!(
        said["the_nether/markers/signs.geojson"]
            .as_str()
            .unwrap()
            .as_bytes(),
        nether
    );

    assert_eq!(
        said.as_object().unwrap().len(),
        5,
        "spawn, structures and signs of two dimensions"
    );
}

/// Runs `pixelmap markers` on the map of a place.
fn remake(place: &Place, options: &[&str]) -> Ran {
    let map = place.at("map");
    let output = ["-o", map.to_str().unwrap()];
    on("markers", &place.world(), &[&output[..], options].concat())
}

#[test]
fn markers_command_equals_render() {
    let mut files = around_a_corner();
    put_points(&mut files, &[("minecraft:home", [4, 63, 4])]);
    put_region(&mut files, "DIM-1/region", &[marked(0, 0, "nether")]);
    let place = Place::of(&files);
    let whole = place.draw("whole", &["--signs", "."]);

    let map = place.draw("map", &["--marker-kinds", "none"]);
    let tiles = map.tiles("overworld");
    let times = || {
        tiles
            .values()
            .map(|path| fs::metadata(path).unwrap().modified().unwrap())
            .collect::<Vec<_>>()
    };

    let before = times();
    let ran = remake(&place, &["--signs", "."]).expect(0, "markers");
    assert!(ran.err.contains("76 markers in 6 files"), "{}", ran.err);
    assert_same_files("made anew", &map.files(), &whole.files());
    assert_eq!(times(), before, "no tile is written");

    let ran =
        render(&place.world(), &map.root, &["--signs", "."]).expect(0, "nothing is left to draw");
    assert_eq!(ran.report()["regions"]["drawn"], json!(0));
    on("verify", &map.root, &["-q"]).expect(0, "the map is whole");
}

#[test]
fn the_command_makes_no_outer_tiles() {
    let place = Place::empty();
    many::small_files(&place.world().join("region"), 9);
    let map = place.draw("map", &["--signs", "."]);
    assert!(
        map.tiles("overworld").keys().any(|tile| tile.0 < 17),
        "this tests nothing"
    );
    let before = map.files();
    remake(&place, &["--signs", "."]).expect(0, "markers");
    assert_same_files("made again", &map.files(), &before);
}

#[test]
fn the_command_keeps_hidden_places_hidden() {
    let place = Place::of(&around_a_corner());
    let hidden = place.draw("map", &["--signs", ".", "--hide", "0,0,48,48"]);
    let before = hidden.files();
    remake(&place, &["--signs", "."]).expect(0, "markers");
    assert_same_files("hidden", &hidden.files(), &before);
    assert!(
        !kinds(&hidden).iter().any(|(_, count)| *count == 36),
        "this tests nothing"
    );
}

#[test]
fn the_command_needs_a_map() {
    let place = Place::of(&world_of(&[marked(0, 0, "first")]));
    let ran = remake(&place, &[]).expect(1, "no map");
    assert!(
        ran.err.contains("does not contain a map: draw it first") && !place.at("map").exists(),
        "{}",
        ran.err
    );
}
