//! Summarizes a world for a list of worlds, from level.dat and the lengths of its files. No region
//! is read.

use std::path::{Path, PathBuf};

use crate::save::bedrock::database::stored_name;
use crate::save::dat::Dat;
use crate::save::left_out::LeftOut;
use crate::save::level::level_dat::Level;
use crate::save::level_files::LEVEL_FILES;
use crate::save::world::World;
use crate::save::world_archive::open_files;
use pixelmap_base::files::Files;

/// An entry of a list of worlds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldSummary {
    pub folder: PathBuf,
    /// The name that players see, or else the name of the folder.
    pub name: String,
    pub is_bedrock: bool,
    /// The version of the game that last saved it; absent before 1.9.
    pub version: Option<String>,
    /// In milliseconds since 1970.
    pub last_played: Option<i64>,
}

impl WorldSummary {
    /// Reads level.dat of a world, or the backup next to it; `None`: neither can be read.
    pub fn read(folder: &Path) -> Option<Self> {
        let files = open_files(folder).ok()?;
        let dat = LEVEL_FILES
            .iter()
            .find_map(|name| Dat::open(&files, &folder.join(name)).ok())?;
        let level = Level::new(&dat, &mut LeftOut::default());
        let name = if dat.is_bedrock {
            stored_name(&files, folder).or(level.name)
        } else {
            level.name
        };

        Some(Self {
            folder: folder.to_owned(),
            name: name
                .filter(|name| !name.trim().is_empty())
                .unwrap_or_else(|| folder_name(folder)),
            is_bedrock: dat.is_bedrock,
            version: level.version_name,
            last_played: level.last_played,
        })
    }

    /// Returns the total length of all its files.
    pub fn bytes(&self) -> u64 {
        open_files(&self.folder).map_or(0, |files| bytes_below(&files, &self.folder))
    }

    /// Returns whether the world or its folder has this name. Case is ignored.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.name.to_lowercase() == name || folder_name(&self.folder).to_lowercase() == name
    }

    /// Returns whether its name, or the name of its folder, contains this text. Case is ignored.
    pub(crate) fn has_in_name(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        self.name.to_lowercase().contains(&part)
            || folder_name(&self.folder).to_lowercase().contains(&part)
    }
}

fn folder_name(folder: &Path) -> String {
    folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

impl World {
    /// Returns the total length of all files in its folder.
    pub fn bytes(&self) -> u64 {
        bytes_below(&self.files, &self.folder)
    }
}

/// Returns the total length of all files in a folder. Links are not followed.
fn bytes_below(files: &Files, folder: &Path) -> u64 {
    let Ok(entries) = files.list(folder) else {
        return 0;
    };

    let entries = entries.flatten().filter(|entry| !entry.is_link);
    entries
        .map(|entry| {
            if entry.is_folder {
                bytes_below(files, &entry.path)
            } else {
                files.facts(&entry.path).map_or(0, |facts| facts.bytes())
            }
        })
        .sum()
}
