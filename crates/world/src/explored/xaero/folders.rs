//! Finds region files: `<world>/<dimension>/<map>/X_Z.zip`, and the ones of caves in
//! `<map>/caves/<layer>/X_Z.zip`.
//!
//! The given folder may be each of these levels. A dimension has several maps if a server has
//! several worlds of the same dimension, such as a lobby.

use std::io;
use std::path::{Path, PathBuf};

use crate::explored::found::{FoundDimension, FoundFile, FoundFolder};
use crate::explored::listing::{name_of, sorted};
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

    let regions = regions_of_map(files, folder)?;
    if !regions.is_empty() {
        let above = parent.map(name_of).unwrap_or_default();
        let is_dimension = dimension(&own_name).is_some();
        let (id, world) = if is_dimension {
            (own_name, parent)
        } else {
            (above, parent.and_then(Path::parent))
        };

        return Ok(FoundFolder {
            name: world_name(world, &full),
            dimensions: vec![found_dimension(&id, regions)],
            ..FoundFolder::default()
        });
    }

    let mut warnings = Vec::new();
    let regions = regions_of_dimension(files, folder, &mut warnings)?;
    if !regions.is_empty() {
        return Ok(FoundFolder {
            name: world_name(parent, &full),
            dimensions: vec![found_dimension(&own_name, regions)],
            warnings,
            ..FoundFolder::default()
        });
    }

    let dimensions = dimensions_of_world(files, folder, &mut warnings)?;
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

fn found_dimension(folder: &str, files: Vec<FoundFile>) -> FoundDimension {
    let name = dimension(folder).unwrap_or_else(|| "overworld".to_owned());
    FoundDimension { name, files }
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

/// Returns the name of the folder of a dimension, whatever characters its id has.
pub fn dimension_folder(id: &str) -> String {
    match id {
        "overworld" => "null".to_owned(),
        "the_nether" => "DIM-1".to_owned(),
        "the_end" => "DIM1".to_owned(),
        _ => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            let parts = id.replace(':', "$").replace('/', "%");
            let name = parts.replace(|c: char| !is_plain(c) && c != '$' && c != '%', "_");
            let is_dots = name.chars().all(|c| c == '.');
            if is_dots { format!("_{name}") } else { name }
        }
    }
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

/// Finds the regions of all dimensions of a world.
fn dimensions_of_world(
    files: &Files,
    world: &Path,
    warnings: &mut Vec<String>,
) -> io::Result<Vec<FoundDimension>> {
    let mut found = Vec::new();
    for entry in sorted(files, world)? {
        if !entry.is_folder {
            continue;
        }

        let Some(name) = dimension(&entry.name) else {
            continue;
        };

        let mut regions = regions_of_dimension(files, &entry.path, warnings)?;
        if regions.is_empty() {
            regions = regions_of_map(files, &entry.path)?;
        }

        if !regions.is_empty() {
            found.push(FoundDimension {
                name,
                files: regions,
            });
        }
    }

    Ok(found)
}

/// Finds the regions of a dimension: the ones of the map that has the most. Warns of other maps,
/// because they probably show other worlds.
fn regions_of_dimension(
    files: &Files,
    folder: &Path,
    warnings: &mut Vec<String>,
) -> io::Result<Vec<FoundFile>> {
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
        return Ok(Vec::new());
    };

    for other in others {
        warnings.push(format!(
            "{} is left out, because {} has more regions: give its folder to draw it",
            other.path.display(),
            chosen.name
        ));
    }

    Ok(regions)
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

        let is_world = !dimensions_of_world(files, &entry.path, &mut Vec::new())?.is_empty();
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
    fn folders_of_dimensions_are_safe_names() {
        for (id, folder) in [
            ("overworld", "null"),
            ("the_nether", "DIM-1"),
            ("DIM7", "DIM7"),
            ("mod:sky/islands", "mod$sky%islands"),
            ("a b\\c|d", "a_b_c_d"),
            ("..", "_.."),
            ("../x", "..%x"),
        ] {
            assert_eq!(dimension_folder(id), folder, "{id}");
        }

        assert_eq!(
            dimension("mod$sky%islands").as_deref(),
            Some("mod:sky/islands")
        );
    }
}
