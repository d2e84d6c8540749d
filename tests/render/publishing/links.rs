//! Tests links inside an output: the program follows none, and nothing behind a link changes.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::map::{Place, Ran, fixture, land, on, program, render};
use crate::world::Files;

/// Moves the folder at `path` away and puts a link in its place. Fails unless `run` refuses to
/// follow that link, and changes no file behind it.
fn assert_refused(place: &Place, path: &Path, run: impl FnOnce() -> Ran) {
    let aside = place.at("aside");
    let _ = fs::remove_dir_all(&aside);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::rename(path, &aside)
        .or_else(|_| fs::create_dir(&aside))
        .unwrap();
    fs::write(aside.join("keep"), "mine").unwrap();
    let before = Files::read_under(&aside).0;
    symlink(&aside, path).unwrap();

    let what = path.display().to_string();
    let ran = run().expect(1, &what);
    assert!(
        ran.err.contains(&format!("{what} is a link")),
        "{}",
        ran.err
    );

    assert!(
        Files::read_under(&aside).0 == before,
        "{what}: files behind the link have changed"
    );
    fs::remove_file(path).unwrap();
    fs::rename(&aside, path).unwrap();
    fs::remove_file(path.join("keep")).unwrap();
}

#[test]
fn no_run_follows_a_link_inside_its_map() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &["--history"]);
    for folder in [
        ".pixelmap",
        ".pixelmap/tmp",
        ".pixelmap/next",
        "history",
        "overworld",
        "overworld/day",
        "overworld/day/17",
        "overworld/day/17/0",
        "overworld/day/16",
    ] {
        let layer = ["--history", "-f"];
        assert_refused(&place, &map.root.join(folder), || {
            render(&place.world(), &map.root, &layer)
        });
    }

    let shard = ["--shard", "1/2"];
    let plain = place.draw("plain", &[]);
    assert_refused(&place, &plain.root.join(".pixelmap/parts"), || {
        render(&place.world(), &plain.root, &shard)
    });
}

/// Moves the file or folder at `path` away and puts a link to it in its place. Fails unless the run
/// refuses to follow that link, although it leads to a good file or folder.
fn assert_unread(place: &Place, path: &Path, code: i32, run: impl FnOnce() -> Ran) {
    fs::rename(path, place.at("aside")).unwrap();
    symlink(place.at("aside"), path).unwrap();
    let what = path.display().to_string();
    let ran = run().expect(code, &what);
    assert!(
        format!("{}{}", ran.err, ran.out).contains(&format!("{what} is a link")),
        "{what}: {}",
        ran.err
    );
    fs::remove_file(path).unwrap();
    fs::rename(place.at("aside"), path).unwrap();
}

#[test]
fn no_reader_follows_a_link_inside_a_map() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &["--history", "--time", "2026-05-01"]);
    place.draw("other", &["-l", "night"]);

    render(
        &place.world(),
        &map.root,
        &[
            "--history",
            "--time",
            "2026-05-02",
            "--look",
            "1",
            "-l",
            "height",
        ],
    )
    .expect(0, "");

    let facts = [
        "map.json",
        "overworld",
        "overworld/day",
        "overworld/day/tiles.tsv",
    ];

    let tiles = [
        "overworld/day/17",
        "overworld/day/17/0",
        "overworld/day/17/0/0.png",
    ];
    let past = ["history", "history/moments.js"];
    let picture = place.at("pic.png");

    for name in facts.into_iter().chain(tiles).chain(past).chain(["map.js"]) {
        assert_unread(&place, &map.root.join(name), 1, || {
            on::<&str>("verify", &map.root, &[])
        });
    }

    for name in facts {
        assert_unread(&place, &map.root.join(name), 2, || {
            on("diff", &map.root, &[place.at("other").to_str().unwrap()])
        });
    }

    for name in facts.into_iter().chain(tiles) {
        let to = [
            "-d",
            "overworld",
            "-l",
            "day",
            "-o",
            picture.to_str().unwrap(),
        ];
        assert_unread(&place, &map.root.join(name), 1, || {
            on("export", &map.root, &to)
        });
    }

    for name in past {
        assert_unread(&place, &map.root.join(name), 1, || {
            on::<&str>("history", &map.root, &[])
        });
    }

    assert!(!picture.exists());
    on::<&str>("verify", &map.root, &[]).expect(0, "the map is as it was");
}

#[test]
fn a_merge_reads_no_part_behind_a_link() {
    let place = Place::of(&land::two_dimensions());
    let out = place.at("map");
    for shard in ["1/2", "2/2"] {
        render(&place.world(), &out, &["--shard", shard]).expect(0, shard);
    }

    let merge = || {
        let mut command = program();
        Ran::of(command.arg("merge").arg("-o").arg(&out).output().unwrap())
    };

    for name in [
        ".pixelmap",
        ".pixelmap/parts",
        ".pixelmap/parts/2-of-2",
        ".pixelmap/parts/2-of-2/part.json",
    ] {
        assert_unread(&place, &out.join(name), 1, merge);
    }

    merge().expect(0, "no links");
}

#[test]
fn a_link_to_the_output_folder_is_followed() {
    let place = Place::of(&land::two_dimensions());
    fs::create_dir(place.at("real")).unwrap();
    symlink(place.at("real"), place.at("link")).unwrap();
    render(&place.world(), &place.at("link"), &[]).expect(0, "a link to an empty folder");
    render(&place.world(), &place.at("link"), &["-f"]).expect(0, "a link to a map");
    assert!(place.at("real/map.json").is_file() && place.at("link").is_symlink());
}

#[test]
fn folders_of_the_owner_may_be_links() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    fs::create_dir(place.at("mine")).unwrap();
    fs::write(place.at("mine/own.css"), "mine").unwrap();
    symlink(place.at("mine"), map.root.join("custom")).unwrap();
    render(&place.world(), &map.root, &["-f"]).expect(0, "custom is a link");
    assert_eq!(Files::read_under(&place.at("mine")).0.len(), 1);
}

#[test]
fn named_maps_are_not_drawn_behind_links() {
    let place = Place::empty();
    let table = format!(
        "[[map]]\nname = 'a'\nworld = '{}'\n",
        fixture("root-3955").display()
    );
    fs::write(place.at("maps.toml"), table).unwrap();

    let run = || {
        let mut command = program();
        command
            .arg("render")
            .arg("-c")
            .arg(place.at("maps.toml"))
            .arg("-o")
            .arg(place.at("site"));
        Ran::of(command.output().unwrap())
    };

    run().expect(0, "named maps");
    assert_refused(&place, &place.at("site/a"), run);
}

#[test]
fn exports_follow_no_link_inside_their_folder() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &[]);

    for (kind, folders) in [
        (
            Some("squaremap"),
            [
                "tiles",
                "tiles/minecraft_overworld",
                "tiles/minecraft_overworld/0",
            ]
            .as_slice(),
        ),
        (Some("journeymap"), &["overworld", "overworld/day"]),
        (None, &[".pixelmap"]),
    ] {
        let out = place.at(kind.unwrap_or("regions"));
        let to = out.to_str().unwrap();
        let args = kind.map_or(vec!["-o", to], |kind| vec!["-o", to, "--for", kind]);
        let export = || on("export", &place.at("map"), &args);
        export().expect(0, to);

        for folder in folders {
            // Without the removal, the export would have nothing to write.
            remove_pictures(&out);
            assert_refused(&place, &out.join(folder), export);
        }
    }
}

fn remove_pictures(folder: &Path) {
    for path in Files::read_under(folder)
        .0
        .into_keys()
        .filter(|path| Path::new(path).extension() == Some("png".as_ref()))
    {
        fs::remove_file(folder.join(path)).unwrap();
    }
}

#[test]
fn a_part_file_of_the_user_stays() {
    let place = Place::of(&land::two_dimensions());
    fs::write(place.at("theirs"), "theirs").unwrap();
    fs::hard_link(place.at("theirs"), place.at(".pic.png.part")).unwrap();
    render(&place.world(), &place.at("pic.png"), &[]).expect(0, "a hard link");
    symlink(place.at("theirs"), place.at(".pic.png.part")).unwrap();
    render(&place.world(), &place.at("pic.png"), &["-f"]).expect(0, "a link");
    assert_eq!(fs::read(place.at("theirs")).unwrap(), b"theirs");
}

#[test]
fn no_output_is_inside_a_linked_world() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    fs::rename(place.world().join("region"), place.at("elsewhere")).unwrap();
    symlink(place.at("elsewhere"), place.world().join("region")).unwrap();
    let before = Files::read_under(&place.at("elsewhere")).0;

    for out in ["elsewhere", "elsewhere/map", "elsewhere/pic.png"] {
        let ran = render(&place.world(), &place.at(out), &[]).expect(2, out);
        assert!(ran.err.contains("is inside it"), "{}", ran.err);
    }

    let after: BTreeMap<String, Vec<u8>> = Files::read_under(&place.at("elsewhere")).0;
    assert!(after == before);
    render(&place.world(), &place.at("map"), &[]).expect(0, "beside it");
}

#[test]
fn an_unfinished_squaremap_folder_is_continued() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &[]);

    for left in [
        &["tiles"] as &[&str],
        &["tiles", "tiles/.settings.json.part"],
    ] {
        let web = place.at("web");
        let _ = fs::remove_dir_all(&web);
        fs::create_dir_all(web.join(left[0])).unwrap();
        left[1..]
            .iter()
            .for_each(|part| fs::write(web.join(part), "{").unwrap());

        let args = ["-o", web.to_str().unwrap(), "--for", "squaremap"];
        on("export", &place.at("map"), &args).expect(0, "killed before its mark");
        assert!(
            web.join("tiles/settings.json").is_file()
                && !web.join("tiles/.settings.json.part").exists()
        );
    }
}
