//! The world that players have explored, as a map mod shows it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::import::journeymap::Waypoint;
use crate::import::picture::{Picture, PictureKind};
use pixelmap_base::coord::RegionPos;

/// The pictures and waypoints in all folders of players.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExploredWorld {
    /// The name of the first folder.
    pub name: String,
    pub folders: Vec<PathBuf>,
    /// The dimensions, sorted by id.
    pub dimensions: Vec<ExploredDimension>,
    pub waypoints: Vec<Waypoint>,
    /// Messages about folders and files that are left out.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExploredDimension {
    pub id: String,
    pub layers: BTreeMap<PictureKind, Pictures>,
}

/// The pictures of each region, the newest first.
pub type Pictures = BTreeMap<RegionPos, Vec<Picture>>;
