//! Parses a chunk of [`Form::Network`](crate::bytes::Form::Network).

use crate::bytes::network::{NO_TIME, NOT_STORED};
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

    let time = cursor.long()?;
    let meta = Meta {
        data_version: Some(names.data_version),
        java_version: None,
        status: Status::Finished,
        generation: Generation::Root,
        position: None,
        inhabited_ticks: None,
        found_changed: if time == NO_TIME { None } else { Some(time) },
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bytes::{Form, network};
    use crate::chunk::Chunk;
    use crate::names::{Describe, NameCache, Names, NumericNames, Traits};

    struct Ground;

    impl Describe for Ground {
        fn drawn_properties(&self, _: &str) -> Vec<String> {
            vec!["snowy".to_owned()]
        }

        fn traits(&self, _: &str, _: &str) -> Traits {
            Traits::GROUND
        }

        fn knows_biome(&self, _: &str) -> bool {
            true
        }
    }

    /// A chunk with a section of dirt at height -4, one of grass and other blocks at -3 whose last
    /// index is past the palette, and one without blocks above.
    fn chunk() -> Vec<u8> {
        let mut bytes = Vec::new();
        network::put_header(&mut bytes, 769, -4, 3);
        network::put_palette(&mut bytes, 0, &[10]);
        network::put_palette(&mut bytes, 4, &[8, 9, 60_000]);
        let mut longs = vec![0x10; 2048];
        (longs[1], longs[2047]) = (0x02, 0x50);
        network::put_longs(&mut bytes, &longs);
        bytes.push(NOT_STORED);

        bytes.push(NOT_STORED);
        network::put_palette(&mut bytes, 4, &[0, 40]);
        network::put_longs(&mut bytes, &[[0x10; 16], [0; 16]].concat());
        bytes.push(NOT_STORED);
        network::put_time(&mut bytes, Some(1_735_000_000));
        bytes
    }

    fn read<R>(bytes: &[u8], look: impl FnOnce(Result<Chunk<'_>, ChunkError>) -> R) -> R {
        let names = Names::new(Arc::new(Ground), NumericNames::default());
        let mut name_cache = NameCache::new(Arc::new(names));
        let mut buffers = ChunkBuffers::default();
        look(Chunk::parse(
            bytes,
            Form::Network,
            &mut buffers,
            &mut name_cache,
        ))
    }

    #[test]
    fn numbers_become_the_games_blocks_and_biomes() {
        read(&chunk(), |chunk| {
            let mut chunk = chunk.unwrap();
            assert_eq!(chunk.meta().data_version, Some(4189));
            assert_eq!(chunk.meta().found_changed, Some(1_735_000_000));
            assert_eq!((chunk.sections(), chunk.section_y(0)), (2, -48));

            let mut block = |section, y, column| {
                let id = chunk.cell(section, y, column).id;
                let (name, state) = chunk.name_cache().name_at(id.index());
                format!("{name} {state}")
            };
            assert_eq!(block(1, 7, 77), "minecraft:dirt ");
            assert_eq!(block(0, 0, 0), "minecraft:grass_block snowy=true");
            assert_eq!(block(0, 0, 1), "minecraft:grass_block snowy=false");
            assert_eq!(block(0, 0, 2), "minecraft:unknown_state_60000 ");
            assert_eq!(block(0, 15, 255), "minecraft:air ");
            assert!(chunk.meta().warnings.has(Warnings::PALETTE_INDEX));

            let mut biome = |column, y| {
                let biome = chunk.biome(column, y);
                chunk.name_cache().biome_name(biome).to_string()
            };
            assert_eq!(biome(0, -48), "minecraft:badlands");
            assert_eq!(biome(4, -48), "minecraft:plains");
            assert_eq!(biome(4, -33), "minecraft:badlands");
            assert_eq!(biome(0, -64), "");
        });
    }

    #[test]
    fn a_cut_chunk_is_an_error() {
        let bytes = chunk();
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len], |chunk| chunk.is_err()), "{len}");
        }

        let too_high = [&bytes[..2], &[127, 3], &bytes[4..]].concat();
        assert!(read(&too_high, |chunk| chunk.is_err()));
        let other_protocol = [&[2, 3], &bytes[2..]].concat();
        assert!(read(&other_protocol, |chunk| chunk.is_err()));
    }
}
