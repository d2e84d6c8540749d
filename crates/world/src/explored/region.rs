//! The chunks of an open region.

use std::io;
use std::sync::Arc;

use crate::bytes::{
    Allowance, ChunkRecord, ChunkStorage, Fault, Form, Inflater, PlainBytes, Stamp, StreamDamage,
    hash_fault, hash_values,
};
use crate::explored::chunk::{Floors, write_chunk};
use crate::explored::store::{ExploredStore, Level};
use pixelmap_base::coord::{RegionPos, Slot};

/// An open region. Its files were read as a whole, because they are small and packed as one stream.
#[derive(Debug)]
pub struct ExploredRegion {
    store: Arc<ExploredStore>,
    region: RegionPos,
    stamp: Stamp,
    levels: Arc<Vec<Level>>,
}

impl ExploredRegion {
    /// Opens and reads the files of a region.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or has a form that is not known.
    pub fn open(store: &Arc<ExploredStore>, region: RegionPos) -> io::Result<Self> {
        let stamp = store.stamp(region)?;
        Ok(Self {
            levels: store.read(region, stamp.state())?,
            store: store.clone(),
            region,
            stamp,
        })
    }

    pub fn region(&self) -> RegionPos {
        self.region
    }

    /// Returns whether a slot has a chunk, or its chunk may be lost by damage.
    pub fn has(&self, slot: Slot) -> bool {
        let mut levels = self.levels.iter();
        levels.any(|level| level.columns.tile(slot).is_some())
    }

    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Reads the chunk in `slot`; `None`: the slot is empty.
    pub fn read<'a>(&self, slot: Slot, inflater: &'a mut Inflater) -> Option<ChunkRecord<'a>> {
        let chunk = self.chunk(slot)?;
        let stored = storage(&chunk);

        let mut plain = PlainBytes::start(inflater);
        let read = match chunk {
            Ok(chunk) => plain
                .inflater()
                .fill(chunk.len(), &mut { Allowance::FULL })
                .map(|bytes| bytes.copy_from_slice(&chunk)),
            Err(damage) => Err(Fault::from(damage)),
        };

        Some(ChunkRecord {
            form: Form::Nbt,
            is_cut: false,
            stored,
            plain: read.map(|()| plain),
            read_at: None,
        })
    }

    /// Returns how the chunk in `slot` is stored, with the same hash as [`ExploredRegion::read`].
    pub fn hash(&self, slot: Slot) -> ChunkStorage {
        self.chunk(slot)
            .map_or(ChunkStorage::NOTHING, |chunk| storage(&chunk))
    }

    /// Returns the plain bytes of a chunk: the surface of the most important file that has it, and
    /// the caves of each cave layer.
    fn chunk(&self, slot: Slot) -> Option<Result<Vec<u8>, StreamDamage>> {
        let mut damage = None;
        let mut floors: Vec<Floors<'_>> = Vec::new();
        for level in self.levels.iter() {
            let is_known = floors
                .iter()
                .any(|known| known.cave_layer == level.cave_layer);
            match level.columns.tile(slot) {
                Some(Ok(tile)) if !is_known => floors.push(Floors {
                    cave_layer: level.cave_layer,
                    columns: &level.columns,
                    tile,
                }),
                Some(Err(found)) if !is_known => damage = damage.or(Some(found.clone())),
                _ => {}
            }
        }

        match damage {
            Some(damage) if floors.is_empty() => Some(Err(damage)),
            _ if floors.is_empty() => None,
            _ => Some(Ok(write_chunk(&floors, self.store.is_closed))),
        }
    }
}

fn storage(chunk: &Result<Vec<u8>, StreamDamage>) -> ChunkStorage {
    ChunkStorage::unread(match chunk {
        Ok(plain) => hash_values(plain),
        Err(damage) => hash_fault(&damage.clone().into()),
    })
}
