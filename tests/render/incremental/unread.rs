//! Tests that unreadable or damaged files of earlier runs are not treated as missing.
#![allow(
    clippy::disallowed_methods,
    reason = "what a disk does to a map is no output of the program"
)]

use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, symlink};
use std::path::Path;

use crate::map::{Map, assert_same_files, render};
use crate::publishing::bookkeeping::{edit, grass};

/// Calls `then` while the file of a map is a link to itself, which no user can open.
fn while_unreadable<T>(map: &Map, path: &str, then: impl FnOnce() -> T) -> T {
    let (path, aside) = (map.root.join(path), map.root.with_extension("aside"));
    let was_there = fs::rename(&path, &aside).is_ok();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(&path, &path).unwrap();
    let done = then();
    assert!(path.is_symlink(), "it was removed");
    fs::remove_file(&path).unwrap();

    if was_there {
        fs::rename(aside, path).unwrap();
    }

    done
}

/// Overwrites bytes of a file like a failing disk: its length and its times stay.
pub(crate) fn change_on_disk(path: &Path, at: u64, bytes: &[u8]) {
    let file = File::options().write(true).open(path).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    file.write_all_at(bytes, at).unwrap();
    file.set_modified(modified).unwrap();
}

#[test]
fn an_unreadable_journal_ends_the_run() {
    let place = grass();
    let map = place.draw("map", &[]);
    let before = map.files();
    edit(&place);

    for (path, options) in [
        (".pixelmap/journal", &[][..]),
        (".pixelmap/journal", &["--staged"]),
    ] {
        let ran = while_unreadable(&map, path, || render(&place.world(), &map.root, options))
            .expect(1, path);
        assert!(ran.err.contains(path), "{}", ran.err);
        assert_same_files(path, &before, &map.files());
    }

    render(&place.world(), &map.root, &[]).expect(0, "it can be read again");
    assert_same_files(
        "afterwards",
        &place.draw("fresh", &[]).files(),
        &map.files(),
    );
}

#[test]
fn an_unreadable_list_fails_the_run() {
    let place = grass();
    let map = place.draw("map", &[]);
    let list = place.at("changed");
    render(
        &place.world(),
        &map.root,
        &["--changed-list", list.to_str().unwrap()],
    )
    .expect(0, "listed");

    let with_list = || {
        render(
            &place.world(),
            &map.root,
            &["--changed-list", list.to_str().unwrap()],
        )
    };

    let ran = while_unreadable(&map, ".pixelmap/listed.tsv", with_list).expect(1, "a list");
    assert!(ran.err.contains("listed"), "{}", ran.err);
    with_list().expect(0, "they can be read again");
}

#[test]
fn a_tile_damaged_on_disk_is_drawn_again() {
    for options in [&[][..], &["--staged"]] {
        let place = grass();
        let map = place.draw("map", options);
        let path = map.root.join("overworld/day/17/0/0.png");
        change_on_disk(&path, 60, &[fs::read(&path).unwrap()[60] ^ 1]);
        edit(&place);

        let ran = render(&place.world(), &map.root, options).expect(75, "a rotten tile");
        assert!(ran.err.contains("17/0/0.png is damaged"), "{}", ran.err);
        render(&place.world(), &map.root, options).expect(0, "the next run");
        assert_same_files(
            "afterwards",
            &place.draw("fresh", options).files(),
            &map.files(),
        );
    }
}

#[test]
fn a_damaged_world_file_is_rewritten() {
    let place = grass();
    let map = place.draw("map", &["--mode", "regions"]);
    let path = map.root.join("r.0.0.pgw");
    let before = fs::read(&path).unwrap();
    change_on_disk(&path, 0, &vec![0; before.len()]);
    render(&place.world(), &map.root, &["--mode", "regions"]).expect(0, "the next run");
    assert_eq!(fs::read(&path).unwrap(), before);
}
