//! Tests `query`: the positions that it accepts, its answers in a dimension with a ceiling, and the
//! columns of an area.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::map::land::Column;
use crate::map::{Place, Ran, fixture, land, on, program};
use crate::world::fixture as made;
use crate::world::{ChunkSpec, Generation, Record, RegionSpec, block};

const NEW: Generation = Generation::Root(3955);

/// The columns of a chunk, from x = 0 on: open; solid down to the bedrock; lava under a roof; grass
/// over a floor; only a roof; empty.
fn columns(mut chunk: ChunkSpec) -> ChunkSpec {
    for x in 0..5 {
        chunk.stack(x, 0, 123, 127, block::BEDROCK);
    }

    chunk.stack(0, 0, 0, 40, block::NETHERRACK);
    chunk.stack(1, 0, 0, 122, block::NETHERRACK);
    chunk.set(1, 140, 0, block::STONE);
    chunk.stack(2, 0, 100, 122, block::NETHERRACK);
    chunk.stack(2, 0, 20, 31, block::LAVA);
    chunk.set(3, 60, 0, block::STONE);
    chunk.set(3, 61, 0, block::FERN);

    chunk
}

fn world_of_columns(generation: Generation) -> Place {
    let chunk = columns(ChunkSpec::new(0, 0, generation));
    let mut files = land::of_chunks(std::slice::from_ref(&chunk), generation);
    land::put_chunks(&mut files, "DIM-1/region", &[chunk]);
    Place::of(&files)
}

/// Heights and blocks of the columns.
fn blocks(place: &Place, options: &[&str]) -> Vec<String> {
    let args = [options, &["0,0", "1,0", "2,0", "3,0", "4,0", "5,0"]].concat();
    let told = on("query", &place.world(), &args).expect(0, "query").out;
    told.lines()
        .map(|line| {
            line.split('\t')
                .skip(2)
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

#[test]
fn query_names_the_block_under_a_ceiling() {
    for generation in [NEW, Generation::Numeric(1343)] {
        let place = world_of_columns(generation);
        let under = [
            "40 minecraft:netherrack",
            "122 minecraft:netherrack",
            "31 minecraft:lava",
            "61 minecraft:fern",
            "- -",
            "- -",
        ];

        let roof = "127 minecraft:bedrock";
        let above = [roof, "140 minecraft:stone", roof, roof, roof, "- -"];
        assert_eq!(blocks(&place, &["-d", "nether"]), under);
        assert_eq!(blocks(&place, &["-d", "nether", "--top"]), above);
        assert_eq!(blocks(&place, &[]), above, "the overworld has no ceiling");

        let low = blocks(&place, &["-d", "nether", "--max-y", "50"]);
        assert_eq!(
            low,
            [
                "40 minecraft:netherrack",
                "50 minecraft:netherrack",
                "31 minecraft:lava",
                "- -",
                "- -",
                "- -"
            ]
        );
    }
}

#[test]
fn a_position_may_be_joined_by_a_comma() {
    let place = Place::of(&land::two_dimensions());

    let places = |told: &Ran| -> Vec<String> {
        told.out
            .lines()
            .map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" "))
            .collect()
    };

    let args = ["-3,-17", "4", "-5", "--json", "-0,7", "8,", "9"];
    let told = on("query", &place.world(), &args[..3]).expect(0, "mixed");
    assert_eq!(places(&told), ["-3 -17", "4 -5"]);

    let told = on("query", &place.world(), &args)
        .expect(0, "with an option between")
        .out;
    assert_eq!(told.lines().count(), 4);
    assert!(told.starts_with(r#"{"x":-3,"z":-17,"#), "{told}");

    let mut command = program();
    command
        .arg("query")
        .arg(place.world())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());

    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"0,0\n\n-3 -17\n 5, -6\n")
        .unwrap();
    let told = Ran::of(child.wait_with_output().unwrap()).expect(0, "lines");
    assert_eq!(places(&told), ["0 0", "-3 -17", "5 -6"]);

    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"\xef\xbb\xbf1 2\r\n")
        .unwrap();
    let told = Ran::of(child.wait_with_output().unwrap()).expect(0, "behind a byte order mark");
    assert_eq!(places(&told), ["1 2"]);
}

#[test]
fn decimal_positions_name_the_block_around_them() {
    let place = world_of_columns(NEW);
    let whole = on("query", &place.world(), &["3", "0", "-1,-1"]).expect(0, "whole");
    for args in [
        &["3.5", "0.999", "-0.5,-0.5"][..],
        &["3.5,0.5", "-0.001", "-0.25"],
    ] {
        let decimals = on("query", &place.world(), args).expect(0, "decimals");
        assert_eq!(decimals.out, whole.out, "{args:?}");
    }
}

#[test]
fn query_names_air_of_mods_that_maps_hide() {
    let mut chunk = ChunkSpec::new(0, 0, NEW);
    chunk.layer(60, 62, block::STONE);
    let without = Place::of(&land::of_chunks(std::slice::from_ref(&chunk), NEW));
    chunk.layer(63, 80, block::Block::made("mod:bright_air".to_owned()));
    let place = Place::of(&land::of_chunks(&[chunk], NEW));

    let options = ["--unknown", "ff00ff", "--deny", "unknown-blocks"];
    let drawn = place.draw("map", &options).pictures("overworld");
    assert!(!drawn.is_empty() && drawn == without.draw("map", &[]).pictures("overworld"));
    assert_eq!(blocks(&place, &[])[0], "80 mod:bright_air");
}

/// The columns of the half-open rectangle, sorted as `query --area` prints them.
fn sorted_columns([x0, z0, x1, z1]: [i32; 4]) -> Vec<(i32, i32)> {
    let mut columns: Vec<_> = (z0..z1)
        .flat_map(|z| (x0..x1).map(move |x| (x, z)))
        .collect();
    columns.sort_by_key(|&(x, z)| (z >> 9, x >> 9, z, x));
    columns
}

fn area_text([x0, z0, x1, z1]: [i32; 4]) -> String {
    format!("{x0},{z0},{x1},{z1}")
}

/// The objects that `query --json` prints for an area.
fn area_lines(ran: &Ran) -> Vec<Value> {
    let lines = ran.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn query_area(world: &Path, area: [i32; 4], options: &[&str]) -> Ran {
    let area = area_text(area);
    on(
        "query",
        world,
        &[&["--json", "--area", &area], options].concat(),
    )
}

/// The answers of `query --json` for single positions, read from standard input.
fn query_positions(world: &Path, columns: &[(i32, i32)], options: &[&str]) -> Ran {
    let mut child = program()
        .arg("query")
        .arg(world)
        .arg("--json")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();

    let mut positions = String::new();
    for (x, z) in columns {
        positions.push_str(&format!("{x} {z}\n"));
    }

    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(positions.as_bytes()).unwrap();
    drop(stdin);

    Ran::of(child.wait_with_output().unwrap())
}

/// Checks that the columns of an area have the values of single queries in the same order, and that
/// only columns without an answer are left out. Returns the number of columns.
fn assert_equals_single_queries(world: &Path, area: [i32; 4], options: &[&str]) -> usize {
    let what = format!("{} {area:?} {options:?}", world.display());
    let single = query_positions(world, &sorted_columns(area), options);
    let mut lines = area_lines(&query_area(world, area, options).expect(single.code, &what));

    for line in &mut lines {
        for key in ["ground_y", "ground", "water_depth"] {
            line.as_object_mut().unwrap().remove(key).unwrap();
        }
    }

    let mut expected = area_lines(&single);
    expected.retain(|line| line.get("missing").is_none());
    assert!(lines == expected, "{what}");

    lines.len()
}

#[test]
fn area_columns_equal_single_queries() {
    let mut columns = 0;
    for fixture in made::all() {
        let place = Place::of(&fixture.files);
        if !place.world().join("level.dat").exists() {
            continue;
        }

        for options in [&[][..], &["--unfinished", "--max-y", "66"]] {
            columns += assert_equals_single_queries(&place.world(), [-40, -24, 24, 40], options);
        }
    }
    assert!(columns > 20_000, "{columns} columns were compared");

    assert!(assert_equals_single_queries(&fixture("demo"), [-37, -19, 53, 71], &[]) > 6_000);

    for generation in [NEW, Generation::Numeric(1343)] {
        let place = world_of_columns(generation);
        for options in [&[][..], &["--top"], &["--max-y", "50"], &["--min-y", "35"]] {
            let options = [&["-d", "nether"], options].concat();
            let columns = assert_equals_single_queries(&place.world(), [-9, 0, 9, 1], &options);
            assert_eq!(columns, 9, "the chunk begins at 0");
        }
    }
}

/// A world of level chunks around the corner of four regions.
fn world_around_a_corner() -> Place {
    let places = [(-1, -1), (0, -1), (-1, 0), (0, 0), (1, 0)];
    Place::of(&land::of_grounds(&places, NEW, |x, z| {
        ((x, z) != (-1, 0)).then_some(block::STONE)
    }))
}

#[test]
fn area_lines_are_sorted_inside_their_regions() {
    let place = world_around_a_corner();
    let area = [-3, -20, 18, 3];
    let told = query_area(&place.world(), area, &[]).expect(0, "around a corner");

    let positions: Vec<_> = area_lines(&told)
        .iter()
        .map(|line| (line["x"].as_i64().unwrap(), line["z"].as_i64().unwrap()))
        .collect();

    let is_stored = |&(x, z): &(i32, i32)| match z >> 4 {
        -1 => (-16..16).contains(&x),
        0 => x >= 0,
        _ => false,
    };
    let mut expected = sorted_columns(area);
    expected.retain(is_stored);
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(x, z)| (i64::from(x), i64::from(z)))
        .collect();
    assert_eq!(positions, expected);
}

#[test]
fn an_area_without_chunks_prints_nothing() {
    let place = world_around_a_corner();
    for area in [
        [100, 100, 200, 200],
        [-16, 0, 0, 16],
        [5_000_000, -7, 9_000_000, 7],
    ] {
        let told = query_area(&place.world(), area, &[]).expect(0, "outside");
        assert_eq!((&*told.out, &*told.err), ("", ""), "{area:?}");
    }

    let all = [i32::MIN, i32::MIN, i32::MAX, i32::MAX];
    let told = query_area(&place.world(), all, &[]).expect(0, "everything");
    assert_eq!(told.out.lines().count(), 4 * 256);
}

#[test]
fn damaged_chunks_are_named_and_left_out() {
    let mut region = RegionSpec::new(0, 0);
    for x in [0, 2] {
        let mut chunk = ChunkSpec::new(x, 0, NEW);
        chunk.layer(60, 64, block::STONE);
        region.put(&chunk);
    }
    region.put_record(1, 0, Record::pointing_at(9_000, 1));

    let mut files = land::of_chunks(&[], NEW);
    files.put_region("region", &region);
    let place = Place::of(&files);

    let told = query_area(&place.world(), [0, 0, 48, 1], &[]).expect(3, "damaged");
    assert_eq!(told.out.lines().count(), 32);
    assert!(
        told.err
            .contains("r.0.0.mca: chunk 1,0 cannot be read (out_of_file)"),
        "{}",
        told.err
    );

    let told = query_area(&place.world(), [0, 0, 16, 16], &[]).expect(0, "beside it");
    assert_eq!((told.out.lines().count(), &*told.err), (256, ""));
}

#[test]
fn an_area_shows_the_ground_under_water() {
    let column = |x: i32, z: i32| {
        let wet = Column {
            water_y: Some(62),
            ..Column::of(57, block::SAND)
        };
        Some(if (x, z) == (3, 0) {
            wet
        } else {
            Column::of(64, block::STONE)
        })
    };

    let place = Place::of(&land::world([0, 0, 16, 16], (0, 0), NEW, column));
    let told = query_area(&place.world(), [2, 0, 4, 1], &[]).expect(0, "json");
    let line = |x: i32, y: i32, block: &str, ground_y: i32, ground: &str, depth: i32| {
        json!({
            "x": x, "z": 0, "y": y, "block": block, "biome": "minecraft:plains",
            "data_version": 3955, "ground_y": ground_y, "ground": ground, "water_depth": depth,
        })
    };
    assert_eq!(
        area_lines(&told),
        [
            line(2, 64, "minecraft:stone", 64, "minecraft:stone", 0),
            line(3, 62, "minecraft:water", 57, "minecraft:sand", 5),
        ]
    );

    let table = on("query", &place.world(), &["--area", "3,0,4,1"]).expect(0, "table");
    assert_eq!(
        table.out,
        "3\t0\t62\tminecraft:water\tminecraft:plains\t3955\t57\tminecraft:sand\t5\n"
    );
}

#[test]
fn a_closed_pipe_ends_an_area_quietly() {
    let place = Place::of_full_regions(1);
    let mut child = program()
        .arg("query")
        .arg(place.world())
        .args(["--json", "--area", "-512,-512,512,512"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();

    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut first).unwrap();
    drop(reader);

    let ran = Ran::of(child.wait_with_output().unwrap()).expect(0, "closed");
    assert!(
        first.starts_with("{\"x\":") && ran.err.is_empty(),
        "{first}"
    );
}
