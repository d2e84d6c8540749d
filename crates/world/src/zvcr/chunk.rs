//! Reads one chunk of a file: its sections, and its block entities.

use std::io::Read;

use crate::bytes::{Defect, StreamDamage, network};
use crate::zvcr::block_entities::{BlockEntities, MAX_LISTED};
use crate::zvcr::chain::{ChainBuffers, ChainReader, Kind, Palettes, skip_chain};
use crate::zvcr::header::Header;
use crate::zvcr::stream::Stream;
use pixelmap_base::coord::ChunkPos;

/// The number of bytes of an entry in the list of visits: its kind, and its time.
const VISIT: u64 = 9;

/// Reads the chunks of a file, one after another.
pub(super) struct ChunkReader {
    header: Header,
    at: Option<i64>,
    blocks: Palettes,
    biomes: Palettes,
    buffers: ChainBuffers,
}

impl ChunkReader {
    /// Reads the palettes, which precede the chunks.
    pub(super) fn start<R: Read>(
        stream: &mut Stream<R>,
        header: Header,
        at: Option<i64>,
    ) -> Result<Self, StreamDamage> {
        Ok(Self {
            header,
            at,
            blocks: Palettes::read(stream)?,
            biomes: Palettes::read(stream)?,
            buffers: ChainBuffers::default(),
        })
    }

    /// Returns whether the next slot has a chunk. If it does, the chunk must be read or skipped.
    pub(super) fn has_next<R: Read>(stream: &mut Stream<R>) -> Result<bool, StreamDamage> {
        stream.choice(|form| match form {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        })
    }

    pub(super) fn skip<R: Read>(&self, stream: &mut Stream<R>) -> Result<(), StreamDamage> {
        for _ in 0..2 * self.header.heights.sections {
            skip_chain(stream)?;
        }

        skip_visits(stream)?;
        BlockEntities::skip(stream)
    }

    /// Reads a chunk, and writes its wanted state into `out` in the form of [`network`].
    ///
    /// # Errors
    /// The outer error is damage after which the place of the next chunk is unknown. The inner one
    /// concerns only this chunk.
    pub(super) fn read<R: Read>(
        &mut self,
        stream: &mut Stream<R>,
        chunk: ChunkPos,
        out: &mut Vec<u8>,
    ) -> Result<Result<(), StreamDamage>, StreamDamage> {
        let heights = self.header.heights;
        out.clear();
        network::put_header(
            out,
            self.header.names.protocol(),
            heights.lowest,
            heights.sections as u8,
        );

        let mut broken = None;
        let mut changed = None;
        for (kind, palettes) in [(Kind::Blocks, &self.blocks), (Kind::Biomes, &self.biomes)] {
            let reader = ChainReader {
                kind,
                palettes,
                at: self.at,
            };

            for _ in 0..heights.sections {
                let damage = stream.damage(Defect::Structure);
                let state = reader.read(stream, &mut self.buffers, out)?;
                if !state.is_sound {
                    broken.get_or_insert(damage);
                }
                changed = changed.max(state.time);
            }
        }

        network::put_time(out, changed);
        skip_visits(stream)?;
        BlockEntities::read(stream, &self.header, self.at)?.put(chunk, heights.lowest, out);

        Ok(broken.map_or(Ok(()), Err))
    }
}

fn skip_visits<R: Read>(stream: &mut Stream<R>) -> Result<(), StreamDamage> {
    let visits = stream.count(MAX_LISTED)?;
    stream.skip(visits * VISIT)
}
