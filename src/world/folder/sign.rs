//! What a user may give that is no world of region files: what it is by its names, and what can be done with it.

use std::path::{Path, PathBuf};

use super::dimension::Dimension;
use crate::world::files::Files;

/// The most names of a folder that are looked at.
const MAX_NAMES: usize = 1000;
/// The most folders that are looked into in place of a `*`.
const MAX_FOLDERS: usize = 8;

/// A sign: the folders in which a file may lie (`*`: a folder of one or two letters), the start and the end of its
/// name, what the whole is, and what to do.
type Sign = (&'static [&'static str], [&'static str; 2], &'static str, &'static str);

/// The places of region files that are looked into.
const REGIONS: &[&str] = &[".", "region", "DIM-1/region", "DIM1/region", "dimensions/minecraft/overworld/region"];

/// All signs; the first that is found counts.
const SIGNS: [Sign; 8] = [
    (
        &["db"],
        ["CURRENT", ""],
        "is a world of the Bedrock Edition",
        "convert it to the Java Edition first, with Chunker or another converter",
    ),
    (&["*/*"], ["c.", ".dat"], "is a world of Alpha", "open it once in Beta 1.3, which converts it"),
    (
        &["region3d", "."],
        ["", ".3dr"],
        "is a world of the mod Cubic Chunks",
        "convert it to Anvil first, with CubicChunksConverter",
    ),
    (
        &["region2d", "."],
        ["", ".2dr"],
        "is a world of the mod Cubic Chunks",
        "convert it to Anvil first, with CubicChunksConverter",
    ),
    (
        REGIONS,
        ["r.", ".linear"],
        "has region files in the format .linear of some servers",
        "convert them to .mca first, with LinearRegionFileFormatTools",
    ),
    (
        REGIONS,
        ["r.", ".b_linear"],
        "has region files in the format .b_linear of some servers",
        "convert them to .mca first, with the region_converter of LuminolMC",
    ),
    (
        REGIONS,
        ["", ".zvcr"],
        "has region files in the format .zvcr",
        "convert them to .mca first, with the program that wrote them",
    ),
    (
        &["."],
        ["", ".slime"],
        "is a world of a plugin for .slime worlds",
        "let the plugin write it as a world folder first",
    ),
];

/// Returns what a folder or file is, and what to do with it, if a sign tells.
pub(super) fn of(files: &Files, given: &Path) -> Option<(&'static str, &'static str)> {
    let is_found = |&&(places, [start, end], ..): &&Sign| {
        let is_named = |name: &str| name.starts_with(start) && name.ends_with(end);
        match given.file_name().and_then(|name| name.to_str()) {
            Some(name) if files.is_file(given) => is_named(name),
            _ => places.iter().any(|place| holds(files, given, place, &is_named)),
        }
    };
    SIGNS.iter().find(is_found).map(|&(_, _, what, next)| (what, next))
}

/// Returns whether a file with such a name lies in a place below a folder.
fn holds(files: &Files, folder: &Path, place: &str, is_named: &impl Fn(&str) -> bool) -> bool {
    let (first, rest) = place.split_once('/').unwrap_or((place, "."));
    match first {
        "." => names(files, folder).any(|name| is_named(&name)),
        "*" => {
            let is_short = |name: &String| name.len() <= 2 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let mut names = names(files, folder).filter(is_short).take(MAX_FOLDERS);
            names.any(|name| holds(files, &folder.join(name), rest, is_named))
        }
        name => holds(files, &folder.join(name), rest, is_named),
    }
}

fn names(files: &Files, folder: &Path) -> impl Iterator<Item = String> {
    let entries = files.list(folder).into_iter().flatten().take(MAX_NAMES);
    entries.filter_map(|entry| Some(entry.ok()?.name))
}

/// A pointer of Git LFS is shorter.
const MAX_POINTER: u64 = 1024;

/// Returns the name of a region file that is a pointer of Git LFS. Of each dimension one short file is read.
pub(super) fn pointer(files: &Files, dimensions: &[Dimension]) -> Option<PathBuf> {
    dimensions.iter().find_map(|dimension| {
        let entry = dimension.regions.iter().find(|entry| (1..MAX_POINTER).contains(&entry.bytes))?;
        let path = entry.path(&dimension.folder);
        files.is_lfs_pointer(&path).then_some(path)
    })
}
