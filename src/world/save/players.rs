//! Reads where the players of a world were last. Callers do so only if the map shows players.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use fastnbt::IntArray;
use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};

use crate::base::edited_json::without_mark;
use crate::world::files::{Files, FolderEntry};
use crate::world::save::World;
use crate::world::save::bedrock;
use crate::world::save::dat::Dat;
use crate::world::save::entries;
use crate::world::save::player::{MAX_PLAYERS, Player, is_uuid};
use crate::world::save::stored_values::AnyValue;

/// The folders of players' files, below the folder of level.dat: since 26.1, since 1.7.6, and before. `true`: files are
/// named after unique ids, so any other file is a leftover of a failed save, such as `UUID-NUMBER.dat`.
const FOLDERS: [(&str, bool); 3] = [("players/data", true), ("playerdata", true), ("players", false)];

/// The longest list of a server's player names that is read, in bytes.
const MAX_NAMES_BYTES: u64 = 64 << 20;
/// The most names that are kept of such lists, and the longest of them in bytes.
const MAX_NAMES: usize = 1 << 19;
const MAX_NAME: usize = 64;

impl World {
    /// Reads the players. Damaged files are left out.
    pub fn players(&self) -> Vec<Player> {
        if let Some(database) = &self.database {
            return bedrock::players(database);
        }
        let Some(folder) = &self.level.folder else { return Vec::new() };
        let names = names(&self.files, folder);
        for (below, is_by_uuid) in FOLDERS {
            let is_player = |entry: &FolderEntry| {
                let stem = entry.name.strip_suffix(".dat");
                !entry.is_folder && stem.is_some_and(|stem| !is_by_uuid || is_uuid(stem))
            };
            let entries = entries::list(&self.files, &folder.join(below), is_player).unwrap_or_default();
            let players = players_in(&self.files, &entries, &names, MAX_PLAYERS);
            if !players.is_empty() {
                return players;
            }
        }
        // Until 1.21, level.dat of a single-player world contains the player.
        let dat =
            crate::world::save::level::FILES.iter().find_map(|name| Dat::open(&self.files, &folder.join(name)).ok());
        dat.and_then(|dat| player(&dat, "Data/Player/", None, None)).into_iter().collect()
    }
}

/// Reads the players in these files, at most `most` files.
fn players_in(files: &Files, entries: &[FolderEntry], names: &BTreeMap<String, String>, most: usize) -> Vec<Player> {
    let mut players = Vec::new();
    for entry in entries.iter().take(most) {
        let Ok(dat) = Dat::open(files, &entry.path) else { continue };
        let stem = entry.name.trim_end_matches(".dat");
        let uuid = is_uuid(stem).then(|| stem.to_owned());
        let old_name = uuid.is_none().then(|| stem.to_owned());
        let name = uuid.as_ref().and_then(|uuid| names.get(&uuid.to_ascii_lowercase()).cloned()).or(old_name);
        players.extend(player(&dat, "", name, uuid));
    }
    players
}

/// Reads the player whose fields are below `at`.
fn player(dat: &Dat, at: &str, name: Option<String>, uuid: Option<String>) -> Option<Player> {
    let field = |name: &str| format!("{at}{name}");
    let place: Vec<f64> = dat.get(&field("Pos"))?;
    let [x, y, z] = <[f64; 3]>::try_from(place).ok()?.map(|along| along.floor() as i32);
    let dimension = |name: &str| AnyValue::dimension(dat, &field(name));
    let now = dat.get::<IntArray>(&field("respawn/pos")).and_then(|pos| <[i32; 3]>::try_from(pos.as_ref()).ok());
    let bed = match now {
        Some(block) => Some((dimension("respawn/dimension"), block)),
        None => old_respawn(dat, at).map(|block| (dimension("SpawnDimension"), block)),
    };
    Some(Player {
        name: name.or_else(|| dat.get(&field("bukkit/lastKnownName"))).filter(|name| name.len() <= MAX_NAME),
        uuid,
        at: (dimension("Dimension"), [x, y, z]),
        bed,
        seen: dat.get(&field("Paper/LastSeen")).or_else(|| dat.get(&field("bukkit/lastPlayed"))),
    })
}

/// Reads the respawn point in the form stored until 1.21.4.
fn old_respawn(dat: &Dat, at: &str) -> Option<[i32; 3]> {
    let field = |name: &str| dat.get::<i32>(&format!("{at}{name}"));
    Some([field("SpawnX")?, field("SpawnY")?, field("SpawnZ")?])
}

/// The lists of names that servers keep in the world's folder or its parent. Names in the later list replace names in
/// the earlier one. The game forgets a name after a month, but Forge does not.
const NAME_LISTS: [&str; 2] = ["usernamecache.json", "usercache.json"];

/// Reads the names that a server has stored, by unique id.
fn names(files: &Files, folder: &Path) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for list in NAME_LISTS {
        for place in [Some(folder), folder.parent()].into_iter().flatten() {
            let path = place.join(list);
            if files.is_file(&path)
                && let Ok(bytes) = files.read(&path, MAX_NAMES_BYTES)
            {
                // If the file is damaged, the names before the damage have already been added.
                let _ = serde_json::Deserializer::from_slice(without_mark(&bytes))
                    .deserialize_any(NameList { names: &mut names, most: MAX_NAMES });
            }
        }
    }
    names
}

/// Adds the names of a list in the game's form, `[{"name": .., "uuid": ..}]`, or in Forge's, `{uuid: name}`. An entry
/// in any other form is left out, and so are names after the first `most`.
struct NameList<'a> {
    names: &'a mut BTreeMap<String, String>,
    most: usize,
}

impl NameList<'_> {
    fn add(&mut self, uuid: &str, name: &str) {
        let has_room = self.names.len() < self.most || self.names.contains_key(&uuid.to_ascii_lowercase());
        if has_room && is_uuid(uuid) && name.len() <= MAX_NAME {
            self.names.insert(uuid.to_ascii_lowercase(), name.to_owned());
        }
    }
}

impl<'de> Visitor<'de> for NameList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names of players")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element::<serde_json::Value>()? {
            if let (Some(uuid), Some(name)) = (entry["uuid"].as_str(), entry["name"].as_str()) {
                self.add(uuid, name);
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((uuid, name)) = map.next_entry::<String, serde_json::Value>()? {
            if let Some(name) = name.as_str() {
                self.add(&uuid, name);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fastnbt::{nbt, to_bytes};

    use super::*;

    fn uuid(number: usize) -> String {
        format!("{number:08x}-0000-0000-0000-000000000000")
    }

    #[test]
    fn players_beyond_the_bound_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut file, &to_bytes(&nbt!({ "Pos": [1.0, 2.0, 3.0] })).unwrap()).unwrap();
        let file = file.finish().unwrap();
        (0..5).for_each(|number| fs::write(folder.path().join(format!("{}.dat", uuid(number))), &file).unwrap());
        let entries = entries::list(&Files::Disk, folder.path(), |_| true).unwrap();
        let read = |most| players_in(&Files::Disk, &entries, &BTreeMap::new(), most).len();
        assert_eq!([read(MAX_PLAYERS), read(3)], [5, 3]);
    }

    #[test]
    fn names_beyond_the_bound_are_left_out() {
        let of_game: Vec<String> =
            (0..9).map(|number| format!(r#"{{"uuid": "{}", "name": "n{number}"}}"#, uuid(number))).collect();
        let of_forge: Vec<String> = (0..9).map(|number| format!(r#""{}": "n{number}""#, uuid(number))).collect();
        let long = format!(r#"{{"{}": "{}", "no id": "n"}}"#, uuid(1), "n".repeat(MAX_NAME + 1));
        for (list, kept) in
            [(format!("[{}]", of_game.join(",")), 3), (format!("{{{}}}", of_forge.join(",")), 3), (long, 0)]
        {
            let mut names = BTreeMap::new();
            let mut json = serde_json::Deserializer::from_str(&list);
            json.deserialize_any(NameList { names: &mut names, most: 3 }).unwrap();
            assert_eq!(names.len(), kept, "{list}");
        }
    }
}
