//! Reads where the players of a world were last. Callers do so only if the map shows players.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use fastnbt::IntArray;
use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};

use crate::save::bedrock::players;
use crate::save::dat::Dat;
use crate::save::entries;
use crate::save::left_out::LeftOut;
use crate::save::level_files::LEVEL_FILES;
use crate::save::player::{MAX_PLAYERS, Player, is_uuid};
use crate::save::stored_values::AnyValue;
use crate::save::world::World;
use pixelmap_base::disk::{is_absent, not_a_file};
use pixelmap_base::edited_json::without_mark;
use pixelmap_base::files::{Files, FolderEntry};

/// The folders of players' files, below the folder of level.dat: since 26.1, since 1.7.6, and
/// before. `true`: files are named after unique ids, so any other file is a leftover of a failed
/// save, such as `UUID-NUMBER.dat`.
const FOLDERS: [(&str, bool); 3] = [
    ("players/data", true),
    ("playerdata", true),
    ("players", false),
];

/// The longest list of a server's player names that is read, in bytes.
const MAX_NAMES_BYTES: u64 = 64 << 20;
/// The most names that are kept of such lists, and the longest of them in bytes.
const MAX_NAMES: usize = 1 << 19;
const MAX_NAME: usize = 64;

impl World {
    /// Reads the players. Warns of players, names and damaged files that are left out.
    pub fn players(&self, warnings: &mut Vec<String>) -> Vec<Player> {
        if let Some(database) = &self.database {
            return players::players(database, &self.dimension_names, warnings);
        }
        let Some(folder) = &self.level.folder else {
            return Vec::new();
        };

        let names = names(&self.files, folder, warnings);
        for (below, is_by_uuid) in FOLDERS {
            let entries = entries::list_or_warn(
                &self.files,
                &folder.join(below),
                |entry| is_player(entry, is_by_uuid),
                warnings,
            );

            let players = players_in(&self.files, &entries, &names, MAX_PLAYERS, warnings);
            if !players.is_empty() {
                return players;
            }
        }

        // Until 1.21, level.dat of a single-player world contains the player.
        let dat = LEVEL_FILES
            .iter()
            .find_map(|name| Dat::open(&self.files, &folder.join(name)).ok());
        dat.and_then(|dat| player(&dat, "Data/Player/", None, None))
            .into_iter()
            .collect()
    }
}

/// Returns whether an entry is the file of a player. `is_by_uuid` means that its name must be a
/// unique id.
fn is_player(entry: &FolderEntry, is_by_uuid: bool) -> bool {
    let stem = entry.name.strip_suffix(".dat");
    !entry.is_folder && stem.is_some_and(|stem| !is_by_uuid || is_uuid(stem))
}

/// Reads the players in these files, at most `most` files.
fn players_in(
    files: &Files,
    entries: &[FolderEntry],
    names: &BTreeMap<String, String>,
    most: usize,
    warnings: &mut Vec<String>,
) -> Vec<Player> {
    let mut players = Vec::new();
    let (mut left_out, mut unread) = (LeftOut::default(), LeftOut::default());
    left_out.add(entries.len().saturating_sub(most), || {
        entries[most].path.display().to_string()
    });

    for entry in entries.iter().take(most) {
        let dat = match Dat::open(files, &entry.path) {
            Ok(dat) => dat,
            Err(error) => {
                unread.add(1, || format!("{}: {error}", entry.path.display()));
                continue;
            }
        };

        let stem = entry.name.trim_end_matches(".dat");
        let uuid = is_uuid(stem).then(|| stem.to_owned());
        let old_name = uuid.is_none().then(|| stem.to_owned());
        let name = uuid
            .as_ref()
            .and_then(|uuid| names.get(&uuid.to_ascii_lowercase()).cloned())
            .or(old_name);
        players.extend(player(&dat, "", name, uuid));
    }

    left_out.warn("player", &format!("only {most} are read"), warnings);
    unread.warn("player", "the file cannot be read", warnings);

    players
}

/// Reads the player whose fields are below `at`.
fn player(dat: &Dat, at: &str, name: Option<String>, uuid: Option<String>) -> Option<Player> {
    let field = |name: &str| format!("{at}{name}");
    let position: Vec<f64> = dat.get(&field("Pos"))?;
    let [x, y, z] = <[f64; 3]>::try_from(position)
        .ok()?
        .map(|along| along.floor() as i32);
    let dimension = |name: &str| AnyValue::dimension(dat, &field(name));

    let now = dat
        .get::<IntArray>(&field("respawn/pos"))
        .and_then(|pos| <[i32; 3]>::try_from(pos.as_ref()).ok());
    let bed = match now {
        Some(block) => Some((dimension("respawn/dimension"), block)),
        None => old_respawn(dat, at).map(|block| (dimension("SpawnDimension"), block)),
    };

    Some(Player {
        name: name
            .or_else(|| dat.get(&field("bukkit/lastKnownName")))
            .filter(|name| name.len() <= MAX_NAME),
        uuid,
        at: (dimension("Dimension"), [x, y, z]),
        bed,
        seen: dat
            .get(&field("Paper/LastSeen"))
            .or_else(|| dat.get(&field("bukkit/lastPlayed"))),
    })
}

/// Reads the respawn point in the form stored until 1.21.4.
fn old_respawn(dat: &Dat, at: &str) -> Option<[i32; 3]> {
    let field = |name: &str| dat.get::<i32>(&format!("{at}{name}"));
    Some([field("SpawnX")?, field("SpawnY")?, field("SpawnZ")?])
}

/// The lists of names that servers keep in the world's folder or its parent. Names in the later
/// list replace names in the earlier one. The game forgets a name after a month, but Forge does
/// not.
const NAME_LISTS: [&str; 2] = ["usernamecache.json", "usercache.json"];

/// Reads the names that a server has stored, by unique id. Warns of names and lists that are left
/// out.
fn names(files: &Files, folder: &Path, warnings: &mut Vec<String>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let mut left_out = LeftOut::default();
    for list in NAME_LISTS {
        for place in [Some(folder), folder.parent()].into_iter().flatten() {
            let path = place.join(list);
            let read = files.facts(&path).and_then(|facts| {
                // Opening a pipe would wait until another program writes to it.
                if facts.is_file() {
                    files.read(&path, MAX_NAMES_BYTES + 1)
                } else {
                    Err(not_a_file())
                }
            });

            let bytes = match read {
                Ok(bytes) => bytes,
                Err(error) if is_absent(&error) => continue,
                Err(error) => {
                    warnings.push(format!(
                        "{} cannot be read, so players have no names: {error}",
                        path.display()
                    ));
                    continue;
                }
            };

            let beyond = NameList {
                names: &mut names,
                most: MAX_NAMES,
                left_out: 0,
            }
            .read(&bytes, |reason| {
                warnings.push(format!(
                    "{}: the names of players after a fault are left out: {reason}",
                    path.display()
                ));
            });
            left_out.add(beyond, || path.display().to_string());
        }
    }

    let bounds = format!("only {MAX_NAMES} of at most {MAX_NAME} bytes are read");
    left_out.warn("player name", &bounds, warnings);

    names
}

/// Adds the names of a list in the game's form, `[{"name": .., "uuid": ..}]`, or in Forge's,
/// `{uuid: name}`. An entry in any other form is left out. Names after the first `most` are
/// counted.
struct NameList<'a> {
    names: &'a mut BTreeMap<String, String>,
    most: usize,
    left_out: usize,
}

impl NameList<'_> {
    /// Reads a list, and returns the number of names that are left out. Calls `warn` with the
    /// reason if the list is damaged or too long. The names before the fault are added
    /// nevertheless.
    fn read(mut self, bytes: &[u8], warn: impl FnOnce(String)) -> usize {
        let (read, more) = bytes.split_at(bytes.len().min(MAX_NAMES_BYTES as usize));
        let ended =
            serde_json::Deserializer::from_slice(without_mark(read)).deserialize_any(&mut self);
        if !more.is_empty() {
            warn(format!("it has more than {} MiB", MAX_NAMES_BYTES >> 20));
        } else if let Err(error) = ended {
            warn(error.to_string());
        }

        self.left_out
    }

    fn add(&mut self, uuid: &str, name: &str) {
        if !is_uuid(uuid) {
            return;
        }

        let uuid = uuid.to_ascii_lowercase();
        let has_room = self.names.len() < self.most || self.names.contains_key(&uuid);
        if has_room && name.len() <= MAX_NAME {
            self.names.insert(uuid, name.to_owned());
        } else {
            self.left_out += 1;
        }
    }
}

impl<'de> Visitor<'de> for &mut NameList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names of players")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element::<serde_json::Value>()? {
            if let (Some(uuid), Some(name)) = (entry["uuid"].as_str(), entry["name"].as_str()) {
                self.add(uuid, name);
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
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
    fn players_beyond_the_bound_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(
            &mut file,
            &to_bytes(&nbt!({ "Pos": [1.0, 2.0, 3.0] })).unwrap(),
        )
        .unwrap();

        let file = file.finish().unwrap();
        (0..5).for_each(|number| {
            fs::write(folder.path().join(format!("{}.dat", uuid(number))), &file).unwrap();
        });
        fs::write(folder.path().join(format!("{}.dat", uuid(5))), "torn").unwrap();

        let entries = entries::list(&Files::Disk, folder.path(), |_| true).unwrap();
        for (most, kept, warning) in [
            (6, 5, "1 player is left out, because the file"),
            (3, 3, "3 players are left out"),
        ] {
            let mut warnings = Vec::new();
            assert_eq!(
                players_in(
                    &Files::Disk,
                    &entries,
                    &BTreeMap::new(),
                    most,
                    &mut warnings
                )
                .len(),
                kept
            );

            assert!(
                warnings.len() == 1 && warnings[0].starts_with(warning),
                "{warnings:?}"
            );
        }
    }

    #[test]
    fn names_beyond_the_bound_are_counted() {
        let of_game: Vec<String> = (0..9)
            .map(|number| format!(r#"{{"uuid": "{}", "name": "n{number}"}}"#, uuid(number)))
            .collect();
        let of_forge: Vec<String> = (0..9)
            .map(|number| format!(r#""{}": "n{number}""#, uuid(number)))
            .collect();

        let long = format!(
            r#"{{"{}": "{}", "no id": "n"}}"#,
            uuid(1),
            "n".repeat(MAX_NAME + 1)
        );

        for (list, kept, beyond, fault) in [
            (format!("[{}]", of_game.join(",")), 3, 6, ""),
            (format!("{{{}}}", of_forge.join(",")), 3, 6, ""),
            (long, 0, 1, ""),
            (format!("[{}", of_game[0]), 1, 0, "EOF"),
            ("{".repeat(9), 0, 0, "key must be a string"),
            (
                format!("[{}]{}", of_game[0], " ".repeat(MAX_NAMES_BYTES as usize)),
                1,
                0,
                "more than 64 MiB",
            ),
        ] {
            let (mut names, mut reason) = (BTreeMap::new(), String::new());
            let list_of = NameList {
                names: &mut names,
                most: 3,
                left_out: 0,
            };

            let left_out = list_of.read(list.as_bytes(), |fault| reason = fault);
            assert_eq!(
                (names.len(), left_out),
                (kept, beyond),
                "{}",
                &list[..80.min(list.len())]
            );

            assert!(
                reason.contains(fault) && reason.is_empty() == fault.is_empty(),
                "{reason}"
            );
        }
    }
}
