//! A region in the listing of its dimension, before it is opened.

use std::path::{Path, PathBuf};

use crate::alpha;
use crate::bytes::Stamp;
use crate::explored::{ExploredStore, MapMod};
use crate::zvcr::{self, ZvcrStore, stamp_at};
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::files::Files;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RegionKind {
    /// `.zvcr3d`, which a store of its own opens.
    Zvcr,
    /// A region file of a map mod, which a store of its own opens.
    Explored(MapMod),
    /// Values in a database, as in Bedrock Edition.
    Bedrock,
    /// One file per chunk, before Beta 1.3.
    Alpha,
    /// `.mcr`, before 1.2.
    Mcr,
    /// `.mca`.
    Mca,
}

/// A region in the listing of its dimension.
#[derive(Debug, Clone, Copy)]
pub struct RegionEntry {
    /// Parsed from the names of its files.
    pub region: RegionPos,
    pub(crate) kind: RegionKind,
    /// Number of bytes that are stored for it, from which its cost is estimated; 0: unknown.
    pub bytes: u64,
    /// [`Stamp::state`](crate::bytes::Stamp::state) of its file when it was listed; 0: its stamp is
    /// known only when it is open.
    pub state: u64,
}

impl RegionEntry {
    /// Makes the entry of a `.mca` file.
    pub fn new(region: RegionPos, bytes: u64) -> Self {
        Self {
            region,
            kind: RegionKind::Mca,
            bytes,
            state: 0,
        }
    }

    /// Makes the entry of a region file that is being listed.
    pub(crate) fn listed(files: &Files, path: &Path, region: RegionPos, kind: RegionKind) -> Self {
        Self::listed_at(files, path, region, kind, None)
    }

    /// Makes the entry of a zvcr file that is being listed.
    pub(crate) fn of_zvcr(store: &ZvcrStore, region: RegionPos) -> Self {
        let path = store.path(region);
        Self::listed_at(store.files(), &path, region, RegionKind::Zvcr, store.at())
    }

    /// Makes the entry of the files of map mods that are being listed.
    pub(crate) fn of_explored(store: &ExploredStore, region: RegionPos) -> Self {
        let stamp = store.stamp(region).unwrap_or_default();
        Self::stamped(stamp, region, RegionKind::Explored(store.map_mod()))
    }

    /// Makes the entry of a file whose state at a time is wanted; absent: the newest state.
    fn listed_at(
        files: &Files,
        path: &Path,
        region: RegionPos,
        kind: RegionKind,
        at: Option<i64>,
    ) -> Self {
        let stamp = Stamp::ask(files, path).ok().flatten().unwrap_or_default();
        Self::stamped(stamp_at(stamp, at), region, kind)
    }

    /// Makes the entry of a region with this stamp.
    fn stamped(stamp: Stamp, region: RegionPos, kind: RegionKind) -> Self {
        let state = if stamp.needs_header() {
            0
        } else {
            stamp.state()
        };
        Self {
            region,
            kind,
            bytes: stamp.len,
            state,
        }
    }

    /// Makes the entry of a region with one file per chunk.
    pub(crate) fn of_chunk_files((region, bytes): (RegionPos, u64)) -> Self {
        Self {
            region,
            kind: RegionKind::Alpha,
            bytes,
            state: 0,
        }
    }

    /// Makes the entry of a region in a database.
    pub(crate) fn in_database(region: RegionPos, bytes: u64) -> Self {
        Self {
            region,
            kind: RegionKind::Bedrock,
            bytes,
            state: 0,
        }
    }

    /// Returns the name of the file that stores the chunk in a slot or, without a slot, the whole
    /// region: `r.X.Z.mca` or `r.X.Z.mcr`. Before Beta 1.3 it is `a/b/c.X.Z.dat` for a chunk and
    /// `r.X.Z` for a region. In a database it is always `r.X.Z`, and map mods have names of their own.
    pub fn file_name(&self, slot: Option<Slot>) -> String {
        match (self.kind, slot) {
            (RegionKind::Mca, _) => format!("{}.mca", self.region),
            (RegionKind::Zvcr, _) => format!("{}.{}", self.region, zvcr::ENDING),
            (RegionKind::Explored(map_mod), _) => map_mod.file_name(self.region),
            (RegionKind::Mcr, _) => format!("{}.mcr", self.region),
            (RegionKind::Alpha, Some(slot)) => alpha::path(self.region.chunk(slot)),
            (RegionKind::Alpha, None) | (RegionKind::Bedrock, _) => self.region.to_string(),
        }
    }

    /// Returns the path of its file in a folder of region files. For chunk files, returns the folder.
    pub(super) fn path_in(&self, folder: &Path) -> PathBuf {
        match self.kind {
            RegionKind::Mcr | RegionKind::Mca => folder.join(self.file_name(None)),
            RegionKind::Alpha
            | RegionKind::Bedrock
            | RegionKind::Explored(_)
            | RegionKind::Zvcr => folder.to_owned(),
        }
    }
}
