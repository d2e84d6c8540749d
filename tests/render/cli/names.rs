//! Tests worlds given by name, and the list of the worlds on this machine.

use std::path::Path;
use std::process::Command;

use crate::map::{Place, Ran, land, program};
use crate::world::bedrock::level_dat as bedrock_level_dat;
use crate::world::level_dat::LevelDat;
use crate::world::nbt::Tag;
use crate::world::{ChunkSpec, Files, Generation, block};

const GAME: &str = "home/.minecraft/saves";
const LAUNCHER: &str = "home/curseforge/minecraft/Instances/Pack/saves";

/// Puts a world with one chunk into a folder; it was played last `played` seconds after 2023-11-14
/// 22:13:20.
fn put_world(files: &mut Files, folder: &str, name: &str, played: i64) {
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(60, 64, block::STONE);
    land::put_chunks(files, &format!("{folder}/region"), &[chunk]);
    let played = Tag::Long((1_700_000_000 + played) * 1000);
    files.put(
        &format!("{folder}/level.dat"),
        LevelDat::new(name, Some(3955))
            .with("LastPlayed", played)
            .bytes(),
    );
}

/// The folder of a user with four worlds: three of the game and of a launcher, and a Bedrock world
/// in the working folder.
pub(super) fn machine() -> Place {
    let mut files = Files::new();
    put_world(&mut files, &format!("{GAME}/folder1"), "New World", 0);
    put_world(&mut files, &format!("{GAME}/Old"), "The Old One", -86_400);
    put_world(
        &mut files,
        &format!("{LAUNCHER}/folder1"),
        "Skyblock $5",
        86_400,
    );

    files.put(
        "here/AbC=/level.dat",
        bedrock_level_dat::bytes("Pocket", &[1, 21, 62, 1, 0], &[]),
    );
    files.put("here/AbC=/db/CURRENT", b"MANIFEST-000001\n".to_vec());
    let place = Place::empty();
    files.write_under(&place.at(""));

    place
}

/// The program, as a user calls it from a folder.
pub(super) fn call(place: &Place, folder: &str, args: &[&str]) -> Command {
    let mut command = program();
    command.current_dir(place.at(folder)).args(args);

    for name in ["HOME", "USERPROFILE"] {
        command.env(name, place.at("home"));
    }

    for name in ["XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"] {
        command.env_remove(name);
    }

    command
}

fn run(place: &Place, folder: &str, args: &[&str]) -> Ran {
    Ran::of(call(place, folder, args).output().unwrap())
}

#[test]
fn a_world_is_found_by_partial_name() {
    let place = machine();
    for (name, folder) in [
        ("new world", format!("{GAME}/folder1")),
        ("Old", format!("{GAME}/Old")),
        ("sky", format!("{LAUNCHER}/folder1")),
    ] {
        let ran = run(&place, "here", &["query", name, "0", "0"]).expect(0, name);
        assert!(ran.out.contains("stone"), "{name}: {}", ran.out);
        let note = format!("world: {}", place.at(&folder).display());
        assert_eq!(ran.err.trim_end(), note, "{name}");
    }

    let ran = run(&place, "here", &["render", "sky", "--log-format", "json"]).expect(0, "render");
    assert!(
        ran.err.lines().all(|line| line.starts_with('{')),
        "{}",
        ran.err
    );
    assert!(Path::exists(&place.at("here/map/map.json")));
}

#[test]
fn worlds_of_the_same_name_are_listed() {
    let place = machine();
    let ran = run(&place, "here", &["info", "folder1"]).expect(1, "two");
    let folders =
        [GAME, LAUNCHER].map(|saves| format!("\n  {}", place.at(saves).join("folder1").display()));

    assert!(
        ran.err
            .contains("2 worlds have folder1 in their names: give the path of one"),
        "{}",
        ran.err
    );

    assert!(
        folders.iter().all(|folder| ran.err.contains(folder)),
        "{}",
        ran.err
    );

    let from_saves = run(&place, GAME, &["info", "folder1"]).expect(0, "a path");
    assert!(
        from_saves.out.starts_with("New World\n") && from_saves.err.is_empty(),
        "{}",
        from_saves.err
    );

    let absent = run(&place, "here", &["info", "nowhere"]).expect(1, "absent");
    assert!(
        absent
            .err
            .contains("there is no folder nowhere, and no world has nowhere in its name"),
        "{}",
        absent.err
    );
}

#[test]
fn one_line_names_the_next_command_without_terminal() {
    let place = machine();
    let ran = run(&place, "here", &[]).expect(2, "no command");
    assert!(
        ran.err.lines().count() == 1 && ran.err.contains("type pixelmap serve WORLD"),
        "{}",
        ran.err
    );
}

#[cfg(unix)]
#[test]
fn without_worlds_one_line_names_the_next_command() {
    let place = Place::empty();
    std::fs::create_dir_all(place.at("here")).unwrap();
    let text = on_terminal(call(&place, "here", &[]), "");
    assert!(
        text.trim().lines().count() == 1 && text.contains("type pixelmap serve WORLD"),
        "{text}"
    );
}

/// Returns the output of the program on a terminal on which `typed` is typed.
#[cfg(unix)]
fn on_terminal(mut command: Command, typed: &str) -> String {
    use std::fs::File;
    use std::io::{Read as _, Write as _};

    use nix::pty::openpty;
    let pty = openpty(None, None).unwrap();
    command
        .stdin(pty.slave.try_clone().unwrap())
        .stdout(pty.slave.try_clone().unwrap())
        .stderr(pty.slave);
    let mut child = command.spawn().unwrap();
    // From now on only the program has the terminal open, so reading ends when the program ends.
    drop(command);
    let mut terminal = File::from(pty.master);
    terminal.write_all(typed.as_bytes()).unwrap();
    let (mut text, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(count) = terminal.read(&mut part)
        && count > 0
    {
        text.extend(&part[..count]);
    }
    child.wait().unwrap();
    String::from_utf8(text).unwrap().replace('\r', "")
}

#[cfg(unix)]
#[test]
fn the_program_alone_lists_worlds_on_a_terminal() {
    let place = machine();
    let text = on_terminal(call(&place, "here", &[]), "\n");

    let rows = [
        "  1  Pocket       Bedrock Edition 1.21.62",
        "     pixelmap serve Pocket\n",
        "  2  Skyblock $5  Java Edition fixture",
        "     pixelmap serve 'Skyblock $5'\n",
        "  3  New World    Java Edition fixture",
        "     pixelmap serve \"New World\"\n",
        "  4  The Old One  Java Edition fixture",
        "Number of the world to show (Enter: none): ",
    ];

    let places: Vec<Option<usize>> = rows.iter().map(|row| text.find(row)).collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{places:?}: {text}"
    );
    assert!(
        text.contains("2023-11-15\n") && text.contains("2023-11-13\n"),
        "{text}"
    );
}
