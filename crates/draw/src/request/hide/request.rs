//! Reads the hidden places that the user named, and makes `HiddenPlaces` from them. The `chunk_use`
//! module of the painter explains how hidden chunks are treated.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::request::hide::geojson::GeoJsonError;
use crate::request::hide::geojson::polygons;
use crate::request::hide::hidden_places::HiddenPlaces;
use crate::request::hide::polygon::Polygon;
use pixelmap_base::coord::Area;
use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;
use pixelmap_base::words::HIDE;

/// The largest file of polygons that is read, in bytes.
const MAX_FILE: u64 = 16 << 20;

/// A hidden place as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hide {
    /// The columns of a rectangle.
    Area(Area),
    /// The polygons of a GeoJSON file.
    File(PathBuf),
}

/// The reason why the hidden places cannot be read.
#[derive(Debug, Error)]
pub enum HideError {
    /// A file cannot be read.
    #[error(
        "{HIDE} {}: {}; give X0,Z0,X1,Z1 in blocks or the path of a GeoJSON file",
        .0.display(),
        .1
    )]
    Unreadable(PathBuf, std::io::Error),
    /// A file is too large.
    #[error(
        "{HIDE} {}: the file has more than {} MiB: simplify its polygons",
        .0.display(),
        MAX_FILE >> 20
    )]
    TooLarge(PathBuf),
    /// A file is not text.
    #[error("{HIDE} {}: the file is not UTF-8: give a GeoJSON file", .0.display())]
    NoText(PathBuf),
    /// A file contains something that hides nothing, or whose place is unknown.
    #[error("{HIDE} {}: {}", .0.display(), .1)]
    GeoJson(PathBuf, GeoJsonError),
}

impl HideError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }
}

/// Reads the hidden places.
///
/// # Errors
/// Fails if a file cannot be read completely and understood. Then nothing may be drawn, because
/// nothing would be hidden.
pub(crate) fn read(hide: &[Hide]) -> Result<HiddenPlaces, HideError> {
    let mut areas = Vec::new();
    let mut polygons = Vec::new();
    for one in hide {
        match one {
            Hide::Area(area) => areas.push(*area),
            Hide::File(path) => polygons.extend(read_file(path)?),
        }
    }

    Ok(HiddenPlaces::new(areas, polygons))
}

fn read_file(path: &Path) -> Result<Vec<Polygon>, HideError> {
    let read = Files::Disk.read(path, MAX_FILE + 1);
    let bytes = read.map_err(|error| HideError::Unreadable(path.to_owned(), error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(HideError::TooLarge(path.to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| HideError::NoText(path.to_owned()))?;
    polygons(&text).map_err(|error| HideError::GeoJson(path.to_owned(), error))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn unusable_hiding_file_is_refused_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base.geojson");
        let said = |bytes: &[u8]| {
            std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), bytes).unwrap();
            read(&[Hide::File(path.clone())]).unwrap_err().to_string()
        };

        assert!(said(&vec![b' '; MAX_FILE as usize + 1]).contains("simplify"));
        assert!(said(b"\xff\xfe").contains("UTF-8"));

        let open = said(b"{\"type\": \"Polygon\", \"coordinates\": [[[0,0],\n[1,0],[1,1],[0,1]]]}");
        assert!(
            open.contains("base.geojson: coordinates[0]: ") && open.contains("not closed"),
            "{open}"
        );

        std::fs::remove_file(&path).unwrap();
        let missing = read(&[Hide::File(path)]).unwrap_err().to_string();
        assert!(
            missing.contains("base.geojson") && missing.contains("X0,Z0,X1,Z1"),
            "{missing}"
        );
    }
}
