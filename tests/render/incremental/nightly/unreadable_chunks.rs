//! Tests that unreadable chunks keep the pixels of an earlier run.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::{assert_same_as_fresh, edit, file, numbers, regions, unchanged_world, world_but};
use crate::incremental::unread::change_on_disk;
use crate::map::{Map, Place, Ran, render};
use crate::world::region::NONE;
use crate::world::{Files, Record};

#[test]
fn unreadable_chunks_keep_pixels_and_removed_vanish() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    let whole = map.columns();
    let drawn = |x: i32, z: i32| map.columns().drawn_of_chunk(x, z);

    let damaged = |at: (i32, i32)| {
        world_but(move |x, z| ((x, z) == at).then(|| Some(Record::new(NONE, b"damaged".to_vec()))))
    };

    let put = |files: &Files| fs::write(file(&place, 1, 1), &files.0["region/r.1.1.mca"]).unwrap();

    let draw = |options: &[&str], code: i32| -> Ran {
        render(&place.world(), &map.root, options).expect(code, "kept")
    };

    put(&damaged((47, 47)));
    draw(&[], 3);

    let same = |x: i32, z: i32| {
        let now = map.columns();
        (0..256).all(|at| {
            let (x, z) = (x * 16 + at % 16, z * 16 + at / 16);
            now.at(x, z) == whole.at(x, z)
        })
    };

    assert!(same(47, 47) && drawn(47, 47) == 256);

    // The picture stays, whatever else is drawn.
    draw(&[], 3);
    draw(&["-f"], 3);
    edit(&place, 63, 63);
    assert_eq!(regions(&draw(&[], 3).report())[0], 4);
    assert!(same(47, 47) && !same(63, 63));

    // A map with other options never showed the chunk.
    draw(&["--min-y", "40"], 3);
    assert_eq!(drawn(47, 47), 0);
    put(&world_but(|x, z| ((x, z) == (47, 47)).then_some(None)));
    draw(&[], 0);
    assert_eq!(drawn(47, 47), 0);
    assert_same_as_fresh(&place, &[], "no longer stored");

    // A whole file that cannot be read.
    put(&unchanged_world());
    draw(&[], 0);
    fs::remove_file(file(&place, 1, 1)).unwrap();
    fs::create_dir(file(&place, 1, 1)).unwrap();

    let report = draw(&[], 3).report();
    assert_eq!(numbers(&report, "regions", ["failed"]), [1]);
    draw(&[], 3);
    assert!(same(47, 47) && drawn(47, 47) == 256);
    fs::remove_dir(file(&place, 1, 1)).unwrap();
}

#[test]
fn kept_pixels_survive_a_run_that_failed() {
    let place = Place::of(&unchanged_world());
    render(&place.world(), &place.at("map"), &[]).expect(0, "first");
    edit(&place, 15, 15);

    // A parent cannot be drawn, so the run ends after the tile of the region was replaced.
    let [tile, beside] = ["0/0", "1/0"].map(|path| {
        place
            .at("map/overworld/day/17")
            .join(path)
            .with_extension("png")
    });

    let times = |path: &Path| path.metadata().unwrap().modified().unwrap();
    let (sound, before) = (fs::read(&beside).unwrap(), times(&tile));
    let put = |bytes: &[u8]| change_on_disk(&beside, 0, bytes);
    put(&vec![7; sound.len()]);
    render(&place.world(), &place.at("map"), &["-t", "1"]).expect(75, "a damaged tile");
    put(&sound);
    assert_ne!(times(&tile), before, "drawn");

    let shown = |x, z| Map::at(&place.at("map")).columns().at(x, z);
    let kept = shown(5, 5);
    assert_ne!(kept, [0; 4]);
    damage(&place, 0, 0);
    render(&place.world(), &place.at("map"), &[]).expect(3, "a damaged chunk");
    assert_eq!(shown(5, 5), kept, "as it was drawn before the failure");
}

/// Makes a chunk unreadable.
fn damage(place: &Place, x: i32, z: i32) {
    let path = file(place, x.div_euclid(32), z.div_euclid(32));
    let bytes = fs::read(&path).unwrap();
    let slot = (x.rem_euclid(32) + z.rem_euclid(32) * 32) as usize;
    let start = u32::from_be_bytes(bytes[slot * 4..][..4].try_into().unwrap()) as usize >> 8;
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .write_all_at(&[0xff; 9], start as u64 * 4096 + 5)
        .unwrap();
}
