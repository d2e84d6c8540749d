//! Tests `pixelmap render WORLD -o s3://...`: the bucket gets the map of a run in a folder, and later
//! runs draw only changes, with nothing on the machine.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use super::store::{Fate, Request, Store};
use super::{after, assert_there, interrupted, is_put_of_tile, is_tile, ran};
use crate::map::{Place, Ran, land};
use crate::world::many;

const PREFIX: &str = "our/map";
const LOCK: &str = "our/map/.pixelmap/lock";

/// A world of few regions, because each test draws it several times.
fn small_island() -> Place {
    Place::of_demo(6)
}

/// Returns the command that draws the world of a place in the bucket, with a report on standard
/// output.
fn render(store: &Store, place: &Place, options: &[&str]) -> Command {
    let mut command = store.command("render", PREFIX);
    command.arg(place.world()).args(options);
    command.args(["--report", "-"]);
    command
}

fn drawn(store: &Store, place: &Place, options: &[&str]) -> Ran {
    ran(&mut render(store, place, options)).expect(0, "drawn in the bucket")
}

/// The number of requests in a report.
fn cost(report: &Value, of: &str) -> u64 {
    report["bucket"][of].as_u64().unwrap()
}

/// Removes one region of the world of a place.
fn lose_a_region(world: &Path) {
    let mut regions: Vec<_> = fs::read_dir(world.join("region"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    regions.sort();
    fs::remove_file(&regions[0]).unwrap();
}

#[test]
fn a_bucket_gets_the_map_of_a_folder() {
    let options = ["-l", "day", "-l", "height", "--details", "--players"];
    for store in Store::all() {
        let place = small_island();
        let map = place.draw("map", &options);
        drawn(&store, &place, &options);
        assert_there(&store, &map);

        lose_a_region(&place.world());
        place.draw("map", &options);
        store.requests();
        let report = drawn(&store, &place, &options).report();
        assert_there(&store, &map);

        let requests = store.requests();
        let of_tiles = |method: &str| {
            let tiles = requests.iter().filter(|request| is_tile(&request.path));
            tiles.filter(|request| request.method == method).count() as u64
        };
        assert!(of_tiles("GET") < 20, "only the children of changed tiles");
        assert!(of_tiles("PUT") < 10, "{requests:?}");
        assert_eq!(cost(&report, "requests"), requests.len() as u64);
        assert!(cost(&report, "bytes_up") > 0 && cost(&report, "bytes_down") > 0);

        // Other layers of the map stay.
        place.draw("map", &["-l", "biome"]);
        drawn(&store, &place, &["-l", "biome"]);
        assert_there(&store, &map);
    }
}

#[test]
fn an_unchanged_night_needs_few_requests() {
    for store in Store::all() {
        let place = Place::of(&land::two_dimensions());
        // A run reads a file once more that changed just before the last run.
        std::thread::sleep(Duration::from_secs(3));
        drawn(&store, &place, &[]);
        let before = store.files(PREFIX);

        store.requests();
        let report = drawn(&store, &place, &[]).report();
        let requests = store.requests();
        let put = requests.iter().filter(|request| request.method == "PUT");
        assert!(
            put.clone().all(|request| request.path == LOCK),
            "{requests:?}"
        );

        let layers = report["world"]["dimensions"].as_array().unwrap().len();
        assert!(
            requests.len() < 20 * layers && cost(&report, "requests") == requests.len() as u64,
            "{requests:?}"
        );
        assert_eq!(store.files(PREFIX), before);
    }
}

#[test]
fn an_exported_map_continues_in_the_bucket() {
    for store in Store::all() {
        let place = small_island();
        let map = place.draw("map", &[]);
        fs::create_dir_all(map.root.join("custom")).unwrap();
        fs::write(map.root.join("custom/logo.svg"), "<svg/>").unwrap();
        super::export(&store, &map, 0);

        store.requests();
        drawn(&store, &place, &[]);
        assert!(!store.put().iter().any(|path| is_tile(path)));
        assert_there(&store, &map);
    }
}

#[test]
fn state_follows_after_tiles_and_page() {
    for store in Store::all() {
        let place = small_island();
        drawn(&store, &place, &[]);
        let changes: Vec<Request> = store
            .requests()
            .into_iter()
            .filter(|request| request.method != "GET")
            .collect();

        let index = |path: &str| {
            let path = format!("our/map/{path}");
            changes.iter().position(|request| request.path == path)
        };
        let last_tile = changes.iter().rposition(is_put_of_tile);
        let order = [
            index(".pixelmap/lock"),
            index(".pixelmap/journal-next"),
            last_tile,
            index("overworld/day/tiles.tsv"),
            index("map.json"),
            index("version.json"),
            index(".pixelmap/journal"),
        ];
        assert!(
            order.iter().all(Option::is_some) && order.is_sorted(),
            "{order:?}"
        );
        let own = store.files("our/map/.pixelmap");
        assert!(
            own.keys().eq(["files.json", "journal", "world.json"]),
            "{:?}",
            own.keys()
        );
    }
}

#[test]
fn a_second_run_ends_with_75() {
    let place = Place::empty();
    many::small_files(&place.world().join("region"), 40);
    for store in Store::all() {
        store.rule(after(3, is_put_of_tile, Fate::Hang));
        let mut first = render(&store, &place, &[]);
        let mut first = first
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();

        let start = Instant::now();
        while !store.requests().iter().any(is_put_of_tile) {
            assert!(start.elapsed() < Duration::from_mins(1), "no tile");
            std::thread::sleep(Duration::from_millis(5));
        }

        let second = ran(&mut render(&store, &place, &[])).expect(75, "the second run");
        assert!(
            second
                .err
                .contains("s3://maps/our/map is held by another run"),
            "{}",
            second.err
        );
        assert_eq!(second.report()["error"]["retryable"], true);

        first.kill().unwrap();
        first.wait().unwrap();
    }
}

/// Starts a run, and kills it after this number of requests, unless it ends before.
fn kill_after(mut command: Command, store: &Store, many: usize) {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();

    let mut seen = 0;
    while seen < many && child.try_wait().unwrap().is_none() {
        seen += store.requests().len();
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    child.wait().unwrap();
}

/// A killed run leaves its lock, and the next run takes the lock over after a minute. The test
/// removes the lock so that it does not wait.
#[test]
fn a_killed_upload_is_continued() {
    for store in Store::all() {
        let place = Place::of_demo(12);
        drawn(&store, &place, &[]);
        for many in [2, 16, 20, 23, 26, 29] {
            lose_a_region(&place.world());
            let map = place.draw("map", &[]);
            store.rule(|request| {
                let is_late = request.method != "GET";
                if is_late { Fate::Slow } else { Fate::Pass }
            });
            kill_after(render(&store, &place, &[]), &store, many);

            // Every tile that a page may show is whole.
            let there = store.files(PREFIX);
            let named = there.iter().filter(|(path, _)| is_tile(path));
            assert!(
                named
                    .clone()
                    .all(|(_, bytes)| bytes.starts_with(b"\x89PNG"))
            );

            store.rule(|_| Fate::Pass);
            store.remove(LOCK);
            drawn(&store, &place, &[]);
            assert_there(&store, &map);
        }
    }
}

#[test]
fn an_interrupted_run_gives_the_lock_back() {
    for store in Store::all() {
        let place = small_island();
        store.rule(|request| {
            if is_put_of_tile(request) {
                Fate::Hang
            } else {
                Fate::Pass
            }
        });
        let stopped = render(&store, &place, &[]);
        let code = interrupted(stopped, &store, (1, is_put_of_tile), Signal::TERM);
        assert_eq!(code, Some(143));

        store.rule(|_| Fate::Pass);
        drawn(&store, &place, &[]);
        assert_there(&store, &place.draw("map", &[]));
    }
}

#[test]
fn requests_to_a_failing_store_are_repeated() {
    let place = small_island();
    let map = place.draw("map", &[]);
    for store in Store::all() {
        let count = std::sync::atomic::AtomicUsize::new(0);
        store.rule(
            move |_| match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 10 {
                9 => Fate::Drop,
                4 => Fate::Answer(503),
                _ => Fate::Pass,
            },
        );
        drawn(&store, &place, &[]);
        assert_there(&store, &map);

        store.rule(|_| Fate::Answer(403));
        let refused = ran(&mut render(&store, &place, &[])).expect(1, "refused");
        assert!(refused.err.contains("the keys in the environment"));
        assert!(!(refused.err + &refused.out).contains("a-long-secret"));
    }
}

#[test]
fn a_damaged_chunk_keeps_its_pixels() {
    for store in Store::all() {
        let place = small_island();
        drawn(&store, &place, &[]);
        let map = place.draw("map", &[]);

        let region = fs::read_dir(place.world().join("region"))
            .unwrap()
            .next()
            .unwrap();
        let region = region.unwrap().path();
        let mut bytes = fs::read(&region).unwrap();
        let first = bytes.chunks(4).take(1024).position(|entry| entry != [0; 4]);
        let entry = &bytes[first.unwrap() * 4..][..3];
        let at = 4096 * usize::from(entry[1]) * 256 + 4096 * usize::from(entry[2]);
        bytes[at + 5..at + 60].fill(0xff);
        fs::write(&region, bytes).unwrap();

        crate::map::render(&place.world(), &place.at("map"), &[]).expect(3, "a gap");
        ran(&mut render(&store, &place, &[])).expect(3, "a gap");
        assert_there(&store, &map);
    }
}

#[test]
fn a_dry_run_changes_nothing_in_the_bucket() {
    for store in Store::all() {
        let place = small_island();
        drawn(&store, &place, &[]);
        store.requests();
        let command = &mut store.command("render", PREFIX);
        let told = ran(command.arg(place.world()).args(["--dry-run", "--json"]));
        let told = told.expect(0, "a dry run").report();
        let dimension = &told["dimensions"][0];
        assert_eq!(dimension["unchanged"], dimension["regions"]);
        assert!(
            store
                .requests()
                .iter()
                .all(|request| request.method == "GET")
        );
    }
}

/// Returns the command that draws a shard in the bucket.
fn shard(store: &Store, place: &Place, number: usize) -> Command {
    render(store, place, &["--shard", &format!("{number}/3")])
}

fn merge(store: &Store) -> Command {
    let mut command = store.command("merge", PREFIX);
    command.args(["--report", "-"]);
    command
}

#[test]
fn merged_shards_equal_the_map_of_one_run() {
    for store in Store::all() {
        let place = small_island();
        let map = place.draw("map", &[]);
        ran(&mut merge(&store)).expect(1, "no part");
        for number in 1..=3 {
            ran(&mut shard(&store, &place, number)).expect(0, "a shard");
        }
        ran(&mut merge(&store)).expect(0, "merged");
        assert_there(&store, &map);

        // A merge downloads only the children of tiles that several shards share.
        store.requests();
        lose_a_region(&place.world());
        place.draw("map", &[]);
        for number in 1..=3 {
            ran(&mut shard(&store, &place, number)).expect(0, "a shard");
        }
        ran(&mut merge(&store)).expect(0, "merged again");
        assert_there(&store, &map);

        let requests = store.requests();
        let tiles = requests.iter().filter(|request| is_tile(&request.path));
        assert!(tiles.count() < 60, "{requests:?}");

        // A run of the whole map finds everything unchanged.
        drawn(&store, &place, &[]);
        assert!(!store.put().iter().any(|path| is_tile(path)));
        assert_there(&store, &map);
    }
}

#[test]
fn a_killed_shard_counts_as_missing() {
    for store in Store::all() {
        let place = small_island();
        for number in 1..=3 {
            ran(&mut shard(&store, &place, number)).expect(0, "a shard");
        }
        ran(&mut merge(&store)).expect(0, "merged");

        let options = ["--min-y", "70", "--shard", "2/3"];
        store.rule(after(1, is_put_of_tile, Fate::Hang));
        let killed = render(&store, &place, &options);
        let code = interrupted(killed, &store, (2, is_put_of_tile), Signal::KILL);
        assert_eq!(code, None);

        store.rule(|_| Fate::Pass);
        store.remove("our/map/.pixelmap/parts/2-of-3/lock");
        let refused = ran(&mut merge(&store)).expect(1, "a part is missing");
        assert!(refused.err.contains('2'), "{}", refused.err);

        ran(&mut shard(&store, &place, 2)).expect(0, "the shard again");
        ran(&mut merge(&store)).expect(0, "merged");
        assert_there(&store, &place.draw("map", &[]));
    }
}

#[test]
fn no_shard_starts_during_a_merge() {
    for store in Store::all() {
        let place = small_island();
        for number in 1..=3 {
            ran(&mut shard(&store, &place, number)).expect(0, "a shard");
        }

        let is_manifest: super::Kind =
            |request| request.method == "PUT" && request.path.ends_with("/tiles.tsv");
        store.rule(after(0, is_manifest, Fate::Hang));
        let mut merging = merge(&store);
        let mut merging = merging
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !store.requests().iter().any(is_manifest) {
            assert!(start.elapsed() < Duration::from_mins(1), "no manifest");
            std::thread::sleep(Duration::from_millis(5));
        }

        ran(&mut shard(&store, &place, 1)).expect(75, "the map is being merged");
        merging.kill().unwrap();
        merging.wait().unwrap();
    }
}

#[test]
fn history_is_the_same_in_a_bucket() {
    let options = |time: &'static str| ["--history", "--time", time];
    for store in Store::all() {
        let place = small_island();
        let mut map = None;
        for time in ["2026-01-01", "2026-01-02", "2026-01-03"] {
            map = Some(place.draw("map", &options(time)));
            drawn(&store, &place, &options(time));
            assert_there(&store, map.as_ref().unwrap());
            lose_a_region(&place.world());
        }
        assert!(
            map.unwrap()
                .files()
                .keys()
                .any(|path| path.starts_with("history/objects/"))
        );
    }
}
