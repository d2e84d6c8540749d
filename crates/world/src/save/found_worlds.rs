//! Finds the worlds below a folder: world folders, and archives in which there may be worlds.

use std::hash::Hasher as _;
use std::io;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use crate::bytes::Stamp;
use crate::save::bedrock::database::has_database;
use crate::save::dimensions::listing;
use crate::save::entries;
use crate::save::error::WorldError;
use crate::save::foreign_formats::is_read_archive;
use crate::save::layout;
use crate::save::level_files::has_level;
use crate::save::world_archive::open_files;
use crate::save::zvcr;
use pixelmap_base::files::Files;

/// A place below a folder where there is a world, or may be worlds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldPlace {
    pub path: PathBuf,
    /// Whether it is an archive, which may have several worlds or none.
    pub is_archive: bool,
}

impl WorldPlace {
    /// Returns a number that changes when a file of the world changes: its length or its time. The
    /// split folders of Bukkit servers next to a world belong to it.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed, or a file cannot be found.
    pub fn state(&self) -> io::Result<u64> {
        let mut hasher = XxHash3_64::new();
        if self.is_archive {
            add_file(&mut hasher, &self.path)?;
            return Ok(hasher.finish());
        }

        let mut folders = layout::split_folders(&self.path);
        folders.push(self.path.clone());
        while let Some(folder) = folders.pop() {
            if !Files::Disk.is_folder(&folder) {
                continue;
            }
            for entry in entries::list(&Files::Disk, &folder, |entry| !entry.is_link)? {
                if entry.is_folder {
                    folders.push(entry.path);
                } else {
                    hasher.write(entry.path.as_os_str().as_encoded_bytes());
                    add_file(&mut hasher, &entry.path)?;
                }
            }
        }
        Ok(hasher.finish())
    }
}

fn add_file(hasher: &mut XxHash3_64, path: &Path) -> io::Result<()> {
    let stamp = Stamp::new(&Files::Disk.facts(path)?);
    hasher.write(&stamp.len.to_le_bytes());
    hasher.write(&stamp.modified.to_le_bytes());
    Ok(())
}

/// Finds the worlds at most `depth` folders below a folder, sorted by path. Links are not followed,
/// and the folders inside a world are not searched, nor is the folder `except`. Adds a warning for
/// each folder that cannot be listed.
///
/// # Errors
/// Fails if a folder cannot be listed now, but perhaps later.
pub fn find_worlds(
    folder: &Path,
    depth: u32,
    except: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<WorldPlace>, WorldError> {
    let mut places = Vec::new();
    let mut folders = vec![(folder.to_owned(), depth)];

    while let Some((folder, depth)) = folders.pop() {
        if is_world(&folder)? {
            places.push(WorldPlace {
                path: folder,
                is_archive: false,
            });
            continue;
        }

        let listed = entries::list(&Files::Disk, &folder, |entry| !entry.is_link);
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => {
                warnings.push(format!("{} cannot be listed: {error}", folder.display()));
                WorldError::ok_unless_retryable::<()>(&folder, Err(error))?;
                continue;
            }
        };

        for entry in listed {
            if !entry.is_folder && is_read_archive(&entry.name) {
                places.push(WorldPlace {
                    path: entry.path,
                    is_archive: true,
                });
            } else if entry.is_folder && depth > 0 && !is_same(&entry.path, except) {
                folders.push((entry.path, depth - 1));
            }
        }
    }

    places.sort_by(|a, b| a.path.cmp(&b.path));
    let worlds = places.iter().filter(|place| !place.is_archive);
    let worlds = worlds.map(|place| place.path.clone()).collect();
    places.retain(|place| place.is_archive || !layout::is_split_from(&worlds, &place.path));
    Ok(places)
}

/// Returns whether a path leads to the folder `full`, which is an absolute path without links.
fn is_same(path: &Path, full: &Path) -> bool {
    path.file_name() == full.file_name()
        && Files::Disk.full_path(path).is_ok_and(|path| path == full)
}

/// Returns whether a folder is a world or a dimension, by the names in it.
fn is_world(folder: &Path) -> Result<bool, WorldError> {
    let files = &Files::Disk;
    Ok(has_level(files, folder)
        || has_database(files, folder)?
        || listing::has_regions(files, folder)?
        || listing::has_regions(files, &folder.join("region"))?
        || listing::has_regions(files, &folder.join("dimensions/minecraft/overworld/region"))?
        || zvcr::is_world(folder))
}

/// Lists the worlds in an archive. The path of the archive itself is the path of a world at its
/// top.
///
/// # Errors
/// Fails if the archive cannot be read.
pub fn worlds_in(archive: &Path) -> Result<Vec<PathBuf>, WorldError> {
    let files = open_files(archive).map_err(|error| WorldError::unopened(archive, error))?;
    files.archive().map_or_else(
        || Ok(Vec::new()),
        |own| layout::worlds_in_archive(&files, own),
    )
}
