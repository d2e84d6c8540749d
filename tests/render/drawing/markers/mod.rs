//! Tests markers: they are `GeoJSON`, they appear only where the map shows something, and private
//! things appear only on request.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

mod bookkeeping;
mod bounds;
mod containers;
mod entity_frames;
mod found;
mod framed_maps;
mod icons;
mod own;
mod privacy;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::schemas::{schema, strict};
use crate::map::{Map, Place};
use crate::world::level_dat::LevelDat;
use crate::world::payload::gzip;
use crate::world::{ChunkSpec, Files, Generation, Record, RegionSpec, Tag, block};

/// The generations in which texts and structures have different forms.
const GENERATIONS: [Generation; 6] = [
    Generation::McRegion,
    Generation::Numeric(1343),
    Generation::Spanning(1976),
    Generation::Aligned(2730),
    Generation::Root(3465),
    Generation::Root(4903),
];

/// The marker files that pages from disk load: their texts by path.
fn scripted(map: &Path) -> Value {
    let script = fs::read_to_string(map.join("markers.js")).unwrap();
    serde_json::from_str(
        script
            .trim()
            .strip_prefix("pixelmapMarkers(")
            .unwrap()
            .strip_suffix(");")
            .unwrap(),
    )
    .unwrap()
}

/// The address of the picture that a marker in a file names.
fn picture(map: &Map, file: &str, name: &Value) -> String {
    let file: Value =
        serde_json::from_str(&fs::read_to_string(map.root.join(file)).unwrap()).unwrap();
    file["images"][name.as_str().unwrap()]
        .as_str()
        .unwrap()
        .to_owned()
}

/// A chunk of stone.
fn stone(x: i32, z: i32, generation: Generation) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, generation);
    chunk.layer(60, 62, block::STONE);
    chunk
}

/// A structure that starts in a chunk, under the names of its generation.
fn structures(generation: Generation, id: &str, x: i32, z: i32) -> (&'static str, Tag) {
    let first = Tag::compound([
        ("id", Tag::string("piece")),
        ("BB", Tag::Ints(vec![0, 50, 0, 9, 70, 9])),
    ]);

    let second = Tag::compound([
        ("id", Tag::string("other")),
        ("BB", Tag::Ints(vec![0, 1, 0, 9, 2, 9])),
    ]);

    let start = Tag::compound([
        ("id", Tag::string(id)),
        ("ChunkX", Tag::Int(x)),
        ("ChunkZ", Tag::Int(z)),
        ("Children", Tag::List(vec![first, second])),
    ]);

    let nothing = Tag::compound([("id", Tag::string("INVALID"))]);
    let starts = Tag::compound([("nothing", nothing), (id, start)]);
    let references = Tag::compound([("far", Tag::Longs(vec![3]))]);
    match generation {
        Generation::Root(_) => (
            "structures",
            Tag::compound([("References", references), ("starts", starts)]),
        ),
        _ => (
            "Structures",
            Tag::compound([("References", references), ("Starts", starts)]),
        ),
    }
}

/// Block entities of a chunk, under the name of its generation.
pub(crate) fn entities(generation: Generation, list: Vec<Tag>) -> (&'static str, Tag) {
    let name = if matches!(generation, Generation::Root(_)) {
        "block_entities"
    } else {
        "TileEntities"
    };
    (name, Tag::List(list))
}

fn placed(id: &str, [x, y, z]: [i32; 3]) -> Tag {
    Tag::compound([
        ("id", Tag::string(id)),
        ("x", Tag::Int(x)),
        ("y", Tag::Int(y)),
        ("z", Tag::Int(z)),
    ])
}

/// A sign with these lines on its front, as the generation stores them.
pub(crate) fn sign(generation: Generation, at: [i32; 3], lines: &[&str]) -> Tag {
    let stored = |line: &str| match generation {
        Generation::McRegion => Tag::string(line),
        Generation::Root(4903) => Tag::compound([
            ("color", Tag::string("red")),
            ("text", Tag::string(line)),
            ("bold", Tag::Byte(1)),
        ]),
        _ => {
            Tag::string(&json!({"text": "", "extra": [{"text": line, "color": "red"}]}).to_string())
        }
    };

    let id = if matches!(generation, Generation::McRegion) {
        "Sign"
    } else {
        "minecraft:sign"
    };

    let mut sign = placed(id, at);
    if matches!(generation, Generation::Root(_)) {
        let messages = (0..4)
            .map(|line| stored(lines.get(line).unwrap_or(&"")))
            .collect();
        sign.set(
            "front_text",
            Tag::compound([
                ("color", Tag::string("black")),
                ("messages", Tag::List(messages)),
            ]),
        );

        let empty = (0..4)
            .map(|_| {
                Tag::string(if generation == GENERATIONS[5] {
                    ""
                } else {
                    "\"\""
                })
            })
            .collect();
        sign.set("back_text", Tag::compound([("messages", Tag::List(empty))]));
    } else {
        for line in 0..4 {
            sign.set(
                &format!("Text{}", line + 1),
                stored(lines.get(line).unwrap_or(&"")),
            );
        }
    }

    sign
}

/// A world of these chunks in one region.
fn world_of(chunks: &[ChunkSpec]) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("markers", Some(3955))
            .old_spawn(3, 64, 5)
            .bytes(),
    );
    put_region(&mut files, "region", chunks);
    files
}

fn put_region(files: &mut Files, folder: &str, chunks: &[ChunkSpec]) {
    let mut region = RegionSpec::new(chunks[0].x >> 5, chunks[0].z >> 5);
    for chunk in chunks {
        region.put(chunk);
    }
    replace_region(files, folder, &region);
}

fn replace_region(files: &mut Files, folder: &str, region: &RegionSpec) {
    files.0.remove(&format!("{folder}/{}", region.file_name()));
    files.put_region(folder, region);
}

fn replace_level(files: &mut Files, level: &LevelDat) {
    files.0.insert("level.dat".to_owned(), level.bytes());
}

/// A point of interest: its type and its block.
type Point<'a> = (&'a str, [i32; 3]);

/// Puts a file of points of interest next to the region at the origin.
fn put_points(files: &mut Files, points: &[Point<'_>]) {
    let mut region = RegionSpec::new(0, 0);
    let mut chunks: Vec<(i32, i32)> = points
        .iter()
        .map(|(_, [x, _, z])| (x >> 4, z >> 4))
        .collect();
    chunks.sort_unstable();
    chunks.dedup();

    for (x, z) in chunks {
        let here = points
            .iter()
            .filter(|(_, at)| (at[0] >> 4, at[2] >> 4) == (x, z));
        let records = here.map(|(id, at)| {
            Tag::compound([
                ("pos", Tag::Ints(at.to_vec())),
                ("free_tickets", Tag::Int(1)),
                ("type", Tag::string(id)),
            ])
        });

        let section = Tag::compound([
            ("Valid", Tag::Byte(1)),
            ("Records", Tag::List(records.collect())),
        ]);
        let sections = Tag::compound([("4", section)]);
        let chunk = Tag::compound([("DataVersion", Tag::Int(3955)), ("Sections", sections)]);
        region.put_record(x, z, Record::zlib(&chunk));
    }

    replace_region(files, "poi", &region);
}

/// The features of a kind: column and properties.
fn features(map: &Map, path: &str) -> Vec<(Value, Value)> {
    let text =
        fs::read_to_string(map.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file: Value = serde_json::from_str(&text).unwrap();
    let schema = jsonschema::validator_for(&strict(schema("markers.schema.json"))).unwrap();
    let faults: Vec<String> = schema
        .iter_errors(&file)
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{path}: {faults:?}");

    let features = file["features"].as_array().unwrap();
    assert_eq!(text.lines().count(), features.len() + 2, "a line each");

    features
        .iter()
        .map(|one| {
            (
                one["geometry"]["coordinates"].clone(),
                one["properties"].clone(),
            )
        })
        .collect()
}

/// The kinds of the overworld that `map.json` states, with their counts.
fn kinds(map: &Map) -> Vec<(String, u64)> {
    let facts: Value =
        serde_json::from_slice(&fs::read(map.root.join("map.json")).unwrap()).unwrap();
    let stated = facts["dimensions"][0]["markers"]
        .as_array()
        .cloned()
        .unwrap_or_default();

    for file in &stated {
        let bytes = fs::read(map.root.join(file["file"].as_str().unwrap())).unwrap();
        assert_eq!(
            file["version"],
            format!("{:016x}", twox_hash::XxHash3_64::oneshot(&bytes))
        );
    }

    stated
        .iter()
        .map(|file| {
            (
                file["kind"].as_str().unwrap().to_owned(),
                file["count"].as_u64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn structures_and_signs_of_every_generation_are_listed() {
    let mut chunks = Vec::new();
    for (x, generation) in (0..).zip(GENERATIONS) {
        let mut chunk = stone(x, 1, generation);

        let old = matches!(generation, Generation::Spanning(_) | Generation::Aligned(_));
        let id = if old {
            "Pillager_Outpost"
        } else {
            "minecraft:pillager_outpost"
        };

        chunk.extra = vec![
            structures(generation, id, x, 1),
            entities(
                generation,
                vec![
                    placed("minecraft:chest", [x * 16, 63, 16]),
                    sign(
                        generation,
                        [x * 16 + 2, 63, 19],
                        &["§lShop", "", "by <b>Jo</b>"],
                    ),
                    sign(generation, [x * 16 + 3, 63, 19], &["", "", "other"]),
                    sign(
                        generation,
                        [x * 16 + 999, 63, 19],
                        &["shop of another chunk"],
                    ),
                ],
            ),
        ];

        chunks.push(chunk);
    }

    let place = Place::of(&world_of(&chunks));
    let map = place.draw("map", &["--signs", "(?i)shop"]);
    let told = features(&map, "overworld/markers/structures.geojson");
    let structure =
        json!({"name": "Pillager outpost", "type": "minecraft:pillager_outpost", "y": 60});
    let expected: Vec<_> = (0..6)
        .map(|x| (json!([x * 16 + 8, 24]), structure.clone()))
        .collect();
    assert_eq!(told, expected);

    let told = features(&map, "overworld/markers/signs.geojson");
    let text = json!({"name": "Shop by <b>Jo</b>", "y": 63, "front": ["Shop", "", "by <b>Jo</b>"]});
    let expected: Vec<_> = (0..6)
        .map(|x| (json!([x * 16 + 2, 19]), text.clone()))
        .collect();
    assert_eq!(told, expected);

    let kinds = kinds(&map);
    assert_eq!(
        kinds,
        [("structures".to_owned(), 6), ("signs".to_owned(), 6)]
    );
}

#[test]
fn sign_sides_and_banner_names_are_listed() {
    let newest = GENERATIONS[5];
    let mut chunk = stone(0, 0, newest);
    let mut back = sign(newest, [1, 63, 1], &[]);
    let messages = ["", "behind", "", ""].map(Tag::string).to_vec();
    back.set(
        "back_text",
        Tag::compound([("messages", Tag::List(messages))]),
    );

    let mut named = placed("minecraft:banner", [2, 63, 1]);
    named.set("CustomName", Tag::compound([("text", Tag::string("Home"))]));
    let nameless = placed("minecraft:banner", [3, 63, 1]);

    let hanging = {
        let mut sign = sign(newest, [4, 63, 1], &["hangs"]);
        sign.set("id", Tag::string("minecraft:hanging_sign"));
        sign
    };

    chunk.extra = vec![entities(newest, vec![back, named, nameless, hanging])];
    let place = Place::of(&world_of(&[chunk]));
    let map = place.draw("map", &["--signs", ""]);
    let told = features(&map, "overworld/markers/signs.geojson");

    assert_eq!(
        told,
        [
            (
                json!([1, 1]),
                json!({"name": "behind", "y": 63, "back": ["", "behind"]})
            ),
            (
                json!([4, 1]),
                json!({"name": "hangs", "y": 63, "front": ["hangs"]})
            ),
        ]
    );

    let told = features(&map, "overworld/markers/banners.geojson");
    assert_eq!(told, [(json!([2, 1]), json!({"name": "Home", "y": 63}))]);
}

#[test]
fn points_of_interest_are_listed_by_kind() {
    let newest = GENERATIONS[5];
    let chunks = [stone(0, 0, newest), stone(1, 0, newest)];
    let mut files = world_of(&chunks);

    let mut points: Vec<Point<'_>> = vec![
        ("minecraft:home", [1, 63, 1]),
        ("minecraft:meeting", [2, 63, 1]),
        ("minecraft:lodestone", [3, 63, 1]),
        ("minecraft:librarian", [4, 63, 1]),
        ("minecraft:bee_nest", [5, 63, 1]),
        ("mod:ice_well", [6, 63, 1]),
    ];

    // Two portals of two by three blocks. One of them crosses the border of two chunks.
    points.extend(
        (15..17).flat_map(|x| (63..66).map(move |y| ("minecraft:nether_portal", [x, y, 8]))),
    );
    points
        .extend((3..5).flat_map(|x| (70..73).map(move |y| ("minecraft:nether_portal", [x, y, 8]))));
    put_points(&mut files, &points);
    let place = Place::of(&files);
    let map = place.draw("map", &[]);

    let one = |name: &str, id: &str, x: i32| {
        vec![(json!([x, 1]), json!({"name": name, "type": id, "y": 63}))]
    };

    for (kind, expected) in [
        ("beds", one("Bed", "minecraft:home", 1)),
        ("bells", one("Bell", "minecraft:meeting", 2)),
        ("lodestones", one("Lodestone", "minecraft:lodestone", 3)),
        ("workstations", one("Librarian", "minecraft:librarian", 4)),
        (
            "points",
            [
                one("Bee nest", "minecraft:bee_nest", 5),
                one("Ice well · mod", "mod:ice_well", 6),
            ]
            .concat(),
        ),
    ] {
        assert_eq!(
            features(&map, &format!("overworld/markers/{kind}.geojson")),
            expected,
            "{kind}"
        );
    }

    let told = features(&map, "overworld/markers/portals.geojson");
    let portal =
        |y: i32| json!({"name": "Nether portal", "type": "minecraft:nether_portal", "y": y});
    assert_eq!(
        told,
        [(json!([3, 8]), portal(70)), (json!([15, 8]), portal(63))]
    );

    let map = place.draw("some", &["--marker-kinds", "portals,bells"]);
    assert_eq!(
        kinds(&map)[1..],
        [("portals".to_owned(), 2), ("bells".to_owned(), 1)],
        "and the spawn"
    );

    let map = place.draw("none", &["--marker-kinds", "none"]);
    assert_eq!(kinds(&map), []);
    assert!(!map.root.join("markers.js").exists());
}

#[test]
fn structures_before_1_13_are_read() {
    let numeric = GENERATIONS[1];
    let mut files = world_of(&[stone(2, 3, numeric), stone(0, 0, numeric)]);

    // Nothing is drawn at the second portal.
    let temples = [("Temple", (2, 3), "TeJP"), ("Temple", (9, 9), "TeDP")];
    files.put("data/Temple.dat", old_structures(&temples));
    files.put("data/Village.dat", b"no gzip".to_vec());

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    let told = features(&map, "overworld/markers/structures.geojson");

    assert_eq!(
        told,
        [(
            json!([40, 56]),
            json!({"name": "Jungle pyramid", "type": "minecraft:jungle_pyramid"})
        )]
    );
}

/// A file of structures before 1.13: the mark, the chunk and the first part of each.
fn old_structures(starts: &[(&str, (i32, i32), &str)]) -> Vec<u8> {
    let features = starts.iter().map(|&(id, (x, z), piece)| {
        let piece = Tag::compound([("id", Tag::string(piece))]);
        let start = Tag::compound([
            ("id", Tag::string(id)),
            ("ChunkX", Tag::Int(x)),
            ("ChunkZ", Tag::Int(z)),
            ("Children", Tag::List(vec![piece])),
        ]);
        (format!("[{x},{z}]"), start)
    });
    let data = Tag::compound([("Features", Tag::Compound(features.collect()))]);
    gzip(&Tag::compound([("data", data)]).document())
}

/// A world folder of 1.12 with one chunk in each of these region folders.
fn world_of_dimensions(folders: &[&str]) -> Files {
    let mut files = Files::new();
    for folder in folders {
        let level = format!(
            "{}level.dat",
            folder.split_inclusive('/').next().unwrap_or_default()
        );

        if !files.0.contains_key(&level) {
            files.put(&level, LevelDat::new("old", Some(1343)).bytes());
        }

        let mut region = RegionSpec::new(0, 0);
        region.put(&stone(0, 0, GENERATIONS[1]));
        files.put_region(&format!("{folder}region"), &region);
    }

    files
}

/// The types of the structures of each dimension.
fn structure_types(world: &Path, out: &Path) -> Vec<(String, Vec<String>)> {
    crate::map::render(world, out, &["-d", "all"]).expect(0, "render");

    let types = |dimension: &str| -> Vec<String> {
        let path = out.join(dimension).join("markers/structures.geojson");
        let Ok(text) = fs::read_to_string(path) else {
            return Vec::new();
        };

        let told: Value = serde_json::from_str(&text).unwrap();
        let types = told["features"]
            .as_array()
            .unwrap()
            .iter()
            .map(|feature| feature["properties"]["type"].as_str());

        types
            .map(|name| name.unwrap().trim_start_matches("minecraft:").to_owned())
            .collect()
    };

    let all = ["overworld", "the_nether", "the_end", "DIM7"]
        .map(|dimension| (dimension.to_owned(), types(dimension)));
    all.into_iter()
        .filter(|(_, types)| !types.is_empty())
        .collect()
}

fn types(list: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let owned = |types: &[&str]| types.iter().map(|&name| name.to_owned()).collect();
    list.iter()
        .map(|&(dimension, types)| (dimension.to_owned(), owned(types)))
        .collect()
}

#[test]
fn kinds_of_old_structures_decide_their_dimension() {
    let mut vanilla = world_of_dimensions(&["w/", "w/DIM-1/", "w/DIM1/", "w/DIM7/"]);
    let start = |id: &str| old_structures(&[(id, (0, 0), "x")]);

    for kind in ["Fortress", "EndCity", "Village"] {
        vanilla.put(&format!("w/data/{kind}.dat"), start(kind));
    }

    let mut forge = vanilla.clone();

    // Forge has copied the fortress into the folder of the nether. The dimension of another mod has
    // its own fortress.
    forge.put("w/DIM-1/data/Fortress.dat", start("Fortress"));
    forge.put("w/DIM7/data/Fortress.dat", start("Fortress"));

    let vanilla_types = types(&[
        ("overworld", &["village"]),
        ("the_nether", &["fortress"]),
        ("the_end", &["end_city"]),
    ]);
    let mut forge_types = vanilla_types.clone();
    forge_types.extend(types(&[("DIM7", &["fortress"])]));

    for (files, expected) in [(vanilla, vanilla_types), (forge, forge_types)] {
        let place = Place::of(&files);
        assert_eq!(
            structure_types(&place.world().join("w"), &place.at("map")),
            expected
        );
        let nether = structure_types(&place.world().join("w/DIM-1"), &place.at("nether"));
        assert_eq!(nether, types(&[("the_nether", &["fortress"])]));
    }
}

#[test]
fn split_bukkit_worlds_show_fortresses_and_end_cities() {
    let mut files = world_of_dimensions(&["w/", "w_nether/DIM-1/", "w_the_end/DIM1/"]);
    files.put(
        "w/data/Village.dat",
        old_structures(&[("Village", (0, 0), "x")]),
    );

    files.put(
        "w_nether/data/Fortress.dat",
        old_structures(&[("Fortress", (0, 0), "x")]),
    );
    files.put(
        "w_the_end/data/EndCity.dat",
        old_structures(&[("EndCity", (0, 0), "x")]),
    );

    let place = Place::of(&files);
    let nether = types(&[("the_nether", &["fortress"])]);
    let end = types(&[("the_end", &["end_city"])]);
    let all = [
        types(&[("overworld", &["village"])]),
        nether.clone(),
        end.clone(),
    ]
    .concat();

    for (number, (folder, expected)) in [
        ("w", &all),
        ("", &all),
        ("w_nether", &nether),
        ("w_nether/DIM-1", &nether),
        ("w_nether/DIM-1/region", &nether),
        ("w_the_end", &end),
        ("w_the_end/DIM1", &end),
    ]
    .into_iter()
    .enumerate()
    {
        let told = structure_types(
            &place.world().join(folder),
            &place.at(&format!("map{number}")),
        );
        assert_eq!(&told, expected, "{folder}");
    }
}

#[test]
fn structures_of_mods_before_1_13_are_shown() {
    let mut files = world_of_dimensions(&["w/", "w/DIM7/"]);
    files.put(
        "w/data/ruins.dat",
        old_structures(&[("mod:Ruin", (0, 0), "x")]),
    );
    files.put(
        "w/DIM7/data/lich_tower.dat",
        old_structures(&[("TFLT", (0, 0), "TFLTMain")]),
    );

    // Other files of the game, and a file of a mod in which `Features` means something else.
    files.put("w/data/map_0.dat", b"no gzip".to_vec());
    files.put(
        "w/data/idcounts.dat",
        Tag::compound([("map", Tag::Int(1))]).document(),
    );

    let other = Tag::compound([("data", Tag::compound([("Features", Tag::Int(1))]))]);
    files.put("w/data/other.dat", gzip(&other.document()));
    let place = Place::of(&files);
    let told = structure_types(&place.world().join("w"), &place.at("map"));
    assert_eq!(
        told,
        types(&[("overworld", &["mod:ruin"]), ("DIM7", &["lich_tower"])])
    );
}

#[test]
fn spawn_and_border_are_listed() {
    let mut files = world_of(&[stone(0, 0, GENERATIONS[5])]);
    let border = LevelDat::new("markers", Some(3955))
        .old_spawn(3, 64, 5)
        .with("BorderCenterX", Tag::Double(8.0))
        .with("BorderCenterZ", Tag::Double(-4.0))
        .with("BorderSize", Tag::Double(100.0));
    replace_level(&mut files, &border);

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    let told = features(&map, "overworld/markers/world.geojson");

    let ring = json!([[
        [-42.0, -54.0],
        [58.0, -54.0],
        [58.0, 46.0],
        [-42.0, 46.0],
        [-42.0, -54.0]
    ]]);

    let as_numbers = |value: &Value| value.to_string().replace(".0", "");
    assert_eq!(as_numbers(&told[0].0), as_numbers(&ring));
    assert_eq!(
        told[1],
        (
            json!([3, 5]),
            json!({"name": "Spawn", "type": "spawn", "y": 64})
        )
    );

    let widest = LevelDat::new("markers", Some(3955))
        .with("BorderCenterX", Tag::Double(0.0))
        .with("BorderCenterZ", Tag::Double(0.0))
        .with("BorderSize", Tag::Double(59_999_968.0));
    replace_level(&mut files, &widest);
    let place = Place::of(&files);
    assert_eq!(kinds(&place.draw("map", &[])), []);
}
