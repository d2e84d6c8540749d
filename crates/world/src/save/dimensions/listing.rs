//! Lists the region files of a folder, and counts files that look like region files but cannot be
//! used, so that a warning can name them.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io;
use std::path::Path;

use crate::alpha;
use crate::region::{RegionEntry, RegionKind};
use crate::save::error::WorldError;
use crate::save::foreign_formats;
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::{Files, FolderEntry};

/// The most files that a warning names. It only counts the others.
const MAX_NAMED: usize = 5;

#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Sorted by position. A `.mcr` file is left out if there is a `.mca` file for the same region,
    /// because the game keeps both when it converts a world.
    pub(crate) regions: Vec<RegionEntry>,
    /// Number of files whose names almost look like a region file's.
    strange: u64,
    /// The alphabetically first of their names.
    strange_names: BTreeSet<String>,
    /// Number of files in each unsupported format, by the index that `foreign_formats::unread_format` returns.
    unread: BTreeMap<usize, u64>,
}

impl Listing {
    fn add_strange(&mut self, name: &str) {
        self.strange += 1;
        self.strange_names.insert(name.to_owned());
        if self.strange_names.len() > MAX_NAMED {
            self.strange_names.pop_last();
        }
    }

    /// Returns the warnings about the files that are left out.
    pub(crate) fn warnings(&self, folder: &Path) -> impl Iterator<Item = String> {
        let unread = self
            .unread
            .iter()
            .map(|(&format, &count)| foreign_formats::unread_warning(format, folder, count));
        self.strange_warning(folder).into_iter().chain(unread)
    }

    fn strange_warning(&self, folder: &Path) -> Option<String> {
        let Self {
            strange,
            strange_names,
            ..
        } = self;

        let names = strange_names
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");

        let more = if *strange > MAX_NAMED as u64 {
            format!("... ({strange} in all)")
        } else {
            String::new()
        };

        let folder = folder.display();
        let most = i32::MAX;
        (*strange > 0).then(|| {
            format!(
                "files left out in {folder}: {names}{more}; the game reads only names like \
                 r.X.Z.mca, without leading zeros and with numbers up to {most}"
            )
        })
    }
}

/// Lists the region files in `folder`; empty if there is no such folder.
///
/// # Errors
/// Fails if the folder cannot be read completely, or is not a folder. Region files may be there,
/// and must not count as removed.
pub(crate) fn list(files: &Files, folder: &Path) -> io::Result<Listing> {
    let mut listing = Listing::default();
    let mut by_position: BTreeMap<(i32, i32), RegionEntry> = BTreeMap::new();

    let entries = match files.list(folder) {
        Err(error) if is_nothing(&error) && is_free(files, folder) => return Ok(listing),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(io::Error::other(
                "a broken link: its target does not exist; perhaps a disk is not mounted",
            ));
        }
        entries => entries?,
    };

    for entry in entries {
        let FolderEntry { name, path, .. } = entry?;
        let Some((region, kind)) = parse_name(&name) else {
            if is_strange(&name) {
                listing.add_strange(&name);
            } else if let Some(format) = foreign_formats::unread_format(&name) {
                *listing.unread.entry(format).or_default() += 1;
            }
            continue;
        };

        match by_position.entry((region.z, region.x)) {
            Entry::Occupied(slot) if slot.get().kind > kind => {}
            slot => drop(slot.insert_entry(RegionEntry::listed(files, &path, region, kind))),
        }
    }

    listing.regions = by_position.into_values().collect();
    Ok(listing)
}

/// Lists the regions that have one file per chunk below a dimension's folder; empty if there is no
/// such folder.
///
/// # Errors
/// Fails if a folder cannot be read completely.
pub(crate) fn list_alpha(files: &Files, folder: &Path) -> io::Result<Listing> {
    let regions = alpha::list(files, folder)?
        .into_iter()
        .map(RegionEntry::of_chunk_files)
        .collect();
    Ok(Listing {
        regions,
        ..Listing::default()
    })
}

/// Returns whether an error means that the folder does not exist: nothing is there, a file is in
/// its place, or links form a circle.
pub(crate) fn is_nothing(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return true;
    }
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Returns whether a folder could be created here: the nearest existing path above it is a folder,
/// not a file or a broken link.
fn is_free(files: &Files, folder: &Path) -> bool {
    folder
        .ancestors()
        .find(|place| files.is_taken(place).unwrap_or(true))
        .is_none_or(|place| files.is_folder(place))
}

/// Returns whether a folder contains at least one region file.
///
/// # Errors
/// Fails if it cannot be listed now, but perhaps later.
pub(crate) fn has_regions(files: &Files, folder: &Path) -> Result<bool, WorldError> {
    let entries = WorldError::ok_unless_retryable(folder, files.list(folder))?;
    Ok(entries
        .into_iter()
        .flatten()
        .any(|entry| entry.is_ok_and(|entry| parse_name(&entry.name).is_some())))
}

/// Parses the name of a region file. Only the game's own spelling is accepted: no spaces, plus
/// signs or leading zeros.
fn parse_name(name: &str) -> Option<(RegionPos, RegionKind)> {
    let (stem, kind) = stem(name)?;
    Some((region_of_stem(stem)?, kind))
}

/// Parses the name of a region's file without its ending, in the game's own spelling.
pub(crate) fn region_of_stem(stem: &str) -> Option<RegionPos> {
    let [x, z] = numbers(stem)?;
    Some(RegionPos {
        x: plain_number(x)?,
        z: plain_number(z)?,
    })
}

/// Parses a number; `None`: the game spells it differently.
pub(crate) fn plain_number(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain =
        text == "0" || digits.starts_with(|first: char| first.is_ascii_digit() && first != '0');
    if is_plain { text.parse().ok() } else { None }
}

/// Returns whether a name resembles a region file's, but its numbers are too large or spelled
/// differently from the game's. The same region may also have a file with the right name.
fn is_strange(name: &str) -> bool {
    stem(name)
        .and_then(|(stem, _)| numbers(stem))
        .is_some_and(|numbers| numbers.into_iter().all(is_number))
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a name into its stem and the kind that its extension means.
fn stem(name: &str) -> Option<(&str, RegionKind)> {
    match name.rsplit_once('.')? {
        (stem, "mca") => Some((stem, RegionKind::Mca)),
        (stem, "mcr") => Some((stem, RegionKind::Mcr)),
        _ => None,
    }
}

/// Splits the stem of a name into the texts of x and z.
fn numbers(stem: &str) -> Option<[&str; 2]> {
    let (x, z) = stem.strip_prefix("r.")?.split_once('.')?;
    Some([x, z])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_the_game_would_write_are_regions() {
        assert_eq!(
            parse_name("r.-3.12.mca"),
            Some((RegionPos { x: -3, z: 12 }, RegionKind::Mca))
        );
        assert_eq!(
            parse_name("r.0.0.mcr"),
            Some((RegionPos { x: 0, z: 0 }, RegionKind::Mcr))
        );

        for name in [
            "._r.0.0.mca",
            "r.00.0.mca",
            "r.+1.0.mca",
            "r.0.0.mca.bak",
            "r.0.mca",
            "r.0.0.0.mca",
            "r.-0.0.mca",
        ] {
            assert_eq!(parse_name(name), None, "{name}");
        }

        assert_eq!(parse_name("r.2147483648.0.mca"), None);

        for name in [
            "r.2147483648.0.mca",
            "r.0.-2147483649.mcr",
            "r.99999999999999999999.0.mca",
            "r.-0.0.mca",
            "r.01.0.mca",
        ] {
            assert!(is_strange(name) && parse_name(name).is_none(), "{name}");
        }

        for name in [
            "r.x.mca",
            "r.0.x.mca",
            "r.+1.0.mca",
            "r.0.0.mca.bak",
            "backup.mca",
            "r..0.mca",
            "r.-.0.mca",
            "r.0.0.0.mca",
        ] {
            assert!(!is_strange(name), "{name}");
        }

        assert!(parse_name("r.2147483647.-2147483648.mca").is_some());
    }
}
