//! Tests refused input and its exit codes. Existing files must stay unchanged.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

use crate::map::{Map, Place, Ran, fixture, land, program, render, run};
use crate::world::level_dat::LevelDat;
use crate::world::{Files, Record, RegionSpec, Tag};

/// The message is one line and contains the remedy.
fn assert_one_line(said: &str, remedy: &str) {
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("pixelmap: ") && said.contains(remedy),
        "no {remedy:?} in: {said}"
    );
}

#[test]
fn a_missing_world_is_refused_with_a_remedy() {
    let place = Place::empty();
    fs::create_dir_all(place.at("nothing")).unwrap();
    fs::File::create(place.at("file")).unwrap();

    for (name, remedy) in [
        ("missing", "world folder"),
        ("nothing", "region folder"),
        ("file", "world folder"),
    ] {
        let ran = render(&place.at(name), &place.at("map"), &[]).expect(1, name);
        assert_one_line(&ran.err, remedy);
        assert!(!place.at("map").exists(), "{name}: nothing is made");
    }

    // For a folder of worlds, the message lists the worlds in it.
    let ran = render(&fixture(""), &place.at("map"), &[]).expect(1, "fixtures");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(
        lines[0].ends_with("has worlds in it: give one of"),
        "{}",
        ran.err
    );

    assert!(
        lines[1].starts_with("  /") && lines[1].ends_with("/aligned-2586"),
        "one per line: {}",
        ran.err
    );

    assert!(
        lines.len() == 22 && lines[21].starts_with("  and "),
        "{}",
        ran.err
    );

    // The game's own folder has its worlds in a folder below.
    let mut saves = Files::new();
    saves.put("saves/Old/level.dat", Vec::new());
    saves.put("saves/New\u{7}/level.dat", Vec::new());
    saves.write_under(&place.at(".minecraft"));

    let ran = render(&place.at(".minecraft"), &place.at("map"), &[]).expect(1, ".minecraft");
    assert!(
        ran.err.contains("/.minecraft/saves/Old\n") && !ran.err.contains('\u{7}'),
        "{}",
        ran.err
    );
}

#[test]
fn foreign_worlds_are_refused_by_their_kind() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123\n";
    for (file, says, remedy) in [
        ("db/CURRENT", "Git LFS", "git lfs pull"),
        ("region3d/0.0.0.3dr", "Cubic Chunks", "CubicChunksConverter"),
        ("region2d/0.0.2dr", "Cubic Chunks", "CubicChunksConverter"),
        ("region/r.0.0.linear", ".linear", "to .mca"),
        (
            "dimensions/minecraft/overworld/region/r.0.0.b_linear",
            ".b_linear",
            "region_converter",
        ),
        ("overworld/-1/0/r.-5.0.zvcr3d", "zvcr", "copy it again"),
        ("nether/0/0/r.0.0.zvcr2d", "zvcr", "to .mca"),
        ("0/12/r.0.384.zvcr3d", "zvcr", "copy it again"),
        ("lobby.slime", ".slime", "world folder"),
        ("region/r.0.0.mcapm", ".mcapm", "convert-world.php"),
        ("chunks.dat", "chunks.dat", "a later version"),
        ("world.mclevel", "Indev", "MCEdit"),
        ("savegame.dat", "console edition", "je2be"),
        ("backup.tar.xz", "archive", "unpack it first"),
        ("backup.TBZ2", "archive", "unpack it first"),
        ("backup.7z", "archive", "unpack it first"),
        ("backup.rar", "archive", "unpack it first"),
        ("DIM1/region/r.-1.0.mca", "Git LFS", "git lfs pull"),
    ] {
        let mut files = Files::new();
        files.put("level.dat", b"also there".to_vec());
        files.put(file, pointer.as_bytes().to_vec());
        let place = Place::of(&files);
        let ran = render(&place.world(), &place.at("map"), &[]).expect(1, file);
        assert_one_line(&ran.err, remedy);
        assert!(ran.err.contains(says), "{file}: {}", ran.err);
        assert!(!place.at("map").exists(), "{file}: nothing is made");

        // The user may name the file itself, or the folder that contains it.
        let alone = place.world().join(file);
        let given = if says == "Git LFS" {
            alone.parent().unwrap()
        } else {
            &alone
        };

        let ran = render(given, &place.at("map"), &[]).expect(1, file);
        assert!(ran.err.contains(remedy), "{file}: {}", ran.err);
    }
}

#[test]
fn better_than_adventure_is_named_in_any_folder() {
    // The NBT contains arrays of shorts with the tag of arrays of ints.
    let blocks = Tag::Raw(11, [&2_i32.to_be_bytes()[..], &[0, 1, 1, 4]].concat());
    let level = |blocks: Tag| Tag::compound([("Level", blocks)]);
    let old = level(Tag::compound([("Blocks", blocks.clone())]));
    let new = level(Tag::compound([(
        "Sections",
        Tag::List(vec![Tag::compound([("Blocks", blocks)])]),
    )]));

    for (chunk, folder, given) in [
        (&old, "region", ""),
        (&old, "region", "region"),
        (&new, "dimensions/0/region", ""),
        (&new, "dimensions/2/region", "dimensions/2"),
    ] {
        let mut region = RegionSpec::new(0, 0);
        region.ending = "mcr";
        region.put_record(1, 0, Record::zlib(&Tag::Compound(Vec::new())).length(0));
        region.put_record(3, 0, Record::zlib(chunk));
        let mut files = Files::new();
        files.put("level.dat", LevelDat::new("w", None).bytes());
        files.put_region(folder, &region);

        let place = Place::of(&files);
        let ran = render(&place.world().join(given), &place.at("map"), &[]).expect(1, folder);
        assert_one_line(&ran.err, "give a copy");
        assert!(ran.err.contains("Better than Adventure"), "{}", ran.err);
    }
}

#[test]
fn archives_are_recognised_by_their_bytes() {
    let place = Place::empty();
    let tar = [&[0; 257][..], b"ustar\0"].concat();
    for (bytes, form) in [
        (&b"\x1f\x8b\x08"[..], "gz"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07", "RAR"),
        (&tar, "tar"),
    ] {
        fs::write(place.at("download"), bytes).unwrap();
        let ran = render(&place.at("download"), &place.at("map"), &[]).expect(1, form);
        assert_one_line(&ran.err, "unpack it first");
        assert!(ran.err.contains(form), "{}", ran.err);
    }

    fs::write(place.at("level.dat"), b"\x1f\x8b\x08").unwrap();
    let ran = render(&place.at("level.dat"), &place.at("map"), &[]).expect(1, "a file of a world");
    assert!(
        ran.err.contains("give the world folder it belongs to"),
        "{}",
        ran.err
    );
}

#[test]
fn a_missing_dimension_is_refused_with_the_others() {
    let place = Place::empty();
    let ran =
        render(&fixture("layout-custom"), &place.at("map"), &["-d", "end"]).expect(1, "no end");
    assert_one_line(
        &ran.err,
        "overworld, DIM7, example:moon, example:planets/mars",
    );
    assert!(!place.at("map").exists());
}

#[test]
fn unwritable_change_lists_are_refused_before_drawing() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    fs::create_dir_all(place.at("folder")).unwrap();

    for option in ["--changed-list", "--deleted-list"] {
        for (name, remedy) in [("missing/file", "missing"), ("folder", "is a folder")] {
            let path = place.at(name);
            let ran = render(
                &place.world(),
                &place.at("map"),
                &[option, path.to_str().unwrap()],
            )
            .expect(1, option);
            assert_one_line(&ran.err, remedy);

            assert!(
                !place.at("map").exists(),
                "{option} {name}: nothing is made"
            );
        }
    }

    let list = place.at("map/changed");
    render(
        &place.world(),
        &place.at("map"),
        &["--changed-list", list.to_str().unwrap()],
    )
    .expect(0, "in the map to come");
    assert!(list.is_file());
}

fn tree(folder: &Path) -> Files {
    Files::read_under(folder)
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    let mine = Files([("notes.txt".to_owned(), b"mine".to_vec())].into());
    mine.write_under(&place.at("mine"));
    let ran = render(&place.world(), &place.at("mine"), &[]).expect(1, "not ours");
    assert_one_line(&ran.err, "-o");
    assert_eq!(tree(&place.at("mine")), mine);
    let file = place.at("mine").join("notes.txt");
    assert_one_line(
        &render(&place.world(), &file, &[]).expect(1, "a file").err,
        "-o",
    );
    assert_eq!(tree(&place.at("mine")), mine);
}

#[test]
fn output_and_world_must_not_contain_each_other() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    let before = tree(&place.at(""));
    for inside in ["world", "world/map", "world/region", "map/../world/x", ""] {
        let ran = render(&place.world(), &place.at(inside), &[]).expect(2, inside);
        assert_one_line(&ran.err, "-o");
        assert_eq!(tree(&place.at("")), before, "{inside}");
    }
}

#[test]
fn a_map_of_another_world_is_left_alone() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw("map", &[]);
    let before = map.files();
    let ran = render(&fixture("root-3955"), &map.root, &[]).expect(1, "another world");
    assert_one_line(&ran.err, "-o");

    assert!(
        ran.err.contains("Six generations"),
        "the world it shows is named: {}",
        ran.err
    );

    assert_eq!(map.files(), before);
    fs::remove_dir_all(map.root.join(".pixelmap")).unwrap();
    render(&fixture("root-3955"), &map.root, &[]).expect(1, "another world, without the state");
    assert_eq!(map.files(), before);
    fs::rename(place.world(), place.at("moved")).unwrap();
    render(&place.at("moved"), &map.root, &[]).expect(0, "the same world, moved");
}

#[test]
fn a_held_output_may_be_free_later() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    let map = place.draw("map", &[]);
    let before = map.files();
    let lock = fs::File::options()
        .write(true)
        .open(map.root.join(".pixelmap/lock"))
        .unwrap();
    lock.lock().unwrap();

    let ran = render(&place.world(), &map.root, &[]).expect(75, "held");
    assert_one_line(&ran.err, "again");
    assert_eq!(ran.report()["error"]["retryable"], true);
    assert_eq!(map.files(), before);
    drop(lock);
    render(&place.world(), &map.root, &[]).expect(0, "free");
}

#[test]
fn wrong_usage_is_code_2() {
    let (place, world) = (Place::empty(), fixture("root-3955"));
    let world = world.to_str().unwrap();
    for args in [
        &[][..],
        &["render"],
        &["render", world, "--mode", "globe"],
        &["render", world, "--min-y", "9", "--max-y", "8"],
        &["render", world, "-o", "a.png", "--scheme", "xyz"],
        &["render", world, "--zoom-in", "2"],
        &["query", world, "x", "y"],
        &["man", "rendr"],
    ] {
        let ran = program()
            .current_dir(place.at(""))
            .args(args)
            .output()
            .unwrap();
        let ran = Ran::of(ran).expect(2, &format!("{args:?}"));
        assert!(
            ran.out.is_empty() && !ran.err.is_empty(),
            "{args:?}: {}",
            ran.out
        );
    }

    assert!(tree(&place.at("")).0.is_empty(), "nothing is drawn");
}

#[test]
fn negative_values_work_after_a_space() {
    let place = Place::of(&land::two_dimensions());
    let world = place.world();
    for (name, options) in [
        ("area", &["-a", "-512,-512,0,0"][..]),
        ("area-long", &["--area", "-5,-5,-1,-1"]),
        ("dimension", &["-d", "-1"]),
        ("dimension-long", &["--dimension", "-1"]),
        ("center", &["--center", "-3,17", "--radius", "9"]),
        ("heights", &["--min-y", "-64", "--max-y", "-1"]),
    ] {
        let report = render(&world, &place.at(name), options)
            .expect(0, name)
            .report();

        let dimensions = if name.starts_with("dimension") {
            &["the_nether"][..]
        } else {
            &["overworld", "the_nether"]
        };

        assert_eq!(
            report["world"]["dimensions"],
            serde_json::json!(dimensions),
            "{name}"
        );
    }

    let world = world.to_str().unwrap();
    let answer = run(&["query", world, "-3", "-17"]).expect(0, "query");
    assert!(answer.out.starts_with("-3\t-17\t"), "{}", answer.out);
    run(&["query", world, "-d", "-1", "-3", "-17", "--min-y", "-5"])
        .expect(0, "query in the nether");
}

/// Runs the program with a standard output whose reader has already ended.
fn with_a_closed_reader(args: &[&str]) -> (Option<i32>, String) {
    let mut command = program();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = command
        .args(args)
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();

    drop(command);
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();

    (child.wait().unwrap().code(), said)
}

#[test]
fn a_closed_standard_output_ends_quietly() {
    let place = Place::empty();
    let (world, map) = (fixture("demo"), place.at("map"));
    let (world, map) = (world.to_str().unwrap(), map.to_str().unwrap());
    for args in [
        &["render", world, "-o", map, "-q", "--report", "-"][..],
        &["info", world],
        &["info", world, "--json"],
        &["query", world, "0", "0"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["render", "--help"],
        &["--version"],
    ] {
        assert_eq!(
            with_a_closed_reader(args),
            (Some(0), String::new()),
            "{args:?}"
        );
    }

    assert!(place.at("map").join("map.json").is_file());
}

#[test]
fn quiet_prints_only_errors_and_reasons() {
    let place = Place::empty();
    let ran = render(&fixture("root-3955"), &place.at("sound"), &["-q"]).expect(0, "a sound world");
    assert_eq!(ran.err, "");
    let ran = render(&fixture("zlib-garbage"), &place.at("map"), &["-q"]).expect(3, "zlib-garbage");
    assert_one_line(
        &ran.err,
        "1 place could not be read, the first: overworld r.-1.-1.mca chunk -1,-2: ",
    );
    let ran = render(&place.at("missing"), &place.at("map"), &["-q"]).expect(1, "no world");
    assert!(ran.err.contains("missing"), "{}", ran.err);
}

#[test]
fn standard_output_carries_only_data() {
    let place = Place::empty();
    let mut command = program();
    command
        .arg("render")
        .arg(fixture("demo"))
        .arg("-o")
        .arg(place.at("map"))
        .args(["-v", "--progress", "plain"]);
    let output = command.output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, b"");
    assert!(Map::at(&place.at("map")).root.join("index.html").is_file());
}

#[test]
fn side_files_overwrite_neither_world_nor_each_other() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    let (world, at) = (place.world(), |name: &str| {
        place.at(name).to_str().unwrap().to_owned()
    });
    let before = Files::read_under(&world);

    let level = world.join("level.dat").to_str().unwrap().to_owned();
    let out = at("map.png");
    for options in [
        ["--report", &level, "--mode", "image"],
        ["--report", &out, "--mode", "image"],
        ["--changed-list", &level, "--mode", "map"],
        ["--deleted-list", &level, "--report", &at("report")],
    ] {
        let ran = run(&[
            &["render", world.to_str().unwrap(), "-o", &out][..],
            &options,
        ]
        .concat());

        assert_eq!(
            (ran.code, ran.err.lines().count()),
            (2, 1),
            "{options:?}: {}",
            ran.err
        );
    }

    let both = ["--changed-list", "-", "--report", "-"];
    let ran = run(&[
        &["render", world.to_str().unwrap(), "-o", &at("map")][..],
        &both,
    ]
    .concat());

    assert!(
        ran.code == 2 && ran.err.contains("--report and --changed-list are both -"),
        "{}",
        ran.err
    );

    for own in [
        "map.json",
        "viewer.js",
        ".pixelmap/journal",
        "overworld/day/tiles.tsv",
        "overworld/day/17/0/0.png",
    ] {
        let list = at(&format!("map/{own}"));
        let ran = run(&[
            "render",
            world.to_str().unwrap(),
            "-o",
            &at("map"),
            "--changed-list",
            &list,
        ]);

        assert!(
            ran.code == 2 && ran.err.contains("has the name of a file of the map"),
            "{own}: {}",
            ran.err
        );
    }

    assert_eq!(Files::read_under(&world), before);
    assert!(!place.at("map").exists() && !place.at("map.png").exists());
}

#[cfg(unix)]
#[test]
fn pictures_never_replace_devices_or_pipes() {
    use std::os::unix::fs::FileTypeExt as _;

    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    for name in ["pipe.png", "pipe.pmtiles"] {
        let pipe = place.at(name);
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );

        let ran = run(&[
            "render",
            place.world().to_str().unwrap(),
            "-o",
            pipe.to_str().unwrap(),
        ]);

        assert!(
            ran.code == 1 && ran.err.contains("is a device or a pipe"),
            "{} {}",
            ran.code,
            ran.err
        );
        assert!(pipe.metadata().unwrap().file_type().is_fifo());
    }
}

#[test]
fn an_unmet_demand_is_reported_with_its_reason() {
    let world = fixture("slot-past-end");
    let place = Place::empty();
    let out = place.at("map").to_str().unwrap().to_owned();

    let ran = run(&[
        "render",
        world.to_str().unwrap(),
        "-o",
        &out,
        "-q",
        "--max-bad-chunks",
        "0",
    ]);

    assert_eq!((ran.code, ran.err.lines().count()), (1, 1), "{}", ran.err);
    assert!(ran.err.contains("--max-bad-chunks 1"), "{}", ran.err);

    let json = render(
        &world,
        &place.at("map"),
        &["--log-format", "json", "--max-bad-chunks", "0"],
    )
    .expect(1, "json");

    let events = crate::cli::log::events(&json);
    let error = events
        .iter()
        .find(|event| event["event"] == "error")
        .unwrap();
    assert_eq!(
        (&error["kind"], &events.last().unwrap()["code"]),
        (&"demands".into(), &1.into())
    );

    let ran = run(&["render", world.to_str().unwrap(), "-o", &out]);
    assert!(
        ran.code == 3 && !ran.err.contains("pixelmap:"),
        "gaps are named with the summary: {}",
        ran.err
    );
}

#[test]
fn names_in_messages_never_become_options() {
    let place = Place::empty();
    let world = place.at("`force`");
    let other = Place::of(&land::two_dimensions());
    land::two_dimensions().write_under(&world);
    fs::write(
        world.join("level.dat"),
        LevelDat::new("`force`", Some(3955)).bytes(),
    )
    .unwrap();

    render(&world, &place.at("map"), &[]).expect(0, "a world");
    let ran = render(&other.world(), &place.at("map"), &[]).expect(1, "another world");
    assert_one_line(
        &ran.err,
        "shows another world (`force`): name another folder with -o",
    );

    let ran = render(&world, &place.at("other"), &["--hide", "`hide`"]).expect(2, "no such file");
    assert_one_line(&ran.err, "--hide `hide`: ");
    let ran = render(&place.at("`output`"), &place.at("other"), &[]).expect(1, "no such world");
    assert_one_line(&ran.err, "/`output`: give");
}
