//! Tests that markers appear only where something is drawn, and players only on request.

use serde_json::json;

use super::{
    GENERATIONS, entities, features, kinds, put_points, replace_level, sign, stone, structures,
    world_of,
};
use crate::map::{Map, Place};
use crate::world::level_dat::LevelDat;
use crate::world::payload::gzip;
use crate::world::{Files, Tag};

/// Four chunks with a structure, a sign and a bed each. Players spent little time in the third, and
/// the fourth is unfinished.
fn world_with_secrets() -> Files {
    let newest = GENERATIONS[5];
    let chunks: Vec<_> = (0..4)
        .map(|x| {
            let mut chunk = stone(x, 0, newest);
            chunk.extra = vec![
                structures(newest, &format!("mod:secret{x}"), x, 0),
                entities(
                    newest,
                    vec![sign(newest, [x * 16, 63, 0], &[&format!("secret{x}")])],
                ),
                (
                    "InhabitedTime",
                    Tag::Long(if x == 2 { 100 } else { 10_000 }),
                ),
            ];

            if x == 3 {
                chunk
                    .extra
                    .push(("Status", Tag::string("minecraft:structure_starts")));
            }

            chunk
        })
        .collect();
    let mut files = world_of(&chunks);

    let ids = ["mod:secret0", "mod:secret1", "mod:secret2", "mod:secret3"];
    let points: Vec<_> = (0..4)
        .map(|x| (ids[x as usize], [x * 16 + 5, 63, 5]))
        .collect();
    put_points(&mut files, &points);

    files
}

/// The numbers of the secrets that occur in a file of the output or of its state.
fn told(map: &Map) -> Vec<usize> {
    let files = Files::read_under(&map.root).0;
    let holds = |secret: &str| {
        files.values().any(|bytes| {
            bytes
                .windows(secret.len())
                .any(|part| part == secret.as_bytes())
        })
    };
    (0..4)
        .filter(|number| holds(&format!("secret{number}")))
        .collect()
}

#[test]
fn hidden_places_have_no_markers_in_any_file() {
    let place = Place::of(&world_with_secrets());
    let all = &["--signs", "secret"][..];
    let draw = |name: &str, more: &[&str]| told(&place.draw(name, &[all, more].concat()));
    assert_eq!(
        draw("map", &[]),
        [0, 1, 2],
        "what is unfinished is not drawn"
    );

    assert_eq!(draw("hidden", &["--hide", "16,0,17,1"]), [0, 2]);
    assert_eq!(draw("visited", &["--min-inhabited", "60"]), [0, 1]);
    assert_eq!(draw("area", &["-a", "0,0,32,16"]), [0, 1]);

    // If they are hidden later, they vanish from the map that showed them, and from its state.
    assert_eq!(draw("map", &["--hide", "16,0,17,1"]), [0, 2]);
    assert_eq!(draw("map", &["--min-inhabited", "60"]), [0, 1]);
}

#[test]
fn an_area_is_exact_to_the_block() {
    let place = Place::of(&world_with_secrets());
    let map = place.draw("map", &["-a", "8,0,21,16"]);
    let first = vec![("structures".to_owned(), 1)];
    assert_eq!(
        kinds(&map),
        first,
        "points lie west of it, and on the first column outside"
    );
}

fn player(fields: Vec<(&str, Tag)>) -> Vec<u8> {
    let mut tag = Tag::compound([(
        "Pos",
        Tag::List(vec![Tag::Double(3.7), Tag::Double(64.0), Tag::Double(5.2)]),
    )]);
    for (name, value) in fields {
        tag.set(name, value);
    }
    gzip(&tag.document())
}

#[test]
fn players_are_listed_only_on_request() {
    const JO: &str = "0a1b2c3d-0000-4000-8000-0123456789ab";
    const OTHER: &str = "11111111-0000-4000-8000-0123456789ab";

    let mut files = Files::new();
    files.put_all("server/world", &world_of(&[stone(0, 0, GENERATIONS[5])]));
    let names = json!([{"name": "Jo <i>", "uuid": JO, "expiresOn": "2026-12-01 10:00:00 +0000"}]);
    files.put("server/usercache.json", names.to_string().into_bytes());
    let bukkit = Tag::compound([
        ("lastPlayed", Tag::Long(1_795_341_600_000)),
        ("lastKnownName", Tag::string("Old")),
    ]);

    let respawn = Tag::compound([
        ("pos", Tag::Ints(vec![9, 63, 9])),
        ("dimension", Tag::string("minecraft:overworld")),
    ]);

    let jo = player(vec![
        ("Dimension", Tag::string("minecraft:overworld")),
        ("bukkit", bukkit),
        ("respawn", respawn),
    ]);
    files.put(&format!("server/world/playerdata/{JO}.dat"), jo);

    let in_nether = player(vec![
        ("Dimension", Tag::Int(-1)),
        ("SpawnX", Tag::Int(500)),
        ("SpawnY", Tag::Int(64)),
        ("SpawnZ", Tag::Int(0)),
    ]);
    files.put(&format!("server/world/playerdata/{OTHER}.dat"), in_nether);
    files.put("server/world/playerdata/damaged.dat", b"x".to_vec());

    let leftover = player(vec![("Dimension", Tag::string("minecraft:overworld"))]);
    files.put(
        &format!("server/world/playerdata/{JO}-13310218632837422898.dat"),
        leftover,
    );
    let place = Place::empty();
    files.write_under(&place.at(""));

    let world = place.at("server/world");
    let draw = |name: &str, options: &[&str]| {
        crate::map::render(&world, &place.at(name), options).expect(0, "players");
        Map::at(&place.at(name))
    };

    assert_eq!(kinds(&draw("map", &[])), [("world".to_owned(), 1)]);

    let map = draw("map", &["--players"]);
    let told = features(&map, "overworld/markers/players.geojson");
    assert_eq!(
        told,
        [
            (
                json!([3, 5]),
                json!({"name": "Jo <i>", "type": "player", "y": 64, "uuid": JO, "seen": "2026-11-22T10:00:00Z"})
            ),
            (
                json!([9, 9]),
                json!({"name": "Jo <i>: Bed", "type": "bed", "y": 63, "uuid": JO})
            ),
        ]
    );

    assert_eq!(
        kinds(&draw("map", &[])),
        [("world".to_owned(), 1)],
        "no longer asked for"
    );
    assert!(!map.root.join("overworld/markers/players.geojson").exists());
}

#[test]
fn a_bad_name_list_entry_loses_no_other() {
    let id = |number: u32| format!("0a1b2c3d-0000-4000-8000-{number:012}");
    let mut files = Files::new();
    files.put_all("server/world", &world_of(&[stone(0, 0, GENERATIONS[5])]));

    for number in 1..=4 {
        files.put(
            &format!("server/world/playerdata/{}.dat", id(number)),
            player(Vec::new()),
        );
    }

    let good = json!({"name": "Ann", "uuid": id(1).to_uppercase()});
    let list = format!(
        "\u{feff}[{good},{{\"name\":null,\"uuid\":\"{}\"}},7,{{\"name\":\"Ben\",\"uuid\":\"{}\"}},{{",
        id(2),
        id(3)
    );
    files.put("server/usercache.json", list.into_bytes());

    // Forge's list has old names and names that the game no longer has.
    let names = json!({id(1): "Before", id(4): "Dan", id(2): null});
    files.put("server/usernamecache.json", names.to_string().into_bytes());
    let place = Place::empty();
    files.write_under(&place.at(""));

    let ran = crate::map::render(&place.at("server/world"), &place.at("map"), &["--players"])
        .expect(0, "players");
    assert!(
        ran.err
            .contains("usercache.json: the names of players after a fault are left out"),
        "{}",
        ran.err
    );

    let told = features(
        &Map::at(&place.at("map")),
        "overworld/markers/players.geojson",
    );
    let names: Vec<&str> = told
        .iter()
        .map(|(_, properties)| properties["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Ann", "Ben", "Dan", "Player"]);
}

#[test]
fn the_single_player_is_in_level_dat() {
    let mut files = world_of(&[stone(0, 0, GENERATIONS[5])]);
    let at = Tag::List(vec![Tag::Double(-0.5), Tag::Double(64.0), Tag::Double(5.2)]);
    let there = Tag::compound([
        ("Pos", at),
        ("SpawnX", Tag::Int(1)),
        ("SpawnY", Tag::Int(2)),
        ("SpawnZ", Tag::Int(3)),
    ]);

    replace_level(
        &mut files,
        &LevelDat::new("one", Some(3955)).with("Player", there),
    );

    let place = Place::of(&files);
    let map = place.draw("map", &["--players"]);
    let told = features(&map, "overworld/markers/players.geojson");

    assert_eq!(
        told,
        [(
            json!([1, 3]),
            json!({"name": "Player: Bed", "type": "bed", "y": 2})
        )],
        "nothing is at -1, 5"
    );
}
