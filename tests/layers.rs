//! Checks the rules of the code that the compiler cannot check: which folder of a crate may name
//! which other one, faces, circles of files, and the length and names of files. Which crate may
//! name which other one is in the manifests. The tests read the sources as text.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

#[path = "layers/page.rs"]
mod page;
#[path = "layers/prose.rs"]
mod prose;
#[path = "layers/source.rs"]
mod source;
#[path = "layers/texts.rs"]
mod texts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex_lite::Regex;
use source::{Modules, Source, code, sources};

/// The places of a crate (its folders, and the files next to them), each with the other places that
/// it may name. A row for a folder covers its inner folders without a row.
type Places = [(&'static str, &'static [&'static str])];

/// The crates that have more than one place. `program` is the one in `src/`.
#[rustfmt::skip]
const CRATES: &[(&str, &Places)] = &[
    ("world", &[
        ("nbt", &[]),
        ("bytes", &[]),
        ("pack", &[]),
        ("names", &["nbt"]),
        ("chunk", &["bytes", "names", "nbt"]),
        ("alpha", &["bytes", "nbt"]),
        ("anvil", &["bytes", "nbt"]),
        ("bedrock/leveldb", &["bytes"]),
        ("bedrock/chunks", &["bedrock/leveldb", "bytes"]),
        ("bedrock", &["bedrock/chunks", "bedrock/leveldb", "bytes"]),
        ("zvcr", &["bytes", "names", "nbt"]),
        ("explored", &["bytes", "chunk", "names", "nbt"]),
        ("region", &["alpha", "anvil", "bedrock", "bytes", "explored", "zvcr"]),
        ("save", &["alpha", "bedrock", "bytes", "explored", "nbt", "pack", "region", "zvcr"]),
        ("saves", &["save"]),
        ("text", &["chunk", "nbt", "save"]),
        ("facade", &["bytes", "chunk", "names", "region", "save", "text"]),
        ("internal", &["bytes", "explored", "region", "save", "saves"]),
    ]),
    ("paint", &[
        ("palette", &[]),
        ("surface", &[]),
        ("markers", &[]),
        ("textures", &["palette"]),
        ("layers", &["palette", "surface", "textures"]),
    ]),
    ("map", &[
        ("page", &[]),
        ("remote", &[]),
        ("atlas", &["page"]),
        ("store", &["atlas", "page"]),
        ("compare", &["atlas", "page"]),
        ("export", &["atlas", "remote", "store"]),
    ]),
    ("draw", &[
        ("schedule", &[]),
        ("report", &[]),
        ("import/journeymap", &[]),
        ("import", &["import/journeymap"]),
        ("map_mods/xaero", &["painter", "request"]),
        ("map_mods", &["import/journeymap", "map_mods/xaero"]),
        ("request", &["report", "schedule"]),
        ("run_state", &["report", "schedule"]),
        ("tiles", &["report", "request", "run_state", "schedule"]),
        ("painter", &["report", "request", "run_state"]),
        ("map", &["painter", "report", "request", "run_state", "schedule", "tiles"]),
        ("publish", &["map", "report", "request", "run_state", "schedule", "tiles"]),
        ("runs", &["import", "map", "painter", "publish", "report", "request", "run_state", "schedule", "tiles"]),
        ("ask", &["painter", "report", "request", "runs", "schedule"]),
    ]),
    ("program", &[
        ("summary", &[]),
        ("cli", &[]),
        ("log", &["cli", "summary"]),
        ("outcome", &["log"]),
        ("progress", &["cli", "log", "summary"]),
        ("commands", &["cli", "log", "outcome", "progress", "summary"]),
    ]),
];
/// Names that do not describe the contents of a file.
const EMPTY_NAMES: &[&str] = &[
    "util", "utils", "common", "helpers", "misc", "types", "core", "manager",
];
/// The most lines of a file without its tests.
const MAX_LINES: usize = 750;

/// The places of a crate; none if all of its files are one place.
fn places_of(name: &str) -> &'static Places {
    let found = CRATES.iter().find(|(other, _)| *other == name);
    found.map(|(_, places)| *places).unwrap_or_default()
}

/// The place in its crate that a path of a module leads to: the innermost one that has a row, else
/// the first name below the crate.
fn place(path: &[String]) -> String {
    let places = places_of(&path[0]);
    let mut inner = (2..=path.len()).rev().map(|len| path[1..len].join("/"));
    inner
        .find(|inner| allowed(places, inner).is_some())
        .unwrap_or_else(|| path.get(1).cloned().unwrap_or_default())
}

fn allowed(places: &Places, place: &str) -> Option<&'static [&'static str]> {
    let found = places.iter().find(|(name, _)| *name == place);
    found.map(|(_, may)| *may)
}

/// The rules that a file breaks.
fn violations(source: &Source) -> Vec<String> {
    let module = source.module();
    let mut wrong = Vec::new();

    // The root of a crate lists its places.
    let places = places_of(&module[0]);
    if !places.is_empty() && module.len() > 1 {
        let place = place(&module);
        match allowed(places, &place) {
            Some(may) => wrong.extend(wrong_places(source, &place, may)),
            None => wrong.push(format!(
                "{place} has no row: list in tests/layers.rs what it may name"
            )),
        }
    }

    let code = source.code();
    if code.contains("super::super") {
        wrong.push("super::super: name the folder".to_owned());
    }

    // The records of tiles consist of bytes, and no other program reads them.
    let is_record = module.starts_with(&["draw".to_owned(), "tiles".to_owned()]);
    let is_written = source.without_tests().code().contains("serde_json::to_");
    if is_written && !source.path.ends_with("base/src/json.rs") && !is_record {
        wrong.push("JSON that is not escaped: write it with pixelmap_base::json".to_owned());
    }

    wrong
}

/// The places that a file names and must not name.
fn wrong_places(source: &Source, place: &str, may: &[&str]) -> Vec<String> {
    // The unit tests of a place may name its whole crate.
    let is_test = source.stem().ends_with("tests");
    let mut wrong = Vec::new();
    for name in source.named_places() {
        if !is_test && !may.contains(&name.as_str()) {
            wrong.push(format!("{place} must not name {name}"));
        }
    }

    wrong
}

fn planted(path: &str, text: &str) -> Source {
    Source {
        path: PathBuf::from(path),
        text: text.to_owned(),
    }
}

#[test]
fn places_name_only_places_below() {
    let mut wrong = Vec::new();
    for source in code() {
        for what in violations(&source) {
            wrong.push(format!("{}: {what}", source.path.display()));
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_name_is_detected_wherever_it_hides() {
    let cases = [
        (
            "crates/world/src/anvil/file.rs",
            "use crate::save::World;",
            1,
        ),
        (
            "crates/world/src/anvil/file.rs",
            "fn f() -> crate::chunk::Chunk {}",
            1,
        ),
        (
            "crates/world/src/anvil/mod.rs",
            "use super::chunk::Chunk;",
            1,
        ),
        (
            "crates/world/src/nbt.rs",
            "use crate::{bytes::Stamp, names, chunk::{Chunk, Meta}};",
            3,
        ),
        (
            "crates/paint/src/layers/land/day.rs",
            "use super::super::surface::Columns;",
            1,
        ),
        (
            "crates/draw/src/painter/region.rs",
            "use crate::map::Map;",
            1,
        ),
        // A name that the root of the crate offers to other crates.
        ("crates/draw/src/painter/region.rs", "use crate::Layer;", 1),
        (
            "crates/world/src/bedrock/leveldb/log.rs",
            "use crate::bedrock::chunks::Key;",
            1,
        ),
        ("src/cli/mod.rs", "use crate::commands::run;", 1),
        ("src/attic.rs", "", 1),
        ("src/log.rs", "serde_json::to_string(event)", 1),
        (
            "crates/world/src/chunk/mod.rs",
            "//! see crate::save\nuse crate::names::NameCache; // crate::save\nuse pixelmap_base::coord;",
            0,
        ),
        ("crates/tile/src/webp.rs", "use crate::canvas::Canvas;", 0),
    ];

    for (path, text, expected) in cases {
        let found = violations(&planted(path, text));
        assert_eq!(found.len(), expected, "{path}: {text}: {found:?}");
    }
}

#[test]
fn no_places_depend_in_a_circle() {
    for (name, places) in CRATES {
        for (start, may) in *places {
            let mut seen = BTreeSet::new();
            let mut next: Vec<&str> = may.to_vec();
            while let Some(place) = next.pop() {
                assert!(place != *start, "{name}: {start} names others that name it");
                if seen.insert(place) {
                    next.extend(allowed(places, place).unwrap_or_default());
                }
            }
        }
    }
}

#[test]
fn no_files_name_each_other_in_a_circle() {
    let modules = Modules::new(code());
    assert!(modules.circles().is_empty(), "{:#?}", modules.circles());

    let circles = |one: &str, two: &str| {
        let face = "mod one;\nmod two;\n\npub(crate) use one::{One, Other};\n";
        let files = vec![
            planted("crates/map/src/atlas/mod.rs", face),
            planted("crates/map/src/atlas/one.rs", one),
            planted("crates/map/src/atlas/two.rs", two),
        ];
        Modules::new(files).circles().len()
    };

    let one = "use super::two::Two;";
    assert_eq!(circles(one, "use crate::atlas::{Format, One};"), 2);
    assert_eq!(circles(one, "fn two(_: super::one::One) {}"), 2);
    assert_eq!(
        circles(
            one,
            "#[cfg(test)]\nmod tests {\n    use super::super::One;\n}"
        ),
        0
    );
    assert_eq!(circles(one, "use super::Format;"), 0);
}

/// Returns whether a file has nothing but modules and re-exports.
fn is_listing(source: &Source) -> bool {
    let attribute = Regex::new(r"(?s)#!?\[.*?\]\n").unwrap();
    let code = source.code();
    let code = attribute.replace_all(&code, "");

    let listed = Regex::new(r"^(?:(?:pub(?:\([^)]*\))? )?mod |pub(?:\([^)]*\))? use )").unwrap();
    let mut items = code.split(';').map(str::trim);
    items.all(|item| item.is_empty() || listed.is_match(item))
}

#[test]
fn a_face_lists_what_its_folder_offers() {
    let modules = Modules::new(code());

    let mut wrong = Vec::new();
    for source in modules.files.values() {
        let path = source.path.display();
        if source.is_face() && !is_listing(source) {
            wrong.push(format!("{path}: give its items a file of their own"));
        }
        for name in modules.names_from_above(source) {
            wrong.push(format!("{path}: name the file of {name}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_item_in_a_face_is_detected() {
    let listing = "//! A room.\n\n#![cfg_attr(\n    test,\n    allow(x)\n)]\n\n#[cfg(x)]\nmod one;\n\npub use one::{\n    One, Two,\n};\n";
    let face = |item: &str| planted("crates/tile/src/lib.rs", &format!("{listing}{item}"));

    assert!(is_listing(&face("")));
    for item in ["pub struct One;", "use one::One;", "fn f() {}"] {
        assert!(!is_listing(&face(item)), "{item}");
    }

    let texts = [
        ("use super::{One, two::Two};", 1),
        ("use crate::inner::One;", 1),
        ("use crate::inner::one::One;", 0),
    ];
    for (text, expected) in texts {
        let files = vec![
            planted(
                "crates/tile/src/inner/mod.rs",
                "mod one;\nmod two;\n\npub use one::One;\n",
            ),
            planted("crates/tile/src/inner/one.rs", "pub struct One;"),
            planted("crates/tile/src/inner/two.rs", text),
        ];
        let modules = Modules::new(files);
        let found = modules
            .files
            .values()
            .flat_map(|file| modules.names_from_above(file));
        assert_eq!(found.count(), expected, "{text}");
    }
}

#[test]
fn the_table_lists_every_place() {
    let files = code();
    for (name, places) in CRATES {
        let of_crate = files.iter().map(Source::module);
        let below = of_crate.filter(|module| module[0] == *name && module.len() > 1);
        let there: BTreeSet<String> = below.map(|module| place(&module)).collect();

        let listed = places.iter().map(|(place, _)| (*place).to_owned());
        assert_eq!(there, listed.collect(), "{name}");

        for place in places.iter().flat_map(|(_, may)| *may) {
            assert!(allowed(places, place).is_some(), "{name} has no {place}");
        }
    }
}

/// The files of `atlas` that open a path because a user named it, such as an archive.
const OPENERS: [&str; 3] = ["pmtiles/archive.rs", "finished_map.rs", "outputs.rs"];
/// The functions of `base::disk` that all other files may name, because they open and list nothing.
const OPENS_NOTHING: [&str; 3] = ["full_path", "if_there", "is_absent"];

/// The ways in which a file opens paths that are not relative to an opened folder.
fn opened_paths(source: &Source) -> Vec<String> {
    let mut opened = Vec::new();
    for path in source.paths_after("pixelmap_base::") {
        if path.len() > 1 && path[0] == "disk" && !OPENS_NOTHING.contains(&path[1].as_str()) {
            opened.push(path[1].clone());
        }
    }

    let code = source.code();
    for call in ["fs::read", "File::open(", "canonicalize("] {
        if code.contains(call) {
            opened.push(call.to_owned());
        }
    }

    opened
}

#[test]
fn map_files_are_read_from_their_folder() {
    let is_of_maps = |source: &&Source| {
        source.path.starts_with("crates/map/src/atlas")
            && !OPENERS.iter().any(|opener| source.path.ends_with(opener))
            || source.path.ends_with("compare/verify.rs")
    };

    for source in code().iter().filter(is_of_maps) {
        let opened = opened_paths(source);
        assert!(
            opened.is_empty(),
            "{} may follow links: use OwnFolder, not {opened:?}",
            source.path.display()
        );
    }

    let text =
        "use pixelmap_base::disk::{if_there, read_file};\nfn f() { std::fs::read_dir(path); }";
    let file = planted("crates/map/src/atlas/content.rs", text);
    assert_eq!(opened_paths(&file), ["read_file", "fs::read"]);
}

#[test]
fn modules_are_public_only_if_named_outside() {
    let mut named = BTreeSet::new();
    for source in all_sources() {
        for path in source.paths_after("pixelmap_") {
            named.extend((1..=path.len()).map(|len| path[..len].to_vec()));
        }
    }

    let mut idle = Vec::new();
    let mut count = 0;
    for source in code().iter().filter(|source| source.is_face()) {
        for path in source.paths_after("pub mod ") {
            let module = [source.module(), path].concat();
            count += 1;
            if !named.contains(&module) {
                idle.push(module.join("::"));
            }
        }
    }

    assert!(count > 20, "{count}");
    assert!(idle.is_empty(), "write mod in place of pub mod: {idle:?}");
}

fn all_sources() -> Vec<Source> {
    ["src", "crates", "tests", "benches"]
        .into_iter()
        .flat_map(sources)
        .collect()
}

#[test]
fn every_file_describes_itself_at_its_top() {
    let silent = all_sources()
        .into_iter()
        .filter(|source| !source.text.starts_with("//! "));
    let silent: Vec<_> = silent.map(|source| source.path).collect();
    assert!(
        silent.is_empty(),
        "without //! in the first line: {silent:?}"
    );
}

#[test]
fn no_file_exceeds_the_maximum_length() {
    for source in all_sources() {
        let lines = source
            .text
            .lines()
            .take_while(|line| line.trim() != "#[cfg(test)]")
            .count();

        assert!(
            lines <= MAX_LINES,
            "{} has {lines} lines; {MAX_LINES} are the most",
            source.path.display()
        );
    }
}

#[test]
fn every_file_name_describes_its_content() {
    for source in all_sources() {
        let names = source
            .path
            .iter()
            .map(|name| name.to_str().unwrap().trim_end_matches(".rs"));
        let empty: Vec<_> = names.filter(|name| EMPTY_NAMES.contains(name)).collect();
        assert!(
            empty.is_empty(),
            "{}: {empty:?} says nothing",
            source.path.display()
        );
    }
}

#[test]
fn tests_start_the_program_in_one_place_only() {
    // The name is split in two, so that this file does not contain it.
    let variable = concat!("CARGO_BIN_EXE", "_");
    let starters = sources("tests")
        .into_iter()
        .filter(|source| source.text.contains(variable));
    let starters: Vec<_> = starters.map(|source| source.path).collect();
    assert_eq!(
        starters,
        [Path::new("tests/map/mod.rs")],
        "elsewhere it could draw into the checkout"
    );
}
