//! Names the files of markers in a map. The world's markers are in one file per kind, next to the
//! layers of each dimension. The owner's markers have a folder of their own, because they may
//! change without a render. The owner's icons are in a folder next to them.

use serde::{Deserialize, Serialize};

use pixelmap_base::hash::content_version;

/// The name of the folder of markers, both in a dimension's folder (the world's markers) and in the
/// map's folder (the owner's).
pub const MARKERS: &str = "markers";
/// The folder of icons in the owner's folder.
const ICONS: &str = "icons";
/// The ending of the names of marker files.
pub(crate) const ENDING: &str = ".geojson";

/// The file with a dimension's markers of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkerFile {
    pub kind: String,
    /// The file's path in the map.
    pub file: String,
    /// The number of markers in the file.
    pub count: u64,
    /// XXH3-64 of its bytes, as 16 hex digits. The address in the page contains it.
    pub version: String,
}

impl MarkerFile {
    /// Returns the file for `count` markers of one kind, in the dimension with this folder.
    pub fn new(folder: &str, kind: &str, count: u64, text: &str) -> Self {
        let file = format!("{folder}/{MARKERS}/{kind}{ENDING}");
        Self {
            kind: kind.to_owned(),
            file,
            count,
            version: version_of_text(text),
        }
    }
}

/// A file with the owner's own markers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnMarkers {
    /// The file's path in the map.
    pub file: String,
    /// XXH3-64 of its bytes at the time when the map was drawn, as 16 hex digits.
    pub version: String,
}

impl OwnMarkers {
    /// Returns the file with this text at a path in the map.
    pub fn new(file: String, text: &str) -> Self {
        Self {
            file,
            version: version_of_text(text),
        }
    }

    /// Returns the path in the map of the owner's file with this name.
    pub fn path(name: &str) -> String {
        format!("{MARKERS}/{name}")
    }
}

/// A file with an icon of the owner, which markers name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IconFile {
    /// The name by which markers know it.
    pub name: String,
    /// The file's path in the map.
    pub file: String,
    /// XXH3-64 of its bytes, as 16 hex digits. The address in the page contains it.
    pub version: String,
}

impl IconFile {
    /// Returns the file for the icon with this name and these bytes.
    pub fn new(name: &str, png: &[u8]) -> Self {
        Self {
            name: name.to_owned(),
            file: format!("{MARKERS}/{ICONS}/{name}.png"),
            version: content_version(|out| out.write_all(png)),
        }
    }
}

fn version_of_text(text: &str) -> String {
    content_version(|out| out.write_all(text.as_bytes()))
}
