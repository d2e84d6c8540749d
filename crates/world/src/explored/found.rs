//! The region files that a map mod has in a folder.

use std::path::PathBuf;

use pixelmap_base::coord::RegionPos;

/// The maps in a folder of a player.
#[derive(Debug, Default)]
pub(crate) struct FoundFolder {
    /// The name of the world or server for players.
    pub(crate) name: String,
    /// Empty: the folder is not the folder of one world.
    pub(crate) dimensions: Vec<FoundDimension>,
    /// The folders of worlds below it, if it is not the folder of one world.
    pub(crate) inside: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct FoundDimension {
    /// One of the names of the dimension, for example `overworld` or `ns:path`.
    pub(crate) name: String,
    pub(crate) files: Vec<FoundFile>,
    /// The files with the waypoints of the player.
    pub(crate) waypoint_files: Vec<PathBuf>,
}

/// A region file.
#[derive(Debug)]
pub(crate) struct FoundFile {
    pub(crate) region: RegionPos,
    pub(crate) path: PathBuf,
    /// The number of its cave layer, which grows upwards; absent: it shows the surface.
    pub(crate) cave_layer: Option<i32>,
}
