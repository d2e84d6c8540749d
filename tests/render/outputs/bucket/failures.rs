//! Tests exports to a store that refuses files, vanishes or sends them back damaged.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::store::{Fate, Request, Store};
use super::{Kind, after, assert_there, export, is_put_of_tile, is_tile, island, ran};
use crate::map::{Place, land};
use crate::world::many;

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

        // The lists in the bucket match its contents, and all other files exist.
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

    // 20 requests succeed, 64 in a row fail, and some are on their way when the row begins and when
    // it ends.
    assert!(
        store.put().iter().filter(is_tile_of).count() < 200,
        "not all 300 and more"
    );

    store.rule(|_| Fate::Pass);
    export(&store, &map, 0);
    assert!(store.put().iter().filter(is_tile_of).count() > 100);
    assert_there(&store, &map);
}

/// Removed files, and files that were about to be removed, are uploaded again when they return.
/// This holds wherever an export ended.
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

/// A browser keeps a tile for ever under the address in a page. So the old page stays until all
/// tiles are uploaded.
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

/// This needs a server that checks checksums and joins parts.
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
