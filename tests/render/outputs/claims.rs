//! Tests the scripts of `contrib/claims`, which turn the files of plugins and mods into markers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::map::{Place, land};
use crate::missing;
use crate::world::{ChunkSpec, Files, Generation, block};

/// The scripts with the example that each of them reads.
pub(super) const SCRIPTS: [(&str, &str); 5] = [
    ("worldguard", "worldguard/worlds"),
    ("griefprevention", "griefprevention"),
    ("ftb-chunks", "ftb/ftbchunks"),
    ("open-parties", "open-parties"),
    ("towny", "towny/data"),
];
const PLAYER: &str = "ada";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/claims")
}

/// The result of a script: its exit code, the features, and its messages.
struct Converted {
    code: Option<i32>,
    features: Vec<Value>,
    messages: String,
}

/// Runs a script. Returns `None` if there is no Python, and reports this on the terminal.
fn convert(script: &str, path: &Path, options: &[&str]) -> Option<Converted> {
    let mut command = Command::new("python3");
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(folder().join(script))
        .arg(path)
        .args(options);

    let Ok(output) = command.output() else {
        missing::report("python", "contrib/claims: there is no python3");
        return None;
    };

    let messages = String::from_utf8_lossy(&output.stderr).into_owned();

    let json = match options {
        ["-o", file] if *file != "-" => std::fs::read(file).unwrap_or_default(),
        _ => output.stdout,
    };

    let collection: Value =
        serde_json::from_slice(&json).unwrap_or_else(|error| panic!("{error}: {messages}"));
    let features = collection["features"].as_array().unwrap().clone();
    Some(Converted {
        code: output.status.code(),
        features,
        messages,
    })
}

fn example(path: &str) -> PathBuf {
    folder().join("examples").join(path)
}

/// The name, the dimension and the first ring of a feature.
fn summary(feature: &Value) -> String {
    let geometry = &feature["geometry"];
    let first = if geometry["type"] == "Polygon" {
        &geometry["coordinates"]
    } else {
        &geometry["coordinates"][0]
    };
    format!(
        "{} in {}: {}",
        feature["properties"]["name"], feature["properties"]["dimension"], first[0]
    )
}

fn summaries(script: &str) -> Option<BTreeSet<String>> {
    let (_, path) = SCRIPTS.iter().find(|(name, _)| *name == script).unwrap();
    let Converted {
        code,
        features,
        messages,
    } = convert(script, &example(path), &[])?;
    assert_eq!(code, Some(0), "{messages}");
    Some(features.iter().map(summary).collect())
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn regions_of_worldguard_become_areas() {
    let Some(regions) = summaries("worldguard") else {
        return;
    };
    let wanted = [
        r#""spawn" in "overworld": [[-24,-16],[24,-16],[24,16],[-24,16],[-24,-16]]"#,
        r#""mill-pond" in "overworld": [[60.5,20.5],[90.5,20.5],[75.5,50.5],[60.5,20.5]]"#,
        r#""hub" in "the_nether": [[0,0],[16,0],[16,32],[0,32],[0,0]]"#,
    ];
    assert_eq!(regions, set(&wanted));
}

#[test]
fn claims_of_griefprevention_become_areas() {
    let Some(claims) = summaries("griefprevention") else {
        return;
    };
    let wanted = [
        r#""Claim" in "overworld": [[-40,10],[-20,10],[-20,30],[-40,30],[-40,10]]"#,
        r#""Admin claim" in "the_nether": [[100,100],[132,100],[132,132],[100,132],[100,100]]"#,
    ];
    assert_eq!(claims, set(&wanted));
}

#[test]
fn claims_of_ftb_chunks_have_holes_and_teams() {
    let Some(Converted { features, .. }) = convert("ftb-chunks", &example("ftb/ftbchunks"), &[])
    else {
        return;
    };

    let wanted = [
        r#""Claim" in "overworld": [[-64,-64],[-48,-64],[-48,-48],[-64,-48],[-64,-64]]"#,
        r#""Mill \"& Sons\"" in "overworld": [[0,0],[48,0],[48,48],[0,48],[0,0]]"#,
        r#""Mill \"& Sons\"" in "the_nether": [[-16,80],[0,80],[0,96],[-16,96],[-16,80]]"#,
    ];
    assert_eq!(
        features.iter().map(summary).collect::<BTreeSet<_>>(),
        set(&wanted)
    );

    let mill = features
        .iter()
        .find(|feature| feature["geometry"]["type"] == "MultiPolygon")
        .unwrap();
    assert_eq!(
        mill["geometry"]["coordinates"][0][1].to_string(),
        "[[16,16],[16,32],[32,32],[32,16],[16,16]]"
    );
    assert_eq!(mill["properties"]["color"], "#59C6FF");
}

#[test]
fn claims_of_open_parties_become_areas() {
    let Some(claims) = summaries("open-parties") else {
        return;
    };
    let wanted = [
        r#""Server" in "overworld": [[-32,-32],[-16,-32],[-16,-16],[-32,-16],[-32,-32]]"#,
        r#""Claim" in "the_nether": [[0,0],[16,0],[16,16],[0,16],[0,0]]"#,
        r#""Claim" in "overworld": [[80,80],[112,80],[112,112],[96,112],[96,96],[80,96],[80,80]]"#,
    ];
    assert_eq!(claims, set(&wanted));
}

#[test]
fn towns_of_towny_have_their_colour_and_nation() {
    let Some(Converted { features, .. }) = convert("towny", &example("towny/data"), &[]) else {
        return;
    };
    let [town] = &*features else {
        panic!("{features:?}")
    };

    assert_eq!(
        town["geometry"]["type"], "MultiPolygon",
        "a part lies apart"
    );

    let properties = &town["properties"];
    assert_eq!(
        [&properties["name"], &properties["color"]],
        ["Old Mill", "#2F4F4F"]
    );
    assert_eq!(properties["description"], "Nation: Riverland");
}

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
fn a_damaged_file_of_claims_costs_only_itself() {
    let place = Place::empty();
    for (script, path) in SCRIPTS
        .into_iter()
        .filter(|(script, _)| *script != "worldguard")
    {
        let copy = place.at(script);
        Files::read_under(&example(path)).write_under(&copy);

        let files: Vec<PathBuf> = std::fs::read_dir(copy.join(if script == "towny" {
            "townblocks/world"
        } else {
            ""
        }))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();

        let bad = files[0].with_file_name(format!(
            "bad.{}",
            files[0].extension().unwrap().to_str().unwrap()
        ));
        std::fs::write(&bad, b"{ \n\x0a\x00\x00\x0b").unwrap();

        let Some(Converted {
            code,
            features,
            messages,
        }) = convert(script, &copy, &[])
        else {
            return;
        };

        let whole = convert(script, &example(path), &[]).unwrap();
        assert_eq!(
            (code, features.len()),
            (Some(3), whole.features.len()),
            "{script}: {messages}"
        );
        assert!(
            messages.contains("bad.") && !messages.contains("Traceback"),
            "{messages}"
        );
    }
}

#[test]
fn claims_outside_any_world_are_left_out() {
    let place = Place::empty();
    let far = "9".repeat(400);

    let claims = place.at("griefprevention");
    Files::read_under(&example("griefprevention")).write_under(&claims);
    let claim = format!(
        "Lesser Boundary Corner: world;{far};0;0\nGreater Boundary Corner: world;1;9;1\nOwner: ''\n"
    );
    std::fs::write(claims.join("far.yml"), claim).unwrap();

    let towns = place.at("towny");
    Files::read_under(&example("towny/data")).write_under(&towns);
    let blocks = towns.join("townblocks/world");
    std::fs::copy(
        blocks.join("1_1_16.data"),
        blocks.join("999999999999_1_16.data"),
    )
    .unwrap();

    let regions = place.at("worldguard");
    Files::read_under(&example("worldguard/worlds")).write_under(&regions);
    let file = regions.join("world/regions.yml");
    let text = std::fs::read_to_string(&file).unwrap();
    let region = "regions:\n    far:\n        type: cuboid\n        min: {x: 1.0e+99, y: 0, z: 0}\n        max: {x: 1, y: 9, z: 1}\n";
    std::fs::write(&file, text.replacen("regions:\n", region, 1)).unwrap();

    for (script, path) in SCRIPTS {
        let copy = place.at(script);
        if !copy.exists() {
            continue;
        }

        let Some(converted) = convert(script, &copy, &[]) else {
            return;
        };
        let whole = convert(script, &example(path), &[]).unwrap();
        assert_eq!(converted.code, Some(3), "{script}: {}", converted.messages);
        assert_eq!(
            converted
                .features
                .iter()
                .map(summary)
                .collect::<BTreeSet<_>>(),
            whole.features.iter().map(summary).collect::<BTreeSet<_>>(),
            "{script}"
        );
    }
}

#[test]
fn claims_that_inflate_without_end_are_left_out() {
    let place = Place::empty();
    let folder = place.at("player-claims");
    std::fs::create_dir_all(&folder).unwrap();
    let bomb = crate::world::payload::gzip(&vec![0; 20 << 20]);
    std::fs::write(folder.join("bomb.nbt"), bomb).unwrap();

    let Some(converted) = convert("open-parties", &folder, &[]) else {
        return;
    };
    assert_eq!((converted.code, converted.features.len()), (Some(3), 0));
    assert!(
        converted.messages.contains("inflates"),
        "{}",
        converted.messages
    );
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

/// A map with the claims of all examples as markers, or `None` if there is no Python.
pub(super) fn map_of_claims() -> Option<(Place, crate::map::Map)> {
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(60, 62, block::STONE);

    let place = Place::of(&land::of_chunks(&[chunk], Generation::Root(3955)));
    let mut options = vec!["--marker-kinds".to_owned(), "none".to_owned()];
    for (script, path) in SCRIPTS {
        let file = place.at(&format!("{script}.geojson"));
        convert(script, &example(path), &["-o", file.to_str().unwrap()])?;
        options.extend(["--markers".to_owned(), file.to_str().unwrap().to_owned()]);
    }

    let map = place.draw(
        "map",
        &options.iter().map(String::as_str).collect::<Vec<_>>(),
    );

    Some((place, map))
}
