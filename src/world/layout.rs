//! Which folders of a world hold the regions of which dimension.

use std::io;
use std::path::{Path, PathBuf};

use super::listing::{self, Listing};
use super::namespaced::{self, Search};
use super::{Dimension, WorldError};
use crate::retry::retryable;

/// What a folder that was given turned out to hold.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The dimensions, in their order.
    pub(super) dimensions: Vec<Dimension>,
    /// Folders of worlds that some of them come from, beside or below the one that was given.
    pub(super) roots: Vec<PathBuf>,
}

impl Found {
    fn one(dimension: Option<Dimension>) -> Self {
        Self { dimensions: dimension.into_iter().collect(), roots: Vec::new() }
    }
}

/// Finds the dimensions of what the user gave: a world, a dimension or a region folder.
pub(super) fn find(folder: &Path, notes: &mut Vec<String>) -> Result<Found, WorldError> {
    let full = folder.canonicalize().map_err(|error| WorldError::Unreadable(folder.to_owned(), error))?;
    let name = full.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if matches!(name.as_str(), "entities" | "poi") && !is_world(folder)? {
        return Ok(Found::default());
    }
    if is_region_folder(folder, &name)? {
        let dimension = full.parent().filter(|_| name == "region").unwrap_or(&full);
        let id = id_of_path(dimension, notes)?.unwrap_or_else(|| "overworld".to_owned());
        return Ok(Found::one(dimension_at(&id, folder, notes)?));
    }
    if let Some(id) = id_of_path(&full, notes)? {
        let dimension = dimension_at(&id, &folder.join("region"), notes)?;
        if dimension.is_some() {
            return Ok(Found::one(dimension));
        }
    }
    let mut found = Found::default();
    let mut search = Search::default();
    in_world(folder, &mut search, &mut found.dimensions, notes)?;
    bukkit(folder, &full, &mut search, &mut found, notes)?;
    found.dimensions.sort_by(|a, b| rank(&a.id).cmp(&rank(&b.id)).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

fn rank(id: &str) -> u8 {
    match id {
        "overworld" => 0,
        "the_nether" => 1,
        "the_end" => 2,
        _ => 3,
    }
}

/// Whether a folder is a world and no single dimension, whatever the folders around it are called.
fn is_world(folder: &Path) -> Result<bool, WorldError> {
    Ok(has_level(folder)
        || folder.join("dimensions").is_dir()
        || folders(folder)?.iter().any(|inner| is_numbered(&inner.name)))
}

fn has_level(folder: &Path) -> bool {
    super::level::FILES.iter().any(|name| folder.join(name).is_file())
}

/// Whether a folder's own files are the regions: a region file that got lost in a world makes it no region folder.
fn is_region_folder(folder: &Path, name: &str) -> Result<bool, WorldError> {
    let is_around_one = name != "region" && folder.join("region").is_dir();
    Ok(listing::has_regions(folder)? && !has_level(folder) && !is_around_one)
}

/// What a dimension folder's path says it is, if it says anything.
fn id_of_path(folder: &Path, notes: &mut Vec<String>) -> Result<Option<String>, WorldError> {
    if is_world(folder)? {
        return Ok(None);
    }
    let mut names: Vec<String> = Vec::new();
    for around in folder.ancestors() {
        let Some(name) = around.file_name() else { return Ok(None) };
        let name = name.to_string_lossy().into_owned();
        if name == "dimensions" && names.len() > 1 {
            names.reverse();
            let id = namespaced::id(&names);
            if let Err(reason) = id {
                notes.push(format!("the path of {} names no dimension to show it as: {reason}", folder.display()));
            }
            return Ok(id.ok());
        }
        // A world's own folders are told by their names; that worlds are kept in a folder `dimensions` says nothing.
        if name == "dimensions" || is_world(around)? {
            break;
        }
        names.push(name);
    }
    let last = folder.file_name().and_then(|name| name.to_str()).filter(|name| is_numbered(name));
    Ok(last.map(super::canonical_id))
}

/// Whether a name is that of a dimension with a number: `DIM-1`.
pub(super) fn is_numbered(name: &str) -> bool {
    name.strip_prefix("DIM").is_some_and(|number| number.parse::<i32>().is_ok_and(|n| n.to_string() == number))
}

/// The dimension whose region files are in `region`, if there are any, or if nobody can tell. Notes files that are left out.
///
/// # Errors
/// Those that pass by: a dimension that is not known now is no gap.
pub(super) fn dimension_at(id: &str, region: &Path, notes: &mut Vec<String>) -> Result<Option<Dimension>, WorldError> {
    let (listing, unreadable) = listed(region, listing::list(region))?;
    // A folder may be looked into as two things.
    notes.extend(listing.note(region).filter(|note| !notes.contains(note)));
    let is_one = !listing.regions.is_empty() || unreadable.is_some();
    let (id, folder) = (id.to_owned(), region.to_owned());
    Ok(is_one.then_some(Dimension { id, folder, regions: listing.regions, unreadable }))
}

/// The region files of a dimension, or why they are not known: a gap, unless that passes by.
fn listed(region: &Path, list: io::Result<Listing>) -> Result<(Listing, Option<String>), WorldError> {
    match list {
        Ok(listing) => Ok((listing, None)),
        Err(error) if retryable(&error) => Err(WorldError::Unreadable(region.to_owned(), error)),
        Err(error) => Ok((Listing::default(), Some(error.to_string()))),
    }
}

/// The dimensions below one world folder, in the layouts before and from 26.1. Where both hold a dimension, as in a
/// world whose move was broken off, the newer place counts.
fn in_world(
    world: &Path,
    search: &mut Search,
    found: &mut Vec<Dimension>,
    notes: &mut Vec<String>,
) -> Result<(), WorldError> {
    found.extend(search.below(world, notes)?);
    let mut old = vec![("overworld".to_owned(), world.join("region"))];
    // Whatever else has such a name is in the place of a dimension.
    let numbered = entries(world, |inner| is_numbered(&inner.name));
    for inner in WorldError::passing(world, numbered)?.unwrap_or_default() {
        old.push((super::canonical_id(&inner.name), inner.path.join("region")));
    }
    for (id, region) in old {
        if let Some(newer) = found.iter().find(|dimension| dimension.id == id) {
            if listing::has_regions(&region)? && !is_same(&newer.folder, &region) {
                notes.push(format!(
                    "{id} is stored in two places; {} is drawn and {} is not",
                    newer.folder.display(),
                    region.display()
                ));
            }
        } else {
            found.extend(dimension_at(&id, &region, notes)?);
        }
    }
    Ok(())
}

fn is_same(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Bukkit and its kin keep each dimension in a world folder of its own, `world_nether` and `world_the_end` beside
/// `world`. They are looked for beside the folder that was given, and inside it in case it is the server's.
fn bukkit(
    folder: &Path,
    full: &Path,
    search: &mut Search,
    found: &mut Found,
    notes: &mut Vec<String>,
) -> Result<(), WorldError> {
    let mut roots = Vec::new();
    if let (Some(parent), Some(name)) = (full.parent(), full.file_name().and_then(|name| name.to_str())) {
        roots.extend(SPLIT.map(|(ending, _)| parent.join(format!("{name}{ending}"))));
    }
    let inner = entries(folder, |inner| inner.is_folder || inner.is_link);
    for inner in WorldError::passing(folder, inner)?.unwrap_or_default() {
        if let Some(base) = SPLIT.iter().find_map(|(ending, _)| inner.name.strip_suffix(ending)) {
            // Both split folders name the same world.
            let base = folder.join(base);
            roots.push(inner.path);
            if !roots.contains(&base) {
                roots.push(base);
            }
        }
    }
    for root in &roots {
        let mut inside = Vec::new();
        if root.is_dir() {
            in_world(root, search, &mut inside, notes)?;
        } else if root.is_symlink() {
            // Of what is not there it is known only what the game would keep in it.
            inside.extend(dimension_at("overworld", &root.join("region"), notes)?);
        }
        // The folder that the game would use comes before one that only the server's habit makes the nether or the end.
        inside.sort_by_key(|dimension| dimension.id == "overworld");
        let before = found.dimensions.len();
        for dimension in inside.into_iter().map(|dimension| renamed_if_split(root, dimension)) {
            if !found.dimensions.iter().any(|other| other.id == dimension.id) {
                found.dimensions.push(dimension);
            }
        }
        if found.dimensions.len() > before {
            found.roots.push(root.clone());
        }
    }
    Ok(())
}

/// The endings of the split folders and what is in them.
const SPLIT: [(&str, &str); 2] = [("_nether", "the_nether"), ("_the_end", "the_end")];

/// Some servers keep the nether's regions right in `world_nether/region`.
fn renamed_if_split(root: &Path, dimension: Dimension) -> Dimension {
    let name = root.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    match SPLIT.iter().find(|(ending, _)| name.ends_with(ending)) {
        Some((_, id)) if dimension.id == "overworld" => Dimension { id: (*id).to_owned(), ..dimension },
        _ => dimension,
    }
}

/// What is in a folder.
pub(super) struct Inner {
    /// Its name; what is no text in it is replaced.
    pub(super) name: String,
    /// Its path.
    pub(super) path: PathBuf,
    /// Whether it lies elsewhere.
    pub(super) is_link: bool,
    /// Whether it is a folder, here or elsewhere.
    pub(super) is_folder: bool,
}

/// The folders in a folder, by name.
///
/// # Errors
/// Those that pass by.
pub(super) fn folders(folder: &Path) -> Result<Vec<Inner>, WorldError> {
    Ok(WorldError::passing(folder, entries(folder, |inner| inner.is_folder))?.unwrap_or_default())
}

/// What is in a folder and of use, by name.
///
/// # Errors
/// It cannot be listed, for whatever reason.
pub(super) fn entries(folder: &Path, is_of_use: impl Fn(&Inner) -> bool) -> io::Result<Vec<Inner>> {
    let entries = std::fs::read_dir(folder)?.flatten().filter_map(|entry| inner(folder, &entry));
    let mut inner: Vec<Inner> = entries.filter(is_of_use).collect();
    inner.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(inner)
}

fn inner(folder: &Path, entry: &std::fs::DirEntry) -> Option<Inner> {
    let path = folder.join(entry.file_name());
    let is_link = entry.file_type().ok()?.is_symlink();
    let is_folder = if is_link { path.is_dir() } else { entry.file_type().is_ok_and(|kind| kind.is_dir()) };
    Some(Inner { name: entry.file_name().to_string_lossy().into_owned(), path, is_link, is_folder })
}

/// Worlds one folder further in, to name them to a user who gave the folder around them.
pub(super) fn worlds_inside(folder: &Path) -> Result<Vec<PathBuf>, WorldError> {
    let inner = folders(folder)?.into_iter().map(|inner| inner.path);
    Ok(inner.filter(|folder| folder.join("level.dat").is_file()).take(5).collect())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_may_be_listed_later_is_no_gap_and_not_empty() {
        let refused = |number| io::Error::from_raw_os_error(number);
        let world = Path::new("world");
        // ENFILE, EMFILE.
        for number in [23, 24] {
            assert!(listed(world, Err(refused(number))).is_err_and(|error| error.retryable()));
            assert!(WorldError::passing::<()>(world, Err(refused(number))).is_err_and(|error| error.retryable()));
        }
        // EACCES.
        assert!(listed(world, Err(refused(13))).is_ok_and(|(_, unreadable)| unreadable.is_some()));
        assert!(WorldError::passing::<()>(world, Err(refused(13))).is_ok_and(|read| read.is_none()));
    }
}
