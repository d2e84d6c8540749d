//! Tests exports for programs that read maps of squaremap.

use std::collections::BTreeSet;
use std::fs;

use crate::map::jar::png;
use crate::map::{Map, NATIVE, Place, Ran, has_ending, land, on};
use crate::world::Files;
use serde_json::{Value, json};

fn export(place: &Place, options: &[&str], code: i32) -> Ran {
    let out = place.at("web");
    let all = [
        &["-o", out.to_str().unwrap(), "--for", "squaremap"],
        options,
    ]
    .concat();
    on("export", &place.at("map"), &all).expect(code, &format!("{options:?}"))
}

fn read(place: &Place, path: &str) -> Value {
    serde_json::from_slice(&fs::read(place.at("web").join(path)).unwrap()).unwrap()
}

/// The outermost zoom level of a dimension.
fn min_zoom(map: &Map, id: &str) -> u8 {
    let facts = map.facts();
    let dimension = facts["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|dimension| dimension["id"] == id)
        .unwrap();
    dimension["layers"][0]["min_zoom"].as_u64().unwrap() as u8
}

/// Fails unless the folder has exactly the tiles of the map.
fn assert_tiles(place: &Place, map: &Map) {
    let mut expected = BTreeSet::new();
    for id in ["overworld", "the_nether"] {
        for ((zoom, x, y), path) in map.tiles(id) {
            let name = format!(
                "tiles/minecraft_{id}/{}/{x}_{y}.png",
                zoom - min_zoom(map, id)
            );
            assert!(
                fs::read(place.at("web").join(&name)).unwrap() == fs::read(path).unwrap(),
                "{name}"
            );
            expected.insert(name);
        }

        let levels = NATIVE - min_zoom(map, id);
        assert_eq!(
            read(place, &format!("tiles/minecraft_{id}/settings.json"))["zoom"]["max"],
            levels
        );
    }

    let files = Files::read_under(&place.at("web")).0.into_keys();
    let tiles: BTreeSet<String> = files
        .filter(|name| name.starts_with("tiles/") && has_ending(name, "png"))
        .collect();
    assert_eq!(tiles, expected);
}

#[test]
fn squaremap_tiles_follow_the_map() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    export(&place, &[], 0);
    assert_tiles(&place, &map);
    let settings = read(&place, "tiles/settings.json");
    let names: Vec<&Value> = settings["worlds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|world| &world["name"])
        .collect();
    assert_eq!(names, ["minecraft_overworld", "minecraft_the_nether"]);
    assert_eq!(settings["worlds"][1]["type"], "nether");
    assert_eq!(read(&place, "tiles/players.json")["players"], json!([]));
    let again = export(&place, &[], 0);
    assert!(again.err.starts_with("0 files written, "), "{}", again.err);

    // A region is removed, so that the map has fewer zoom levels in one dimension.
    fs::remove_file(place.world().join("DIM-1/region/r.0.0.mca")).unwrap();
    let map = place.draw("map", &["--max-removed", "100%"]);
    export(&place, &[], 0);
    assert_tiles(&place, &map);
}

#[test]
fn markers_are_layers_with_icons() {
    let place = Place::of(&land::two_dimensions());
    let feature = |kind: &str, coordinates: Value, properties: Value| json!({"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties});

    let ring = json!([[0, 0], [10, 0], [10, 10], [0, 0]]);
    let own = json!({"type": "FeatureCollection", "features": [
        feature("Point", json!([10, -20]), json!({"name": "<Shop>", "color": "#0f8", "description": "a & b"})),
        feature("LineString", json!([[0, 0], [5.9, -5.1]]), json!({"name": "road", "stroke-width": 5})),
        feature("Polygon", json!([ring]), json!({"name": "town", "fill": "#102030", "fill-opacity": 0.5})),
        feature("Point", json!([1, 2]), json!({"name": "hub", "dimension": "the_nether"})),
    ]});
    fs::write(place.at("own.geojson"), own.to_string()).unwrap();

    place.draw(
        "map",
        &["--markers", place.at("own.geojson").to_str().unwrap()],
    );

    let ran = export(&place, &[], 0);
    assert!(ran.err.contains("markers\n"), "{}", ran.err);

    let layers = read(&place, "tiles/minecraft_overworld/markers.json");
    let places = layers
        .as_array()
        .unwrap()
        .iter()
        .find(|layer| layer["id"] == "pixelmap-places")
        .unwrap();

    let [shop, road, town] = places["markers"].as_array().unwrap().as_slice() else {
        panic!("{places}")
    };

    assert_eq!(
        (&shop["type"], &shop["point"]),
        (&json!("icon"), &json!({"x": 10, "z": -20}))
    );
    assert_eq!(
        (&shop["tooltip"], &shop["popup"]),
        (&json!("&lt;Shop&gt;"), &json!("&lt;Shop&gt;<br>a &amp; b"))
    );

    assert_eq!(
        (&road["type"], &road["weight"]),
        (&json!("polyline"), &json!(5.0))
    );

    assert_eq!(road["points"], json!([{"x": 0, "z": 0}, {"x": 5, "z": -6}]));
    assert_eq!(
        (&town["type"], &town["fillColor"], &town["fillOpacity"]),
        (&json!("polygon"), &json!("#102030"), &json!(0.5))
    );
    assert_eq!(town["points"][0][0][1], json!({"x": 10, "z": 0}));

    let icon = place
        .at("web/images/icon/registered")
        .join(format!("{}.png", shop["icon"].as_str().unwrap()));

    let icon = image::open(icon).unwrap().into_rgba8();
    assert_eq!(
        (
            icon.dimensions(),
            icon.get_pixel(8, 8).0,
            icon.get_pixel(0, 0).0
        ),
        ((16, 16), [0, 255, 136, 255], [0; 4])
    );

    assert!(
        read(&place, "tiles/minecraft_the_nether/markers.json")
            .to_string()
            .contains("hub")
    );
}

#[test]
fn points_have_the_icons_of_the_map() {
    let place = Place::of(&land::two_dimensions());
    let shop = |icon: &str| json!({"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"name": "Shop", "icon": icon}});
    let own = json!({"type": "FeatureCollection", "features": [shop("mill"), shop("star")]});
    fs::write(place.at("own.geojson"), own.to_string()).unwrap();
    fs::create_dir_all(place.at("icons")).unwrap();
    fs::write(place.at("icons/mill.png"), png(8, |_, _| [1, 2, 3, 255])).unwrap();

    let [markers, icons] = ["own.geojson", "icons"].map(|name| place.at(name));
    let paths = [&markers, &icons].map(|path| path.to_str().unwrap());
    place.draw("map", &["--markers", paths[0], "--icons", paths[1]]);
    export(&place, &[], 0);

    let layers = read(&place, "tiles/minecraft_overworld/markers.json");
    let layers = layers.as_array().unwrap();
    let places = layers.iter().find(|layer| layer["id"] == "pixelmap-places");
    let markers = &places.unwrap()["markers"];
    assert_eq!(markers[0]["icon"], "pixelmap-icon-mill");
    assert_ne!(
        markers[1]["icon"], "pixelmap-icon-star",
        "the page alone has symbols"
    );

    let icon = place.at("web/images/icon/registered/pixelmap-icon-mill.png");
    let icon = image::open(icon).unwrap().into_rgba8();
    assert_eq!(
        (icon.dimensions(), icon.get_pixel(0, 0).0),
        ((8, 8), [1, 2, 3, 255])
    );
}

#[test]
fn a_folder_of_something_else_is_refused() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &["-l", "day", "-l", "night"]);
    fs::create_dir_all(place.at("web/tiles")).unwrap();
    fs::write(place.at("web/tiles/settings.json"), r#"{"worlds": []}"#).unwrap();

    let before = Files::read_under(&place.at("web")).0;
    assert!(
        export(&place, &[], 1)
            .err
            .contains("pixelmap did not make it")
    );
    assert_eq!(Files::read_under(&place.at("web")).0, before);
    export(&place, &["--merge"], 2);
    export(&place, &["-l", "day", "-l", "night"], 2);
}
