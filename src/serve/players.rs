//! Asks a game server for its players, and shows them on open pages.
//!
//! Pages get the players by their event stream and by nothing else, so no file and no address tells
//! visitors where somebody was. A player is left out in a dimension or at a place that the map does
//! not show, and in spectator mode, because spectators do not want to be seen. The server is only
//! asked while a page is open.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::live::LiveMap;
use super::rcon::Rcon;
use crate::base::coord::ColumnPos;
use crate::base::json;
use crate::draw::ShownPlaces;
use crate::world::canonical_id;

/// The longest sleep, so that the end of the server is noticed soon.
const NAP: Duration = Duration::from_millis(50);
/// The most players that are asked for. Each needs four commands.
const MAX_PLAYERS: usize = 256;
/// The longest name of a player, with what plugins put in front of it.
const MAX_NAME: usize = 32;
/// The text in front of a value in the answer to `data get`.
const VALUE: &str = "entity data: ";
const SPECTATOR: &str = "3";
/// No player is further out.
const FAR: f64 = 32_000_000.0;

/// How to reach a game server.
#[derive(Debug, Clone)]
pub struct RconAccess {
    /// A host and a port.
    pub address: String,
    /// The file with the password. It is read again for each connection.
    pub password_file: PathBuf,
}

/// The pauses between the questions to a game server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pauses {
    /// The pause after an answer.
    every: Duration,
    /// The pause after an attempt to ask a server that is away.
    again: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Self {
            every: Duration::from_secs(2),
            again: Duration::from_secs(5),
        }
    }
}

/// A player who is online.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct OnlinePlayer {
    name: String,
    /// The id of the dimension, as in `map.json`.
    dimension: String,
    x: i32,
    y: i32,
    z: i32,
    /// The direction of view in degrees: 0 is south, 90 is west.
    yaw: i32,
}

impl RconAccess {
    /// Reads the password.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn password(&self) -> io::Result<String> {
        let text = fs::read_to_string(&self.password_file)?;
        Ok(text.trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// Asks for the players until the server ends. `report` gets a message when the game server cannot
/// be asked, but only one until it can be asked again.
pub(super) fn follow(access: &RconAccess, pauses: Pauses, map: &LiveMap, report: &dyn Fn(String)) {
    let mut is_away = false;
    while !map.has_ended() {
        let Err(error) = ask_on_one_connection(access, pauses.every, map, &mut is_away) else {
            return;
        };
        map.set_players("[]");
        if !is_away {
            is_away = true;
            report(trouble(access, &error));
        }
        pause(map, pauses.again);
    }
}

fn trouble(
    RconAccess {
        address,
        password_file,
    }: &RconAccess,
    error: &io::Error,
) -> String {
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("it refuses the password in {}", password_file.display())
        }
        _ => error.to_string(),
    };

    format!(
        "no players are shown, because {address} does not answer: {why}; it is asked again until \
         it does"
    )
}

/// Returns without an error when the server ends.
fn ask_on_one_connection(
    access: &RconAccess,
    every: Duration,
    map: &LiveMap,
    is_away: &mut bool,
) -> io::Result<()> {
    let mut connection = None;
    while !map.has_ended() {
        // Nobody is looking, so the game server is left alone.
        if !map.has_pages() {
            map.set_players("[]");
            pause(map, NAP);
            continue;
        }

        let rcon = match &mut connection {
            Some(rcon) => rcon,
            None => connection.insert(Rcon::connect(&access.address, &access.password()?)?),
        };

        let players = shown_players(rcon, &map.places())?;
        *is_away = false;
        map.set_players(&json::text(&players).unwrap_or_default());
        pause(map, every);
    }

    Ok(())
}

fn pause(map: &LiveMap, time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time && !map.has_ended() {
        sleep(NAP);
    }
}

/// Returns the players whom the map may show.
///
/// # Errors
/// The connection is unusable. A player whose data cannot be read is only left out.
fn shown_players(rcon: &mut Rcon, places: &ShownPlaces) -> io::Result<Vec<OnlinePlayer>> {
    let names = names(&rcon.run("list")?);
    let mut players = Vec::new();
    for name in names {
        let mut value = |path: &str| {
            rcon.run(&format!("data get entity {name} {path}"))
                .map(|text| value(&text))
        };

        let Some(mode) = value("playerGameType")? else {
            continue;
        };
        if mode == SPECTATOR {
            continue;
        }

        let dimension = value("Dimension")?.and_then(|text| dimension(&text));
        let at = value("Pos")?.and_then(|text| numbers::<3>(&text));
        let turn = value("Rotation")?
            .and_then(|text| numbers::<2>(&text))
            .unwrap_or_default();
        let Some((dimension, [x, y, z])) = dimension.zip(at) else {
            continue;
        };

        let [x, y, z] = [x, y, z].map(|along| along.floor() as i32);
        if places.shows(&dimension, ColumnPos { x, z }) {
            players.push(OnlinePlayer {
                name,
                dimension,
                x,
                y,
                z,
                yaw: turn[0].rem_euclid(360.0) as i32,
            });
        }
    }

    Ok(players)
}

/// Returns the names in the answer to `list`. It is
/// `There are 2 of a max of 20 players online: Alice, Bob`, and some plugins have one line for each
/// group of players. Names that a command could misunderstand are left out.
fn names(answer: &str) -> Vec<String> {
    let plain = without_colours(answer);
    let lists = plain.lines().filter_map(|line| line.rsplit_once(':'));

    // The names of old versions begin on the next line.
    let rest = plain.split_once(":\n").map_or("", |(_, rest)| rest);
    let all = lists
        .flat_map(|(_, list)| list.split(','))
        .chain(rest.split(','))
        .map(str::trim);

    let mut names: Vec<String> = Vec::new();
    for name in all.filter(|name| is_name(name)) {
        if names.len() < MAX_PLAYERS && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    names
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.-+".contains(&byte))
}

/// Removes colours, which are `§` and a letter.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('§');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let mut letters = part.chars();
        letters.next();
        text + letters.as_str()
    })
}

/// Returns the value in the answer to `data get`. `None` if it is an error message.
fn value(answer: &str) -> Option<String> {
    let plain = without_colours(answer);
    let (_, value) = plain.rsplit_once(VALUE)?;
    Some(value.trim().to_owned())
}

/// Returns the id of a dimension as maps have it. Before 1.16 the game stored numbers.
fn dimension(value: &str) -> Option<String> {
    Some(canonical_id(value.trim_matches('"'))).filter(|id| !id.is_empty())
}

/// Parses a list such as `[1.5d, 64.0d, -3.5d]`.
fn numbers<const N: usize>(value: &str) -> Option<[f64; N]> {
    let list = value.strip_prefix('[')?.strip_suffix(']')?;
    let parse = |text: &str| text.trim().trim_end_matches(['d', 'f']).parse::<f64>().ok();
    let numbers: Vec<f64> = list
        .split(',')
        .filter_map(parse)
        .filter(|number| number.abs() <= FAR)
        .collect();
    numbers.try_into().ok()
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "test files are no output of the program"
)]
mod tests {
    use std::net::TcpListener;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn an_absent_game_server_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let password_file = folder.path().join("password");
        fs::write(&password_file, "secret").unwrap();

        // It hangs up on everyone.
        let game = TcpListener::bind("127.0.0.1:0").unwrap();
        let access = RconAccess {
            address: game.local_addr().unwrap().to_string(),
            password_file,
        };

        let pauses = Pauses {
            every: Duration::ZERO,
            again: Duration::ZERO,
        };

        let map = LiveMap::new(None, None);
        let _page = map.players();

        let reports = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                follow(&access, pauses, &map, &|report| {
                    reports.lock().unwrap().push(report)
                })
            });

            for _ in 0..5 {
                drop(game.accept().unwrap());
            }

            map.end();

            // The last attempt may be waiting for its connection.
            drop(game);
        });

        let reports = reports.into_inner().unwrap();
        assert!(
            matches!(&*reports, [report] if report.contains("no players are shown")),
            "{reports:?}"
        );
    }

    #[test]
    fn names_are_read_from_every_kind_of_list() {
        for (answer, expected) in [
            ("There are 0 of a max of 20 players online: ", &[][..]),
            (
                "There are 2 of a max of 20 players online: Alice, Bob_2",
                &["Alice", "Bob_2"],
            ),
            (
                "There are 2/20 players online:\nAlice, Bob_2",
                &["Alice", "Bob_2"],
            ),
            (
                "§6There are §c2§6 players online.\n§6default§r: §rAlice\nadmins: .Bob",
                &["Alice", ".Bob"],
            ),
            (
                "There are 3 of a max of 20 players online: Al ice, @a, x[y=1], Alice",
                &["Alice"],
            ),
        ] {
            assert_eq!(names(answer), expected, "{answer}");
        }
    }

    #[test]
    fn values_are_read_from_answers() {
        let answer = "Alice has the following entity data: [1.5d, 64.0d, -3.5d]";
        assert_eq!(
            numbers::<3>(&value(answer).unwrap()),
            Some([1.5, 64.0, -3.5])
        );
        assert_eq!(numbers::<2>("[90.0f, NaNf]"), None);
        assert_eq!(numbers::<3>("[1e300d, 0.0d, 0.0d]"), None);
        assert_eq!(value("No entity was found"), None);

        let dimension = |text: &str| {
            dimension(&value(&format!("A has the following entity data: {text}")).unwrap())
        };

        assert_eq!(dimension("\"minecraft:the_nether\"").unwrap(), "the_nether");
        assert_eq!(dimension("\"mod:moon\"").unwrap(), "mod:moon");
        assert_eq!(dimension("\"minecraft:moon\"").unwrap(), "minecraft:moon");
        assert_eq!(dimension("-1").unwrap(), "the_nether");
    }
}
