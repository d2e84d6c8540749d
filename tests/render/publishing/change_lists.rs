//! Tests change lists: the differences between the map as last listed and the current map.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;

use crate::map::{Map, Place, Ran, render};
use crate::publishing::bookkeeping::{apply, edit, grass};
use crate::world::Files;

fn with_lists(place: &Place, options: &[&str], code: i32) -> Ran {
    let [changed, deleted] =
        ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let lists = ["--changed-list", &changed, "--deleted-list", &deleted];
    render(
        &place.world(),
        &place.at("map"),
        &[&lists[..], options].concat(),
    )
    .expect(code, &format!("{options:?}"))
}

/// The lengths of the lists.
fn lengths(place: &Place) -> [u64; 2] {
    ["changed", "deleted"].map(|name| fs::metadata(place.at(name)).unwrap().len())
}

#[test]
fn unlisted_changes_are_on_the_next_lists() {
    let place = grass();
    with_lists(&place, &[], 0);
    let map = Map::at(&place.at("map"));
    Files(map.files()).write_under(&place.at("copy"));
    edit(&place);

    // Each of these runs changes the map without writing lists.
    for options in [
        &[][..],
        &["--max-y", "62"],
        &["-l", "night"],
        &["-a", "-400,0,900,512", "--max-removed", "100%"],
    ] {
        render(&place.world(), &map.root, options).expect(0, &format!("{options:?}"));
    }

    with_lists(&place, &["-l", "height"], 0);
    apply(&place, "copy", &map);
    with_lists(&place, &["-l", "height"], 0);
    assert_eq!(lengths(&place), [0, 0], "all of it is listed");
}

#[test]
fn maps_of_a_file_have_lists_together() {
    let place = grass();
    let config = place.at("maps.toml");
    fs::write(
        &config,
        "[[map]]\nlayer = \"day\"\n[[map]]\nlayer = \"height\"\n",
    )
    .unwrap();

    let options = ["-c", config.to_str().unwrap()];
    for options in [&options[..], &["-c", config.to_str().unwrap(), "--staged"]] {
        fs::create_dir(place.at("copy")).unwrap();
        with_lists(&place, options, 0);
        let map = Map::at(&place.at("map"));
        apply(&place, "copy", &map);
        with_lists(&place, options, 0);
        assert_eq!(lengths(&place), [0, 0], "{options:?}");

        for name in ["map", "copy"] {
            fs::remove_dir_all(place.at(name)).unwrap();
        }
    }
}

#[test]
fn the_first_lists_start_from_the_map() {
    let place = grass();
    let map = place.draw("map", &[]);
    Files(map.files()).write_under(&place.at("copy"));
    with_lists(&place, &[], 0);
    assert_eq!(lengths(&place), [0, 0]);
    fs::remove_file(map.root.join(".pixelmap/listed.tsv")).unwrap();
    edit(&place);
    with_lists(&place, &[], 0);
    apply(&place, "copy", &map);
}

#[test]
fn the_next_run_adds_the_unwritten_change_lists() {
    let place = grass();
    let map = place.draw("map", &[]);
    Files(map.files()).write_under(&place.at("copy"));
    edit(&place);

    let nowhere = place.at("nowhere/changed");
    let ran = render(
        &place.world(),
        &map.root,
        &["--changed-list", nowhere.to_str().unwrap()],
    )
    .expect(1, "nowhere");
    assert!(ran.err.contains("nowhere"), "{}", ran.err);

    with_lists(&place, &[], 0);
    apply(&place, "copy", &map);
}
