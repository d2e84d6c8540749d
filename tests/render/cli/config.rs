//! Tests that a configuration file accepts exactly the options that can be typed.
#![allow(
    clippy::disallowed_methods,
    reason = "the file is no output of the program"
)]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::map::land::{self, Column};
use crate::map::{Map, Place, Ran, assert_same_files, program, render};
use crate::world::{Files, block};

/// Two regions of the overworld and one of the nether.
fn world_with_nether() -> Files {
    let ground = |x: i32, z: i32| Some(Column::of(60 + (x + z).rem_euclid(7), block::GRASS_BLOCK));
    let mut files = land::world([480, 0, 544, 64], (0, 0), land::BY_COLUMN, ground);
    for (path, bytes) in land::world([0, 0, 48, 48], (0, 0), land::BY_COLUMN, ground).0 {
        if let Some(region) = path.strip_prefix("region/") {
            files.put(&format!("DIM-1/region/{region}"), bytes);
        }
    }
    files
}

struct Configured(Place);

impl Configured {
    fn new() -> Self {
        Self(Place::of(&world_with_nether()))
    }

    fn file(&self, text: &str) -> PathBuf {
        let path = self.0.at("map.toml");
        fs::write(&path, text).unwrap();
        path
    }

    /// Draws with the options of a file and typed options.
    fn render(&self, out: &str, text: &str, typed: &[&str]) -> Ran {
        let file = self.file(text);
        render(
            &self.0.world(),
            &self.0.at(out),
            &[&["-c", file.to_str().unwrap()], typed].concat(),
        )
    }

    fn draw(&self, out: &str, text: &str, typed: &[&str]) -> Map {
        self.render(out, text, typed).expect(0, text);
        Map::at(&self.0.at(out))
    }

    /// Message about a file that cannot be used.
    fn refusal(&self, text: &str) -> String {
        let ran = self.render("refused", text, &[]).expect(2, text);
        assert!(!self.0.at("refused").exists(), "something was made: {text}");
        assert!(
            ran.err.contains("map.toml") && ran.err.lines().count() == 1,
            "{}",
            ran.err
        );
        ran.err
    }
}

#[test]
fn config_files_accept_everything_that_can_be_typed() {
    let place = Configured::new();
    let text = "layer = [\"day\", \"height\"]\ncontours = 5\narea = \"480,0,520,40\"\nunfinished = \
                true\nforce = false\n\
                dimension = \"overworld\"\nthreads = 1\n";
    let by_file = place.draw("file", text, &[]).files();

    let typed = [
        "-l",
        "day",
        "-l",
        "height",
        "--contours",
        "5",
        "-a",
        "480,0,520,40",
        "--unfinished",
        "-d",
        "overworld",
    ];

    assert_same_files("typed", &by_file, &place.0.draw("typed", &typed).files());
    assert!(by_file.contains_key("overworld/height/17/0/0.png"));
}

#[test]
fn typed_options_override_the_file() {
    let place = Configured::new();
    let text =
        "layer = \"height\"\narea = \"480,0,496,16\"\nverbose = true\ndimension = \"overworld\"\n";

    let map = place
        .draw(
            "typed",
            text,
            &["-l", "day", "--center", "512,32", "--radius", "16", "-q"],
        )
        .files();

    let plain = [
        "-l",
        "day",
        "--center",
        "512,32",
        "--radius",
        "16",
        "-d",
        "overworld",
    ];

    assert_same_files(
        "file and typed",
        &map,
        &place.0.draw("plain", &plain).files(),
    );
}

#[test]
fn hide_options_add_up() {
    let place = Configured::new();
    let text =
        "hide = \"480,0,496,16\"\n[[map]]\ndimension = \"overworld\"\nhide = [\"496,0,512,16\"]\n";
    let columns = place
        .draw("map", text, &["--hide", "512,0,528,16"])
        .columns();
    let drawn: Vec<usize> = (30..34).map(|x| columns.drawn_of_chunk(x, 0)).collect();
    assert_eq!(drawn, [0, 0, 0, 256], "each of the three is hidden");
}

#[test]
fn several_maps_share_one_output_and_report() {
    let place = Configured::new();
    let text = "threads = 2\nlayer = \"day\"\n[[map]]\ndimension = \"overworld\"\narea = \
                \"480,0,512,64\"\n\
                [[map]]\ndimension = \"nether\"\nlayer = [\"roof\", \"biome\"]\n";
    let ran = place.render("map", text, &[]).expect(0, text);
    let map = Map::at(&place.0.at("map"));
    let alone = |out: &str, options: &[&str]| place.0.draw(out, options).files();
    let overworld = alone("overworld", &["-d", "overworld", "-a", "480,0,512,64"]);
    let nether = alone("nether", &["-d", "nether", "-l", "roof", "-l", "biome"]);

    let of = |files: &std::collections::BTreeMap<String, Vec<u8>>| -> std::collections::BTreeMap<String, Vec<u8>> {
        files
            .iter()
            .filter(|(path, _)| path.contains("/1"))
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect()
    };

    let together = of(&overworld).into_iter().chain(of(&nether)).collect();
    assert_same_files("both", &of(&map.files()), &together);
    let shown: Vec<Value> = map.facts()["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].clone())
        .collect();
    assert_eq!(shown, ["overworld", "the_nether"]);

    let report = ran.report();
    assert_eq!(
        report["world"]["dimensions"],
        json!(["overworld", "the_nether"])
    );

    let each: Vec<&Value> = report["maps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|map| &map["chunks"]["drawn"])
        .collect();

    assert_eq!(each, [8, 9]);
    assert_eq!(report["chunks"]["drawn"], 17);
    assert_eq!(
        report["maps"][1]["options"]["layers"],
        json!(["roof", "biome"])
    );
}

/// Draws with a file alone: the command line names no world.
fn by_file_alone(place: &Configured, out: &str, text: &str, typed: &[&str]) -> Ran {
    let mut command = program();
    command
        .arg("render")
        .args(typed)
        .arg("-o")
        .arg(place.0.at(out))
        .arg("-c")
        .arg(place.file(text));
    Ran::of(command.output().unwrap())
}

#[test]
fn a_file_may_name_the_world() {
    let place = Configured::new();
    let world = place.0.world();
    let world = world.to_str().unwrap();
    let before = place.0.draw("typed", &["-d", "overworld"]).files();
    let top = format!("world = '{world}'\ndimension = \"overworld\"\n");
    by_file_alone(&place, "top", &top, &[]).expect(0, &top);
    assert_same_files("at the top", &before, &Map::at(&place.0.at("top")).files());

    let table = format!("[[map]]\nworld = '{world}'\ndimension = \"overworld\"\n");
    by_file_alone(&place, "table", &table, &[]).expect(0, &table);
    assert_same_files(
        "in a table",
        &before,
        &Map::at(&place.0.at("table")).files(),
    );

    let other = "world = \"nowhere\"\ndimension = \"overworld\"\n";
    by_file_alone(&place, "over", other, &[world]).expect(0, "what is typed counts more");
    assert_same_files("typed over", &before, &Map::at(&place.0.at("over")).files());

    let ran = by_file_alone(&place, "refused", "layer = \"day\"\n", &[]).expect(2, "no world");
    assert!(
        ran.err.contains("map.toml: the world is missing") && ran.err.lines().count() == 1,
        "{}",
        ran.err
    );

    let missing =
        by_file_alone(&place, "refused", "world = \"-x\"\n", &[]).expect(1, "no such world");
    assert!(
        missing.err.contains("there is no folder ./-x"),
        "{}",
        missing.err
    );
}

#[test]
fn a_tilde_in_a_file_means_home() {
    let place = Configured::new();
    let home = place.0.at("home");
    fs::create_dir_all(&home).unwrap();
    fs::rename(place.0.world(), home.join("w")).unwrap();
    let file = place.file("world = \"~/w\"\noutput = \"~/www/map\"\nreport = \"~/report.json\"\n");

    let run = |args: &[&str]| {
        let mut command = program();
        let ran = command
            .args(args)
            .env("HOME", &home)
            .current_dir(place.0.at(""))
            .output()
            .unwrap();
        Ran::of(ran).expect(0, "in the home folder")
    };

    run(&["render", "-q", "-c", file.to_str().unwrap()]);
    assert!(home.join("www/map/index.html").is_file() && home.join("report.json").is_file());
    run(&["render", "-q", "~/w", "--output=~/typed"]);
    assert!(home.join("typed/index.html").is_file() && !place.0.at("~").exists());
}

#[test]
fn a_refused_file_is_code_2() {
    let place = Configured::new();
    let err = place.refusal("threads = 1\ncontours = \"ten\"\n");
    assert!(err.contains("line 2") && err.contains("ten"), "{err}");

    let missing =
        render(&place.0.world(), &place.0.at("out"), &["-c", "no.toml"]).expect(2, "no file");
    assert!(missing.err.contains("no.toml"), "{}", missing.err);
}

#[test]
fn maps_that_would_replace_each_other_are_refused() {
    let place = Configured::new();
    let two = "[[map]]\ndimension = \"overworld\"\n[[map]]\nlayer = [\"height\", \"day\"]\n";
    let ran = place.render("map", two, &[]).expect(2, two);
    assert!(
        ran.err.contains("overworld/day") && !place.0.at("map").exists(),
        "{}",
        ran.err
    );

    let picture =
        "mode = \"image\"\n[[map]]\ndimension = \"overworld\"\n[[map]]\ndimension = \"nether\"\n";
    assert!(
        place
            .render("map.png", picture, &[])
            .expect(2, picture)
            .err
            .contains("one folder")
    );
}

#[test]
fn a_dry_run_reports_effective_options() {
    let place = Configured::new();
    let text = "[[map]]\ndimension = \"overworld\"\nunfinished = true\n[[map]]\ndimension = \
                \"nether\"\nlayer = \"roof\"\n";
    let file = place.file(text);

    let mut command = program();
    command
        .arg("render")
        .arg(place.0.world())
        .arg("-o")
        .arg(place.0.at("map"))
        .arg("-c")
        .arg(file);

    let output = command
        .args(["--min-y", "5", "--dry-run", "--json"])
        .output()
        .unwrap();

    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let maps = told["maps"].as_array().unwrap();
    assert_eq!(
        (
            &maps[0]["options"]["unfinished"],
            &maps[1]["options"]["unfinished"]
        ),
        (&json!(true), &json!(false))
    );

    assert_eq!(maps[1]["options"]["layers"], json!(["roof"]));
    assert!(maps.iter().all(|map| map["options"]["min_y"] == 5));
    assert_eq!(
        (&maps[0]["dimensions"], &maps[1]["dimensions"]),
        (&json!(["overworld"]), &json!(["the_nether"]))
    );

    assert_eq!(
        (&told["tiles"]["native"], &told["layers"]),
        (&json!(3), &json!(["day", "roof"]))
    );
    assert!(!place.0.at("map").exists());
}

/// Returns the output of `pixelmap config show` for a file and typed options.
fn shown(place: &Configured, text: &str, typed: &[&str]) -> String {
    let mut command = program();
    command
        .current_dir(place.0.at(""))
        .args(["config", "show"])
        .arg("-c")
        .arg(place.file(text))
        .args(typed);
    Ran::of(command.output().unwrap()).expect(0, text).out
}

/// The origin of the only line of a value, and that it has this value.
fn origin<'a>(shown: &'a str, value: &str) -> &'a str {
    let lines: Vec<&str> = shown
        .lines()
        .filter(|line| line.split("  ").next() == Some(value))
        .collect();
    assert_eq!(lines.len(), 1, "{value}: {shown}");
    lines[0].split_once("# ").unwrap().1
}

#[test]
fn options_in_force_are_shown_with_origin() {
    let place = Configured::new();
    place.draw("map", "", &["--scheme", "xyz", "-d", "overworld"]);
    let text = "world = \"world\"\noutput = \"map\"\nhide = \"0,0,9,9\"\nthreads = 3\ntitle = \"A \
                \\\"b\\\"\"\n\
                [[map]]\ndimension = [\"overworld\"]\nhide = \"bases.geojson\"\n\
                [[map]]\nlayer = \"roof\"\ndimension = \"nether\"\nunfinished = true\n";
    let shown = shown(&place, text, &["-q", "--hide", "16,16,32,32", "--min-y=5"]);

    let file = place.0.at("map.toml").display().to_string();
    let line = |number: u32| format!("{file}, line {number}");
    assert_eq!(origin(&shown, "output = \"map\""), line(2));
    assert_eq!(origin(&shown, "threads = 3"), line(4));
    assert_eq!(origin(&shown, "title = \"A \\\"b\\\"\""), line(5));
    assert_eq!(origin(&shown, "quiet = true"), "command line");

    assert_eq!(origin(&shown, "scheme = \"xyz\""), "the map in map");
    assert_eq!(origin(&shown, "format = \"png\""), "the map in map");
    assert_eq!(origin(&shown, "mode = \"map\""), "default");
    assert_eq!(origin(&shown, "max-removed = \"50%\""), "default");
    assert_eq!(origin(&shown, "layer = [\"day\"]"), "default");
    assert_eq!(origin(&shown, "layer = [\"roof\"]"), line(10));
    assert_eq!(origin(&shown, "unfinished = true"), line(12));

    let hidden = format!("{} and {} and command line", line(3), line(8));
    assert_eq!(
        origin(
            &shown,
            "hide = [\"0,0,9,9\", \"bases.geojson\", \"16,16,32,32\"]"
        ),
        hidden
    );

    assert!(
        shown.contains(", report, ") && shown.contains("# palette is not set: texture\n"),
        "{shown}"
    );

    assert_eq!(
        (
            shown.matches("[[map]]").count(),
            shown.matches("min-y = 5 ").count()
        ),
        (2, 2)
    );

    // The output is a configuration file with the same meaning.
    let values = |shown: &str| -> Vec<String> {
        shown
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split("  ").next().unwrap().to_owned())
            .collect()
    };

    assert_eq!(values(&self::shown(&place, &shown, &[])), values(&shown));
}

#[test]
fn a_call_that_render_refuses_is_not_shown() {
    let place = Configured::new();
    let file = place.file("layers = \"day\"\n");
    let file = file.to_str().unwrap();
    for (typed, says) in [
        (&["-c", file][..], "line 1: layers: no option"),
        (&["world", "--scale", "2"], "--scale is for one picture"),
    ] {
        let mut command = program();
        let ran = Ran::of(
            command
                .args(["config", "show"])
                .args(typed)
                .output()
                .unwrap(),
        )
        .expect(2, says);

        assert!(
            ran.err.contains(says) && ran.out.is_empty(),
            "{typed:?}: {}",
            ran.err
        );
    }
}
