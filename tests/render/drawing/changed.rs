//! Tests layer `changed`, which shows at which moment the look of each chunk last changed.

use serde_json::Value;

use crate::map::{Map, Place, render};
use crate::world::level_dat::LevelDat;
use crate::world::{Block, ChunkSpec, Files, Generation, RegionSpec, block};

const LAYERS: [&str; 4] = ["-l", "day", "-l", "changed"];

/// Builds a world of three chunks in two regions. The first chunk has this block on its stone.
fn world_with_block_on_first(on_first: Option<Block>) -> Files {
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new("changes", Some(3955)).bytes());

    for (x, chunks) in [(0, &[0, 2][..]), (1, &[40])] {
        let mut region = RegionSpec::new(x, 0);
        for &x in chunks {
            let mut chunk = ChunkSpec::new(x, 0, Generation::Root(3955));
            chunk.layer(60, 62, block::STONE);
            if x == 0
                && let Some(block) = on_first
            {
                chunk.set(7, 62, 7, block);
            }
            region.put(&chunk);
        }

        files.put_region("region", &region);
    }

    files
}

fn draw(world: &Files, place: &Place, time: &str) -> Map {
    let folder = place.at(time);
    world.write_under(&folder);
    let out = place.at("map");
    let options = [&LAYERS[..], &["--history", "--time", time]].concat();
    render(&folder, &out, &options).expect(0, time);
    Map::at(&out)
}

/// The colours of the chunks at x 0, 2 and 40.
fn colours(map: &Map) -> [[u8; 4]; 3] {
    let columns = map.columns_of("overworld", "changed");
    [0, 2, 40].map(|x| columns.at(x * 16 + 3, 3))
}

fn legend(map: &Map) -> Vec<(String, String)> {
    let facts = map.facts();
    let layers = facts["dimensions"][0]["layers"].as_array().unwrap();
    let layer = layers
        .iter()
        .find(|layer| layer["id"] == "changed")
        .unwrap();
    let entries = layer["legend"][0]["entries"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    entries
        .iter()
        .map(|entry| (text(&entry[0]), text(&entry[1])))
        .collect()
}

#[test]
fn chunks_have_the_moment_of_their_last_change() {
    let place = Place::empty();
    let map = draw(&world_with_block_on_first(None), &place, "2026-05-01");
    let first = colours(&map)[0];
    assert_eq!(colours(&map), [first; 3]);

    let map = draw(
        &world_with_block_on_first(Some(block::SAND)),
        &place,
        "2026-05-03",
    );
    let second = colours(&map)[0];
    assert_ne!(second, first);
    assert_eq!(
        colours(&map),
        [second, first, first],
        "only the chunk that has changed"
    );

    let map = draw(
        &world_with_block_on_first(Some(block::SAND)),
        &place,
        "2026-05-04",
    );
    assert_eq!(colours(&map), [second, first, first], "nothing has changed");

    let hex = |[r, g, b, _]: [u8; 4]| format!("#{r:02x}{g:02x}{b:02x}");
    let expected = [(first, "2026-05-01 00:00"), (second, "2026-05-03 00:00")];
    assert_eq!(
        legend(&map),
        expected.map(|(colour, text)| (hex(colour), text.to_owned()))
    );

    let alone = render(
        &place.at("2026-05-04"),
        &place.at("alone"),
        &["-l", "changed"],
    )
    .expect(2, "alone");
    assert!(alone.err.contains("-l day"), "{}", alone.err);

    // Another palette changes pixels, but it does not count as a change of a chunk.
    let options = [
        &LAYERS[..],
        &["--time", "2026-05-06", "--palette", "map-item"],
    ]
    .concat();
    render(&place.at("2026-05-04"), &place.at("map"), &options).expect(0, "palette");

    assert_eq!(
        colours(&Map::at(&place.at("map"))),
        [second, first, first],
        "other colours are no change"
    );
}

#[test]
fn hiding_a_chunk_marks_no_chunk_around_it() {
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new("changes", Some(3955)).bytes());
    let mut region = RegionSpec::new(0, 0);
    for x in 0..3 {
        let mut chunk = ChunkSpec::new(x, 0, Generation::Root(3955));
        chunk.layer(60, if x == 0 { 90 } else { 62 }, block::STONE);
        region.put(&chunk);
    }
    files.put_region("region", &region);

    let place = Place::empty();
    let map = draw(&files, &place, "2026-05-01");
    let colours = |map: &Map| {
        let columns = map.columns_of("overworld", "changed");
        [1, 2].map(|x| columns.at(x * 16, 3))
    };
    let before = colours(&map);
    let shade = map.columns().at(16, 3);

    let hide = ["--time", "2026-05-02", "--hide", "0,0,16,16"];
    let options = [&LAYERS[..], &hide].concat();
    render(&place.at("2026-05-01"), &map.root, &options).expect(0, "hide");
    assert_ne!(map.columns().at(16, 3), shade, "the hidden chunk shaded it");
    assert_eq!(colours(&map), before);
}
