//! Tests which files an export sends to a bucket and removes from it, and in which order.

use std::fs;

use rustix::process::Signal;

use super::store::{Fate, Request, Store};
use super::{after, assert_there, export, interrupted, is_put_of_tile, is_tile, island, ran};
use crate::map::{Place, land, on};

#[test]
fn a_bucket_receives_only_changed_files() {
    let place = island();
    let map = place.draw("map", &["-l", "day", "-l", "height", "--details"]);
    fs::create_dir_all(map.root.join("custom")).unwrap();
    fs::write(map.root.join("custom/our logo.svg"), "<svg/>").unwrap();

    for store in Store::all() {
        let said = export(&store, &map, 0).err;
        assert!(
            said.contains(" files written (") && said.contains(", 0 unchanged, 0 removed\n"),
            "{said}"
        );
        assert_there(&store, &map);
        assert!(
            !String::from_utf8(store.files("our/map")[".pixelmap/world.json"].clone())
                .unwrap()
                .contains("/tmp")
        );

        // Nothing has changed.
        store.requests();
        let said = export(&store, &map, 0).err;
        assert!(
            said.starts_with("0 files written (0 B), ") && said.contains(" unchanged, 0 removed\n"),
            "{said}"
        );

        assert!(
            store
                .requests()
                .iter()
                .all(|request| request.method == "GET" && !is_tile(&request.path))
        );
    }

    // A part of the world and a file of the user vanish, and another layer is added.
    let stores: Vec<Store> = Store::all();
    for store in &stores {
        export(store, &map, 0);
    }

    let before = map.files();
    let gone = fs::read_dir(place.world().join("region"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    fs::remove_file(gone.path()).unwrap();

    fs::remove_file(map.root.join("custom/our logo.svg")).unwrap();
    place.draw("map", &["-l", "day", "-l", "biome"]);
    let after = map.files();
    let changed = after
        .iter()
        .filter(|(path, bytes)| before.get(*path) != Some(bytes))
        .count();

    for store in stores {
        store.requests();
        let said = export(&store, &map, 0).err;
        assert!(
            said.starts_with(&format!("{changed} files written (")),
            "{changed}: {said}"
        );

        assert_eq!(
            store
                .put()
                .iter()
                .filter(|path| !path.contains("/.pixelmap/"))
                .count(),
            changed
        );
        assert_there(&store, &map);
    }
}

#[test]
fn layers_missing_from_the_map_are_removed() {
    let place = Place::of(&land::two_dimensions());
    let wide = place.draw(
        "wide",
        &[
            "-l",
            "day",
            "-l",
            "night",
            "--details",
            "--format",
            "webp",
            "--scheme",
            "tms",
        ],
    );

    let narrow = place.draw(
        "narrow",
        &["-d", "overworld", "--format", "webp", "--scheme", "tms"],
    );

    for store in Store::all() {
        export(&store, &wide, 0);
        export(&store, &narrow, 0);
        assert_there(&store, &narrow);
    }
}

#[test]
fn files_are_uploaded_in_page_order() {
    let place = island();
    let map = place.draw("map", &["-l", "day", "-l", "height", "--scheme", "xyz"]);
    let index = |put: &[String], path: &str| put.iter().position(|put| put == path).unwrap();

    for store in Store::all() {
        export(&store, &map, 0);
        let requests: Vec<Request> = store
            .requests()
            .into_iter()
            .filter(|request| request.method == "PUT")
            .collect();
        let put: Vec<String> = requests
            .iter()
            .map(|request| request.path.strip_prefix("our/map/").unwrap().to_owned())
            .collect();
        assert_eq!(put[0], ".pixelmap/world.json");

        let last_tile = put.iter().rposition(|path| is_tile(path)).unwrap();
        let manifests =
            ["overworld/day/tiles.tsv", "overworld/height/tiles.tsv"].map(|path| index(&put, path));
        assert!(
            manifests.iter().all(|manifest| *manifest > last_tile),
            "{put:?}"
        );

        assert!(
            manifests
                .iter()
                .all(|manifest| *manifest < index(&put, "viewer.js")),
            "{put:?}"
        );

        assert_eq!(
            put[put.len() - 4..],
            [
                "index.html",
                "map.json",
                "version.json",
                ".pixelmap/files.json"
            ]
        );

        for request in requests {
            let path = &request.path;
            let kept = "public, max-age=31536000, immutable";
            let (kind, cache) = match path.rsplit_once('.').unwrap().1 {
                "png" if path.ends_with("preview.png") => ("image/png", "no-cache"),
                "png" => ("image/png", kept),
                "js" if path.ends_with("/markers.js") => {
                    ("text/javascript; charset=utf-8", "no-cache")
                }
                "js" => ("text/javascript; charset=utf-8", kept),
                "css" => ("text/css; charset=utf-8", kept),
                "txt" => ("text/plain; charset=utf-8", kept),
                "geojson" => ("application/geo+json; charset=utf-8", kept),
                "html" => ("text/html; charset=utf-8", "no-cache"),
                "json" => ("application/json; charset=utf-8", "no-cache"),
                "tsv" => ("text/tab-separated-values; charset=utf-8", "no-cache"),
                other => panic!("{other}"),
            };

            assert_eq!(
                (
                    &*request.headers["content-type"],
                    &*request.headers["cache-control"]
                ),
                (kind, cache),
                "{path}"
            );
            assert_eq!(request.headers["x-amz-checksum-sha256"].len(), 44, "{path}");
        }
    }
}

#[test]
fn removals_follow_after_all_uploads() {
    let place = Place::of(&land::two_dimensions());
    let wide = place.draw("wide", &["-l", "day", "-l", "night"]);

    let narrow = place.draw(
        "narrow",
        &[
            "-d",
            "overworld",
            "-l",
            "day",
            "--unknown",
            "hide",
            "--min-y",
            "70",
        ],
    );

    for store in Store::all() {
        export(&store, &wide, 0);
        store.rule(|request| {
            if is_put_of_tile(request) {
                Fate::Answer(503)
            } else {
                Fate::Pass
            }
        });

        ran(store
            .export(&narrow.root, "our/map")
            .args(["--retries", "0"]))
        .expect(3, "gaps");

        let there = store.files("our/map");
        for (path, bytes) in wide.files().iter().filter(|(path, _)| is_tile(path)) {
            assert!(there.get(path) == Some(bytes), "{path}");
        }

        store.rule(|_| Fate::Pass);
        export(&store, &narrow, 0);
        assert_there(&store, &narrow);
    }
}

#[test]
fn a_bucket_with_foreign_files_is_left_alone() {
    let place = island();
    let map = place.draw("map", &[]);
    let webp = place.draw("webp", &["--format", "webp"]);

    // Another world at the same path, as in a container.
    fs::rename(place.world(), place.at("first world")).unwrap();
    land::two_dimensions().write_under(&place.world());

    let other = place.draw("other", &[]);
    for store in Store::all() {
        store.add("our/map/photo.jpg", b"a photo");
        let ended = export(&store, &map, 1);
        assert!(
            ended.err.contains(
                "is not empty, and pixelmap did not write its files: name an empty place"
            ),
            "{}",
            ended.err
        );
        assert_eq!(store.files("our/map").len(), 1);

        // A path that only begins with the same letters is another place.
        ran(&mut store.export(&map.root, "our/ma")).expect(0, "beside it");
        let before = store.files("our/ma");
        let ended = ran(&mut store.export(&other.root, "our/ma")).expect(1, "another world");
        assert!(
            ended.err.contains("s3://maps/our/ma shows another world"),
            "{}",
            ended.err
        );

        let ended = ran(&mut store.export(&webp.root, "our/ma")).expect(1, "another format");
        let told =
            "s3://maps/our/ma contains a map with --scheme signed --format png: name another place";
        assert!(ended.err.contains(told), "{}", ended.err);
        assert!(store.files("our/ma") == before);
    }
}

#[test]
fn only_whole_maps_go_to_known_addresses() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    for (options, word) in [
        (
            &["-o", "s3://maps/map", "-d", "overworld"][..],
            "a bucket takes the whole map",
        ),
        (&["-o", "s3://maps/map", "--scale", "2"], "--scale"),
        (&["-o", "ftp://maps/map"], "write s3://, gs:// or az://"),
        (&["-o", "s3://"], "does not name a bucket"),
        (&["-o", "s3:///map"], "does not name a bucket"),
        (&["-o", "s3://maps/a//b"], "does not name a bucket"),
    ] {
        let ended = on("export", &map.root, options).expect(2, word);
        assert!(ended.err.contains(word), "{options:?}: {}", ended.err);
    }

    let archive = place.at("a.pmtiles");
    on("export", &map.root, &["-o", archive.to_str().unwrap()]).expect(0, "archive");
    let ended = on("export", &archive, &["-o", "s3://maps/map"]).expect(1, "an archive");
    assert!(
        ended.err.contains("a bucket needs a map in a folder"),
        "{}",
        ended.err
    );

    for (command, options, word) in [
        ("render", &["--mode", "regions"][..], "a bucket gets a map"),
        ("render", &["--scale", "2"], "--scale"),
        ("merge", &[], "leave out the folders of parts"),
    ] {
        let options = [&["-o", "s3://maps/map"], options].concat();
        let ended = on(command, &place.world(), &options).expect(2, word);
        assert!(ended.err.contains(word), "{options:?}: {}", ended.err);
    }
}

#[test]
fn a_reverted_map_is_reverted_in_the_bucket() {
    let place = island();
    let map = place.draw("map", &[]);
    for store in Store::all() {
        for way in 0..3 {
            place.draw("map", &[]);
            export(&store, &map, 0);
            place.draw("map", &["--min-y", "70", "-l", "day", "-l", "biome"]);

            match way {
                0 => {
                    store.rule(after(6, is_put_of_tile, Fate::Hang));
                    let killed = interrupted(
                        store.export(&map.root, "our/map"),
                        &store,
                        (9, is_put_of_tile),
                        Signal::KILL,
                    );
                    assert_eq!(killed, None);
                }
                1 => {
                    store.rule(|request| {
                        if is_put_of_tile(request) {
                            Fate::Lose
                        } else {
                            Fate::Pass
                        }
                    });
                    ran(store.export(&map.root, "our/map").args(["--retries", "0"]))
                        .expect(3, "lost answers");
                }
                _ => {
                    store.rule(|request| {
                        if request.path.ends_with("/map.json") {
                            Fate::Lose
                        } else {
                            Fate::Pass
                        }
                    });
                    ran(store.export(&map.root, "our/map").args(["--retries", "0"]))
                        .expect(3, "a lost answer");
                }
            }

            store.rule(|_| Fate::Pass);
            fs::remove_dir_all(&map.root).unwrap();
            place.draw("map", &[]);
            export(&store, &map, 0);
            assert_there(&store, &map);
            assert!(
                !store
                    .files("our/map")
                    .contains_key(".pixelmap/overworld/day/tiles.tsv"),
                "{way}"
            );
        }
    }
}
