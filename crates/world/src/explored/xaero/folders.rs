//! Finds region files: `<world>/<dimension>/<map>/X_Z.zip`, and the ones of caves in
//! `<map>/caves/<layer>/X_Z.zip`.
//!
//! The given folder may be each of these levels. A dimension has several maps if a server has
//! several worlds of the same dimension, such as a lobby.

use std::io;
use std::path::{Path, PathBuf};

use crate::explored::found::{FoundDimension, FoundFile, FoundFolder};
use crate::explored::listing::{name_of, sorted};
use crate::explored::xaero::waypoint_folders;
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::{Files, FolderEntry};

/// The folder of cave layers.
const CAVES: &str = "caves";
/// The start of the name of a server's folder.
const SERVER: &str = "Multiplayer_";
/// The folders in which the mod keeps the folders of worlds. These are searched only to suggest a
/// folder in a message.
const AROUND: [&str; 4] = ["xaero", "world-map", "XaeroWorldMap", "minecraft"];

/// Finds the region files in a folder.
///
/// # Errors
/// Fails if the folder cannot be listed.
pub(super) fn find(files: &Files, folder: &Path) -> io::Result<FoundFolder> {
    let full = files.full_path(folder)?;
    let own_name = name_of(&full);
    let parent = full.parent();

    let mut warnings = Vec::new();
    let regions = regions_of_map(files, folder)?;
    if !regions.is_empty() {
        let above = parent.map(name_of).unwrap_or_default();
        let is_dimension = dimension(&own_name).is_some();
        let (id, world, map) = if is_dimension {
            (own_name, parent, None)
        } else {
            (above, parent.and_then(Path::parent), Some(own_name))
        };

        let map = FoundMap {
            name: map,
            files: regions,
        };
        return Ok(FoundFolder {
            name: world_name(world, &full),
            dimensions: vec![map.of_dimension(files, world, &id, &mut warnings)],
            warnings,
            ..FoundFolder::default()
        });
    }

    if let Some(map) = map_of_dimension(files, folder, &mut warnings)? {
        return Ok(FoundFolder {
            name: world_name(parent, &full),
            dimensions: vec![map.of_dimension(files, parent, &own_name, &mut warnings)],
            warnings,
            ..FoundFolder::default()
        });
    }

    let dimensions = dimensions_of_world(files, folder, &full, &mut warnings)?;
    let inside = if dimensions.is_empty() {
        worlds_inside(files, folder, AROUND.len())?
    } else {
        Vec::new()
    };

    Ok(FoundFolder {
        name: world_name(Some(&full), &full),
        dimensions,
        inside,
        warnings,
    })
}

/// The region files of a map.
struct FoundMap {
    /// The name of its folder; absent: the files are in the folder of the dimension.
    name: Option<String>,
    files: Vec<FoundFile>,
}

impl FoundMap {
    /// Adds the facts of the dimension: the name of its folder, and the folder of its world.
    fn of_dimension(
        self,
        files: &Files,
        world: Option<&Path>,
        folder: &str,
        warnings: &mut Vec<String>,
    ) -> FoundDimension {
        let name = dimension(folder).unwrap_or_else(|| "overworld".to_owned());
        let waypoint_files = world.map_or_else(Vec::new, |world| {
            waypoint_folders::find(files, world, &name, self.name.as_deref(), warnings)
        });

        FoundDimension {
            name,
            files: self.files,
            waypoint_files,
        }
    }
}

/// Returns a name of the dimension in a folder with this name; `None`: it is not the folder of a
/// dimension.
fn dimension(folder: &str) -> Option<String> {
    if folder == "null" {
        return Some("overworld".to_owned());
    }

    if let Some((namespace, path)) = folder.split_once('$') {
        let is_map = map_name(folder);
        return (!is_map).then(|| format!("{namespace}:{}", path.replace('%', "/")));
    }

    let number = folder.strip_prefix("DIM")?;
    plain_number(number).map(|_| folder.to_owned())
}

/// Returns whether a folder with this name is one of the maps of a dimension.
fn map_name(folder: &str) -> bool {
    let is_spawn = || {
        let numbers = folder.strip_prefix("mw").unwrap_or_default().split(',');
        let mut count = 0;
        let all = numbers
            .inspect(|_| count += 1)
            .all(|part| plain_number(part).is_some());
        all && count == 3
    };

    folder.starts_with("mw$") || folder.starts_with("cm$") || is_spawn()
}

/// Returns the name of a world as players know it, from its folder.
fn world_name(world: Option<&Path>, given: &Path) -> String {
    let name = name_of(world.unwrap_or(given));
    match name.strip_prefix(SERVER) {
        Some(address) => address.to_owned(),
        None => name
            .trim_start_matches("^e^")
            .replace("^us^", "_")
            .replace("%lb%", "[")
            .replace("%rb%", "]"),
    }
}

/// Finds the regions of all dimensions of a world. `full` is the absolute path of its folder.
fn dimensions_of_world(
    files: &Files,
    world: &Path,
    full: &Path,
    warnings: &mut Vec<String>,
) -> io::Result<Vec<FoundDimension>> {
    let mut found = Vec::new();
    for entry in sorted(files, world)? {
        if !entry.is_folder {
            continue;
        }

        if dimension(&entry.name).is_none() {
            continue;
        }

        let map = match map_of_dimension(files, &entry.path, warnings)? {
            Some(map) => map,
            None => FoundMap {
                name: None,
                files: regions_of_map(files, &entry.path)?,
            },
        };

        if !map.files.is_empty() {
            found.push(map.of_dimension(files, Some(full), &entry.name, warnings));
        }
    }

    Ok(found)
}

/// Finds the map of a dimension that has the most regions; `None`: no map has any. Warns of other
/// maps, because they probably show other worlds.
fn map_of_dimension(
    files: &Files,
    folder: &Path,
    warnings: &mut Vec<String>,
) -> io::Result<Option<FoundMap>> {
    let mut best: Option<(FolderEntry, Vec<FoundFile>)> = None;
    let mut others = Vec::new();
    for entry in sorted(files, folder)? {
        if !entry.is_folder || !map_name(&entry.name) {
            continue;
        }

        let regions = regions_of_map(files, &entry.path)?;
        let most = best.as_ref().map_or(0, |(_, regions)| regions.len());
        if regions.len() > most {
            others.extend(best.replace((entry, regions)).map(|(entry, _)| entry));
        } else if !regions.is_empty() {
            others.push(entry);
        }
    }

    let Some((chosen, regions)) = best else {
        return Ok(None);
    };

    for other in others {
        warnings.push(format!(
            "{} is left out, because {} has more regions: give its folder to draw it",
            other.path.display(),
            chosen.name
        ));
    }

    Ok(Some(FoundMap {
        name: Some(chosen.name),
        files: regions,
    }))
}

/// Finds the regions of a map, of the surface and of all cave layers.
fn regions_of_map(files: &Files, folder: &Path) -> io::Result<Vec<FoundFile>> {
    let mut found = Vec::new();
    let mut has_caves = false;
    for entry in sorted(files, folder)? {
        has_caves |= entry.is_folder && entry.name == CAVES;
        found.extend(region_file(entry, None));
    }

    if has_caves {
        for layer in sorted(files, &folder.join(CAVES))? {
            if !layer.is_folder {
                continue;
            }

            let Some(number) = plain_number(&layer.name) else {
                continue;
            };

            let regions = sorted(files, &layer.path)?;
            let regions = regions.into_iter();
            found.extend(regions.filter_map(|entry| region_file(entry, Some(number))));
        }
    }

    Ok(found)
}

/// Returns the region file that an entry of a folder is; `None`: it is something else, such as a
/// copy that a program for backups has made.
fn region_file(entry: FolderEntry, cave_layer: Option<i32>) -> Option<FoundFile> {
    let stem = entry.name.strip_suffix(".zip");
    let stem = stem.or_else(|| entry.name.strip_suffix(".xaero"))?;
    let (x, z) = stem.split_once('_')?;
    let region = RegionPos {
        x: plain_number(x)?,
        z: plain_number(z)?,
    };

    (!entry.is_folder).then_some(FoundFile {
        region,
        path: entry.path,
        cave_layer,
    })
}

fn plain_number(text: &str) -> Option<i32> {
    let number: i32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Returns the folders of worlds, at most `levels` levels below a folder.
fn worlds_inside(files: &Files, folder: &Path, levels: usize) -> io::Result<Vec<PathBuf>> {
    let mut worlds = Vec::new();
    for entry in sorted(files, folder)? {
        if !entry.is_folder {
            continue;
        }

        let dimensions = dimensions_of_world(files, &entry.path, &entry.path, &mut Vec::new())?;
        let is_world = !dimensions.is_empty();
        if is_world {
            worlds.push(entry.path);
        } else if levels > 1 && AROUND.contains(&&*entry.name) {
            worlds.extend(worlds_inside(files, &entry.path, levels - 1)?);
        }
    }

    Ok(worlds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dimensions_have_names() {
        assert_eq!(
            dimension("mod$sky%islands").as_deref(),
            Some("mod:sky/islands")
        );
        assert_eq!(dimension("mw$default"), None);
    }
}
