//! What must not be shown, from what the user names to the slots of a region that are passed over.
//!
//! A hidden chunk counts as not stored wherever a slot is looked at: in its own region, in the frames of others, in the
//! hashes that tell whether something changed. So a map is that of a world without it, and a change inside it is none.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::drawing::Drawing;
use super::regions::Wanted;
use crate::coord::{Area, RegionPos};
use crate::hide::{GeoJsonError, Hidden, HiddenSlots, Polygon, polygons};
use crate::pack::open_file;
use crate::publish::retryable;
use crate::region::{RegionFile, Stamp};

/// The largest file of polygons that is read, in bytes.
const MAX_FILE: u64 = 16 << 20;

/// Something that must not be shown, as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hide {
    /// The columns of a rectangle.
    Area(Area),
    /// The polygons of a GeoJSON file.
    File(PathBuf),
}

/// Why it cannot be told what must not be shown.
#[derive(Debug)]
pub enum HideError {
    /// A file cannot be read.
    Unreadable(PathBuf, std::io::Error),
    /// A file is too large.
    TooLarge(PathBuf),
    /// A file is no text.
    NoText(PathBuf),
    /// A file holds something that hides nothing, or nobody knows what.
    GeoJson(PathBuf, GeoJsonError),
}

impl fmt::Display for HideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--hide ")?;
        match self {
            Self::Unreadable(path, error) => {
                write!(f, "{}: {error}; give X0,Z0,X1,Z1 in blocks or the path of a GeoJSON file", path.display())
            }
            Self::TooLarge(path) => {
                write!(f, "{}: the file has more than {} MiB: simplify its polygons", path.display(), MAX_FILE >> 20)
            }
            Self::NoText(path) => write!(f, "{}: the file is no text in UTF-8: give a GeoJSON file", path.display()),
            Self::GeoJson(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for HideError {}

impl HideError {
    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }
}

/// Reads what must not be shown.
///
/// # Errors
/// A file that cannot be read whole and understood: nothing is hidden then, and nothing may be drawn.
pub(super) fn read(hide: &[Hide]) -> Result<Hidden, HideError> {
    let (mut areas, mut found) = (Vec::new(), Vec::new());
    for one in hide {
        match one {
            Hide::Area(area) => areas.push(*area),
            Hide::File(path) => found.extend(read_file(path)?),
        }
    }
    Ok(Hidden::new(areas, found))
}

fn read_file(path: &Path) -> Result<Vec<Polygon>, HideError> {
    let mut bytes = Vec::new();
    let file = open_file(path, MAX_FILE + 1).and_then(|mut file| file.read_to_end(&mut bytes));
    file.map_err(|error| HideError::Unreadable(path.to_owned(), error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(HideError::TooLarge(path.to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| HideError::NoText(path.to_owned()))?;
    polygons(&text).map_err(|error| HideError::GeoJson(path.to_owned(), error))
}

impl Drawing<'_> {
    /// The hidden slots of a region.
    pub(super) fn hidden(&self, region: RegionPos) -> HiddenSlots {
        self.plan.hidden.slots(region)
    }

    /// How many chunks stored in a region's file are hidden, in the part of the world that is drawn.
    pub(super) fn count_hidden(&self, hidden: &HiddenSlots, region: RegionPos, file: &RegionFile) -> u64 {
        let is_stored = |slot| file.header().location(slot).is_some();
        let stored = hidden.slots().filter(|&slot| is_stored(slot));
        stored.filter(|&slot| self.wanted(&HiddenSlots::NONE, region, slot) == Wanted::Drawn).count() as u64
    }

    /// The regions that touch one, and itself, with their hidden slots `[z][x]`.
    pub(super) fn hidden_around(&self, region: RegionPos) -> [HiddenSlots; 9] {
        std::array::from_fn(|at| self.hidden(region.offset(at as i32 % 3 - 1, at as i32 / 3 - 1)))
    }
}

/// What tells that a file is as it was read, with so much of it hidden. The folder of a map is public, and what is hidden
/// could be guessed from a hash of it alone: so it is mixed with that of the header, which nobody knows who has not the
/// file.
pub(super) fn stamp_of(file: &RegionFile, hidden: &HiddenSlots) -> Stamp {
    let stamp = file.stamp();
    if hidden.is_empty() {
        return stamp;
    }
    let mut bytes = stamp.header.to_le_bytes().to_vec();
    hidden.rows().iter().for_each(|row| bytes.extend(row.to_le_bytes()));
    Stamp { header: XxHash3_64::oneshot(&bytes), ..stamp }
}

/// Regions of which nothing is left in some layer, and of which something is hidden: dimension and region.
pub(super) type Emptied = BTreeSet<(usize, RegionPos)>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coord::Slot;

    fn file(folder: &Path, saved: u32) -> RegionFile {
        let mut bytes = vec![0; 8192];
        bytes[4096..4100].copy_from_slice(&saved.to_be_bytes());
        let path = folder.join("r.0.0.mca");
        std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), &bytes).unwrap();
        RegionFile::open(&path, RegionPos { x: 0, z: 0 }).unwrap()
    }

    #[test]
    fn a_stamp_tells_what_is_hidden_to_nobody_who_has_not_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let area =
            |x1| Hidden::new(vec![Area { x0: 0, z0: 0, x1, z1: 16 }], Vec::new()).slots(RegionPos { x: 0, z: 0 });
        let (one, two) = (area(16), area(32));
        assert!(one.has(Slot::at(0, 0)) && !one.has(Slot::at(1, 0)) && two.has(Slot::at(1, 0)));
        let header = |saved, hidden: &HiddenSlots| stamp_of(&file(folder.path(), saved), hidden).header;
        assert_eq!(header(1, &HiddenSlots::NONE), file(folder.path(), 1).stamp().header, "nothing is hidden");
        assert_eq!(header(1, &one), header(1, &one));
        let different =
            [header(1, &HiddenSlots::NONE), header(1, &one), header(1, &two), header(2, &one), header(2, &two)];
        let distinct: BTreeSet<u64> = different.into_iter().collect();
        assert_eq!(distinct.len(), different.len(), "it changes with what is hidden, and with what nobody knows");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base.geojson");
        let said = |bytes: &[u8]| {
            std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), bytes).unwrap();
            read(&[Hide::File(path.clone())]).unwrap_err().to_string()
        };
        assert!(said(&vec![b' '; MAX_FILE as usize + 1]).contains("simplify"));
        assert!(said(b"\xff\xfe").contains("UTF-8"));
        let open = said(b"{\"type\": \"Polygon\", \"coordinates\": [[[0,0],\n[1,0],[1,1],[0,1]]]}");
        assert!(open.contains("base.geojson: coordinates[0]: ") && open.contains("not closed"), "{open}");
        std::fs::remove_file(&path).unwrap();
        let missing = read(&[Hide::File(path)]).unwrap_err().to_string();
        assert!(missing.contains("base.geojson") && missing.contains("X0,Z0,X1,Z1"), "{missing}");
    }
}
