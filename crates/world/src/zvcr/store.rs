//! The files of one dimension, and the borders of regions whose hashes neighbours need again soon.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::zvcr::container::Content;
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::Files;
use pixelmap_base::mutex;
use pixelmap_base::recent::RecentValues;

/// The ending of the name of a file.
pub(crate) const ENDING: &str = "zvcr3d";
/// The most regions whose border chunks are kept. Each of eight neighbours needs a part of them, at
/// different times.
const MAX_BORDERS: usize = 16;
/// The most bytes of the border chunks of a region that are kept.
const MAX_BORDER: usize = 4 << 20;

/// How the files of a dimension are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileLayout {
    /// In folders of sectors: `X/Z/r.X.Z.zvcr3d`.
    Sectors,
    /// Directly in the folder.
    Folder,
    /// The given path is a file.
    File,
}

/// The files of one dimension, in the state of one time.
#[derive(Debug)]
pub struct ZvcrStore {
    pub(super) files: Files,
    path: PathBuf,
    layout: FileLayout,
    /// The time whose state is wanted, in seconds since 1970; absent: the newest.
    pub(super) at: Option<i64>,
    borders: Mutex<RecentValues<(RegionPos, u64), Content>>,
}

impl ZvcrStore {
    /// Regions along each side of a sector, which is a folder.
    pub(crate) const SECTOR_REGIONS: i32 = 32;

    pub(crate) fn new(files: Files, path: PathBuf, layout: FileLayout, at: Option<i64>) -> Self {
        Self {
            files,
            path,
            layout,
            at,
            borders: Mutex::new(RecentValues::new(MAX_BORDERS)),
        }
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    pub(crate) fn at(&self) -> Option<i64> {
        self.at
    }

    /// Returns the folder of its files, or its only file.
    pub(crate) fn folder(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a region's file.
    pub(crate) fn path(&self, region: RegionPos) -> PathBuf {
        let name = format!("{region}.{ENDING}");
        match self.layout {
            FileLayout::File => self.path.clone(),
            FileLayout::Folder => self.path.join(name),
            FileLayout::Sectors => {
                let [x, z] = Self::sector(region).map(|number| number.to_string());
                self.path.join(x).join(z).join(name)
            }
        }
    }

    /// Returns the numbers of the sector that has a region.
    pub(crate) fn sector(region: RegionPos) -> [i32; 2] {
        [region.x, region.z].map(|number| number.div_euclid(Self::SECTOR_REGIONS))
    }

    /// Returns the border chunks of a region, if they were read while its stamp was the same.
    pub(super) fn kept_border(&self, region: RegionPos, state: u64) -> Option<Arc<Content>> {
        mutex::lock(&self.borders).get(&(region, state))
    }

    /// Keeps the border chunks of a region, unless some of them did not fit.
    pub(super) fn keep_border(&self, region: RegionPos, state: u64, content: &Arc<Content>) {
        if content.kept.border_only && content.kept.is_in_all_rows() && content.bytes <= MAX_BORDER
        {
            mutex::lock(&self.borders).put((region, state), content.clone());
        }
    }
}
