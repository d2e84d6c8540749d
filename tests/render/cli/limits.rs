//! Tests the resources that a run uses: file descriptors and memory.

use std::process::Output;

use serde_json::Value;

use crate::map::{Map, Place, assert_same_files, fixture, program, shell};
use crate::world::bedrock::{Compression, Database};
use crate::world::fixture::bedrock;
use crate::world::{ChunkSpec, Files, Generation, Record, RegionSpec, block, many, payload};

/// Draws with at most `descriptors` open files.
fn draw_with(descriptors: u32, world: &std::path::Path, out: &std::path::Path) -> Output {
    call_with(
        descriptors,
        "render \"$1\" -o \"$2\" -t 8 --report -",
        &[world, out],
    )
}

/// Calls the program with at most `descriptors` open files; `$1` and so on are `paths`.
fn call_with(descriptors: u32, call: &str, paths: &[&std::path::Path]) -> Output {
    let script = format!("ulimit -n {descriptors}; exec \"$0\" {call}");
    shell(&script).args(paths).output().unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn few_descriptors_still_give_the_same_map() {
    let place = Place::empty();
    many::small_files(&place.world().join("region"), 60);

    let whole = place.draw("whole", &[]).files();
    for (descriptors, workers) in [(400, 8), (41, 6), (25, 2), (14, 1)] {
        let out = place.at(&format!("with-{descriptors}"));
        let ran = draw_with(descriptors, &place.world(), &out);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(0), "{descriptors}: {said}");
        assert_eq!(report(&ran)["threads"], workers, "{descriptors}");
        assert_eq!(said.contains("ulimit -n"), workers < 8, "{said}");
        assert_same_files(
            &format!("with {descriptors} descriptors"),
            &whole,
            &Map::at(&out).files(),
        );
    }
}

#[test]
fn four_descriptors_per_worker_and_nine_more_suffice() {
    // Regions in a row. Each has chunks in their own `.mcc` files at the border that the next
    // region reads.
    let mut world = Files::new();
    for x in 0..5 {
        let mut region = RegionSpec::new(x, 0);
        for slot in [0, 15, 31] {
            let mut chunk = ChunkSpec::new(x * 32 + slot, 0, Generation::Root(3955));
            chunk.layer(0, 70, block::STONE);
            region.put_record(
                x * 32 + slot,
                0,
                Record::external(2, Some(payload::zlib(&chunk.nbt().document()))),
            );
        }

        world.put_region("region", &region);
    }

    let place = Place::of(&world);

    // The second run finds the records of the first. So does the third, although it draws
    // everything again.
    for options in ["", "", "--force"] {
        let out = place.at("map");
        let ran = call_with(
            13,
            &format!("render \"$1\" -o \"$2\" -t 1 {options}"),
            &[&place.world(), &out],
        );

        assert_eq!(
            ran.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
}

#[test]
fn a_lack_of_descriptors_is_not_called_damage() {
    let mut region = RegionSpec::new(0, 0);
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(0, 70, block::STONE);
    region.put_record(
        0,
        0,
        Record::external(2, Some(payload::zlib(&chunk.nbt().document()))),
    );

    let mut world = Files::new();
    world.put_region("region", &region);

    let place = Place::of(&world);
    let says = |descriptors: u32, call: &str| {
        let ran = call_with(descriptors, call, &[&place.world()]);
        (
            ran.status.code(),
            String::from_utf8(ran.stdout).unwrap(),
            String::from_utf8(ran.stderr).unwrap(),
        )
    };

    for call in ["info \"$1\"", "query \"$1\" 0 0"] {
        // One descriptor for the region file and one for the `.mcc` file of its chunk, in addition
        // to the three of any program.
        let (code, ..) = says(5, call);
        assert_eq!(code, Some(0), "{call}");
        let (code, told, said) = says(4, call);
        assert_eq!((code, told.as_str()), (Some(75), ""), "{call}: {said}");
        assert!(said.contains("r.0.0.mca"), "{said}");
    }
}

#[test]
fn databases_without_descriptors_can_be_tried_again() {
    let mut database = Database::new(4);
    database.table(
        1,
        Compression::Deflate,
        5000,
        &bedrock::landscape(0, 0, 41).changes(),
    );
    let place = Place::of(&bedrock::with_level_dat("Few", &database));
    let mut codes = Vec::new();

    // The system needs a fourth one to start a program.
    for descriptors in 4..9 {
        let ran = call_with(descriptors, "info \"$1\"", &[&place.world()]);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(
            matches!(ran.status.code(), Some(0 | 75)),
            "{descriptors} descriptors: {said}"
        );
        codes.push(ran.status.code());
    }

    assert!(
        codes.first() == Some(&Some(75)) && codes.last() == Some(&Some(0)),
        "{codes:?}"
    );
}

#[test]
fn more_tables_are_read_than_can_be_open() {
    let mut database = Database::new(4);
    for x in 0..70 {
        database.table(
            1,
            Compression::Deflate,
            5000,
            &bedrock::landscape(x, 0, 41).changes(),
        );
    }

    let place = Place::of(&bedrock::with_level_dat("Many", &database));
    let most = place.draw("most", &["-t", "1"]).files();

    let out = place.at("few");
    let ran = call_with(64, "render \"$1\" -o \"$2\" -t 1", &[&place.world(), &out]);
    assert_eq!(
        ran.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_same_files("few open tables", &most, &Map::at(&out).files());
}

#[test]
fn excess_threads_are_cut_to_the_regions() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let most = usize::MAX.to_string();
    let few = place.draw("few", &["-t", "1"]).files();
    let out = place.at("many");
    let ran = crate::map::render(&place.world(), &out, &["-t", &most])
        .expect(0, "as many as can be named")
        .report();
    assert_eq!(ran["threads"], 4, "one a region");
    assert_same_files("as many as can be named", &few, &Map::at(&out).files());
}

#[test]
fn a_run_without_descriptors_can_be_tried_again() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let mut too_few = 0;

    // Tries each limit, from one at which the program cannot start to one at which it can draw the
    // map.
    for descriptors in 4..9 {
        let out = place.at("map");
        let ran = draw_with(descriptors, &place.world(), &out);
        let said = String::from_utf8_lossy(&ran.stderr);
        match ran.status.code() {
            Some(0) => {}
            // The loader of shared libraries needs a descriptor too.
            Some(127) if said.contains("shared librar") => {}
            Some(75) => {
                assert!(said.contains("open files"), "{said}");
                assert!(!out.join("map.json").exists(), "{descriptors}");
                too_few += 1;
            }
            other => panic!("{descriptors} descriptors: {other:?}: {said}"),
        }

        let _ = std::fs::remove_dir_all(&out);
    }

    assert!(
        too_few > 0,
        "some number lets the program begin and not end"
    );
}

/// The bound of a run that draws one region with one thread. Most of this memory is the code of the
/// program, whose size depends on how it was built.
const ONE_REGION: u64 = 30_000_000;

/// The bound of other runs: 6 MB per thread and 200 bytes per region file more than `one_region`
/// needs.
fn allowed(one_region: u64, threads: u64, regions: u64) -> u64 {
    one_region + 6_000_000 * threads + 200 * regions
}

/// Bytes that caches of one thread may hold in a large world and that a small one does not fill.
const CACHES: u64 = 1_500_000;

/// Bytes that 10,000 listed bad chunks may take, as values and as JSON. A list of all bad chunks of
/// the world would take more than ten times as much.
const LISTED: u64 = 10_000 * 400;

fn peak(report: &Value) -> u64 {
    report["peak_memory_bytes"].as_u64().unwrap()
}

/// Returns the memory of a run if it is within `bound`, or else the least of three runs. On a busy
/// machine one run may need a little more, but unbounded memory grows in all runs.
fn least(bound: u64, run: impl Fn() -> u64) -> u64 {
    let mut least = run();
    for _ in 1..3 {
        if least > bound {
            least = least.min(run());
        }
    }
    least
}

/// Draws a world of this many small regions and returns its peak memory.
fn peak_with(place: &Place, regions: usize, threads: u64) -> u64 {
    let world = place.at(&format!("world-{regions}"));
    if !world.exists() {
        many::small_files(&world.join("region"), regions);
    }

    let out = place.at("map");
    let options = ["-t", &threads.to_string()];
    let peak = peak(
        &crate::map::render(&world, &out, &options)
            .expect(0, "render")
            .report(),
    );
    std::fs::remove_dir_all(out).unwrap();

    peak
}

/// Returns the memory of a run that draws one region with one thread.
fn one_region(place: &Place) -> u64 {
    let peak = least(ONE_REGION, || peak_with(place, 1, 1));
    assert!(peak <= ONE_REGION, "one region: {peak} bytes");
    peak
}

/// Fails if a world needs more memory than the bound. Returns the memory it needed.
fn bounded_peak(place: &Place, one_region: u64, regions: usize, threads: u64) -> u64 {
    let bound = allowed(one_region, threads, regions as u64);
    let peak = least(bound, || peak_with(place, regions, threads));
    assert!(
        peak <= bound,
        "{regions} regions, {threads} threads: {peak} bytes of {bound}"
    );
    peak
}

#[test]
fn memory_grows_with_threads_not_the_world() {
    let place = Place::empty();
    let one_region = one_region(&place);
    bounded_peak(&place, one_region, 400, 12);

    // Two runs on the same world differ by up to 0.7 MB.
    let bounded = |regions| bounded_peak(&place, one_region, regions, 1);
    let few = bounded(1_000).max(bounded(1_000));
    let bound = few + 300 * 2_000 + CACHES;
    let many = least(bound, || bounded(3_000));
    assert!(many <= bound, "{} bytes for 2,000 regions more", many - few);
}

#[test]
fn a_wholly_damaged_world_takes_no_more_memory() {
    let place = Place::empty();
    let one_region = one_region(&place);
    let draw = |regions: u64, threads: u64| {
        let world = place.at(&format!("damaged-{regions}"));
        if !world.exists() {
            many::damaged_files(&world.join("region"), regions as usize);
        }

        let options = ["-t", &threads.to_string()];
        let out = place.at(&format!("of-damaged-{regions}-{threads}"));
        let report = crate::map::render(&world, &out, &options)
            .expect(3, "all damaged")
            .report();
        assert_eq!(report["chunks"]["bad"], regions * 1024);

        let (listed, warnings) = (
            report["bad_chunks"].as_array().unwrap().len(),
            &report["warnings"],
        );
        assert!(
            listed == 10_000 && warnings.to_string().contains("only the first 10000"),
            "{listed}: {warnings}"
        );

        let bound = allowed(one_region, threads, regions) + LISTED;
        let peak = peak(&report);
        assert!(
            peak <= bound,
            "{regions} regions, {threads} threads: {peak} bytes of {bound}"
        );

        (peak, report["bad_chunks"].clone())
    };

    let (_, alone) = draw(250, 1);
    for threads in [1, 4] {
        let ((few, _), (many, listed)) = (draw(100, threads), draw(250, threads));
        assert!(listed == alone, "{threads} threads list other places");

        // The memory that an allocator keeps for several threads differs by some megabytes from run
        // to run. A list of all bad chunks would take over fifty megabytes, because a region has
        // 1,024 of them.
        let grown = many.saturating_sub(few);
        assert!(
            grown <= 200 * 150 + 6_000_000,
            "{threads} threads: {grown} bytes for 150 regions more"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_size_limit_ends_a_run_cleanly() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let (before, out) = (
        place.draw("map", &["--max-y", "60"]).files(),
        place.at("map"),
    );

    // Blocks of 512 bytes: a tile is larger.
    let script = "ulimit -f 4; exec \"$0\" render \"$1\" -o \"$2\" -q";
    let limited = |out: &std::path::Path| {
        let ran = shell(script).arg(place.world()).arg(out).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(
            (ran.status.code(), said.lines().count()),
            (Some(75), 1),
            "{said}"
        );

        assert!(
            said.contains("ulimit -f") && said.contains(out.to_str().unwrap()),
            "{said}"
        );
        assert!(!said.contains(".pixelmap"), "the output is named: {said}");
    };

    limited(&out);
    limited(&place.at("picture.png"));
    assert!(!place.at("picture.png").exists());

    for (path, bytes) in before
        .iter()
        .filter(|(path, _)| path.starts_with("overworld/day/1"))
    {
        assert_eq!(std::fs::read(out.join(path)).unwrap(), *bytes, "{path}");
    }

    assert_same_files(
        "when they may",
        &place.draw("fresh", &[]).files(),
        &place.draw("map", &[]).files(),
    );
}

/// A query reads columns before it opens the world. At that moment the test takes its descriptors
/// away.
#[test]
fn a_listing_without_descriptors_can_be_tried_again() {
    use std::io::Write as _;
    use std::process::Stdio;

    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let place = Place::empty();
    many::small_files(&place.world().join("region"), 2);
    let query = |descriptors: Option<u64>| {
        let mut command = program();
        command
            .arg("query")
            .arg(place.world())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut columns = child.stdin.take().unwrap();
        columns.write_all(b"0 0\n").unwrap();

        while rustix::io::ioctl_fionread(&columns).unwrap() > 0 {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it ended before it read anything"
            );
            std::thread::sleep(std::time::Duration::from_millis(1));
        }

        if let Some(most) = descriptors {
            let limit = Rlimit {
                current: Some(most),
                maximum: Some(most),
            };
            prlimit(Some(Pid::from_child(&child)), Resource::Nofile, limit).unwrap();
        }

        drop(columns);

        let ran = child.wait_with_output().unwrap();
        (
            ran.status.code(),
            String::from_utf8_lossy(&ran.stderr).into_owned(),
        )
    };
    assert_eq!(query(None), (Some(0), String::new()));
    let (code, said) = query(Some(3));
    assert!(
        code == Some(75) && said.contains("cannot read"),
        "{code:?}: {said}"
    );
}
