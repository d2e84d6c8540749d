//! Tests the areas that each script makes of its example.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::scripts::{
    Converted, PLAYER, SCRIPTS, convert, copy_of_example, example, folder, set, summaries,
    summaries_of, summary,
};
use crate::map::Place;
use crate::world::Files;

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
fn every_claim_gets_the_icon_of_the_option() {
    let options = ["--icon", "tower"];
    let Some(Converted { features, .. }) = convert("towny", &example("towny/data"), &options)
    else {
        return;
    };
    assert_eq!(features[0]["properties"]["icon"], "tower");
}

#[test]
fn lands_have_their_colour_and_nation() {
    let Some(Converted { features, .. }) = convert("lands", &example("lands"), &[]) else {
        return;
    };

    let wanted = [
        r#""Halewick" in "overworld": [[96,64],[128,64],[128,96],[112,96],[112,80],[96,80],[96,64]]"#,
        r#""Halewick" in "the_nether": [[-32,96],[-16,96],[-16,112],[-32,112],[-32,96]]"#,
    ];
    assert_eq!(
        features.iter().map(summary).collect::<BTreeSet<_>>(),
        set(&wanted)
    );

    let properties = &features[0]["properties"];
    assert_eq!(
        [&properties["color"], &properties["description"]],
        ["#FF5555", "Nation: Riverland"]
    );
}

#[test]
fn claims_of_get_off_my_lawn_become_areas() {
    let Some(claims) = summaries("goml") else {
        return;
    };
    let wanted = [
        r#""Claim" in "overworld": [[90,-50],[111,-50],[111,-29],[90,-29],[90,-50]]"#,
        r#""Admin claim" in "overworld": [[120,-50],[140,-50],[140,-30],[120,-30],[120,-50]]"#,
        r#""Claim" in "the_nether": [[-25,145],[-14,145],[-14,156],[-25,156],[-25,145]]"#,
    ];
    assert_eq!(claims, set(&wanted));
}

#[test]
fn folders_of_a_world_name_the_dimension() {
    let place = Place::empty();
    let stored = std::fs::read(example("goml/DIM-1/data/cardinal_world_components.dat")).unwrap();
    let folders = [
        ("data/cardinal_world_components.dat", "overworld"),
        ("DIM1/data/cardinal_world_components.dat", "the_end"),
        (
            "dimensions/my/sky/data/cardinal_world_components.dat",
            "my:sky",
        ),
        (
            "dimensions/minecraft/the_nether/data/cardinal-components/world.dat",
            "the_nether",
        ),
    ];

    for (at, (path, dimension)) in folders.into_iter().enumerate() {
        let world = place.at(&format!("world-{at}"));
        let mut files = Files::new();
        files.put(path, stored.clone());
        files.write_under(&world);

        let Some(Converted { features, .. }) = convert("goml", &world, &[]) else {
            return;
        };
        let [claim] = &*features else {
            panic!("{path}: {features:?}")
        };
        assert_eq!(claim["properties"]["dimension"], dimension, "{path}");
    }
}

#[test]
fn islands_of_bentobox_show_their_protected_part() {
    let Some(islands) = summaries("bentobox") else {
        return;
    };
    let wanted = [
        r#""Cloud Farm" in "overworld": [[135,-25],[165,-25],[165,5],[135,5],[135,-25]]"#,
        r#""Claim" in "overworld": [[165,100],[185,100],[185,120],[165,120],[165,100]]"#,
        r#""Spawn" in "overworld": [[70,160],[130,160],[130,220],[70,220],[70,160]]"#,
    ];
    assert_eq!(islands, set(&wanted));
}

#[test]
fn land_of_factions_becomes_areas() {
    let Some(land) = summaries("factions") else {
        return;
    };
    let wanted = [
        r#""Millers" in "overworld": [[160,0],[192,0],[192,32],[176,32],[176,16],[160,16],[160,0]]"#,
        r#""Millers" in "the_nether": [[16,-32],[32,-32],[32,-16],[16,-16],[16,-32]]"#,
        r#""SafeZone" in "overworld": [[-48,160],[-32,160],[-32,176],[-48,176],[-48,160]]"#,
        r#""War zone" in "overworld": [[-48,176],[-32,176],[-32,192],[-48,192],[-48,176]]"#,
    ];
    assert_eq!(land, set(&wanted));
}

#[test]
fn land_of_massivecore_factions_becomes_areas() {
    let mstore = example("factions/mstore");
    let Some(land) = summaries_of("factions", &mstore) else {
        return;
    };
    let wanted = [
        r#""Millers" in "overworld": [[160,0],[192,0],[192,16],[160,16],[160,0]]"#,
        r#""Safe zone" in "overworld": [[-48,160],[-32,160],[-32,176],[-48,176],[-48,160]]"#,
    ];
    assert_eq!(land, set(&wanted));

    let names = example("usercache.json");
    let options = ["--owners", "--names", names.to_str().unwrap()];
    let named = convert("factions", &mstore, &options).unwrap();
    assert!(Value::from(named.features).to_string().contains(PLAYER));
}

#[test]
fn regions_of_yawp_become_areas() {
    let Some(new) = summaries("yawp") else { return };
    let old = summaries_of("yawp", &example("yawp/old")).unwrap();

    let market = r#""market" in "overworld": [[150,0],[170,0],[170,10],[150,10],[150,0]]"#;
    let hub = r#""hub" in "the_nether": [[-16,0],[16,0],[16,32],[-16,32],[-16,0]]"#;
    assert!(new.contains(market) && new.contains(hub), "{new:?}");
    assert_eq!((old.len(), old.difference(&new).count()), (2, 0), "{old:?}");

    let tower = new.iter().find(|region| region.contains("tower")).unwrap();
    assert!(
        tower.contains("[109.0,100.5]") && tower.contains("[100.5,92.0]"),
        "a circle around the middle of a block: {tower}"
    );
}

#[test]
fn older_files_next_to_newer_are_ignored() {
    let place = Place::empty();
    let world = copy_of_example(&place, "yawp");
    Files::read_under(&example("yawp/old")).write_under(&world);

    let Some(both) = convert("yawp", &world, &[]) else {
        return;
    };
    let new = convert("yawp", &example("yawp/world"), &[]).unwrap();
    assert_eq!(both.features, new.features);
}

#[test]
fn claims_of_huskclaims_become_areas() {
    let Some(claims) = summaries("huskclaims") else {
        return;
    };
    let wanted = [
        r#""Claim" in "overworld": [[-40,100],[-20,100],[-20,120],[-40,120],[-40,100]]"#,
        r#""Admin claim" in "overworld": [[0,120],[16,120],[16,136],[0,136],[0,120]]"#,
        r#""Claim" in "the_nether": [[60,60],[70,60],[70,80],[60,80],[60,60]]"#,
    ];
    assert_eq!(claims, set(&wanted));
}

#[test]
fn the_page_of_claims_lists_every_script() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(repository.join("docs/claims.md")).unwrap();

    let mut scripts = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_none() {
            scripts.insert(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }

    assert_eq!(scripts, set(&SCRIPTS.map(|(script, _)| script)));
    for script in scripts {
        assert!(
            page.contains(&format!("`contrib/claims/{script} ")),
            "{script}"
        );
    }
}
