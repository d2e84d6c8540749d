//! Tests map items in frames that only the entities store, such as map art.

use std::fs;

use serde_json::json;

use super::framed_maps::{FILE, MAPS, frame, map_item, places};
use super::{features, kinds, picture, put_region, replace_region, stone, world_of};
use crate::map::{Map, Place, Ran, assert_same_files, on, program, render};
use crate::world::bedrock::block as bedrock_block;
use crate::world::bedrock::{ChunkSpec as BedrockChunk, Database, keys};
use crate::world::fixture::bedrock::with_level_dat;
use crate::world::{Files, Generation, Record, RegionSpec, Tag};

const NEWEST: Generation = Generation::Root(4903);

/// A map item in the form of this version. Before 1.8 it has a number.
fn item(version: Option<i32>, number: i32) -> Tag {
    let id = version.map_or(Tag::Short(358), |_| Tag::string("minecraft:filled_map"));
    let mut item = Tag::compound([("id", id)]);
    match version {
        Some(3837..) => item.set(
            "components",
            Tag::compound([("minecraft:map_id", Tag::Int(number))]),
        ),
        Some(1451..) => item.set("tag", Tag::compound([("map", Tag::Int(number))])),
        _ => item.set("Damage", Tag::Short(number as i16)),
    }

    item
}

/// An entity in the block at x, 70, z, on the wall to the south.
fn entity(id: &str, [x, z]: [i32; 2], item: Tag) -> Tag {
    let pos = [f64::from(x) + 0.5, 70.5, f64::from(z) + 0.968_75].map(Tag::Double);
    Tag::compound([
        ("id", Tag::string(id)),
        ("Pos", Tag::List(pos.to_vec())),
        ("Item", item),
    ])
}

/// A frame of the newest version.
fn newest_frame(number: i32, at: [i32; 2]) -> Tag {
    entity("minecraft:item_frame", at, item(Some(4903), number))
}

/// The record of the entities of a chunk.
fn record(entities: Vec<Tag>) -> Record {
    Record::zlib(&Tag::compound([
        ("DataVersion", Tag::Int(4903)),
        ("Entities", Tag::List(entities)),
    ]))
}

/// Puts a file with the entities of chunks 0, 0 and 1, 0 next to the region at the origin.
fn put_entities(files: &mut Files, first: Vec<Tag>, second: Vec<Tag>) {
    let mut region = RegionSpec::new(0, 0);
    region.put_record(0, 0, record(first));
    region.put_record(1, 0, record(second));
    replace_region(files, "entities", &region);
}

/// A map item that records no frame.
fn locked() -> Vec<u8> {
    map_item(Tag::string("minecraft:overworld"), None)
}

/// Two chunks with a frame each.
fn world_with_frames() -> Files {
    let mut files = world_of(&[stone(0, 0, NEWEST), stone(1, 0, NEWEST)]);
    files.put("data/map_3.dat", locked());
    files.put("data/map_4.dat", locked());
    put_entities(
        &mut files,
        vec![newest_frame(3, [5, 6])],
        vec![newest_frame(4, [20, 3])],
    );
    files
}

/// The map items that a map shows, and their columns.
fn shown(map: &Map) -> Vec<(String, [i64; 2])> {
    let features = features(map, FILE);
    let column = |at: &serde_json::Value| [0, 1].map(|along| at[along].as_i64().unwrap());
    places(&features)
        .into_iter()
        .map(|(at, name)| (name.as_str().unwrap().to_owned(), column(at)))
        .collect()
}

fn one(number: i32, at: [i64; 2]) -> (String, [i64; 2]) {
    (format!("Map {number}"), at)
}

#[test]
fn item_frames_of_every_version_are_found() {
    let before_1_8 = entity("ItemFrame", [2, 2], item(None, 0));
    let of_1_12 = entity("minecraft:item_frame", [18, 2], item(Some(1343), 1));
    let of_1_16 = entity("minecraft:item_frame", [34, 2], item(Some(2586), 2));
    let of_1_17 = entity("minecraft:glow_item_frame", [50, 2], item(Some(2730), 3));
    let of_26 = entity("minecraft:item_frame", [66, 2], item(Some(4903), 4));
    let clock = Tag::compound([
        ("id", Tag::string("minecraft:clock")),
        ("Damage", Tag::Short(0)),
    ]);

    let others = [
        entity("minecraft:item_frame", [67, 2], clock),
        entity("minecraft:item", [68, 2], item(Some(4903), 4)),
        // Frames in another chunk, without a map, and with a map that does not exist.
        newest_frame(4, [3, 2]),
        entity("minecraft:item_frame", [69, 2], Tag::compound([])),
        newest_frame(99, [69, 2]),
    ];

    let inside = [before_1_8, of_1_12, of_1_16];
    let generations = [
        Generation::Numeric(0),
        Generation::Numeric(1343),
        Generation::Aligned(2586),
    ];

    let mut chunks: Vec<_> = (0..)
        .zip(generations)
        .map(|(x, generation)| stone(x, 0, generation))
        .collect();

    for (chunk, entity) in chunks.iter_mut().zip(inside) {
        chunk.extra.push(("Entities", Tag::List(vec![entity])));
    }

    chunks.extend([stone(3, 0, Generation::Aligned(2730)), stone(4, 0, NEWEST)]);
    let mut files = world_of(&chunks);
    let mut region = RegionSpec::new(0, 0);
    region.put_record(3, 0, record(vec![of_1_17]));
    region.put_record(4, 0, record([&others[..], &[of_26]].concat()));
    files.put_region("entities", &region);

    for number in 0..5 {
        files.put(&format!("data/map_{number}.dat"), locked());
    }

    let place = Place::of(&files);
    assert!(
        !place.draw("map", &[]).root.join(FILE).exists(),
        "only if they are asked for"
    );

    let map = place.draw("map", &MAPS);
    let expected: Vec<_> = (0..5)
        .map(|number| one(number, [i64::from(number) * 16 + 2, 2]))
        .collect();
    assert_eq!(shown(&map), expected);

    let properties = &features(&map, FILE)[4].1;
    assert_eq!(
        (&properties["y"], &properties["type"]),
        (&json!(70), &json!("map"))
    );
    assert!(picture(&map, FILE, &properties["image"]).starts_with("data:image/png;base64,"));
    assert_eq!(kinds(&map)[1], ("maps".to_owned(), 5));
}

#[test]
fn a_frame_is_shown_where_it_hangs() {
    let mut files = world_with_frames();
    put_region(&mut files, "DIM-1/region", &[stone(0, 0, NEWEST)]);
    let mut region = RegionSpec::new(0, 0);
    region.put_record(0, 0, record(vec![newest_frame(4, [7, 7])]));
    files.put_region("DIM-1/entities", &region);

    // The map item also records this frame.
    files.0.insert(
        "data/map_3.dat".to_owned(),
        map_item(Tag::string("minecraft:overworld"), Some(frame(5, 6))),
    );

    put_entities(
        &mut files,
        vec![entity("minecraft:item_frame", [5, 6], item(Some(4903), 3))],
        Vec::new(),
    );

    let place = Place::of(&files);
    let map = place.draw("map", &MAPS);
    let overworld = features(&map, FILE);

    assert_eq!(
        places(&overworld),
        [
            (&json!([5, 6]), &json!("Map 3")),
            (&json!([5, 6]), &json!("Map 3"))
        ]
    );

    assert_eq!(
        [0, 1].map(|at| overworld[at].1["y"].clone()),
        [65, 70],
        "two blocks, one above the other"
    );

    let nether = features(&map, "the_nether/markers/maps.geojson");
    assert_eq!(places(&nether), [(&json!([7, 7]), &json!("Map 4"))]);
}

#[test]
fn a_frame_recorded_on_its_map_counts_once() {
    let mut files = world_with_frames();
    let mut noted = frame(5, 6);
    noted.set("pos", Tag::Ints(vec![5, 70, 6]));
    files.0.insert(
        "data/map_3.dat".to_owned(),
        map_item(Tag::string("minecraft:overworld"), Some(noted)),
    );
    let place = Place::of(&files);
    assert_eq!(
        shown(&place.draw("map", &MAPS)),
        [one(3, [5, 6]), one(4, [20, 3])]
    );
}

#[test]
fn only_changed_entity_files_are_reread() {
    let mut files = world_with_frames();
    let place = Place::of(&files);
    let map = place.draw("map", &MAPS);
    let before = map.files();
    render(&place.world(), &map.root, &MAPS).expect(0, "nothing has changed");

    assert_same_files("nothing has changed", &before, &map.files());
    put_entities(
        &mut files,
        vec![newest_frame(3, [9, 9])],
        vec![newest_frame(4, [20, 3])],
    );

    files.write_under(&place.world());
    let ran = render(&place.world(), &map.root, &MAPS).expect(0, "a frame elsewhere");
    assert_eq!(
        ran.report()["regions"]["drawn"],
        json!(0),
        "entities alone draw no region"
    );
    assert_eq!(shown(&map), [one(3, [9, 9]), one(4, [20, 3])]);

    put_entities(&mut files, Vec::new(), vec![newest_frame(4, [20, 3])]);
    files.write_under(&place.world());
    render(
        &place.world(),
        &map.root,
        &[&MAPS[..], &["--check", "content"]].concat(),
    )
    .expect(0, "a frame less");
    assert_eq!(shown(&map), [one(4, [20, 3])]);

    // The picture of a map item changes, but its frame does not.
    files.0.insert("data/map_4.dat".to_owned(), b"x".to_vec());
    files.write_under(&place.world());
    render(&place.world(), &map.root, &MAPS).expect(0, "a damaged map item");
    assert!(!map.root.join(FILE).exists());
}

#[test]
fn frames_appear_only_where_something_is_drawn() {
    let place = Place::of(&world_with_frames());
    let draw = |name: &str, more: &[&str]| shown(&place.draw(name, &[&MAPS[..], more].concat()));
    assert_eq!(draw("area", &["-a", "0,0,16,16"]), [one(3, [5, 6])]);
    assert_eq!(draw("exact", &["-a", "8,0,32,16"]), [one(4, [20, 3])]);

    // The map items show the land around block 0, 0.
    let map = place.draw("map", &MAPS);
    place.draw("map", &[&MAPS[..], &["--hide", "16,0,17,1"]].concat());
    assert!(
        !map.root.join(FILE).exists(),
        "the hidden place is on both map items"
    );

    let mut files = world_with_frames();
    let mut elsewhere = Tag::compound([("xCenter", Tag::Int(5000)), ("zCenter", Tag::Int(0))]);
    elsewhere.set("colors", Tag::Bytes(vec![4; 128 * 128]));
    let elsewhere = crate::world::payload::gzip(&Tag::compound([("data", elsewhere)]).document());
    files
        .0
        .extend([3, 4].map(|number| (format!("data/map_{number}.dat"), elsewhere.clone())));

    let place = Place::of(&files);
    let hidden = place.draw("map", &[&MAPS[..], &["--hide", "16,0,17,1"]].concat());
    assert_eq!(shown(&hidden), [one(3, [5, 6])]);
}

#[test]
fn damaged_entities_cost_only_a_warning() {
    let mut files = world_with_frames();
    let mut region = RegionSpec::new(0, 0);
    region.put_record(0, 0, Record::new(2, b"no zlib".to_vec()));
    region.put_record(1, 0, record(vec![newest_frame(4, [20, 3])]));
    replace_region(&mut files, "entities", &region);

    let place = Place::of(&files);
    let warnings = |options: &[&str]| {
        let ran = render(&place.world(), &place.at("map"), options).expect(0, "all is drawn");
        ran.report()["warnings"].to_string()
    };

    assert!(!warnings(&[]).contains("entities"), "they are not read");

    let said = warnings(&MAPS);
    assert!(
        said.contains("a file of entities that cannot be read"),
        "{said}"
    );
    assert_eq!(shown(&Map::at(&place.at("map"))), [one(4, [20, 3])]);
}

#[test]
fn shards_and_rebuilt_markers_keep_item_frames() {
    let mut files = world_with_frames();
    put_region(
        &mut files,
        "region",
        &[stone(0, 0, NEWEST), stone(1, 0, NEWEST)],
    );

    put_region(&mut files, "region", &[stone(32, 0, NEWEST)]);
    let mut region = RegionSpec::new(1, 0);
    region.put_record(32, 0, record(vec![newest_frame(4, [515, 3])]));
    files.put_region("entities", &region);

    let place = Place::of(&files);
    let whole = place.draw("whole", &MAPS).files();
    assert_eq!(
        shown(&Map::at(&place.at("whole"))),
        [one(3, [5, 6]), one(4, [20, 3]), one(4, [515, 3])]
    );

    for shard in ["1/2", "2/2"] {
        let options = [&MAPS[..], &["--shard", shard]].concat();
        render(&place.world(), &place.at("shards"), &options).expect(0, shard);
    }

    Ran::of(
        program()
            .arg("merge")
            .arg("-o")
            .arg(place.at("shards"))
            .output()
            .unwrap(),
    )
    .expect(0, "merge");

    assert_same_files("shards", &whole, &Map::at(&place.at("shards")).files());
    let again = place.draw("again", &[]);
    let out = again.root.to_str().unwrap();
    on("markers", &place.world(), &["-o", out, MAPS[0], MAPS[1]]).expect(0, "markers");
    assert_eq!(fs::read(again.root.join(FILE)).unwrap(), whole[FILE]);
}

#[test]
fn frames_of_bedrock_edition_are_found() {
    let mut chunk = BedrockChunk::new(0, 0, 0, 40);
    chunk.layer(60, 62, bedrock_block::STONE);
    let uuids = [-4_294_967_291, 0];
    let item = |name: &str| [("Name", Tag::string(name)), ("Damage", Tag::Short(0))];
    let mut map = Tag::compound(item("minecraft:filled_map"));
    map.set("tag", Tag::compound([("map_uuid", Tag::Long(uuids[0]))]));

    let frames = [
        keys::block_entity("ItemFrame", [3, 64, 3], [("Item", map.clone())]),
        keys::block_entity("GlowItemFrame", [4, 64, 3], [("Item", map.clone())]),
        keys::block_entity(
            "ItemFrame",
            [5, 64, 3],
            [("Item", Tag::compound(item("minecraft:clock")))],
        ),
        keys::block_entity("Chest", [6, 64, 3], [("Item", map)]),
    ];
    chunk.extra.push((49, frames.concat()));

    let mut changes = chunk.changes();
    for uuid in uuids {
        let value = Tag::compound([
            ("mapId", Tag::Long(uuid)),
            ("xCenter", Tag::Int(0)),
            ("zCenter", Tag::Int(0)),
            ("scale", Tag::Byte(0)),
            ("dimension", Tag::Byte(0)),
            ("colors", Tag::Bytes(vec![255; 128 * 128 * 4])),
        ]);

        changes.insert(
            format!("map_{uuid}").into_bytes(),
            Some(value.bedrock_document()),
        );
    }

    let mut database = Database::new(1);
    database.batch(&changes);
    let place = Place::of(&with_level_dat("Maps", &database));
    let map = place.draw("map", &MAPS);
    let name = format!("Map {}", uuids[0]);
    assert_eq!(shown(&map), [(name.clone(), [3, 3]), (name, [4, 3])]);
}
