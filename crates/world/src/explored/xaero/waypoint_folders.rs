//! Finds the waypoint files of Xaero's Minimap that belong to a map of Xaero's World Map:
//! `<world>/<dimension>/<map>_<name>.txt`. Both mods give a world the same name, but keep it in
//! different folders of the game.

use std::path::{Path, PathBuf};

use crate::explored::listing::{name_of, sorted};
use crate::explored::xaero::dimension_folders::dimension_folder;
use pixelmap_base::disk::is_absent;
use pixelmap_base::files::{Files, FolderEntry};

/// The file with the waypoints of all maps of a dimension.
const WHOLE: &str = "waypoints.txt";
/// The start of the names of copies that the mod makes before it changes something.
const BACKUP: &str = "backup";
/// The map that a file without one belongs to.
const DEFAULT_MAP: &str = "mw$default";

/// Finds the waypoint files of a map. `world` is the folder of its world in Xaero's World Map,
/// `dimension` a name of its dimension, and `map` the name of its folder, if it has one. Returns none
/// if the folder is not where the mod keeps it, because files elsewhere may belong to
/// another player. Warns of a folder that exists but cannot be listed.
pub(super) fn find(
    files: &Files,
    world: &Path,
    dimension: &str,
    map: Option<&str>,
    warnings: &mut Vec<String>,
) -> Vec<PathBuf> {
    for waypoints in folders_of_world(world) {
        for name in folders_of_dimension(dimension) {
            let folder = waypoints.join(name);
            let entries = match sorted(files, &folder) {
                Ok(entries) => entries,
                Err(error) => {
                    if !is_absent(&error) {
                        warnings.push(format!(
                            "{} cannot be listed, so its waypoints are left out: {error}",
                            folder.display()
                        ));
                    }
                    continue;
                }
            };

            let own = entries.into_iter().filter(|entry| is_of_map(entry, map));
            let paths: Vec<PathBuf> = own.map(|entry| entry.path).collect();
            if !paths.is_empty() {
                return paths;
            }
        }
    }

    Vec::new()
}

/// Returns the folders that may have the waypoints of a world, the newest form first.
fn folders_of_world(world: &Path) -> Vec<PathBuf> {
    let Some((root, name)) = world.parent().zip(world.file_name()) else {
        return Vec::new();
    };
    let Some(around) = root.parent() else {
        return Vec::new();
    };

    let root_name = name_of(root);
    let game = if root_name == "world-map" && name_of(around) == "xaero" {
        around.parent()
    } else if root_name == "XaeroWorldMap" {
        Some(around)
    } else {
        None
    };

    let Some(game) = game else { return Vec::new() };
    ["xaero/minimap", "XaeroWaypoints"]
        .map(|root| game.join(root).join(name))
        .to_vec()
}

/// Returns the names that the folder of a dimension may have, the newest form first.
fn folders_of_dimension(id: &str) -> Vec<String> {
    let old_name = match id {
        "overworld" => Some("Overworld"),
        "the_nether" | "DIM-1" => Some("Nether"),
        "the_end" | "DIM1" => Some("The End"),
        _ => None,
    };

    let newest = waypoint_dimension_folder(id);
    std::iter::once(newest)
        .chain(old_name.map(str::to_owned))
        .collect()
}

/// Returns the name of the folder that has the waypoints of a dimension, whatever characters its id
/// has.
pub fn waypoint_dimension_folder(id: &str) -> String {
    let folder = dimension_folder(id);
    let name = match folder.strip_prefix("DIM") {
        _ if folder == "null" => "0",
        Some(number) if number.parse::<i32>().is_ok() => number,
        _ => &folder,
    };
    format!("dim%{name}")
}

/// Returns whether an entry is a waypoint file of a map.
fn is_of_map(entry: &FolderEntry, map: Option<&str>) -> bool {
    let Some(stem) = entry.name.strip_suffix(".txt") else {
        return false;
    };
    if entry.is_folder || entry.name.starts_with(BACKUP) {
        return false;
    }

    let map = map.unwrap_or(DEFAULT_MAP);
    let below = stem.strip_prefix(map);
    entry.name == WHOLE || below.is_some_and(|name| name.is_empty() || name.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waypoints_are_found_next_to_their_map() {
        let texts = |world: &str| {
            let folders = folders_of_world(Path::new(world));
            folders
                .iter()
                .map(|folder| folder.display().to_string())
                .collect::<Vec<_>>()
        };
        let both = ["/game/xaero/minimap/W", "/game/XaeroWaypoints/W"];
        assert_eq!(texts("/game/xaero/world-map/W"), both);
        assert_eq!(texts("/game/XaeroWorldMap/W"), both);
        for other in ["/copies/W", "/game/world-map/W", "W", ""] {
            assert!(texts(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn dimensions_have_names_of_the_minimap() {
        for (id, folder) in [
            ("overworld", "dim%0"),
            ("the_nether", "dim%-1"),
            ("the_end", "dim%1"),
            ("DIM7", "dim%7"),
            ("mod:sky/islands", "dim%mod$sky%islands"),
            ("../x", "dim%..%x"),
        ] {
            assert_eq!(waypoint_dimension_folder(id), folder, "{id}");
        }
    }

    #[test]
    fn files_of_other_maps_are_left_out() {
        let is_found = |name: &str, map: Option<&str>| {
            let entry = FolderEntry {
                name: name.to_owned(),
                path: PathBuf::from(name),
                is_link: false,
                is_folder: false,
            };
            is_of_map(&entry, map)
        };

        for name in ["mw$default_1.txt", "mw$default_a%us%b.txt", "waypoints.txt"] {
            assert!(is_found(name, Some("mw$default")), "{name}");
            assert!(is_found(name, None), "{name}");
        }
        for name in [
            "mw$defaults_1.txt",
            "mw$7_1.txt",
            "backup-mw$default_1.txt",
            "config",
        ] {
            assert!(!is_found(name, Some("mw$default")), "{name}");
        }
        assert!(is_found("mw1,2,-3_1.txt", Some("mw1,2,-3")));
        assert!(!is_found("mw1,2,-3_1.txt", Some("mw1,2,-33")));
    }
}
