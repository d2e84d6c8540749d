//! One section of a chunk: the form and the place of its blocks.

use std::ops::Range;

use super::Error;
use super::biomes::{SECTION_CELLS, SectionBiomes};
use super::blocks::{Blocks, CELLS, Wide};
use super::entries::SectionPalette;
use super::light::StoredLight;
use super::meta::Warnings;
use super::packing::Packing;
use crate::world::nbt::{Reader, Span, Tag};

/// A section after parsing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Section {
    /// Height in sections.
    pub(super) y: i16,
    pub(super) blocks: Blocks,
    pub(super) biomes: Option<SectionBiomes>,
    /// The light that blocks give, where a layer needs it: see [`super::light`].
    pub(super) light: Span,
    /// Start and length of its ids, once resolved; for wide sections and those that are
    /// cut out of a whole chunk also the start of their cells.
    pub(super) table: Option<Table>,
    /// Start and length of its biome ids, once resolved.
    pub(super) biome_table: Option<(usize, usize)>,
}

/// A resolved section palette: a part of the worker's id buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) wide: usize,
}

/// A section that was read from the list, and where from.
pub(super) struct ReadSection {
    /// `None`: it lies at a height that the game cannot store.
    pub(super) section: Option<Section>,
    /// The bytes that it was read from.
    bytes: Range<usize>,
    /// The place of its height, where that is a single byte.
    y_at: Option<usize>,
    pub(super) warnings: Warnings,
}

/// A section, and the bytes it was read from. Half the sections of a chunk, those of nothing but air or stone, are
/// stored as the one before but for their height: comparing the bytes replaces reading them.
pub(super) struct Repeatable {
    section: Section,
    bytes: Range<usize>,
    y_at: usize,
}

impl Repeatable {
    /// The next section, if it equals this one at another height.
    pub(super) fn again(&self, reader: &mut Reader<'_>) -> Option<Section> {
        let y = reader.pass_again(self.bytes.clone(), self.y_at)?;
        Some(Section { y: i16::from(y as i8), ..self.section })
    }
}

impl ReadSection {
    /// Reads a section whose compound was entered.
    pub(super) fn read(reader: &mut Reader<'_>, light: &mut Option<StoredLight>) -> Result<Self, Error> {
        let start = reader.place();
        // The game takes a missing number as 0.
        let (mut y, mut y_at) = (0, None);
        let mut arrays = Arrays::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"Y" => {
                    y_at = (tag == Tag::Byte).then(|| reader.place());
                    y = reader.int(tag)?.unwrap_or(y);
                }
                _ => arrays.field(reader, tag, name, light)?,
            }
        }
        let bytes = start..reader.place();
        let mut warnings = Warnings::default();
        let Ok(y) = i8::try_from(y) else {
            warnings.add(Warnings::HEIGHT);
            return Ok(Self { section: None, bytes, y_at, warnings });
        };
        let blocks = arrays.blocks()?;
        let biomes = arrays.biomes.get().and_then(|biomes| biomes.map_or(Ok(None), Container::biomes));
        if (arrays.is_strange || matches!(arrays.block_states, Field::Stored(_))) && matches!(blocks, Blocks::Air) {
            warnings.add(Warnings::STRANGE);
        }
        if matches!(blocks, Blocks::Air) && arrays.has_indices() {
            warnings.add(Warnings::PALETTE_INDEX);
        }
        if biomes.is_err() {
            warnings.add(Warnings::BIOMES);
        }
        let biomes = biomes.unwrap_or_default();
        let section = Section { y: i16::from(y), blocks, biomes, light: arrays.light, table: None, biome_table: None };
        Ok(Self { section: Some(section), bytes, y_at, warnings })
    }

    /// The section in a form to compare others with.
    pub(super) fn repeatable(&self) -> Option<Repeatable> {
        let (section, y_at) = self.section.zip(self.y_at)?;
        Some(Repeatable { section, bytes: self.bytes.clone(), y_at })
    }
}

/// A field of which the last one counts, where there are several.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Field<T> {
    #[default]
    Missing,
    /// Stored in a type that no version uses.
    Odd,
    Stored(T),
}

impl<T: Copy> Field<T> {
    /// A field as read; `None`: it has another type.
    pub(super) fn of(found: Option<T>) -> Self {
        found.map_or(Self::Odd, Self::Stored)
    }

    /// The field, if it is there.
    ///
    /// # Errors
    /// It is of another type.
    pub(super) fn get(self) -> Result<Option<T>, Error> {
        match self {
            Self::Missing => Ok(None),
            Self::Odd => Err(Error::FORM),
            Self::Stored(field) => Ok(Some(field)),
        }
    }
}

/// The two types of a section's `Palette`.
#[derive(Debug, Clone, Copy)]
enum Listed {
    Names(SectionPalette),
    Numbers(Span),
}

/// The arrays of a section, before its form is known.
#[derive(Default)]
struct Arrays {
    block_states: Field<Container>,
    palette: Field<Listed>,
    states: Field<Span>,
    biomes: Field<Container>,
    ids: Field<Span>,
    shorts: Field<Span>,
    add: Field<Span>,
    add2: Field<Span>,
    high: Field<Span>,
    data: Field<Span>,
    short_data: Field<Span>,
    light: Span,
    /// An array or a compound is stored under a name that no version uses, or blocks in a type that none does.
    is_strange: bool,
}

impl Arrays {
    fn field(
        &mut self,
        reader: &mut Reader<'_>,
        tag: Tag,
        name: &[u8],
        light: &mut Option<StoredLight>,
    ) -> Result<(), Error> {
        let array = match name {
            b"block_states" => {
                self.block_states = Field::of(Container::read(reader, tag)?);
                return Ok(());
            }
            b"biomes" => {
                self.biomes = Field::of(Container::read(reader, tag)?);
                return Ok(());
            }
            b"Palette" => {
                self.palette = Field::of(match tag {
                    Tag::IntArray => reader.array(tag, tag)?.map(Listed::Numbers),
                    _ => SectionPalette::read(reader, tag)?.map(Listed::Names),
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
        let wanted = if name == b"BlockStates" { Tag::LongArray } else { Tag::ByteArray };
        *array = Field::of(reader.array(tag, wanted)?);
        self.is_strange |= tag != wanted;
        Ok(())
    }

    /// Reads a field that holds neither blocks nor biomes, as far as is known.
    fn other(
        &mut self,
        reader: &mut Reader<'_>,
        tag: Tag,
        name: &[u8],
        light: &mut Option<StoredLight>,
    ) -> Result<(), Error> {
        self.is_strange |= !matches!(name, b"BlockLight" | b"SkyLight")
            && matches!(tag, Tag::Compound | Tag::List | Tag::ByteArray | Tag::IntArray | Tag::LongArray);
        match light {
            Some(stored) => stored.field(reader, tag, name, &mut self.light)?,
            None => reader.skip(tag)?,
        }
        Ok(())
    }

    /// The blocks, by the first form whose arrays are all there.
    fn blocks(&self) -> Result<Blocks, Error> {
        if let Some(Container { palette, indices }) = self.block_states.get()? {
            return by_palette(palette.get()?, indices.get()?);
        }
        match (self.palette.get()?, self.states, self.shorts, self.ids) {
            // Sections that hold only light have one without the other.
            (Some(Listed::Names(names)), Field::Odd | Field::Stored(_), ..) => {
                by_palette(Some(names), self.states.get()?)
            }
            (Some(Listed::Numbers(states)), _, _, Field::Odd | Field::Stored(_)) => {
                let (ids, data) = (sized(self.ids, CELLS)?, sized(self.data, CELLS / 2)?);
                Ok(Blocks::Wide(Wide::Palette { ids, data, states }))
            }
            (_, _, Field::Stored(shorts), _) if shorts.is_empty() => Ok(Blocks::Air),
            (_, _, Field::Odd | Field::Stored(_), _) => {
                let ids = sized(self.shorts, CELLS * 2)?;
                let short_data = sized(self.short_data, CELLS * 2)?;
                let data = if short_data.is_empty() { sized(self.data, CELLS / 2)? } else { short_data };
                Ok(Blocks::Wide(Wide::Shorts { ids, data }))
            }
            (.., Field::Odd | Field::Stored(_)) => self.numeric(),
            _ => Ok(Blocks::Air),
        }
    }

    /// Returns whether there are indices into any palette.
    fn has_indices(&self) -> bool {
        let of_container = match self.block_states {
            Field::Stored(container) => container.indices,
            _ => Field::Missing,
        };
        let listed = if matches!(self.palette, Field::Missing) { Field::Missing } else { self.states };
        [of_container, listed].iter().any(|found| matches!(found, Field::Stored(longs) if !longs.is_empty()))
    }

    fn numeric(&self) -> Result<Blocks, Error> {
        let (ids, data) = (sized(self.ids, CELLS)?, sized(self.data, CELLS / 2)?);
        let [add, add2] = [sized(self.add, CELLS / 2)?, sized(self.add2, CELLS / 2)?];
        let high = sized(self.high, CELLS)?;
        if add2.is_empty() && high.is_empty() {
            return Ok(Blocks::Numeric { ids, add, data });
        }
        Ok(Blocks::Wide(Wide::Parts { low: ids, add, add2, high, data }))
    }
}

/// An array of blocks of this many bytes, or an empty one where it is missing.
fn sized(array: Field<Span>, len: usize) -> Result<Span, Error> {
    match array.get()? {
        Some(array) if array.len() == len => Ok(array),
        Some(_) => Err(Error::Content("a block array has an impossible length")),
        None => Ok(Span::default()),
    }
}

/// A palette that holds entries, all of a type that can name blocks or biomes.
fn named(palette: Option<SectionPalette>) -> Result<Option<SectionPalette>, Error> {
    match palette.filter(|palette| palette.list.len > 0) {
        Some(palette) if !matches!(palette.list.tag, Tag::Compound | Tag::String) => Err(Error::FORM),
        found => Ok(found),
    }
}

fn by_palette(names: Option<SectionPalette>, indices: Option<Span>) -> Result<Blocks, Error> {
    let Some(names) = named(names)? else { return Ok(Blocks::Air) };
    let indices = indices.unwrap_or_default();
    if indices.is_empty() {
        return match names.list.len {
            1 => Ok(Blocks::Palette { names, indices, packing: None }),
            _ => Err(Error::Content("a section has a palette but no indices into it")),
        };
    }
    let packing = Packing::of(indices.len() / 8, CELLS, names.list.len, 4, None);
    let packing = packing.ok_or(Error::Content("an array of palette indices has an impossible length"))?;
    Ok(Blocks::Palette { names, indices, packing: Some(packing) })
}

/// A palette and its packed indices, as 1.18 and later store blocks and biomes.
#[derive(Debug, Clone, Copy, Default)]
struct Container {
    palette: Field<SectionPalette>,
    indices: Field<Span>,
}

impl Container {
    /// Reads the field at hand; `None`: it is no compound.
    fn read(reader: &mut Reader<'_>, tag: Tag) -> Result<Option<Self>, Error> {
        if !reader.compound(tag)? {
            return Ok(None);
        }
        let mut found = Self::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"palette" => found.palette = Field::of(SectionPalette::read(reader, tag)?),
                b"data" => found.indices = Field::of(reader.array(tag, Tag::LongArray)?),
                _ => reader.skip(tag)?,
            }
        }
        Ok(Some(found))
    }

    /// The biomes. Those of another type or length are an error that costs a tint, not a chunk.
    fn biomes(self) -> Result<Option<SectionBiomes>, Error> {
        let (palette, indices) = (self.palette.get()?, self.indices.get()?.unwrap_or_default());
        let Some(SectionPalette { list: names, .. }) = named(palette)? else { return Ok(None) };
        let packing = match indices.len() / 8 {
            0 => None,
            longs => Some(Packing::of(longs, SECTION_CELLS, names.len, 1, Some(i32::MAX)).ok_or(Error::FORM)?),
        };
        Ok(Some(SectionBiomes { names, indices, packing }))
    }
}
