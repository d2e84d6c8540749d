//! The table of map mods whose folders are drawn like worlds.

use std::io;
use std::path::Path;

use crate::explored::columns::RegionColumns;
use crate::explored::found::FoundFolder;
use crate::explored::waypoint::FileWaypoints;
use crate::explored::{ftb_chunks, xaero};
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::Files;

/// A map mod that stores columns of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MapMod {
    Xaero,
    FtbChunks,
}

/// The facts about a map mod, and the functions of its reader.
pub(super) struct MapModInfo {
    /// The name that players know.
    pub(super) name: &'static str,
    /// An example of the folders inside the folder of one world.
    pub(super) example: &'static str,
    /// Finds the region files in the folder of a world, or of a part of it.
    pub(super) find: fn(&Files, &Path) -> io::Result<FoundFolder>,
    /// Reads a region file that inflates to at most the given number of bytes. Also returns to how
    /// many bytes it inflates.
    pub(super) read: fn(&Files, &Path, u64) -> io::Result<(RegionColumns, u64)>,
    pub(super) file_name: fn(RegionPos) -> String,
    /// Reads the waypoints of a file; `None`: they are not read.
    pub(super) read_waypoints: Option<fn(&[u8]) -> FileWaypoints>,
}

impl MapMod {
    pub const ALL: [Self; 2] = [Self::Xaero, Self::FtbChunks];

    pub(super) const fn info(self) -> &'static MapModInfo {
        match self {
            Self::Xaero => &xaero::INFO,
            Self::FtbChunks => &ftb_chunks::INFO,
        }
    }

    /// Returns the name that players know.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns an example of the folders inside the folder of one world.
    pub(crate) const fn example(self) -> &'static str {
        self.info().example
    }

    pub(crate) fn find(self, files: &Files, folder: &Path) -> io::Result<FoundFolder> {
        (self.info().find)(files, folder)
    }

    /// Reads the waypoints in the bytes of a file.
    pub(crate) fn read_waypoints(self, bytes: &[u8]) -> FileWaypoints {
        let read = self.info().read_waypoints;
        read.map_or_else(FileWaypoints::default, |read| read(bytes))
    }

    /// Returns the name of a region's file.
    pub(crate) fn file_name(self, region: RegionPos) -> String {
        (self.info().file_name)(region)
    }
}
