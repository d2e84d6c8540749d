//! Tests layers: one pass draws all of them, and each has its own tiles and manifest.

use std::collections::BTreeMap;

use crate::map::{CLEAR, Map, Place, assert_same_files, fixture as checked_in, land, render};
use crate::world::{Biome, ChunkSpec, Files, Generation, block, fixture, many};
use pixelmap_draw::Layer;

/// The names of all layers.
fn all() -> [&'static str; Layer::ALL.len()] {
    Layer::ALL.map(Layer::name)
}

fn options<'a>(layers: &[&'a str]) -> Vec<&'a str> {
    layers.iter().flat_map(|layer| ["-l", layer]).collect()
}

fn of_layer(map: &Map, layer: &str) -> BTreeMap<String, Vec<u8>> {
    let part = format!("/{layer}/");
    map.files()
        .into_iter()
        .filter(|(path, _)| path.contains(&part))
        .collect()
}

fn demo() -> Place {
    Place::of(&Files::read_under(&checked_in("demo")))
}

#[test]
fn a_layer_does_not_depend_on_others() {
    let place = demo();
    let together = place.draw("together", &[&options(&all())[..], &["-t", "3"]].concat());

    // The order of the workers decides how many chunks are read twice.
    let drawn = |report: &serde_json::Value| report["chunks"]["drawn"].clone();
    let chunks = drawn(
        &render(&place.world(), &place.at("again"), &options(&all()))
            .expect(0, "all")
            .report(),
    );

    for layer in all() {
        // This layer compares the map with an earlier one.
        let named = if layer == "changed" {
            vec!["day", layer]
        } else {
            vec![layer]
        };

        let options = [&options(&named)[..], &["-t", "1"]].concat();
        let ran = render(&place.world(), &place.at(layer), &options).expect(0, layer);
        assert_eq!(
            drawn(&ran.report()),
            chunks,
            "one pass, however many layers"
        );

        let alone = of_layer(&Map::at(&place.at(layer)), layer);
        assert!(!alone.is_empty());
        assert_same_files(layer, &alone, &of_layer(&together, layer));
    }

    let facts = together.facts();
    let named: Vec<_> = facts["dimensions"][0]["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| &layer["id"])
        .collect();
    assert_eq!(named, all());
}

#[test]
fn the_order_of_layers_makes_no_difference() {
    let place = demo();
    let forth = place.draw("forth", &options(&all())).files();
    let mut turned = all();
    turned.reverse();
    assert_same_files(
        "turned",
        &forth,
        &place.draw("turned", &options(&turned)).files(),
    );

    // The views of some layers begin where other views end, with further views between them.
    let mixed = ["day", "height16", "cave"];
    let (map, cave) = (
        place.draw("mixed", &options(&mixed)),
        place.draw("cave", &options(&["cave"])),
    );

    assert_same_files(
        "cave among others",
        &of_layer(&cave, "cave"),
        &of_layer(&map, "cave"),
    );
}

#[test]
fn other_layers_and_unchanged_regions_stay() {
    let place = demo();
    place.draw("map", &options(&["height", "day"]));
    let before = place.draw("map", &options(&["day"])).files();
    let fresh = place.draw("fresh", &options(&["day", "height"])).files();
    assert_same_files("one after the other and both at once", &before, &fresh);

    let map = Map::at(&place.at("map"));
    assert_eq!(
        map.facts()["dimensions"][0]["layers"]
            .as_array()
            .unwrap()
            .len(),
        2
    );

    let again = render(&place.world(), &map.root, &options(&["day", "height"]))
        .expect(0, "again")
        .report();
    assert_eq!(
        (&again["regions"]["unchanged"], &again["tiles"]["written"]),
        (&4.into(), &0.into())
    );

    // With one more layer, the region is drawn for all layers, and the existing tiles do not
    // change.
    let more = render(
        &place.world(),
        &map.root,
        &options(&["day", "height", "biome"]),
    )
    .expect(0, "more")
    .report();

    assert_eq!(
        (&more["regions"]["drawn"], &more["tiles"]["unchanged"]),
        (&4.into(), &8.into())
    );
}

#[test]
fn an_edit_reaches_every_layer_and_level() {
    let place = Place::empty();
    many::regions(&place.world().join("region"), 6);
    let asked = options(&["day", "height", "inhabited"]);
    place.draw("map", &asked);
    let folder = place.world().join("region");
    std::fs::copy(folder.join("r.0.1.mca"), folder.join("r.1.1.mca")).unwrap();
    place.draw("map", &asked);
    let (map, fresh) = (
        Map::at(&place.at("map")).files(),
        place.draw("fresh", &asked).files(),
    );
    assert_same_files("after an edit", &fresh, &map);
}

#[test]
fn contour_lines_appear_only_on_request() {
    let place = demo();
    let asked = options(&["height", "day"]);
    let plain = place.draw("plain", &asked);
    let lines = place.draw("lines", &[&asked[..], &["--contours", "5"]].concat());
    assert_same_files("day", &of_layer(&plain, "day"), &of_layer(&lines, "day"));
    let (without, with) = (of_layer(&plain, "height"), of_layer(&lines, "height"));
    assert!(without.keys().eq(with.keys()) && without != with);

    // A map with lines is drawn again without them.
    render(&place.world(), &lines.root, &asked).expect(0, "without lines");
    assert_same_files("height", &without, &of_layer(&lines, "height"));
}

#[test]
fn empty_land_in_the_end_shows_no_haze() {
    for generation in [
        Generation::Root(3955),
        Generation::Numeric(1343),
        Generation::Spanning(1631),
    ] {
        let end = Biome::new("minecraft:the_end", 9);
        let chunks: Vec<_> = (0..4)
            .map(|x| {
                // An island that ends inside its chunk, and void. Some sections of air are stored,
                // and some are not.
                let mut chunk = ChunkSpec::new(x, 3, generation);
                chunk.all_sections = x == 2;
                (0..256).for_each(|column| chunk.set_biome(column % 16, column / 16, end));

                for (dx, dz) in
                    (0..16 * usize::from(x == 0)).flat_map(|dz| (0..8).map(move |dx| (dx, dz)))
                {
                    chunk.set(dx, 60, dz, block::STONE);
                }

                chunk
            })
            .collect();

        let mut files = land::of_chunks(&[fixture::landscape(0, 0, generation)], generation);
        land::put_chunks(&mut files, "DIM1/region", &chunks);
        let place = Place::of(&files);
        let layers = Layer::ALL.into_iter().filter(|layer| !layer.needs_seed());
        let map = place.draw(
            "map",
            &options(&layers.clone().map(Layer::name).collect::<Vec<_>>()),
        );

        for layer in layers
            .filter(|layer| layer.number_of_zero().is_none())
            .map(Layer::name)
        {
            let end = map.columns_of("the_end", layer);
            if layer == "terrain" {
                // The pixel is opaque, and its blue is odd where nothing is drawn.
                let is_there = |x| end.at(x, 48)[2].is_multiple_of(2);
                assert!(
                    end.drawn() == 512 * 512 && is_there(7) && !is_there(8),
                    "{generation:?}"
                );
                continue;
            }

            assert_eq!(end.drawn(), 8 * 16, "{layer}, {generation:?}");
            assert!(
                end.at(7, 48) != CLEAR && end.at(8, 48) == CLEAR,
                "{layer}, {generation:?}"
            );
        }
    }
}

#[test]
fn layer_warnings_appear_whenever_it_is_drawn() {
    let chunk = {
        let mut chunk = ChunkSpec::new(5, 5, Generation::Root(3955));
        chunk.layer(60, 62, block::STONE);
        chunk
    };

    let place = Place::of(&land::of_chunks(&[chunk], Generation::Root(3955)));
    let warned = |map: &str, layers: &[&str]| {
        let report = render(&place.world(), &place.at(map), &options(layers))
            .expect(0, "layers")
            .report();
        let warnings = report["warnings"].as_array().unwrap();
        warnings.iter().any(|warning| {
            warning
                .as_str()
                .unwrap()
                .starts_with("a chunk that stores no light")
        })
    };

    assert_eq!(
        [
            &["day", "night"][..],
            &["day"],
            &["night"],
            &["day", "night"]
        ]
        .map(|layers| warned("a", layers)),
        [true, false, true, true]
    );

    assert_eq!(
        [&["day"][..], &["night"], &["day", "night"]].map(|layers| warned("b", layers)),
        [false, true, true]
    );

    // A run without layer night does not look for light, even if it draws everything again.
    let forced = [&options(&["day"])[..], &["-f"]].concat();
    render(&place.world(), &place.at("b"), &forced).expect(0, "forced");
    assert!(warned("b", &["day", "night"]));
}
