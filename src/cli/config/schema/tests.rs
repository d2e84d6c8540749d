//! Tests that the schema accepts each file of the program, and finds the faults that it can.
#![expect(
    clippy::disallowed_methods,
    reason = "the files are no output of the program"
)]

use std::fs;

use jsonschema::Validator;
use toml_edit::{Document, Item, Value as Toml};

use super::*;
use crate::cli::config::error::in_a_line;
use crate::cli::config::file::ConfigFile;
use crate::cli::config::maps;
use crate::cli::config::option_words::refused_value;
use crate::cli::config::precedence::parse_render;

/// Converts a file to JSON, as editors do before they check it with a schema.
fn item_json(item: &Item) -> Value {
    match item {
        Item::Value(value) => value_json(value),
        Item::Table(table) => table
            .iter()
            .map(|(key, item)| (key.to_owned(), item_json(item)))
            .collect(),
        Item::ArrayOfTables(tables) => tables
            .iter()
            .map(|table| item_json(&Item::Table(table.clone())))
            .collect::<Vec<_>>()
            .into(),
        Item::None => Value::Null,
    }
}

fn value_json(value: &Toml) -> Value {
    match value {
        Toml::String(text) => json!(text.value()),
        Toml::Integer(number) => json!(number.value()),
        Toml::Float(number) => json!(number.value()),
        Toml::Boolean(on) => json!(on.value()),
        Toml::Datetime(time) => json!(time.value().to_string()),
        Toml::Array(values) => values.iter().map(value_json).collect::<Vec<_>>().into(),
        Toml::InlineTable(table) => table
            .iter()
            .map(|(key, value)| (key.to_owned(), value_json(value)))
            .collect(),
    }
}

fn validator() -> Validator {
    let schema = schema();
    jsonschema::draft7::meta::validate(&schema).unwrap_or_else(|error| panic!("{error}"));
    jsonschema::draft7::new(&schema).unwrap()
}

/// Files without a fault.
const RIGHT: &[&str] = &[
    "",
    "world = \"-x\"",
    "layer = []",
    "layer = \"day\"",
    "layer = [\"day\", \"height16\", \"terrain\"]\ncontours = 5",
    "contours = \"5\"",
    "contours = 5.0",
    "dimension = -1",
    "dimension = [\"overworld\", \"the_nether\", 7]",
    "area = \"all\"",
    "area = \"512, -16, -512,+16\"",
    "center = \"-3,17\"\nradius = 200",
    "center = \"-3.5,17.25\"\nradius = 200",
    "hide = [\"bases.geojson\", \"480,-96,560,-32\", \"12\", \"1,2,3,4.json\"]",
    "marker-kinds = \"portals,structures\"",
    "marker-kinds = [\"beds\", \"none\"]",
    "scale = \"1/256\"",
    "scale = 8",
    "scale = 0.5",
    "scale = \"0.125\"",
    "fit = \"2560X1440\"",
    "background = \"#1e2a38\"",
    "background = 112233",
    "unknown = \"hide\"",
    "allow-gaps = 10\nmax-bad-chunks = \"2.5 %\"\nmax-removed = \"100%\"",
    "min-y = -64\nmax-y = 319",
    "url = \"https://example.org/map/\"\ndescription = \"\"\ntitle = 7",
    "history = true\ntime = 2026-05-01\nlabel = \"2026-05-01 after the flood\"",
    "time = 2026-05-01T12:00:30Z",
    "shard = \"3/16\"",
    "quiet = true\nverbose = false",
    "json = true\ndry-run = true\nshards = 16",
    "json = false",
    "deny = [\"unknown-blocks\", \"newer-version\"]",
    "threads = 0\nmax-batch = 9223372036854775807\nlook = 1",
    "signs = \"(?i)shop|market\"\nplayers = true\nmarkers = \"shops.geojson\"",
    "palette = [\"map-item\", \"mods.tsv\"]\nassets = \"mods/\"",
    "[[map]]\ndimension = \"nether\"\ncenter = \"0,0\"\nradius = 9\n[[map]]\nlayer = \"cave\"",
    "[[map]]\nname = \"1.20\"\ntitle = \"One\"\nreport = \"one.json\"\n[[map]]\nname = \"100% #1 & \
     'co'\"",
];

/// Files with one fault each.
const BROKEN: &[&str] = &[
    "layers = \"day\"",
    "colour = 2",
    "config = \"other.toml\"",
    "help = true",
    "version = true",
    "o = \"map\"",
    "min_y = 5",
    "name = \"Survival\"",
    "world = 3",
    "world = \"\"",
    "world = [\"a\", \"b\"]",
    "output = true",
    "layer = \"dya\"",
    "layer = \"Day\"",
    "layer = [\"day\", 3]",
    "layer = [[\"day\"]]",
    "[layer]\nname = \"day\"",
    "dimension = true",
    "dimension = {id = \"nether\"}",
    "contours = -1",
    "contours = 1.5",
    "contours = [1, 2]",
    "radius = 3",
    "center = \"0,0\"",
    "area = [0, 0, 16, 16]",
    "area = \"0,0,16,16\"\ncenter = \"0,0\"\nradius = 8",
    "unfinished = 1",
    "unfinished = \"true\"",
    "min-inhabited = -5",
    "players = [true, false]",
    "scale = 2\nwidth = 800",
    "width = 800\nfit = \"800x600\"",
    "deny = \"everything\"",
    "quiet = true\nverbose = true",
    "json = true",
    "json = true\ndry-run = false",
    "shards = 4",
    "progress = \"loud\"",
    "log-format = \"xml\"",
    "check = \"slow\"",
    "pin = true",
    "scheme = \"zxy\"",
    "format = \"jpg\"",
    "mode = \"poster\"",
    "[map]\nlayer = \"day\"",
    "map = \"day\"",
    "map = []",
    "[[map]]\nthreads = 2",
    "[[map]]\ncolour = 2",
    "[[map]]\ntitle = \"One\"",
    "[[map]]\nreport = \"one.json\"",
    "[[map]]\nradius = 9",
    "[[map]]\nname = \"A\"\n[[map]]\nlayer = \"cave\"",
    "[[map]]\nname = 3",
    "[[map]]\nname = \"\"",
];

/// Files whose fault only the program finds, because the schema has neither ranges nor patterns.
const ONLY_PROGRAM: &[&str] = &[
    "output = \"\"",
    "contours = \"ten\"",
    "contours = 65536",
    "center = \"0,0,0\"\nradius = 3",
    "center = \"0,0\"\nradius = 0",
    "area = \"1,2,3\"",
    "area = \"0,0,9,z\"",
    "hide = \"1,2,3\"",
    "hide = \"1,2,3,4.5.6\"",
    "min-y = \"deep\"",
    "max-y = 2147483648",
    "marker-kinds = \"portals;beds\"",
    "marker-kinds = [\"portals\", \"bed\"]",
    "unknown = \"pink\"",
    "scale = 3",
    "scale = \"1/3\"",
    "width = 0",
    "fit = \"800\"",
    "background = \"white\"",
    "url = \"example.org\"",
    "url = \"https://example.org/?map\"",
    "max-removed = \"150%\"",
    "allow-gaps = -1",
    "max-bad-chunks = \"many\"",
    "shards = 100001\ndry-run = true",
    "shard = \"0/4\"",
    "shard = \"4\"",
    "time = \"yesterday\"",
    "time = \"2026-13-01\"",
    "label = \"a@b\"",
    "label = \"-3\"",
    "label = \"2026-05-01\"",
    "look = 2",
    "threads = \"all\"",
    "[[map]]\nname = \"a/b\"",
    "[[map]]\nname = \".a\"",
    "[[map]]\nname = \"a \"",
    "[[map]]\nname = \"Index.HTML\"",
    "[[map]]\nname = \"NUL\"",
    "[[map]]\nname = \"com1.x\"",
    "[[map]]\nname = \"a.PNG\"",
];

#[test]
fn schema_and_program_agree_about_files() {
    let (validator, folder) = (validator(), tempfile::tempdir().unwrap());
    let path = folder.path().join("map.toml");
    let argv = ["pixelmap", "render", "-c", path.to_str().unwrap()].map(std::ffi::OsString::from);
    let args = parse_render(&argv).unwrap();
    let cases = RIGHT
        .iter()
        .map(|text| ((true, true), text))
        .chain(BROKEN.iter().map(|text| ((false, false), text)))
        .chain(ONLY_PROGRAM.iter().map(|text| ((false, true), text)));

    let mut wrong = Vec::new();
    for (expected, text) in cases {
        let text = if text.starts_with("world") {
            (*text).to_owned()
        } else {
            format!("world = \"w\"\n{text}\n")
        };

        fs::write(&path, &text).unwrap();
        let by_program = maps(&args, &argv).map_err(|error| error.message);
        let file = item_json(Document::parse(text.as_str()).unwrap().as_item());
        let by_schema: Vec<String> = validator
            .iter_errors(&file)
            .map(|error| error.to_string())
            .collect();

        if (by_program.is_ok(), by_schema.is_empty()) != expected {
            wrong.push(format!(
                "{text}: {:?}, {by_schema:?}",
                by_program.map(|_| ())
            ));
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_schema_allows_keys_where_the_program_does() {
    let schema = schema();
    for option in keys::options() {
        let key = key(&option);
        let description = &schema["properties"][key]["description"];
        assert!(
            description.as_str().is_some_and(|text| text.len() > 3),
            "{key}: {description}"
        );

        let table = format!(
            "[[map]]\nname = \"A\"\n{key} = {}\n",
            if is_switch(&option) { "true" } else { "[]" }
        );
        let is_taken = !ConfigFile::parse(&table).is_err_and(|error| error.contains("whole run"));
        let is_listed = schema["properties"][MAP]["items"]["properties"]
            .get(key)
            .is_some();
        assert_eq!(is_taken, is_listed, "{key}");
    }
}

#[test]
fn option_dependencies_are_in_the_schema() {
    for option in keys::options() {
        let example = form::find(&option).map_or("1", |form| form.example);
        let choice = option
            .get_possible_values()
            .first()
            .map(|value| value.get_name().to_owned());

        let typed = if is_switch(&option) {
            format!("--{}", key(&option))
        } else {
            format!(
                "--{}={}",
                key(&option),
                choice.as_deref().unwrap_or(example)
            )
        };

        let call = ["pixelmap", "render", "world", &typed];
        let missing = Cli::command()
            .try_get_matches_from(call)
            .err()
            .map(|error| {
                assert_eq!(
                    error.kind(),
                    clap::error::ErrorKind::MissingRequiredArgument,
                    "{typed}: {}",
                    in_a_line(&error)
                );
            });

        assert_eq!(
            refused_value("render", &[typed.clone().into()]),
            None,
            "{typed}"
        );
        assert_eq!(
            missing.is_some(),
            NEEDS.iter().any(|(name, _)| *name == key(&option)),
            "{typed}"
        );
    }
}

/// Values of every kind. Each option accepts only a few of them.
const VALUES: &[&str] = &[
    "true",
    "-1",
    "1.5",
    "7.0",
    "8",
    "16",
    "32",
    "100000",
    "\"\"",
    "\"x\"",
    "\"+1\"",
    "\"5%\"",
    "\"all\"",
    "\"1,2,3,4\"",
    "\"a,b\"",
    "\"ff00ff\"",
    "\"2/1\"",
    "\"1/256\"",
    "\"1/512\"",
    "[\"day\"]",
    "[[1]]",
    "{a = 1}",
    "2026-05-01",
];
#[test]
fn the_schema_accepts_each_value_of_the_program() {
    let validator = validator();
    let mut wrong = Vec::new();
    for option in keys::options() {
        let key = key(&option);
        let beside =
            NEEDS
                .iter()
                .find(|(name, _)| *name == key)
                .map_or_else(String::new, |(_, other)| {
                    let example = if *other == "center" {
                        "\"0,0\""
                    } else if *other == "radius" {
                        "1"
                    } else if *other == "find" {
                        "\"x\""
                    } else {
                        "true"
                    };

                    format!("{other} = {example}\n")
                });

        for value in VALUES {
            let text = format!("{key} = {value}\n{beside}");
            let by_program = ConfigFile::parse(&text).map(|_| ());
            let by_schema = validator.is_valid(&item_json(
                Document::parse(text.as_str()).unwrap().as_item(),
            ));
            if by_program.is_ok() && !by_schema {
                wrong.push(text);
            }
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
