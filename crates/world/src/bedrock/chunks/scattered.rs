//! Divides blocks that contain chunks of very many regions.
//!
//! Each region reads its own chunks and inflates every block that contains some of them. The game's
//! blocks contain chunks of few regions. But if a block contained a chunk of each of 16,000
//! regions, it would be inflated 16,000 times. So the first worker that needs such a block divides
//! it: it sorts the chunks by region and packs them into short pieces, and each region inflates
//! only one piece. The memory for all pieces is bounded, and they take about as much room as the
//! blocks in the file.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use libdeflater::{CompressionLvl, Compressor};

use super::block_ref::BlockRef;
use super::index::DimensionChunks;
use super::key::ChunkKey;
use super::part;
use crate::bedrock::leveldb::{BlockReader, Table, fields};
use crate::bytes::{Allowance, Defect, Inflater};
use pixelmap_base::coord::{ChunkPos, RegionPos, Slot};

/// A block is divided if it contains chunks of more regions than this.
const MANY_REGIONS: u32 = 64;
/// A piece ends with the first chunk that takes it to this many plain bytes.
const PIECE: usize = 16 << 10;
/// The most bytes of all pieces of a database. Blocks that do not fit are inflated for each region.
const MAX_PACKED: usize = 64 << 20;

/// The blocks of a database that contain chunks of very many regions.
#[derive(Debug, Default)]
pub(crate) struct ScatteredBlocks {
    blocks: BTreeMap<BlockRef, OnceLock<Arc<DividedBlock>>>,
    /// Bytes of the pieces of all blocks divided so far.
    packed: AtomicUsize,
}

/// A block whose chunks are sorted by dimension, region and slot.
#[derive(Debug)]
pub(crate) struct DividedBlock {
    pieces: Vec<PackedPiece>,
}

#[derive(Debug)]
struct PackedPiece {
    first: ChunkOrder,
    packed: Box<[u8]>,
    /// Length of its plain bytes. For each chunk they contain the dimension, x and z (i32 each),
    /// the length of its part (u32), and the part.
    plain_len: usize,
}

/// The position of a chunk in the sort order: dimension, z and x of its region, and slot.
type ChunkOrder = (i32, i32, i32, Slot);

fn chunk_order(dimension: i32, chunk: ChunkPos) -> ChunkOrder {
    let RegionPos { x, z } = chunk.region();
    (dimension, z, x, chunk.slot())
}

impl ScatteredBlocks {
    /// Finds the blocks, by counting the regions that have chunks in each block.
    pub(crate) fn find(tables: &[Table], dimensions: &[(i32, DimensionChunks)]) -> Self {
        // For each block: the last region seen, counted from 1, and the number of regions.
        let mut counts: Vec<Vec<(u32, u32)>> = tables
            .iter()
            .map(|table| vec![(0, 0); table.len()])
            .collect();

        let regions = dimensions
            .iter()
            .flat_map(|(_, chunks)| chunks.region_blocks());
        for (region, blocks) in (1..).zip(regions) {
            for block in blocks {
                let table = counts.get_mut(block.table as usize);
                if let Some((last, count)) =
                    table.and_then(|table| table.get_mut(block.block as usize))
                    && *last != region
                {
                    (*last, *count) = (region, *count + 1);
                }
            }
        }

        let mut blocks = BTreeMap::new();
        for (table, counts) in (0..).zip(counts) {
            let many = (0..)
                .zip(counts)
                .filter(|(_, (_, count))| *count > MANY_REGIONS);
            blocks.extend(many.map(|(block, _)| (BlockRef { table, block }, OnceLock::new())));
        }

        Self {
            blocks,
            packed: AtomicUsize::new(0),
        }
    }

    /// Returns the pieces of a block, and calls `divide` if it is not divided yet. Returns `None`
    /// if the block contains chunks of few regions, or if its pieces do not fit in memory.
    ///
    /// # Errors
    /// Returns the error of `divide`.
    pub(crate) fn get<E>(
        &self,
        block: BlockRef,
        divide: impl FnOnce() -> Result<DividedBlock, E>,
    ) -> Result<Option<Arc<DividedBlock>>, E> {
        let Some(slot) = self.blocks.get(&block) else {
            return Ok(None);
        };

        if slot.get().is_none() && self.packed.load(Ordering::Relaxed) < MAX_PACKED {
            // Several workers may divide the same block at once. None of them waits for another,
            // because a waiting worker may hold a buffer that the other one needs.
            let divided = Arc::new(divide()?);
            let packed = divided.pieces.iter().map(|piece| piece.packed.len()).sum();
            if slot.set(divided).is_ok() {
                self.packed.fetch_add(packed, Ordering::Relaxed);
            }
        }

        Ok(slot.get().cloned())
    }

    /// Returns the number of blocks divided so far.
    #[cfg(test)]
    pub(crate) fn divided(&self) -> usize {
        self.blocks
            .values()
            .filter(|block| block.get().is_some())
            .count()
    }
}

impl DividedBlock {
    /// Divides an inflated block.
    ///
    /// # Errors
    /// Fails if the bytes of the block are malformed.
    pub(crate) fn new(block: &[u8]) -> Result<Self, Defect> {
        let mut parts = Vec::new();
        let mut chunks: Vec<(ChunkOrder, ChunkPos, std::ops::Range<usize>)> = Vec::new();
        let mut reader = BlockReader::new(block)?;
        while let Some(entry) = reader.next()? {
            let Some(key) = ChunkKey::parse(entry.key) else {
                continue;
            };

            let start = parts.len();
            let value = entry.value.map(|value| &block[value]);
            part::add_entry(&mut parts, [key.tag, key.section], entry.sequence, value);

            let order = chunk_order(key.dimension, key.chunk);
            match chunks.last_mut() {
                Some((last, _, own)) if *last == order => own.end = parts.len(),
                _ => chunks.push((order, key.chunk, start..parts.len())),
            }
        }

        // Entries of another dimension may be between the entries of a chunk, so a stable sort
        // brings the parts of a chunk together.
        chunks.sort_by_key(|(order, ..)| *order);
        let mut compressor = Compressor::new(CompressionLvl::fastest());

        let mut pieces = Vec::new();
        let mut plain = Vec::new();
        let mut first = None;
        for own in chunks.chunk_by(|(a, ..), (b, ..)| a == b) {
            let (order, chunk, _) = &own[0];
            first.get_or_insert(*order);

            let len: usize = own.iter().map(|(.., range)| range.len()).sum();
            for number in [order.0, chunk.x, chunk.z, len as i32] {
                plain.extend(number.to_le_bytes());
            }

            for (.., range) in own {
                plain.extend_from_slice(&parts[range.clone()]);
            }

            if plain.len() >= PIECE {
                pieces.extend(
                    first
                        .take()
                        .map(|first| PackedPiece::new(first, &plain, &mut compressor)),
                );
                plain.clear();
            }
        }

        pieces.extend(first.map(|first| PackedPiece::new(first, &plain, &mut compressor)));
        Ok(Self { pieces })
    }

    /// Finds the piece that would contain a chunk, and calls `visit` with the dimension, the
    /// position and the part of each chunk in that piece.
    pub(crate) fn visit_near(
        &self,
        dimension: i32,
        chunk: ChunkPos,
        inflater: &mut Inflater,
        mut visit: impl FnMut(&mut Inflater, i32, ChunkPos, &[u8]),
    ) -> Result<(), Defect> {
        let order = chunk_order(dimension, chunk);
        let behind = self.pieces.partition_point(|piece| piece.first <= order);
        let Some(piece) = behind.checked_sub(1).map(|last| &self.pieces[last]) else {
            return Ok(());
        };

        inflater
            .record(piece.packed.len(), Allowance::FULL)?
            .copy_from_slice(&piece.packed);
        let plain = inflater.inflate_block(
            false,
            0..piece.packed.len(),
            piece.plain_len,
            piece.plain_len,
        )?;

        let mut rest = &*plain;
        while let Some((dimension, chunk, part)) = take_part(&mut rest) {
            visit(inflater, dimension, chunk, part);
        }

        inflater.kept_parts.give_back(plain);
        Ok(())
    }
}

impl PackedPiece {
    fn new(first: ChunkOrder, plain: &[u8], compressor: &mut Compressor) -> Self {
        let mut packed = vec![0; compressor.deflate_compress_bound(plain.len())];

        // Compression cannot fail, because the buffer has the bound's length.
        let len = compressor
            .deflate_compress(plain, &mut packed)
            .unwrap_or_default();
        packed.truncate(len);

        Self {
            first,
            packed: packed.into(),
            plain_len: plain.len(),
        }
    }
}

/// Reads the next chunk of a piece: its dimension, its position and its part.
fn take_part<'a>(rest: &mut &'a [u8]) -> Option<(i32, ChunkPos, &'a [u8])> {
    let [dimension, x, z] = [
        fields::array(rest)?,
        fields::array(rest)?,
        fields::array(rest)?,
    ]
    .map(i32::from_le_bytes);
    let len = u32::from_le_bytes(fields::array(rest)?);
    Some((
        dimension,
        ChunkPos { x, z },
        fields::take(rest, len as usize)?,
    ))
}
