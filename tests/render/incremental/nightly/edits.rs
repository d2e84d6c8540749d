//! Tests edits of a world: their region and its neighbours are drawn again, and nothing else.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{
    GENERATION, again, chunk, chunk_bytes, edit, file, numbers, regions, replace, times,
    unchanged_world, world_but, written,
};
use crate::map::{Map, Place, assert_same_files, land, render};
use crate::world::level_dat::LevelDat;
use crate::world::region::NONE;
use crate::world::{ChunkSpec, Record, RegionSpec, block};

#[test]
fn an_edit_redraws_its_region_and_neighbours() {
    let place = Place::of(&unchanged_world());
    place.draw("map", &[]);

    for ((x, z), drawn) in [
        ((47, 47), 1),
        ((63, 47), 2),
        ((47, 32), 2),
        ((63, 63), 4),
        ((0, 0), 1),
    ] {
        edit(&place, x, z);
        let report = again(&place, &[], drawn, &format!("chunk {x}, {z}"));
        assert!(written(&report) >= 1);
    }
}

#[test]
fn an_edit_is_seen_whatever_the_times_are() {
    let (now, year) = (SystemTime::now(), Duration::from_hours(24 * 365));
    for (name, time) in [
        ("long ago", now - year),
        ("in the future", now + year),
        ("1970", SystemTime::UNIX_EPOCH),
    ] {
        let place = Place::of(&unchanged_world());

        let set = |path: &Path| {
            File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_modified(time)
                .unwrap();
        };

        set(&file(&place, 1, 1));
        place.draw("map", &[]);
        assert_eq!(
            regions(&again(&place, &[], 0, &format!("{name}, untouched"))),
            [0, 9]
        );
        edit(&place, 47, 47);
        again(&place, &[], 1, &format!("{name}, edited"));

        // A file from a backup: another file with the old time.
        let whole = fs::read(file(&place, 1, 1)).unwrap();
        fs::remove_file(file(&place, 1, 1)).unwrap();
        fs::copy(
            Place::of(&unchanged_world())
                .world()
                .join("region/r.1.1.mca"),
            file(&place, 1, 1),
        )
        .unwrap();
        set(&file(&place, 1, 1));
        assert_eq!(fs::read(file(&place, 1, 1)).unwrap().len(), whole.len());
        again(&place, &[], 1, &format!("{name}, put back"));
    }
}

#[test]
fn a_lower_border_changes_the_neighbours_shade() {
    let place = Place::of(&unchanged_world());
    place.draw("map", &[]);
    let before = place.at("map").join("overworld/day/17/1/2.png");
    let shaded = fs::read(&before).unwrap();
    let mut pit = ChunkSpec::new(47, 63, GENERATION);
    pit.layer(50, 52, block::DIRT);
    let lower = world_but(|x, z| {
        ((x, z) == (47, 63)).then(|| Some(Record::new(NONE, pit.nbt().document())))
    });
    fs::write(file(&place, 1, 1), &lower.0["region/r.1.1.mca"]).unwrap();
    again(&place, &[], 2, "a pit in the north of another region");
    assert!(fs::read(&before).unwrap() != shaded, "this tests nothing");
}

#[test]
fn an_invisible_edit_writes_no_tile() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    let before = times(&map);

    // The stone is below the dirt.
    replace(
        &file(&place, 1, 1),
        8192..12_288,
        b"minecraft:stone",
        b"minecraft:water",
    );

    let report = again(&place, &[], 4, "under the ground, in a corner");
    assert_eq!(written(&report), 0);
    assert_eq!(times(&map), before);
    again(&place, &[], 0, "and once more");
}

#[test]
fn other_options_redraw_everything() {
    let place = Place::of(&unchanged_world());
    place.draw("map", &[]);

    for options in [
        &["--min-y", "55"][..],
        &["--max-y", "65"],
        &["--unfinished"],
        &["--max-y", "65", "--unfinished"],
        &["-a", "0,0,1536,1536"],
        &[],
    ] {
        again(&place, options, 9, &format!("{options:?}"));
        again(&place, options, 0, &format!("{options:?} once more"));
        again(
            &place,
            &[options, &["-f"]].concat(),
            9,
            &format!("{options:?} forced"),
        );
    }
}

#[test]
fn a_partial_map_follows_edits_within_its_reach() {
    let place = Place::of(&unchanged_world());
    // The southern edge of the area is four blocks from the chunk at 47, 32. Its eastern edge is
    // farther from the next region.
    let options = ["-a", "300,300,900,509"];
    render(&place.world(), &place.at("map"), &options).expect(0, "a part");
    again(&place, &options, 0, "unchanged");

    edit(&place, 47, 32);
    again(
        &place,
        &options,
        1,
        "within reach of the region in the north",
    );

    edit(&place, 47, 47);
    again(&place, &options, 0, "out of reach");
    edit(&place, 31, 31);
    again(
        &place,
        &options,
        2,
        "seen, and at the border of another one",
    );
}

#[test]
fn changed_mod_block_names_redraw_the_map() {
    let level = |name: &str| {
        LevelDat::new("nightly", Some(1343))
            .forge_registry(&[(name, 3)])
            .bytes()
    };

    let mut files = land::world([0, 0, 64, 64], (0, 0), land::BY_COLUMN, |_, _| {
        Some(land::Column::of(60, block::STONE))
    });
    files
        .0
        .insert("level.dat".to_owned(), level("minecraft:dirt"));

    let place = Place::of(&files);
    place.draw("map", &[]);
    again(&place, &[], 0, "the same names");
    fs::write(place.world().join("level.dat"), level("mod:purple_ore")).unwrap();
    again(&place, &[], 1, "another name");
}

#[test]
fn new_and_removed_regions_redraw_their_neighbours() {
    let place = Place::of(&unchanged_world());
    place.draw("map", &[]);
    let (path, aside) = (file(&place, 2, 2), place.at("aside"));
    fs::rename(&path, &aside).unwrap();
    let report = again(&place, &[], 3, "gone");
    assert_eq!(
        numbers(&report, "tiles", ["removed"]),
        [2],
        "its own and the one above it"
    );
    fs::rename(&aside, &path).unwrap();
    again(&place, &[], 4, "back");
}

#[test]
fn a_far_region_reaches_the_outermost_level() {
    let mut files = unchanged_world();
    let mut far = RegionSpec::new(40, 40);
    far.put_record(1280, 1280, chunk(1280, 1280, block::DIRT));
    files.put_region("region", &far);

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    let there = |map: &Map| {
        map.tiles("overworld")
            .into_keys()
            .filter(|tile| tile.1 > 3)
            .count()
    };

    assert!(there(&map) >= 2, "{:?}", map.tiles("overworld"));
    fs::remove_file(file(&place, 40, 40)).unwrap();
    let report = again(&place, &[], 0, "gone");
    assert_eq!(there(&map), 0);
    assert!(numbers(&report, "tiles", ["removed"])[0] >= 2);
}

#[test]
fn an_mcc_file_belongs_to_its_region() {
    let external = |x, z| Some(Some(Record::external(NONE, Some(chunk_bytes(x, z)))));

    let outside = |x: i32, z: i32| {
        if (x, z) == (47, 47) || (x, z) == (63, 47) {
            external(x, z)
        } else {
            None
        }
    };

    let place = Place::of(&world_but(outside));
    place.draw("map", &[]);
    again(&place, &[], 0, "unchanged");

    for (name, drawn) in [("c.47.47.mcc", 1), ("c.63.47.mcc", 2)] {
        let path = place.world().join("region").join(name);
        let len = path.metadata().unwrap().len() as usize;
        replace(&path, 0..len, b"minecraft:dirt", b"minecraft:clay");
        again(&place, &[], drawn, name);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let ran = render(&place.world(), &place.at("map"), &[]).expect(3, "no such file");
        assert_eq!(regions(&ran.report())[0], drawn);
        render(&place.world(), &place.at("map"), &[]).expect(3, "no such file, once more");
        fs::write(&path, bytes).unwrap();
        again(&place, &[], drawn, &format!("{name} is back"));
    }
}

#[test]
fn a_returning_dimension_has_its_former_map() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &[]);
    let before = Map::at(&place.at("map")).files();
    fs::rename(place.world().join("DIM-1"), place.at("aside")).unwrap();
    let report = render(&place.world(), &place.at("map"), &[])
        .expect(0, "no nether")
        .report();
    assert_eq!(regions(&report)[0], 0);

    let report = render(&place.world(), &place.at("map"), &["-f"])
        .expect(0, "no nether")
        .report();
    assert!(regions(&report)[0] > 0);
    fs::rename(place.at("aside"), place.world().join("DIM-1")).unwrap();
    assert_eq!(regions(&again(&place, &[], 0, "back"))[0], 0);
    assert_same_files("as before", &before, &Map::at(&place.at("map")).files());
}

#[test]
fn threads_do_not_change_an_update() {
    let place = Place::of(&unchanged_world());
    let edits = [(47, 47), (63, 63), (0, 47), (64, 15), (95, 95), (31, 31)];

    for threads in ["1", "2", "8"] {
        render(&place.world(), &place.at(threads), &["-t", threads]).expect(0, threads);
    }

    for (x, z) in edits {
        edit(&place, x, z);

        let fresh = place.draw(&format!("fresh {x} {z}"), &[]).files();
        for threads in ["1", "2", "8"] {
            let check = if x == 47 { "content" } else { "quick" };
            let options = ["-t", threads, "--check", check, "--max-batch", "1"];
            let report = render(&place.world(), &place.at(threads), &options)
                .expect(0, threads)
                .report();
            assert!(regions(&report)[0] <= 4);
            assert_same_files(threads, &fresh, &Map::at(&place.at(threads)).files());
        }
    }
}
