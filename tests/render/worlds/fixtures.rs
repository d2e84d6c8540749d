//! Tests that the worlds under `fixtures/` are exactly the ones that the builder makes from their
//! descriptions. `BLESS=1 cargo test --test render fixtures::` writes them again. `tests/demo/`
//! tests the demo world.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::world::fixture::{self, Fixture};
use crate::world::{Files, many};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn all() -> Vec<Fixture> {
    [fixture::all(), fixture::bedrock::all()].concat()
}

#[test]
fn small_worlds_match_their_builder() {
    let fixtures = all();
    for fixture in &fixtures {
        fixture
            .files
            .check_or_bless(fixture.name, "cargo test --test render fixtures::");
    }

    let names: BTreeMap<&str, &Fixture> = fixtures
        .iter()
        .map(|fixture| (fixture.name, fixture))
        .collect();
    assert_eq!(names.len(), fixtures.len(), "two fixtures share a name");
}

/// The folder and purpose of the largest fixture.
const DEMO: (&str, &str) = (
    "demo",
    "an island with caves, a mine and lamps, stored in six generations from west to east: 1.8, \
     1.12, 1.13, 1.16, 1.18, 26.3",
);

#[test]
fn no_folder_under_fixtures_is_without_a_description() {
    let mut known: Vec<String> = all()
        .iter()
        .map(|fixture| fixture.name.to_owned())
        .collect();
    known.push(DEMO.0.to_owned());

    for entry in fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        assert!(
            !entry.path().is_dir() || known.contains(&name),
            "fixtures/{name} is built by nobody"
        );
    }
}

#[test]
fn the_list_of_fixtures_is_in_their_readme() {
    let fixtures = all();
    let lines = fixtures
        .iter()
        .map(|fixture| format!("| `{}` | {} |\n", fixture.name, fixture.what));

    let text = format!(
        "{README}| `{}` | {} |\n{}",
        DEMO.0,
        DEMO.1,
        lines.collect::<String>()
    );
    let path = folder().join("README.md");

    if std::env::var_os("BLESS").is_some() {
        let mut files = Files::new();
        files.put("README.md", text.into_bytes());
        files.write_under(&folder());
        return;
    }

    assert_eq!(
        fs::read_to_string(path).unwrap(),
        text,
        "BLESS=1 cargo test --test render fixtures:: writes it anew"
    );
}

const README: &str = "\
# Worlds for the tests

The builder of this project (`tests/world/`) writes every file here, from descriptions in `tests/world/fixture/` and
`tests/demo/island/`. Nothing comes from the worlds of other people. Each folder is a world of a few chunks that shows
one generation, one fault or one layout. `demo` is an island whose parts are stored in different generations side by
side.

    cargo test --test render fixtures::            # fails if a file differs from the built one
    BLESS=1 cargo test --test render fixtures::    # writes all files again

`demo` has its own test, which `cargo test` leaves out, because the other tests need only the files:

    cargo test --test demo
    BLESS=1 cargo test --test demo

The same description gives the same bytes on every platform. So a change here is a change of the builder, and belongs in
the same commit. Worlds that are too big for the repository are built when a test needs them (`fixture::big`,
`world::many`).

| folder | purpose |
|---|---|
";

#[test]
fn the_same_description_gives_the_same_bytes() {
    assert_eq!(many::region(0, 0, 2).bytes(), many::region(0, 0, 2).bytes());
}
