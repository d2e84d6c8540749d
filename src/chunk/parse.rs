//! One pass over a chunk's NBT: what it says of itself, and where its sections' arrays are.

use std::ops::Range;

use super::biomes::{ChunkBiomes, SECTION_CELLS, SectionBiomes};
use super::blocks::{Blocks, CELLS, COLUMN_CELLS, Wide};
use super::entries::Palette;
use super::light::StoredLight;
use super::packing::Packing;
use super::{Buffers, Error};
use crate::nbt::{Reader, Span, Tag};

/// The most sections of a chunk that are looked at. There are heights for 256, each of which may be stored more than once;
/// those further on are passed over, which takes a tenth of the time.
const MAX_SECTIONS: usize = 4096;

/// Whether the game has finished a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Finished, or near enough that it looks so; also every chunk of a world before 1.13.
    Finished,
    /// Bare terrain at the rim of the world: no trees, no structures.
    Raw,
    /// Nothing to be seen yet.
    Unborn,
}

/// How a chunk is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// Beta 1.3 to 1.1: one array of ids for the whole chunk.
    Mcregion,
    /// 1.2 to 1.12: sections of numeric ids.
    Numeric,
    /// 1.13 to 1.15: palettes of names, indices that span longs.
    Spanning,
    /// 1.16 and 1.17: palettes of names, whole indices in each long.
    Aligned,
    /// Snapshots of 1.18: `block_states` under `Level`.
    LevelBlockStates,
    /// 1.18 and later: everything at the root.
    Root,
}

impl Generation {
    /// Every generation, oldest first.
    pub const ALL: [Self; 6] =
        [Self::Mcregion, Self::Numeric, Self::Spanning, Self::Aligned, Self::LevelBlockStates, Self::Root];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcregion => "mcregion",
            Self::Numeric => "numeric",
            Self::Spanning => "spanning",
            Self::Aligned => "aligned",
            Self::LevelBlockStates => "level_block_states",
            Self::Root => "root",
        }
    }
}

/// What is odd about a chunk without costing it anything: a set of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Warnings(u8);

impl Warnings {
    /// An index past the end of its palette; drawn as air.
    pub const PALETTE_INDEX: Self = Self(1);
    /// `xPos` and `zPos` are not those of the slot; drawn by the slot.
    pub const POSITION: Self = Self(1 << 1);
    /// A section that is stored twice; the last one counts.
    pub const SECTION_TWICE: Self = Self(1 << 2);
    /// An entry of a section palette without a name; drawn as air.
    pub const NAMELESS: Self = Self(1 << 3);
    /// Something is stored where blocks should be, and it is none of the known forms; or no sections are stored at all.
    /// What is told of it depends on what is seen of the chunk.
    pub const STRANGE: Self = Self(1 << 4);
    /// No light is stored, and somebody asked for it.
    pub const NO_LIGHT: Self = Self(1 << 5);
    /// Every warning that concerns all layers, with a sentence that says it.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::PALETTE_INDEX, "a palette index out of range, drawn as air"),
        (Self::POSITION, "a position that differs from the chunk's slot, drawn by the slot"),
        (Self::SECTION_TWICE, "a section stored twice, of which the last counts"),
        (Self::NAMELESS, "a palette entry without a name, drawn as air"),
    ];

    /// Sets the flags of `other`.
    pub const fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether all flags of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether what the chunk holds may not be what is seen of it.
    pub const fn are_doubts(self) -> bool {
        self.0 & (Self::PALETTE_INDEX.0 | Self::NAMELESS.0 | Self::STRANGE.0) != 0
    }
}

/// What a chunk says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    /// `DataVersion`, absent before 15w32a.
    pub data_version: Option<i32>,
    /// Whether it is finished.
    pub status: Status,
    /// How it is stored.
    pub generation: Generation,
    /// `xPos` and `zPos`, in chunks.
    pub position: Option<(i64, i64)>,
    /// `InhabitedTime`: how long players were near, all of them added up, in ticks of a twentieth of a second; old
    /// chunks do not say.
    pub inhabited_ticks: Option<u64>,
    /// What is odd about it.
    pub warnings: Warnings,
}

/// A section as the parser found it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Section {
    /// Height in sections.
    pub(super) y: i16,
    pub(super) blocks: Blocks,
    pub(super) biomes: Option<SectionBiomes>,
    /// The light that blocks give, where that was asked for: see [`super::light`].
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

/// The fields of `Level`, or of the root where there is no `Level`.
#[derive(Default)]
struct Body<'a> {
    has_sections: bool,
    section_twice: bool,
    /// Whether something strange is in the list of sections; none: there is no such list.
    is_strange: Option<bool>,
    status: Option<&'a [u8]>,
    retrogen: bool,
    x: Option<i64>,
    z: Option<i64>,
    inhabited_ticks: Option<u64>,
    biome_bytes: Span,
    biome_ints: Span,
    blocks: Span,
    data: Span,
    light: Span,
}

/// Parses a chunk into `buffers`.
pub(super) fn parse(bytes: &[u8], buffers: &mut Buffers) -> Result<(Meta, ChunkBiomes), Error> {
    let mut reader = Reader::root(bytes)?;
    let mut version = None;
    let mut root = Body::default();
    let mut level = None;
    buffers.clear();
    buffers.light = buffers.light.map(|_| StoredLight::default());
    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"DataVersion" => version = reader.int(tag)?.and_then(|n| i32::try_from(n).ok()).or(version),
            b"Level" if tag == Tag::Compound => {
                let mut body = Body::default();
                buffers.clear();
                reader.compound(tag)?;
                while let Some((tag, name)) = reader.entry()? {
                    body.field(&mut reader, tag, name, buffers)?;
                }
                level = Some(body);
            }
            // Where there is a `Level`, what stands beside it is not the chunk.
            b"sections" | b"Sections" if level.is_some() => reader.skip(tag)?,
            _ => root.field(&mut reader, tag, name, buffers)?,
        }
    }
    let in_level = level.is_some();
    let body = level.unwrap_or(root);
    let mut warnings = Warnings::default();
    if body.section_twice {
        warnings.add(Warnings::SECTION_TWICE);
    }
    if body.is_strange.unwrap_or(body.blocks.is_empty()) {
        warnings.add(Warnings::STRANGE);
    }
    if !body.has_sections && !body.blocks.is_empty() {
        column(body.blocks, body.data, body.light, buffers)?;
    }
    settle_packings(buffers, version);
    buffers.sort();
    let meta = Meta {
        data_version: version,
        status: status(body.status, body.retrogen),
        generation: generation(buffers, version, in_level),
        position: body.x.zip(body.z),
        inhabited_ticks: body.inhabited_ticks,
        warnings,
    };
    Ok((meta, body.biomes(buffers)))
}

impl<'a> Body<'a> {
    fn field(&mut self, reader: &mut Reader<'a>, tag: Tag, name: &[u8], buffers: &mut Buffers) -> Result<(), Error> {
        match name {
            b"sections" | b"Sections" => self.sections(reader, tag, buffers)?,
            b"Status" => self.status = reader.string(tag)?.or(self.status),
            b"below_zero_retrogen" => {
                self.retrogen = tag == Tag::Compound;
                reader.skip(tag)?;
            }
            b"xPos" => self.x = reader.int(tag)?.or(self.x),
            b"zPos" => self.z = reader.int(tag)?.or(self.z),
            b"InhabitedTime" => {
                let ticks = reader.int(tag)?.and_then(|ticks| u64::try_from(ticks).ok());
                self.inhabited_ticks = ticks.or(self.inhabited_ticks);
            }
            b"Biomes" if tag == Tag::IntArray => {
                self.biome_ints = reader.array(tag, Tag::IntArray)?.unwrap_or_default();
            }
            b"Biomes" => self.biome_bytes = reader.array(tag, Tag::ByteArray)?.unwrap_or_default(),
            b"Blocks" => self.blocks = reader.array(tag, Tag::ByteArray)?.unwrap_or_default(),
            b"Data" => self.data = reader.array(tag, Tag::ByteArray)?.unwrap_or_default(),
            _ => match &mut buffers.light {
                Some(stored) => stored.field(reader, tag, name, &mut self.light)?,
                None => reader.skip(tag)?,
            },
        }
        Ok(())
    }

    /// Reads the sections; of two lists the last counts.
    fn sections(&mut self, reader: &mut Reader<'a>, tag: Tag, buffers: &mut Buffers) -> Result<(), Error> {
        let Some(list) = reader.list(tag)? else { return Ok(()) };
        let mut strange = list.len > 0 && list.tag != Tag::Compound;
        if list.tag == Tag::Compound {
            buffers.clear();
            (self.has_sections, self.section_twice) = (true, false);
            let mut last = None;
            for _ in 0..list.len.min(MAX_SECTIONS) {
                if let Some(section) = last.as_ref().and_then(|last: &Repeatable| last.again(reader)) {
                    self.section_twice |= buffers.add(section);
                    continue;
                }
                let start = reader.place();
                reader.compound(list.tag)?;
                let Found { section, y_at, is_strange } = section(reader, &mut buffers.light)?;
                strange |= is_strange;
                last =
                    section.zip(y_at).map(|(section, y_at)| Repeatable { section, bytes: start..reader.place(), y_at });
                // A section at a height that the game cannot store is nowhere.
                if let Some(section) = section {
                    self.section_twice |= buffers.add(section);
                }
            }
            if list.len > MAX_SECTIONS {
                let mut rest = list;
                rest.len -= MAX_SECTIONS;
                reader.skip_elements(rest)?;
            }
        } else {
            reader.skip_elements(list)?;
        }
        self.is_strange = Some(strange);
        reader.leave();
        Ok(())
    }

    fn biomes(&self, buffers: &Buffers) -> ChunkBiomes {
        if self.biome_bytes.len() == 256 {
            return ChunkBiomes::Bytes(self.biome_bytes);
        }
        let lowest = buffers.order.last().map_or(0, |&section| buffers.sections[usize::from(section)].y);
        ChunkBiomes::of_ints(self.biome_ints, i32::from(lowest) * 16)
    }
}

/// Which chunks are drawn: those without a status, those that are finished or nearly so, and those that the game took
/// over from before 1.18 and has not deepened yet, whatever their status says.
fn status(status: Option<&[u8]>, retrogen: bool) -> Status {
    let Some(status) = status else { return Status::Finished };
    if retrogen {
        return Status::Finished;
    }
    match status.strip_prefix(b"minecraft:").unwrap_or(status) {
        b"full" | b"fullchunk" | b"postprocessed" | b"mobs_spawned" | b"finalized" | b"heightmaps" | b"spawn"
        | b"light" | b"lighted" | b"initialize_light" | b"features" | b"decorated" => Status::Finished,
        b"noise" | b"surface" | b"carvers" | b"liquid_carvers" | b"base" | b"carved" | b"liquid_carved" => Status::Raw,
        _ => Status::Unborn,
    }
}

fn generation(buffers: &Buffers, version: Option<i32>, in_level: bool) -> Generation {
    let stored = buffers.order.iter().find_map(|&section| match buffers.sections[usize::from(section)].blocks {
        Blocks::Air => None,
        Blocks::Palette { .. } if !in_level => Some(Generation::Root),
        Blocks::Palette { packing: Some(packing), .. } if version.is_none_or(|version| version < 2834) => {
            let spanning = packing.is_spanning(version);
            Some(if spanning { Generation::Spanning } else { Generation::Aligned })
        }
        Blocks::Palette { .. } => Some(Generation::LevelBlockStates),
        Blocks::Numeric { .. } | Blocks::Wide(_) => Some(Generation::Numeric),
        Blocks::Column { .. } => Some(Generation::Mcregion),
    });
    stored.unwrap_or(match version {
        _ if !in_level => Generation::Root,
        None | Some(..1451) => Generation::Numeric,
        Some(1451..2529) => Generation::Spanning,
        Some(2529..2834) => Generation::Aligned,
        Some(_) => Generation::LevelBlockStates,
    })
}

/// A chunk before 1.2 as eight sections.
fn column(ids: Span, data: Span, light: Span, buffers: &mut Buffers) -> Result<(), Error> {
    if ids.len() != COLUMN_CELLS || !(data.is_empty() || data.len() == COLUMN_CELLS / 2) {
        return Err(Error::Content("the block array of the chunk has an impossible length"));
    }
    for y in 0..8 {
        buffers.add(Section { y, blocks: Blocks::Column { ids, data }, light, ..Section::default() });
    }
    Ok(())
}

/// Takes the version, now that it is known, for the arrays whose layout their length alone does not tell.
fn settle_packings(buffers: &mut Buffers, version: Option<i32>) {
    for section in &mut buffers.sections {
        if let Blocks::Palette { names, indices, packing: Some(packing) } = &mut section.blocks {
            *packing = Packing::of(indices.len() / 8, CELLS, names.list.len, 4, version).unwrap_or(*packing);
        }
    }
}

/// The arrays of a section, before it is known which of its forms it has.
#[derive(Default)]
struct Arrays {
    block_states: Option<Container>,
    palette: Option<Palette>,
    palette_states: Option<Span>,
    states: Option<Span>,
    biomes: Option<Container>,
    ids: Option<Span>,
    shorts: Option<Span>,
    add: Span,
    add2: Span,
    high: Span,
    data: Span,
    short_data: Span,
    light: Span,
    /// Something else of some size is stored, or one of these in another form.
    is_strange: bool,
}

/// A palette and its packed indices, as 1.18 and later store blocks and biomes.
#[derive(Clone, Copy, Default)]
struct Container {
    palette: Option<Palette>,
    indices: Span,
}

/// What was found in a section of the list.
struct Found {
    section: Option<Section>,
    /// The place of its height, where that is a single byte.
    y_at: Option<usize>,
    /// Whether it holds something where no blocks were found.
    is_strange: bool,
}

/// A section, and the bytes it was read from. Half the sections of a chunk, those of nothing but air or stone, are
/// stored as the one before is, but for their height: they need no reading, and what is stored there is in its bytes.
struct Repeatable {
    section: Section,
    bytes: Range<usize>,
    y_at: usize,
}

impl Repeatable {
    /// The section at hand, if it is the same at another height.
    fn again(&self, reader: &mut Reader<'_>) -> Option<Section> {
        let y = reader.pass_again(self.bytes.clone(), self.y_at)?;
        Some(Section { y: i16::from(y as i8), ..self.section })
    }
}

fn section(reader: &mut Reader<'_>, light: &mut Option<StoredLight>) -> Result<Found, Error> {
    // A section without a height has that of a missing number in the game: 0.
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
    let Ok(y) = i8::try_from(y) else { return Ok(Found { section: None, y_at, is_strange: false }) };
    let blocks = arrays.blocks()?;
    let biomes = arrays.biomes.and_then(biomes);
    let is_strange = (arrays.is_strange || arrays.block_states.is_some()) && matches!(blocks, Blocks::Air);
    let section = Section { y: i16::from(y), blocks, biomes, light: arrays.light, table: None, biome_table: None };
    Ok(Found { section: Some(section), y_at, is_strange })
}

impl Arrays {
    fn field(
        &mut self,
        reader: &mut Reader<'_>,
        tag: Tag,
        name: &[u8],
        light: &mut Option<StoredLight>,
    ) -> Result<(), Error> {
        let bytes = |reader: &mut Reader<'_>| reader.array(tag, Tag::ByteArray).map(Option::unwrap_or_default);
        self.is_strange |= is_strange(name, tag);
        match name {
            b"block_states" => self.block_states = container(reader, tag)?,
            b"biomes" => self.biomes = container(reader, tag)?,
            b"Palette" if tag == Tag::IntArray => self.palette_states = reader.array(tag, Tag::IntArray)?,
            b"Palette" => self.palette = Palette::read(reader, tag)?,
            b"BlockStates" => self.states = reader.array(tag, Tag::LongArray)?,
            b"Blocks" => self.ids = reader.array(tag, Tag::ByteArray)?,
            b"Blocks16" => self.shorts = reader.array(tag, Tag::ByteArray)?,
            b"Add" => self.add = bytes(reader)?,
            b"Add2" | b"BlocksB2Hi" => self.add2 = bytes(reader)?,
            b"BlocksB3" => self.high = bytes(reader)?,
            b"Data" => self.data = bytes(reader)?,
            b"Data16" => self.short_data = bytes(reader)?,
            _ => match light {
                Some(stored) => stored.field(reader, tag, name, &mut self.light)?,
                None => reader.skip(tag)?,
            },
        }
        Ok(())
    }

    fn blocks(&self) -> Result<Blocks, Error> {
        if let Some(container) = self.block_states {
            return palette(container.palette, container.indices);
        }
        if let Some(names) = self.palette {
            // Sections of light alone have no indices.
            return self.states.map_or(Ok(Blocks::Air), |indices| palette(Some(names), indices));
        }
        let shorts = self.shorts.filter(|shorts| !shorts.is_empty());
        if self.shorts.is_some() && shorts.is_none() {
            return Ok(Blocks::Air);
        }
        let data = self.data;
        check(data, CELLS / 2)?;
        if let Some(ids) = shorts {
            check(self.short_data, CELLS * 2)?;
            let data = if self.short_data.is_empty() { data } else { self.short_data };
            return sized(ids, CELLS * 2).map(|ids| Blocks::Wide(Wide::Shorts { ids, data }));
        }
        let Some(ids) = self.ids else { return Ok(Blocks::Air) };
        let ids = sized(ids, CELLS)?;
        if let Some(states) = self.palette_states {
            return Ok(Blocks::Wide(Wide::Palette { ids, data, states }));
        }
        for nibbles in [self.add, self.add2] {
            check(nibbles, CELLS / 2)?;
        }
        check(self.high, CELLS)?;
        if self.add2.is_empty() && self.high.is_empty() {
            return Ok(Blocks::Numeric { ids, add: self.add, data });
        }
        Ok(Blocks::Wide(Wide::Parts { low: ids, add: self.add, add2: self.add2, high: self.high, data }))
    }
}

/// Whether a field of a section may be blocks in a form that is not known: something of some size that is neither light
/// nor biomes, or a field of blocks in another form than it is known in.
fn is_strange(name: &[u8], tag: Tag) -> bool {
    let known = match name {
        b"BlockLight" | b"SkyLight" | b"biomes" => return false,
        b"block_states" => &[Tag::Compound][..],
        b"Palette" => &[Tag::List, Tag::IntArray],
        b"BlockStates" => &[Tag::LongArray],
        b"Blocks" | b"Blocks16" | b"Data" | b"Data16" | b"Add" | b"Add2" | b"BlocksB2Hi" | b"BlocksB3" => {
            &[Tag::ByteArray]
        }
        _ => return matches!(tag, Tag::Compound | Tag::List | Tag::ByteArray | Tag::IntArray | Tag::LongArray),
    };
    !known.contains(&tag)
}

/// An array that may be missing but not of another length.
fn check(array: Span, len: usize) -> Result<(), Error> {
    if array.is_empty() { Ok(()) } else { sized(array, len).map(drop) }
}

fn sized(array: Span, len: usize) -> Result<Span, Error> {
    if array.len() == len { Ok(array) } else { Err(Error::Content("a block array has an impossible length")) }
}

fn palette(names: Option<Palette>, indices: Span) -> Result<Blocks, Error> {
    let Some(names) = names.filter(|names| names.list.len > 0) else { return Ok(Blocks::Air) };
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

/// Biomes whose indices do not fit are left out: they cost a tint, not a chunk.
fn biomes(container: Container) -> Option<SectionBiomes> {
    let Container { palette, indices } = container;
    let names = palette.map(|palette| palette.list).filter(|names| names.len > 0)?;
    let packing = match indices.len() / 8 {
        0 => None,
        longs => Some(Packing::of(longs, SECTION_CELLS, names.len, 1, Some(i32::MAX))?),
    };
    Some(SectionBiomes { names, indices, packing })
}

fn container(reader: &mut Reader<'_>, tag: Tag) -> Result<Option<Container>, Error> {
    if !reader.compound(tag)? {
        return Ok(None);
    }
    let mut found = Container::default();
    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"palette" => found.palette = Palette::read(reader, tag)?,
            b"data" => found.indices = reader.array(tag, Tag::LongArray)?.unwrap_or_default(),
            _ => reader.skip(tag)?,
        }
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(tag: u8, name: &str, payload: &[u8]) -> Vec<u8> {
        [&[tag, 0, name.len() as u8], name.as_bytes(), payload].concat()
    }

    /// A section that is full of one id, its height as a byte or as a short, before or after the blocks.
    fn section_of(id: u8, y: i8, is_byte: bool, is_first: bool) -> Vec<u8> {
        let ids = [&4096_u32.to_be_bytes()[..], &[id; 4096]].concat();
        let y = if is_byte { named(1, "Y", &[y as u8]) } else { named(2, "Y", &i16::from(y).to_be_bytes()) };
        let ids = named(7, "Blocks", &ids);
        [if is_first { [y, ids] } else { [ids, y] }.concat(), vec![0]].concat()
    }

    #[test]
    fn a_section_like_the_one_before_is_read_as_if_it_stood_alone() {
        let sections = [
            (7, 0, true, false),
            (7, 1, true, false),
            (7, -2, true, false),
            (8, 3, true, false),
            (8, 4, true, true),
            (8, 5, true, true),
            (7, 6, true, true),
            (7, 7, false, true),
            (7, 8, false, true),
            (7, 300_i32 as i8, true, true),
            (7, 1, true, true),
        ];
        let list: Vec<u8> = sections.iter().flat_map(|&(id, y, byte, first)| section_of(id, y, byte, first)).collect();
        let list = [&[10][..], &(sections.len() as u32).to_be_bytes(), &list].concat();
        let bytes = [&[10, 0, 0][..], &named(9, "sections", &list), &named(3, "xPos", &[0, 0, 0, 5]), &[0]].concat();
        let mut buffers = Buffers::default();
        let (meta, _) = parse(&bytes, &mut buffers).unwrap();
        assert!(meta.warnings.has(Warnings::SECTION_TWICE), "the last two at height 1");
        let mut found: Vec<(i16, u8)> = Vec::new();
        for section in &buffers.sections {
            let Blocks::Numeric { ids, .. } = section.blocks else { panic!("no blocks: {section:?}") };
            let ids = ids.of(&bytes);
            assert!(ids.len() == 4096 && ids.iter().all(|&id| id == ids[0]));
            found.push((section.y, ids[0]));
        }
        found.sort_unstable();
        let expected = [(-2, 7), (0, 7), (1, 7), (3, 8), (4, 8), (5, 8), (6, 7), (7, 7), (8, 7), (44, 7)];
        assert_eq!(found, expected);
    }
}
