//! Tests comparisons and checks of archives, pictures and manifests, each with every other form of
//! the same map.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;
use std::path::Path;

use crate::compare::differences::{X, Z, diff, drawn, sand};
use crate::map::{Place, on, render};

/// Two maps that differ, and an archive, a WebP and a saved manifest of each.
fn all_kinds() -> Place {
    let place = drawn(sand, &[]);
    for (name, world) in [("a", place.at("before")), ("b", place.world())] {
        render(&world, &place.at(&format!("{name}.pmtiles")), &[]).expect(0, "archive");
        let area = ["-a", "560,64,640,128"];
        render(&world, &place.at(&format!("{name}.webp")), &area).expect(0, "webp");
        render(&world, &place.at(&format!("{name}.png")), &area).expect(0, "png");
        place.copy_file(
            &place.at(name).join("overworld/day/tiles.tsv"),
            &format!("{name}.tsv"),
        );
    }

    place
}

#[test]
fn archives_are_compared_with_archives_maps_and_manifests() {
    let place = all_kinds();
    let (x, z) = (X + 1, Z + 1);
    let exact = format!("differs: overworld/day 1 pixel (0.078 %) in {X},{Z} {x},{z}\n");
    for (one, other) in [
        ("a.pmtiles", "b.pmtiles"),
        ("a", "b.pmtiles"),
        ("a.pmtiles", "b"),
    ] {
        let ran = diff(&place.at(one), &place.at(other), &["-q"]).expect(1, one);
        assert!(ran.out.starts_with(&exact), "{one} {other}: {}", ran.out);
        diff(
            &place.at(one),
            &place.at(other),
            &["--ignore", &format!("{X},{Z},{x},{z}")],
        )
        .expect(0, one);
        diff(&place.at(one), &place.at(other), &["--changed-list", "-"]).expect(2, "one file");
    }

    let tile = "differs: overworld/day 1 tile (20.0 %) in 512,0 1024,512\n";
    for (one, other) in [
        ("a.tsv", "b.pmtiles"),
        ("a.pmtiles", "b.tsv"),
        ("a", "b.tsv"),
        ("a.tsv", "b"),
    ] {
        let ran = diff(&place.at(one), &place.at(other), &["-q"]).expect(1, one);
        assert!(ran.out.starts_with(tile), "{one} {other}: {}", ran.out);
        diff(&place.at(one), &place.at(other), &["--max-changed", "9"]).expect(2, "pixels");
    }

    let ran = diff(&place.at("a.tsv"), &place.at("b.tsv"), &["-q"]).expect(1, "two manifests");
    assert!(
        ran.out
            .starts_with("differs: -/- 1 tile (20.0 %) in 512,0 1024,512\n"),
        "{}",
        ran.out
    );

    for (one, other) in [
        ("a", "a.pmtiles"),
        ("a.pmtiles", "a"),
        ("a.tsv", "a.pmtiles"),
        ("b.pmtiles", "b.tsv"),
    ] {
        diff(&place.at(one), &place.at(other), &[]).expect(0, one);
    }

    diff(
        &place.at("a.tsv"),
        &place.copy_file(&place.at("a.tsv"), "c.tsv"),
        &[],
    )
    .expect(0, "two manifests");

    // If the map has more layers, the layer of the archive counts.
    place.draw("both", &["-l", "height", "-l", "day"]);
    let ran = diff(&place.at("a.pmtiles"), &place.at("both"), &["-q"]).expect(1, "more layers");
    assert!(ran.out.starts_with(&exact), "{}", ran.out);
}

#[test]
fn pictures_in_webp_are_compared() {
    let place = all_kinds();
    let one = |a: &str, b: &str, code| {
        diff(&place.at(a), &place.at(b), &["-q"])
            .expect(code, a)
            .out
    };

    // A WebP does not store the shown area.
    let (x, z) = (X - 560, Z - 64);
    let verdict = format!(
        "differs: -/- 1 pixel (0.391 %) in {x},{z} {},{}\n",
        x + 1,
        z + 1
    );

    assert!(one("a.webp", "b.webp", 1).starts_with(&verdict));
    assert!(one("a.webp", "b.png", 1).starts_with("differs: overworld/day 1 pixel (0.391 %)"));
    assert_eq!(one("a.png", "a.webp", 0), "same: 1 picture\n");

    let bytes = fs::read(place.at("a.webp")).unwrap();
    fs::write(place.at("cut.webp"), &bytes[..bytes.len() / 2]).unwrap();
    one("cut.webp", "b.webp", 2);
}

#[test]
fn an_archive_that_is_cut_short_is_trouble() {
    let place = all_kinds();
    let sound = fs::read(place.at("a.pmtiles")).unwrap();
    let spoiled = place.at("spoiled.pmtiles");
    for at in (0..sound.len()).step_by(11).chain([sound.len() - 1]) {
        fs::write(&spoiled, &sound[..at]).unwrap();
        diff(&spoiled, &place.at("a.pmtiles"), &["-q"]).expect(2, &format!("cut at {at}"));
        fs::write(
            &spoiled,
            [&sound[..at], &[!sound[at]], &sound[at + 1..]].concat(),
        )
        .unwrap();
        let ran = diff(&spoiled, &place.at("a.pmtiles"), &["-q"]);

        // Some bytes do not depend on pixels: counts, times, checksums.
        assert!(
            (0..=2).contains(&ran.code),
            "{at}: {} {}",
            ran.code,
            ran.err
        );
    }
}

fn digest(path: &Path) -> String {
    on("verify", path, &["--digest"])
        .expect(0, &path.display().to_string())
        .out
}

#[test]
fn archives_and_pictures_have_digests() {
    let place = all_kinds();
    assert_eq!(
        digest(&place.at("a.pmtiles")),
        digest(&place.at("a")),
        "of one layer the same"
    );

    assert_eq!(
        digest(&place.at("a.png")),
        digest(&place.at("a.webp")),
        "of the same pixels"
    );

    for kind in ["pmtiles", "png", "webp"] {
        let [a, b] = ["a", "b"].map(|name| digest(&place.at(&format!("{name}.{kind}"))));
        assert!(a != b && a.len() == 17, "{kind}: {a}{b}");
    }

    for name in ["a.pmtiles", "a.png", "a.webp"] {
        let bytes = fs::read(place.at(name)).unwrap();
        let mut spoiled = bytes.clone();
        let middle = bytes.len() - 40;
        spoiled[middle] ^= 0x55;

        for (what, bytes) in [("cut", &bytes[..bytes.len() / 2]), ("spoiled", &spoiled)] {
            let path = place.at(&format!("{what}-{name}"));
            fs::write(&path, bytes).unwrap();
            let ran = on("verify", &path, &["--digest"]).expect(1, what);
            assert!(
                ran.out.is_empty() && (ran.err.contains(name) || ran.err.contains("17/")),
                "{what} {name}: {}{}",
                ran.out,
                ran.err
            );
        }
    }
}
