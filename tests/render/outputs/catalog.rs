//! Tests catalogs: all worlds below a folder are described, each once, and read again only after
//! they changed.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::schemas::{schema, strict};
use crate::map::{Map, Place, Ran, assert_same_files, fixture, program};
use crate::world::files::Files;
use crate::world::tar::{Packer, TarBuilder, TarForm};

/// A folder with worlds in folders and archives, one of them encrypted, and a copy of one.
fn museum() -> Place {
    let place = Place::empty();
    let put = |folder: &str, name: &str| {
        Files::read_under(&fixture(name)).write_under(&place.at("museum").join(folder));
    };
    put("old/alpha", "alpha");
    put("old/a/b/copy, of \"it\"", "layout-custom");
    put("custom", "layout-custom");
    put("server/world", "layout-bukkit/world");
    put("server/world_nether", "layout-bukkit/world_nether");
    put("locked", "bedrock-encrypted");
    put("1/2/3/4/5/6/7", "gzip");

    let mut packed = BTreeMap::new();
    for name in ["gzip", "lz4"] {
        for (path, bytes) in Files::read_under(&fixture(name)).0 {
            packed.insert(format!("./{name}/{path}"), bytes);
        }
    }
    let tar = TarBuilder::of(TarForm::Gnu, &packed).finish(Packer::Gzip);
    fs::write(place.at("museum/backup.tgz"), tar).unwrap();
    fs::write(place.at("museum/cut.tar.gz"), b"\x1f\x8b\x08").unwrap();
    fs::write(
        place.at("museum/mod.zip"),
        b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    )
    .unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(fixture("demo"), place.at("museum/link")).unwrap();
    place
}

fn catalog(place: &Place, out: &str, options: &[&str]) -> Ran {
    let mut command = program();
    command.arg("catalog").arg(place.at("museum"));
    command.arg("-o").arg(place.at(out)).args(options);
    Ran::of(command.output().unwrap())
}

fn worlds(out: &Path) -> Vec<Value> {
    let text = fs::read(out.join("worlds.json")).unwrap();
    let catalog: Value = serde_json::from_slice(&text).unwrap();
    let schema = strict(schema("catalog.schema.json"));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    if let Some(error) = validator.iter_errors(&catalog).next() {
        panic!("{error} at {}", error.instance_path());
    }
    catalog["worlds"].as_array().unwrap().clone()
}

fn paths(worlds: &[Value]) -> Vec<&str> {
    let paths = worlds.iter().map(|world| world["path"].as_str().unwrap());
    paths.collect()
}

#[test]
fn a_catalog_describes_each_world_below_a_folder() {
    let place = museum();
    let said = catalog(&place, "out", &[]).expect(3, "two bad places").err;
    let bad: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("pixelmap:"))
        .collect();
    assert_eq!(bad.len(), 2, "{said}");
    assert!(
        bad[0].contains("cut.tar.gz: ") && bad[1].contains("locked: "),
        "{said}"
    );

    let out = place.at("out");
    let worlds = worlds(&out);
    assert_eq!(
        paths(&worlds),
        [
            "backup.tgz/gzip",
            "backup.tgz/lz4",
            "custom",
            "cut.tar.gz",
            "locked",
            "old/a/b/copy, of \"it\"",
            "old/alpha",
            "server/world",
        ]
    );

    let custom = &worlds[2];
    assert_eq!(custom["copies"][0]["path"], "old/a/b/copy, of \"it\"");
    assert_eq!(custom["copies"][0]["percent"], 100);
    assert!(worlds[0]["copies"].as_array().unwrap().is_empty());
    let nether = worlds[7]["dimensions"].to_string();
    assert!(nether.contains("the_nether"), "{nether}");

    for world in worlds.iter().filter(|world| world["error"].is_null()) {
        let picture = fs::read(out.join(world["picture"].as_str().unwrap())).unwrap();
        assert!(picture.starts_with(b"\x89PNG"), "{world}");
        assert!(world["chunks"].as_u64().unwrap() > 0, "{world}");
    }

    let csv = fs::read_to_string(out.join("worlds.csv")).unwrap();
    assert_eq!(csv.lines().count(), worlds.len() + 1);
    assert!(csv.contains("\"old/a/b/copy, of \"\"it\"\"\""), "{csv}");

    let deep = catalog(&place, "deep", &["--depth", "7"]).expect(3, "deep");
    assert!(deep.err.contains("9 worlds"), "{}", deep.err);
}

#[test]
fn unchanged_worlds_are_not_read_again() {
    let place = museum();
    let read = |count: &str| {
        let said = catalog(&place, "out", &[]).expect(3, count).err;
        assert!(said.contains(count), "{said}");
        worlds(&place.at("out"))
    };

    let first = read("8 new or changed places");
    assert_eq!(read("0 new or changed places"), first);

    // A torn line, as a killed run leaves it, costs only itself.
    let lines = place.at("out/.pixelmap/catalog/worlds.jsonl");
    let torn = fs::read_to_string(&lines).unwrap() + "{\"place\":\"cus";
    fs::write(&lines, torn).unwrap();
    fs::remove_dir_all(place.at("museum/old/alpha")).unwrap();
    let region = place.at("museum/custom/level.dat");
    fs::OpenOptions::new()
        .append(true)
        .open(region)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"\0"))
        .unwrap();

    let next = read("1 new or changed place\n");
    assert!(!paths(&next).contains(&"old/alpha"));
    let pictures = fs::read_dir(place.at("out/pictures")).unwrap().count();
    assert_eq!(pictures, next.len() - 2, "pictures of lost worlds are gone");
}

#[test]
fn shards_combine_to_the_catalog_of_one_run() {
    let place = museum();
    catalog(&place, "whole", &[]).expect(3, "whole");
    for shard in ["1/3", "2/3", "3/3"] {
        let ran = catalog(&place, "parts", &["--shard", shard]);
        assert!(ran.err.contains("without --shard"), "{}", ran.err);
        assert!(!place.at("parts/index.html").exists());
    }

    let said = catalog(&place, "parts", &[]).expect(3, "merge").err;
    assert!(said.contains("0 new or changed places"), "{said}");
    let [whole, parts] = ["whole", "parts"].map(|out| Map::at(&place.at(out)).files());
    assert_same_files("shards", &whole, &parts);
}

#[test]
fn maps_of_a_catalog_are_linked() {
    let place = Place::empty();
    Files::read_under(&fixture("gzip")).write_under(&place.at("museum/one"));
    catalog(&place, "out", &[]).expect(0, "without maps");
    catalog(&place, "out", &["--maps"]).expect(0, "with maps");
    let worlds = worlds(&place.at("out"));
    let map = place.at("out").join(worlds[0]["map"].as_str().unwrap());
    assert!(map.exists() && map.with_file_name("map.json").exists());
}

#[test]
fn foreign_folders_and_busy_catalogs_are_refused() {
    let place = Place::empty();
    fs::create_dir_all(place.at("museum")).unwrap();
    fs::create_dir_all(place.at("mine")).unwrap();
    fs::write(place.at("mine/letter.txt"), "dear").unwrap();
    let said = catalog(&place, "mine", &[]).expect(1, "foreign").err;
    assert!(said.contains("neither empty nor a catalog"), "{said}");
    assert_eq!(fs::read_dir(place.at("mine")).unwrap().count(), 1);

    catalog(&place, "out", &[]).expect(0, "empty");
    let lock = fs::File::open(place.at("out/.pixelmap/catalog/worlds.lock")).unwrap();
    lock.lock().unwrap();
    let said = catalog(&place, "out", &[]).expect(75, "busy").err;
    assert!(said.contains("another run"), "{said}");
}
