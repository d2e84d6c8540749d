//! Tests lists of tiles: if a zoom level has many rows, `map.json` names lists next to the tiles
//! instead of the tiles.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests read is no output of the program"
)]

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::map::{Map, Place, land, render, run};
use crate::publishing::bookkeeping::apply;

/// Draws the map, and updates a copy of it with the change lists.
fn draw(place: &Place, options: &[&str]) -> Map {
    let [changed, deleted] =
        ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let lists = ["--changed-list", &changed, "--deleted-list", &deleted];
    render(
        &place.world(),
        &place.at("map"),
        &[&lists[..], options].concat(),
    )
    .expect(0, &format!("{options:?}"));
    let map = Map::at(&place.at("map"));
    apply(place, "copy", &map);
    map
}

/// The tiles of rows.
fn tiles_of(zoom: &str, rows: &Value) -> Vec<(u8, i32, i32)> {
    let zoom = zoom.parse().unwrap();
    let number = |value: &Value| value.as_i64().unwrap() as i32;
    let rows = rows.as_array().unwrap().iter();
    rows.flat_map(|row| {
        row[1]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| (number(&row[0]), run))
    })
    .flat_map(|(y, run)| (number(&run[0])..=number(&run[1])).map(move |x| (zoom, x, y)))
    .collect()
}

/// The files with tile lists of layer `day`.
fn lists_in(map: &Map) -> BTreeSet<String> {
    let names = fs::read_dir(map.root.join("overworld/day")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("tiles-")).collect()
}

#[test]
fn tile_lists_vanish_with_their_many_rows() {
    let place = Place::of(&land::scattered());
    fs::create_dir(place.at("copy")).unwrap();
    let map = draw(&place, &[]);
    let layer = &map.facts()["dimensions"][0]["layers"][0];

    assert_eq!(
        lists_in(&map),
        ["tiles-17_-1.js", "tiles-17_0.js"]
            .map(str::to_owned)
            .into()
    );

    let mut listed: Vec<_> = layer["tiles"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(z, rows)| tiles_of(z, rows))
        .collect();

    for (zoom, numbers) in layer["lists"].as_object().unwrap() {
        for number in numbers.as_array().unwrap() {
            let text = fs::read_to_string(
                map.root
                    .join(format!("overworld/day/tiles-{zoom}_{number}.js")),
            )
            .unwrap();
            let rows = text
                .strip_prefix("pixelmapTiles(")
                .and_then(|text| text.strip_suffix(");\n"))
                .unwrap();
            listed.extend(tiles_of(zoom, &serde_json::from_str(rows).unwrap()));
        }
    }

    listed.sort_unstable();
    assert!(listed.iter().eq(map.tiles("overworld").keys()));

    // The layer is drawn again with fewer rows. The list of the layer from another run stays.
    draw(&place, &["-l", "height"]);
    assert_eq!(lists_in(&map).len(), 2);
    place.copy("map", "before");
    draw(&place, &["-a", "0,0,512,512", "--max-removed", "100%"]);
    assert_eq!(lists_in(&map), BTreeSet::new());
    assert!(map.root.join("overworld/height/tiles-17_0.js").exists());

    let (before, gone) = (place.at("before"), place.at("gone"));
    let [before, after, list] = [&before, &map.root, &gone].map(|path| path.to_str().unwrap());
    run(&["diff", before, after, "-q", "--deleted-list", list]).expect(1, "tiles are gone");
    assert!(
        fs::read_to_string(&gone)
            .unwrap()
            .lines()
            .any(|line| line == "overworld/day/tiles-17_0.js")
    );
}
