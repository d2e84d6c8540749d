//! Tests worlds in zips: they are read like their folders, without unpacking them.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use zip::CompressionMethod::{Deflated, Stored};
use zip::unstable::write::FileOptionsExt as _;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::map::{Map, Place, assert_same_files, fixture, has_ending, on, render, run};
use crate::world::files::Files;

/// A zip of these files, packed in one way.
pub(super) fn packed(files: &BTreeMap<String, Vec<u8>>, method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(
            &**name,
            SimpleFileOptions::default().compression_method(method),
        )
        .unwrap();
        zip.write_all(bytes).unwrap();
    }

    zip.finish().unwrap().into_inner()
}

/// The files under other names.
fn renamed(files: &Files, name: impl Fn(&str) -> String) -> BTreeMap<String, Vec<u8>> {
    files
        .0
        .iter()
        .map(|(path, bytes)| (name(path), bytes.clone()))
        .collect()
}

fn files_of_fixture(name: &str) -> Files {
    Files::read_under(&fixture(name))
}

fn said(world: &Path, code: i32) -> String {
    on("info", world, &["--json"])
        .expect(code, &world.display().to_string())
        .err
}

#[test]
fn zip_and_world_folder_give_equal_maps() {
    // Mixed forms, split folders, dimensions of packs, chunks in files of their own, and damage.
    for (name, code) in [
        ("mixed-region", 0),
        ("layout-bukkit", 0),
        ("layout-custom", 0),
        ("external-zlib", 0),
        ("zlib-garbage", 3),
        ("alpha", 0),
        ("alpha-truncated", 3),
    ] {
        let place = Place::of(&files_of_fixture(name));

        // A world deep in the zip, as in backups, and with the separators of Windows.
        for (method, below) in [
            (Deflated, "world/"),
            (Stored, "backups/2026/world/"),
            (Deflated, "a\\world\\"),
        ] {
            let files = renamed(&files_of_fixture(name), |path| {
                let path = format!("{below}{path}");
                if below.contains('\\') {
                    path.replace('/', "\\")
                } else {
                    path
                }
            });
            fs::write(place.at("world.zip"), packed(&files, method)).unwrap();

            for threads in ["1", "3"] {
                let (one, other) = (place.at("of-folder"), place.at("of-zip"));
                let options = ["-l", "day", "-l", "height", "-t", threads];
                let expected = render(&place.world(), &one, &options)
                    .expect(code, name)
                    .report();

                let report = render(&place.at("world.zip"), &other, &options)
                    .expect(code, name)
                    .report();
                assert_same_files(name, &Map::at(&one).files(), &Map::at(&other).files());
                assert_eq!(report["bad_chunks"], expected["bad_chunks"], "{name}");
                fs::remove_dir_all(one).unwrap();
                fs::remove_dir_all(other).unwrap();
            }

            let inside = place.at("world.zip").join(below.replace('\\', "/"));
            let [folder, zip] =
                [place.world(), inside].map(|path| on("info", &path, &["--json"]).out);
            assert_eq!(folder, zip, "{name}");
        }
    }
}

#[test]
fn pictures_and_queries_read_a_zip() {
    let place = Place::of(&files_of_fixture("demo"));
    fs::write(
        place.at("demo.zip"),
        packed(&files_of_fixture("demo").0, Deflated),
    )
    .unwrap();

    let picture = |world: &Path, name: &str| {
        render(world, &place.at(name), &["--area", "-40,-40,40,40"]).expect(0, name);
        fs::read(place.at(name)).unwrap()
    };

    assert!(picture(&place.at("demo.zip"), "zip.png") == picture(&place.world(), "folder.png"));

    let column = |world: &Path| {
        on("query", world, &["0,0", "-20,13"])
            .expect(0, "query")
            .out
    };

    assert_eq!(column(&place.at("demo.zip")), column(&place.world()));

    let dry = on("render", &place.at("demo.zip"), &["--dry-run", "--json"])
        .expect(0, "dry")
        .out;
    assert!(dry.contains("\"regions\""), "{dry}");
}

#[test]
fn unchanged_regions_are_recognised_by_length_and_checksum() {
    let files = files_of_fixture("layout-custom");
    let place = Place::of(&files);
    let night = |name: &str, files: &Files| {
        fs::write(place.at(name), packed(&files.0, Deflated)).unwrap();
        let report = render(&place.at(name), &place.at("map"), &[])
            .expect(0, name)
            .report();
        (
            report["regions"]["drawn"].as_u64().unwrap(),
            report["regions"]["unchanged"].as_u64().unwrap(),
        )
    };

    let (all, none) = night("monday.zip", &files);
    assert!(all > 1 && none == 0);
    assert_eq!(night("tuesday.zip", &files), (0, all));

    // A run from the zip continues a map of the folder, because the chunks are the same.
    render(&place.world(), &place.at("map"), &[]).expect(0, "folder");
    assert_eq!(night("wednesday.zip", &files), (0, all));
}

#[test]
fn changed_bytes_in_zips_fail_their_checksum() {
    let mut files = files_of_fixture("uncompressed");
    let place = Place::empty();
    let draw = |files: &Files| {
        fs::write(place.at("w.zip"), packed(&files.0, Deflated)).unwrap();
        render(&place.at("w.zip"), &place.at("map"), &[])
            .expect(0, "map")
            .report()["regions"]["drawn"]
            .clone()
    };

    assert_eq!(draw(&files), 1);

    let region = files
        .0
        .iter_mut()
        .find(|(path, _)| has_ending(path, "mca"))
        .unwrap()
        .1;

    // The name of a block is replaced. The header and the length stay.
    let name = region
        .windows(10)
        .position(|part| part == b"minecraft:")
        .unwrap();
    region[name + 10] ^= 1;
    assert_eq!(draw(&files), 1);
    assert_eq!(draw(&files), 0);
}

#[test]
fn several_worlds_in_a_zip_are_named() {
    let place = Place::empty();
    let mut files = renamed(&files_of_fixture("gzip"), |path| {
        format!("saves/one/{path}")
    });
    files.extend(renamed(&files_of_fixture("lz4"), |path| {
        format!("saves/two/{path}")
    }));
    fs::write(place.at("both.zip"), packed(&files, Deflated)).unwrap();

    let err = render(&place.at("both.zip"), &place.at("map"), &[])
        .expect(1, "two worlds")
        .err;
    for name in ["one", "two"] {
        let world = place.at("both.zip").join("saves").join(name);
        assert!(err.contains(&format!("\n  {}", world.display())), "{err}");
        render(&world, &place.at(name), &[]).expect(0, name);
        assert!(!Map::at(&place.at(name)).tiles("overworld").is_empty());
    }

    assert!(said(&place.at("both.zip/saves/three"), 1).contains("there is no folder"));
}

#[test]
fn an_archive_in_a_zip_is_named() {
    let place = Place::empty();
    let inner = packed(&files_of_fixture("root-3955").0, Stored);
    for (inside, given, remedy) in [
        (
            "backup/world.zip",
            "outer.zip",
            "unpack the outer one first",
        ),
        ("Content/world.mcworld", "pack.mcaddon", "unpack"),
        ("world.tar.gz", "outer.zip", "unpack the outer one first"),
        ("world.tar.xz", "outer.zip", "unpack both first"),
    ] {
        let files = BTreeMap::from([
            ("readme.txt".to_owned(), b"x".to_vec()),
            (inside.to_owned(), inner.clone()),
        ]);
        fs::write(place.at(given), packed(&files, Deflated)).unwrap();
        let error = said(&place.at(given), 1);
        assert!(error.contains(inside) && error.contains(remedy), "{error}");
    }

    fs::create_dir_all(place.at("folder")).unwrap();
    fs::write(place.at("folder/world.zip"), inner).unwrap();
    let error = said(&place.at("folder"), 1);
    assert!(
        error.contains("folder/world.zip") && error.contains("give this file"),
        "{error}"
    );
}

#[test]
fn an_add_on_without_a_world_is_named() {
    let place = Place::empty();
    let files = BTreeMap::from([("pack/manifest.json".to_owned(), b"{}".to_vec())]);
    fs::write(place.at("pack.mcaddon"), packed(&files, Deflated)).unwrap();
    let error = said(&place.at("pack.mcaddon"), 1);
    assert!(error.contains("is an add-on (.mcaddon)"), "{error}");
}

#[test]
fn names_leading_out_of_zips_are_left_out() {
    let place = Place::empty();
    let files = files_of_fixture("gzip");
    let region = files
        .0
        .iter()
        .find(|(path, _)| has_ending(path, "mca"))
        .unwrap()
        .1
        .clone();

    let mut all = renamed(&files, |path| format!("/{path}"));
    for name in [
        "../region/r.5.0.mca",
        "region/../../region/r.6.0.mca",
        "C:/region/r.7.0.mca",
        "..\\region/r.8.0.mca",
    ] {
        all.insert(name.to_owned(), region.clone());
    }

    fs::write(place.at("w.zip"), packed(&all, Deflated)).unwrap();
    let report = render(&place.at("w.zip"), &place.at("map"), &[])
        .expect(0, "map")
        .report();
    assert_eq!(report["regions"]["total"], 1, "{report}");

    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("entries left out") && warnings.contains("../region/r.5.0.mca"),
        "{warnings}"
    );
}

#[test]
fn a_bad_zip_entry_costs_only_itself() {
    let files = files_of_fixture("layout-custom");
    let (path, bytes) = files
        .0
        .iter()
        .find(|(path, _)| has_ending(path, "mca"))
        .unwrap();

    let whole = packed(&files.0, Stored);
    let at = whole
        .windows(bytes.len())
        .position(|part| part == &bytes[..])
        .unwrap();

    let place = Place::empty();
    let draw = |name: &str, zip: Vec<u8>, reason: &str| {
        fs::write(place.at("w.zip"), zip).unwrap();
        let report = render(&place.at("w.zip"), &place.at(name), &[])
            .expect(3, name)
            .report();
        let bad = report["bad_chunks"].to_string();
        assert!(bad.contains(reason), "{name}: {bad}");
        assert!(
            report["chunks"]["drawn"].as_u64().unwrap() > 0,
            "{name}: the other regions"
        );
    };

    // The header of the file, which ends with its name.
    let mut lost = whole.clone();
    lost[at - path.len() - 30] ^= 1;
    draw("lost", lost, "the zip is damaged");

    // The compression method in the directory.
    let mut odd = whole;
    let directory = odd
        .windows(path.len())
        .rposition(|part| part == path.as_bytes())
        .unwrap()
        - 46;
    odd[directory + 10] = 12;
    draw("packed", odd, "Deflate");

    // Only chunks after the damage are lost.
    let mut deflated = packed(&files.0, Deflated);
    let name = deflated
        .windows(path.len())
        .position(|part| part == path.as_bytes())
        .unwrap();
    let start = name + path.len();
    deflated[start..start + 4].fill(0xff);
    draw("deflated", deflated, "unreadable");
}

#[test]
fn an_encrypted_zip_is_reported_with_its_remedy() {
    let place = Place::empty();

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in &files_of_fixture("gzip").0 {
        let options = SimpleFileOptions::default()
            .with_deprecated_encryption(b"secret")
            .unwrap();
        zip.start_file(&**name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }

    fs::write(place.at("w.zip"), zip.finish().unwrap().into_inner()).unwrap();
    let ran = render(&place.at("w.zip"), &place.at("map"), &[]).expect(3, "encrypted");
    assert!(
        ran.report()["bad_chunks"]
            .to_string()
            .contains("with its password first"),
        "{}",
        ran.out
    );
}

#[test]
fn a_file_that_inflates_without_measure_is_refused() {
    let place = Place::empty();
    let mut files = files_of_fixture("gzip");
    let region = files
        .0
        .iter_mut()
        .find(|(path, _)| has_ending(path, "mca"))
        .unwrap()
        .1;

    // 64 MiB of zeros behind the chunks deflate to some 64 KiB.
    region.resize(region.len() + (64 << 20), 0);
    fs::write(place.at("w.zip"), packed(&files.0, Deflated)).unwrap();

    let report = render(&place.at("w.zip"), &place.at("map"), &[])
        .expect(3, "bomb")
        .report();
    assert!(
        report["bad_chunks"]
            .to_string()
            .contains("more than pixelmap reads from a zip"),
        "{report}"
    );

    // Without compression, the same bytes occupy their full size in the zip, so they are read.
    fs::write(place.at("w.zip"), packed(&files.0, Stored)).unwrap();
    render(&place.at("w.zip"), &place.at("stored"), &[]).expect(0, "stored");
}

#[test]
fn an_incomplete_zip_is_reported() {
    let place = Place::empty();
    let whole = packed(&files_of_fixture("gzip").0, Deflated);
    let (cut, long) = (
        whole[..whole.len() / 2].to_vec(),
        [&whole[..4], &[0; 5000]].concat(),
    );

    for (bytes, what) in [
        (Vec::new(), "not a zip: the file is empty"),
        (b"text".to_vec(), "not a zip, or one that is not whole"),
        (cut, "not a zip, or one that is not whole"),
        (long, "not a zip, or one that is not whole"),
    ] {
        fs::write(place.at("w.zip"), bytes).unwrap();
        let err = said(&place.at("w.zip"), 1);
        assert!(err.contains(what), "{err}");
    }

    fs::write(
        place.at("w.zip"),
        packed(
            &BTreeMap::from([("a.txt".to_owned(), Vec::new())]),
            Deflated,
        ),
    )
    .unwrap();
    assert!(said(&place.at("w.zip"), 1).contains("no region file"));
}

#[test]
fn the_zip_of_a_world_is_never_overwritten() {
    let place = Place::empty();
    let bytes = packed(&files_of_fixture("gzip").0, Deflated);
    let zip = place.at("w.zip");
    fs::write(&zip, &bytes).unwrap();

    let asked = zip.to_str().unwrap();
    let inside = zip.join("map");
    for options in [
        ["-o", asked],
        ["--report", asked],
        ["-o", inside.to_str().unwrap()],
    ] {
        let ran = run(&[&["render", asked], &options[..]].concat());
        assert!(matches!(ran.code, 1 | 2), "{options:?}: {}", ran.err);
        assert!(fs::read(&zip).unwrap() == bytes, "{options:?}");
    }
}

#[test]
fn data_packs_are_read_from_nested_zips() {
    let kind = r#"{"has_ceiling": true, "min_y": 0, "height": 256, "logical_height": 64}"#;
    let name = "data/minecraft/dimension_type/overworld.json";
    let pack = BTreeMap::from([(name.to_owned(), kind.as_bytes().to_vec())]);
    let plain = files_of_fixture("root-3955");
    let place = Place::of(&plain);
    let mut zipped = plain.clone();
    zipped.put("datapacks/p.zip", packed(&pack, Deflated));

    let mut folder = plain.clone();
    folder.put(&format!("datapacks/p/{name}"), kind.as_bytes().to_vec());
    let mut broken = plain.clone();
    broken.put("datapacks/p.zip", b"no zip".to_vec());

    let digest = |name: &str, files: &Files| {
        fs::write(place.at("w.zip"), packed(&files.0, Deflated)).unwrap();
        let report = render(&place.at("w.zip"), &place.at(name), &[])
            .expect(0, name)
            .report();
        (
            fs::read(place.at(name).join("overworld/day/tiles.tsv")).unwrap(),
            report["warnings"].to_string(),
        )
    };

    let without = digest("without", &plain);

    // Under a ceiling of 64 blocks, other blocks are visible.
    assert!(digest("zipped", &zipped).0 != without.0);
    assert_eq!(digest("zipped again", &zipped), digest("folder", &folder));

    let (tiles, warnings) = digest("broken", &broken);
    assert!(
        tiles == without.0 && warnings.contains("p.zip: not a zip"),
        "{warnings}"
    );
}
