//! Reads the sections of Java Edition: the form and the position of their blocks.

use std::ops::Range;

use crate::chunk::cells::CELLS;
use crate::chunk::error::ChunkError;
use crate::chunk::forms::java::entries::SectionPalette;
use crate::chunk::forms::java::packing::Packing;
use crate::chunk::forms::java::wide::Wide;
use crate::chunk::forms::stored::biomes::SectionBiomes;
use crate::chunk::forms::stored::blocks::{BlockPalette, StoredBlocks};
use crate::chunk::forms::stored::light::StoredLight;
use crate::chunk::forms::stored::section::Section;
use crate::chunk::meta::Warnings;
use crate::nbt::{Reader, Span, Tag};

/// A section that was read from the list, with the bytes that it was read from.
pub(crate) struct ReadSection {
    /// `None` if the game cannot store its height.
    pub(crate) section: Option<Section>,
    bytes: Range<usize>,
    /// Position of its height, if it is stored as one byte.
    y_at: Option<usize>,
    pub(crate) warnings: Warnings,
}

/// A section and the bytes that it was read from.
///
/// Half of the sections of a chunk contain only air or stone, and differ from the previous section
/// only in their height. Comparing their bytes is faster than reading them.
pub(crate) struct RepeatableSection {
    section: Section,
    bytes: Range<usize>,
    y_at: usize,
}

impl RepeatableSection {
    /// Reads the next section if it equals this one except for its height. Otherwise reads nothing
    /// and returns `None`.
    pub(crate) fn read_repeated(&self, reader: &mut Reader<'_>) -> Option<Section> {
        let y = reader.skip_repeated(self.bytes.clone(), self.y_at)?;
        Some(Section {
            y: i16::from(y as i8),
            ..self.section
        })
    }
}

impl ReadSection {
    /// Reads a section whose compound was entered.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        light: &mut Option<StoredLight>,
    ) -> Result<Self, ChunkError> {
        let start = reader.position();

        // The game reads a missing number as 0.
        let mut y = 0;
        let mut y_at = None;
        let mut arrays = Arrays::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"Y" => {
                    y_at = (tag == Tag::Byte).then(|| reader.position());
                    y = reader.int(tag)?.unwrap_or(y);
                }
                _ => arrays.field(reader, tag, name, light)?,
            }
        }

        let bytes = start..reader.position();
        let mut warnings = Warnings::default();
        let Ok(y) = i8::try_from(y) else {
            warnings.add(Warnings::HEIGHT);
            return Ok(Self {
                section: None,
                bytes,
                y_at,
                warnings,
            });
        };

        let blocks = arrays.blocks()?;

        // Unfinished chunks of 26.4 store the biomes of cells under the second name.
        let stored = if matches!(arrays.biomes, Field::Missing) {
            arrays.noise_biomes
        } else {
            arrays.biomes
        };

        let biomes = stored
            .get()
            .and_then(|biomes| biomes.map_or(Ok(None), PalettedContainer::biomes));

        if (arrays.is_strange || matches!(arrays.block_states, Field::Stored(_)))
            && matches!(blocks, StoredBlocks::Air)
        {
            warnings.add(Warnings::STRANGE);
        }

        if matches!(blocks, StoredBlocks::Air) && arrays.has_indices() {
            warnings.add(Warnings::PALETTE_INDEX);
        }

        if biomes.is_err() {
            warnings.add(Warnings::BIOMES);
        }

        let biomes = biomes.unwrap_or_default();
        let section = Section {
            y: i16::from(y),
            blocks,
            biomes,
            light: arrays.light,
            table: None,
            biome_table: None,
        };

        Ok(Self {
            section: Some(section),
            bytes,
            y_at,
            warnings,
        })
    }

    /// Returns the section in a form for comparison with others, or `None` if its height is not
    /// stored as one byte.
    pub(crate) fn repeatable(&self) -> Option<RepeatableSection> {
        let (section, y_at) = self.section.zip(self.y_at)?;
        Some(RepeatableSection {
            section,
            bytes: self.bytes.clone(),
            y_at,
        })
    }
}

/// A field that may be stored several times, in which case the last one counts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Field<T> {
    #[default]
    Missing,
    /// Stored in a type that no version uses.
    Odd,
    Stored(T),
}

impl<T: Copy> Field<T> {
    /// Makes a field. `None` stands for a field that has another type.
    pub(crate) fn new(read: Option<T>) -> Self {
        read.map_or(Self::Odd, Self::Stored)
    }

    /// Returns the field, or `None` if it is not stored.
    ///
    /// # Errors
    /// Fails if the field has another type.
    pub(crate) fn get(self) -> Result<Option<T>, ChunkError> {
        match self {
            Self::Missing => Ok(None),
            Self::Odd => Err(ChunkError::FORM),
            Self::Stored(field) => Ok(Some(field)),
        }
    }
}

/// The two types of a section's `Palette`.
#[derive(Debug, Clone, Copy)]
enum PaletteTag {
    Names(SectionPalette),
    Numbers(Span),
}

/// The arrays of a section, before its form is known.
#[derive(Default)]
struct Arrays {
    block_states: Field<PalettedContainer>,
    palette: Field<PaletteTag>,
    states: Field<Span>,
    biomes: Field<PalettedContainer>,
    noise_biomes: Field<PalettedContainer>,
    ids: Field<Span>,
    shorts: Field<Span>,
    add: Field<Span>,
    add2: Field<Span>,
    high: Field<Span>,
    data: Field<Span>,
    short_data: Field<Span>,
    light: Span,
    /// Whether an array or a compound has a name that no version uses, or blocks have a type that
    /// no version uses.
    is_strange: bool,
}

impl Arrays {
    fn field(
        &mut self,
        reader: &mut Reader<'_>,
        tag: Tag,
        name: &[u8],
        light: &mut Option<StoredLight>,
    ) -> Result<(), ChunkError> {
        let array = match name {
            b"block_states" => {
                self.block_states = Field::new(PalettedContainer::read(reader, tag)?);
                return Ok(());
            }
            b"biomes" => {
                self.biomes = Field::new(PalettedContainer::read(reader, tag)?);
                return Ok(());
            }
            b"noise_biomes" => {
                self.noise_biomes = Field::new(PalettedContainer::read(reader, tag)?);
                return Ok(());
            }
            b"Palette" => {
                self.palette = Field::new(match tag {
                    Tag::IntArray => reader.array(tag, tag)?.map(PaletteTag::Numbers),
                    _ => SectionPalette::read(reader, tag)?.map(PaletteTag::Names),
                });
                return Ok(());
            }
            b"BlockStates" => &mut self.states,
            b"Blocks" => &mut self.ids,
            b"Blocks16" => &mut self.shorts,
            b"Add" => &mut self.add,
            b"Add2" | b"BlocksB2Hi" => &mut self.add2,
            b"BlocksB3" => &mut self.high,
            b"Data" => &mut self.data,
            b"Data16" => &mut self.short_data,
            _ => return self.other(reader, tag, name, light),
        };

        let wanted = if name == b"BlockStates" {
            Tag::LongArray
        } else {
            Tag::ByteArray
        };

        *array = Field::new(reader.array(tag, wanted)?);
        self.is_strange |= tag != wanted;

        Ok(())
    }

    /// Reads a field that, according to its name, contains neither blocks nor biomes.
    fn other(
        &mut self,
        reader: &mut Reader<'_>,
        tag: Tag,
        name: &[u8],
        light: &mut Option<StoredLight>,
    ) -> Result<(), ChunkError> {
        self.is_strange |= !matches!(name, b"BlockLight" | b"SkyLight")
            && matches!(
                tag,
                Tag::Compound | Tag::List | Tag::ByteArray | Tag::IntArray | Tag::LongArray
            );

        match light {
            Some(stored) => stored.field(reader, tag, name, &mut self.light)?,
            None => reader.skip(tag)?,
        }

        Ok(())
    }

    /// Returns the blocks, in the first form for which all arrays are stored.
    fn blocks(&self) -> Result<StoredBlocks, ChunkError> {
        if let Some(PalettedContainer { palette, indices }) = self.block_states.get()? {
            return by_palette(palette.get()?, indices.get()?);
        }

        match (self.palette.get()?, self.states, self.shorts, self.ids) {
            // Sections with only light have one of the two without the other.
            (Some(PaletteTag::Names(names)), Field::Odd | Field::Stored(_), ..) => {
                by_palette(Some(names), self.states.get()?)
            }
            (Some(PaletteTag::Numbers(states)), _, _, Field::Odd | Field::Stored(_)) => {
                let ids = sized(self.ids, CELLS)?;
                let data = sized(self.data, CELLS / 2)?;
                Ok(StoredBlocks::Wide(Wide::Palette { ids, data, states }))
            }
            (_, _, Field::Stored(shorts), _) if shorts.is_empty() => Ok(StoredBlocks::Air),
            (_, _, Field::Odd | Field::Stored(_), _) => {
                let ids = sized(self.shorts, CELLS * 2)?;
                let short_data = sized(self.short_data, CELLS * 2)?;
                let data = if short_data.is_empty() {
                    sized(self.data, CELLS / 2)?
                } else {
                    short_data
                };
                Ok(StoredBlocks::Wide(Wide::Shorts { ids, data }))
            }
            (.., Field::Odd | Field::Stored(_)) => self.numeric(),
            _ => Ok(StoredBlocks::Air),
        }
    }

    /// Returns whether there are indices into any palette.
    fn has_indices(&self) -> bool {
        let in_container = match self.block_states {
            Field::Stored(container) => container.indices,
            _ => Field::Missing,
        };
        let listed = if matches!(self.palette, Field::Missing) {
            Field::Missing
        } else {
            self.states
        };
        [in_container, listed]
            .iter()
            .any(|indices| matches!(indices, Field::Stored(longs) if !longs.is_empty()))
    }

    fn numeric(&self) -> Result<StoredBlocks, ChunkError> {
        let ids = sized(self.ids, CELLS)?;
        let data = sized(self.data, CELLS / 2)?;
        let [add, add2] = [sized(self.add, CELLS / 2)?, sized(self.add2, CELLS / 2)?];
        let high = sized(self.high, CELLS)?;
        if add2.is_empty() && high.is_empty() {
            return Ok(StoredBlocks::Numeric { ids, add, data });
        }

        Ok(StoredBlocks::Wide(Wide::Parts {
            low: ids,
            add,
            add2,
            high,
            data,
        }))
    }
}

/// Returns an array of blocks, which must have `len` bytes. It is empty if it is not stored.
fn sized(array: Field<Span>, len: usize) -> Result<Span, ChunkError> {
    match array.get()? {
        Some(array) if array.len() == len => Ok(array),
        Some(_) => Err(ChunkError::Content(
            "a block array has an impossible length",
        )),
        None => Ok(Span::default()),
    }
}

/// Checks that the entries of a palette have a type that can name blocks or biomes. Returns `None`
/// if the palette is empty.
fn named(palette: Option<SectionPalette>) -> Result<Option<SectionPalette>, ChunkError> {
    match palette.filter(|palette| palette.list.len > 0) {
        Some(palette) if !matches!(palette.list.tag, Tag::Compound | Tag::String) => {
            Err(ChunkError::FORM)
        }
        palette => Ok(palette),
    }
}

fn by_palette(
    names: Option<SectionPalette>,
    indices: Option<Span>,
) -> Result<StoredBlocks, ChunkError> {
    let Some(names) = named(names)? else {
        return Ok(StoredBlocks::Air);
    };

    let indices = indices.unwrap_or_default();
    if indices.is_empty() {
        return match names.list.len {
            1 => Ok(StoredBlocks::Palette {
                palette: BlockPalette::Names(names),
                indices,
                packing: None,
            }),
            _ => Err(ChunkError::Content(
                "a section has a palette but no indices into it",
            )),
        };
    }

    let packing = Packing::from_lengths(indices.len() / 8, CELLS, names.list.len, 4, None);
    let packing = packing.ok_or(ChunkError::Content(
        "an array of palette indices has an impossible length",
    ))?;
    Ok(StoredBlocks::Palette {
        palette: BlockPalette::Names(names),
        indices,
        packing: Some(packing),
    })
}

/// A palette and its packed indices, the form of blocks and biomes in 1.18 and later.
#[derive(Debug, Clone, Copy, Default)]
struct PalettedContainer {
    palette: Field<SectionPalette>,
    indices: Field<Span>,
}

impl PalettedContainer {
    /// Reads a container. Returns `None` if the payload is another type than a compound.
    fn read(reader: &mut Reader<'_>, tag: Tag) -> Result<Option<Self>, ChunkError> {
        if !reader.compound(tag)? {
            return Ok(None);
        }

        let mut container = Self::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"palette" => container.palette = Field::new(SectionPalette::read(reader, tag)?),
                b"data" => container.indices = Field::new(reader.array(tag, Tag::LongArray)?),
                _ => reader.skip(tag)?,
            }
        }

        Ok(Some(container))
    }

    /// Returns the biomes. An error costs only a tint, not the whole chunk.
    fn biomes(self) -> Result<Option<SectionBiomes>, ChunkError> {
        let palette = self.palette.get()?;
        let indices = self.indices.get()?.unwrap_or_default();
        let Some(SectionPalette { list: names, .. }) = named(palette)? else {
            return Ok(None);
        };
        SectionBiomes::from_names(names, indices)
            .ok_or(ChunkError::FORM)
            .map(Some)
    }
}
