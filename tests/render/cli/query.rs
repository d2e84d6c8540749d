//! Tests `query`: the positions that it accepts, and its answers in a dimension with a ceiling.

use std::io::Write as _;
use std::process::Stdio;

use crate::map::{Place, Ran, land, on, program};
use crate::world::{ChunkSpec, Generation, block};

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
