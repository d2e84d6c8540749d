//! Tests the output folder of one run: zoom levels, manifest, `map.json`, the viewer.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use twox_hash::XxHash3_64;

use crate::map::{Map, Place, Tile, fixture, land, look, pixels, render};
use crate::world::seed::of_place;
use crate::world::{ChunkSpec, Files, Generation, RegionSpec, block};

#[test]
fn outer_tiles_are_made_from_four_children() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    for (dimension, native, outermost) in [("overworld", 14, 15), ("the_nether", 8, 14)] {
        let tiles = map.pictures(dimension);
        assert_eq!(
            tiles.keys().filter(|tile| tile.0 == 17).count(),
            native,
            "{dimension}"
        );

        assert_eq!(
            tiles.keys().next().map(|tile| tile.0),
            Some(outermost),
            "{dimension}: the outermost level"
        );
        look::assert_pyramid(dimension, &tiles);
    }
}

/// Blocks of every colour in disorder around the corners of regions, so that means of four pixels
/// are between the colours of the lattice.
fn confetti() -> Files {
    let blocks: Vec<_> = block::NUMBERED
        .iter()
        .filter(|block| !block.is_nothing())
        .collect();

    let mut chunks = Vec::new();
    for (x, z) in [(0, 0), (2, 1), (-1, 2)] {
        for at in 0..64 {
            let (x, z) = (x * 32 + at % 8 - 4, z * 32 + at / 8 - 4);
            let mut chunk = ChunkSpec::new(x, z, land::BY_COLUMN);
            for column in 0..256 {
                let random = of_place(x * 16 + column % 16, z * 16 + column / 16, 9);
                let block = *blocks[random as usize % blocks.len()];
                if !random.is_multiple_of(11) {
                    chunk.set(
                        column as usize % 16,
                        60 + (random >> 40) as i32 % 4,
                        column as usize / 16,
                        block,
                    );
                }
            }

            chunks.push(chunk);
        }
    }

    land::of_chunks(&chunks, land::BY_COLUMN)
}

#[test]
fn the_mean_of_four_is_weighted_and_rounded() {
    let place = Place::of(&confetti());
    let tiles = place.draw("map", &[]).pictures("overworld");
    assert!(tiles.keys().any(|tile| tile.0 <= 15));
    look::assert_pyramid("confetti", &tiles);
}

/// One flat chunk at the north-west corner of each of these regions.
fn regions(places: &[(i32, i32)]) -> Files {
    let mut files = Files::new();
    for (x, z) in places {
        let mut chunk = ChunkSpec::new(
            x.wrapping_mul(32),
            z.wrapping_mul(32),
            Generation::Root(3955),
        );
        chunk.layer(60, 60, block::STONE);
        let mut region = RegionSpec::new(*x, *z);
        region.put(&chunk);
        files.put_region("region", &region);
    }

    files
}

/// Regions, the outermost level of their map, and the outermost level with a visible pixel.
type Outermost<'a> = (&'a [(i32, i32)], u8, u8);

#[test]
fn zooming_stops_at_four_tiles() {
    // A chunk is 16 pixels wide, so at level 9 it is narrower than a pixel. A chunk alone is then
    // invisible.
    let cases: [Outermost<'_>; 5] = [
        (&[(0, 0)], 17, 17),
        (&[(0, 0), (9, 9), (-7, 3), (100, -100)], 17, 17),
        (&[(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)], 16, 16),
        (&[(0, 0), (2, 0), (4, 0), (6, 0), (-1, 0)], 15, 15),
        (
            &[(-65_536, 0), (65_535, 0), (0, 0), (0, 65_535), (7, -65_536)],
            1,
            9,
        ),
    ];

    for (places, outermost, seen) in cases {
        let place = Place::of(&regions(places));
        let map = place.draw("map", &[]);
        assert_eq!(
            map.facts()["dimensions"][0]["layers"][0]["min_zoom"],
            outermost,
            "{places:?}"
        );

        let zooms: BTreeSet<u8> = map.tiles("overworld").keys().map(|tile| tile.0).collect();
        assert_eq!(zooms, (seen..=17).collect(), "{places:?}");
    }
}

#[test]
fn a_region_off_the_map_spares_others() {
    let mut files = regions(&[(0, 0)]);
    let off = ["r.70000.0.mca", "r.0.-65537.mca"];
    for name in off {
        files.put(
            &format!("region/{name}"),
            regions(&[(0, 0)]).0["region/r.0.0.mca"].clone(),
        );
    }

    let place = Place::of(&files);
    let ran = render(&place.world(), &place.at("map"), &[]).expect(3, "regions too far out");
    let report = ran.report();
    assert_eq!(report["outcome"], "gaps");

    let named: BTreeSet<&str> = report["bad_chunks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bad| bad["region"].as_str().unwrap())
        .collect();
    assert_eq!(named, off.into_iter().collect());
    assert!(off.iter().all(|name| ran.err.contains(name)), "{}", ran.err);

    let tiles: Vec<Tile> = Map::at(&place.at("map"))
        .tiles("overworld")
        .into_keys()
        .collect();
    assert_eq!(tiles, [(17, 0, 0)]);
}

#[test]
fn a_tile_that_shows_nothing_is_not_written() {
    let mut files = regions(&[(0, 0), (3, 3)]);
    let mut nothing = RegionSpec::new(1, 0);
    nothing.put(&ChunkSpec::new(32, 0, Generation::Root(3955)));
    files.put_region("region", &nothing);
    files.put("region/r.2.0.mca", Vec::new());

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    assert_eq!(
        map.tiles("overworld").into_keys().collect::<Vec<_>>(),
        [(17, 0, 0), (17, 3, 3)]
    );

    assert!(
        !map.root.join("overworld/day/17/1").exists(),
        "no folder is left for it"
    );
}

#[test]
fn the_manifest_lists_every_tile_in_order() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    for dimension in ["overworld", "the_nether"] {
        let tiles = map.tiles(dimension);
        let lines = map.manifest(dimension);
        let number = |text: &String| text.parse::<i32>().unwrap();
        let places: Vec<_> = lines
            .iter()
            .map(|line| (number(&line[0]), number(&line[1]), number(&line[2])))
            .collect();

        let there: Vec<_> = tiles
            .keys()
            .map(|(zoom, x, y)| (i32::from(*zoom), *x, *y))
            .collect();
        assert_eq!(places, there, "{dimension}: numeric order of z, x, y");

        for (line, path) in lines.iter().zip(tiles.values()) {
            let [.., bytes, file, samples] = &line[..] else {
                panic!("{line:?}")
            };

            let (content, decoded) = (fs::read(path).unwrap(), pixels(path).concat());
            assert_eq!(*bytes, content.len().to_string(), "{line:?}");
            assert_eq!(
                *file,
                format!("{:016x}", XxHash3_64::oneshot(&content)),
                "{line:?}"
            );

            assert_eq!(
                *samples,
                format!("{:016x}", XxHash3_64::oneshot(&decoded)),
                "{line:?}"
            );
            assert_eq!(line.len(), 6);
        }
    }

    let text = fs::read_to_string(map.root.join("overworld/day/tiles.tsv")).unwrap();
    assert!(text.ends_with('\n') && !text.contains('\r'));
}

/// The object that the script of a page sets.
fn script(map: &Map) -> Value {
    let text = fs::read_to_string(map.root.join("map.js")).unwrap();
    let object = text
        .strip_prefix("var PIXELMAP = ")
        .and_then(|rest| rest.strip_suffix(";\n"));
    serde_json::from_str(object.unwrap_or_else(|| panic!("{text}"))).unwrap()
}

#[test]
fn map_facts_are_repeatable_and_complete() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    let facts = map.facts();
    assert_eq!(facts, script(&map));
    assert_eq!(
        (&facts["format"], &facts["tile_size"], &facts["scheme"]),
        (&json!(1), &json!(512), &json!("signed"))
    );

    let dimensions = facts["dimensions"].as_array().unwrap();
    let ids: Vec<&Value> = dimensions
        .iter()
        .map(|dimension| &dimension["id"])
        .collect();

    assert_eq!(ids, ["overworld", "the_nether"]);
    assert_eq!(
        (&dimensions[0]["spawn"], &dimensions[1]["spawn"]),
        (&json!([0, 64, 0]), &Value::Null)
    );

    for dimension in dimensions {
        let layer = &dimension["layers"][0];
        let mut listed = BTreeSet::new();
        for (zoom, rows) in layer["tiles"].as_object().unwrap() {
            for row in rows.as_array().unwrap() {
                let y = row[0].as_i64().unwrap() as i32;
                for run in row[1].as_array().unwrap() {
                    let ends = [0, 1].map(|end| run[end].as_i64().unwrap() as i32);
                    listed.extend((ends[0]..=ends[1]).map(|x| (zoom.parse::<u8>().unwrap(), x, y)));
                }
            }
        }

        let tiles = map.tiles(dimension["id"].as_str().unwrap());
        assert_eq!(listed, tiles.keys().copied().collect::<BTreeSet<Tile>>());

        // The bounds of all columns with a pixel, exact to the chunk.
        let chunks = map
            .columns_of(dimension["path"].as_str().unwrap(), "day")
            .chunks();
        let ends = |at: fn(&(i32, i32)) -> i32| {
            let (low, high) = (
                chunks.iter().map(at).min().unwrap(),
                chunks.iter().map(at).max().unwrap(),
            );
            (low * 16, high * 16 + 16)
        };

        let ((x0, x1), (z0, z1)) = (ends(|chunk| chunk.0), ends(|chunk| chunk.1));
        let bounds = json!({"x0": x0, "z0": z0, "x1": x1, "z1": z1});
        assert_eq!(layer["bounds"], bounds);
        assert_eq!(
            layer["path"],
            format!("{}/day", dimension["path"].as_str().unwrap())
        );
    }
}

#[test]
fn every_loaded_page_file_is_in_its_folder() {
    let place = Place::empty();
    render(&fixture("demo"), &place.at("map"), &[]).expect(0, "demo");

    let page = fs::read_to_string(place.at("map").join("index.html")).unwrap();
    let mut loaded = Vec::new();
    for attribute in [" src=\"", " href=\""] {
        let values = page
            .split(attribute)
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap());
        loaded.extend(
            values.filter(|value| !value.starts_with("data:") && !value.starts_with("https:")),
        );
    }

    let loaded: Vec<(&str, &str)> = loaded
        .into_iter()
        .map(|name| name.split_once("?v=").unwrap())
        .collect();
    assert!(
        loaded.iter().any(|(name, _)| *name == "map.js") && loaded.len() >= 3,
        "{loaded:?}"
    );

    let version: Value =
        serde_json::from_slice(&fs::read(place.at("map").join("version.json")).unwrap()).unwrap();
    assert!(
        loaded.contains(&("map.js", version["map"].as_str().unwrap())),
        "{version}: {loaded:?}"
    );

    for (name, _) in loaded {
        assert!(
            place
                .at("map")
                .join(name)
                .metadata()
                .is_ok_and(|file| file.len() > 0),
            "{name} is missing"
        );
    }
}

#[test]
fn a_layer_version_changes_with_its_tiles() {
    let place = Place::of(&land::two_dimensions());

    let versions = |map: &Map| -> Vec<Value> {
        let facts = map.facts();
        let dimensions = facts["dimensions"].as_array().unwrap().iter();
        dimensions
            .map(|dimension| dimension["layers"][0]["version"].clone())
            .collect()
    };

    let before = versions(&place.draw("map", &[]));
    assert_eq!(before, versions(&place.draw("again", &[])));
    assert_ne!(before[0], before[1]);

    let after = versions(&place.draw("map", &["-d", "overworld", "--hide", "0,0,16,16"]));
    assert!(
        after[0] != before[0] && after[1] == before[1],
        "{before:?} {after:?}"
    );
}

#[test]
fn the_map_opens_on_its_main_part() {
    let chunks = [(0, 0), (1, 0), (0, 1), (40, 0), (3000, 2000)].map(|(x, z)| {
        let mut chunk = ChunkSpec::new(x, z, Generation::Root(3955));
        chunk.layer(0, 3, block::STONE);
        chunk
    });

    let place = Place::of(&land::of_chunks(&chunks, Generation::Root(3955)));
    let layer = place.draw("map", &[]).facts()["dimensions"][0]["layers"][0].clone();
    assert_eq!(
        layer["focus"],
        json!({"x0": 0, "z0": 0, "x1": 656, "z1": 32})
    );

    assert_eq!(
        layer["bounds"],
        json!({"x0": 0, "z0": 0, "x1": 48_016, "z1": 32_016})
    );

    let unchanged = place.draw("map", &[]).facts()["dimensions"][0]["layers"][0].clone();
    assert_eq!(layer, unchanged);

    // If all regions are near each other, there is no message.
    let near = Place::of(&land::of_chunks(&chunks[..4], Generation::Root(3955)));
    assert!(
        near.draw("map", &[]).facts()["dimensions"][0]["layers"][0]
            .get("focus")
            .is_none()
    );
}

#[test]
fn a_custom_dimension_has_folders_of_its_name() {
    let place = Place::empty();
    let map = Map::at(&place.at("map"));
    render(&fixture("layout-custom"), &map.root, &[]).expect(0, "layout-custom");

    for dimension in ["overworld", "example/moon", "example/planets/mars", "DIM7"] {
        assert_eq!(
            map.tiles(dimension).into_keys().collect::<Vec<_>>(),
            [(17, 0, 0)],
            "{dimension}"
        );
        assert_eq!(map.manifest(dimension).len(), 1);
    }

    let facts = map.facts();
    let names: Vec<&Value> = facts["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| &of["name"])
        .collect();

    assert_eq!(
        names,
        [
            "Overworld",
            "DIM7",
            "Moon · example",
            "Planets/mars · example"
        ]
    );
}

#[test]
fn every_layout_is_drawn_with_its_dimensions() {
    for (world, ids) in [
        ("layout-old", &["overworld", "the_nether", "the_end"][..]),
        ("layout-new", &["overworld", "the_nether", "the_end"]),
        ("layout-both", &["overworld", "the_nether"]),
        (
            "layout-bukkit/world",
            &["overworld", "the_nether", "the_end"],
        ),
        ("layout-beside", &["overworld"]),
        ("layout-old/DIM-1", &["the_nether"]),
        ("layout-old/DIM1/region", &["the_end"]),
        ("layout-custom/dimensions/example/moon", &["example:moon"]),
    ] {
        let place = Place::empty();
        let report = render(&fixture(world), &place.at("map"), &[])
            .expect(0, world)
            .report();
        assert_eq!(report["world"]["dimensions"], json!(ids), "{world}");

        for id in ids {
            assert_eq!(
                Map::at(&place.at("map")).tiles(&id.replace(':', "/")).len(),
                1,
                "{world}, {id}"
            );
        }
    }
}
