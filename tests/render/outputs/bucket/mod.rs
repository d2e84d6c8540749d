//! Tests `pixelmap export MAP -o s3://...`: the bucket gets the files of the folder, however the
//! store behaves.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

mod moments;
mod store;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use self::store::{Fate, Request, Store};
use crate::map::{Map, Place, Ran, assert_same_files, fixture, land, on};
use crate::world::many;

/// Returns whether a request is of a kind.
type Kind = fn(&Request) -> bool;

fn ran(command: &mut Command) -> Ran {
    Ran::of(command.output().unwrap())
}

fn export(store: &Store, map: &Map, code: i32) -> Ran {
    ran(&mut store.export(&map.root, "our/map")).expect(code, "the export")
}

/// Fails unless the bucket holds the files of the map, its state aside.
fn assert_there(store: &Store, map: &Map) {
    let mut there = store.files("our/map");
    there.retain(|path, _| !path.starts_with(".pixelmap/"));
    assert_same_files("the bucket", &map.files(), &there);
}

/// A world of some regions with markers.
fn island() -> Place {
    let place = Place::empty();
    many::replicate(
        &fixture("demo").join("region"),
        &place.world().join("region"),
        12,
    );
    place
}

fn is_tile(path: &str) -> bool {
    path.contains("/17/") || path.contains("/16/") || path.contains("/15/")
}

fn is_put_of_tile(request: &Request) -> bool {
    request.method == "PUT" && is_tile(&request.path)
}

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

    // A part of the world goes, another layer comes, and a file of the user goes.
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
fn a_refused_file_is_sent_again() {
    let place = island();
    let map = place.draw("map", &[]);
    for store in Store::all() {
        let tries = AtomicUsize::new(0);
        store.rule(move |request| {
            match tries.fetch_add(usize::from(is_put_of_tile(request)), Ordering::Relaxed) % 7 {
                _ if !is_put_of_tile(request) => Fate::Pass,
                0 => Fate::Answer(503),
                3 => Fate::Drop,
                5 => Fate::Answer(500),
                _ => Fate::Pass,
            }
        });

        export(&store, &map, 0);
        assert_there(&store, &map);
    }
}

#[test]
fn a_refused_tile_is_a_gap_until_accepted() {
    let place = island();
    let map = place.draw("map", &[]);
    for store in Store::all() {
        let refuses = |request: &Request| {
            if request.method == "PUT" && request.path.ends_with("/17/0/0.png") {
                Fate::Answer(503)
            } else {
                Fate::Pass
            }
        };

        store.rule(refuses);
        let ended =
            ran(store.export(&map.root, "our/map").args(["--retries", "2"])).expect(3, "a gap");
        let named = "s3://maps/our/map/overworld/day/17/0/0.png: the store refused it (";
        assert!(
            ended.err.contains(named) && ended.err.contains("run the same command again"),
            "{}",
            ended.err
        );

        let tries = store
            .requests()
            .into_iter()
            .filter(|request| refuses(request) != Fate::Pass)
            .count();
        assert_eq!(tries, 3, "once, and twice again");

        // Lists in the bucket match its contents, and all other files are there.
        let there = store.files("our/map");
        let manifest = String::from_utf8(there["overworld/day/tiles.tsv"].clone()).unwrap();
        assert!(
            !manifest.lines().any(|line| line.starts_with("17\t0\t0\t")),
            "{manifest}"
        );

        assert_eq!(
            manifest.lines().count() + 1,
            map.manifest("overworld").len()
        );
        assert!(there.contains_key("version.json"));
        store.rule(|_| Fate::Pass);

        let said = export(&store, &map, 0).err;
        assert!(
            said.starts_with("2 files written ("),
            "the tile and the manifest: {said}"
        );
        assert_there(&store, &map);
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
fn an_unreachable_store_ends_the_export() {
    let place = island();
    let map = place.draw("map", &[]);
    for store in Store::all() {
        for (fate, code, word) in [
            (Fate::Answer(503), 75, "run the same command again later"),
            (Fate::Drop, 75, "run the same command again later"),
            (Fate::Answer(403), 1, "the keys in the environment"),
        ] {
            store.rule(move |_| fate);
            let ended = ran(store.export(&map.root, "our/map").args(["--retries", "1"]))
                .expect(code, "at once");
            assert!(
                ended.err.contains(word) && ended.err.lines().count() == 1,
                "{}",
                ended.err
            );

            store.rule(move |request| {
                if is_put_of_tile(request) {
                    fate
                } else {
                    Fate::Pass
                }
            });
            let ended = ran(store.export(&map.root, "our/map").args(["--retries", "0"]));
            let few = if code == 1 { 1 } else { 3 };
            ended.expect(few, "no tile is taken, of some 20");
        }

        store.rule(|request| {
            if request.path.ends_with("viewer.js") {
                Fate::Answer(403)
            } else {
                Fate::Pass
            }
        });

        let ended = ran(&mut store.export(&map.root, "our/other")).expect(1, "a refused script");
        assert!(
            ended.err.contains("the keys in the environment"),
            "{}",
            ended.err
        );
        store.rule(|_| Fate::Pass);
        export(&store, &map, 0);
        assert_there(&store, &map);
    }

    let mut nowhere = Store::all().remove(0).export(&map.root, "our/map");
    nowhere
        .args(["--retries", "1"])
        .env("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
    ran(&mut nowhere).expect(75, "nothing answers");
}

#[test]
fn a_vanishing_store_is_not_tried_per_tile() {
    let place = Place::empty();
    many::small_files(&place.world().join("region"), 300);
    let map = place.draw("map", &[]);
    let store = Store::all().remove(0);

    let tiles = AtomicUsize::new(0);
    store.rule(move |request| {
        let count = tiles.fetch_add(usize::from(is_put_of_tile(request)), Ordering::Relaxed);
        if count > 20 {
            Fate::Answer(503)
        } else {
            Fate::Pass
        }
    });

    let ended = ran(store.export(&map.root, "our/map").args(["--retries", "0"])).expect(75, "away");
    assert!(
        ended.err.contains("run the same command again later"),
        "{}",
        ended.err
    );

    let is_tile_of = |path: &&String| is_tile(path);

    // 20 that are taken, 64 in a row that are not, and those on the way when the row begins and
    // when it ends.
    assert!(
        store.put().iter().filter(is_tile_of).count() < 200,
        "not all 300 and more"
    );

    store.rule(|_| Fate::Pass);
    export(&store, &map, 0);
    assert!(store.put().iter().filter(is_tile_of).count() > 100);
    assert_there(&store, &map);
}

#[test]
fn a_bucket_with_foreign_files_is_left_alone() {
    let place = island();
    let map = place.draw("map", &[]);
    let webp = place.draw("webp", &["--format", "webp"]);

    // Another world at the same place, as in a container.
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

        // What only begins the same is another place.
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

    for command in ["render", "merge"] {
        let ended = on(command, &place.world(), &["-o", "s3://maps/map"]).expect(2, command);
        assert!(
            ended.err.contains("pixelmap export FOLDER -o s3://"),
            "{}",
            ended.err
        );
    }
}

/// The rule that passes a number of requests of a kind, and then none.
fn after(many: usize, of_kind: Kind, fate: Fate) -> impl Fn(&Request) -> Fate + Send + 'static {
    let seen = AtomicUsize::new(0);
    move |request| {
        let is_late = of_kind(request) && seen.fetch_add(1, Ordering::Relaxed) >= many;
        if is_late { fate } else { Fate::Pass }
    }
}

/// Starts an export, and ends it by a signal after a number of requests of a kind. Returns its exit
/// code.
fn interrupted(
    mut command: Command,
    store: &Store,
    (many, of_kind): (usize, Kind),
    signal: Signal,
) -> Option<i32> {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();

    let (start, mut seen) = (Instant::now(), 0);
    while seen < many {
        seen += store
            .requests()
            .iter()
            .filter(|request| of_kind(request))
            .count();
        assert!(start.elapsed() < Duration::from_mins(1), "{seen} requests");
        std::thread::sleep(Duration::from_millis(2));
    }

    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait().unwrap().code()
}

#[test]
fn an_interrupted_export_continues() {
    let place = Place::empty();
    many::small_files(&place.world().join("region"), 100);

    let map = place.draw("map", &[]);
    let all = map.files().keys().filter(|path| is_tile(path)).count();
    for store in Store::all() {
        store.rule(after(40, is_put_of_tile, Fate::Hang));
        let code = interrupted(
            store.export(&map.root, "our/map"),
            &store,
            (60, is_put_of_tile),
            Signal::INT,
        );
        assert_eq!(code, Some(130));

        let there = store.files("our/map");
        assert!(
            there.contains_key(".pixelmap/overworld/day/tiles.tsv")
                && !there.contains_key("map.json")
        );

        let tiles = there.keys().filter(|path| is_tile(path)).count();
        store.rule(|_| Fate::Pass);
        export(&store, &map, 0);

        // Those that were on their way may have arrived.
        let put = store.put().iter().filter(|path| is_tile(path)).count();
        assert!(
            (all - tiles..=all - tiles + 32).contains(&put),
            "{put} of {all}, {tiles} were there"
        );
        assert_there(&store, &map);
    }

    // A store that does not answer holds nothing up.
    let store = Store::all().remove(0);

    let of_manifest = |request: &Request| {
        request.method == "PUT" && request.path == "our/map/overworld/day/tiles.tsv"
    };

    for hangs in [
        |request: &Request| request.method == "GET",
        is_put_of_tile,
        of_manifest,
    ] {
        store.rule(move |request| {
            if hangs(request) {
                Fate::Hang
            } else {
                Fate::Pass
            }
        });

        let start = Instant::now();
        let export = store.export(&map.root, "our/map");
        assert_eq!(
            interrupted(export, &store, (1, hangs), Signal::TERM),
            Some(143)
        );
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{:?}",
            start.elapsed()
        );
    }

    for store in Store::all() {
        for tiles in [0, 1, 50] {
            store.rule(|request| {
                if is_put_of_tile(request) {
                    Fate::Slow
                } else {
                    Fate::Pass
                }
            });

            assert_eq!(
                interrupted(
                    store.export(&map.root, "our/map"),
                    &store,
                    (tiles, is_put_of_tile),
                    Signal::KILL
                ),
                None
            );
        }

        store.rule(|_| Fate::Pass);
        export(&store, &map, 0);
        assert_there(&store, &map);
    }
}

/// What went, or was about to go, is put again when it comes back, wherever an export ended.
#[test]
fn a_returning_file_is_sent_again() {
    let place = Place::of(&land::two_dimensions());
    let wide = place.draw("wide", &["-l", "day", "-l", "height"]);
    fs::create_dir_all(wide.root.join("custom")).unwrap();
    fs::write(wide.root.join("custom/logo.svg"), "<svg/>").unwrap();
    let narrow = place.draw("narrow", &["-d", "overworld", "-a", "0,0,16,16"]);
    let is_script = |request: &Request| request.method == "PUT" && request.path == "our/map/map.js";
    let is_list =
        |request: &Request| request.method == "PUT" && request.path.ends_with("/files.json");

    for store in Store::all() {
        let ends: [(Kind, usize); 4] = [
            (is_script, 0),
            (is_list, 1),
            (|request| request.method == "POST", 0),
            (|request| request.method == "POST", 1),
        ];

        for (way, (of_kind, many)) in ends.into_iter().enumerate() {
            export(&store, &wide, 0);
            assert_there(&store, &wide);
            store.rule(after(many, of_kind, Fate::Lose));

            let ended = ran(store
                .export(&narrow.root, "our/map")
                .args(["--retries", "0"]));
            assert!(
                [3, 75].contains(&ended.code),
                "{way}: {} {}",
                ended.code,
                ended.err
            );
            store.rule(|_| Fate::Pass);

            if way == 0 {
                export(&store, &narrow, 0);
                assert_there(&store, &narrow);
            }

            export(&store, &wide, 0);
            assert_there(&store, &wide);
            export(&store, &narrow, 0);
            assert_there(&store, &narrow);
            let own: Vec<String> = store.files("our/map/.pixelmap").into_keys().collect();
            assert_eq!(own, ["files.json", "world.json"], "{way}");
        }
    }
}

/// A browser keeps a tile for ever under the address that a page names: so the page stays until all
/// tiles are there.
#[test]
fn gaps_keep_the_published_page_unchanged() {
    let place = island();
    let map = place.draw("map", &[]);
    for store in Store::all() {
        place.draw("map", &[]);
        export(&store, &map, 0);
        let before = store.files("our/map");
        place.draw("map", &["--min-y", "70"]);

        let is_one =
            |request: &Request| request.method == "PUT" && request.path.ends_with("/17/0/0.png");
        store.rule(move |request| {
            if is_one(request) {
                Fate::Answer(503)
            } else {
                Fate::Pass
            }
        });
        ran(store.export(&map.root, "our/map").args(["--retries", "0"])).expect(3, "a gap");

        let there = store.files("our/map");
        for path in ["map.js", "index.html", "map.json", "version.json"] {
            assert!(there[path] == before[path], "{path}");
        }

        store.rule(|_| Fate::Pass);
        export(&store, &map, 0);
        assert_there(&store, &map);
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

/// Needs a server that checks sums and joins parts.
#[test]
fn a_real_server_refuses_damaged_files() {
    let Some(store) = Store::real() else { return };
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    fs::create_dir_all(map.root.join("custom")).unwrap();

    let noise = |at: u32| at.wrapping_mul(2_654_435_761).to_le_bytes();
    fs::write(
        map.root.join("custom/video.mp4"),
        (0..5_000_000).flat_map(noise).collect::<Vec<u8>>(),
    )
    .unwrap();

    let damages =
        |request: &Request| request.method == "PUT" && request.path.ends_with("/17/0/0.png");
    store.rule(move |request| {
        if damages(request) {
            Fate::Change
        } else {
            Fate::Pass
        }
    });

    let ended = ran(&mut store.export(&map.root, "our/map")).expect(3, "a damaged tile");
    assert!(
        ended.err.contains("/17/0/0.png: the store refused it"),
        "{}",
        ended.err
    );

    assert!(
        !store
            .files("our/map")
            .keys()
            .any(|path| path.ends_with("day/17/0/0.png"))
    );

    store.rule(|_| Fate::Pass);
    export(&store, &map, 0);
    assert_there(&store, &map);
    let mut wrong = store.export(&map.root, "our/map");
    ran(wrong.env("AWS_SECRET_ACCESS_KEY", "another")).expect(1, "a wrong key");
}

#[test]
fn a_damaged_tile_ends_the_export() {
    let place = island();
    let map = place.draw("map", &[]);
    let (_, tile) = map.tiles("overworld").into_iter().next().unwrap();

    let damaged = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(path, bytes).unwrap();
    };

    damaged(&tile);
    let store = Store::all().remove(0);
    let ended = export(&store, &map, 1);

    assert!(
        ended
            .err
            .contains("draw the map again with pixelmap render --force"),
        "{}",
        ended.err
    );
    assert!(!store.files("our/map").contains_key("map.json"));
}
