//! Tests `--marker-kinds containers`, which lists the items of chests and other containers in every
//! version and edition.

use serde_json::{Value, json};

use super::{GENERATIONS, entities, features, kinds, placed, stone, world_of};
use crate::map::{Map, Place, render};
use crate::world::bedrock::{ChunkSpec as BedrockChunk, Database, block as bedrock, keys};
use crate::world::fixture::bedrock::with_level_dat;
use crate::world::{Generation, Tag};

const KIND: [&str; 2] = ["--marker-kinds", "containers"];

fn containers(map: &Map) -> Vec<Value> {
    let told = features(map, "overworld/markers/containers.geojson");
    told.into_iter().map(|(_, properties)| properties).collect()
}

/// An item as a generation stores it. `number` is its number before 1.8.
fn item(generation: Generation, id: &str, number: i16, count: i8) -> Tag {
    match generation {
        Generation::McRegion => Tag::compound([
            ("id", Tag::Short(number)),
            ("Damage", Tag::Short(0)),
            ("Count", Tag::Byte(count)),
        ]),
        Generation::Root(4903) => Tag::compound([
            ("id", Tag::string(id)),
            ("count", Tag::Int(i32::from(count))),
        ]),
        _ => Tag::compound([
            ("id", Tag::string(id)),
            ("Count", Tag::Byte(count)),
            ("Damage", Tag::Short(0)),
        ]),
    }
}

fn with_items(mut container: Tag, items: Vec<Tag>) -> Tag {
    container.set("Items", Tag::List(items));
    container
}

#[test]
fn containers_of_every_generation_list_their_items() {
    let mut chunks = Vec::new();
    for (x, generation) in (0..).zip(GENERATIONS) {
        let is_old = matches!(generation, Generation::McRegion);
        let id = |name: &str, old: &str| {
            if is_old {
                old.to_owned()
            } else {
                format!("minecraft:{name}")
            }
        };

        let item = |id: &str, number: i16, count: i8| item(generation, id, number, count);
        let at = |dx: i32| [x * 16 + dx, 63, 1];
        let items = vec![
            item("minecraft:diamond", 264, 3),
            item("minecraft:stone", 1, 64),
            item("minecraft:diamond", 264, 2),
            item("minecraft:air", 0, 0),
        ];
        let mut beacon = placed(&id("beacon", "Beacon"), at(4));
        beacon.set("Levels", Tag::Int(4));

        if generation == GENERATIONS[5] {
            beacon.set("primary_effect", Tag::string("minecraft:haste"));
        } else {
            beacon.set("Primary", Tag::Int(3));
            beacon.set("Secondary", Tag::Int(10));
        }

        let mut chunk = stone(x, 0, generation);
        chunk.extra = vec![entities(
            generation,
            vec![
                with_items(placed(&id("chest", "Chest"), at(1)), items),
                with_items(placed(&id("hopper", "Hopper"), at(3)), Vec::new()),
                beacon,
                placed(&id("furnace", "Furnace"), at(5)),
                with_items(
                    placed("minecraft:ender_chest", at(6)),
                    vec![item("minecraft:dirt", 3, 1)],
                ),
                placed(&id("chest", "Chest"), [x * 16 + 500, 63, 1]),
            ],
        )];

        chunks.push(chunk);
    }

    let place = Place::of(&world_of(&chunks));
    let told = containers(&place.draw("map", &KIND));
    assert_eq!(told.len(), 18);

    for (three, generation) in told.chunks(3).zip(GENERATIONS) {
        let items = json!([{"type": "minecraft:stone", "count": 64}, {"type": "minecraft:diamond", "count": 5}]);
        let chest = json!({"name": "Chest", "type": "minecraft:chest", "y": 63, "items": items});
        assert_eq!(three[0], chest, "{generation:?}");
        assert_eq!(
            three[1],
            json!({"name": "Hopper", "type": "minecraft:hopper", "y": 63}),
            "{generation:?}"
        );

        let both = json!(["minecraft:haste", "minecraft:regeneration"]);
        let effects = if generation == GENERATIONS[5] {
            json!(["minecraft:haste"])
        } else {
            both
        };

        let beacon =
            json!({"name": "Beacon", "type": "minecraft:beacon", "y": 63, "effects": effects});
        assert_eq!(three[2], beacon, "{generation:?}");
    }

    assert_eq!(
        kinds(&place.draw("usual", &[])),
        [("world".to_owned(), 1)],
        "never by default"
    );
}

#[test]
fn loot_books_and_names_of_containers_are_listed() {
    let newest = GENERATIONS[5];
    let mut dungeon = placed("minecraft:chest", [1, 63, 1]);
    dungeon.set("LootTable", Tag::string("minecraft:chests/simple_dungeon"));
    dungeon.set("LootTableSeed", Tag::Long(7));

    let content = Tag::compound([("title", Tag::compound([("raw", Tag::string("Diary"))]))]);
    let book = Tag::compound([
        ("id", Tag::string("minecraft:written_book")),
        ("count", Tag::Int(1)),
        (
            "components",
            Tag::compound([("minecraft:written_book_content", content)]),
        ),
    ]);

    let mut lectern = placed("minecraft:lectern", [2, 63, 1]);
    lectern.set("Book", book);

    let mut barrel = with_items(
        placed("minecraft:barrel", [3, 63, 1]),
        vec![item(newest, "mod:gear", 0, 1)],
    );
    barrel.set(
        "CustomName",
        Tag::compound([("text", Tag::string("Spares"))]),
    );

    let kinds = (0..40)
        .map(|number| item(newest, &format!("mod:part_{number:02}"), 0, 40 - number))
        .collect();
    let shulker = with_items(placed("minecraft:shulker_box", [4, 63, 1]), kinds);
    let mut chunk = stone(0, 0, newest);
    chunk.extra = vec![entities(newest, vec![dungeon, lectern, barrel, shulker])];

    let place = Place::of(&world_of(&[chunk]));
    let told = containers(&place.draw("map", &KIND));
    let loot = json!({"name": "Chest", "type": "minecraft:chest", "y": 63, "loot": "minecraft:chests/simple_dungeon"});
    assert_eq!(told[0], loot);

    let book = json!([{"type": "minecraft:written_book", "count": 1}]);
    let lectern = json!({"name": "Lectern", "type": "minecraft:lectern", "y": 63, "items": book, "book": "Diary"});
    assert_eq!(told[1], lectern);
    assert_eq!(
        (&told[2]["name"], &told[2]["items"][0]["type"]),
        (&json!("Spares"), &json!("mod:gear"))
    );

    let listed = told[3]["items"].as_array().unwrap();
    assert_eq!((listed.len(), &told[3]["more"]), (27, &json!(13)));
    assert_eq!(listed[0], json!({"type": "mod:part_00", "count": 40}));

    let hidden = place.draw("hidden", &[&KIND[..], &["--hide", "0,0,1,1"]].concat());
    assert!(
        !hidden
            .root
            .join("overworld/markers/containers.geojson")
            .exists()
    );
}

#[test]
fn containers_of_bedrock_list_their_items() {
    let item = |name: &str, count: i8| {
        Tag::compound([
            ("Name", Tag::string(name)),
            ("Count", Tag::Byte(count)),
            ("Damage", Tag::Short(0)),
        ])
    };

    let old = Tag::compound([
        ("id", Tag::Short(264)),
        ("Count", Tag::Byte(2)),
        ("Damage", Tag::Short(0)),
    ]);

    let loot = Tag::string("loot_tables/chests/simple_dungeon.json");
    let chests = [
        keys::block_entity(
            "Chest",
            [1, 63, 1],
            [(
                "Items",
                Tag::List(vec![item("minecraft:diamond", 5), item("", 0)]),
            )],
        ),
        keys::block_entity("ShulkerBox", [2, 63, 1], [("Items", Tag::List(vec![old]))]),
        keys::block_entity("Chest", [3, 63, 1], [("LootTable", loot)]),
        keys::block_entity(
            "Beacon",
            [4, 63, 1],
            [("primary", Tag::Int(1)), ("secondary", Tag::Int(0))],
        ),
    ];

    let mut chunk = BedrockChunk::new(0, 0, 0, 41);
    chunk.layer(60, 62, bedrock::STONE);
    chunk.extra = vec![(49, chests.concat())];
    let mut database = Database::new(1);
    database.batch(&chunk.changes());

    let place = Place::of(&with_level_dat("Land", &database));
    let diamonds = |count: i32| json!([{"type": "minecraft:diamond", "count": count}]);
    let expected = [
        json!({"name": "Chest", "type": "minecraft:chest", "y": 63, "items": diamonds(5)}),
        json!({"name": "Shulker box", "type": "minecraft:shulker_box", "y": 63, "items": diamonds(2)}),
        json!({"name": "Chest", "type": "minecraft:chest", "y": 63, "loot": "chests/simple_dungeon"}),
        json!({"name": "Beacon", "type": "minecraft:beacon", "y": 63, "effects": ["minecraft:speed"]}),
    ];
    assert_eq!(containers(&place.draw("map", &KIND)), expected);
}

#[test]
fn containers_beyond_the_bound_are_counted() {
    let newest = GENERATIONS[5];
    let chests = (0..5000).map(|number| {
        placed(
            "minecraft:chest",
            [number % 16, number / 256, number / 16 % 16],
        )
    });

    let mut chunk = stone(0, 0, newest);
    chunk.extra = vec![entities(newest, chests.collect())];
    let place = Place::of(&world_of(&[chunk]));
    let ran = render(&place.world(), &place.at("map"), &KIND).expect(0, "many chests");

    assert_eq!(containers(&Map::at(&place.at("map"))).len(), 4096);
    assert!(
        ran.err.contains("a marker is left out") && ran.err.contains("(904 times)"),
        "{}",
        ran.err
    );
}
