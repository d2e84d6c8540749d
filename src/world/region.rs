//! Access to what is stored of a region: 32 by 32 chunks, in whatever kind of store.
//!
//! Outside of `world` no room knows headers, files of single chunks or tables: a region lists its chunks, reads a
//! chunk's bytes by slot, and returns hashes and stamps from which a later run sees what has changed.

use std::io;
use std::path::Path;

use super::alpha::ChunkFiles;
use super::anvil::RegionFile;
use super::files::Files;
use super::folder::{RegionEntry, RegionKind};
use super::stored::{ChunkRecord, Inflater, Stamp, Stored};
use crate::base::coord::{RegionPos, Slot};

/// An open region, by the kind of its store.
#[derive(Debug)]
pub enum Region {
    /// A region file of Java Edition, `.mca` or `.mcr`.
    Anvil(Box<RegionFile>),
    /// A file per chunk, as before Beta 1.3.
    Alpha(Box<ChunkFiles>),
}

impl Region {
    /// Opens a region that `folder` lists.
    pub fn open(files: &Files, folder: &Path, entry: RegionEntry) -> io::Result<Self> {
        match entry.kind {
            RegionKind::Alpha => ChunkFiles::open(files, folder, entry.region).map(Self::from),
            RegionKind::Mcr | RegionKind::Mca => {
                RegionFile::open(files, &entry.path(folder), entry.region).map(Self::from)
            }
        }
    }

    /// Opens a region to draw it. An empty one that was touched a moment ago is left alone for 100 ms first: a server
    /// may have emptied it to write it again. So are the files of single chunks, one of which may be missing.
    pub fn open_filled(files: &Files, folder: &Path, entry: RegionEntry) -> io::Result<Self> {
        match entry.kind {
            RegionKind::Alpha => ChunkFiles::open_filled(files, folder, entry.region).map(Self::from),
            RegionKind::Mcr | RegionKind::Mca => {
                RegionFile::open_filled(files, &entry.path(folder), entry.region).map(Self::from)
            }
        }
    }

    /// Opens the points of interest of a region that `folder` lists: one record per chunk, as for its blocks. `None`:
    /// none are stored.
    pub fn open_points(files: &Files, folder: &Path, entry: RegionEntry) -> Option<io::Result<Self>> {
        // A dimension's folder that was given alone may have any name; then nothing beside it belongs to it.
        let folder = Some(folder).filter(|folder| folder.ends_with("region") && entry.kind != RegionKind::Alpha)?;
        let path = entry.path(&folder.with_file_name("poi"));
        files.is_file(&path).then(|| RegionFile::open(files, &path, entry.region).map(Self::from))
    }

    pub fn pos(&self) -> RegionPos {
        match self {
            Self::Anvil(file) => file.region(),
            Self::Alpha(files) => files.region(),
        }
    }

    pub fn has(&self, slot: Slot) -> bool {
        match self {
            Self::Anvil(file) => file.header().location(slot).is_some(),
            Self::Alpha(files) => files.has(slot),
        }
    }

    /// The slots that hold something.
    pub fn stored(&self) -> impl Iterator<Item = Slot> {
        Slot::all().filter(|&slot| self.has(slot))
    }

    /// Has the system read the chunks in `slots` ahead: they will be read soon, one after the other.
    pub fn will_read(&self, slots: impl Iterator<Item = Slot>) {
        match self {
            Self::Anvil(file) => file.will_read(slots),
            // A file is read at once.
            Self::Alpha(_) => {}
        }
    }

    /// Reads the chunk in `slot`; `None`: nothing is stored there. A fault in it affects no other slot.
    ///
    /// While the world is being written, the bytes may be those of a half-written chunk: `is_whole` decides whether
    /// they are used or read again. It is not called for a store that is not being written.
    pub fn read<'a>(
        &mut self,
        slot: Slot,
        inflater: &'a mut Inflater,
        is_whole: impl FnMut(&[u8]) -> bool,
    ) -> Option<ChunkRecord<'a>> {
        match self {
            Self::Anvil(file) => file.read(slot, inflater, is_whole),
            Self::Alpha(files) => files.read(slot, inflater, is_whole),
        }
    }

    /// The form in which the chunk in `slot` is stored, with the hash that [`Region::read`] returns; inflates nothing.
    pub fn hash(&mut self, slot: Slot, inflater: &mut Inflater) -> Stored {
        match self {
            Self::Anvil(file) => file.hash(slot, inflater),
            Self::Alpha(files) => files.hash(slot, inflater),
        }
    }

    /// The region's stamp when it was opened: while the stamp is the same, the stored chunks are, except those in files
    /// of their own.
    pub fn stamp(&self) -> Stamp {
        match self {
            Self::Anvil(file) => file.stamp(),
            Self::Alpha(files) => files.stamp(),
        }
    }

    /// A number for the region's state when it was opened.
    pub fn state(&self) -> u64 {
        match self {
            Self::Anvil(file) => file.state(),
            Self::Alpha(files) => files.stamp().state(),
        }
    }

    /// Returns whether the chunk in `slot` is stored in a file of its own that is not part of the region's stamp.
    pub fn is_in_own_file(&self, slot: Slot) -> bool {
        match self {
            Self::Anvil(file) => file.leads_outside(slot),
            Self::Alpha(_) => false,
        }
    }

    /// The stamp of the file of its own in which the chunk in `slot` is stored; `None`: there is no such file.
    pub fn own_file_stamp(&self, slot: Slot) -> Option<Stamp> {
        match self {
            Self::Anvil(file) => file.external_stamp(slot),
            Self::Alpha(_) => None,
        }
    }

    /// The defects of the region as a whole, in words, each kind at its own index.
    pub fn defects(&self) -> [Option<&'static str>; 2] {
        match self {
            Self::Anvil(file) => [
                file.has_short_header().then_some("a region file whose header is cut short"),
                file.header().overlaps().then_some("a region file in which chunks lie over one another"),
            ],
            Self::Alpha(_) => [None; 2],
        }
    }

    /// Sets a function that is called before each read, with the file's path.
    #[cfg(test)]
    pub(crate) fn before_reads(&mut self, called: fn(&Path)) {
        match self {
            Self::Anvil(file) => {
                let path = file.path.clone();
                file.before_reads(move || called(&path));
            }
            Self::Alpha(files) => files.before_read = Some(called),
        }
    }
}

impl From<RegionFile> for Region {
    fn from(file: RegionFile) -> Self {
        Self::Anvil(Box::new(file))
    }
}

impl From<ChunkFiles> for Region {
    fn from(files: ChunkFiles) -> Self {
        Self::Alpha(Box::new(files))
    }
}
