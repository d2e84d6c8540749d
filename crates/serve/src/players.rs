//! Asks a game server for its players, and shows them on open pages.
//!
//! Pages get the players by their event stream and by nothing else, so no file and no address
//! reveals where somebody was. A player is left out in a dimension or at a place that the map does
//! not show, in spectator mode, because spectators do not want to be seen, and if the owner or the
//! game server hides that player. After the first connection, the server is only asked while a page
//! is open.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use tokio::runtime;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::live::LiveMap;
use super::online_names::{self, ListedPlayer, without_colours};
use super::rcon::{Rcon, RconError};
use pixelmap_base::coord::ColumnPos;
use pixelmap_base::json;
use pixelmap_draw::ShownPlaces;
use pixelmap_world::internal::canonical_id;

/// How often to check whether a page was opened or the server ends.
const NAP: Duration = Duration::from_millis(50);
/// The most players that are asked for. Each needs up to five commands.
const MAX_PLAYERS: usize = 256;
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
    /// The names of players who are never shown.
    pub hidden: Vec<String>,
}

/// The pauses between the questions to a game server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pauses {
    /// The pause after an answer.
    every: Duration,
    /// The pause after an attempt to ask a server that is away.
    again: Duration,
    /// How long a connection must last before its end is worth another message.
    steady: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Self {
            every: Duration::from_secs(2),
            again: Duration::from_secs(5),
            steady: Duration::from_mins(1),
        }
    }
}

/// Whether a game server can be asked, as a message for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RconNews {
    Connected(String),
    /// Nobody is shown. The server is asked again.
    Away(String),
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

    async fn connect(&self) -> Result<Rcon, RconError> {
        let access = self.clone();
        let read = spawn_blocking(move || access.password()).await;
        let password = read.map_err(io::Error::other).flatten();
        Rcon::connect(&self.address, &password.map_err(RconError::NoPassword)?).await
    }

    fn hides(&self, name: &str) -> bool {
        self.hidden
            .iter()
            .any(|hidden| hidden.eq_ignore_ascii_case(name))
    }

    fn connected(&self) -> RconNews {
        RconNews::Connected(format!(
            "connected to the game server at {}: open pages show its players",
            self.address
        ))
    }

    fn away(&self, error: &RconError) -> RconNews {
        let Self {
            address,
            password_file,
            ..
        } = self;

        let why = match error {
            RconError::NoPassword(error) => {
                format!("{} cannot be read: {error}", password_file.display())
            }
            RconError::WrongPassword => format!(
                "the game server at {address} refuses the password in {}: write rcon.password of \
                 its server.properties there",
                password_file.display()
            ),
            RconError::Unreachable(error) => format!(
                "nobody answers at {address} ({error}): start the game server, with \
                 enable-rcon=true in its server.properties"
            ),
            RconError::Late | RconError::Ended(_) | RconError::NotRcon | RconError::TooLong => {
                format!(
                    "the server at {address} cannot be asked, because {error}: check that this is \
                 rcon.port of its server.properties"
                )
            }
        };

        RconNews::Away(format!(
            "no players are shown, because {why}; it is asked again while a page is open"
        ))
    }
}

/// Asks for the players until the server ends. `report` gets one message about the first
/// connection, and later one if a server that could be asked for a while can no longer be asked.
pub(super) fn follow(
    access: &RconAccess,
    pauses: Pauses,
    map: &LiveMap,
    report: &dyn Fn(RconNews),
) {
    let built = runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build();
    let runtime = match built {
        Ok(runtime) => runtime,
        Err(error) => return report(access.away(&RconError::Unreachable(error))),
    };

    runtime.block_on(async {
        tokio::select! {
            () = wait_until(|| map.has_ended()) => {}
            () = ask_for_ever(access, pauses, map, report) => {}
        }
    });

    // The system may still be looking up the name of the host.
    runtime.shutdown_background();
}

async fn wait_until(is_so: impl Fn() -> bool) {
    while !is_so() {
        sleep(NAP).await;
    }
}

async fn ask_for_ever(
    access: &RconAccess,
    pauses: Pauses,
    map: &LiveMap,
    report: &dyn Fn(RconNews),
) {
    let mut connection = access.connect().await;
    let mut is_reported = connection.is_err();
    report(match &connection {
        Ok(_) => access.connected(),
        Err(error) => access.away(error),
    });

    loop {
        let error = match connection {
            Ok(rcon) => {
                let start = Instant::now();
                let error = show_players(rcon, access, pauses.every, map).await;
                is_reported &= start.elapsed() < pauses.steady;
                error
            }
            Err(error) => error,
        };

        map.set_players("[]");
        if !is_reported {
            is_reported = true;
            report(access.away(&error));
        }

        sleep(pauses.again).await;
        wait_until(|| map.has_pages()).await;
        connection = access.connect().await;
    }
}

/// Shows the players on open pages until the connection fails.
async fn show_players(
    mut rcon: Rcon,
    access: &RconAccess,
    every: Duration,
    map: &LiveMap,
) -> RconError {
    loop {
        // Nobody is looking, so the game server is left alone.
        if !map.has_pages() {
            map.set_players("[]");
            wait_until(|| map.has_pages()).await;
        }

        match shown_players(&mut rcon, access, &map.places()).await {
            Ok(players) => map.set_players(&json::text(&players).unwrap_or_default()),
            Err(error) => return error,
        }

        sleep(every).await;
    }
}

/// Returns the players whom the map may show.
///
/// # Errors
/// The connection is unusable. A player whose data cannot be read is only left out.
async fn shown_players(
    rcon: &mut Rcon,
    access: &RconAccess,
    places: &ShownPlaces,
) -> Result<Vec<OnlinePlayer>, RconError> {
    let mut players: Vec<OnlinePlayer> = Vec::new();

    for listed in online_names::listed(&rcon.run("list").await?, MAX_PLAYERS) {
        let name = match listed {
            ListedPlayer::Name(name) => name,
            ListedPlayer::Nickname(nickname) => real_name(rcon, nickname).await?,
        };

        if access.hides(&name) || players.iter().any(|known| known.name == name) {
            continue;
        }

        if let Some(player) = player(rcon, name).await?
            && places.shows(
                &player.dimension,
                ColumnPos {
                    x: player.x,
                    z: player.z,
                },
            )
        {
            players.push(player);
        }
    }

    Ok(players)
}

/// Returns the name behind a nickname of `EssentialsX`, because other commands know only names.
/// Without that plugin the nickname is the best guess.
async fn real_name(rcon: &mut Rcon, nickname: String) -> Result<String, RconError> {
    let answer = rcon.run(&format!("realname {nickname}")).await?;
    Ok(online_names::real_name(&answer, &nickname).unwrap_or(nickname))
}

/// Returns where a player is. `None` for a spectator, and for a player whose data cannot be read.
async fn player(rcon: &mut Rcon, name: String) -> Result<Option<OnlinePlayer>, RconError> {
    let Some(mode) = ask_value(rcon, &name, "playerGameType").await? else {
        return Ok(None);
    };
    if mode == SPECTATOR {
        return Ok(None);
    }

    let dimension = ask_value(rcon, &name, "Dimension").await?;
    let at = ask_value(rcon, &name, "Pos").await?;
    let turn = ask_value(rcon, &name, "Rotation").await?;

    let dimension = dimension.and_then(|text| dimension_id(&text));
    let Some((dimension, at)) = dimension.zip(at.and_then(|text| numbers::<3>(&text))) else {
        return Ok(None);
    };

    let [x, y, z] = at.map(|along| along.floor() as i32);
    let [yaw, _] = turn
        .and_then(|text| numbers::<2>(&text))
        .unwrap_or_default();

    Ok(Some(OnlinePlayer {
        name,
        dimension,
        x,
        y,
        z,
        yaw: yaw.rem_euclid(360.0) as i32,
    }))
}

async fn ask_value(rcon: &mut Rcon, name: &str, path: &str) -> Result<Option<String>, RconError> {
    let answer = rcon.run(&format!("data get entity {name} {path}")).await?;
    Ok(value(&answer))
}

/// Returns the value in the answer to `data get`. `None` if it is an error message.
fn value(answer: &str) -> Option<String> {
    let plain = without_colours(answer);
    let (_, value) = plain.rsplit_once(VALUE)?;
    Some(value.trim().to_owned())
}

/// Returns the id of a dimension as maps have it. Before 1.16 the game stored numbers.
fn dimension_id(value: &str) -> Option<String> {
    Some(canonical_id(value.trim_matches('"'))).filter(|id| !id.is_empty())
}

/// Parses a list such as `[1.5d, 64.0d, -3.5d]`.
fn numbers<const N: usize>(value: &str) -> Option<[f64; N]> {
    let list = value.strip_prefix('[')?.strip_suffix(']')?;
    let numbers: Vec<f64> = list
        .split(',')
        .filter_map(|text| text.trim().trim_end_matches(['d', 'f']).parse().ok())
        .filter(|number: &f64| number.abs() <= FAR)
        .collect();
    numbers.try_into().ok()
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "test files are no output of the program"
)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::sync::Mutex;

    use tempfile::TempDir;

    use super::*;

    const AT_ONCE: Pauses = Pauses {
        every: Duration::ZERO,
        again: Duration::ZERO,
        steady: Duration::MAX,
    };

    fn access(folder: &TempDir, game: &TcpListener) -> RconAccess {
        let password_file = folder.path().join("password");
        fs::write(&password_file, "secret").unwrap();
        RconAccess {
            address: game.local_addr().unwrap().to_string(),
            password_file,
            hidden: Vec::new(),
        }
    }

    #[test]
    fn an_absent_game_server_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        // It hangs up on everyone.
        let game = TcpListener::bind("127.0.0.1:0").unwrap();
        let access = access(&folder, &game);
        let map = LiveMap::new(None, None);
        let _page = map.players();

        let reports = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                follow(&access, AT_ONCE, &map, &|report| {
                    reports.lock().unwrap().push(report);
                });
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
            matches!(&*reports, [RconNews::Away(text)] if text.contains("no players are shown")),
            "{reports:?}"
        );
    }

    /// Takes the password, and answers the next command without end.
    fn answer_without_end(mut stream: TcpStream) -> io::Result<()> {
        loop {
            let mut packet = [0; 1460];
            let read = stream.read(&mut packet)?;
            let Some(asked) = packet[..read].first_chunk::<12>() else {
                return Ok(());
            };

            if asked[8] == 3 {
                stream.write_all(&answer(asked, 2, &[]))?;
                continue;
            }
            loop {
                stream.write_all(&answer(asked, 0, &[b'x'; 4096]))?;
            }
        }
    }

    /// Makes the answer to a packet that begins with these bytes.
    fn answer(asked: &[u8; 12], kind: i32, text: &[u8]) -> Vec<u8> {
        let length = i32::to_le_bytes(text.len() as i32 + 10);
        [
            &length,
            &asked[4..8],
            &i32::to_le_bytes(kind),
            text,
            &[0, 0],
        ]
        .concat()
    }

    #[test]
    fn an_endless_answer_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let game = TcpListener::bind("127.0.0.1:0").unwrap();
        let access = access(&folder, &game);
        let map = LiveMap::new(None, None);
        let _page = map.players();

        let reports = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                follow(&access, AT_ONCE, &map, &|news| {
                    reports.lock().unwrap().push(news);
                });
            });

            for _ in 0..3 {
                let _ = answer_without_end(game.accept().unwrap().0);
            }

            map.end();
            drop(game);
        });

        let reports = reports.into_inner().unwrap();
        assert!(
            matches!(&*reports, [RconNews::Connected(_), RconNews::Away(text)]
                if text.contains("more than 1 MiB")),
            "{reports:?}"
        );
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
            dimension_id(&value(&format!("A has the following entity data: {text}")).unwrap())
        };

        assert_eq!(dimension("\"minecraft:the_nether\"").unwrap(), "the_nether");
        assert_eq!(dimension("\"mod:moon\"").unwrap(), "mod:moon");
        assert_eq!(dimension("\"minecraft:moon\"").unwrap(), "minecraft:moon");
        assert_eq!(dimension("-1").unwrap(), "the_nether");
    }
}
