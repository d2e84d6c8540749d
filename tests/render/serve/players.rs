//! Tests `serve --rcon`, which shows online players on open pages, and nowhere else. The game
//! server is part of this test.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::Server;
use super::stop::stop;
use super::world::{heard, listen};
use crate::map::{Place, program};
use crate::world::{ChunkSpec, Files, Generation, block};

const PASSWORD: &str = "s3cret word";

/// A player as the game stores one: dimension, position, mode.
pub(crate) type Player = (&'static str, &'static str, [f64; 3], u8);

/// A game server that answers RCON.
pub(crate) struct Game {
    pub(crate) address: String,
    players: Arc<Mutex<Vec<Player>>>,
    connections: Arc<AtomicUsize>,
    is_away: Arc<AtomicBool>,
}

impl Game {
    pub(crate) fn of(players: &[Player]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let game = Self {
            address: listener.local_addr().unwrap().to_string(),
            players: Arc::new(Mutex::new(players.to_vec())),
            connections: Arc::default(),
            is_away: Arc::default(),
        };

        let (players, connections, is_away) = (
            game.players.clone(),
            game.connections.clone(),
            game.is_away.clone(),
        );

        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if !is_away.load(Ordering::Relaxed) {
                    connections.fetch_add(1, Ordering::Relaxed);
                    let _ = answer(stream, &players, &is_away);
                }
            }
        });

        game
    }

    /// Writes a file with the password next to the world of a place.
    pub(crate) fn password_file(place: &Place) -> PathBuf {
        let file = place.at("password");
        std::fs::write(&file, format!("{PASSWORD}\n")).unwrap();
        file
    }

    /// Moves the first player.
    pub(crate) fn move_to(&self, at: [f64; 3]) {
        self.players.lock().unwrap()[0].2 = at;
    }
}

/// Answers on a connection until it ends, one packet at a time as the game does.
fn answer(
    mut stream: TcpStream,
    players: &Mutex<Vec<Player>>,
    is_away: &AtomicBool,
) -> std::io::Result<()> {
    while !is_away.load(Ordering::Relaxed) {
        let mut packet = vec![0; 1460];
        let read = stream.read(&mut packet)?;
        let number = |at: usize| i32::from_le_bytes(packet[at..at + 4].try_into().unwrap());
        if read < 14 || number(0) as usize + 4 != read {
            return Ok(());
        }

        let text = String::from_utf8_lossy(&packet[12..read - 2]).into_owned();
        let (id, kind, reply) = match number(8) {
            3 => (
                if text == PASSWORD { number(4) } else { -1 },
                2,
                String::new(),
            ),
            _ => (number(4), 0, reply(&text, &players.lock().unwrap())),
        };

        let pieces: Vec<&[u8]> = if reply.is_empty() {
            vec![&[]]
        } else {
            reply.as_bytes().chunks(4096).collect()
        };

        for piece in pieces {
            let length = piece.len() as i32 + 10;
            let head = [length, id, kind].map(i32::to_le_bytes).concat();
            stream.write_all(&[&head, piece, &[0, 0]].concat())?;
        }
    }

    Ok(())
}

/// The name of a player who is listed as `[AFK] Alice`, or as a nickname followed by the name.
fn name(listed: &str) -> &str {
    listed
        .rsplit([' ', ']', '('])
        .next()
        .unwrap()
        .trim_end_matches(')')
}

fn reply(command: &str, players: &[Player]) -> String {
    let words: Vec<&str> = command.split(' ').collect();

    if command == "list" {
        // Most servers with nicknames do not list the names after them.
        let shown = |player: &Player| player.0.split(" (").next().unwrap().to_owned();
        let names: Vec<String> = players.iter().map(shown).collect();
        return format!(
            "There are {} of a max of 20 players online: {}",
            names.len(),
            names.join(", ")
        );
    }

    if let ["realname", nickname] = *words {
        let lines = players
            .iter()
            .filter_map(|player| player.0.split_once(&format!("~{nickname} (")))
            .map(|(_, name)| format!("§c~{nickname}§6 is §f{}\n", name.trim_end_matches(')')));
        return lines.collect::<Vec<_>>().concat();
    }

    let player = players
        .iter()
        .find(|player| words[..3] == ["data", "get", "entity"] && name(player.0) == words[3]);
    let Some((name, dimension, [x, y, z], mode)) = player.filter(|player| player.0 != "Ghost")
    else {
        return "No entity was found".to_owned();
    };

    let value = match words[4] {
        "playerGameType" => mode.to_string(),
        "Dimension" => format!("\"{dimension}\""),
        "Pos" => format!("[{x}d, {y}d, {z}d]"),
        "Rotation" => "[-90.0f, 12.5f]".to_owned(),
        other => panic!("{other}"),
    };

    format!("§a{name}§r has the following entity data: {value}")
}

/// A world with land in the overworld and the nether.
fn place() -> Place {
    let mut files = Files::new();
    for folder in ["region", "DIM-1/region"] {
        let mut region = crate::world::RegionSpec::new(0, 0);
        let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3465));
        chunk.layer(60, 62, block::STONE);
        region.put(&chunk);
        files.put_region(folder, &region);
    }

    let place = Place::of(&files);
    std::fs::write(place.at("password"), format!("{PASSWORD}\n")).unwrap();

    place
}

fn serve(place: &Place, game: &str, options: &[&str]) -> Server {
    let (out, file) = (place.at("map"), place.at("password"));
    let rcon = [
        "-o",
        out.to_str().unwrap(),
        "--rcon",
        game,
        "--rcon-password-file",
        file.to_str().unwrap(),
    ];
    Server::of(&place.world(), &[&rcon, options].concat())
}

/// The first line of a server that has this text.
fn line_with(server: &mut Server, text: &str) -> String {
    let line = std::iter::repeat_with(|| server.line())
        .take(20)
        .find(|line| line.contains(text));
    line.unwrap_or_else(|| panic!("no line has {text}"))
}

/// The players of the last event in a text.
fn players(text: &str) -> Option<Value> {
    let (_, last) = text.rsplit_once("event: players\ndata: ")?;
    serde_json::from_str(last.split_once("\n\n")?.0).ok()
}

const EVERYONE: [Player; 6] = [
    ("Alice", "minecraft:overworld", [1.5, 64.0, -3.5], 0),
    ("Ghost", "minecraft:overworld", [1.5, 64.0, 2.5], 0),
    ("Hidden", "minecraft:overworld", [1000.5, 64.0, 1000.5], 0),
    ("Nether", "minecraft:the_nether", [1.0, 64.0, 1.0], 0),
    ("Watcher", "minecraft:overworld", [2.0, 90.0, 2.0], 3),
    ("Bob", "minecraft:overworld", [7.0, -12.5, 9.0], 1),
];

#[test]
fn only_players_the_map_may_show_reach_pages() {
    let place = place();
    let game = Game::of(&EVERYONE);
    let server = serve(
        &place,
        &game.address,
        &["-d", "overworld", "--hide", "992,992,1008,1008"],
    );

    let mut page = listen(&server, "");
    let text = heard(&mut page, |text| {
        players(text).is_some_and(|players| players != json!([]))
    });

    let player = |name: &str, x: i32, y: i32, z: i32| json!({"name": name, "dimension": "overworld", "x": x, "y": y, "z": z, "yaw": 270});
    assert_eq!(
        players(&text),
        Some(json!([
            player("Alice", 1, 64, -4),
            player("Bob", 7, -13, 9)
        ]))
    );

    game.players.lock().unwrap()[0].2 = [20.0, 70.0, 20.0];
    game.players.lock().unwrap()[5].3 = 3;
    let text = heard(&mut page, |text| players(text).is_some());
    assert_eq!(
        players(&text),
        Some(json!([player("Alice", 20, 70, 20)])),
        "Bob watches now"
    );

    assert_eq!(
        game.connections.load(Ordering::Relaxed),
        1,
        "one connection for all"
    );

    let other = heard(&mut listen(&server, ""), |text| players(text).is_some());
    assert_eq!(
        players(&other),
        players(&text),
        "a new page gets them at once"
    );

    // No file that a program can request names a player.
    for address in [
        "/map.json",
        "/map.js",
        "/markers.js",
        "/version.json",
        "/",
        "/players.json",
        "/players",
    ] {
        let answer = server.get(address);
        assert!(
            !String::from_utf8_lossy(&answer.body).contains("Alice"),
            "{address}"
        );
    }

    for (path, bytes) in Files::read_under(&place.at("map")).0 {
        assert!(!bytes.windows(5).any(|bytes| bytes == b"Alice"), "{path}");
    }
}

#[test]
fn a_returning_game_server_is_asked_again() {
    let place = place();
    let game = Game::of(&EVERYONE[..1]);
    game.is_away.store(true, Ordering::Relaxed);
    let mut server = serve(&place, &game.address, &[]);
    let mut page = listen(&server, "");

    let start = Instant::now();
    let line = loop {
        let line = server.line();
        if line.contains(&game.address) || start.elapsed() > Duration::from_mins(1) {
            break line;
        }
    };

    assert!(line.contains("no players are shown"), "{line}");
    game.is_away.store(false, Ordering::Relaxed);
    heard(&mut page, |text| {
        players(text).is_some_and(|players| players[0]["name"] == "Alice")
    });
    game.is_away.store(true, Ordering::Relaxed);
    let text = heard(&mut page, |text| players(text).is_some());
    assert_eq!(players(&text), Some(json!([])), "nobody stays where he was");
}

#[test]
fn a_wrong_use_of_rcon_is_refused() {
    let place = place();
    let file = place.at("password");
    let file = file.to_str().unwrap();

    let refused = |options: &[&str], code: i32, words: &str| {
        let world = place.world();
        let out = program()
            .arg("serve")
            .arg(&world)
            .args(["--listen", "127.0.0.1:0"])
            .args(options)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{options:?}: {told}");
        assert!(told.contains(words), "{told}");
    };

    let rcon = ["--rcon", "localhost:25575", "--rcon-password-file", file];
    refused(&rcon[..2], 2, "--rcon-password-file");
    refused(
        &["--rcon", "localhost", "--rcon-password-file", file],
        2,
        "localhost:25575",
    );

    refused(
        &["--rcon", "localhost:1", "--rcon-password-file", "absent"],
        1,
        "absent",
    );

    refused(
        &[&rcon[..], &["--min-inhabited", "5"]].concat(),
        2,
        "--hide",
    );

    refused(
        &[&rcon[..], &["--hide-changes"]].concat(),
        2,
        "--hide-changes",
    );

    std::fs::write(place.at("password"), "wrong").unwrap();
    let game = Game::of(&[]);
    let mut server = serve(&place, &game.address, &[]);
    let line = line_with(&mut server, "no players are shown");
    assert!(line.contains("refuses the password"), "{line}");
}

#[test]
fn the_start_reports_whether_the_game_answers() {
    let place = place();
    let game = Game::of(&[]);
    let mut server = serve(&place, &game.address, &[]);
    let line = line_with(&mut server, "the game server");
    assert!(line.starts_with("connected"), "{line}");

    let place = self::place();
    let mut server = serve(&place, "127.0.0.1:1", &[]);
    let line = line_with(&mut server, "no players are shown");
    assert!(line.contains("nobody answers"), "{line}");
}

#[cfg(unix)]
#[test]
fn a_readable_password_file_is_a_warning() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    let game = Game::of(&[]);
    for (mode, is_open) in [(0o644, true), (0o600, false)] {
        let place = place();
        std::fs::set_permissions(place.at("password"), Permissions::from_mode(mode)).unwrap();
        let mut server = serve(&place, &game.address, &[]);
        let lines: Vec<String> = std::iter::repeat_with(|| server.line())
            .take_while(|line| !line.starts_with("connected"))
            .collect();
        let has_warning = lines.iter().any(|line| line.contains("chmod"));
        assert_eq!(has_warning, is_open, "{mode:o}: {lines:?}");
    }
}

#[test]
fn players_of_plugins_are_shown_unless_hidden() {
    let place = place();
    let at = "minecraft:overworld";
    let listed = [
        "[AFK] Alice",
        "~Bobby (Bob)",
        "[HIDDEN]Cid",
        "[HIDDEN]~Dany (Dan)",
        "Eve",
        "~Fay (Moderator)",
    ];
    let game = Game::of(&listed.map(|name| (name, at, [1.5, 64.0, 2.5], 0)));
    let server = serve(&place, &game.address, &["--rcon-hide", "eve,Moderator"]);

    let mut page = listen(&server, "");
    let text = heard(&mut page, |text| {
        players(text).is_some_and(|players| players != json!([]))
    });
    let players = players(&text).unwrap();
    let names: Vec<_> = players
        .as_array()
        .unwrap()
        .iter()
        .map(|player| player["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Alice", "Bob"]);
}

#[test]
fn a_game_that_answers_slowly_delays_no_end() {
    // A game server that refuses the password, or accepts it and then answers no command.
    for takes_password in [false, true] {
        let game = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = game.local_addr().unwrap().to_string();
        let asked = Arc::new(AtomicBool::new(false));

        let is_asked = asked.clone();
        std::thread::spawn(move || {
            let (mut stream, _) = game.accept().unwrap();
            let mut packet = [0; 1460];
            let _ = stream.read(&mut packet);
            if takes_password {
                let head = [
                    &10_i32.to_le_bytes()[..],
                    &packet[4..8],
                    &2_i32.to_le_bytes(),
                ];
                let _ = stream.write_all(&[&head.concat()[..], &[0, 0]].concat());
                let _ = stream.read(&mut packet);
            }
            is_asked.store(true, Ordering::Relaxed);
            std::thread::sleep(Duration::from_mins(1));
        });

        let place = place();
        let mut server = serve(&place, &address, &[]);
        let _page = listen(&server, "");
        while !asked.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }

        let sent = Instant::now();
        stop(&server, Signal::TERM);
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
        assert!(
            sent.elapsed() < Duration::from_millis(2500),
            "{:?}",
            sent.elapsed()
        );
    }
}

#[test]
fn pages_find_blocks_only_if_the_owner_does() {
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3465));
    chunk.layer(60, 62, block::STONE);
    chunk.set(3, 20, 4, block::GLOWSTONE);
    chunk.set(5, 63, 6, block::GLASS);

    let mut other = ChunkSpec {
        x: 5,
        ..chunk.clone()
    };
    other.set(1, 63, 1, block::GLASS);
    let mut region = crate::world::RegionSpec::new(0, 0);
    region.put(&chunk);
    region.put(&other);

    let files = Files::of_regions([region]);

    let place = Place::of(&files);
    let out = place.at("map");

    let options = [
        "-o",
        out.to_str().unwrap(),
        "--find",
        "torch",
        "--hide",
        "80,0,81,1",
    ];

    let server = Server::of(&place.world(), &options);
    let found = |query: &str| -> Vec<Value> {
        let answer = server.get(&format!("/found/overworld/{query}"));
        assert_eq!(
            (answer.status, answer.header("cache-control")),
            (200, "no-store"),
            "{query}"
        );

        let file: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(
            (&file["kind"], &file["dimension"]),
            (&json!("found"), &json!("overworld"))
        );

        file["features"]
            .as_array()
            .unwrap()
            .iter()
            .map(|feature| feature["properties"]["type"].clone())
            .collect()
    };

    assert_eq!(
        found("0/0?find=gl*&depth=all"),
        ["minecraft:glowstone", "minecraft:glass"]
    );

    assert_eq!(
        found("0/0?find=minecraft%3Aglass%2Cglowstone"),
        ["minecraft:glass"],
        "at the surface"
    );
    assert_eq!(found("7/-7?find=glass"), [Value::Null; 0]);

    for wrong in [
        "0/0",
        "0/0?find=",
        "0/x?find=glass",
        "0/0?find=a%20b",
        "0/0?find=glass&depth=deep",
        "99999999/0?find=a",
    ] {
        assert_eq!(
            server.get(&format!("/found/overworld/{wrong}")).status,
            400,
            "{wrong}"
        );
    }

    let without = Server::of(&place.world(), &["-o", place.at("other").to_str().unwrap()]);
    assert_eq!(without.get("/found/overworld/0/0?find=glass").status, 404);
}
