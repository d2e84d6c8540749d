//! Tests details: the files next to the tiles describe each column as docs/details.md specifies.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests read is no output of the program"
)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::Stdio;

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::map::{Map, Place, Ran, fixture, land, on, program, render, run};
use crate::world::{ChunkSpec, Files, Generation, Record, RegionSpec, Tag, block};

const SIDE: usize = 512;
const COLUMNS: usize = SIDE * SIDE;

/// A file of details.
struct Details {
    names: Value,
    data: Vec<u8>,
}

impl Details {
    /// Returns the details of a region, or `None` if there are none.
    fn of(map: &Map, dimension: &str, (x, z): (i32, i32)) -> Option<Self> {
        let path = map.root.join(format!("{dimension}/details/17/{x}/{z}.js"));
        let text = fs::read_to_string(path).ok()?;
        let names: Value = serde_json::from_str(
            text.strip_prefix("pixelmapDetails(")?
                .strip_suffix(");\n")?,
        )
        .unwrap();
        let packed = BASE64.decode(names["data"].as_str()?.as_bytes()).unwrap();

        let mut data = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..])
            .read_to_end(&mut data)
            .unwrap();
        assert_eq!(
            (data.len(), &names["format"]),
            (6 * COLUMNS + 8 * 1024, &json!(1))
        );

        Some(Self { names, data })
    }

    /// A number of two bytes in one of the planes.
    fn number(&self, plane: usize, column: usize) -> u16 {
        u16::from_le_bytes(
            self.data[2 * (plane * COLUMNS + column)..][..2]
                .try_into()
                .unwrap(),
        )
    }

    /// A number of four bytes of a chunk.
    fn of_chunk(&self, plane: usize, chunk: usize) -> u32 {
        u32::from_le_bytes(
            self.data[6 * COLUMNS + 4 * (plane * 1024 + chunk)..][..4]
                .try_into()
                .unwrap(),
        )
    }

    fn name(&self, table: &str, number: u16) -> Value {
        if number == 0 {
            Value::Null
        } else {
            self.names[table][usize::from(number) - 1].clone()
        }
    }

    /// Returns block, height, biome and version of a column, in the form of a query.
    fn at(&self, x: usize, z: usize) -> Value {
        let (column, chunk) = (z * SIDE + x, z / 16 * 32 + x / 16);
        let block = self.name("blocks", self.number(0, column));
        let y = if block.is_null() {
            Value::Null
        } else {
            json!(self.number(2, column) as i16)
        };

        let version = self.of_chunk(0, chunk);
        let version = if version == 0 {
            Value::Null
        } else {
            json!(version)
        };

        json!({"block": block, "y": y, "biome": self.name("biomes", self.number(1, column)), "version": version})
    }
}

/// Answers of queries for columns of a dimension.
fn queried(place: &Place, dimension: &str, columns: &[(i32, i32)]) -> Vec<Value> {
    let mut query = program();
    query
        .arg("query")
        .arg(place.world())
        .args(["-d", dimension, "--json"]);

    let mut query = query
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();

    let lines: Vec<String> = columns.iter().map(|(x, z)| format!("{x} {z}")).collect();
    let mut to = query.stdin.take().unwrap();
    let written = std::thread::spawn(move || to.write_all(lines.join("\n").as_bytes()).unwrap());
    let ran = Ran::of(query.wait_with_output().unwrap());
    written.join().unwrap();

    ran.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Asserts that the details of a world equal the answers of queries, at every `step` columns.
fn assert_as_queried(world: &str, step: usize) {
    let place = Place::of(&Files::read_under(&fixture(world)));
    let map = place.draw("map", &["--details"]);
    for of in map.facts()["dimensions"].as_array().unwrap() {
        let (id, path) = (of["id"].as_str().unwrap(), of["path"].as_str().unwrap());
        let native = map.tiles(path).into_keys().filter(|(zoom, ..)| *zoom == 17);
        for (x, z) in native.map(|(_, x, z)| (x, z)) {
            let details = Details::of(&map, path, (x, z)).unwrap();
            let places = (0..COLUMNS)
                .step_by(step)
                .map(|column| (column % SIDE, column / SIDE));
            let columns: Vec<_> = places
                .clone()
                .map(|(dx, dz)| (x * 512 + dx as i32, z * 512 + dz as i32))
                .collect();

            for ((dx, dz), answer) in places.zip(queried(&place, id, &columns)) {
                let told = details.at(dx, dz);
                if answer["block"].is_null() {
                    assert_eq!(told["block"], Value::Null, "{world} {id} {answer}");
                    continue;
                }

                for (name, of_query) in [
                    ("block", "block"),
                    ("y", "y"),
                    ("biome", "biome"),
                    ("version", "data_version"),
                ] {
                    assert_eq!(told[name], answer[of_query], "{world} {id} {answer}");
                }
            }
        }
    }
}

#[test]
fn details_match_the_answers_of_query() {
    assert_as_queried("demo", 11);
    for world in [
        "mcregion",
        "mixed-region",
        "numeric-bare",
        "forge-1.6",
        "layout-new",
        "strings-26.3",
        "heights-too-low",
    ] {
        assert_as_queried(world, 7);
    }
}

/// A world of two regions with a chunk each, and a third chunk in which players spent 90 seconds.
fn world_of_three_chunks() -> Files {
    world_but(None)
}

/// The same world, with another record in place of the first chunk of its eastern region.
fn world_but(first: Option<Record>) -> Files {
    let chunk = |x, z, block, seconds: i64| {
        let mut chunk = ChunkSpec::new(x, z, Generation::Root(3955));
        chunk.layer(60, 64, block);
        chunk.extra = vec![("InhabitedTime", Tag::Long(seconds * 20 + 19))];
        Record::zlib(&chunk.nbt())
    };

    let mut files = Files::new();
    let mut west = RegionSpec::new(-1, 0);
    west.put_record(-1, 0, chunk(-1, 0, block::STONE, 0));
    let mut east = RegionSpec::new(0, 0);
    east.put_record(0, 0, first.unwrap_or_else(|| chunk(0, 0, block::SAND, 90)));
    east.put_record(5, 6, chunk(5, 6, block::STONE, 0));
    files.put_region("region", &west);
    files.put_region("region", &east);

    files
}

const EAST: (i32, i32) = (0, 0);
const WEST: (i32, i32) = (-1, 0);

#[test]
fn chunk_details_have_version_and_visit_time() {
    let place = Place::of(&world_of_three_chunks());
    let details = Details::of(&place.draw("map", &["--details"]), "overworld", EAST).unwrap();
    assert_eq!(details.names["versions"], json!({"3955": "1.21"}));
    assert_eq!([details.of_chunk(0, 0), details.of_chunk(1, 0)], [3955, 90]);

    assert_eq!(
        [
            details.of_chunk(0, 6 * 32 + 5),
            details.of_chunk(1, 6 * 32 + 5)
        ],
        [3955, 0]
    );

    assert_eq!(
        [details.of_chunk(0, 1), details.of_chunk(1, 1)],
        [0, 0],
        "no chunk is stored there"
    );

    // The first name belongs to the block that occurs first.
    assert_eq!(
        details.names["blocks"],
        json!(["minecraft:sand", "minecraft:stone"])
    );
}

#[test]
fn hidden_or_outside_columns_have_no_details() {
    let place = Place::of(&world_of_three_chunks());
    place.draw("map", &["--details"]);
    let map = place.draw(
        "map",
        &["--details", "--hide", "0,0,16,16", "--hide", "-16,0,0,16"],
    );

    let details = Details::of(&map, "overworld", EAST).unwrap();
    assert_eq!(
        (details.at(3, 3)["block"].clone(), details.of_chunk(1, 0)),
        (Value::Null, 0)
    );

    assert_eq!(details.names["blocks"], json!(["minecraft:stone"]));
    assert!(
        Details::of(&map, "overworld", WEST).is_none(),
        "nothing is left of the region"
    );

    let map = place.draw("part", &["--details", "-a", "0,0,8,8"]);
    let details = Details::of(&map, "overworld", EAST).unwrap();
    assert_eq!(
        [details.at(7, 7), details.at(8, 7)].map(|told| told["block"].is_null()),
        [false, true]
    );
    assert_eq!(details.of_chunk(0, 6 * 32 + 5), 0);
}

#[test]
fn a_chunk_outside_the_area_has_no_details() {
    // The region outside the area has the larger file, so it is drawn first.
    for (chunk_x, x, other, slot) in [(-1, 0, EAST, 31), (0, 15, WEST, 0)] {
        let mut whole = ChunkSpec::new(-1 - chunk_x, 0, Generation::Root(3955));
        whole.layer(60, 64, block::STONE);
        let mut edge = ChunkSpec::new(chunk_x, 0, Generation::Root(3955));
        edge.set(x, 64, 0, block::STONE);

        let beyond = (0..8).map(|z| ChunkSpec {
            z: z + 8,
            ..edge.clone()
        });

        let chunks: Vec<ChunkSpec> = beyond.chain([whole, edge.clone()]).collect();
        let place = Place::of(&land::of_chunks(&chunks, Generation::Root(3955)));
        let map = place.draw("map", &["--details", "-a", "-8,0,8,8", "-t", "1"]);
        let details = Details::of(&map, "overworld", other).unwrap();
        assert_eq!(
            (details.of_chunk(0, slot), details.of_chunk(0, 31 - slot)),
            (0, 3955)
        );
    }
}

#[test]
fn details_of_unchanged_regions_stay() {
    let place = Place::of(&world_of_three_chunks());
    let map = place.draw("map", &["--details", "-t", "2"]);
    let before = map.files();
    assert_eq!(
        before,
        place.draw("other", &["--details", "-t", "1"]).files()
    );

    let again = render(&place.world(), &map.root, &["--details"])
        .expect(0, "again")
        .report();
    assert_eq!(
        (&again["regions"]["unchanged"], &again["tiles"]["written"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(before, map.files());

    // A removed file is written again, although its tile still exists.
    fs::remove_file(map.root.join("overworld/details/17/-1/0.js")).unwrap();
    render(&place.world(), &map.root, &["--details"]).expect(0, "mended");
    assert_eq!(before, map.files());

    // A run without this option keeps the details, as it keeps other layers.
    render(&place.world(), &map.root, &["-f"]).expect(0, "without");
    assert_eq!(
        map.facts()["dimensions"][0]["details"]["path"],
        "overworld/details"
    );

    assert_eq!(
        before["overworld/details/17/0/0.js"],
        map.files()["overworld/details/17/0/0.js"]
    );
    run(&["verify", map.root.to_str().unwrap()]).expect(0, "it is whole");
}

#[test]
fn an_unreadable_chunk_has_no_details() {
    let place = Place::of(&world_but(Some(Record::new(2, b"no zlib".to_vec()))));
    render(&place.world(), &place.at("map"), &["--details"]).expect(3, "a chunk is bad");
    let map = Map::at(&place.at("map"));
    let details = Details::of(&map, "overworld", EAST).unwrap();
    assert_eq!(details.at(3, 3)["block"], Value::Null);
    assert_eq!(details.at(5 * 16, 6 * 16)["block"], "minecraft:stone");
}

#[test]
fn verify_checks_details_but_digests_ignore_them() {
    let place = Place::of(&world_of_three_chunks());
    let map = place.draw("map", &["--details"]);
    let plain = place.draw("plain", &[]);

    let verified = |map: &Map, code| -> Value {
        let ran = on("verify", &map.root, &["--json"]).expect(code, "verify");
        serde_json::from_str(&ran.out).unwrap()
    };

    assert_eq!(verified(&map, 0)["digest"], verified(&plain, 0)["digest"]);

    let file = map.root.join("overworld/details/17/0/0.js");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("sand", "gold")).unwrap();
    fs::write(
        map.root.join("overworld/details/17/0/9.js"),
        "no tile of the map",
    )
    .unwrap();

    fs::remove_file(map.root.join("overworld/details/17/-1/0.js")).unwrap();
    let problems = verified(&map, 1)["problems"].clone();
    let problems: Vec<String> = problems
        .as_array()
        .unwrap()
        .iter()
        .map(|of| format!("{} {}", of["path"], of["wrong"]).replace('"', ""))
        .collect();

    let of = |file: &str| format!("overworld/details/17/{file}");
    assert_eq!(
        problems,
        [
            of("-1/0.js missing"),
            of("0/0.js changed"),
            of("0/9.js stray")
        ]
    );
}

#[test]
fn change_lists_name_details() {
    let place = Place::of(&world_of_three_chunks());
    let list = place.at("changed");
    let options = ["--details", "--changed-list", list.to_str().unwrap()];
    render(&place.world(), &place.at("map"), &options).expect(0, "drawn");

    let changed = fs::read_to_string(&list).unwrap();
    for path in ["overworld/details/17/0/0.js", "overworld/details/tiles.tsv"] {
        assert!(
            changed.lines().any(|line| line == path),
            "{path}: {changed}"
        );
    }
}
