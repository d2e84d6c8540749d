//! Tests that claims show neither players nor hidden areas.

use serde_json::Value;

use super::scripts::{PLAYER, SCRIPTS, convert, example};
use crate::map::Place;
use crate::world::Files;

#[test]
fn players_are_named_only_on_request() {
    let names = example("usercache.json");
    for (script, path) in SCRIPTS {
        let Some(without) = convert(
            script,
            &example(path),
            &["--names", names.to_str().unwrap()],
        ) else {
            return;
        };

        let with = convert(
            script,
            &example(path),
            &["--names", names.to_str().unwrap(), "--owners"],
        )
        .unwrap();

        let [without, with] =
            [without, with].map(|converted| Value::from(converted.features).to_string());
        assert!(
            !without.contains(PLAYER) && with.contains(PLAYER),
            "{script}: {without} {with}"
        );
    }
}

#[test]
fn claims_in_hidden_areas_are_left_out() {
    let place = Place::empty();
    let area = place.at("hidden.geojson");
    let ring = "[[[-65,-65],[200,-65],[200,200],[-65,-65]]]";
    let geometry = format!(r#"{{"type":"Polygon","coordinates":{ring}}}"#);
    let hidden = format!(
        r#"{{"type":"FeatureCollection","features":[{{"type":"Feature","geometry":{geometry}}}]}}"#
    );
    std::fs::write(&area, hidden).unwrap();

    for (script, path) in SCRIPTS {
        for option in ["-65,200,200,-65", area.to_str().unwrap()] {
            let Some(converted) = convert(script, &example(path), &["--hide", option]) else {
                return;
            };
            assert_eq!(
                (converted.code, converted.features.len()),
                (Some(0), 0),
                "{script}, {option}"
            );
        }

        let elsewhere =
            convert(script, &example(path), &["--hide", "5000,5000,6000,6000"]).unwrap();
        assert!(!elsewhere.features.is_empty(), "{script}");
    }
}

#[test]
fn names_of_regions_show_no_player_by_uuid() {
    let uuid = "6f1c4d3e-0d7a-4a6b-9c2f-3b9a0c1d2e3f";
    let place = Place::empty();
    let regions = place.at("worlds");
    Files::read_under(&example("worldguard/worlds")).write_under(&regions);
    let file = regions.join("world/regions.yml");
    let text = std::fs::read_to_string(&file).unwrap();
    let named = text.replace("    spawn:", &format!("    plot-{uuid}:"));
    std::fs::write(&file, named).unwrap();

    for (options, is_named) in [(&["-o", "-"][..], false), (&["--owners"], true)] {
        let Some(converted) = convert("worldguard", &regions, options) else {
            return;
        };
        let text = Value::from(converted.features).to_string();
        assert!(text.contains("plot-"), "{text}");
        assert_eq!(text.contains(uuid), is_named, "{text}");
    }
}

#[test]
fn a_hidden_area_may_be_any_geojson() {
    let place = Place::empty();
    let area = place.at("hidden.geojson");
    let polygon = r#"{"type":"Polygon","coordinates":[[[-65,-65],[200,-65],[200,200],[-65,-65]]]}"#;
    let feature = format!(r#"{{"type":"Feature","geometry":{polygon},"properties":null}}"#);
    let parts = format!(r#"{{"type":"GeometryCollection","geometries":[{polygon}]}}"#);

    for hidden in [polygon, &feature, &parts] {
        std::fs::write(&area, format!("\u{feff}{hidden}")).unwrap();
        let options = ["--hide", area.to_str().unwrap()];
        let Some(converted) = convert("worldguard", &example("worldguard/worlds"), &options) else {
            return;
        };
        assert_eq!(converted.features.len(), 0, "{hidden}");
    }
}
