//! The door to what is stored of a region: 32 by 32 chunks, whatever keeps them.
//!
//! Outside of `world` nobody knows a header, a file of a chunk's own or a table: a region tells which chunks it has,
//! gives a chunk's bytes by slot, and hashes and stamps by which a later run finds out what has changed.

use std::io;
use std::path::Path;

use super::anvil::{ChunkRecord, Inflater, RegionFile, Stamp, Stored};
use super::files::Files;
use super::folder::RegionEntry;
use crate::base::coord::{RegionPos, Slot};

/// A region that is open, by the kind of its store.
#[derive(Debug)]
pub enum Region {
    /// A region file of Java Edition, `.mca` or `.mcr`.
    Anvil(Box<RegionFile>),
}

impl Region {
    /// Opens a region that `folder` lists.
    ///
    /// # Errors
    /// It cannot be opened or read.
    pub fn open(files: &Files, folder: &Path, entry: RegionEntry) -> io::Result<Self> {
        RegionFile::open(files, &entry.path(folder), entry.region).map(Self::from)
    }

    /// Opens a region to draw it. One that is empty and was touched a moment ago is left alone for 100 ms first: a
    /// server may have emptied it to write it again.
    ///
    /// # Errors
    /// As [`Region::open`].
    pub fn open_filled(files: &Files, folder: &Path, entry: RegionEntry) -> io::Result<Self> {
        RegionFile::open_filled(files, &entry.path(folder), entry.region).map(Self::from)
    }

    /// Opens the points of interest of a region that `folder` lists: records by chunk, as those of its blocks. `None`:
    /// nothing is stored of them.
    pub fn open_points(files: &Files, folder: &Path, entry: RegionEntry) -> Option<io::Result<Self>> {
        // A folder that is given by itself may have any name, and nothing beside it that belongs to it.
        let folder = Some(folder).filter(|folder| folder.ends_with("region"))?;
        let path = entry.path(&folder.with_file_name("poi"));
        files.is_file(&path).then(|| RegionFile::open(files, &path, entry.region).map(Self::from))
    }

    /// The region's position.
    pub fn pos(&self) -> RegionPos {
        match self {
            Self::Anvil(file) => file.region(),
        }
    }

    /// Returns whether something is stored in a slot.
    pub fn has(&self, slot: Slot) -> bool {
        match self {
            Self::Anvil(file) => file.header().location(slot).is_some(),
        }
    }

    /// The slots in which something is stored.
    pub fn stored(&self) -> impl Iterator<Item = Slot> {
        Slot::all().filter(|&slot| self.has(slot))
    }

    /// Has the system read the chunks in `slots` ahead, as they will be read one after the other soon.
    pub fn will_read(&self, slots: impl Iterator<Item = Slot>) {
        match self {
            Self::Anvil(file) => file.will_read(slots),
        }
    }

    /// Reads the chunk in `slot`; `None`: nothing is stored there. Its faults cost no other slot.
    ///
    /// While the world is being written, plain bytes may be those of a half written chunk: `is_whole` decides whether
    /// they are believed or read again. It is not called for a store at rest.
    pub fn read<'a>(
        &mut self,
        slot: Slot,
        inflater: &'a mut Inflater,
        is_whole: impl FnMut(&[u8]) -> bool,
    ) -> Option<ChunkRecord<'a>> {
        match self {
            Self::Anvil(file) => file.read(slot, inflater, is_whole),
        }
    }

    /// The form in which the chunk in `slot` is stored, with the hash that [`Region::read`] gives, without inflating
    /// it.
    pub fn hash(&mut self, slot: Slot, inflater: &mut Inflater) -> Stored {
        match self {
            Self::Anvil(file) => file.hash(slot, inflater),
        }
    }

    /// The stamp of the region when it was opened: while it is the same, the same is stored, but for chunks in files of
    /// their own.
    pub fn stamp(&self) -> Stamp {
        match self {
            Self::Anvil(file) => file.stamp(),
        }
    }

    /// A number for the state in which the region was when it was opened.
    pub fn state(&self) -> u64 {
        match self {
            Self::Anvil(file) => file.state(),
        }
    }

    /// Returns whether the chunk in `slot` is stored in a file of its own, which has its own stamp.
    pub fn is_in_own_file(&self, slot: Slot) -> bool {
        match self {
            Self::Anvil(file) => file.leads_outside(slot),
        }
    }

    /// The stamp of the file of its own that the chunk in `slot` has; `None`: there is no such file.
    pub fn own_file_stamp(&self, slot: Slot) -> Option<Stamp> {
        match self {
            Self::Anvil(file) => file.external_stamp(slot),
        }
    }

    /// The defects of the region as a whole, each at its own place, in words.
    pub fn defects(&self) -> [Option<&'static str>; 2] {
        match self {
            Self::Anvil(file) => [
                file.short_header().then_some("a region file whose header is cut short"),
                file.header().overlaps().then_some("a region file in which chunks lie over one another"),
            ],
        }
    }

    /// Sets what happens before each read; `happens` gets the path of the file.
    #[cfg(test)]
    pub(crate) fn before_reads(&mut self, happens: fn(&Path)) {
        match self {
            Self::Anvil(file) => {
                let path = file.path.clone();
                file.before_reads(move || happens(&path));
            }
        }
    }
}

impl From<RegionFile> for Region {
    fn from(file: RegionFile) -> Self {
        Self::Anvil(Box::new(file))
    }
}
