//! The files of markers in a map: those of the world, one file per kind beside the layers of each dimension, and those of
//! the owner in a folder of their own, which may change without a render.

use serde::{Deserialize, Serialize};

use super::MapFile;
use crate::base::hash::content_version;

/// The folder of markers: of a dimension below its own, of the owner below the map's.
pub const MARKERS: &str = "markers";
/// The ending of a file of markers.
pub(crate) const ENDING: &str = ".geojson";

/// A file of a dimension's markers of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkerFile {
    pub kind: String,
    /// The file's path in the map.
    pub file: String,
    /// The number of its markers.
    pub count: u64,
    /// XXH3-64 of its bytes, as 16 hex digits. Its address carries it.
    pub version: String,
}

impl MarkerFile {
    /// The file of a kind of markers of the dimension in this folder, of which there are `count`.
    pub fn new(folder: &str, kind: &str, count: u64, text: &str) -> Self {
        let file = format!("{folder}/{MARKERS}/{kind}{ENDING}");
        Self { kind: kind.to_owned(), file, count, version: version_of_text(text) }
    }
}

/// A file of the owner's own markers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnMarkers {
    /// The file's path in the map.
    pub file: String,
    /// XXH3-64 of its bytes when the map was drawn, as 16 hex digits.
    pub version: String,
}

impl OwnMarkers {
    /// The file with this text at a path in the map.
    pub fn new(file: String, text: &str) -> Self {
        Self { file, version: version_of_text(text) }
    }

    /// The path in the map of a file with this name.
    pub fn path(name: &str) -> String {
        format!("{MARKERS}/{name}")
    }
}

fn version_of_text(text: &str) -> String {
    content_version(|out| out.write_all(text.as_bytes()))
}

impl MapFile {
    /// The name of the script that holds all files of markers, for pages that are opened from disk.
    pub const MARKERS_SCRIPT: &'static str = "markers.js";

    /// The paths of the world's markers.
    pub fn marker_files(&self) -> impl Iterator<Item = &str> {
        self.dimensions.iter().flat_map(|dimension| &dimension.markers).map(|markers| markers.file.as_str())
    }

    /// The paths of all files of markers that a run writes or may have written.
    pub fn all_marker_files(&self) -> impl Iterator<Item = &str> {
        let own = self.markers.iter().map(|own| own.file.as_str());
        let files: Vec<&str> = self.marker_files().chain(own).collect();
        let script = (!files.is_empty()).then_some(Self::MARKERS_SCRIPT);
        files.into_iter().chain(script)
    }
}
