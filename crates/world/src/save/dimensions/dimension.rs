//! A dimension: its id, its folder and its region files.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::bytes::{ChunkRecord, Inflater};
use crate::region::{Region, RegionEntry, RegionKind, RegionStore};
use crate::save::dimensions::listing;
use crate::save::dimensions::listing::Listing;
use crate::save::error::WorldError;
use crate::save::foreign_formats;
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;

/// The upper limit for the length of a Git LFS pointer, in bytes.
const MAX_POINTER: u64 = 1024;

/// The most region files, and the most chunks of each, that are tried until a chunk can be read.
const MAX_TRIED: usize = 16;

#[derive(Debug)]
pub struct Dimension {
    /// `overworld`, `the_nether`, `the_end`, `ns:path`, or the name of the dimension's folder in
    /// the world, such as `DIM7` or `RFTOOLS2`. The namespace may be the folder of an old mod.
    pub id: String,
    pub store: RegionStore,
    /// Sorted by position; empty if the folder cannot be listed.
    pub regions: Vec<RegionEntry>,
    /// The reason why the folder cannot be listed; absent if it can.
    pub unreadable: Option<String>,
}

impl Dimension {
    /// Finds the dimension whose region files are in `region`, and warns of files that are left
    /// out. `None`: the folder can be listed, but has no region files.
    ///
    /// # Errors
    /// Fails if the folder cannot be listed now, but perhaps later, because the dimension must not
    /// count as absent.
    pub(crate) fn find(
        files: &Files,
        id: &str,
        region: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Self>, WorldError> {
        let (listing, unreadable) = listed(region, listing::list(files, region))?;

        // The same folder may be tried as two dimensions, and should cause each warning only once.
        let new: Vec<String> = listing
            .warnings(region)
            .filter(|warning| !warnings.contains(warning))
            .collect();
        warnings.extend(new);

        let is_one = !listing.regions.is_empty() || unreadable.is_some();
        let id = id.to_owned();
        let store = RegionStore::in_folder(files, region);
        Ok(is_one.then_some(Self {
            id,
            store,
            regions: listing.regions,
            unreadable,
        }))
    }

    /// Finds the dimension with this folder. Its regions are the files in `region` or, if there are
    /// none, one file per chunk, as before Beta 1.3. Returns and fails as [`Dimension::find`] does.
    pub(crate) fn find_below(
        files: &Files,
        id: &str,
        own: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Self>, WorldError> {
        if let Some(found) = Self::find(files, id, &own.join("region"), warnings)? {
            warnings.extend(
                foreign_formats::cubic_warning(files, own)
                    .filter(|warning| !warnings.contains(warning)),
            );
            return Ok(Some(found));
        }

        let (Listing { regions, .. }, unreadable) = listed(own, listing::list_alpha(files, own))?;
        let is_one = !regions.is_empty() || unreadable.is_some();
        Ok(is_one.then(|| Self {
            id: id.to_owned(),
            store: RegionStore::in_folder(files, own),
            regions,
            unreadable,
        }))
    }

    /// Returns the folder of its region files or of its database; for chunk files, the folder that
    /// contains their folders.
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }

    /// Returns whether each of its chunks has its own file, as before Beta 1.3.
    pub fn has_chunk_files(&self) -> bool {
        self.regions
            .first()
            .is_some_and(|entry| entry.kind == RegionKind::Alpha)
    }

    /// Returns the folder of its region files relative to the world, with `/` as separator.
    pub fn relative_folder(&self, world: &Path) -> String {
        if let Ok(below) = self.folder().strip_prefix(world) {
            return slashed(below);
        }

        // The folder may be next to the world, as on Bukkit servers. Then the path goes up first.
        let world = full_path(world);
        let folder = full_path(self.folder());
        let shared = world
            .iter()
            .zip(&folder)
            .take_while(|(a, b)| a == b)
            .count();
        let up = world.iter().skip(shared).map(|_| OsStr::new(".."));

        slashed(&up.chain(folder.iter().skip(shared)).collect::<PathBuf>())
    }

    /// Returns the path of a region file that is a Git LFS pointer. Reads only one short file.
    pub(crate) fn pointer(&self, files: &Files) -> Option<PathBuf> {
        let entry = self
            .regions
            .iter()
            .find(|entry| (1..MAX_POINTER).contains(&entry.bytes))?;
        let path = self.store.path(*entry);
        files.is_lfs_pointer(&path).then_some(path)
    }

    /// Recognizes the chunks of a mod in files that are named like the game's, from the first chunk
    /// that can be read. Only files before 1.2 are read, because no such mod of a later version is
    /// known. Returns the same as [`foreign_formats::recognize`].
    ///
    /// # Errors
    /// Fails if a file cannot be read now, but perhaps later.
    pub(crate) fn foreign_chunk(&self) -> Result<Option<(&'static str, &'static str)>, WorldError> {
        let mut inflater = Inflater::default();
        let old = self
            .regions
            .iter()
            .filter(|entry| entry.kind == RegionKind::Mcr);

        for entry in old.take(MAX_TRIED) {
            let path = self.store.path(*entry);
            let opened = self.store.open(*entry);
            let Some(mut region) = WorldError::ok_unless_retryable(&path, opened)? else {
                continue;
            };

            let slots: Vec<Slot> = region.stored().take(MAX_TRIED).collect();
            for slot in slots {
                if let Some(ChunkRecord {
                    plain: Ok(bytes), ..
                }) = region.read(slot, &mut inflater, |_| true)
                {
                    return Ok(foreign_formats::recognize_chunk(&bytes));
                }
            }
        }

        Ok(None)
    }

    /// Opens a region of this dimension. `None`: its file can never be read.
    ///
    /// # Errors
    /// Fails if the file cannot be read now, but perhaps later.
    pub fn open(&self, entry: RegionEntry) -> Result<Option<Region>, WorldError> {
        let opened = self.store.open_filled(entry);
        WorldError::ok_unless_retryable(&self.store.path(entry), opened)
    }

    /// Returns the region at a position. `None`: it is not stored.
    pub fn entry(&self, position: RegionPos) -> Option<RegionEntry> {
        let key = |entry: &RegionEntry| (entry.region.z, entry.region.x);
        let index = self
            .regions
            .binary_search_by_key(&(position.z, position.x), key);
        index.ok().map(|index| self.regions[index])
    }

    /// Returns the parent of the folder of its region files, or that folder itself if the user gave
    /// it.
    pub(crate) fn own_folder(&self, given: &Path) -> &Path {
        let folder = self.folder();
        if folder.ends_with("region") && folder != given {
            folder.parent().unwrap_or(folder)
        } else {
            folder
        }
    }
}

/// Separates the region files of a dimension from the reason why they cannot be listed.
fn listed(
    region: &Path,
    list: io::Result<Listing>,
) -> Result<(Listing, Option<String>), WorldError> {
    match list {
        Ok(listing) => Ok((listing, None)),
        Err(error) if retryable(&error) => Err(WorldError::Unreadable(region.to_owned(), error)),
        Err(error) => Ok((Listing::default(), Some(error.to_string()))),
    }
}

/// Returns the path with links followed, or the given path if it does not exist.
fn full_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(OsStr::to_string_lossy).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

#[derive(Debug, Clone, Error)]
#[error("the region files of {id} cannot be listed: {}: {message}", .folder.display())]
pub struct UnreadableDimension {
    pub id: String,
    /// The folder of its region files.
    pub folder: PathBuf,
    pub message: String,
}

impl UnreadableDimension {
    /// Returns `None` if the region files can be listed.
    pub fn from_dimension(dimension: &Dimension) -> Option<Self> {
        let message = dimension.unreadable.clone()?;
        Some(Self {
            id: dimension.id.clone(),
            folder: dimension.folder().to_owned(),
            message,
        })
    }

    /// Returns the last part of the folder's path, which is reported in place of a region file's
    /// name.
    pub fn folder_name(&self) -> String {
        self.folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }
}

/// Returns the id of a dimension that has several names; any other name is its own id.
pub fn canonical_id(name: &str) -> String {
    match name {
        "0" | "overworld" | "minecraft:overworld" => "overworld".to_owned(),
        "-1" | "nether" | "the_nether" | "DIM-1" | "minecraft:the_nether" => {
            "the_nether".to_owned()
        }
        "1" | "end" | "the_end" | "DIM1" | "minecraft:the_end" => "the_end".to_owned(),
        number if is_plain_number(number) => format!("DIM{number}"),
        other => other.to_owned(),
    }
}

/// Returns whether a name belongs to a numbered dimension, such as `DIM-1`.
pub(crate) fn is_numbered(name: &str) -> bool {
    name.strip_prefix("DIM").is_some_and(is_plain_number)
}

fn is_plain_number(text: &str) -> bool {
    text.parse::<i32>()
        .is_ok_and(|number| number.to_string() == text)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_temporarily_unlisted_folder_is_not_a_gap() {
        let listed = |number| {
            listed(
                Path::new("world"),
                Err(io::Error::from_raw_os_error(number)),
            )
        };

        // ENFILE, EMFILE.
        for number in [23, 24] {
            assert!(listed(number).is_err_and(|error| error.retryable()));
        }

        // EACCES.
        assert!(listed(13).is_ok_and(|(_, unreadable)| unreadable.is_some()));
    }
}
