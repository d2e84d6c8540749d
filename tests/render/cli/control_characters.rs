//! Tests that control characters in the names of a world never reach a terminal, neither in text
//! nor in JSON. JSON escapes them, so that programs read the original name.

use std::fs;

use serde_json::{Value, json};

use crate::map::{Place, Ran, on, program, render, run};
use crate::world::block::Block;
use crate::world::level_dat::LevelDat;
use crate::world::{Biome, ChunkSpec, Files, Generation, RegionSpec};

/// Control characters of one and two bytes, characters that change the order of letters, and a
/// harmless letter beyond ASCII.
const OBEYED: &str =
    "a\u{1b}[2J\u{7f}\u{85}\u{9b}2J\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{e9}";
/// Characters that are invisible in words but do not harm a program.
const UNSEEN: &str = "\u{ad}\u{200b}\u{feff}";

fn is_obeyed(c: char) -> bool {
    c != 'a' && c != '\u{e9}' && !c.is_ascii_graphic() && OBEYED.contains(c)
}

fn name(of: &str) -> String {
    format!("{of}:{OBEYED}{UNSEEN}")
}

fn world_with_control_characters() -> Place {
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(60, 64, Block::made(name("block")));
    chunk.biomes = Some(vec![Biome::new(name("biome").leak(), 0); 256]);
    let mut region = RegionSpec::new(0, 0);
    region.put(&chunk);
    let mut files = Files::of_regions([region]);
    files.put(
        "level.dat",
        LevelDat::new(&name("world"), Some(3955)).bytes(),
    );
    Place::of(&files)
}

/// JSON contains no character that a terminal obeys.
fn told(what: &str, text: &str) -> Value {
    assert!(!text.contains(is_obeyed), "{what}: {text:?}");
    assert!(
        text.contains("\\u009b2J\\u061c\\u200e") && text.contains('\u{e9}'),
        "{what}: {text:?}"
    );
    serde_json::from_str(text).unwrap()
}

#[test]
fn json_escapes_terminal_controls_and_reads_back() {
    let place = world_with_control_characters();
    let ran =
        |command: &str, args: &[&str]| on(command, &place.world(), args).expect(0, command).out;
    let told_by = |command: &str, args: &[&str]| told(command, &ran(command, args));
    assert_eq!(
        told_by("query", &["0", "0", "--json"])["block"],
        json!(name("block"))
    );

    let info = told_by("info", &["--json"]);
    assert_eq!(info["name"], json!(name("world")));
    assert!(
        info["dimensions"][0]["unknown_blocks"]
            .get(name("block"))
            .is_some(),
        "{info}"
    );

    let out = place.at("map");
    let layers = ["-l", "day", "-l", "biome", "--log-format", "json"];
    let ran = render(&place.world(), &out, &layers).expect(0, "render");
    let report = told("the report", &ran.out);
    assert_eq!(report["world"]["name"], json!(name("world")));

    let events: Vec<Value> = ran
        .err
        .lines()
        .filter(|line| line.contains("unknown_"))
        .map(|line| told("log", line))
        .collect();

    assert_eq!(
        (&events[0]["name"], &events[1]["name"]),
        (&json!(name("block")), &json!(name("biome")))
    );
    assert!(!ran.err.contains(is_obeyed), "{:?}", ran.err);

    let facts = fs::read_to_string(out.join("map.json")).unwrap();
    assert_eq!(told("map.json", &facts)["name"], json!(name("world")));
    assert!(
        !fs::read_to_string(out.join("map.js"))
            .unwrap()
            .contains(is_obeyed)
    );
}

#[test]
fn text_output_holds_no_controls_or_invisible_characters() {
    let place = world_with_control_characters();
    let mut renders = program();
    renders
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(place.at("map"))
        .arg("-v");

    let words = [
        on("query", &place.world(), &["0", "0"]),
        on("info", &place.world(), &[] as &[&str]),
        Ran::of(renders.output().unwrap()),
    ];

    for Ran { code, out, err } in words {
        let words = out + &err;
        assert_eq!(code, 0, "{words:?}");
        assert!(
            words.contains("\\u{9b}2J\\u{61c}\\u{200e}") && words.contains("\\u{ad}\\u{200b}"),
            "{words:?}"
        );
        assert!(
            !words.contains(is_obeyed) && !words.contains(|c| UNSEEN.contains(c)),
            "{words:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn paths_of_the_command_line_may_hold_controls() {
    let place = world_with_control_characters();
    let world = place.copy("world", "a\tworld\n");
    let [map, copy, picture] = ["a\nmap", "a\ncopy", "a\u{1b}[2J.png"].map(|name| place.at(name));
    let list = place.at("a\tlist");
    let options = ["-q", "--changed-list", list.to_str().unwrap()];
    render(&world, &map, &options).expect(0, "render");
    assert!(map.join("index.html").is_file() && list.is_file());

    render(&world, &map, &["-q"]).expect(0, "render again");
    for args in [
        &["verify", map.to_str().unwrap()][..],
        &[
            "export",
            map.to_str().unwrap(),
            "-o",
            picture.to_str().unwrap(),
        ],
    ] {
        run(args).expect(0, args[0]);
    }

    let hidden = place.at("a\thidden.geojson");
    fs::write(&hidden, r#"{"type": "FeatureCollection", "features": []}"#).unwrap();
    let hide = ["-q", "--hide", hidden.to_str().unwrap()];
    let refused = render(&world, &copy, &hide).expect(2, "a file without polygons");
    assert!(refused.err.contains("hidden.geojson"), "{}", refused.err);
}
