//! Parses a chunk of Bedrock Edition, whose plain bytes are the values of its keys. See
//! [`Form::Values`].
//!
//! Sources: the Bedrock level format page of the Minecraft Wiki and the sources of `PocketMine-MP`,
//! as of 1.26.

#[cfg(doc)]
use crate::bytes::Form;
use crate::bytes::{UNKNOWN_LOWEST, tag};
use crate::chunk::cells::{CELLS, COLUMN_CELLS};
use crate::chunk::error::ChunkError;
use crate::chunk::forms::bedrock::storage::{Cursor, Storage};
use crate::chunk::forms::bedrock::subchunk::Subchunk;
use crate::chunk::forms::stored::biomes::{ChunkBiomes, SectionBiomes};
use crate::chunk::forms::stored::blocks::StoredBlocks;
use crate::chunk::forms::stored::buffers::ChunkBuffers;
use crate::chunk::forms::stored::extras::Extras;
use crate::chunk::forms::stored::light::StoredLight;
use crate::chunk::forms::stored::section::Section;
use crate::chunk::meta::{Generation, Meta, Status, Warnings};
use crate::nbt::Span;
use pixelmap_base::coord::CHUNK_AREA;

/// Length of the heights that precede biomes.
const HEIGHTS: usize = 2 * CHUNK_AREA;
/// The height of the overworld's lowest section, in sections, in versions that store biomes by
/// section.
const LOWEST: i16 = -4;
/// The number of sections of the overworld, since 1.18.
const OVERWORLD_SECTIONS: usize = 24;

/// Pairs of chunk version and `DataVersion`: the first chunk version that a version of the game
/// writes, and the first `DataVersion` of the version of Java Edition with the same name.
const JAVA_VERSIONS: [(u8, i32); 8] = [
    (10, 100),
    (11, 800),
    (15, 1022),
    (18, 2504),
    (23, 2681),
    (33, 2825),
    (41, 4058),
    (42, 4760),
];

/// The facts found while the values of a chunk are read.
#[derive(Default)]
struct Values {
    /// The lowest section, if it is known.
    lowest: Option<i16>,
    /// The version of its form. The value of the older key counts only if the newer key is missing.
    version: Option<u8>,
    old_version: Option<u8>,
    is_unfinished: bool,
    biomes: ChunkBiomes,
    block_entities: Span,
    spawners: Span,
    /// The form of the highest section.
    generation: Option<Generation>,
    warnings: Warnings,
}

pub(crate) fn parse(
    bytes: &[u8],
    buffers: &mut ChunkBuffers,
) -> Result<(Meta, ChunkBiomes, Extras), ChunkError> {
    buffers.clear();
    buffers.light = buffers.light.map(|_| StoredLight::default());
    buffers.numeric.set_bedrock(true);
    let mut cursor = Cursor::new(bytes, Span::new(0, bytes.len()));
    let lowest = cursor.byte()? as i8;
    let mut values = Values {
        lowest: (lowest != UNKNOWN_LOWEST).then_some(i16::from(lowest)),
        ..Values::default()
    };

    while !cursor.is_at_end() {
        let tag = cursor.byte()?;
        let y = cursor.byte()? as i8;
        let len = cursor.int()? as u32;
        let value = cursor.take(len as usize)?;
        values.read(tag, i16::from(y), Cursor::new(bytes, value), buffers)?;
    }

    buffers.sort();
    buffers.dyes.start(values.block_entities);
    let version = values.version.or(values.old_version).unwrap_or_default();
    let generation = values.generation.unwrap_or(match version {
        0..3 => Generation::LegacyTerrain,
        3..8 => Generation::SubchunkIds,
        _ => Generation::SubchunkPalette,
    });

    let meta = Meta {
        data_version: None,
        java_version: JAVA_VERSIONS
            .iter()
            .rfind(|(first, _)| *first <= version)
            .map(|&(_, java)| java),
        status: if values.is_unfinished {
            Status::Raw
        } else {
            Status::Finished
        },
        generation,
        position: None,
        inhabited_ticks: None,
        found_changed: None,
        warnings: values.warnings,
    };

    let extras = Extras {
        block_entities: values.block_entities,
        spawners: values.spawners,
        ..Extras::default()
    };

    Ok((meta, values.biomes, extras))
}

impl Values {
    fn read(
        &mut self,
        tag: u8,
        y: i16,
        mut value: Cursor<'_>,
        buffers: &mut ChunkBuffers,
    ) -> Result<(), ChunkError> {
        match tag {
            tag::DATA_3D => match section_biomes(value, self.lowest, buffers) {
                Ok(()) => self.biomes = ChunkBiomes::Blocks,
                Err(_) => self.warnings.add(Warnings::BIOMES),
            },
            // A stray record may be empty. Then the chunk is read as one without a version, because
            // it may contain only this record.
            tag::VERSION => self.version = value.byte().ok(),
            tag::DATA_2D => self.columns(value, HEIGHTS, 1),
            tag::DATA_2D_LEGACY => self.columns(value, HEIGHTS, 4),
            tag::SECTION => self.subchunk(y, value, buffers)?,
            tag::LEGACY_TERRAIN => self.terrain(value, buffers)?,
            tag::BLOCK_ENTITIES => self.block_entities = value.take(value.rest().len())?,
            tag::SPAWNERS => self.spawners = value.take(value.rest().len())?,
            // 0 means that the chunk must still be ticked, 1 that its trees are missing. Both occur
            // at the edge of the explored land, and the game finishes such chunks before a player
            // sees them.
            tag::FINALIZED => {
                self.is_unfinished = matches!(value.rest(), [0 | 1] | [0 | 1, 0, 0, 0, ..]);
            }
            tag::LEGACY_VERSION => self.old_version = value.byte().ok(),
            _ => {}
        }

        Ok(())
    }

    /// Reads biomes by column, which follow `heights` bytes of heights. A column has `width` bytes,
    /// and the first is the id.
    fn columns(&mut self, mut value: Cursor<'_>, heights: usize, width: usize) {
        let ids = value
            .take(heights)
            .and_then(|_| value.take(CHUNK_AREA * width));
        match ids {
            Err(_) => self.warnings.add(Warnings::BIOMES),
            Ok(ids) if matches!(self.biomes, ChunkBiomes::None) => {
                self.biomes = ChunkBiomes::Bedrock { ids, width }
            }
            Ok(_) => {}
        }
    }

    fn subchunk(
        &mut self,
        y: i16,
        mut value: Cursor<'_>,
        buffers: &mut ChunkBuffers,
    ) -> Result<(), ChunkError> {
        // An experimental version numbered sections from the overworld's new lowest one.
        let y = if matches!(self.version, Some(24..27)) {
            y + LOWEST
        } else {
            y
        };

        if y < -128 {
            self.warnings.add(Warnings::HEIGHT);
            return Ok(());
        }

        let form = value.byte()?;
        let blocks = match form {
            // A converter wrote other version numbers for the first form.
            0 | 2..8 => {
                let ids = value.take(CELLS)?;
                let data = value.take(CELLS / 2)?;
                let light = stored_light(&mut value, CELLS / 2, buffers.light.as_mut());
                buffers.section(y).light = light;
                StoredBlocks::Column { ids, data }
            }
            1 => subchunk(value, 1)?,
            8 => {
                let count = value.byte()?;
                subchunk(value, count)?
            }
            9 => {
                let count = value.byte()?;
                value.byte()?;
                subchunk(value, count)?
            }
            _ => return Err(ChunkError::FORM),
        };

        buffers.section(y).blocks = blocks;

        // Keys of the heights 0 to 127 are sorted before keys of heights below 0.
        if self.generation.is_none() || y >= 0 {
            let has_ids = matches!(blocks, StoredBlocks::Column { .. });
            self.generation = Some(if has_ids {
                Generation::SubchunkIds
            } else {
                Generation::SubchunkPalette
            });
        }

        Ok(())
    }

    /// Reads the blocks of a whole chunk, unless it also stores sections, because those are newer.
    fn terrain(
        &mut self,
        mut value: Cursor<'_>,
        buffers: &mut ChunkBuffers,
    ) -> Result<(), ChunkError> {
        if self.generation.is_some() {
            return Ok(());
        }

        let ids = value.take(COLUMN_CELLS)?;
        let data = value.take(COLUMN_CELLS / 2)?;
        let light = stored_light(&mut value, COLUMN_CELLS / 2, buffers.light.as_mut());
        for y in 0..8 {
            buffers.add(Section {
                y,
                blocks: StoredBlocks::Column { ids, data },
                light,
                ..Section::default()
            });
        }

        self.generation = Some(Generation::LegacyTerrain);

        // In this form the heights are bytes instead of shorts.
        self.columns(value, CHUNK_AREA, 4);

        Ok(())
    }
}

/// Returns the blocks of a section with `count` storages.
fn subchunk(value: Cursor<'_>, count: u8) -> Result<StoredBlocks, ChunkError> {
    Ok(if count == 0 {
        StoredBlocks::Air
    } else {
        StoredBlocks::Subchunk(Subchunk::read(value, count)?)
    })
}

/// Reads the sky light and block light that follow blocks, and returns the block light. It is empty
/// if it is not stored or not needed.
fn stored_light(value: &mut Cursor<'_>, len: usize, light: Option<&mut StoredLight>) -> Span {
    let arrays = value.take(len).and_then(|_| value.take(len));
    match (arrays, light) {
        (Ok(array), Some(light)) => {
            light.is_known = true;
            array
        }
        _ => Span::default(),
    }
}

/// Reads biomes by section, beginning with the `lowest`. Keeps the biomes that precede a fault.
fn section_biomes(
    mut value: Cursor<'_>,
    lowest: Option<i16>,
    buffers: &mut ChunkBuffers,
) -> Result<(), ChunkError> {
    value.take(HEIGHTS)?;

    let mut biomes = None;
    for y in lowest.unwrap_or_else(|| lowest_by_count(value))..128 {
        if value.is_at_end() {
            break;
        }
        biomes = one_section(&mut value, biomes)?;
        buffers.section(y).biomes = biomes;
    }

    Ok(())
}

/// Returns the lowest section of a chunk that stores its biomes in this value. Dimensions with at
/// least as many sections as the overworld are taken to begin where the overworld does, because
/// the game's other dimensions have 8 or 16 sections and begin at 0.
fn lowest_by_count(mut value: Cursor<'_>) -> i16 {
    let mut count = 0;
    while !value.is_at_end() && one_section(&mut value, None).is_ok() {
        count += 1;
    }

    if count >= OVERWORLD_SECTIONS {
        LOWEST
    } else {
        0
    }
}

/// Reads the biomes of a section, which may be the same as the ones `below`.
fn one_section(
    value: &mut Cursor<'_>,
    below: Option<SectionBiomes>,
) -> Result<Option<SectionBiomes>, ChunkError> {
    if let [0xff, ..] = value.rest() {
        value.byte()?;
        return Ok(below);
    }

    let storage = Storage::read(value)?;
    let len = storage.palette_len(value)?;
    let ids = value.take(len * 4)?;
    Ok(Some(SectionBiomes::Ids { ids, storage }))
}
