//! Tests that a later export continues an interrupted one.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::store::{Fate, Request, Store};
use super::{after, assert_there, export, interrupted, is_put_of_tile, is_tile};
use crate::map::Place;
use crate::world::many;

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

        // Requests that were on their way may have arrived.
        let put = store.put().iter().filter(|path| is_tile(path)).count();
        assert!(
            (all - tiles..=all - tiles + 32).contains(&put),
            "{put} of {all}, {tiles} were there"
        );
        assert_there(&store, &map);
    }

    // A store that does not answer must not delay the end.
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
