//! Tests the numbers in the pixels of layers `height16` (at every zoom level) and `terrain`, which
//! are for other programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::map::{Map, NATIVE, Place, SIDE, Tile, assert_same_files, fixture, render};
use crate::slow_reader::{Folder, Numbers, Within};
use crate::world::{Files, many};
use serde_json::json;

const LAYER: [&str; 2] = ["-l", "height16"];

/// The tiles of the overworld, each as another program opens it.
fn tiles(map: &Map) -> BTreeMap<Tile, Vec<u16>> {
    let layer = map.root.join("overworld/height16");
    let files = Files::read_under(&layer)
        .0
        .into_keys()
        .filter(|path| crate::map::has_ending(path, "png"));

    let tile = |path: String| {
        let numbers: Vec<i32> = path
            .trim_end_matches(".png")
            .split('/')
            .map(|n| n.parse().unwrap())
            .collect();
        let picture = image::open(layer.join(&path)).unwrap();
        let image::DynamicImage::ImageLuma16(picture) = picture else {
            panic!("{path} is {:?}", picture.color())
        };

        assert_eq!(picture.dimensions(), (SIDE as u32, SIDE as u32));

        (
            (u8::try_from(numbers[0]).unwrap(), numbers[1], numbers[2]),
            picture.into_raw(),
        )
    };

    files.map(tile).collect()
}

/// The numbers of a region's columns by the slow reader: the highest block's height, from 2048
/// below 0.
fn expected(folder: &Folder, x: i32, z: i32, within: Within) -> Vec<u16> {
    let mut pixels = vec![0; SIDE * SIDE];
    let Ok(region) = folder.region(x, z).unwrap() else {
        return pixels;
    };

    for (chunk_x, chunk_z) in region.used() {
        let Some(Ok(chunk)) = folder.chunk_of(&region, chunk_x, chunk_z) else {
            continue;
        };
        if !chunk.is_drawn(within.unfinished) {
            continue;
        }

        for column in 0..256 {
            let (dx, dz) = (column % 16, column / 16);
            let at =
                (chunk_z & 31) * 16 * SIDE as i32 + dz * SIDE as i32 + (chunk_x & 31) * 16 + dx;
            pixels[at as usize] = chunk
                .top(dx, dz, within)
                .map_or(0, |top| u16::try_from(top.y + 2048).unwrap());
        }
    }

    pixels
}

/// The number of a height in Terrarium's form. Blue is odd where nothing is drawn.
fn as_number([r, g, b, _]: crate::map::Rgba) -> u16 {
    let y = i32::from(r) * 256 + i32::from(g) - 32_768;
    if b == 0 {
        u16::try_from(y + 2048).unwrap()
    } else {
        u16::from(b % 2 == 0)
    }
}

fn assert_is_as_read_slowly(name: &str, world: &Path, options: &[&str], within: Within) {
    let place = Place::empty();
    let ran = render(
        world,
        &place.at("map"),
        &[&LAYER[..], &["-l", "terrain"], options].concat(),
    );
    assert!(matches!(ran.code, 0 | 3), "{name}: {}", ran.err);

    let map = Map::at(&place.at("map"));
    let found = tiles(&map);
    let terrain = map.tiles_of("overworld", "terrain");
    let table = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/world/src/names/numeric.tsv"),
    )
    .unwrap();

    let numbers = Numbers::parse(&table).with_level_dat(&world.join("level.dat"));
    let folder = Folder::open(&world.join("region"), numbers);
    for (x, z) in folder
        .positions()
        .filter(|(x, z)| x.abs() < 65_536 && z.abs() < 65_536)
    {
        let pixels = expected(&folder, x, z, within);
        let tile = found.get(&(NATIVE, x, z));
        assert_eq!(
            tile.is_some(),
            pixels.iter().any(|&pixel| pixel != 0),
            "{name}: r.{x}.{z}"
        );

        let Some(tile) = tile else { continue };
        let wrong = (0..tile.len()).find(|&at| tile[at] != pixels[at]);
        let says = wrong.map(|at| (at % SIDE, at / SIDE, tile[at], pixels[at]));
        assert_eq!(
            says, None,
            "{name}: r.{x}.{z}: x, z, the program's and the slow reader's number"
        );

        let terrain = crate::map::pixels(&terrain[&(NATIVE, x, z)]);
        let wrong = (0..tile.len()).find(|&at| as_number(terrain[at]) != pixels[at]);
        assert_eq!(wrong, None, "{name}: r.{x}.{z}: the pixel of layer terrain");
    }
}

#[test]
fn heights_of_columns_match_the_slow_reader() {
    for made in crate::world::fixture::all() {
        let world = fixture(made.name);
        if world.join("region").exists() {
            assert_is_as_read_slowly(made.name, &world, &["-d", "overworld"], Within::default());
        }
    }

    let within = Within {
        unfinished: true,
        ..Within::default()
    };

    assert_is_as_read_slowly(
        "unfinished too",
        &fixture("statuses"),
        &["--unfinished"],
        within,
    );

    let within = Within {
        low: 60,
        high: 62,
        unfinished: false,
    };
    let heights = ["--min-y", "60", "--max-y", "62"];
    assert_is_as_read_slowly("some heights", &fixture("root-3955"), &heights, within);
}

#[test]
fn heights_of_the_demo_match_the_slow_reader() {
    assert_is_as_read_slowly("demo", &fixture("demo"), &[], Within::default());
}

/// The four numbers of the children under a pixel of a parent, computed without the steps of the
/// program.
fn mean_below(tiles: &BTreeMap<Tile, Vec<u16>>, (zoom, x, y): Tile, at: usize) -> u16 {
    let side = SIDE as i32;
    let (left, top) = (
        (x * side + (at % SIDE) as i32) * 2,
        (y * side + (at / SIDE) as i32) * 2,
    );

    let below = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| {
        let (left, top) = (left + dx, top + dy);
        let tile = tiles.get(&(zoom + 1, left.div_euclid(side), top.div_euclid(side)));
        tile.map_or(0, |tile| {
            tile[(top.rem_euclid(side) * side + left.rem_euclid(side)) as usize]
        })
    });

    let there: Vec<f64> = below
        .into_iter()
        .filter(|&number| number != 0)
        .map(f64::from)
        .collect();

    if there.is_empty() {
        0
    } else {
        (there.iter().sum::<f64>() / there.len() as f64).round() as u16
    }
}

/// Six regions. One of them lacks chunks, so that the map has holes and two levels.
fn many_regions() -> Place {
    let place = Place::empty();
    let folder = place.world().join("region");
    many::regions(&folder, 6);
    take_out(&place, |slot| slot % 7 < 3);
    place
}

/// Removes chunks from the region in the middle of the others.
#[allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]
fn take_out(place: &Place, is_taken: impl Fn(&usize) -> bool) {
    let path = place.world().join("region/r.1.1.mca");
    let mut region = fs::read(&path).unwrap();
    for slot in (0..1024).filter(is_taken) {
        region[slot * 4..slot * 4 + 4].fill(0);
    }
    fs::write(&path, region).unwrap();
}

#[test]
fn parent_numbers_are_rounded_means() {
    let place = many_regions();
    let tiles = tiles(&place.draw("map", &LAYER));
    let parents: Vec<_> = tiles
        .keys()
        .copied()
        .filter(|(zoom, ..)| *zoom < NATIVE)
        .collect();
    assert!(parents.len() >= 2);

    let (mut halves, mut holes) = (0, 0);
    for parent in parents {
        for (at, &pixel) in tiles[&parent].iter().enumerate() {
            assert_eq!(
                pixel,
                mean_below(&tiles, parent, at),
                "{parent:?}, pixel {at}"
            );
            holes += usize::from(pixel == 0);
            halves += usize::from(pixel != 0);
        }
    }

    assert!(halves > 0 && holes > 0);
}

#[test]
fn a_second_run_writes_nothing_but_an_edit() {
    let place = many_regions();
    let map = place.draw("map", &LAYER);
    let again = render(&place.world(), &map.root, &LAYER)
        .expect(0, "again")
        .report();
    assert_eq!(
        (&again["regions"]["unchanged"], &again["tiles"]["written"]),
        (&6.into(), &0.into())
    );

    // The change is far from the borders of its region, so the other children of its parent are
    // read from their files.
    take_out(&place, |slot| {
        (8..24).contains(&(slot / 32)) && (8..24).contains(&(slot % 32))
    });

    let edited = render(&place.world(), &map.root, &LAYER)
        .expect(0, "edited")
        .report();
    assert_eq!(
        (&edited["regions"]["drawn"], &edited["tiles"]["written"]),
        (&1.into(), &2.into())
    );

    assert_same_files(
        "after an edit",
        &place.draw("fresh", &LAYER).files(),
        &map.files(),
    );
}

#[test]
fn neighbours_do_not_change_heights() {
    let place = many_regions();
    let whole = tiles(&place.draw("map", &LAYER));
    for name in ["r.0.0.mca", "r.1.1.mca"] {
        let alone = Place::empty();
        fs::create_dir_all(alone.world().join("region")).unwrap();
        fs::copy(
            place.world().join("region").join(name),
            alone.world().join("region").join(name),
        )
        .unwrap();

        let tiles = tiles(&alone.draw("map", &LAYER));
        assert_eq!(tiles.len(), 1);
        assert!(
            tiles.iter().all(|(tile, pixels)| *pixels == whole[tile]),
            "{name}"
        );
    }
}

#[test]
fn map_json_explains_stored_numbers() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let facts = place.draw("map", &["-l", "day", "-l", "height16"]).facts();
    let layers = facts["dimensions"][0]["layers"].as_array().unwrap();
    assert_eq!(layers[1]["id"], "height16");
    assert_eq!(layers[1]["format"], "png");
    assert_eq!(
        layers[1]["numbers"],
        json!({"bits": 16, "nothing": 0, "offset": -2048})
    );
    assert!(layers[0].get("numbers").is_none());
}
