//! Tests worlds in buckets: they give the same maps as their folders, and a file is downloaded only
//! if it is needed, as a whole, and once.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::store::{Fate, Request, Store};
use super::{assert_there, ran};
use crate::map::{Map, Place, Ran, assert_same_files, fixture};
use crate::world::Files;

const PREFIX: &str = "our/world";

fn upload(store: &Store, world: &Path, prefix: &str) -> Files {
    let files = Files::read_under(world);
    for (path, bytes) in &files.0 {
        store.add(&format!("{prefix}/{path}"), bytes);
    }
    files
}

/// Returns the command that draws a world of the bucket into a folder.
fn render(store: &Store, prefix: &str, out: &Path, options: &[&str]) -> Command {
    let mut command = store.program();
    command.args(["render", &Store::address(prefix), "-o"]);
    command.arg(out).args(options).args(["--report", "-"]);
    command
}

fn drawn(store: &Store, place: &Place, options: &[&str]) -> Ran {
    ran(&mut render(store, PREFIX, &place.at("of-bucket"), options))
}

/// Returns the paths of the downloaded regions, one for each download.
fn downloaded_regions(requests: &[Request]) -> Vec<&str> {
    let regions = requests.iter().filter(|request| {
        request.method == "GET" && request.path.contains("/r.") && request.path.starts_with(PREFIX)
    });
    regions.map(|request| request.path.as_str()).collect()
}

#[test]
fn bucket_and_world_folder_give_equal_maps() {
    for store in Store::all() {
        for (name, code) in [
            ("demo", 0),
            ("layout-custom", 0),
            ("external-zlib", 0),
            ("zlib-garbage", 3),
            ("alpha", 0),
            ("bedrock", 0),
        ] {
            let place = Place::of(&Files::read_under(&fixture(name)));
            let of_folder = place.at("of-folder");
            crate::map::render(&place.world(), &of_folder, &[]).expect(code, name);

            // A world without a level.dat is named after its folder.
            let prefix = format!("worlds/{name}/world");
            upload(&store, &place.world(), &prefix);
            let of_bucket = place.at("of-bucket");
            ran(&mut render(&store, &prefix, &of_bucket, &[])).expect(code, name);
            assert_same_files(
                name,
                &Map::at(&of_folder).files(),
                &Map::at(&of_bucket).files(),
            );
        }
    }
}

#[test]
fn only_changed_regions_are_downloaded_again() {
    for store in Store::all() {
        let place = Place::of_demo(12);
        let files = upload(&store, &place.world(), PREFIX);
        let all: BTreeSet<String> = files
            .0
            .keys()
            .map(|path| format!("{PREFIX}/{path}"))
            .collect();

        store.requests();
        let report = drawn(&store, &place, &[]).expect(0, "drawn").report();
        let requests = store.requests();
        let mut regions = downloaded_regions(&requests);
        regions.sort_unstable();
        assert_eq!(regions.len(), 12, "{regions:?}");
        assert!(regions.iter().all(|path| all.contains(*path)));
        assert_eq!(report["download"]["requests"], requests.len());

        let report = drawn(&store, &place, &[]).expect(0, "drawn again").report();
        let requests = store.requests();
        assert_eq!(downloaded_regions(&requests), [""; 0]);
        assert!(requests.len() < 5, "{requests:?}");
        assert_eq!(report["regions"]["drawn"], 0);

        // A region that changed is drawn, with its neighbours' borders.
        let (path, bytes) = files
            .0
            .iter()
            .find(|(path, _)| path.contains("/r."))
            .unwrap();
        let mut cut = bytes.clone();
        cut[..4096].fill(0);
        // The real server has only lengths and times of files that it did not receive itself.
        cut.extend([0; 4096]);
        store.add(&format!("{PREFIX}/{path}"), &cut);
        // Copies of a region of the demo share their file.
        fs::remove_file(place.world().join(path)).unwrap();
        fs::write(place.world().join(path), &cut).unwrap();
        let map = place.draw("of-folder", &[]);
        let report = drawn(&store, &place, &[]).expect(0, "drawn after a change");
        let requests = store.requests();
        let regions = downloaded_regions(&requests);
        let changed = format!("{PREFIX}/{path}");
        assert!(
            regions.contains(&changed.as_str()) && regions.len() < 12,
            "{regions:?}"
        );
        assert!(report.report()["regions"]["drawn"].as_u64() > Some(0));
        assert_same_files(
            "changed",
            &map.files(),
            &Map::at(&place.at("of-bucket")).files(),
        );
    }
}

#[test]
fn world_and_map_may_be_in_one_bucket() {
    for store in Store::all() {
        let place = Place::of_demo(6);
        upload(&store, &place.world(), PREFIX);
        let command = |options: &[&str]| {
            let mut command = store.command("render", "our/map");
            command.arg(Store::address(PREFIX)).args(options);
            command
        };

        let dry = ran(command(&["--dry-run", "--json"]).env("TMPDIR", place.at("")));
        assert_eq!(
            dry.expect(0, "dry").report()["dimensions"][0]["unchanged"],
            0
        );

        for number in 1..=3 {
            ran(&mut command(&["--shard", &format!("{number}/3")])).expect(0, "a shard");
        }
        ran(&mut store.command("merge", "our/map")).expect(0, "merged");
        let map = place.draw("map", &[]);
        assert_there(&store, &map);

        store.requests();
        ran(&mut command(&[])).expect(0, "unchanged");
        assert_eq!(downloaded_regions(&store.requests()), [""; 0]);
        assert_there(&store, &map);
    }
}

#[test]
fn requests_that_fail_for_a_moment_are_repeated() {
    for store in Store::all() {
        let place = Place::of_demo(6);
        let map = place.draw("of-folder", &[]);
        upload(&store, &place.world(), PREFIX);
        for fate in [Fate::Drop, Fate::Answer(503)] {
            let seen = AtomicUsize::new(0);
            store.rule(move |_| {
                let is_tenth = seen.fetch_add(1, Ordering::Relaxed) % 4 == 3;
                if is_tenth { fate } else { Fate::Pass }
            });
            drawn(&store, &place, &["-f"]).expect(0, "drawn despite the failures");
            assert_same_files(
                "bucket",
                &map.files(),
                &Map::at(&place.at("of-bucket")).files(),
            );
        }
    }
}

#[test]
fn an_archive_in_a_bucket_is_read() {
    for store in Store::all() {
        let place = Place::of(&Files::read_under(&fixture("demo")));
        let map = place.draw("of-folder", &[]);
        let zip = crate::worlds::address::zip_of("demo");
        store.add("backups/w.zip", &zip);
        ran(&mut render(
            &store,
            "backups/w.zip",
            &place.at("of-bucket"),
            &[],
        ))
        .expect(0, "zip");
        assert_same_files(
            "zip",
            &map.files(),
            &Map::at(&place.at("of-bucket")).files(),
        );
    }
}

#[test]
fn failures_name_the_remedy_and_no_key() {
    for store in Store::all() {
        let place = Place::empty();
        let missing = drawn(&store, &place, &[]).expect(1, "nothing is there");
        assert!(missing.err.contains("check the address"), "{}", missing.err);

        store.rule(|_| Fate::Answer(403));
        let refused = drawn(&store, &place, &[]).expect(1, "refused");
        assert!(refused.err.contains("credentials"), "{}", refused.err);
        for text in [&refused.err, &refused.out] {
            assert!(!text.contains("a-long-secret"), "{text}");
        }

        store.rule(|_| Fate::Pass);
        let keys = "s3://a-key:a-long-secret@maps/w";
        let keys = ran(store.program().args(["info", keys])).expect(2, "keys in an address");
        assert!(!keys.err.contains("a-long-secret"), "{}", keys.err);
    }
}
