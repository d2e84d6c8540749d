//! The walls of the house: which room may name which, and how files are kept. Reads the source text under `src/`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of the library, each with those it may name. A lower room names no upper one.
const ROOMS: &[(&str, &[&str])] = &[
    ("at", &[]),
    ("coord", &[]),
    ("block", &[]),
    ("nbt", &[]),
    ("retry", &[]),
    ("json", &[]),
    ("letters", &[]),
    ("files", &["at"]),
    ("pack", &["files", "retry"]),
    ("hide", &["coord"]),
    ("schedule", &[]),
    ("region", &["coord", "files"]),
    ("chunk", &["coord", "block", "nbt"]),
    ("surface", &["coord", "block", "chunk"]),
    ("palette", &["block", "pack"]),
    ("tile", &["coord"]),
    ("layer", &["coord", "block", "json", "palette", "surface", "tile"]),
    ("world", &["coord", "files", "nbt", "pack", "retry"]),
    ("marker", &["chunk", "coord", "json", "nbt", "retry", "world"]),
    ("plan", &["coord", "hide", "tile", "world"]),
    ("publish", &["at", "coord", "json", "retry"]),
    ("serve", &["coord", "pipeline", "publish"]),
    ("compare", &["at", "coord", "files", "letters", "publish", "tile"]),
    ("export", &["coord", "json", "letters", "publish", "tile"]),
    ("report", &["coord"]),
    ("record", &["coord", "marker", "publish", "region", "report"]),
    (
        "pipeline",
        &[
            "block", "chunk", "coord", "export", "files", "hide", "json", "layer", "marker", "nbt", "pack", "palette",
            "plan", "publish", "record", "region", "report", "schedule", "surface", "tile", "world",
        ],
    ),
];

/// The rooms of the program around it, each with those of its own that it may name.
const BINARY: &[(&str, &[&str])] = &[
    ("main", &["cli", "commands", "log", "progress", "summary"]),
    ("commands", &["cli", "log", "progress", "summary"]),
    ("progress", &["cli", "log", "summary"]),
    ("log", &["cli", "summary"]),
    ("summary", &[]),
    ("cli", &[]),
];

/// What the program may name of the library.
const FRONT: &[&str] =
    &["pipeline", "export", "coord", "report", "schedule", "world", "publish", "compare", "json", "serve"];
/// What only the program may name.
const TERMINAL: &[&str] = &["clap", "clap_complete", "clap_mangen", "indicatif", "signal_hook"];
/// Names that say nothing of what a file is.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "helpers", "misc", "types", "core", "manager"];
/// The most lines of a file without its tests.
const MAX_LINES: usize = 600;

/// A source file: its path below the package, and its text.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The first name below `src/`: the room.
    fn room(&self) -> String {
        let below = self.path.iter().nth(1).unwrap().to_str().unwrap();
        below.strip_suffix(".rs").unwrap_or(below).to_owned()
    }

    fn stem(&self) -> &str {
        self.path.file_stem().unwrap().to_str().unwrap()
    }

    /// Whether `super::` of this file is the crate itself.
    fn is_root_of_room(&self) -> bool {
        self.path.iter().count() == 2 || (self.path.iter().count() == 3 && self.stem() == "mod")
    }

    /// The text without comments.
    fn code(&self) -> String {
        let cut = |line: &str| -> String {
            let comment = line.match_indices("//").find(|(at, _)| *at == 0 || line[..*at].ends_with([' ', '\t', ';']));
            comment.map_or(line, |(at, _)| &line[..at]).to_owned() + "\n"
        };
        self.text.lines().map(cut).collect()
    }

    /// The names that follow `prefix` in the code; `{` for a group, `*` for all.
    fn names_after(&self, prefix: &str) -> BTreeSet<String> {
        let code = self.code();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let whole = |at: &usize| !code[..*at].ends_with(is_name);
        let places = code.match_indices(prefix).map(|(at, _)| at).filter(whole);
        let name = |at: usize| {
            let rest = &code[at + prefix.len()..];
            let name: String = rest.chars().take_while(|c| is_name(*c)).collect();
            if name.is_empty() { rest.chars().take(1).collect() } else { name }
        };
        places.map(name).collect()
    }
}

fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    gather(root, Path::new(folder), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no source files under {folder}");
    found
}

fn gather(root: &Path, below: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let path = below.join(entry.unwrap().file_name());
        if root.join(&path).is_dir() {
            gather(root, &path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(Source { text: fs::read_to_string(root.join(&path)).unwrap(), path });
        }
    }
}

fn allowed<'a>(table: &'a [(&str, &[&str])], room: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(name, _)| *name == room).map(|(_, rooms)| *rooms)
}

/// What of the rules a file breaks.
fn violations(source: &Source) -> Vec<String> {
    let room = source.room();
    let mut wrong = Vec::new();
    let named = source.names_after("crate::");
    let library = source.names_after("pixelmap::");
    if room == "lib" {
        wrong.extend(named.iter().map(|name| format!("the list of rooms names {name}")));
    } else if let Some(may) = allowed(ROOMS, &room) {
        let strange = named.iter().filter(|name| **name != room && !may.contains(&name.as_str()));
        wrong.extend(strange.map(|name| format!("room {room} must not name crate::{name}")));
        wrong.extend(library.iter().map(|name| format!("the library names itself from outside: pixelmap::{name}")));
        let terminal = TERMINAL.iter().filter(|name| !source.names_after(&format!("{name}::")).is_empty());
        wrong.extend(terminal.map(|name| format!("room {room} must not know {name}")));
    } else if let Some(may) = allowed(BINARY, &room) {
        let strange = named.iter().filter(|name| **name != room && !may.contains(&name.as_str()));
        wrong.extend(strange.map(|name| format!("{room} must not name crate::{name}")));
        let deep = library.iter().filter(|name| !FRONT.contains(&name.as_str()));
        wrong.extend(deep.map(|name| format!("{room} must not name pixelmap::{name}")));
    } else {
        wrong.push(format!("room {room} is in no table: say in tests/layers.rs what it may name"));
    }
    if source.is_root_of_room() {
        let around = source.names_after("super::");
        let around = around.iter().filter(|name| allowed(ROOMS, name).or(allowed(BINARY, name)).is_some());
        wrong.extend(around.map(|name| format!("another room named as super::{name}")));
    }
    if source.code().contains("super::super") {
        wrong.push("super::super: name the room".to_owned());
    }
    let code = source.code();
    let is_written = code.split("mod tests").next().unwrap().contains("serde_json::to_");
    // Records are of bytes, and nobody else reads them.
    if is_written && !["json", "record"].contains(&&*room) {
        wrong.push("JSON that is not escaped: write it with room json".to_owned());
    }
    wrong
}

#[test]
fn every_room_names_only_those_below_it() {
    let mut wrong = Vec::new();
    for source in sources("src") {
        wrong.extend(violations(&source).into_iter().map(|what| format!("{}: {what}", source.path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_name_is_found_wherever_it_hides() {
    let planted = |path: &str, text: &str| {
        let source = Source { path: PathBuf::from(path), text: text.to_owned() };
        violations(&source).len()
    };
    assert_eq!(planted("src/region/file.rs", "use crate::pipeline::render;"), 1);
    assert_eq!(planted("src/region/file.rs", "fn f() -> crate::chunk::Chunk {}"), 1);
    assert_eq!(planted("src/region/mod.rs", "use super::chunk::Chunk;"), 1);
    assert_eq!(planted("src/nbt.rs", "use crate::{coord, block};"), 1);
    assert_eq!(planted("src/layer/day.rs", "use super::super::region::RegionFile;"), 1);
    assert_eq!(planted("src/publish/output.rs", "let x = clap::Command::new(\"x\");"), 1);
    assert_eq!(planted("src/summary.rs", "use pixelmap::region::Fault;"), 1);
    assert_eq!(planted("src/commands/mod.rs", "use pixelmap::{chunk, nbt};"), 1);
    assert_eq!(planted("src/cli/mod.rs", "use crate::commands::run;"), 1);
    assert_eq!(planted("src/attic.rs", ""), 1);
    assert_eq!(planted("src/log.rs", "serde_json::to_string(event)"), 1);
    assert_eq!(
        planted("src/chunk/mod.rs", "//! see crate::pipeline\nuse crate::block::NameCache; // crate::region"),
        0
    );
}

#[test]
fn no_room_reaches_itself_through_others() {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources("src") {
        let room = source.room();
        let others = source.names_after("crate::").into_iter().filter(|name| *name != room);
        edges.entry(room.clone()).or_default().extend(others.collect::<Vec<_>>());
    }
    for table in [ROOMS, BINARY] {
        for (room, may) in table {
            edges.entry((*room).to_owned()).or_default().extend(may.iter().map(|name| (*name).to_owned()));
        }
    }
    for start in edges.keys() {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&String> = edges[start].iter().collect();
        while let Some(room) = next.pop() {
            assert!(room != start, "room {start} names others that name it");
            if seen.insert(room) {
                next.extend(edges.get(room).into_iter().flatten());
            }
        }
    }
}

#[test]
fn the_tables_hold_every_room_and_no_other() {
    let there: BTreeSet<String> = sources("src").iter().map(Source::room).filter(|room| room != "lib").collect();
    let known: BTreeSet<String> = ROOMS.iter().chain(BINARY).map(|(room, _)| (*room).to_owned()).collect();
    assert_eq!(there, known);
}

#[test]
fn a_room_is_public_only_if_one_outside_names_it() {
    let is_outside = |source: &Source| !source.path.starts_with("src") || allowed(BINARY, &source.room()).is_some();
    // The names in this file are of code that is wrong.
    let outside = all_sources().into_iter().filter(|source| is_outside(source) && source.stem() != "layers");
    let list = sources("src").into_iter().find(|source| source.room() == "lib").unwrap();
    let named: BTreeSet<String> = outside.flat_map(|source| source.names_after("pixelmap::")).collect();
    let public = list.names_after("pub mod ");
    assert!(public.len() > 20, "{public:?}");
    let idle: Vec<_> = public.difference(&named).collect();
    assert!(idle.is_empty(), "write mod in place of pub mod: {idle:?}");
}

fn all_sources() -> Vec<Source> {
    ["src", "tests", "benches"].into_iter().flat_map(sources).collect()
}

#[test]
fn every_file_says_at_its_top_what_it_is() {
    let silent = all_sources().into_iter().filter(|source| !source.text.starts_with("//! "));
    let silent: Vec<_> = silent.map(|source| source.path).collect();
    assert!(silent.is_empty(), "without //! in the first line: {silent:?}");
}

#[test]
fn no_file_is_longer_than_one_can_read() {
    for source in all_sources() {
        let lines = source.text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines; {MAX_LINES} are the most", source.path.display());
    }
}

#[test]
fn every_file_name_describes_its_content() {
    for source in all_sources() {
        let names = source.path.iter().map(|name| name.to_str().unwrap().trim_end_matches(".rs"));
        let empty: Vec<_> = names.filter(|name| EMPTY_NAMES.contains(name)).collect();
        assert!(empty.is_empty(), "{}: {empty:?} says nothing", source.path.display());
    }
}

#[test]
fn tests_start_the_program_in_one_place_only() {
    // Spelt in two, so that this file is none of them.
    let variable = concat!("CARGO_BIN_EXE", "_");
    let starters = sources("tests").into_iter().filter(|source| source.text.contains(variable));
    let starters: Vec<_> = starters.map(|source| source.path).collect();
    assert_eq!(starters, [Path::new("tests/map/mod.rs")], "elsewhere it could draw into the checkout");
}
