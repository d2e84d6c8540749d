//! Finds region files: `<server>/<dimension>/XXXXX-ZZZZZ.zip`. The given folder may be the one of a
//! server or of a dimension.

use std::io;
use std::path::{Path, PathBuf};

use crate::explored::found::{FoundDimension, FoundFile, FoundFolder};
use crate::explored::ftb_chunks::names::dimension_of_folder;
use crate::explored::listing::{name_of, sorted};
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::Files;

/// The number that the mod adds to the position of a region, so that no name has a sign.
const SHIFT: i32 = 60_000;
/// The digits of a position in a name.
const DIGITS: usize = 5;

/// Returns the name of a region's file.
pub(super) fn file_name(RegionPos { x, z }: RegionPos) -> String {
    let [x, z] = [x, z].map(|number| number.wrapping_add(SHIFT));
    format!("{x:05X}-{z:05X}.zip")
}

/// Finds the region files in a folder.
///
/// # Errors
/// Fails if the folder cannot be listed.
pub(super) fn find(files: &Files, folder: &Path) -> io::Result<FoundFolder> {
    let full = files.full_path(folder)?;
    let parent = full.parent().unwrap_or(&full);

    let regions = regions_in(files, folder)?;
    if !regions.is_empty() {
        return Ok(FoundFolder {
            name: name_of(parent),
            dimensions: vec![FoundDimension {
                name: dimension_of_folder(files, parent, &name_of(&full)),
                files: regions,
                waypoint_files: Vec::new(),
            }],
            ..FoundFolder::default()
        });
    }

    let dimensions = dimensions_in(files, folder)?;
    let inside = if dimensions.is_empty() {
        servers_in(files, folder)?
    } else {
        Vec::new()
    };
    Ok(FoundFolder {
        name: name_of(&full),
        dimensions,
        inside,
        ..FoundFolder::default()
    })
}

fn dimensions_in(files: &Files, server: &Path) -> io::Result<Vec<FoundDimension>> {
    let mut found = Vec::new();
    for entry in sorted(files, server)? {
        if !entry.is_folder {
            continue;
        }

        let regions = regions_in(files, &entry.path)?;
        if !regions.is_empty() {
            found.push(FoundDimension {
                name: dimension_of_folder(files, server, &entry.name),
                files: regions,
                waypoint_files: Vec::new(),
            });
        }
    }
    Ok(found)
}

/// Returns the folders of servers inside a folder.
fn servers_in(files: &Files, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut servers = Vec::new();
    for entry in sorted(files, folder)? {
        if entry.is_folder && !dimensions_in(files, &entry.path)?.is_empty() {
            servers.push(entry.path);
        }
    }
    Ok(servers)
}

fn regions_in(files: &Files, folder: &Path) -> io::Result<Vec<FoundFile>> {
    let entries = sorted(files, folder)?.into_iter();
    let found = entries
        .filter(|entry| !entry.is_folder)
        .filter_map(|entry| {
            Some(FoundFile {
                region: region_of_file(&entry.name)?,
                path: entry.path,
                cave_layer: None,
            })
        });
    Ok(found.collect())
}

fn region_of_file(name: &str) -> Option<RegionPos> {
    let (x, z) = name.strip_suffix(".zip")?.split_once('-')?;
    Some(RegionPos {
        x: position(x)?,
        z: position(z)?,
    })
}

fn position(digits: &str) -> Option<i32> {
    let is_upper = digits
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
    if digits.len() != DIGITS || !is_upper {
        return None;
    }
    Some(i32::from_str_radix(digits, 16).ok()? - SHIFT)
}
