//! Parses a chunk of [`Form::Network`](crate::bytes::Form::Network).

use crate::bytes::network::NOT_STORED;
use crate::chunk::cells::CELLS;
use crate::chunk::error::ChunkError;
use crate::chunk::forms::bedrock::storage::Cursor;
use crate::chunk::forms::java::packing::Packing;
use crate::chunk::forms::stored::biomes::{BIOME_CELLS, BiomePalette, ChunkBiomes, SectionBiomes};
use crate::chunk::forms::stored::blocks::{BlockPalette, StoredBlocks};
use crate::chunk::forms::stored::buffers::ChunkBuffers;
use crate::chunk::forms::stored::extras::Extras;
use crate::chunk::forms::stored::light::StoredLight;
use crate::chunk::forms::stored::numbers::Numbers;
use crate::chunk::meta::{Generation, Meta, Status, Warnings};
use crate::names::NetworkNames;
use crate::nbt::Span;

/// The stored cells of a section.
struct StoredCells {
    palette: Numbers,
    indices: Span,
    /// Absent: all cells have the first number.
    packing: Option<Packing>,
}

pub(crate) fn parse(
    bytes: &[u8],
    buffers: &mut ChunkBuffers,
) -> Result<(Meta, ChunkBiomes, Extras), ChunkError> {
    buffers.clear();
    buffers.light = buffers.light.map(|_| StoredLight::default());
    buffers.numeric.set_bedrock(false);

    let mut cursor = Cursor::new(bytes, Span::new(0, bytes.len()));
    let protocol = cursor.short()?;
    let names = NetworkNames::of_protocol(protocol)
        .ok_or(ChunkError::Content("its protocol is not known"))?;
    let lowest = i16::from(cursor.byte()? as i8);
    let sections = i16::from(cursor.byte()?);
    if lowest + sections > 128 {
        return Err(ChunkError::FORM);
    }

    for y in lowest..lowest + sections {
        let blocks = match read_cells(&mut cursor, names, CELLS)? {
            None => StoredBlocks::Air,
            Some(cells) => StoredBlocks::Palette {
                palette: BlockPalette::Numbers(cells.palette),
                indices: cells.indices,
                packing: cells.packing,
            },
        };
        buffers.section(y).blocks = blocks;
    }

    for y in lowest..lowest + sections {
        let biomes = read_cells(&mut cursor, names, BIOME_CELLS)?;
        buffers.section(y).biomes = biomes.map(|cells| SectionBiomes::Palette {
            palette: BiomePalette::Numbers(cells.palette),
            indices: cells.indices,
            packing: cells.packing,
            is_by_block: false,
        });
    }

    buffers.sort();

    let meta = Meta {
        data_version: Some(names.data_version),
        java_version: None,
        status: Status::Finished,
        generation: Generation::Root,
        position: None,
        inhabited_ticks: None,
        warnings: Warnings::default(),
    };
    let extras = Extras {
        block_entities: cursor.take(cursor.rest().len())?,
        ..Extras::default()
    };

    Ok((meta, ChunkBiomes::None, extras))
}

/// Reads the cells of a section. Returns `None` if they are not stored.
fn read_cells(
    cursor: &mut Cursor<'_>,
    names: &'static NetworkNames,
    cells: usize,
) -> Result<Option<StoredCells>, ChunkError> {
    let bits = cursor.byte()?;
    if bits == NOT_STORED {
        return Ok(None);
    }

    let len = usize::from(cursor.short()?);
    let palette = Numbers {
        stored: cursor.take(len * 2)?,
        names,
    };
    let packing = match bits {
        0 => None,
        1..=16 => Some(Packing::Aligned(bits.into())),
        _ => return Err(ChunkError::FORM),
    };
    let longs = packing.map_or(0, |packing| packing.longs(cells));

    Ok(Some(StoredCells {
        palette,
        indices: cursor.take(longs * 8)?,
        packing,
    }))
}
