//! The files of one dimension, in the folders of one or several players.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::bytes::{Defect, Stamp, StreamDamage};
use crate::explored::columns::RegionColumns;
use crate::explored::map_mod::MapMod;
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::Files;
use pixelmap_base::mutex;
use pixelmap_base::recent::RecentValues;
use pixelmap_base::retry::retryable;

/// The most bytes that a file may inflate to. The largest that players have are about 6 MB.
pub(super) const MAX_FILE: u64 = 64 << 20;
/// The most bytes that all files of a region may inflate to.
const MAX_REGION: u64 = 256 << 20;
/// The most regions whose columns are kept, because each of eight neighbours needs a part of them.
const MAX_KEPT: usize = 8;

/// A region file of a player.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    pub(crate) files: Files,
    pub(crate) path: PathBuf,
    /// The number of its cave layer, which grows upwards; absent: it shows the surface.
    pub(crate) cave_layer: Option<i32>,
}

/// The columns of one file.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) cave_layer: Option<i32>,
    pub(super) columns: RegionColumns,
}

/// The files of one dimension.
#[derive(Debug)]
pub struct ExploredStore {
    map_mod: MapMod,
    /// The folder of the first player.
    folder: PathBuf,
    /// Whether a ceiling closes the dimension, so that a cave is the land that players see.
    pub(super) is_closed: bool,
    /// The files of each region, the most important first.
    regions: BTreeMap<RegionPos, Vec<SourceFile>>,
    /// The files with the waypoints of the players.
    waypoint_files: Vec<(Files, PathBuf)>,
    kept: Mutex<RecentValues<(RegionPos, u64), Vec<Level>>>,
}

impl ExploredStore {
    pub(crate) fn new(
        map_mod: MapMod,
        folder: PathBuf,
        is_closed: bool,
        regions: BTreeMap<RegionPos, Vec<SourceFile>>,
        waypoint_files: Vec<(Files, PathBuf)>,
    ) -> Self {
        Self {
            map_mod,
            folder,
            is_closed,
            regions,
            waypoint_files,
            kept: Mutex::new(RecentValues::new(MAX_KEPT)),
        }
    }

    pub(crate) fn map_mod(&self) -> MapMod {
        self.map_mod
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn regions(&self) -> impl Iterator<Item = RegionPos> {
        self.regions.keys().copied()
    }

    /// Returns whether any file shows caves.
    pub fn has_caves(&self) -> bool {
        let mut files = self.regions.values().flatten();
        files.any(|file| file.cave_layer.is_some())
    }

    /// Returns the files with the waypoints of the players.
    pub(crate) fn waypoint_files(&self) -> &[(Files, PathBuf)] {
        &self.waypoint_files
    }

    /// Returns the path of a region's most important file.
    pub(crate) fn path(&self, region: RegionPos) -> PathBuf {
        let first = self.sources(region).first();
        first.map_or_else(|| self.folder.clone(), |file| file.path.clone())
    }

    fn sources(&self, region: RegionPos) -> &[SourceFile] {
        self.regions.get(&region).map_or(&[], Vec::as_slice)
    }

    /// Returns one stamp for all files of a region. It changes if any file does.
    ///
    /// # Errors
    /// Fails if a file is gone, or the system fails.
    pub(crate) fn stamp(&self, region: RegionPos) -> io::Result<Stamp> {
        let mut joined = Stamp::default();
        for (index, file) in self.sources(region).iter().enumerate() {
            let stamp = Stamp::ask(&file.files, &file.path)?.unwrap_or_default();
            joined = if index == 0 {
                stamp
            } else {
                joined.joined_with(stamp)
            };
        }
        Ok(joined)
    }

    /// Reads the columns of all files of a region, unless they were read while their stamp was the
    /// same.
    ///
    /// # Errors
    /// Fails if no file can be read.
    pub(super) fn read(&self, region: RegionPos, state: u64) -> io::Result<Arc<Vec<Level>>> {
        if let Some(kept) = mutex::lock(&self.kept).get(&(region, state)) {
            return Ok(kept);
        }

        let levels = Arc::new(self.read_files(region)?);
        mutex::lock(&self.kept).put((region, state), levels.clone());
        Ok(levels)
    }

    /// Reads the files of a region. A file that can never be read counts as damaged, so that the
    /// files of other players are drawn in its place.
    fn read_files(&self, region: RegionPos) -> io::Result<Vec<Level>> {
        let read = self.map_mod.info().read;
        let mut left = MAX_REGION;
        let mut levels = Vec::new();
        let mut first_error = None;
        let mut is_readable = false;

        for file in self.sources(region) {
            let columns = match read(&file.files, &file.path, left.min(MAX_FILE)) {
                Ok((columns, bytes)) => {
                    is_readable = true;
                    left = left.saturating_sub(bytes);
                    columns
                }
                Err(error) if retryable(&error) => return Err(error),
                Err(error) => {
                    first_error.get_or_insert(error);
                    RegionColumns::lost(&StreamDamage {
                        at: 0,
                        defect: Defect::Foreign,
                    })
                }
            };
            levels.push(Level {
                cave_layer: file.cave_layer,
                columns,
            });
        }

        match first_error {
            Some(error) if !is_readable => Err(error),
            _ => Ok(levels),
        }
    }
}
