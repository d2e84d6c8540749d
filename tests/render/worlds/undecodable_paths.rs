//! Tests paths that are not UTF-8: nothing fails because of them, and no two are confused.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds and damaged maps are no output of the program"
)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::map::{Place, Ran, land, program};

fn name(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// A place whose world has a name that is not UTF-8.
fn place() -> (Place, PathBuf) {
    let place = Place::of(&land::two_dimensions());
    let world = place.at("").join(name(b"w\xff"));
    fs::rename(place.world(), &world).unwrap();
    (place, world)
}

fn call(folder: &Path, command: &str, arguments: &[&OsStr], code: i32) -> Ran {
    let mut program = program();
    program.current_dir(folder).arg(command).args(arguments);
    Ran::of(program.output().unwrap()).expect(code, &format!("{arguments:?}"))
}

#[test]
fn undecodable_paths_are_drawn_and_read() {
    let (place, world) = place();
    let here = place.at("").join(name(b"here\xfe"));
    fs::create_dir(&here).unwrap();
    fs::write(
        here.join(name(b"c\xff.toml")),
        "layer = [\"day\", \"height\"]\nscheme = \"xyz\"\n",
    )
    .unwrap();

    let hide =
        r#"{"type": "Polygon", "coordinates": [[[900, 900], [901, 900], [901, 901], [900, 900]]]}"#;
    fs::write(here.join(name(b"h\xff.json")), hide).unwrap();

    let report = name(b"r\xff.json");
    let arguments = [
        world.as_os_str(),
        name(b"-o"),
        name(b"o\xff"),
        name(b"-c"),
        name(b"c\xff.toml"),
    ];

    let log = [
        name(b"--report"),
        report,
        name(b"--log-format"),
        name(b"json"),
    ];

    let lists = [
        name(b"--changed-list"),
        name(b"l\xff"),
        name(b"--deleted-list"),
        name(b"d\xff"),
    ];

    for more in [&log[..], &lists, &[name(b"--dry-run"), name(b"--json")]] {
        call(&here, "render", &[&arguments, more].concat(), 0);
    }

    let told: Value = serde_json::from_slice(&fs::read(here.join(report)).unwrap()).unwrap();
    assert_eq!(told["outcome"], "complete");

    // A file of hidden places, regions, and a picture.
    let hidden = [
        world.as_os_str(),
        name(b"--hide"),
        name(b"h\xff.json"),
        name(b"-o"),
    ];

    call(
        &here,
        "render",
        &[&hidden[..], &[name(b"hidden\xff")]].concat(),
        0,
    );

    call(
        &here,
        "render",
        &[
            &hidden[..],
            &[name(b"regions\xff"), name(b"--mode"), name(b"regions")],
        ]
        .concat(),
        0,
    );

    call(
        &here,
        "render",
        &[&hidden[..], &[name(b"p\xff.png")]].concat(),
        0,
    );
    call(&here, "info", &[world.as_os_str(), name(b"--json")], 0);
    call(&here, "verify", &[name(b"o\xff"), name(b"--json")], 0);
}

#[test]
fn worlds_with_different_undecodable_names_are_two_worlds() {
    let (place, world) = place();
    let other = place.at("").join(name(b"w\xfe"));
    fs::create_dir(&other).unwrap();

    let copied = std::process::Command::new("cp")
        .arg("-r")
        .arg(world.join("."))
        .arg(&other)
        .status()
        .unwrap();
    assert!(copied.success());

    for world in [&world, &other] {
        for level in ["level.dat", "level.dat_old"] {
            let _ = fs::remove_file(world.join(level));
        }
    }

    let draw = |world: &Path, code| {
        let arguments: [OsString; 3] = [world.into(), "-o".into(), "map".into()];
        call(
            &place.at(""),
            "render",
            &arguments.each_ref().map(OsString::as_os_str),
            code,
        )
    };

    draw(&world, 0);
    let refused = draw(&other, 1);
    assert!(refused.err.contains("another world"), "{}", refused.err);
    draw(&world, 0);
}
