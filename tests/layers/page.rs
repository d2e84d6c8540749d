//! Checks how a page of code looks: steps have names or are statements, and are not hidden in
//! closures with names or in filters that ignore their element.

use std::collections::BTreeMap;

use regex_lite::Regex;

use super::source::{Source, sources};

/// The most closures with names per 1,000 lines of code of a room. Lower it with each change that
/// makes the number fall.
const MOST_CLOSURES: usize = 4;

/// The most filters that ignore their element, such as `.filter(|_| is_wanted)`. An `if` is
/// clearer.
const MOST_FILTERS: usize = 4;

/// Returns whether a file contains code that is not part of a test.
fn is_code(source: &Source) -> bool {
    !source
        .path
        .with_extension("")
        .iter()
        .any(|name| name.to_str().unwrap().ends_with("tests"))
}

#[test]
fn few_closures_have_names() {
    let closure = Regex::new(r"let (?:mut )?\w+(?:: [^=;]+)? = (?:move )?\|").unwrap();
    let mut rooms: BTreeMap<String, (usize, usize)> = BTreeMap::new();

    for source in sources("src").iter().filter(|source| is_code(source)) {
        let code = source.without_tests().code();
        let (lines, closures) = rooms.entry(source.room().to_owned()).or_default();
        *lines += code.lines().filter(|line| !line.trim().is_empty()).count();
        *closures += closure.find_iter(&code).count();
    }

    assert!(rooms.len() > 10, "{rooms:?}");
    for (room, (lines, closures)) in rooms {
        assert!(
            closures * 1000 <= lines * MOST_CLOSURES,
            "{room} has {closures} closures with names in {lines} lines: write functions or statements"
        );
    }
}

#[test]
fn conditions_are_not_hidden_in_filters() {
    let mut found = Vec::new();
    for source in sources("src").iter().filter(|source| is_code(source)) {
        let code = source.without_tests().code();
        for _ in code.matches(".filter(|_|") {
            found.push(source.path.display().to_string());
        }
    }

    assert!(
        found.len() <= MOST_FILTERS,
        "write `if` instead of a filter: {found:?}"
    );
}
