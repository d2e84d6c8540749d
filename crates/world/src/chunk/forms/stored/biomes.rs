//! Reads biomes in all the forms in which chunks store them, and finds the biome of a cell.

use super::numbers::Numbers;
use crate::chunk::cells::CELLS;
use crate::chunk::forms::bedrock::storage::Storage;
use crate::chunk::forms::java::packing::Packing;
use crate::names::{BiomeEra, BiomeId, NameCache};
use crate::nbt::{self, List, Reader, Span, Tag};
use pixelmap_base::coord::CHUNK_AREA;

/// Number of biome cells in a section, `[y][z][x]`. A cell has 4 by 4 by 4 blocks.
pub(crate) const BIOME_CELLS: usize = 64;
/// The most names in a section's palette of biomes, because indices have at most 8 bits.
const MAX_NAMES: usize = 256;

/// Biomes that are stored for the whole chunk (before 1.18).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum ChunkBiomes {
    /// No biomes, or biomes stored by section.
    #[default]
    None,
    /// Bytes, one per column, `[z][x]` (1.2 to 1.12).
    Bytes(Span),
    /// Ints, one per column, `[z][x]` (1.13 and 1.14; some mods before).
    Columns(Span),
    /// Ints, one per cell, upwards from `min_y` (1.15 to 1.17).
    Cells { ints: Span, min_y: i32 },
    /// `width` bytes per column, `[z][x]`. The first byte is the id (Bedrock Edition before 1.18).
    Bedrock { ids: Span, width: usize },
    /// No biomes are stored for the whole chunk, and at least one section has one biome per block
    /// (26.4, and Bedrock Edition).
    Blocks,
}

/// The stored array of the biomes of a whole chunk, before its form is known. At most one of the
/// two types is used.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StoredBiomes {
    bytes: Span,
    ints: Span,
    /// Whether they are stored with any other type.
    is_odd: bool,
}

impl StoredBiomes {
    pub(crate) fn read(reader: &mut Reader<'_>, tag: Tag) -> Result<Self, nbt::Error> {
        let mut stored = Self::default();
        match tag {
            Tag::ByteArray => stored.bytes = reader.array(tag, tag)?.unwrap_or_default(),
            Tag::IntArray => stored.ints = reader.array(tag, tag)?.unwrap_or_default(),
            _ => {
                stored.is_odd = true;
                reader.skip(tag)?;
            }
        }

        Ok(stored)
    }

    /// Decides the form of the array by its length. Also returns whether its type or length is
    /// impossible. Heights start at `lowest` if the length does not determine the start.
    pub(crate) fn settle(self, lowest: i32) -> (ChunkBiomes, bool) {
        if self.bytes.is_empty() {
            let cells = self.ints.len() / 4;
            return (
                ChunkBiomes::from_ints(self.ints, lowest),
                self.is_odd || !cells.is_multiple_of(BIOME_CELLS),
            );
        }

        match self.bytes.len() {
            CHUNK_AREA => (ChunkBiomes::Bytes(self.bytes), false),
            _ => (ChunkBiomes::None, true),
        }
    }
}

impl ChunkBiomes {
    /// Decides the form of an array of ints by its length. Heights start at `lowest` if the length
    /// does not determine the start.
    fn from_ints(ints: Span, lowest: i32) -> Self {
        match ints.len() / 4 {
            CHUNK_AREA => Self::Columns(ints),
            1024 => Self::Cells { ints, min_y: 0 },
            1536 => Self::Cells { ints, min_y: -64 },
            len if len >= BIOME_CELLS => Self::Cells {
                ints,
                min_y: lowest,
            },
            _ => Self::None,
        }
    }

    /// Returns the biomes of all columns, with plains where the biome is missing. Returns `None` if
    /// they are not stored by column.
    #[inline]
    pub(crate) fn by_column(
        self,
        bytes: &[u8],
        era: BiomeEra,
        name_cache: &mut NameCache,
    ) -> Option<[BiomeId; CHUNK_AREA]> {
        // Neighbouring columns mostly have the same biome.
        let mut last = (None, BiomeId::PLAINS);
        let mut biome = |number: Option<u32>| {
            if number != last.0 {
                last = (
                    number,
                    number.map_or(BiomeId::PLAINS, |number| {
                        self.biome_id(number, era, name_cache)
                    }),
                );
            }

            last.1
        };

        match self {
            Self::None | Self::Cells { .. } | Self::Blocks => None,
            Self::Bedrock { ids, width } => {
                let ids = ids.slice(bytes);
                Some(std::array::from_fn(|column| {
                    biome(ids.get(column * width).map(|&id| u32::from(id)))
                }))
            }
            Self::Bytes(ids) => {
                let ids = ids.slice(bytes).first_chunk::<CHUNK_AREA>()?;
                // Most chunks of the sea have only one biome.
                if ids[1..] == ids[..CHUNK_AREA - 1] {
                    return Some([biome(byte_biome(ids[0])); CHUNK_AREA]);
                }
                Some(ids.map(|id| biome(byte_biome(id))))
            }
            Self::Columns(ints) => {
                let (ints, _) = ints.slice(bytes).as_chunks::<4>();
                Some(
                    ints.first_chunk::<CHUNK_AREA>()?
                        .map(|int| biome(int_biome(int))),
                )
            }
        }
    }

    /// Returns the biome at a block. x and z are relative to the chunk, y is in blocks.
    #[inline]
    pub(crate) fn biome_at(
        self,
        bytes: &[u8],
        (x, y, z): (usize, i32, usize),
        era: BiomeEra,
        name_cache: &mut NameCache,
    ) -> BiomeId {
        self.number(bytes, x, y, z)
            .map_or(BiomeId::NONE, |id| self.biome_id(id, era, name_cache))
    }

    fn biome_id(self, id: u32, era: BiomeEra, name_cache: &mut NameCache) -> BiomeId {
        match self {
            Self::Bedrock { .. } => name_cache.bedrock_biome(id),
            _ => name_cache.numeric_biome(id, era),
        }
    }

    /// Returns the stored number of the biome at a block.
    #[inline]
    fn number(self, bytes: &[u8], x: usize, y: i32, z: usize) -> Option<u32> {
        match self {
            Self::None | Self::Blocks => None,
            Self::Bedrock { ids, width } => ids
                .slice(bytes)
                .get((z * 16 + x) * width)
                .map(|&id| u32::from(id)),
            Self::Bytes(ids) => ids
                .slice(bytes)
                .get(z * 16 + x)
                .and_then(|&id| byte_biome(id)),
            Self::Columns(ints) => int(ints.slice(bytes), z * 16 + x),
            Self::Cells { ints, min_y } => {
                let ints = ints.slice(bytes);
                let slices = ints.len() / 64;
                let slice = ((y - min_y) >> 2).clamp(0, slices as i32 - 1) as usize;
                int(ints, slice * 16 + (z >> 2) * 4 + (x >> 2))
            }
        }
    }
}

fn int(ints: &[u8], index: usize) -> Option<u32> {
    int_biome(*ints.get(index * 4..)?.first_chunk::<4>()?)
}

fn int_biome(int: [u8; 4]) -> Option<u32> {
    u32::try_from(i32::from_be_bytes(int)).ok()
}

/// Returns the biome number of a byte, or `None` for 255, which means that the game had not
/// computed the biome yet.
fn byte_biome(id: u8) -> Option<u32> {
    (id != 255).then_some(u32::from(id))
}

/// The palette of a section's biomes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BiomePalette {
    Names(List),
    Numbers(Numbers),
}

/// A section's biomes (from 1.18 on).
#[derive(Debug, Clone, Copy)]
pub(crate) enum SectionBiomes {
    /// A palette with packed indices. There is one index per cell, or since 26.4 one per block
    /// (`is_by_block`).
    Palette {
        palette: BiomePalette,
        indices: Span,
        packing: Option<Packing>,
        is_by_block: bool,
    },
    /// A palette of numbers (little-endian ints), with one index per block (Bedrock Edition).
    Ids { ids: Span, storage: Storage },
}

impl SectionBiomes {
    /// Makes the biomes of a palette of names, or returns `None` if the indices have an impossible
    /// length. An array with one index per block is at least eight times as long as one with one
    /// index per cell, so its length distinguishes the two.
    pub(crate) fn from_names(names: List, indices: Span) -> Option<Self> {
        let longs = indices.len() / 8;
        let is_by_block = longs >= CELLS / 64;
        let cells = if is_by_block { CELLS } else { BIOME_CELLS };
        let packing = match longs {
            0 => None,
            _ => Some(Packing::from_lengths(
                longs,
                cells,
                names.len,
                1,
                Some(i32::MAX),
            )?),
        };

        Some(Self::Palette {
            palette: BiomePalette::Names(names),
            indices,
            packing,
            is_by_block,
        })
    }

    /// Returns whether there is one index per block instead of one per cell.
    pub(crate) const fn is_by_block(self) -> bool {
        match self {
            Self::Palette { is_by_block, .. } => is_by_block,
            Self::Ids { .. } => true,
        }
    }

    /// Returns whether the whole section has the first biome.
    pub(crate) const fn is_uniform(self) -> bool {
        match self {
            Self::Palette { packing, .. } => packing.is_none(),
            Self::Ids { storage, .. } => storage.is_uniform(),
        }
    }

    /// Appends the ids of the palette's biomes.
    pub(crate) fn resolve(self, bytes: &[u8], name_cache: &mut NameCache, ids: &mut Vec<BiomeId>) {
        match self {
            Self::Palette {
                palette: BiomePalette::Numbers(numbers),
                ..
            } => {
                let stored = numbers.each(bytes);
                ids.extend(stored.map(|number| name_cache.network_biome(numbers.names, number)));
            }
            Self::Palette {
                palette: BiomePalette::Names(names),
                ..
            } => {
                let mut reader = Reader::at_list(bytes, names);
                for _ in 0..names.len.min(MAX_NAMES) {
                    let Ok(Some(name)) = name(&mut reader, names.tag) else {
                        return;
                    };
                    ids.push(name_cache.biome(name));
                }
            }
            Self::Ids { ids: stored, .. } => {
                let (stored, _) = stored.slice(bytes).as_chunks();
                ids.extend(
                    stored
                        .iter()
                        .map(|id| name_cache.bedrock_biome(u32::from_le_bytes(*id))),
                );
            }
        }
    }

    /// Returns the palette index at a block of the section.
    pub(crate) fn index(self, bytes: &[u8], x: usize, y: usize, z: usize) -> usize {
        match self {
            Self::Palette { packing: None, .. } => 0,
            Self::Palette {
                indices,
                packing: Some(packing),
                is_by_block,
                ..
            } => {
                let cell = if is_by_block {
                    y << 8 | z << 4 | x
                } else {
                    (y >> 2) << 4 | (z >> 2) << 2 | x >> 2
                };
                usize::from(packing.entry(indices.slice(bytes), cell))
            }
            Self::Ids { storage, .. } => storage.index(bytes, x << 8 | z << 4 | y),
        }
    }
}

/// Reads a biome's name, which is a string, or a compound that contains it if the list has mixed
/// types.
fn name<'a>(reader: &mut Reader<'a>, tag: Tag) -> Result<Option<&'a [u8]>, nbt::Error> {
    if tag != Tag::Compound {
        return reader.string(tag);
    }

    let mut name = None;
    if reader.compound(tag)? {
        while let Some((tag, _)) = reader.entry()? {
            name = reader.string(tag)?.or(name);
        }
    }

    Ok(name.or(Some(b"")))
}
