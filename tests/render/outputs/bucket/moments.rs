//! Tests a map with history in a bucket: each kept file is uploaded once, and each moment opens
//! from the bucket.

use std::collections::BTreeSet;
use std::fs;

use super::store::Store;
use super::{assert_there, export};
use crate::map::{Map, Place, run};
use crate::publishing::history::{NIGHTS, at, digest, remember, time};
use crate::world::Files;

/// The files of a map at each of its moments, without the page.
fn states(map: &Map, nights: impl Iterator<Item = usize>) -> Vec<String> {
    nights.map(|night| digest(&at(map, &time(night)))).collect()
}

#[test]
fn a_bucket_stores_each_moment_once() {
    let place = Place::empty();
    let stores = Store::all();
    let mut put_before = vec![BTreeSet::new(); stores.len()];
    for night in 0..NIGHTS.len() {
        remember(&place, night, &[]).expect(0, "a night");

        let map = Map::at(&place.at("map"));
        for (store, before) in stores.iter().zip(&mut put_before) {
            export(store, &map, 0);
            assert_there(store, &map);

            let put = store.put();
            let index = |path: &str| {
                put.iter()
                    .position(|put| put == &format!("our/map/history/{path}"))
            };

            for (number, path) in put
                .iter()
                .enumerate()
                .filter(|(_, path)| path.contains("/history/objects/"))
            {
                assert!(
                    before.insert(path.clone()),
                    "{path} is put again in night {night}"
                );

                let lists = [
                    index("moments.js"),
                    index("files.js"),
                    index("overworld/day/0_0.js"),
                ];
                assert!(
                    lists.into_iter().flatten().all(|list| list > number),
                    "a list is there before {path}"
                );
            }

            assert_eq!(before.is_empty(), night == 0);
        }
    }

    let map = Map::at(&place.at("map"));
    let wanted = states(&map, 0..NIGHTS.len());
    for (number, store) in stores.iter().enumerate() {
        let back = place.at(&format!("back-{number}"));
        Files(store.files("our/map")).write_under(&back);
        assert_eq!(states(&Map::at(&back), 0..NIGHTS.len()), wanted);
        run(&["verify", "-q", back.to_str().unwrap()]).expect(0, "the copy is whole");
    }

    // Forgotten moments are removed from the bucket as well.
    run(&["history", map.root.to_str().unwrap(), "--keep-last", "2"]).expect(0, "forget");

    for (number, store) in stores.iter().enumerate() {
        export(store, &map, 0);
        assert_there(store, &map);
        assert!(
            store
                .put()
                .iter()
                .all(|path| !path.contains("/history/objects/")),
            "nothing is put again"
        );

        let back = place.at(&format!("rest-{number}"));
        Files(store.files("our/map")).write_under(&back);
        assert_eq!(states(&Map::at(&back), 3..5), wanted[3..]);
    }

    assert!(
        !fs::read_to_string(map.root.join("history/moments.js"))
            .unwrap()
            .contains("\"id\":1,")
    );
}
