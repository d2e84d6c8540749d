//! Lists the pictures in players' folders: `<dimension>/<kind>/<x>,<z>.png`. Reads names, lengths
//! and times only; the pictures themselves are opened when a map is drawn.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::import::error::ImportError;
use crate::import::explored_world::{ExploredDimension, ExploredWorld, Pictures};
use crate::import::picture::{Picture, PictureKind, file_name};
use pixelmap_base::coord::RegionPos;
use pixelmap_base::disk::{facts, full_path, is_folder};
use pixelmap_world::internal::{ReservedNames, dimension_id};

/// The names of the folders in which the mod keeps the folders of worlds and servers. Only used to
/// suggest a folder when the named one has no pictures.
const AROUND: [&str; 4] = ["journeymap", "data", "mp", "sp"];

type Layers = BTreeMap<PictureKind, Pictures>;

/// Finds the pictures in all folders. The pictures of a region are sorted with the newest first;
/// pictures of the same time are in the order in which their folders were named.
pub(super) fn read_pictures(
    folders: &[PathBuf],
    reserved: ReservedNames,
) -> Result<ExploredWorld, ImportError> {
    let mut dimensions: BTreeMap<String, Layers> = BTreeMap::new();
    let mut warnings = Vec::new();
    for folder in folders {
        let mut has_some = false;
        for below in list(folder)? {
            if !is_folder(&below.path()).map_err(unreadable(&below.path()))? {
                continue;
            }

            let layers = read_dimension(&below.path())?;
            if layers.is_empty() {
                continue;
            }

            has_some = true;

            match folder_dimension(&below.file_name().to_string_lossy(), reserved) {
                Ok(id) => add_layers(dimensions.entry(id).or_default(), layers),
                Err(why) => warnings.push(format!("left out: {}: {why}", below.path().display())),
            }
        }

        if !has_some {
            return Err(ImportError::NoPictures(
                folder.clone(),
                find_below(folder, AROUND.len()),
            ));
        }
    }

    for pictures in dimensions
        .values_mut()
        .flat_map(BTreeMap::values_mut)
        .flat_map(BTreeMap::values_mut)
    {
        pictures.sort_by_key(|picture| std::cmp::Reverse(picture.modified));
    }

    Ok(ExploredWorld {
        name: folders
            .first()
            .map(|folder| folder_name(folder))
            .unwrap_or_default(),
        folders: folders.to_vec(),
        dimensions: dimensions
            .into_iter()
            .map(|(id, layers)| ExploredDimension { id, layers })
            .collect(),
        waypoints: Vec::new(),
        warnings,
    })
}

/// Returns the id of the dimension in a folder of this name: `DIM-1`, `the_nether`, or an id whose
/// letters a file name cannot contain are escaped, such as `minecraft%3Athe_nether` or `mod~path`.
///
/// # Errors
/// Returns the reason why a map cannot show the dimension.
fn folder_dimension(name: &str, reserved: ReservedNames) -> Result<String, &'static str> {
    dimension_id(
        &name
            .replace("%3A", ":")
            .replace("%3a", ":")
            .replace('~', ":")
            .replace("%2F", "/"),
        reserved,
    )
}

fn add_layers(all: &mut Layers, more: Layers) {
    for (kind, pictures) in more {
        let of_kind = all.entry(kind).or_default();
        for (region, pictures) in pictures {
            of_kind.entry(region).or_default().extend(pictures);
        }
    }
}

/// Returns the pictures of one dimension; empty if the folder contains something else.
fn read_dimension(folder: &Path) -> Result<Layers, ImportError> {
    let mut layers = Layers::new();
    for below in list(folder)? {
        let Some(kind) = PictureKind::from_folder(&below.file_name().to_string_lossy()) else {
            continue;
        };
        if !is_folder(&below.path()).map_err(unreadable(&below.path()))? {
            continue;
        }

        let folder: Arc<Path> = below.path().into();
        for file in list(&folder)? {
            let Some(region) = region_of_file(&file.file_name().to_string_lossy()) else {
                continue;
            };

            // A file may be deleted while the folder is listed.
            let Some(facts) = facts(&file.path()).map_err(unreadable(&file.path()))? else {
                continue;
            };

            if facts.is_file() {
                let picture = Picture {
                    folder: folder.clone(),
                    len: facts.len(),
                    modified: modified(&facts),
                };

                layers
                    .entry(kind)
                    .or_default()
                    .entry(region)
                    .or_default()
                    .push(picture);
            }
        }
    }

    Ok(layers)
}

/// Returns the region of a picture that is named `X,Z.png`.
fn region_of_file(name: &str) -> Option<RegionPos> {
    let (x, z) = name.strip_suffix(".png")?.split_once(',')?;
    let region = RegionPos {
        x: x.parse().ok()?,
        z: z.parse().ok()?,
    };
    Some(region).filter(|&region| region.is_on_map() && file_name(region) == name)
}

/// Returns when a file was last written, in nanoseconds since 1970, or 0 if the system does not
/// report it.
fn modified(facts: &Metadata) -> i64 {
    let since = facts
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> ImportError {
    let path = path.to_owned();
    move |error| ImportError::Unreadable(path, error)
}

/// Returns the entries of a folder, sorted by name.
fn list(folder: &Path) -> Result<Vec<DirEntry>, ImportError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<DirEntry>>>);
    let mut entries = entries.map_err(unreadable(folder))?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the folders are a hint in a message"
)]
/// Returns the folders with pictures, at most `levels` levels below this folder. Descends only into
/// folders in which the mod keeps worlds.
fn find_below(folder: &Path, levels: usize) -> Vec<PathBuf> {
    let mut worlds = Vec::new();
    for below in list(folder)
        .unwrap_or_default()
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
    {
        let dimensions = list(&below).unwrap_or_default();
        let is_world = dimensions
            .iter()
            .any(|entry| read_dimension(&entry.path()).is_ok_and(|layers| !layers.is_empty()));
        if is_world {
            worlds.push(below);
        } else if levels > 1 && AROUND.contains(&&*folder_name(&below)) {
            worlds.extend(find_below(&below, levels - 1));
        }
    }

    worlds
}

/// Returns the name of a folder as text.
fn folder_name(folder: &Path) -> String {
    let full = full_path(folder);
    full.file_name().map_or_else(
        || full.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESERVED: ReservedNames = ReservedNames {
        at_top: |name| name == "markers",
        in_layer: |_| false,
    };

    #[test]
    fn folders_of_all_versions_are_dimensions() {
        for (folder, id) in [
            ("DIM0", "overworld"),
            ("overworld", "overworld"),
            ("minecraft%3Aoverworld", "overworld"),
            ("minecraft~the_end", "the_end"),
            ("DIM-1", "the_nether"),
            ("DIM7", "DIM7"),
            (
                "twilightforest~twilight_forest",
                "twilightforest:twilight_forest",
            ),
        ] {
            assert_eq!(
                folder_dimension(folder, RESERVED),
                Ok(id.to_owned()),
                "{folder}"
            );
        }

        for folder in ["markers", "..", "a b", "markers~a"] {
            assert!(folder_dimension(folder, RESERVED).is_err(), "{folder}");
        }
    }

    #[test]
    fn files_with_other_names_are_not_pictures() {
        assert_eq!(
            region_of_file("-3,12.png"),
            Some(RegionPos { x: -3, z: 12 })
        );

        for name in [
            "3,4.PNG.png",
            "3_4.png",
            "+3,4.png",
            "03,4.png",
            "3,4",
            "3,4,5.png",
            "70000,0.png",
        ] {
            assert_eq!(region_of_file(name), None, "{name}");
        }

        let kinds = ["day", "-4", "12", "cache", "+1", "300", "Day"].map(PictureKind::from_folder);
        let expected = [
            Some(PictureKind::Day),
            Some(PictureKind::Slice(-4)),
            Some(PictureKind::Slice(12)),
        ];
        assert_eq!(kinds[..3], expected);
        assert!(kinds[3..].iter().all(Option::is_none));
    }
}
