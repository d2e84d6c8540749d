//! Tests refusals of invalid hiding, and the report of places that stay visible.

use std::fs;

use super::unchanged_world;
use crate::map::{Place, render};

#[test]
fn invalid_hiding_is_refused_before_drawing() {
    let place = Place::of(&unchanged_world());
    fs::write(
        place.at("line.geojson"),
        r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#,
    )
    .unwrap();

    let line = place.at("line.geojson");
    for (hide, says) in [
        ("nowhere.geojson", "nowhere.geojson"),
        (line.to_str().unwrap(), "draw it as a Polygon"),
    ] {
        let ran = render(&place.world(), &place.at("map"), &["--hide", hide]).expect(2, hide);
        assert!(ran.err.contains(says), "{hide}: {}", ran.err);
        assert!(!place.at("map").exists(), "{hide}");
    }
}

#[test]
fn places_that_stay_visible_are_reported() {
    let place = Place::of(&unchanged_world());
    place.draw("map", &["-l", "day", "-l", "height"]);

    let hide =
        |options: &[&str]| render(&place.world(), &place.at("map"), options).expect(0, "hide");
    let one = hide(&["--hide", "0,0,16,16"]);
    assert!(
        one.err
            .contains("draw overworld/height with the same options"),
        "{}",
        one.err
    );

    let both = hide(&["--hide", "0,0,16,16", "-l", "day", "-l", "height"]);
    assert!(!both.err.contains("warning"), "{}", both.err);

    let nothing = hide(&["--hide", "9000,9000,9016,9016", "-l", "day", "-l", "height"]);
    assert!(
        nothing.err.contains("--hide hides nothing"),
        "{}",
        nothing.err
    );
}
