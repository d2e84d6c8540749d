//! Tests that variables of the environment set options.
#![allow(
    clippy::disallowed_methods,
    reason = "the file is no output of the program"
)]

use std::fs;

use crate::map::{Place, fixture, program};
use crate::world::Files;

/// Runs the program in a place with these words and variables. Returns its code and its messages.
fn run(place: &Place, words: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let ran = program()
        .args(words)
        .envs(variables.iter().copied())
        .current_dir(place.at(""))
        .output()
        .unwrap();
    let [out, err] = [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap());
    (ran.status.code(), out, err)
}

#[test]
fn variables_are_between_the_words_and_the_file() {
    let place = Place::of(&Files::read_under(&fixture("array-blocks")));
    fs::write(place.at("map.toml"), "title = 'file'\nlayer = 'night'\n").unwrap();

    let variables = [
        ("PIXELMAP_CONFIG", "map.toml"),
        ("PIXELMAP_LAYER", "biome,height"),
        ("PIXELMAP_OUTPUT", "by-variable"),
        ("PIXELMAP_LAYERS", "day"),
        ("PIXELMAP_WORLD", "world"),
    ];
    let (_, shown, _) = run(&place, &["config", "show"], &variables);
    for line in [
        "world = \"world\"  # PIXELMAP_WORLD",
        "layer = [\"biome\", \"height\"]  # PIXELMAP_LAYER",
        "title = \"file\"  # map.toml, line 1",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&shown).contains(&words(line)), "{line}: {shown}");
    }

    let (_, _, messages) = run(&place, &["render", "-l", "day"], &variables);
    assert!(
        messages.starts_with("warning: PIXELMAP_LAYERS sets nothing"),
        "{messages}"
    );
    let drawn = place.at("by-variable/overworld");
    assert!(drawn.join("day").is_dir() && !drawn.join("biome").exists());

    let (code, _, message) = run(&place, &["render"], &[("PIXELMAP_THREADS", "x")]);
    assert_eq!(code, Some(2));
    assert!(
        message.contains("PIXELMAP_THREADS: invalid value 'x'"),
        "{message}"
    );
}
