//! Tests that the legends in `map.json` match the pixels of their layers, and do not depend on
//! earlier runs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::map::land::{self, BY_COLUMN, Column};
use crate::map::{Map, Place, Rgba, assert_same_files, fixture, pixels, render};
use crate::world::{Biome, ChunkSpec, Files, Generation, biome, block};

const GENERATION: Generation = Generation::Root(3955);

/// The parts of a layer's legend.
fn legend(map: &Map, layer: &str) -> Vec<Value> {
    let facts = map.facts();
    let layers = facts["dimensions"][0]["layers"].as_array().unwrap();
    let facts = layers.iter().find(|facts| facts["id"] == layer).unwrap();
    facts["legend"].as_array().cloned().unwrap_or_default()
}

/// Texts and colours of a part.
fn entries(part: &Value) -> Vec<(String, Rgba)> {
    let entry = |entry: &Value| {
        let [colour, text] = [0, 1].map(|at| entry[at].as_str().unwrap());
        let number = u32::from_str_radix(colour.strip_prefix('#').unwrap(), 16).unwrap();
        let [_, r, g, b] = number.to_be_bytes();
        (text.to_owned(), [r, g, b, 255])
    };
    part["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect()
}

fn names(map: &Map) -> Vec<String> {
    legend(map, "biome")
        .iter()
        .flat_map(|part| entries(part).into_iter().map(|(name, _)| name))
        .collect()
}

fn colour(part: &Value, text: &str) -> Rgba {
    entries(part)
        .into_iter()
        .find(|(name, _)| name == text)
        .unwrap_or_else(|| panic!("no {text} in {part}"))
        .1
}

/// A chunk in the middle of each of four regions, each in a biome of its own.
fn four(biomes: [Biome; 4]) -> Files {
    let chunk = |(at, biome): (i32, Biome)| {
        let mut chunk = ChunkSpec::new(at % 2 * 32 + 9, at / 2 * 32 + 9, GENERATION);
        chunk.layer(60, 62, block::STONE);
        (0..256).for_each(|column| chunk.set_biome(column % 16, column / 16, biome));
        chunk
    };
    let chunks: Vec<_> = (0..).zip(biomes).map(chunk).collect();
    land::of_chunks(&chunks, GENERATION)
}

#[test]
fn unchanged_regions_keep_their_biomes_in_the_legend() {
    let asked = ["-l", "day", "-l", "biome"];
    let place = Place::of(&four([
        biome::DESERT,
        biome::TAIGA,
        biome::SWAMP,
        biome::DESERT,
    ]));
    let map = place.draw("map", &asked);
    assert_eq!(names(&map), ["desert", "swamp", "taiga"]);

    assert_same_files(
        "threads",
        &map.files(),
        &place
            .draw("one", &["-l", "biome", "-l", "day", "-t", "1"])
            .files(),
    );

    // One region changes to another biome. The other three are not read.
    four([biome::DESERT, biome::BADLANDS, biome::SWAMP, biome::DESERT]).write_under(&place.world());
    let again = render(&place.world(), &map.root, &asked)
        .expect(0, "again")
        .report();
    assert_eq!(again["regions"]["unchanged"], 3);
    assert_eq!(names(&map), ["badlands", "desert", "swamp"]);

    assert_same_files(
        "incremental",
        &place.draw("fresh", &asked).files(),
        &map.files(),
    );

    // A run that does not draw the layer does not change its legend.
    place.draw("map", &["-l", "day"]);
    assert_eq!(names(&map), ["badlands", "desert", "swamp"]);
}

#[test]
fn an_unreadable_chunk_keeps_its_biome() {
    let place = Place::of(&four([
        biome::DESERT,
        biome::TAIGA,
        biome::SWAMP,
        biome::DESERT,
    ]));
    let map = place.draw("map", &["-l", "biome"]);

    let mut broken = four([biome::DESERT, biome::TAIGA, biome::SWAMP, biome::DESERT]);
    let file = broken.0.get_mut("region/r.1.0.mca").unwrap();
    let len = file.len();
    file[8192 + 8..len.min(8192 + 64)].fill(0xee);
    broken.write_under(&place.world());
    render(&place.world(), &map.root, &["-l", "biome"]).expect(3, "broken");
    assert_eq!(names(&map), ["desert", "swamp", "taiga"]);
    render(&place.world(), &place.at("fresh"), &["-l", "biome"]).expect(3, "broken from the start");
    assert_eq!(names(&Map::at(&place.at("fresh"))), ["desert", "swamp"]);
}

#[test]
fn only_biomes_in_the_area_have_entries() {
    let column = |x: i32, _| {
        let biome = if x < 8 { biome::DESERT } else { biome::TAIGA };
        Some(Column {
            biome,
            ..Column::of(64, block::STONE)
        })
    };

    let place = Place::of(&land::world([0, 0, 32, 16], (0, 0), BY_COLUMN, column));
    assert_eq!(
        names(&place.draw("all", &["-l", "biome"])),
        ["desert", "taiga"]
    );

    assert_eq!(
        names(&place.draw("part", &["-l", "biome", "-a", "0,0,8,16"])),
        ["desert"]
    );
    assert_eq!(
        names(&place.draw("none", &["-l", "biome", "-a", "99,99,100,100"])),
        [""; 0]
    );
}

#[test]
fn a_long_legend_of_biomes_is_cut() {
    let chunks: Vec<_> = (0..40)
        .map(|at| {
            let mut chunk = ChunkSpec::new(at % 8 * 8, at / 8, GENERATION);
            chunk.layer(60, 62, block::STONE);

            for column in 0..256 {
                let cell = at * 16 + column / 64 * 4 + column % 16 / 4;
                let name = format!("mod:{cell:03}</script><b>").leak();
                chunk.set_biome(
                    column as usize % 16,
                    column as usize / 16,
                    Biome::new(name, 1),
                );
            }

            chunk
        })
        .collect();

    let place = Place::of(&land::of_chunks(&chunks, GENERATION));
    let map = place.draw("map", &["-l", "biome"]);
    let part = &legend(&map, "biome")[0];
    assert_eq!((entries(part).len(), &part["more"]), (256, &true.into()));

    assert!(
        names(&map)
            .iter()
            .enumerate()
            .all(|(at, name)| name.starts_with(&format!("mod:{at:03}")))
    );

    let again = render(&place.world(), &map.root, &["-l", "biome"])
        .expect(0, "again")
        .report();
    assert_eq!(again["regions"]["drawn"], 0);
    assert_same_files(
        "again",
        &map.files(),
        &place.draw("fresh", &["-l", "biome", "-t", "1"]).files(),
    );

    let script = std::fs::read_to_string(map.root.join("map.js")).unwrap();
    assert!(!script.contains("</"));
}

/// The colours of a layer's native tiles.
fn colours(map: &Map, layer: &str) -> BTreeSet<Rgba> {
    let native = map
        .tiles_of("overworld", layer)
        .into_iter()
        .filter(|((zoom, ..), _)| *zoom == crate::map::NATIVE);
    native
        .flat_map(|(_, path)| pixels(&path))
        .filter(|pixel| pixel[3] > 0)
        .collect()
}

#[test]
fn a_legend_has_the_colours_of_the_picture() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let layers = ["day", "biome", "version", "inhabited", "height", "cave"];

    let map = place.draw(
        "map",
        &layers
            .iter()
            .flat_map(|layer| ["-l", layer])
            .collect::<Vec<_>>(),
    );
    assert_eq!(legend(&map, "day"), [""; 0]);

    let biomes: BTreeSet<Rgba> = entries(&legend(&map, "biome")[0])
        .into_iter()
        .map(|(_, colour)| colour)
        .collect();
    assert_eq!(biomes, colours(&map, "biome"));

    let versions = entries(&legend(&map, "version")[0]);
    assert_eq!(
        colours(&map, "version"),
        versions.iter().map(|(_, colour)| *colour).collect()
    );

    assert_eq!(
        [&versions[0].0, &versions[versions.len() - 1].0],
        ["26.3", "before 1.9"],
        "the newest first"
    );

    let wanted = |version: &str| colour(&legend(&map, "version")[0], version);
    let picture = map.columns_of("overworld", "version");
    assert_eq!(
        [picture.at(-340, 0), picture.at(340, 0)],
        [wanted("before 1.9"), wanted("26.3")]
    );
}

#[test]
fn cave_lava_has_the_legend_colour() {
    let mut chunk = ChunkSpec::new(0, 0, GENERATION);
    chunk.layer(60, 62, block::STONE);
    chunk.layer(70, 70, block::STONE);
    (0..16).for_each(|x| chunk.stack(x, 4, 62, 62 + (x as i32 % 4), block::LAVA));

    let place = Place::of(&land::of_chunks(&[chunk], GENERATION));
    let map = place.draw("map", &["-l", "cave"]);
    let (floors, lava) = (
        map.columns_of("overworld", "cave"),
        colour(&legend(&map, "cave")[1], "lava"),
    );

    assert!(
        (0..16).all(|x| floors.at(x, 4) == lava),
        "at any height and slope"
    );
    assert_ne!(floors.at(8, 8), lava);
}

#[test]
fn drawn_colours_match_the_legend() {
    let column = |x: i32, _| {
        let (y, water_y) = if x < 16 { (80, None) } else { (50, Some(62)) };
        Some(Column {
            y,
            ground: block::STONE,
            water_y,
            biome: biome::PLAINS,
        })
    };

    let place = Place::of(&land::world([0, 0, 32, 16], (0, 0), BY_COLUMN, column));
    let map = place.draw("map", &["-l", "height", "-l", "cave", "-l", "inhabited"]);
    let (heights, floors) = (
        map.columns_of("overworld", "height"),
        map.columns_of("overworld", "cave"),
    );

    let parts = legend(&map, "height");
    assert_eq!(
        [heights.at(8, 8), heights.at(24, 8)],
        [colour(&parts[0], "80"), colour(&parts[1], "12")]
    );
    assert_eq!(
        floors.at(8, 8),
        colour(&legend(&map, "cave")[1], "land without a hollow")
    );

    let never = map.columns_of("overworld", "inhabited").at(8, 8);
    assert_eq!(never, colour(&legend(&map, "inhabited")[0], "never"));
}
