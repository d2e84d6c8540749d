//! Tests runs on a map that lost tiles, its state, or a part of its journal.

use std::fs::{self, File};

use super::{
    again, as_if_killed, assert_same_as_fresh, edit, file, regions, unchanged_world, written,
};
use crate::incremental::unread::change_on_disk;
use crate::map::{Place, has_ending, render};

#[test]
fn only_missing_or_overwritten_tiles_are_redrawn() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    for (tile, regions) in [("17/1/1", 1), ("16/0/0", 0)] {
        let path = map.root.join(format!("overworld/day/{tile}.png"));
        fs::remove_file(&path).unwrap();
        assert_eq!(
            written(&again(&place, &[], regions, &format!("{tile} deleted"))),
            1
        );

        let len = path.metadata().unwrap().len() as usize;
        fs::write(&path, vec![7; len]).unwrap();
        assert_eq!(
            written(&again(&place, &[], regions, &format!("{tile} overwritten"))),
            1
        );
    }
}

#[test]
fn a_map_without_state_is_redrawn() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    let journal = map.root.join(".pixelmap/journal");
    again(&place, &[], 0, "with it");
    fs::remove_file(&journal).unwrap();
    again(&place, &[], 9, "without it");
    let mut bytes = fs::read(&journal).unwrap();
    bytes[17] += 1;
    fs::write(&journal, &bytes).unwrap();
    again(&place, &[], 9, "of another version");
    fs::remove_dir_all(map.root.join(".pixelmap")).unwrap();
    again(&place, &[], 9, "without the folder");
}

#[test]
fn a_torn_journal_is_valid_before_the_tear() {
    let place = Place::of(&unchanged_world());

    let map = place.draw("map", &[]);
    let journal = map.root.join(".pixelmap/journal");
    let whole = fs::read(&journal).unwrap();
    for share in 0..=8 {
        let cut = whole.len() * share / 8;
        fs::write(&journal, &whole[..cut]).unwrap();

        let report = render(&place.world(), &map.root, &[])
            .expect(0, "torn")
            .report();
        let [drawn, unchanged] = regions(&report);
        assert!(share > 0 || drawn == 9);
        assert!(share < 8 || drawn == 0);

        assert!(
            unchanged as usize + 1 >= 9 * share / 8,
            "{share}: {drawn} drawn"
        );
        assert_eq!(written(&report), 0);
        assert_same_as_fresh(&place, &[], &format!("torn at {cut}"));
    }
}

#[test]
fn unsynced_records_are_not_trusted() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);

    // A power cut before the end of the run: the disk has the length and the time, but not the
    // bytes.
    as_if_killed(&map);
    let tile = map.root.join("overworld/day/17/1/1.png");
    let len = tile.metadata().unwrap().len() as usize;
    let modified = tile.metadata().unwrap().modified().unwrap();
    fs::write(&tile, vec![0; len]).unwrap();

    File::options()
        .write(true)
        .open(&tile)
        .unwrap()
        .set_modified(modified)
        .unwrap();

    let report = again(&place, &[], 1, "after a power cut");
    assert_eq!(written(&report), 1);
}

#[test]
fn a_map_survives_kills_and_shrinking_worlds() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);

    // The state that a killed first run leaves: tiles and a journal, but no manifest that names
    // them.
    as_if_killed(&map);

    for path in map
        .files()
        .into_keys()
        .filter(|path| !has_ending(path, "png"))
    {
        fs::remove_file(map.root.join(path)).unwrap();
    }

    fs::remove_file(file(&place, 2, 0)).unwrap();
    again(&place, &[], 3, "a region less");
}

#[test]
fn an_unreadable_child_tile_stops_its_parent() {
    let place = Place::of(&unchanged_world());
    render(&place.world(), &place.at("map"), &[]).expect(0, "first");
    edit(&place, 15, 15);

    // Region 1, 0 is unchanged; its tile is read for the parent that it shares with region 0, 0.
    let tile = place.at("map").join("overworld/day/17/1/0.png");
    let sound = fs::read(&tile).unwrap();
    let put = |bytes: &[u8]| change_on_disk(&tile, 0, bytes);
    put(&vec![7; sound.len()]);

    let parents = || {
        ["16/0/0.png", "15/0/0.png"]
            .map(|path| fs::read(place.at("map/overworld/day").join(path)).ok())
    };

    let before = parents();
    let ran = render(&place.world(), &place.at("map"), &["-t", "1"]).expect(75, "a damaged tile");
    assert!(ran.err.contains("is damaged"), "{}", ran.err);
    assert!(parents() == before, "they are not as they were");
    put(&sound);
    render(&place.world(), &place.at("map"), &[]).expect(0, "mended");
    assert_same_as_fresh(&place, &[], "mended");
}
