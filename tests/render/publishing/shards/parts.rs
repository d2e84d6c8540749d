//! Tests the parts that shards draw: each is locked, complete and keeps hidden places hidden.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::{GENERATION, OPTIONS, draw_all, files, merge, refusal, shard, world_with_gaps};
use crate::map::{Place, assert_same_files, program, render};
use crate::world::{ChunkSpec, Files, RegionSpec};

#[test]
fn a_killed_shard_continues_later() {
    let place = Place::of(&world_with_gaps(None, None));
    place.draw("single", &OPTIONS);
    draw_all(&place, "map", 2, 0);

    let again = || {
        let mut command = program();
        command
            .args(["render", "-q", "--force", "--shard", "1/2", "-t", "1"])
            .args(OPTIONS);
        command.arg(place.world()).arg("-o").arg(place.at("map"));
        command.spawn().unwrap()
    };

    let mut killed = again();
    let is_begun = || !place.at("map/.pixelmap/parts/1-of-2/part.json").exists();
    let was_begun = (0..5_000).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        is_begun()
    });
    assert!(was_begun, "a part that is drawn again is not whole");
    killed.kill().unwrap();

    if !killed.wait().unwrap().success() && is_begun() {
        assert!(refusal(merge(&place, "map", &[], &[]), 1).contains("one is missing"));
    }

    assert!(again().wait().unwrap().success());
    merge(&place, "map", &[], &[]).expect(0, "merge");
    assert_same_files("map", &files(&place, "single"), &files(&place, "map"));
}

#[test]
fn shards_publish_no_whole_map() {
    let place = Place::of(&world_with_gaps(None, None));
    let refused = |more: &[&str], out: &str| {
        refusal(
            render(
                &place.world(),
                &place.at(out),
                &[&["--shard", "1/2"], more].concat(),
            ),
            2,
        )
    };

    assert!(refused(&[], "map.png").contains("name a folder"));
    assert!(refused(&[], "map.pmtiles").contains("name a folder"));
    assert!(refused(&["--staged"], "map").contains("pixelmap merge"));
    assert!(refused(&["--changed-list", "changed"], "map").contains("pixelmap merge"));

    let said = refusal(
        render(&place.world(), &place.at("map"), &["--shard", "3/2"]),
        2,
    );
    assert!(said.contains("I from 1 to N"), "{said}");
    shard(&place, "map", "1/2", &[]).expect(0, "shard");

    assert!(!place.at("map/map.json").exists() && !place.at("map/index.html").exists());
    assert!(files(&place, "map").keys().all(|path| {
        Path::new(path)
            .extension()
            .is_some_and(|end| end == "png" || end == "js")
    }));
}

#[test]
fn shards_lock_only_their_own_part() {
    let place = Place::of(&world_with_gaps(None, None));
    shard(&place, "map", "1/2", &[]).expect(0, "first");
    let lock = fs::File::options()
        .write(true)
        .open(place.at("map/.pixelmap/parts/1-of-2/lock"))
        .unwrap();
    lock.lock().unwrap();
    shard(&place, "map", "1/2", &[]).expect(75, "held");
    shard(&place, "map", "2/2", &[]).expect(0, "another");
}

#[test]
fn a_dry_run_reports_shares_of_shards() {
    let place = Place::of(&world_with_gaps(None, None));
    let told = render(
        &place.world(),
        &place.at("map"),
        &["--dry-run", "--shards", "4", "--json"],
    )
    .expect(0, "dry run");

    let told: Value = serde_json::from_str(&told.out).unwrap();
    let shards = told["shards"].as_array().unwrap();
    let regions: Vec<u64> = shards
        .iter()
        .map(|shard| shard["regions"].as_u64().unwrap())
        .collect();

    assert_eq!(
        (regions.len(), regions.iter().sum::<u64>()),
        (4, 44),
        "{told}"
    );

    assert!(
        regions.iter().all(|count| (9..=13).contains(count)),
        "{told}"
    );
    assert!(
        (1.0..1.2).contains(&told["largest_over_mean"].as_f64().unwrap()),
        "{told}"
    );

    assert!(
        (0.1..0.5).contains(&told["edges_read_twice"].as_f64().unwrap()),
        "{told}"
    );
    assert!(!place.at("map").exists());

    let drawn: u64 = (1..=4)
        .map(|number| {
            shard(&place, "map", &format!("{number}/4"), &[]).report()["regions"]["total"]
                .as_u64()
                .unwrap()
        })
        .sum();
    assert_eq!(drawn, 44);
}

#[test]
fn no_part_reveals_hidden_places() {
    let place = Place::of(&world_with_gaps(Some((32, 32)), None));
    let hide = ["--hide", "512,512,1024,1024"];
    let (out, tile) = ("map", "overworld/day/17/1/1.png");
    draw_all(&place, out, 3, 3);
    assert!(place.at(out).join(tile).exists());

    for number in 1..=3 {
        let ran = shard(&place, out, &format!("{number}/3"), &hide).expect(0, "hidden");
        assert!(!ran.err.contains("hides nothing"), "{}", ran.err);
    }

    // The world grows, so that the shards have other borders. Earlier parts are still recognised.
    let (mut more, mut region) = (Files::new(), RegionSpec::new(5, 0));
    region.put(&ChunkSpec::new(160, 0, GENERATION));
    more.put_region("region", &region);
    more.write_under(&place.world());

    for number in 1..=3 {
        shard(&place, out, &format!("{number}/3"), &hide).expect(0, "grown");
    }

    let state = Files::read_under(&place.at("map/.pixelmap")).0;
    assert!(
        state.keys().all(|path| !path.ends_with("before.json")),
        "{:?}",
        state.keys()
    );

    let told = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains("\"chunk\":[32,32]");
    assert!(
        !state.values().any(told),
        "what could not be read there is told"
    );

    merge(&place, out, &[], &[]).expect(0, "merge");
    render(
        &place.world(),
        &place.at("single"),
        &[&OPTIONS[..], &hide].concat(),
    )
    .expect(0, "single");

    assert_same_files(out, &files(&place, "single"), &files(&place, out));
    assert!(!place.at(out).join(tile).exists());
    render(
        &place.world(),
        &place.at(out),
        &[&OPTIONS[..], &hide].concat(),
    )
    .expect(0, "plain");
    assert!(!place.at("map/.pixelmap/parts").exists());
}

#[test]
fn a_merge_never_waits_for_running_shards() {
    let place = Place::of(&world_with_gaps(None, None));
    draw_all(&place, "map", 2, 0);
    let lock = fs::File::options()
        .write(true)
        .open(place.at("map/.pixelmap/parts/2-of-2/lock"))
        .unwrap();
    lock.lock().unwrap();
    let said = refusal(merge(&place, "map", &[], &[]), 75);
    assert!(said.contains("2-of-2 is held"), "{said}");
    drop(lock);
    merge(&place, "map", &[], &[]).expect(0, "merge");
}
