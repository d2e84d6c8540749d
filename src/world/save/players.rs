//! Where the players of a world were last. Read only if they are to be shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fastnbt::{IntArray, Value};
use serde::Deserialize;

use crate::world::files::{Files, FolderEntry};
use crate::world::save::World;
use crate::world::save::bedrock;
use crate::world::save::dat::Dat;
use crate::world::save::dimension::canonical_id;
use crate::world::save::entries;

/// The folders of players' files, below level.dat's folder: since 26.1, since 1.7.6, and before.
const FOLDERS: [&str; 3] = ["players/data", "playerdata", "players"];

pub(crate) const MAX_PLAYERS: usize = 100_000;

/// The longest list of names of a server that is read.
const MAX_NAMES_BYTES: u64 = 64 << 20;

/// A player, as the world stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct Player {
    /// Absent if no file holds it.
    pub name: Option<String>,
    /// As the game writes it; absent before 1.7.6.
    pub uuid: Option<String>,
    /// The dimension and the block where the player was last.
    pub at: (String, [i32; 3]),
    /// The dimension and the block of the player's bed or other respawn point.
    pub bed: Option<(String, [i32; 3])>,
    /// When the player was last seen, in milliseconds since 1970; absent if no server stored it.
    pub seen: Option<i64>,
}

/// An entry of a server's list of names.
#[derive(Deserialize)]
struct CachedName {
    name: String,
    uuid: String,
}

impl World {
    /// Reads the players. Damaged files are left out.
    pub fn players(&self) -> Vec<Player> {
        if let Some(database) = &self.database {
            return bedrock::players(database);
        }
        let Some(folder) = &self.level.folder else { return Vec::new() };
        let names = names(&self.files, folder);
        let mut players = Vec::new();
        for below in FOLDERS {
            let is_player =
                |entry: &FolderEntry| !entry.is_folder && entry.path.extension().is_some_and(|end| end == "dat");
            let entries = entries::list(&self.files, &folder.join(below), is_player).unwrap_or_default();
            for entry in entries.into_iter().take(MAX_PLAYERS) {
                let Ok(dat) = Dat::open(&self.files, &entry.path) else { continue };
                let stem = entry.name.trim_end_matches(".dat");
                let uuid = is_uuid(stem).then(|| stem.to_owned());
                let old_name = uuid.is_none().then(|| stem.to_owned());
                let name = uuid.as_ref().and_then(|uuid| names.get(&uuid.to_ascii_lowercase()).cloned()).or(old_name);
                players.extend(player(&dat, "", name, uuid));
            }
            if !players.is_empty() {
                return players;
            }
        }
        // A single-player world has the player in level.dat, until 1.21.
        let dat =
            crate::world::save::level::FILES.iter().find_map(|name| Dat::open(&self.files, &folder.join(name)).ok());
        dat.and_then(|dat| player(&dat, "Data/Player/", None, None)).into_iter().collect()
    }
}

/// Reads the player whose fields are below `at`.
fn player(dat: &Dat, at: &str, name: Option<String>, uuid: Option<String>) -> Option<Player> {
    let field = |name: &str| format!("{at}{name}");
    let place: Vec<f64> = dat.get(&field("Pos"))?;
    let [x, y, z] = <[f64; 3]>::try_from(place).ok()?.map(|along| along.floor() as i32);
    let dimension = |name: &str| match dat.get::<Value>(&field(name)) {
        Some(Value::String(id)) => canonical_id(&id),
        Some(Value::Int(number)) => canonical_id(&number.to_string()),
        _ => "overworld".to_owned(),
    };
    let now = dat.get::<IntArray>(&field("respawn/pos")).and_then(|pos| <[i32; 3]>::try_from(pos.as_ref()).ok());
    let bed = match now {
        Some(block) => Some((dimension("respawn/dimension"), block)),
        None => old_respawn(dat, at).map(|block| (dimension("SpawnDimension"), block)),
    };
    Some(Player {
        name: name.or_else(|| dat.get(&field("bukkit/lastKnownName"))).filter(|name| name.len() <= 64),
        uuid,
        at: (dimension("Dimension"), [x, y, z]),
        bed,
        seen: dat.get(&field("Paper/LastSeen")).or_else(|| dat.get(&field("bukkit/lastPlayed"))),
    })
}

/// Reads the respawn point as it was stored until 1.21.4.
fn old_respawn(dat: &Dat, at: &str) -> Option<[i32; 3]> {
    let field = |name: &str| dat.get::<i32>(&format!("{at}{name}"));
    Some([field("SpawnX")?, field("SpawnY")?, field("SpawnZ")?])
}

pub(crate) fn is_uuid(name: &str) -> bool {
    name.len() == 36 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Reads the names that a server has stored, by unique id: its list is next to the world, or in it.
fn names(files: &Files, folder: &Path) -> BTreeMap<String, String> {
    let parent = folder.parent().map(Path::to_owned);
    let mut places = parent.into_iter().chain([folder.to_owned()]).map(|folder: PathBuf| folder.join("usercache.json"));
    let names: Option<Vec<CachedName>> = places.find_map(|path| {
        let bytes = files.is_file(&path).then(|| files.read(&path, MAX_NAMES_BYTES).ok())??;
        serde_json::from_slice(&bytes).ok()
    });
    names.unwrap_or_default().into_iter().map(|CachedName { name, uuid }| (uuid.to_ascii_lowercase(), name)).collect()
}
