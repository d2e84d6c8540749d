//! What one picture and an archive show of a chunk that cannot be read: what they showed before, if that was drawn with
//! the same options.
#![allow(clippy::disallowed_methods, reason = "test worlds are no output of the program")]

use std::fs;
use std::path::Path;

use crate::archive::Archive;
use crate::map::{CLEAR, NATIVE, Place, Rgba, render};
use crate::picture::Picture;
use crate::world::level_dat::LevelDat;
use crate::world::{Biome, ChunkSpec, Files, Generation, Record, RegionSpec, block};

const GENERATION: Generation = Generation::Root(3955);
/// A picture of each kind of scale, and an archive: the file, and the options.
const KINDS: [(&str, &[&str]); 7] = [
    ("one.png", &["-a", "0,0,1024,1024"]),
    ("all.png", &[]),
    ("half.png", &["--scale", "1/2"]),
    ("eighth.png", &["--scale", "1/8", "-a", "8,8,1016,1016"]),
    ("twice.png", &["--scale", "2", "-a", "-5,-5,1021,800"]),
    ("archive.pmtiles", &[]),
    ("webp.pmtiles", &["--format", "webp"]),
];

/// What became of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Now {
    Changed,
    Broken,
}

/// Chunks that cannot be read on the second night: in the first row of regions, in the last region, and two beside each
/// other.
const BROKEN: [(i32, i32); 4] = [(15, 15), (47, 47), (20, 40), (21, 40)];
/// One that was changed.
const CHANGED: (i32, i32) = (63, 5);

fn chunk(x: i32, z: i32, changed: bool) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, GENERATION);
    chunk.layer(50, 60 + (x * 7 + z * 3).rem_euclid(5), if changed { block::DIRT } else { block::STONE });
    chunk.stack((x * 5).rem_euclid(16) as usize, z.rem_euclid(16) as usize, 60, 70, block::DIRT);
    chunk.biomes = Some(vec![Biome::new(if (x, z) == BROKEN[0] { "mod:heath" } else { "minecraft:plains" }, 1); 256]);
    chunk
}

/// A world of two by two regions and those `beside`, with a chunk here and there, as it is tonight.
fn world(beside: &[(i32, i32)], tonight: impl Fn(i32, i32) -> Option<Now>) -> Files {
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new("kept", GENERATION.data_version()).bytes());
    for &(region_x, region_z) in [(0, 0), (1, 0), (0, 1), (1, 1)].iter().chain(beside) {
        let mut region = RegionSpec::new(region_x, region_z);
        let chunks = (0..32).flat_map(|z| (0..32).map(move |x| (region_x * 32 + x, region_z * 32 + z)));
        // None beside another, which would shade it: but for the two.
        let is_there = |(x, z): (i32, i32)| x.rem_euclid(9) == 2 && z.rem_euclid(6) == 1;
        for (x, z) in chunks.filter(|&at| is_there(at) || BROKEN.contains(&at) || at == CHANGED) {
            match tonight(x, z) {
                Some(Now::Broken) => region.put_record(x, z, Record::new(2, b"no chunk".to_vec())),
                now => region.put(&chunk(x, z, now == Some(Now::Changed))),
            }
        }
        files.put_region("region", &region);
    }
    files
}

fn good(_: i32, _: i32) -> Option<Now> {
    None
}

fn changed(x: i32, z: i32) -> Option<Now> {
    ((x, z) == CHANGED).then_some(Now::Changed)
}

fn broken(x: i32, z: i32) -> Option<Now> {
    if BROKEN.contains(&(x, z)) { Some(Now::Broken) } else { changed(x, z) }
}

/// Draws a world and gives the bytes.
fn draw(place: &Place, name: &str, options: &[&str], code: i32) -> Vec<u8> {
    let path = place.at(name);
    let report = render(&place.world(), &path, options).expect(code, &format!("{name} {options:?}")).report();
    assert_eq!(report["outcome"], if code == 0 { "complete" } else { "gaps" });
    fs::read(path).unwrap()
}

/// The bytes of a file that nothing stood in the place of.
fn fresh(place: &Place, name: &str, options: &[&str], code: i32) -> Vec<u8> {
    draw(place, &format!("fresh-{name}"), options, code)
}

/// What a world as it is tonight gives where nothing was before.
fn never_drawn(files: &Files, name: &str, options: &[&str], code: i32) -> Vec<u8> {
    fresh(&Place::of(files), name, options, code)
}

#[test]
fn a_chunk_that_cannot_be_read_keeps_its_pixels_and_others_are_new() {
    let whole = world(&[], changed);
    for (name, options) in KINDS {
        let place = Place::of(&world(&[], good));
        let before = draw(&place, name, options, 0);
        world(&[], broken).write_under(&place.world());
        let expected = never_drawn(&whole, name, options, 0);
        assert!(before != expected, "{name}: what was changed is on it");
        assert!(fresh(&place, name, options, 3) != expected, "{name}: what is broken is on it");
        // And it stays, night after night, whoever draws.
        for threads in ["2", "1", "4"] {
            let options = [options, &["-t", threads]].concat();
            assert!(draw(&place, name, &options, 3) == expected, "{name} {threads}");
        }
        world(&[], good).write_under(&place.world());
        assert!(draw(&place, name, options, 0) == before, "{name}: mended");
    }
}

#[test]
fn all_of_a_region_file_that_cannot_be_read_stays() {
    for (name, options) in KINDS {
        let place = Place::of(&world(&[], good));
        let before = draw(&place, name, options, 0);
        for region in ["r.0.0.mca", "r.1.1.mca"] {
            let path = place.world().join("region").join(region);
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
        }
        assert!(draw(&place, name, options, 3) == before, "{name}");
    }
}

#[test]
fn what_was_drawn_with_other_options_or_of_another_world_does_not_stay() {
    let level = |name: &str, spawn: i32| {
        let mut files = world(&[], good);
        let level = LevelDat::new(name, GENERATION.data_version()).old_spawn(spawn, 64, 0);
        files.0.insert("level.dat".to_owned(), level.bytes());
        files
    };
    let all = ["--area", "0,0,1024,1024"];
    let cases: [(&str, &[&str], &[&str]); 8] = [
        ("min-y.png", &all, &["--area", "0,0,1024,1024", "--min-y", "55"]),
        ("scale.png", &[], &["--scale", "1/2"]),
        ("larger.png", &["--scale", "1/2"], &["--scale", "1"]),
        ("area.png", &all, &["--area", "0,0,1024,1008"]),
        ("layer.png", &[], &["-l", "height"]),
        ("min-y.pmtiles", &[], &["--min-y", "55"]),
        ("area.pmtiles", &[], &["-a", "0,0,900,900"]),
        ("format.pmtiles", &[], &["--format", "webp"]),
    ];
    for (name, first, second) in cases {
        let place = Place::of(&world(&[], good));
        draw(&place, name, first, 0);
        world(&[], broken).write_under(&place.world());
        assert!(draw(&place, name, second, 3) == fresh(&place, name, second, 3), "{name}");
    }
    for name in ["world.png", "world.pmtiles"] {
        let place = Place::of(&level("kept", 8));
        for other in [level("kept", 9), level("other", 8)] {
            level("kept", 8).write_under(&place.world());
            draw(&place, name, &[], 0);
            world(&[], broken).write_under(&place.world());
            fs::write(place.world().join("level.dat"), &other.0["level.dat"]).unwrap();
            assert!(draw(&place, name, &[], 3) == fresh(&place, name, &[], 3), "{name}");
        }
    }
}

#[test]
fn a_picture_of_all_grows_with_its_world_and_keeps_what_it_showed() {
    for options in [&[][..], &["--scale", "1/4"], &["--scale", "2"]] {
        let place = Place::of(&world(&[], good));
        draw(&place, "world.png", options, 0);
        let larger = [(-1, -1), (2, 2)];
        world(&larger, broken).write_under(&place.world());
        let whole = never_drawn(&world(&larger, changed), "world.png", options, 0);
        assert!(draw(&place, "world.png", options, 3) == whole, "{options:?}");
        // One row of regions less: what is left stays.
        fs::remove_file(place.world().join("region/r.-1.-1.mca")).unwrap();
        fs::remove_file(place.world().join("region/r.2.2.mca")).unwrap();
        world(&[(-1, 0), (2, 0)], broken).write_under(&place.world());
        let whole = never_drawn(&world(&[(-1, 0), (2, 0)], changed), "world.png", options, 0);
        assert!(draw(&place, "world.png", options, 3) == whole, "{options:?}");
    }
}

/// The pixels of the chunk at 20, 40 and those beside it, as far as these blocks a pixel show them.
fn shown(path: &Path, blocks: i32) -> impl Fn(i32, i32) -> Rgba {
    let picture = if path.extension().is_some_and(|ending| ending == "png") {
        Picture::read(path)
    } else {
        let archive = Archive::read(path);
        let tile = image::load_from_memory(archive.tiles()[&(NATIVE, 0, 1)]).unwrap().into_rgba8();
        let pixels: Vec<Rgba> = tile.pixels().map(|pixel| pixel.0).collect();
        let above = vec![CLEAR; 512 * 512];
        Picture { width: 512, height: 1024, pixels: [above, pixels].concat(), texts: [].into() }
    };
    move |x, z| picture.at((x / blocks) as usize, (z / blocks) as usize)
}

#[test]
fn what_is_hidden_since_does_not_stay_nor_what_it_may_have_shaded() {
    let cases: [(&str, &[&str], i32); 4] = [
        ("one.png", &[], 1),
        ("half.png", &["--scale", "1/2"], 2),
        ("eighth.png", &["--scale", "1/8"], 8),
        ("archive.pmtiles", &[], 1),
    ];
    for (name, options, blocks) in cases {
        let place = Place::of(&world(&[], good));
        let path = place.at(name);
        draw(&place, name, options, 0);
        let before = shown(&path, blocks);
        world(&[], broken).write_under(&place.world());
        // The eastern one of the two beside each other.
        let hide = [options, &["--hide", "336,640,337,641"]].concat();
        draw(&place, name, &hide, 3);
        let now = shown(&path, blocks);
        // Four columns may have been shaded or tinted; a pixel that shows one of them is clear.
        let clear = 336 - (4_i32 - 1).div_euclid(blocks) * blocks - blocks;
        for (x, z) in (640..656).flat_map(|z| (320..352).map(move |x| (x, z))) {
            let expected = if x < clear { before(x, z) } else { CLEAR };
            assert_eq!(now(x, z), expected, "{name} at {x} {z}");
        }
        assert_ne!(now(320, 640), CLEAR, "{name}");
        // What is gone does not come back.
        draw(&place, name, options, 3);
        assert_eq!(shown(&path, blocks)(336, 640), CLEAR, "{name}");
    }
}

#[test]
fn an_earlier_file_that_is_damaged_is_none() {
    for (name, options) in [("half.png", &["--scale", "1/2"][..]), ("archive.pmtiles", &[])] {
        let place = Place::of(&world(&[], good));
        let before = draw(&place, name, options, 0);
        world(&[], broken).write_under(&place.world());
        let holes = fresh(&place, name, options, 3);
        // Of an archive that ends among its tiles those before that are whole.
        let middle = if options.is_empty() { 300 } else { before.len() / 2 };
        let cases = [
            before[..middle].to_vec(),
            before[..20].to_vec(),
            Vec::new(),
            vec![0x5a; 70_000],
            [&before[..127], &vec![0xff; before.len() - 127]].concat(),
        ];
        for (number, damaged) in cases.iter().enumerate() {
            fs::write(place.at(name), damaged).unwrap();
            assert!(draw(&place, name, options, 3) == holes, "{name} {number}");
        }
    }
    // Of a picture all is looked at: its rows would show damage before it comes to light.
    let place = Place::of(&world(&[], good));
    let mut damaged = draw(&place, "world.png", &[], 0);
    world(&[], broken).write_under(&place.world());
    let at = damaged.len() - 40;
    damaged[at] ^= 1;
    fs::write(place.at("world.png"), damaged).unwrap();
    assert!(draw(&place, "world.png", &[], 3) == fresh(&place, "world.png", &[], 3));
}

#[test]
fn a_legend_names_what_stays() {
    let options = ["-l", "biome"];
    let place = Place::of(&world(&[], good));
    let names = || Archive::read(&place.at("world.pmtiles")).metadata["pixelmap"].to_string();
    draw(&place, "world.pmtiles", &options, 0);
    assert!(names().contains("mod:heath"));
    world(&[], broken).write_under(&place.world());
    let kept = draw(&place, "world.pmtiles", &options, 3);
    assert!(names().contains("mod:heath"));
    assert!(kept == never_drawn(&world(&[], changed), "world.pmtiles", &options, 0));
}
