//! Checks the structure of `src/`: which room may name which other room, and the length and names
//! of files. It reads the source as text.
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

use source::{Modules, Source, sources};

/// The places of the library (rooms, and the walled parts inside them), each with the places that
/// it may name. A row for a room covers only the files directly in it. Naming a room means naming
/// its own files; a part is named by its path.
#[rustfmt::skip]
const PLACES: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("schedule", &["base"]),
    ("world/nbt", &[]),
    ("world/names", &["base", "world/nbt"]),
    ("world/files", &["base"]),
    ("world/pack", &["base", "world/files"]),
    ("world/bytes", &["base", "world/files"]),
    ("world/alpha", &["base", "world/files", "world/nbt", "world/bytes"]),
    ("world/anvil", &["base", "world/files", "world/nbt", "world/bytes"]),
    ("world/bedrock/leveldb", &["base", "world/files", "world/bytes"]),
    ("world/bedrock/chunks", &["base", "world/bedrock/leveldb", "world/bytes"]),
    ("world/bedrock", &["base", "world/bedrock/chunks", "world/bedrock/leveldb", "world/files", "world/bytes"]),
    ("world/chunk", &["base", "world/names", "world/nbt", "world/bytes"]),
    ("world/save", &["base", "world/alpha", "world/bedrock", "world/files", "world/nbt", "world/pack", "world/region", "world/bytes"]),
    ("world/region", &["base", "world/alpha", "world/anvil", "world/bedrock", "world/files", "world/bytes"]),
    ("world", &["base", "world/files", "world/save", "world/region", "world/bytes"]),
    ("paint/surface", &["base", "world/chunk", "world/names"]),
    ("paint/palette", &["base", "world/names", "world/pack"]),
    ("paint/textures", &["base", "paint/palette", "world/pack"]),
    ("paint/layers", &["base", "paint/palette", "paint/surface", "paint/textures", "tile", "world/names"]),
    ("paint", &[]),
    ("markers", &["base", "world", "world/chunk", "world/names", "world/nbt"]),
    ("report", &["base"]),
    ("tile", &["base"]),
    ("page", &["base"]),
    ("atlas", &["base", "page", "tile"]),
    ("store", &["atlas", "base", "page"]),
    ("compare", &["atlas", "base", "page", "tile", "world/files"]),
    ("import/journeymap", &["base", "world", "world/nbt"]),
    ("import", &["base", "import/journeymap", "world"]),
    ("export", &["atlas", "base", "import/journeymap", "store", "tile"]),
    ("draw/request", &[
        "atlas", "base", "export", "markers", "page", "paint/layers", "paint/palette", "paint/surface",
        "paint/textures", "report", "schedule", "store", "tile", "world", "world/chunk", "world/files", "world/names",
        "world/pack",
    ]),
    ("draw/run_state", &["base", "report", "schedule"]),
    ("draw/tiles", &["atlas", "base", "draw/request", "draw/run_state", "export", "markers", "report", "schedule", "store", "tile", "world"]),
    ("draw/painter", &[
        "base", "draw/request", "draw/run_state", "markers", "paint/layers", "paint/palette", "paint/surface",
        "paint/textures", "report", "tile", "world", "world/chunk", "world/files", "world/names",
    ]),
    ("draw/map", &[
        "atlas", "base", "draw/painter", "draw/request", "draw/run_state", "draw/tiles", "markers", "paint/layers",
        "paint/surface", "report", "schedule", "store", "tile", "world",
    ]),
    ("draw/publish", &[
        "atlas", "base", "draw/map", "draw/request", "draw/run_state", "draw/tiles", "export", "markers", "page", "paint/layers",
        "report", "schedule", "store", "tile", "world",
    ]),
    ("draw/runs", &[
        "atlas", "base", "draw/map", "draw/painter", "draw/publish", "draw/request", "draw/run_state", "draw/tiles",
        "export", "import", "markers", "page", "paint/layers", "paint/surface", "report", "schedule", "store", "tile", "world",
    ]),
    ("draw", &["draw/publish", "draw/request", "draw/runs", "export", "markers", "paint/layers", "paint/palette", "report", "world/names"]),
    ("ask", &[
        "atlas", "base", "draw/painter", "draw/request", "draw/runs", "markers", "paint/layers", "paint/palette",
        "paint/surface", "report", "schedule", "store", "world", "world/chunk", "world/files", "world/names",
    ]),
    // It follows a world: when the world changes, it stops drawing and opens the world again.
    ("serve", &["atlas", "base", "draw", "page", "report", "schedule", "world"]),
];

/// The modules of the program around the library, each with the other modules that it may name.
const PROGRAM: &[(&str, &[&str])] = &[
    (
        "main",
        &["cli", "commands", "log", "outcome", "progress", "summary"],
    ),
    (
        "commands",
        &["cli", "log", "outcome", "progress", "summary"],
    ),
    ("outcome", &["log"]),
    ("progress", &["cli", "log", "summary"]),
    ("log", &["cli", "summary"]),
    ("summary", &[]),
    ("cli", &[]),
];

/// The places of the library that the program may name.
const FRONT: &[&str] = &[
    "ask", "atlas", "base", "compare", "draw", "export", "import", "page", "report", "schedule",
    "serve", "store", "world",
];
/// The rooms and folders whose `mod.rs` is a face: it has only modules and re-exports. The files
/// below such a face name each other, and never the face above them.
const FACES: &[&str] = &[
    "ask",
    "atlas",
    "atlas/history",
    "atlas/pmtiles",
    "compare",
    "draw",
    "export",
    "export/bucket",
    "export/geotiff",
    "export/map_mods/journeymap",
    "export/map_mods/squaremap",
    "export/timelapse",
    "import",
    "markers",
    "paint",
    "report",
    "schedule",
    "serve",
    "store",
    "tile",
    "world",
    "world/alpha",
    "world/anvil",
    "world/bedrock",
    "world/bedrock/chunks",
    "world/bedrock/leveldb",
    "world/bytes",
    "world/chunk",
    "world/chunk/forms",
    "world/chunk/view",
    "world/files",
    "world/names",
    "world/region",
];
/// Names that only the program may use.
const TERMINAL: &[&str] = &[
    "clap",
    "clap_complete",
    "clap_mangen",
    "indicatif",
    "signal_hook",
];
/// Names that do not describe the contents of a file.
const EMPTY_NAMES: &[&str] = &[
    "util", "utils", "common", "helpers", "misc", "types", "core", "manager",
];
/// The most lines of a file without its tests.
const MAX_LINES: usize = 750;

/// The place that a path from the crate leads to: the innermost part of a room that the table has,
/// else the room.
fn place(path: &[String]) -> String {
    let mut parts = (2..=path.len()).rev().map(|len| path[..len].join("/"));
    parts
        .find(|part| allowed(PLACES, part).is_some())
        .unwrap_or_else(|| path.first().cloned().unwrap_or_default())
}

fn allowed<'a>(table: &'a [(&str, &[&str])], room: &str) -> Option<&'a [&'a str]> {
    table
        .iter()
        .find(|(name, _)| *name == room)
        .map(|(_, rooms)| *rooms)
}

/// The rules that a file breaks.
fn violations(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    let place = place(&source.module());
    if let Some(module) = source.program_module() {
        wrong.extend(wrong_names_in_program(source, &module));
    } else if source.room() == "lib" {
        wrong.extend(
            source
                .paths_after("crate::")
                .iter()
                .map(|path| format!("the list of rooms names {}", path[0])),
        );
    } else if let Some(may) = allowed(PLACES, &place) {
        // The unit tests of a part may name its whole room.
        let is_test = source.stem().ends_with("tests");
        let is_free = |name: &str| {
            may.contains(&name) || is_test && name.split('/').next() == Some(source.room())
        };

        let strange = source
            .named_places()
            .into_iter()
            .filter(|name| !is_free(name));
        wrong.extend(strange.map(|name| format!("{place} must not name {name}")));
        let outer = source.paths_after("pixelmap::");
        wrong.extend(
            outer
                .iter()
                .map(|path| format!("the library names itself from outside: {}", path[0])),
        );

        let terminal = TERMINAL
            .iter()
            .filter(|name| !source.paths_after(&format!("{name}::")).is_empty());
        wrong.extend(terminal.map(|name| format!("{place} must not know {name}")));
    } else {
        wrong.push(format!(
            "{place} is in no table: say in tests/layers.rs what it may name"
        ));
    }

    let code = source.code();
    if code.contains("super::super") {
        wrong.push("super::super: name the room".to_owned());
    }

    let is_written = code
        .split("mod tests")
        .next()
        .unwrap()
        .contains("serde_json::to_");

    // The records of tiles consist of bytes, and no other program reads them.
    if is_written && !source.path.ends_with("base/json.rs") && place != "draw/tiles" {
        wrong.push("JSON that is not escaped: write it with base::json".to_owned());
    }

    wrong
}

/// The names in a file of the program that its module must not name.
fn wrong_names_in_program(source: &Source, module: &str) -> Vec<String> {
    let Some(may) = allowed(PROGRAM, module) else {
        return vec![format!(
            "{module} is in no table: say in tests/layers.rs what it may name"
        )];
    };

    let named: BTreeSet<String> = source
        .paths_after("crate::")
        .into_iter()
        .map(|path| path[0].clone())
        .collect();

    let strange = named
        .iter()
        .filter(|name| *name != module && !may.contains(&name.as_str()));
    let mut wrong: Vec<String> = strange
        .map(|name| format!("{module} must not name crate::{name}"))
        .collect();

    let library: BTreeSet<String> = source
        .paths_after("pixelmap::")
        .iter()
        .map(|path| place(path))
        .collect();
    let deep = library
        .iter()
        .filter(|name| !FRONT.contains(&name.as_str()));
    wrong.extend(deep.map(|name| format!("{module} must not name {name}")));

    wrong
}

#[test]
fn rooms_name_only_rooms_below() {
    let mut wrong = Vec::new();
    for source in sources("src") {
        wrong.extend(
            violations(&source)
                .into_iter()
                .map(|what| format!("{}: {what}", source.path.display())),
        );
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_name_is_detected_wherever_it_hides() {
    let planted = |path: &str, text: &str| {
        let source = Source {
            path: PathBuf::from(path),
            text: text.to_owned(),
        };
        violations(&source).len()
    };

    assert_eq!(
        planted("crates/world/src/anvil/file.rs", "use crate::draw::render;"),
        1
    );

    assert_eq!(
        planted(
            "crates/world/src/anvil/file.rs",
            "fn f() -> crate::world::chunk::Chunk {}"
        ),
        1
    );

    assert_eq!(
        planted("crates/world/src/anvil/mod.rs", "use super::chunk::Chunk;"),
        1
    );

    assert_eq!(
        planted(
            "crates/world/src/nbt.rs",
            "use crate::{base::coord, world::{names, chunk::{Chunk, Meta}}};"
        ),
        3
    );

    assert_eq!(
        planted(
            "crates/paint/src/layers/land/day.rs",
            "use super::super::surface::Columns;"
        ),
        1
    );

    assert_eq!(
        planted(
            "crates/draw/src/painter/region.rs",
            "use crate::draw::map::state::Map;"
        ),
        1
    );

    assert_eq!(
        planted(
            "crates/map/src/store/folder/output.rs",
            "let x = clap::Command::new(\"x\");"
        ),
        1
    );

    assert_eq!(
        planted("src/summary.rs", "use pixelmap_world::anvil::Fault;"),
        1
    );

    assert_eq!(
        planted(
            "src/commands/mod.rs",
            "use pixelmap::{world::{chunk, nbt}, draw};"
        ),
        2
    );

    assert_eq!(planted("src/cli/mod.rs", "use crate::commands::run;"), 1);
    assert_eq!(planted("src/attic.rs", ""), 1);
    assert_eq!(planted("src/log.rs", "serde_json::to_string(event)"), 1);

    let allowed = "//! see crate::draw\nuse crate::world::names::NameCache; // crate::draw\nuse \
                   crate::base::*;";
    assert_eq!(planted("crates/world/src/chunk/mod.rs", allowed), 0);
}

#[test]
fn no_places_depend_in_a_circle() {
    for table in [PLACES, PROGRAM] {
        for (start, may) in table {
            let mut seen = BTreeSet::new();
            let mut next: Vec<&str> = may.to_vec();
            while let Some(place) = next.pop() {
                assert!(place != *start, "{start} names others that name it");
                if seen.insert(place) {
                    next.extend(allowed(table, place).unwrap_or_default());
                }
            }
        }
    }
}

#[test]
fn no_files_name_each_other_in_a_circle() {
    let modules = Modules::new(sources("src"));
    assert!(modules.circles().is_empty(), "{:#?}", modules.circles());

    let circles = |one: &str, two: &str| {
        let source = |path: &str, text: &str| Source {
            path: PathBuf::from(path),
            text: text.to_owned(),
        };

        let face = source(
            "crates/map/src/atlas/mod.rs",
            "mod one;\nmod two;\n\npub(crate) use one::{One, Other};\n",
        );
        let files = vec![
            face,
            source("crates/map/src/atlas/one.rs", one),
            source("crates/map/src/atlas/two.rs", two),
        ];
        Modules::new(files).circles().len()
    };

    assert_eq!(
        circles("use super::two::Two;", "use crate::atlas::{Format, One};"),
        2
    );
    assert_eq!(
        circles("use super::two::Two;", "fn two(_: super::one::One) {}"),
        2
    );

    assert_eq!(
        circles(
            "use super::two::Two;",
            "#[cfg(test)]\nmod tests {\n    use super::super::One;\n}"
        ),
        0
    );
    assert_eq!(circles("use super::two::Two;", "use super::Format;"), 0);
}

/// Returns whether a `mod.rs` has nothing but modules and re-exports.
fn is_face(source: &Source) -> bool {
    let code = source.code();
    let items = code.split(';').map(|item| {
        let lines = item.lines().map(str::trim);
        lines.filter(|line| !line.starts_with("#[")).collect()
    });

    items.filter(|item: &String| !item.is_empty()).all(|item| {
        let words = [
            "mod ",
            "pub mod ",
            "pub(crate) mod ",
            "pub use ",
            "pub(crate) use ",
        ];
        words.iter().any(|words| item.starts_with(words))
    })
}

/// Returns the names that a file takes from a face above it. `face` is the module of the face, and
/// `offered` has the paths of all names that any face offers.
fn names_from_above(
    source: &Source,
    face: &[String],
    offered: &BTreeSet<Vec<String>>,
) -> Vec<String> {
    let outside = source.without_tests();
    let paths = ["crate", "super"].into_iter().flat_map(|root| {
        let paths = outside.paths_after(&format!("{root}::")).into_iter();
        paths.map(move |path| [&[root.to_owned()], &path[..]].concat())
    });

    let absolute = paths.map(|path| source.absolute(path));
    let own = absolute.filter(|path| path.len() == face.len() + 1 && path.starts_with(face));
    own.filter(|path| offered.contains(path))
        .map(|path| path.join("::"))
        .collect()
}

#[test]
fn a_face_lists_what_its_room_offers() {
    let modules = Modules::new(sources("src"));
    let offered: BTreeSet<Vec<String>> = modules
        .faces
        .keys()
        .filter(|path| !modules.files.contains_key(*path))
        .cloned()
        .collect();

    let mut wrong = Vec::new();
    for name in FACES {
        let face: Vec<String> = name.split('/').map(str::to_owned).collect();
        let below = modules
            .files
            .iter()
            .filter(|(module, _)| module.starts_with(&face));

        for (module, source) in below {
            let path = source.path.display();
            if *module == face {
                if !is_face(source) {
                    wrong.push(format!("{path}: give its items a file of their own"));
                }
                continue;
            }

            let above = names_from_above(source, &face, &offered);
            wrong.extend(
                above
                    .iter()
                    .map(|name| format!("{path}: name the file of {name}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    let source = |path: &str, text: &str| Source {
        path: PathBuf::from(path),
        text: text.to_owned(),
    };
    let listing = "//! A room.\n\n#[cfg(x)]\nmod one;\n\npub use one::{\n    One, Two,\n};\n";
    assert!(is_face(&source("crates/tile/src/lib.rs", listing)));
    for item in ["pub struct One;", "use one::One;", "fn f() {}"] {
        assert!(!is_face(&source(
            "crates/tile/src/lib.rs",
            &format!("{listing}{item}")
        )));
    }

    for folder in ["tile", "tile/inner"] {
        let face: Vec<String> = folder.split('/').map(str::to_owned).collect();
        let offered = BTreeSet::from([[&face[..], &["One".to_owned()]].concat()]);
        let root = folder.replace('/', "::");

        for (text, expected) in [
            ("use super::{One, two::Two};".to_owned(), 1),
            (format!("use crate::{root}::One;"), 1),
            (format!("use crate::{root}::one::One;"), 0),
        ] {
            let file = source(&format!("src/{folder}/two.rs"), &text);
            let found = names_from_above(&file, &face, &offered);
            assert_eq!(found.len(), expected, "{text}");
        }
    }
}

#[test]
fn the_table_lists_every_place() {
    let files = sources("src");
    let library = files
        .iter()
        .filter(|source| !["lib", "program"].contains(&source.room()));

    let there: BTreeSet<String> = library.map(|source| place(&source.module())).collect();
    assert_eq!(
        there,
        PLACES
            .iter()
            .map(|(place, _)| (*place).to_owned())
            .collect()
    );

    let there: BTreeSet<String> = files.iter().filter_map(Source::program_module).collect();
    assert_eq!(
        there,
        PROGRAM
            .iter()
            .map(|(module, _)| (*module).to_owned())
            .collect()
    );

    let named = PLACES.iter().flat_map(|(_, may)| *may).chain(FRONT);
    let absent: Vec<_> = named
        .filter(|name| allowed(PLACES, name).is_none())
        .collect();
    assert!(absent.is_empty(), "{absent:?}");
}

/// The files of `atlas` that open a path because a user named it, such as an archive.
const OPENERS: [&str; 3] = ["pmtiles/archive.rs", "finished_map.rs", "outputs.rs"];
/// The functions of `base::disk` that all other files may name, because they open and list nothing.
const OPENS_NOTHING: [&str; 3] = ["full_path", "if_there", "is_absent"];

/// The ways in which a file opens paths that are not relative to an opened folder.
fn opened_paths(source: &Source) -> Vec<String> {
    let paths = source.paths_after("crate::").into_iter();
    let disk = paths
        .filter(|path| path.len() > 2 && path[..2] == ["base", "disk"])
        .map(|path| path[2].clone());
    let code = source.code();
    let opens = ["fs::read", "File::open(", "canonicalize("]
        .into_iter()
        .filter(|&call| code.contains(call));
    disk.filter(|name| !OPENS_NOTHING.contains(&&**name))
        .chain(opens.map(str::to_owned))
        .collect()
}

#[test]
fn map_files_are_read_from_their_folder() {
    let is_of_maps = |source: &&Source| {
        source.room() == "atlas" && !OPENERS.iter().any(|opener| source.path.ends_with(opener))
            || source.path.ends_with("compare/verify.rs")
    };

    for source in sources("src").iter().filter(is_of_maps) {
        let opened = opened_paths(source);
        assert!(
            opened.is_empty(),
            "{} may follow links: use OwnFolder, not {opened:?}",
            source.path.display()
        );
    }

    let text = "use crate::base::disk::{if_there, read_file};\nfn f() { std::fs::read_dir(path); }";
    let planted = Source {
        path: PathBuf::from("crates/map/src/atlas/content.rs"),
        text: text.to_owned(),
    };
    assert_eq!(opened_paths(&planted), ["read_file", "fs::read"]);
}

#[test]
fn rooms_are_public_only_if_named_outside() {
    let is_outside =
        |source: &Source| !source.path.starts_with("src") || source.room() == "program";

    // This file contains names of wrong code.
    let outside = all_sources()
        .into_iter()
        .filter(|source| is_outside(source) && source.stem() != "layers");
    let places = outside.flat_map(|source| source.paths_after("pixelmap::"));
    let named: BTreeSet<String> = places
        .flat_map(|path| [path[0].clone(), path[..path.len().min(2)].join("/")])
        .collect();

    let mut public = BTreeSet::new();
    for source in sources("src")
        .into_iter()
        .filter(|source| source.module().len() == 1)
    {
        let above = if source.room() == "lib" {
            String::new()
        } else {
            format!("{}/", source.room())
        };

        public.extend(
            source
                .paths_after("pub mod ")
                .iter()
                .map(|path| format!("{above}{}", path[0])),
        );
    }

    assert!(public.len() > 20, "{public:?}");

    let idle: Vec<_> = public.difference(&named).collect();
    assert!(idle.is_empty(), "write mod in place of pub mod: {idle:?}");
}

fn all_sources() -> Vec<Source> {
    ["src", "tests", "benches"]
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
