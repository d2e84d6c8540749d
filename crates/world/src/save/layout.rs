//! Finds the dimensions of a world. Every layout is recognized by the names of folders and files,
//! because a world does not state its layout. Also finds worlds inside a folder or archive that is not
//! itself a world.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::save::bedrock::database::has_database;
use crate::save::dimensions::dimension::{Dimension, canonical_id, is_numbered};
use crate::save::dimensions::listing;
use crate::save::dimensions::namespaced;
use crate::save::dimensions::namespaced::{DimensionSearch, ReservedNames};
use crate::save::entries;
use crate::save::error::WorldError;
use crate::save::level_files::has_level;
use pixelmap_base::files::{Archive, Files};

/// The dimensions that were found in a folder.
#[derive(Debug, Default)]
pub(crate) struct FoundDimensions {
    /// Sorted in the order in which they are drawn.
    pub(crate) dimensions: Vec<Dimension>,
    /// World folders other than the given one, next to it or inside it, that have dimensions.
    pub(crate) roots: Vec<PathBuf>,
}

impl FoundDimensions {
    fn single(dimension: Option<Dimension>) -> Self {
        Self {
            dimensions: dimension.into_iter().collect(),
            roots: Vec::new(),
        }
    }

    /// Adds a dimension of another world folder. If the same dimension was found before, the place
    /// in the layout of 26.1 counts, or else the one that was found first.
    fn add(&mut self, files: &Files, dimension: Dimension, warnings: &mut Vec<String>) {
        let mut others = self.dimensions.iter_mut();
        let Some(found) = others.find(|other| other.id == dimension.id) else {
            self.dimensions.push(dimension);
            return;
        };

        if is_same(files, found.folder(), dimension.folder()) {
            return;
        }

        let is_newer = is_in_new_layout(&dimension) && !is_in_new_layout(found);
        let other = if is_newer {
            std::mem::replace(found, dimension)
        } else {
            dimension
        };

        warnings.push(stored_twice(found, other.folder()));
    }
}

/// Returns whether a dimension of the game itself is in the folder that it has since 26.1.
fn is_in_new_layout(dimension: &Dimension) -> bool {
    let around = dimension.folder().ancestors().nth(3);
    around.is_some_and(|around| around.ends_with("dimensions"))
}

/// Returns the warning about a second place of a dimension.
fn stored_twice(drawn: &Dimension, other: &Path) -> String {
    format!(
        "{} is stored in two places; {} is drawn and {} is not",
        drawn.id,
        drawn.folder().display(),
        other.display()
    )
}

/// Finds the dimensions of the folder that the user gave: a world, a dimension or a region folder.
pub(crate) fn find(
    files: &Files,
    folder: &Path,
    reserved: ReservedNames,
    warnings: &mut Vec<String>,
) -> Result<FoundDimensions, WorldError> {
    let full = files
        .full_path(folder)
        .map_err(|error| WorldError::Unreadable(folder.to_owned(), error))?;

    let name = name_of(&full);
    if matches!(name.as_str(), "entities" | "poi") && !is_world(files, folder)? {
        return Ok(FoundDimensions::default());
    }

    if is_region_folder(files, folder, &name)? {
        let dimension = if name == "region" {
            full.parent().unwrap_or(&full)
        } else {
            &full
        };

        let id = id_from_path(files, dimension, reserved, warnings)?
            .unwrap_or_else(|| "overworld".to_owned());
        return Ok(FoundDimensions::single(Dimension::find(
            files, &id, folder, warnings,
        )?));
    }

    if let Some(id) = id_from_path(files, &full, reserved, warnings)? {
        let dimension = Dimension::find_below(files, &id, folder, warnings)?;
        if dimension.is_some() {
            return Ok(FoundDimensions::single(dimension));
        }
    }

    let mut layout = FoundDimensions::default();
    let mut search = DimensionSearch::new(files, reserved);
    find_in_world(files, folder, &mut search, &mut layout.dimensions, warnings)?;
    find_bukkit(files, folder, &full, &mut search, &mut layout, warnings)?;
    layout
        .dimensions
        .sort_by(|a, b| rank(&a.id).cmp(&rank(&b.id)).then_with(|| a.id.cmp(&b.id)));

    Ok(layout)
}

/// Returns the last name of a path, which is empty for the root.
fn name_of(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn rank(id: &str) -> u8 {
    match id {
        "overworld" => 0,
        "the_nether" => 1,
        "the_end" => 2,
        _ => 3,
    }
}

/// Returns whether a folder is a world rather than a single dimension. The names of the folders
/// around it do not matter.
fn is_world(files: &Files, folder: &Path) -> Result<bool, WorldError> {
    Ok(has_level(files, folder)
        || files.is_folder(&folder.join("dimensions"))
        || entries::folders(files, folder)?
            .iter()
            .any(|inner| is_numbered(&inner.name)))
}

/// Returns whether a folder directly contains the region files of a dimension. A single region file
/// that was put into a world folder by mistake does not make that folder a region folder.
fn is_region_folder(files: &Files, folder: &Path, name: &str) -> Result<bool, WorldError> {
    let is_around_one = name != "region" && files.is_folder(&folder.join("region"));
    Ok(listing::has_regions(files, folder)? && !has_level(files, folder) && !is_around_one)
}

/// Returns the id of a dimension from the path of its folder; `None`: the path contains no
/// dimension's name.
fn id_from_path(
    files: &Files,
    folder: &Path,
    reserved: ReservedNames,
    warnings: &mut Vec<String>,
) -> Result<Option<String>, WorldError> {
    if is_world(files, folder)? {
        return Ok(None);
    }

    let mut names: Vec<String> = Vec::new();
    for around in folder.ancestors() {
        let Some(name) = around.file_name() else {
            return Ok(None);
        };

        let name = name.to_string_lossy().into_owned();
        if name == "dimensions" && names.len() > 1 {
            names.reverse();
            return Ok(id_from_names(&names, folder, reserved, warnings));
        }

        // Names count only inside a world, because a folder `dimensions` around worlds was not made
        // by the game.
        if name == "dimensions" || is_world(files, around)? {
            break;
        }

        names.push(name);
    }

    let last = name_of(folder);
    if !is_numbered(&last) {
        return Ok(None);
    }

    match folder.parent() {
        Some(around) if is_folder_of_mod(files, around) => {
            let names = [name_of(around), last];
            Ok(id_from_names(&names, folder, reserved, warnings))
        }
        _ => Ok(Some(canonical_id(&last))),
    }
}

/// Returns the id of the dimension with these names, or warns that its folder is drawn as the
/// overworld.
fn id_from_names(
    names: &[String],
    folder: &Path,
    reserved: ReservedNames,
    warnings: &mut Vec<String>,
) -> Option<String> {
    let id = namespaced::id(names, reserved);
    if let Err(reason) = id {
        warnings.push(format!(
            "{} is drawn as the overworld, because its path names no dimension: {reason}",
            folder.display()
        ));
    }

    id.ok()
}

/// Returns whether a folder is in the folder of a world, but is neither a world nor a dimension.
fn is_folder_of_mod(files: &Files, folder: &Path) -> bool {
    folder.parent().is_some_and(|world| has_level(files, world))
        && !has_level(files, folder)
        && !files.is_folder(&folder.join("region"))
}

/// Finds the dimensions below one world folder, in the layouts before and since 26.1. If both
/// layouts have a dimension, as in a world whose conversion was interrupted, the newer layout is
/// used.
fn find_in_world(
    files: &Files,
    world: &Path,
    search: &mut DimensionSearch,
    dimensions: &mut Vec<Dimension>,
    warnings: &mut Vec<String>,
) -> Result<(), WorldError> {
    dimensions.extend(search.find_named(world, warnings)?);
    let mut old = vec![("overworld".to_owned(), world.to_owned())];

    // A file or a broken link with such a name counts as a dimension that cannot be listed.
    let numbered = entries::list(files, world, |inner| is_numbered(&inner.name));
    for inner in WorldError::ok_unless_retryable(world, numbered)?.unwrap_or_default() {
        old.push((canonical_id(&inner.name), inner.path));
    }

    for (id, own) in old {
        let region = own.join("region");
        if let Some(newer) = dimensions.iter().find(|dimension| dimension.id == id) {
            if listing::has_regions(files, &region)? && !is_same(files, newer.folder(), &region) {
                warnings.push(stored_twice(newer, &region));
            }
        } else {
            dimensions.extend(Dimension::find_below(files, &id, &own, warnings)?);
        }
    }

    // The folders in a world folder may be dimensions of old mods. In a folder around worlds they
    // are the worlds.
    if has_level(files, world) || !dimensions.is_empty() {
        search.find_in_world(world, dimensions, warnings)?;
    }

    Ok(())
}

fn is_same(files: &Files, a: &Path, b: &Path) -> bool {
    files
        .full_path(a)
        .is_ok_and(|a| files.full_path(b).is_ok_and(|b| a == b))
}

/// Finds the dimensions that Bukkit servers keep in separate world folders, `world_nether` and
/// `world_the_end` next to `world`. Searches next to the given folder, and inside it in case it is
/// the server's folder.
fn find_bukkit(
    files: &Files,
    folder: &Path,
    full: &Path,
    search: &mut DimensionSearch,
    layout: &mut FoundDimensions,
    warnings: &mut Vec<String>,
) -> Result<(), WorldError> {
    let mut roots = Vec::new();
    if let (Some(parent), Some(name)) = (
        full.parent(),
        full.file_name().and_then(|name| name.to_str()),
    ) {
        roots.extend(split_folders(&parent.join(name)));
    }

    let inner = entries::list(files, folder, |inner| inner.is_folder || inner.is_link);
    for inner in WorldError::ok_unless_retryable(folder, inner)?.unwrap_or_default() {
        if let Some(base) = SPLIT
            .iter()
            .find_map(|(ending, _)| inner.name.strip_suffix(ending))
        {
            // Both split folders lead to the same world, which is added once.
            let base = folder.join(base);
            roots.push(inner.path);
            if !roots.contains(&base) {
                roots.push(base);
            }
        }
    }

    for root in &roots {
        let mut inside = Vec::new();
        if files.is_folder(root) {
            find_in_world(files, root, search, &mut inside, warnings)?;
        } else if files.is_link(root) {
            // A broken link hides which dimensions it leads to. The usual layout of the servers
            // decides: a single dimension in `region`.
            inside.extend(Dimension::find(
                files,
                "overworld",
                &root.join("region"),
                warnings,
            )?);
        }

        // A dimension in the game's own folder takes precedence over a renamed overworld.
        inside.sort_by_key(|dimension| dimension.id == "overworld");

        if !inside.is_empty() {
            layout.roots.push(root.clone());
        }

        for dimension in inside {
            layout.add(files, renamed_if_split(root, dimension), warnings);
        }
    }

    Ok(())
}

/// Returns the folders next to a world's folder in which Bukkit servers keep its other dimensions.
pub(crate) fn split_folders(world: &Path) -> Vec<PathBuf> {
    let Some(name) = world.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let names = SPLIT.map(|(ending, _)| format!("{name}{ending}"));
    names.map(|name| world.with_file_name(name)).into()
}

/// The suffixes of split folders, and the dimensions in them.
const SPLIT: [(&str, &str); 2] = [("_nether", "the_nether"), ("_the_end", "the_end")];

/// Renames the overworld of a split folder, because some servers keep the regions of the nether in
/// `world_nether/region`.
fn renamed_if_split(root: &Path, dimension: Dimension) -> Dimension {
    let name = root
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    match SPLIT.iter().find(|(ending, _)| name.ends_with(ending)) {
        Some((_, id)) if dimension.id == "overworld" => Dimension {
            id: (*id).to_owned(),
            ..dimension
        },
        _ => dimension,
    }
}

/// Finds worlds directly inside a folder, its `saves` or its `worlds`. The error message lists them for a user
/// who gave the folder around the worlds, or the game's own folder.
pub(crate) fn worlds_inside(files: &Files, folder: &Path) -> Result<Vec<PathBuf>, WorldError> {
    let mut worlds = entries::folders(files, folder)?;
    for list in ["saves", "worlds"] {
        worlds.extend(entries::folders(files, &folder.join(list))?);
    }

    let mut inside = Vec::new();
    for inner in worlds.into_iter().map(|inner| inner.path) {
        if files.is_file(&inner.join("level.dat")) || has_database(files, &inner)? {
            inside.push(inner);
        }
    }

    Ok(inside)
}

/// Finds the worlds anywhere in an archive: folders with a level.dat, or else folders with region
/// files or a database. Leaves out split folders of Bukkit next to their world, and folders inside
/// another world.
pub(crate) fn worlds_in_archive(
    files: &Files,
    archive: &Archive,
) -> Result<Vec<PathBuf>, WorldError> {
    let mut worlds: BTreeSet<PathBuf> = archive
        .folders()
        .filter(|folder| has_level(files, folder))
        .collect();

    if worlds.is_empty() {
        for folder in archive.folders() {
            let has_regions = listing::has_regions(files, &folder.join("region"))?
                || listing::has_regions(files, &folder)?;
            if has_regions || has_database(files, &folder)? {
                worlds.insert(folder);
            }
        }
    }

    Ok(worlds
        .iter()
        .filter(|world| !is_split_from(&worlds, world) && !is_below(&worlds, world))
        .cloned()
        .collect())
}

/// Returns whether a folder was split by Bukkit from one of these worlds.
pub(crate) fn is_split_from(worlds: &BTreeSet<PathBuf>, folder: &Path) -> bool {
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let base = SPLIT
        .iter()
        .find_map(|(ending, _)| name.strip_suffix(ending));
    base.is_some_and(|base| worlds.contains(&folder.with_file_name(base)))
}

/// Returns whether a folder is somewhere below one of these worlds.
fn is_below(worlds: &BTreeSet<PathBuf>, folder: &Path) -> bool {
    folder
        .ancestors()
        .skip(1)
        .any(|around| worlds.contains(around))
}
