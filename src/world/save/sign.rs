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

/// Returns what a folder or file is, and what to do with it; `None`: no sign is found.
pub(crate) fn recognize(files: &Files, given: &Path) -> Option<(&'static str, &'static str)> {
    let sign = SIGNS.iter().find(|sign| sign.is_found(files, given))?;
    Some((sign.what, sign.next))
}

impl Sign {
    fn is_found(&self, files: &Files, given: &Path) -> bool {
        let [start, end] = self.name;
        let is_named = |name: &str| name.starts_with(start) && name.ends_with(end);
        match given.file_name().and_then(|name| name.to_str()) {
            Some(name) if files.is_file(given) => is_named(name),
            _ => self.folders.iter().any(|place| names(files, &given.join(place)).any(|name| is_named(&name))),
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
