//! Tests completions in the way that the script of a shell requests them.

use std::collections::BTreeSet;

use super::names::{call, machine};
use crate::map::{Place, Ran, fixture, render, run};

/// Returns the completions that bash offers for the last of these words.
fn offered(place: &Place, words: &[&str]) -> BTreeSet<String> {
    let mut command = call(place, "here", &["--", "pixelmap"]);
    command
        .args(words)
        .env("COMPLETE", "bash")
        .env("_CLAP_IFS", "\n")
        .env("_CLAP_COMPLETE_COMP_TYPE", "9");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());

    Ran::of(command.output().unwrap())
        .expect(0, &format!("{words:?}"))
        .out
        .lines()
        .map(str::to_owned)
        .collect()
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn worlds_dimensions_layers_and_moments_are_completed() {
    let place = machine();
    let map = place.at("here/map");
    let world = fixture("layout-old");

    let label = [
        "--history",
        "--label",
        "the flood",
        "--time",
        "2026-05-01",
        "-l",
        "day",
        "-l",
        "cave",
    ];
    render(&world, &map, &label).expect(0, "map");

    let world = world.to_str().unwrap();
    assert_eq!(offered(&place, &["render", "new"]), set(&["New\\ World"]));
    assert!(offered(&place, &["serve", ""]).is_superset(&set(&[
        "New\\ World",
        "Skyblock\\ \\$5",
        "Pocket",
        "map/"
    ])));
    assert_eq!(offered(&place, &["render", "ma"]), set(&["map/"]));

    let dimensions = offered(&place, &["render", world, "-d", ""]);
    assert!(
        dimensions.is_superset(&set(&["overworld", "the_nether", "the_end", "all"])),
        "{dimensions:?}"
    );

    assert_eq!(
        offered(&place, &["query", "\"New World\"", "-d", "o"]),
        set(&["overworld"])
    );
    assert_eq!(
        offered(&place, &["query", "New\\ World", "--dimension=o"]),
        set(&["--dimension=overworld"])
    );

    assert_eq!(offered(&place, &["info", "AbC=", "--js"]), set(&["--json"]));
    assert_eq!(
        offered(&place, &["render", "Pocket", "-d", "the_n"]),
        set(&["the_nether"])
    );
    assert_eq!(
        offered(&place, &["export", "map", "-l", ""]),
        set(&["day", "cave"])
    );

    assert_eq!(
        offered(&place, &["render", "map", "-l", "he"]),
        set(&["height", "height16"])
    );
    assert_eq!(
        offered(&place, &["export", "map", "-d", "the_n"]),
        set(&["the_nether"])
    );

    let moments = set(&["map@the\\ flood", "map@2026-05-01T00:00:00"]);
    assert_eq!(offered(&place, &["diff", "map@"]), moments);
    assert_eq!(
        offered(&place, &["serve", "map@the"]),
        set(&["map@the\\ flood"])
    );

    assert_eq!(
        offered(&place, &["export", "map", "--timelapse", "--from", "2026"]),
        set(&["2026-05-01T00:00:00"])
    );
    assert_eq!(offered(&place, &["serve", "nowhere@"]), set(&[]));
}

#[test]
fn every_shell_gets_a_completion_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]).expect(0, shell).out;
        assert!(
            script.contains("COMPLETE") && script.contains("pixelmap"),
            "{shell}: {script}"
        );

        if shell == "zsh" {
            assert!(
                script.contains("function _clap_dynamic_completer_pixelmap()"),
                "{script}"
            );
        }
    }
}
