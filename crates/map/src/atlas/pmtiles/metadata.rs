//! Defines the metadata of an archive.

use serde::{Deserialize, Serialize};

use crate::atlas::map_file::MapFile;

/// The metadata of an archive, which are JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Metadata {
    #[serde(default)]
    pub(crate) name: String,
    /// Names the dimension and the layer.
    #[serde(default)]
    pub(crate) description: String,
    /// `baselayer`, or `overlay` if it is meant to be drawn on top of another layer.
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
    /// The facts of the map, as in `map.json`, for the viewer.
    pub(crate) pixelmap: MapFile,
}
