//! Recognizes by file names what a user may give that is no world of region files, and what can be done with it.

use std::path::{Path, PathBuf};

use crate::world::files::Files;
use crate::world::save::dimension::Dimension;

/// The most names of a folder that are read.
const MAX_NAMES: usize = 1000;

/// How to recognize a kind of world.
struct Sign {
    /// The folders in which a file may be.
    folders: &'static [&'static str],
    /// The start and the end of the file's name.
    name: [&'static str; 2],
    /// What the whole is.
    what: &'static str,
    /// What to do.
    next: &'static str,
}

/// The folders of region files that are searched.
const REGIONS: &[&str] = &[".", "region", "DIM-1/region", "DIM1/region", "dimensions/minecraft/overworld/region"];

/// The first that is found counts.
const SIGNS: [Sign; 6] = [
    Sign {
        folders: &["region3d", "."],
        name: ["", ".3dr"],
        what: "is a world of the mod Cubic Chunks",
        next: "convert it to Anvil first, with CubicChunksConverter",
    },
    Sign {
        folders: &["region2d", "."],
        name: ["", ".2dr"],
        what: "is a world of the mod Cubic Chunks",
        next: "convert it to Anvil first, with CubicChunksConverter",
    },
    Sign {
        folders: REGIONS,
        name: ["r.", ".linear"],
        what: "has region files in the format .linear of some servers",
        next: "convert them to .mca first, with LinearRegionFileFormatTools",
    },
    Sign {
        folders: REGIONS,
        name: ["r.", ".b_linear"],
        what: "has region files in the format .b_linear of some servers",
        next: "convert them to .mca first, with the region_converter of LuminolMC",
    },
    Sign {
        folders: REGIONS,
        name: ["", ".zvcr"],
        what: "has region files in the format .zvcr",
        next: "convert them to .mca first, with the program that wrote them",
    },
    Sign {
        folders: &["."],
        name: ["", ".slime"],
        what: "is a world of a plugin for .slime worlds",
        next: "let the plugin write it as a world folder first",
    },
];

/// Returns the number of a format of region files that is not read, if `name` is that of such a file.
pub(crate) fn unread_format(name: &str) -> Option<usize> {
    SIGNS.iter().position(|sign| sign.folders == REGIONS && sign.is_name(name))
}

/// The warning about `count` files of an unread format in a folder of region files.
pub(crate) fn unread_warning(format: usize, folder: &Path, count: u64) -> String {
    let Sign { what, next, .. } = &SIGNS[format];
    let files = if count == 1 { "1 file is".to_owned() } else { format!("{count} files are") };
    format!("{} {what}: {files} not read, so land is missing or old on the map; {next}", folder.display())
}

/// The warning about the chunks that the mod Cubic Chunks has stored in a world or dimension folder that also has region
/// files; `None`: there are none.
pub(crate) fn cubic_warning(files: &Files, own: &Path) -> Option<String> {
    let cubes = &SIGNS[0];
    let folder = own.join(cubes.folders[0]);
    let count = names(files, &folder).filter(|name| cubes.is_name(name)).count();
    (count > 0).then(|| unread_warning(0, &folder, count as u64))
}

/// Returns what a folder or file is, and what to do with it; `None`: no sign is found.
pub(crate) fn recognize(files: &Files, given: &Path) -> Option<(&'static str, &'static str)> {
    let sign = SIGNS.iter().find(|sign| sign.is_found(files, given))?;
    Some((sign.what, sign.next))
}

impl Sign {
    fn is_name(&self, name: &str) -> bool {
        let [start, end] = self.name;
        name.starts_with(start) && name.ends_with(end)
    }

    fn is_found(&self, files: &Files, given: &Path) -> bool {
        match given.file_name().and_then(|name| name.to_str()) {
            Some(name) if files.is_file(given) => self.is_name(name),
            _ => self.folders.iter().any(|place| names(files, &given.join(place)).any(|name| self.is_name(&name))),
        }
    }
}

fn names(files: &Files, folder: &Path) -> impl Iterator<Item = String> {
    let entries = files.list(folder).into_iter().flatten().take(MAX_NAMES);
    entries.filter_map(|entry| Some(entry.ok()?.name))
}

/// A pointer of Git LFS is shorter, in bytes.
const MAX_POINTER: u64 = 1024;

/// The path of a region file that is a pointer of Git LFS. One short file per dimension is read.
pub(crate) fn pointer(files: &Files, dimensions: &[Dimension]) -> Option<PathBuf> {
    dimensions.iter().find_map(|dimension| {
        let entry = dimension.regions.iter().find(|entry| (1..MAX_POINTER).contains(&entry.bytes))?;
        let path = entry.path(dimension.folder());
        files.is_lfs_pointer(&path).then_some(path)
    })
}
