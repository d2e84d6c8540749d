//! Tests worlds without chunks, and folders that cannot be listed.

use serde_json::{Value, json};

use crate::map::{Map, Place, fixture, on, render};
use crate::world::{ChunkSpec, Files, Generation, RegionSpec, fixture as made};

#[test]
fn a_world_without_chunks_is_empty() {
    let place = Place::empty();
    let ran = render(&fixture("layout-empty"), &place.at("map"), &[]).expect(0, "layout-empty");
    let report = ran.report();
    assert_eq!(
        (&report["outcome"], &report["error"]),
        (&json!("empty"), &Value::Null)
    );
    assert!(Map::at(&place.at("map")).tiles("overworld").is_empty());

    let mut unborn = RegionSpec::new(0, 0);
    unborn.put(&ChunkSpec::new(0, 0, Generation::Root(3955)));
    let mut files = Files::new();
    files.put_region("region", &unborn);

    let place = Place::of(&files);
    assert_eq!(
        render(&place.world(), &place.at("map"), &[])
            .expect(0, "air alone")
            .report()["outcome"],
        "empty"
    );
}

#[cfg(unix)]
#[test]
fn an_unlistable_dimension_keeps_its_map() {
    let land = |x| {
        let mut region = RegionSpec::new(0, 0);
        region.put(&made::landscape(x, 0, Generation::Root(3955)));
        region
    };

    let mut files = Files::new();
    files.put_region("region", &land(0));
    files.put_region("DIM-1/region", &land(1));
    let place = Place::of(&files);
    render(&place.world(), &place.at("map"), &[]).expect(0, "both");
    let nether = || Files::read_under(&place.at("map").join("the_nether")).0;
    let before = nether();
    assert!(!before.is_empty());

    // Even root cannot follow a link to such a long name.
    let folder = place.world().join("DIM-1/region");
    std::fs::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("n".repeat(1000), &folder).unwrap();

    let report = render(&place.world(), &place.at("map"), &["-f"])
        .expect(3, "all")
        .report();
    let bad = &report["bad_chunks"][0];
    assert_eq!(
        (&bad["dimension"], &bad["region"], &bad["chunk"]),
        (&json!("the_nether"), &json!("region"), &Value::Null)
    );

    assert_eq!(
        (&bad["reason"], &report["regions"]["failed"]),
        (&json!("unreadable"), &json!(1))
    );

    assert_eq!(
        (&report["outcome"], &report["chunks"]["drawn"]),
        (&json!("gaps"), &json!(1))
    );
    assert!(
        nether() == before,
        "what could not be looked at was taken for gone"
    );

    let dry = on(
        "render",
        &place.world(),
        &[
            "--dry-run",
            "--json",
            "-o",
            place.at("map").to_str().unwrap(),
        ],
    );

    assert!(
        dry.out
            .contains("the region files of the_nether cannot be listed"),
        "{}",
        dry.out
    );

    render(&place.world(), &place.at("map"), &["-d", "overworld"]).expect(0, "only the overworld");
    let refused = render(&place.world(), &place.at("map"), &["-d", "nether"]);
    assert_eq!(
        (refused.code, refused.err.lines().count()),
        (1, 1),
        "{}",
        refused.err
    );

    assert!(
        refused
            .err
            .contains("the region files of the_nether cannot be listed"),
        "{}",
        refused.err
    );
}

#[cfg(unix)]
#[test]
fn an_unreadable_dimensions_folder_ends_the_run() {
    let mut region = RegionSpec::new(0, 0);
    region.put(&made::landscape(0, 0, Generation::Root(3955)));
    let files = Files::of_regions([region]);
    let place = Place::of(&files);
    render(&place.world(), &place.at("map"), &[]).expect(0, "nothing beside it");

    // Even root cannot follow a link to such a long name.
    std::os::unix::fs::symlink("n".repeat(1000), place.world().join("dimensions")).unwrap();
    let refused = render(&place.world(), &place.at("map"), &[]);
    assert_eq!(
        (refused.code, refused.err.lines().count()),
        (1, 1),
        "{}",
        refused.err
    );

    assert!(
        refused.err.contains("cannot read") && refused.err.contains("dimensions"),
        "{}",
        refused.err
    );

    for command in ["info", "query"] {
        assert_eq!(
            on(command, &place.world(), &[] as &[&str]).code,
            1,
            "{command}"
        );
    }
}
