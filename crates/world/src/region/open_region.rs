//! Reads the chunks of an open region, whatever the kind of its store.

#[cfg(any(test, feature = "faults"))]
use std::path::Path;

use crate::alpha::ChunkFiles;
use crate::anvil::RegionFile;
use crate::bedrock::{BedrockRegion, ChunkExtent};
use crate::bytes::{ChunkRecord, ChunkStorage, Inflater, Stamp};
use crate::explored::ExploredRegion;
use crate::zvcr::{ChunkPass, ZvcrRegion};
use pixelmap_base::coord::{RegionPos, Slot};

/// An open region, by the kind of its store.
#[derive(Debug)]
pub enum Region {
    /// A region file of Java Edition, `.mca` or `.mcr`.
    Anvil(Box<RegionFile>),
    /// One file per chunk, as before Beta 1.3.
    Alpha(Box<ChunkFiles>),
    /// The keys of its chunks in the database of Bedrock Edition.
    Bedrock(Box<BedrockRegion>),
    /// A file of zvcr.
    Zvcr(Box<ZvcrRegion>),
    /// Region files of map mods.
    Explored(Box<ExploredRegion>),
}

impl Region {
    pub fn pos(&self) -> RegionPos {
        match self {
            Self::Anvil(file) => file.region(),
            Self::Alpha(files) => files.region(),
            Self::Bedrock(region) => region.region(),
            Self::Zvcr(region) => region.region(),
            Self::Explored(region) => region.region(),
        }
    }

    pub fn has(&self, slot: Slot) -> bool {
        match self {
            Self::Anvil(file) => file.header().location(slot).is_some(),
            Self::Alpha(files) => files.has(slot),
            Self::Bedrock(region) => region.has(slot),
            Self::Zvcr(region) => region.has(slot),
            Self::Explored(region) => region.has(slot),
        }
    }

    /// Returns the slots that are not empty.
    pub fn stored(&self) -> impl Iterator<Item = Slot> {
        Slot::all().filter(|&slot| self.has(slot))
    }

    /// Asks the system to read the chunks in `slots` ahead, because they will be read soon, one
    /// after the other.
    pub fn will_read(&self, slots: impl Iterator<Item = Slot>) {
        match self {
            Self::Anvil(file) => file.will_read(slots),
            Self::Zvcr(region) => region.will_read(slots),
            // A chunk file, a block of a database, or a file of a map mod is read in one go.
            Self::Alpha(_) | Self::Bedrock(_) | Self::Explored(_) => {}
        }
    }

    /// Returns the blocks of a database in which the chunk in `slot` is stored. Returns `None` in
    /// other stores, or if the blocks are not consecutive.
    pub fn extent(&self, slot: Slot) -> Option<ChunkExtent> {
        match self {
            Self::Bedrock(region) => region.extent(slot),
            Self::Anvil(_) | Self::Alpha(_) | Self::Zvcr(_) | Self::Explored(_) => None,
        }
    }

    /// Begins a pass over the chunks of a [sequential](super::RegionStore::is_sequential) store.
    /// Returns `None` for other stores.
    pub fn pass(&self) -> Option<ChunkPass<'_>> {
        match self {
            Self::Zvcr(region) => Some(region.pass()),
            Self::Anvil(_) | Self::Alpha(_) | Self::Bedrock(_) | Self::Explored(_) => None,
        }
    }

    /// Reads the chunk in `slot`; `None`: the slot is empty. A fault in the chunk affects no other
    /// slot.
    ///
    /// While the world is being written, the bytes may be a half-written chunk: `is_whole` decides
    /// whether they are used or read again. It is not called for a store that is not being written.
    pub fn read<'a>(
        &mut self,
        slot: Slot,
        inflater: &'a mut Inflater,
        is_whole: impl FnMut(&[u8]) -> bool,
    ) -> Option<ChunkRecord<'a>> {
        match self {
            Self::Anvil(file) => file.read(slot, inflater, is_whole),
            Self::Alpha(files) => files.read(slot, inflater, is_whole),
            Self::Bedrock(region) => region.read(slot, inflater),
            Self::Zvcr(region) => region.read(slot, inflater),
            Self::Explored(region) => region.read(slot, inflater),
        }
    }

    /// Returns how the chunk in `slot` is stored, with the same hash as [`Region::read`]. Inflates
    /// nothing except the blocks of a database.
    pub fn hash(&mut self, slot: Slot, inflater: &mut Inflater) -> ChunkStorage {
        match self {
            Self::Anvil(file) => file.hash(slot, inflater),
            Self::Alpha(files) => files.hash(slot, inflater),
            Self::Bedrock(region) => region.hash(slot, inflater),
            Self::Zvcr(region) => region.hash(slot),
            Self::Explored(region) => region.hash(slot),
        }
    }

    /// Returns when the game saved the chunk in `slot`, in seconds since 1970; `None`: the store
    /// lacks such times.
    pub fn saved(&self, slot: Slot) -> Option<u32> {
        match self {
            Self::Anvil(file) => Some(file.header().saved(slot)).filter(|time| *time > 0),
            Self::Alpha(_) | Self::Bedrock(_) | Self::Zvcr(_) | Self::Explored(_) => None,
        }
    }

    /// Returns the region's stamp when it was opened. As long as the stamp is the same, the stored
    /// chunks are the same, except chunks in external files.
    pub fn stamp(&self) -> Stamp {
        match self {
            Self::Anvil(file) => file.stamp(),
            Self::Alpha(files) => files.stamp(),
            Self::Bedrock(region) => region.stamp(),
            Self::Zvcr(region) => region.stamp(),
            Self::Explored(region) => region.stamp(),
        }
    }

    /// Returns a number that identifies the region's state when it was opened.
    pub fn state(&self) -> u64 {
        match self {
            Self::Anvil(file) => file.state(),
            Self::Alpha(files) => files.stamp().state(),
            Self::Bedrock(region) => region.stamp().state(),
            Self::Zvcr(region) => region.stamp().state(),
            Self::Explored(region) => region.stamp().state(),
        }
    }

    /// Returns whether the chunk in `slot` is stored in an external file, which the region's stamp
    /// does not cover.
    pub fn is_in_own_file(&self, slot: Slot) -> bool {
        match self {
            Self::Anvil(file) => file.leads_outside(slot),
            Self::Alpha(_) | Self::Bedrock(_) | Self::Zvcr(_) | Self::Explored(_) => false,
        }
    }

    /// Returns the stamp of the external file of the chunk in `slot`; `None`: there is no such
    /// file.
    pub fn own_file_stamp(&self, slot: Slot) -> Option<Stamp> {
        match self {
            Self::Anvil(file) => file.external_stamp(slot),
            Self::Alpha(_) | Self::Bedrock(_) | Self::Zvcr(_) | Self::Explored(_) => None,
        }
    }

    /// Returns descriptions of the defects of the region as a whole. Each kind of defect has its
    /// own index.
    pub fn defects(&self) -> [Option<&'static str>; 2] {
        match self {
            Self::Anvil(file) => [
                file.has_short_header()
                    .then_some("a region file whose header is cut short"),
                file.header()
                    .overlaps()
                    .then_some("a region file with overlapping chunks"),
            ],
            Self::Alpha(_) | Self::Bedrock(_) | Self::Zvcr(_) | Self::Explored(_) => [None; 2],
        }
    }

    /// Sets a function that is called before each read, with the file's path.
    #[cfg(any(test, feature = "faults"))]
    pub fn before_reads(&mut self, called: fn(&Path)) {
        match self {
            Self::Anvil(file) => {
                let path = file.path.clone();
                file.before_reads(move || called(&path));
            }
            Self::Alpha(files) => files.before_read = Some(called),
            // The files of a database do not change while they are read, and files of zvcr and of map
            // mods are only replaced.
            Self::Bedrock(_) | Self::Zvcr(_) | Self::Explored(_) => {}
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

impl From<BedrockRegion> for Region {
    fn from(region: BedrockRegion) -> Self {
        Self::Bedrock(Box::new(region))
    }
}

impl From<ZvcrRegion> for Region {
    fn from(region: ZvcrRegion) -> Self {
        Self::Zvcr(Box::new(region))
    }
}

impl From<ExploredRegion> for Region {
    fn from(region: ExploredRegion) -> Self {
        Self::Explored(Box::new(region))
    }
}
