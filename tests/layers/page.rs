//! Checks the form of a page of code: steps have names or are statements, and are not hidden in
//! closures with names or in filters that ignore their element.

use std::collections::BTreeMap;

use regex_lite::Regex;

use super::source::{Source, code};

/// The most closures with names per 1,000 lines of code of a room. Lower it with each change that
/// makes the number fall.
const MOST_CLOSURES: usize = 4;

/// The most filters that ignore their element, such as `.filter(|_| is_wanted)`. An `if` is
/// clearer.
const MOST_FILTERS: usize = 4;

/// The crates with several rooms, which are their folders. Each other crate is one room.
const CRATES_OF_ROOMS: [&str; 2] = ["draw", "map"];

fn room(source: &Source) -> String {
    let module = source.module();
    let names = if CRATES_OF_ROOMS.contains(&module[0].as_str()) {
        2
    } else {
        1
    };
    module[..names.min(module.len())].join("/")
}

#[test]
fn few_closures_have_names() {
    let closure = Regex::new(r"let (?:mut )?\w+(?:: [^=;]+)? = (?:move )?\|").unwrap();
    let mut rooms: BTreeMap<String, (usize, usize)> = BTreeMap::new();

    for source in code().iter().filter(|source| !source.is_test()) {
        let text = source.without_tests().code();
        let (lines, closures) = rooms.entry(room(source)).or_default();
        *lines += text.lines().filter(|line| !line.trim().is_empty()).count();
        *closures += closure.find_iter(&text).count();
    }

    assert!(rooms.len() > 10, "{rooms:?}");
    for (name, (lines, closures)) in rooms {
        assert!(
            closures * 1000 <= lines * MOST_CLOSURES,
            "{name} has {closures} closures with names in {lines} lines: write functions or statements"
        );
    }
}

#[test]
fn conditions_are_not_hidden_in_filters() {
    let mut found = Vec::new();
    for source in code().iter().filter(|source| !source.is_test()) {
        let text = source.without_tests().code();
        for _ in text.matches(".filter(|_|") {
            found.push(source.path.display().to_string());
        }
    }

    assert!(
        found.len() <= MOST_FILTERS,
        "write `if` instead of a filter: {found:?}"
    );
}
