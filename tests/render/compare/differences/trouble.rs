//! Tests sides that cannot be compared: they are trouble with a remedy, not a difference.

use std::fs;
use std::path::Path;

use super::{X, Z, ab, diff, drawn, png, sand, tiles, world_with_edit};
use crate::map::{Place, Ran, program};

#[test]
fn a_map_that_contradicts_its_manifest_is_trouble() {
    type Spoil<'a> = (&'a str, &'a dyn Fn(&Path));

    let spoil: [Spoil<'_>; 4] = [
        ("is missing", &|map| {
            fs::remove_file(map.join("overworld/day/17/1/0.png")).unwrap();
        }),
        ("is not the file that its manifest names", &|map| {
            fs::copy(
                map.join("overworld/day/17/0/0.png"),
                map.join("overworld/day/17/1/0.png"),
            )
            .unwrap();
        }),
        ("line 2 ", &|map| {
            let manifest = map.join("overworld/day/tiles.tsv");
            let text = fs::read_to_string(&manifest)
                .unwrap()
                .replacen('\n', "\nx", 1);
            fs::write(&manifest, text).unwrap();
        }),
        ("not contain a finished map", &|map| {
            fs::remove_file(map.join("map.json")).unwrap();
        }),
    ];

    for (says, spoil) in spoil {
        let place = drawn(sand, &[]);
        spoil(&place.at("b"));
        let ran = ab(&place, &["--json"]).expect(2, says);
        assert!(
            ran.err.contains(says) && ran.out.contains(says),
            "{says}: {}{}",
            ran.out,
            ran.err
        );
        assert_eq!(ran.err.lines().count(), 1);
    }
}

#[test]
fn incomparable_sides_are_trouble_with_a_remedy() {
    let place = drawn(sand, &[]);
    place.draw("both", &["-l", "day", "-l", "height"]);
    place.draw("b.png", &[]);
    fs::write(place.at("notes.txt"), "notes").unwrap();

    for (a, b, options, says) in [
        ("a", "b", &["-d", "nether"][..], "check -d and --layer"),
        (
            "a",
            "b",
            &["-l", "day", "-l", "dya"],
            "neither map shows dya",
        ),
        ("a", "b.png", &[], "two maps, or two pictures"),
        ("b.png", "a", &[], "two maps, or two pictures"),
        ("a", "notes.txt", &[], "a picture (PNG or WebP)"),
        ("a", "nowhere", &[], "nowhere"),
        (
            "a/overworld/day/tiles.tsv",
            "both",
            &[],
            "overworld/day, overworld/height",
        ),
        (
            "a/overworld/day/tiles.tsv",
            "b",
            &["--tolerance", "1"],
            "contains only hashes",
        ),
        (
            "a/overworld/day/tiles.tsv",
            "b",
            &["--image", "x.png"],
            "contains only hashes",
        ),
        (
            "b.png",
            "a/overworld/day/tiles.tsv",
            &[],
            "or a saved tiles.tsv",
        ),
        (
            "b",
            "a/overworld/day/tiles.tsv",
            &["--changed-list", "x"],
            "maps in folders",
        ),
        (
            "both/overworld/day/tiles.tsv",
            "a/overworld/day/tiles.tsv",
            &["-l", "day"],
            "leave out -d and --layer",
        ),
        ("b.png", "b.png", &["-l", "day"], "leave out -d and --layer"),
    ] {
        let ran =
            diff(&place.at(a), &place.at(b), options).expect(2, &format!("{a} {b} {options:?}"));
        assert!(
            ran.err.contains(says) && ran.err.lines().count() == 1,
            "{a} {b}: no {says:?} in {}",
            ran.err
        );
        assert_eq!(ran.out, "");
    }

    diff(&place.at("a"), &place.at("both"), &["-l", "day"]).expect(1, "the layer that both have");
}

#[test]
fn pictures_are_compared_by_their_pixels() {
    let place = Place::of(&world_with_edit(|_| {}));
    let area = ["-a", "560,64,640,128"];

    let draw = |name: &str, scale: &str| {
        crate::map::render(
            &place.world(),
            &place.at(name),
            &[&area[..], &["--scale", scale]].concat(),
        )
        .expect(0, name);
    };

    let scales = ["1", "1/2", "2"];
    scales
        .iter()
        .enumerate()
        .for_each(|(number, scale)| draw(&format!("a{number}.png"), scale));

    fs::remove_dir_all(place.world()).unwrap();
    world_with_edit(sand).write_under(&place.world());
    scales
        .iter()
        .enumerate()
        .for_each(|(number, scale)| draw(&format!("b{number}.png"), scale));

    let told = |number: usize| {
        let names = [format!("a{number}.png"), format!("b{number}.png")];
        tiles(&diff(&place.at(&names[0]), &place.at(&names[1]), &["-q"]).expect(1, &names[0]))
            .to_owned()
    };

    assert_eq!(
        told(0),
        format!(
            "overworld\tday\t-\tchanged\t{X},{Z},{},{}\t1\n",
            X + 1,
            Z + 1
        )
    );

    let even = |at: i32| at / 2 * 2;
    let (x, z) = (even(X), even(Z));

    assert_eq!(
        told(1),
        format!(
            "overworld\tday\t-\tchanged\t{x},{z},{},{}\t1\n",
            x + 2,
            z + 2
        )
    );

    assert_eq!(
        told(2),
        format!(
            "overworld\tday\t-\tchanged\t{X},{Z},{},{}\t4\n",
            X + 1,
            Z + 1
        )
    );

    let one = |a: &str, b: &str, options: &[&str], code| {
        diff(&place.at(a), &place.at(b), options).expect(code, a)
    };

    fs::copy(place.at("a0.png"), place.at("c0.png")).unwrap();
    one("a0.png", "c0.png", &[], 0);
    assert!(
        one("a0.png", "a1.png", &[], 2).err.contains("sizes"),
        "sizes"
    );

    one("a0.png", "b0.png", &["-a", "560,64,570,128"], 0);
    one(
        "a0.png",
        "b0.png",
        &["--max-changed", "1%", "--tolerance", "1"],
        0,
    );

    let (image, heat) = (place.at("i.png"), place.at("h.png"));
    one(
        "a0.png",
        "b0.png",
        &[
            "--image",
            image.to_str().unwrap(),
            "--heatmap",
            heat.to_str().unwrap(),
        ],
        1,
    );

    assert_eq!(png(&heat).into_raw(), [255, 0, 0, 255]);
    assert!(png(&image).width() > 3 * 33);
    fs::write(
        place.at("cut.png"),
        &fs::read(place.at("a0.png")).unwrap()[..200],
    )
    .unwrap();
    one("cut.png", "b0.png", &[], 2);
}

#[test]
fn damage_behind_the_last_picture_row_is_trouble() {
    let place = drawn(sand, &[]);
    let picture = place.at("map.png");
    crate::map::render(&place.world(), &picture, &["--area", "560,60,640,140"])
        .expect(0, "a picture");
    let sound = fs::read(&picture).unwrap();
    let other = place.at("damaged.png");
    fs::write(&other, &sound).unwrap();
    diff(&picture, &other, &[]).expect(0, "the same");

    let data = sound.windows(4).position(|four| four == b"IDAT").unwrap() + 4;
    for (what, spoil) in [
        (
            "the end is missing",
            Box::new(|bytes: &mut Vec<u8>| bytes.truncate(bytes.len() - 12)) as Box<dyn Fn(&mut _)>,
        ),
        (
            "a checksum is wrong",
            Box::new(move |bytes: &mut Vec<u8>| *bytes.iter_mut().rev().nth(12).unwrap() ^= 1),
        ),
        (
            "a bit is wrong",
            Box::new(move |bytes: &mut Vec<u8>| bytes[data + 40] ^= 1),
        ),
    ] {
        let mut bytes = sound.clone();
        spoil(&mut bytes);
        fs::write(&other, bytes).unwrap();
        diff(&picture, &other, &[]).expect(2, what);
    }
}

#[test]
fn verify_compares_the_pixels_that_the_digest_covers() {
    let place = drawn(sand, &[]);
    let manifest = place.at("a/overworld/day/tiles.tsv");
    let sound = fs::read_to_string(&manifest).unwrap();
    let last = sound.trim_end().chars().last().unwrap();

    fs::write(
        &manifest,
        format!(
            "{}{}\n",
            &sound[..sound.len() - 2],
            if last == '0' { '1' } else { '0' }
        ),
    )
    .unwrap();

    let out = place.at("a");
    let verify = |options: &[&str], code| {
        Ran::of(
            program()
                .arg("verify")
                .arg(&out)
                .args(options)
                .output()
                .unwrap(),
        )
        .expect(code, &format!("{options:?}"))
    };

    assert_eq!(
        verify(&["-q"], 1).out,
        "manifest\toverworld/day/tiles.tsv\n"
    );
    assert_eq!(verify(&["--digest"], 1).out, "");

    fs::remove_dir_all(place.world()).unwrap();
    world_with_edit(|_| {}).write_under(&place.world());
    place.draw("a", &[]);
    verify(&["-q"], 0);
    assert!(sound == fs::read_to_string(&manifest).unwrap());
}
