//! Tests worlds in tars: they give the same maps as their folders, and nothing of them stays on the
//! disk.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::map::{Map, Place, Ran, assert_same_files, fixture, has_ending, on, program, render};
use crate::world::files::Files;
use crate::world::tar::{self, Packer, TarBuilder, TarForm};

type Named = BTreeMap<String, Vec<u8>>;

fn files_of_fixture(name: &str) -> Files {
    Files::read_under(&fixture(name))
}

/// The files below another folder.
fn below(folder: &str, files: &Files) -> Named {
    let named = files.0.iter();
    named
        .map(|(path, bytes)| (format!("{folder}{path}"), bytes.clone()))
        .collect()
}

/// Runs a command on a world with an empty folder for temporary files, and checks that it stays
/// empty.
fn leaving_nothing(place: &Place, args: &[&str]) -> Ran {
    let temporary = place.at("temporary");
    fs::create_dir_all(&temporary).unwrap();
    let output = program()
        .args(args)
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{args:?}");
    Ran::of(output)
}

fn failure(place: &Place, name: &str, bytes: &[u8]) -> String {
    fs::write(place.at(name), bytes).unwrap();
    leaving_nothing(place, &["info", place.at(name).to_str().unwrap()])
        .expect(1, name)
        .err
}

#[test]
fn tar_and_world_folder_give_equal_maps() {
    let long = format!("./{}/world/", "backups-of-the-server".repeat(6));
    for (name, code) in [
        ("mixed-region", 0),
        ("layout-bukkit", 0),
        ("external-zlib", 0),
        ("zlib-garbage", 3),
        ("alpha", 0),
        ("bedrock", 0),
    ] {
        let files = files_of_fixture(name);
        let place = Place::of(&files);
        let expected = place.at("of-folder");
        render(&place.world(), &expected, &["-l", "day", "-l", "height"]).expect(code, name);

        for (number, (form, packer, folder)) in [
            (TarForm::Gnu, Packer::None, "world/"),
            (TarForm::Gnu, Packer::Gzip, "./"),
            (TarForm::Pax, Packer::Zstd, &*long),
            (TarForm::Gnu, Packer::Zstd, &*long),
        ]
        .into_iter()
        .enumerate()
        {
            // The name of the file, rather than its ending, decides nothing.
            let world = place.at("world.tar");
            let tar = TarBuilder::of(form, &below(folder, &files));
            fs::write(&world, tar.finish(packer)).unwrap();

            let out = place.at(&format!("map-{number}"));
            let args = [
                "render",
                world.to_str().unwrap(),
                "-o",
                out.to_str().unwrap(),
            ];
            let args = [&args[..], &["-l", "day", "-l", "height", "-q"]].concat();
            leaving_nothing(&place, &args).expect(code, name);
            assert_same_files(name, &Map::at(&expected).files(), &Map::at(&out).files());
        }
    }
}

#[test]
fn only_changed_regions_of_a_tar_are_drawn() {
    let mut files = files_of_fixture("layout-custom");
    let place = Place::of(&files);
    let night = |name: &str, files: &Files, packer: Packer| {
        let tar = TarBuilder::of(TarForm::Gnu, &files.0);
        fs::write(place.at(name), tar.finish(packer)).unwrap();
        let report = render(&place.at(name), &place.at("map"), &[])
            .expect(0, name)
            .report();
        let count = |key: &str| report["regions"][key].as_u64().unwrap();
        (count("drawn"), count("unchanged"))
    };

    let (all, none) = night("monday.tar.gz", &files, Packer::Gzip);
    assert!(all > 1 && none == 0);
    assert_eq!(night("tuesday.tar.gz", &files, Packer::Gzip), (0, all));
    assert_eq!(night("wednesday.tar.zst", &files, Packer::Zstd), (0, all));

    // A block gets another name in one region. Its length and its header stay.
    let other = files_of_fixture("uncompressed");
    let single = |flip: u8| {
        let mut files = other.clone();
        let region = files.0.iter_mut().find(|(path, _)| has_ending(path, "mca"));
        let bytes = region.unwrap().1;
        let name = bytes.windows(10).position(|part| part == b"minecraft:");
        bytes[name.unwrap() + 10] ^= flip;
        files
    };
    files = single(0);
    let place = Place::empty();
    let draw = |files: &Files| {
        let tar = TarBuilder::of(TarForm::Pax, &files.0);
        fs::write(place.at("w.tgz"), tar.finish(Packer::Gzip)).unwrap();
        let report = render(&place.at("w.tgz"), &place.at("map"), &[]).expect(0, "map");
        report.report()["regions"]["drawn"].as_u64().unwrap()
    };
    assert_eq!(draw(&files), 1);
    assert_eq!(draw(&single(1)), 1);
    assert_eq!(draw(&single(1)), 0);
}

#[test]
fn several_worlds_in_a_tar_are_named() {
    let place = Place::empty();
    let mut files = below("./one/", &files_of_fixture("gzip"));
    files.extend(below("./two/", &files_of_fixture("lz4")));
    files.insert("./server.jar".to_owned(), vec![0; 2000]);
    let tar = TarBuilder::of(TarForm::Gnu, &files).finish(Packer::Gzip);
    fs::write(place.at("both.tgz"), tar).unwrap();

    let err = render(&place.at("both.tgz"), &place.at("map"), &[])
        .expect(1, "two worlds")
        .err;
    let listed = on("info", &place.at("both.tgz"), &["--json"])
        .expect(0, "info")
        .out;
    for name in ["one", "two"] {
        let world = place.at("both.tgz").join(name);
        assert!(err.contains(&format!("\n  {}", world.display())), "{err}");
        assert!(listed.contains(world.to_str().unwrap()), "{listed}");
        render(&world, &place.at(name), &[]).expect(0, name);
        assert!(!Map::at(&place.at(name)).tiles("overworld").is_empty());
    }
}

#[test]
fn links_and_names_leading_out_are_left_out() {
    let place = Place::empty();
    let files = files_of_fixture("gzip");
    let region = files.0.iter().find(|(path, _)| has_ending(path, "mca"));
    let region = region.unwrap().1;

    let mut tar = TarBuilder::of(TarForm::Gnu, &below("/srv/world/", &files));
    tar.file("../../region/r.5.0.mca", region);
    tar.file("srv/world/region/../../r.6.0.mca", region);
    tar.symlink("srv/world/region/r.7.0.mca", "/etc/passwd");
    tar.symlink("srv/world/DIM1", "../../..");
    tar.hard_link("srv/world/region/r.8.0.mca", "../../outside");
    tar.folder("srv/world/playerdata");
    fs::write(place.at("w.tar"), tar.finish(Packer::None)).unwrap();

    let report = render(&place.at("w.tar"), &place.at("map"), &[])
        .expect(0, "map")
        .report();
    assert_eq!(report["regions"]["total"], 1, "{report}");
    let warnings = report["warnings"].to_string();
    for name in ["../../region/r.5.0.mca", "r.6.0", "r.7.0", "DIM1", "r.8.0"] {
        assert!(warnings.contains(name), "{warnings}");
    }
}

#[test]
fn damaged_tars_are_refused_and_leave_nothing() {
    let place = Place::empty();
    let files = below("world/", &files_of_fixture("gzip"));
    let whole = |packer| TarBuilder::of(TarForm::Gnu, &files).finish(packer);

    for (name, packer) in [
        ("w.tar", Packer::None),
        ("w.tar.gz", Packer::Gzip),
        ("w.tar.zst", Packer::Zstd),
    ] {
        let bytes = whole(packer);
        let said = failure(&place, name, &bytes[..bytes.len() / 2]);
        assert!(said.contains("not whole"), "{said}");
    }

    let mut bytes = whole(Packer::Gzip);
    let end = bytes.len();
    bytes[end - 8] ^= 1;
    let said = failure(&place, "checksum.tgz", &bytes);
    assert!(said.contains("damaged"), "{said}");

    let said = failure(&place, "text.tar.gz", b"\x1f\x8b\x08 nothing of this kind");
    assert!(said.contains("at its start"), "{said}");
    fs::create_dir_all(place.at("folder")).unwrap();
    fs::write(place.at("folder/backup.TGZ"), "").unwrap();
    let said = on::<&str>("info", &place.at("folder"), &[])
        .expect(1, "around")
        .err;
    assert!(
        said.contains("folder/backup.TGZ") && said.contains("give this file"),
        "{said}"
    );
    let said = failure(&place, "text.gz", b"\x1f\x8b\x08 nothing of this kind");
    assert!(said.contains("something other than a tar"), "{said}");

    let mut sparse = TarBuilder::of(TarForm::Gnu, &files);
    sparse.sparse_file("world/region/r.9.9.mca", b"");
    let said = failure(&place, "sparse.tar", &sparse.finish(Packer::None));
    assert!(said.contains("sparse file"), "{said}");
}

#[test]
fn tars_that_inflate_without_measure_are_refused() {
    let place = Place::empty();
    let mut bomb = zstd::Encoder::new(Vec::new(), 1).unwrap();
    bomb.write_all(&tar::header_of("logs", 2 << 30)).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..1100 {
        bomb.write_all(&zeros).unwrap();
    }

    let said = failure(&place, "bomb.tar.zst", &bomb.finish().unwrap());
    assert!(said.contains("inflates to more than"), "{said}");
}

#[test]
fn names_without_measure_are_refused() {
    let place = Place::empty();
    let name = format!("{}/level.dat", "x".repeat(2 << 20));
    let mut long = TarBuilder::new(TarForm::Gnu);
    long.file(&name, b"");
    let said = failure(&place, "long.tar", &long.finish(Packer::None));
    assert!(said.contains("damaged"), "{said}");
}

#[test]
fn archives_that_are_not_read_are_named() {
    let place = Place::empty();
    for (name, start, kind) in [
        ("w.tar.xz", &b"\xfd7zXZ\0"[..], "packed by xz"),
        ("w.tar.bz2", b"BZh9", "packed by bzip2"),
        ("w.7z", b"7z\xbc\xaf\x27\x1c", "7z archive"),
        ("w.rar", b"Rar!\x1a\x07\x01", "RAR archive"),
        ("w.squashfs", b"hsqs\x01", "squashfs"),
        ("w.tar.lz4", b"\x04\x22\x4d\x18", "packed by LZ4"),
    ] {
        let said = failure(&place, name, start);
        assert!(
            said.contains(kind) && said.contains("unpack it first"),
            "{said}"
        );
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_on_a_tar_leaves_nothing() {
    use rustix::process::{Pid, Signal, kill_process};

    let place = Place::empty();
    let temporary = place.at("temporary");
    fs::create_dir_all(&temporary).unwrap();

    let world = place.at("world.tar.gz");
    let files = below("world/", &files_of_fixture("demo"));
    fs::write(
        &world,
        TarBuilder::of(TarForm::Gnu, &files).finish(Packer::Gzip),
    )
    .unwrap();

    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        for wait in [1, 20, 60] {
            let mut child = program()
                .args(["render", world.to_str().unwrap(), "-o"])
                .arg(place.at("map"))
                .env("TMPDIR", &temporary)
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(std::time::Duration::from_millis(wait));
            kill_process(Pid::from_child(&child), signal).unwrap();
            child.wait().unwrap();
            assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        }
    }
}

#[test]
fn queries_and_pictures_read_a_tar() {
    let files = files_of_fixture("demo");
    let place = Place::of(&files);
    let tar = place.at("demo.tar.zst");
    let bytes = TarBuilder::of(TarForm::Pax, &files.0).finish(Packer::Zstd);
    fs::write(&tar, bytes).unwrap();

    let column = |world: &Path| {
        on("query", world, &["0,0", "-20,13"])
            .expect(0, "query")
            .out
    };
    assert_eq!(column(&tar), column(&place.world()));

    let picture = |world: &Path, name: &str| {
        render(world, &place.at(name), &["--area", "-40,-40,40,40"]).expect(0, name);
        fs::read(place.at(name)).unwrap()
    };
    assert!(picture(&tar, "tar.png") == picture(&place.world(), "folder.png"));
}
