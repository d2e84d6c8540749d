//! Finds the worlds on this machine: in the folders of the game, of launchers, and of a server in
//! or above the current folder.
//!
//! Sources: the help pages of the launchers, and their folders on each system. `*` matches any
//! folder.

#![expect(
    clippy::disallowed_methods,
    reason = "a list for people: a folder that cannot be read is left out"
)]

use std::collections::HashSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::save::WorldSummary;

/// The folders that are searched.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder where programs keep data: `$XDG_DATA_HOME`, `Library/Application Support` or
    /// `%APPDATA%`.
    pub data: Option<PathBuf>,
    /// `%LOCALAPPDATA%` of Windows.
    pub local: Option<PathBuf>,
    /// The current folder.
    pub current: Option<PathBuf>,
}

/// Folders of worlds below the user's home folder.
const IN_HOME: [&str; 10] = [
    ".minecraft/saves",
    ".minecraft/versions/*/saves",
    ".var/app/com.mojang.Minecraft/.minecraft/saves",
    ".var/app/org.prismlauncher.PrismLauncher/data/PrismLauncher/instances/*/.minecraft/saves",
    ".var/app/org.prismlauncher.PrismLauncher/data/PrismLauncher/instances/*/minecraft/saves",
    ".var/app/com.modrinth.ModrinthApp/data/ModrinthApp/profiles/*/saves",
    ".var/app/io.mrarm.mcpelauncher/data/mcpelauncher/games/com.mojang/minecraftWorlds",
    "curseforge/minecraft/Instances/*/saves",
    "Documents/curseforge/minecraft/Instances/*/saves",
    "MultiMC/instances/*/.minecraft/saves",
];

/// Folders of worlds below the folder where programs keep data.
const IN_DATA: [&str; 12] = [
    ".minecraft/saves",
    ".minecraft/versions/*/saves",
    "minecraft/saves",
    "minecraft/versions/*/saves",
    "PrismLauncher/instances/*/.minecraft/saves",
    "PrismLauncher/instances/*/minecraft/saves",
    "multimc/instances/*/.minecraft/saves",
    "ModrinthApp/profiles/*/saves",
    "com.modrinth.theseus/profiles/*/saves",
    "mcpelauncher/games/com.mojang/minecraftWorlds",
    "Minecraft Bedrock/Users/*/games/com.mojang/minecraftWorlds",
    "Minecraft Bedrock Preview/Users/*/games/com.mojang/minecraftWorlds",
];

/// Folders of worlds below `%LOCALAPPDATA%` of Windows.
const IN_LOCAL: [&str; 2] = [
    "Packages/Microsoft.MinecraftUWP_8wekyb3d8bbwe/LocalState/games/com.mojang/minecraftWorlds",
    "Packages/Microsoft.MinecraftWindowsBeta_8wekyb3d8bbwe/LocalState/games/com.mojang/minecraftWorlds",
];

/// The number of folders that may belong to a server: the current folder and its nearest ancestors.
const ABOVE: usize = 4;
/// A file that servers of both editions have in their folder.
const SERVER_FILE: &str = "server.properties";
/// The folder of worlds in the folder of a Bedrock Edition server.
const SERVER_WORLDS: &str = "worlds";
/// The suffixes of the folders that Bukkit servers split from a world.
const SPLIT: [&str; 2] = ["_nether", "_the_end"];

impl Places {
    /// Returns the folders of this user and process.
    pub fn from_environment() -> Self {
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let data = if cfg!(windows) {
            folder_from("APPDATA")
        } else if cfg!(target_os = "macos") {
            home.as_ref()
                .map(|home| home.join("Library/Application Support"))
        } else {
            folder_from("XDG_DATA_HOME")
                .or_else(|| home.as_ref().map(|home| home.join(".local/share")))
        };

        Self {
            home,
            data,
            local: folder_from("LOCALAPPDATA"),
            current: env::current_dir().ok(),
        }
    }

    /// Finds the worlds, the most recently played first.
    pub fn worlds(&self) -> Vec<WorldSummary> {
        let mut seen = HashSet::new();
        let mut worlds = Vec::new();
        for folder in self.folders() {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            if !is_split(&folder) && seen.insert(real) {
                worlds.extend(WorldSummary::read(&folder));
            }
        }

        worlds.sort_by(|a, b| (b.last_played, &a.folder).cmp(&(a.last_played, &b.folder)));
        worlds
    }

    /// Finds the worlds with a name, ignoring case. If there are none, finds the worlds whose names
    /// contain it.
    pub fn named(&self, name: &str) -> Vec<WorldSummary> {
        let mut worlds = self.worlds();
        if worlds.iter().any(|world| world.is_named(name)) {
            worlds.retain(|world| world.is_named(name));
        } else {
            worlds.retain(|world| world.has_in_name(name));
        }
        worlds
    }

    /// Returns the folders that may be worlds.
    fn folders(&self) -> Vec<PathBuf> {
        let lists = [
            (&self.home, IN_HOME.as_slice()),
            (&self.data, &IN_DATA),
            (&self.local, &IN_LOCAL),
        ];

        let mut folders = Vec::new();
        for (place, patterns) in lists {
            let Some(place) = place else { continue };
            let saves = patterns.iter().flat_map(|pattern| matching(place, pattern));
            folders.extend(saves.flat_map(|saves| subfolders(&saves)));
        }

        if let Some(current) = &self.current {
            folders.extend(subfolders(current));
            for above in current.ancestors().take(ABOVE) {
                folders.push(above.to_owned());
                if above.join(SERVER_FILE).is_file() {
                    folders.extend(subfolders(above));
                    folders.extend(subfolders(&above.join(SERVER_WORLDS)));
                }
            }
        }

        folders
    }
}

/// Returns the folder that a variable of the environment names, unless the variable is empty.
fn folder_from(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Returns the folders that match a pattern.
fn matching(place: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut folders = vec![place.to_owned()];
    for part in pattern.split('/') {
        folders = match part {
            "*" => folders
                .iter()
                .flat_map(|folder| subfolders(folder))
                .collect(),
            name => folders
                .iter()
                .map(|folder| folder.join(name))
                .filter(|folder| folder.is_dir())
                .collect(),
        };
    }

    folders
}

/// Returns the folders in a folder, sorted by name; empty if it cannot be read.
fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Returns whether a folder was split from the world next to it.
fn is_split(folder: &Path) -> bool {
    let name = folder
        .file_name()
        .and_then(OsStr::to_str)
        .unwrap_or_default();
    let worlds = SPLIT.iter().filter_map(|end| name.strip_suffix(end));
    worlds
        .map(|world| folder.with_file_name(world))
        .any(|world| world.join("level.dat").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a temporary folder that contains these folders.
    fn tree(paths: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for path in paths {
            fs::create_dir_all(root.path().join(path)).unwrap();
        }
        root
    }

    #[test]
    fn every_place_of_every_launcher_is_looked_in() {
        let home: Vec<String> = IN_HOME
            .map(|pattern| pattern.replace('*', "one") + "/W")
            .into();
        let data: Vec<String> = IN_DATA
            .map(|pattern| format!("data/{}/W", pattern.replace('*', "one")))
            .into();

        let local: Vec<String> = IN_LOCAL.map(|pattern| format!("local/{pattern}/W")).into();
        let paths: Vec<&str> = [&home, &data, &local]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();

        let root = tree(&paths);
        let place = |path: &str| Some(root.path().join(path));
        let places = Places {
            home: place(""),
            data: place("data"),
            local: place("local"),
            current: None,
        };

        let folders = places.folders();
        for path in paths {
            assert!(
                folders.contains(&root.path().join(path)),
                "{path}: {folders:?}"
            );
        }
    }

    #[test]
    fn a_server_is_found_from_inside_its_folders() {
        let root = tree(&[
            "server/world/region",
            "server/worlds/Level",
            "server/plugins/deep",
            "other/world",
        ]);

        let current = Some(root.path().join("server/plugins/deep"));
        let places = Places {
            current,
            ..Places::default()
        };
        assert!(!places.folders().contains(&root.path().join("server/world")));

        fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(root.path().join("server").join(SERVER_FILE))
            .unwrap();

        let folders = places.folders();
        for path in ["server/world", "server/worlds/Level", "server/plugins/deep"] {
            assert!(folders.contains(&root.path().join(path)), "{path}");
        }

        assert!(!folders.contains(&root.path().join("other/world")));
    }

    #[test]
    fn split_dimensions_are_not_listed_as_worlds() {
        let root = tree(&["world", "world_nether", "alone_nether"]);
        fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(root.path().join("world/level.dat"))
            .unwrap();
        let splits =
            ["world", "world_nether", "alone_nether"].map(|name| is_split(&root.path().join(name)));
        assert_eq!(splits, [false, true, false]);
    }
}
