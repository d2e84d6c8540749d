//! Parses a chunk of Java Edition in one pass over its NBT: its facts, and the positions of its
//! sections' arrays.

use super::java_section::{Field, ReadSection, RepeatableSection};
use crate::chunk::cells::{CELLS, COLUMN_CELLS};
use crate::chunk::error::ChunkError;
use crate::chunk::forms::java::packing::Packing;
use crate::chunk::forms::stored::biomes::{ChunkBiomes, StoredBiomes};
use crate::chunk::forms::stored::blocks::{BlockPalette, StoredBlocks};
use crate::chunk::forms::stored::buffers::ChunkBuffers;
use crate::chunk::forms::stored::extras::Extras;
use crate::chunk::forms::stored::light::StoredLight;
use crate::chunk::forms::stored::section::Section;
use crate::chunk::meta::{Generation, Meta, StoredStatus, Warnings};
use crate::nbt::{Reader, Span, Tag};

/// The most sections of a chunk. There are only 256 heights, but each may be stored more than once.
/// Without a limit a million sections would take seconds.
const MAX_SECTIONS: usize = 4096;

/// The fields of `Level`, or of the root if there is no `Level`.
#[derive(Default)]
struct ChunkBody<'a> {
    has_sections: bool,
    /// Warnings from reading the list of sections, if the chunk has one.
    listed: Field<Warnings>,
    status: StoredStatus<'a>,
    x: Option<i64>,
    z: Option<i64>,
    inhabited_ticks: Option<u64>,
    stored_biomes: StoredBiomes,
    /// The block ids of a chunk before 1.2; `data` and `light` belong to them.
    blocks: Field<Span>,
    data: Field<Span>,
    light: Span,
    extras: Extras,
}

pub(crate) fn parse(
    bytes: &[u8],
    buffers: &mut ChunkBuffers,
) -> Result<(Meta, ChunkBiomes, Extras), ChunkError> {
    let mut reader = Reader::root(bytes)?;
    let mut version = None;
    let mut root = ChunkBody::default();
    let mut level = None;
    let mut has_odd_level = false;
    buffers.clear();
    buffers.light = buffers.light.map(|_| StoredLight::default());
    buffers.numeric.set_bedrock(false);

    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"DataVersion" => {
                version = reader
                    .int(tag)?
                    .and_then(|n| i32::try_from(n).ok())
                    .or(version);
            }
            b"Level" if tag == Tag::Compound => {
                let mut body = ChunkBody::default();
                buffers.clear();
                reader.compound(tag)?;
                while let Some((tag, name)) = reader.entry()? {
                    body.field(&mut reader, tag, name, buffers)?;
                }
                level = Some(body);
            }
            b"Level" => {
                has_odd_level = true;
                reader.skip(tag)?;
            }
            // If there is a `Level`, sections outside it do not belong to the chunk.
            b"sections" | b"Sections" if level.is_some() => reader.skip(tag)?,
            _ => root.field(&mut reader, tag, name, buffers)?,
        }
    }

    let in_level = level.is_some();

    let body = level.unwrap_or(root);
    let listed = body.listed.get()?;
    let is_column = !body.has_sections && !matches!(body.blocks, Field::Missing);
    let mut warnings = match listed {
        Some(warnings) => warnings,
        None if is_column => Warnings::default(),
        None if has_odd_level && !in_level => return Err(ChunkError::FORM),
        None => Warnings::STRANGE,
    };

    if reader.position() < bytes.len() {
        warnings.add(Warnings::TRAILING);
    }

    if is_column {
        add_column(&body, buffers)?;
    }

    settle_packings(buffers, version);
    buffers.sort();

    let (biomes, are_odd) = body.biomes(buffers);
    if are_odd {
        warnings.add(Warnings::BIOMES);
    }

    let (status, odd_status) = body.status.settle(version);
    warnings.add(odd_status);

    let meta = Meta {
        data_version: version,
        java_version: None,
        status,
        generation: generation(buffers, version, in_level),
        position: body.x.zip(body.z),
        inhabited_ticks: body.inhabited_ticks,
        found_changed: None,
        warnings,
    };

    Ok((meta, biomes, body.extras))
}

impl<'a> ChunkBody<'a> {
    fn field(
        &mut self,
        reader: &mut Reader<'a>,
        tag: Tag,
        name: &[u8],
        buffers: &mut ChunkBuffers,
    ) -> Result<(), ChunkError> {
        match name {
            b"sections" | b"Sections" => self.sections(reader, tag, buffers)?,
            b"Status" => self.status.upper_case = reader.string(tag)?.or(self.status.upper_case),
            b"status" => self.status.lower_case = reader.string(tag)?.or(self.status.lower_case),
            b"TerrainPopulated" => {
                let populated = reader.int(tag)?.map(|number| number != 0);
                self.status.populated = populated.or(self.status.populated);
            }
            b"below_zero_retrogen" => {
                self.status.is_below_zero = tag == Tag::Compound;
                reader.skip(tag)?;
            }
            b"retrogen" => self.retrogen(reader, tag)?,
            b"xPos" => self.x = reader.int(tag)?.or(self.x),
            b"zPos" => self.z = reader.int(tag)?.or(self.z),
            b"InhabitedTime" => {
                let ticks = reader.int(tag)?.and_then(|ticks| u64::try_from(ticks).ok());
                self.inhabited_ticks = ticks.or(self.inhabited_ticks);
            }
            b"Biomes" => self.stored_biomes = StoredBiomes::read(reader, tag)?,
            b"structures" | b"Structures" if tag == Tag::Compound => {
                self.extras.structures = reader.skip_span(tag)?;
            }
            b"block_entities" | b"TileEntities" if tag == Tag::List => {
                self.extras.block_entities = reader.skip_span(tag)?;
            }
            b"Entities" if tag == Tag::List => self.extras.entities = reader.skip_span(tag)?,
            b"Blocks" => self.blocks = Field::new(reader.array(tag, Tag::ByteArray)?),
            b"Data" => self.data = Field::new(reader.array(tag, Tag::ByteArray)?),
            _ => match &mut buffers.light {
                Some(stored) => stored.field(reader, tag, name, &mut self.light)?,
                None => reader.skip(tag)?,
            },
        }

        Ok(())
    }

    /// Reads the record of an upgrade to 26.4.
    fn retrogen(&mut self, reader: &mut Reader<'a>, tag: Tag) -> Result<(), ChunkError> {
        if !reader.compound(tag)? {
            return Ok(());
        }

        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"target_status" => self.status.target = reader.string(tag)?.or(self.status.target),
                b"has_below_zero_retrogen" => {
                    self.status.is_below_zero |= reader.int(tag)?.is_some_and(|has| has != 0);
                }
                _ => reader.skip(tag)?,
            }
        }

        Ok(())
    }

    /// Reads the list of sections. If there are two lists, the last one counts.
    fn sections(
        &mut self,
        reader: &mut Reader<'a>,
        tag: Tag,
        buffers: &mut ChunkBuffers,
    ) -> Result<(), ChunkError> {
        let Some(list) = reader.list(tag)? else {
            // Files with other content than terrain store longs under this name.
            self.listed = if tag == Tag::LongArray {
                Field::Missing
            } else {
                Field::Odd
            };
            return Ok(());
        };

        let mut odd = Warnings::default();
        if list.tag == Tag::Compound {
            buffers.clear();
            self.has_sections = true;
            let mut last = None;

            if list.len > MAX_SECTIONS {
                reader.skip_elements(list)?;
                return Err(ChunkError::Content(
                    "it has more sections than there are heights",
                ));
            }

            for _ in 0..list.len {
                let repeated = last
                    .as_ref()
                    .and_then(|last: &RepeatableSection| last.read_repeated(reader));
                let section = if repeated.is_some() {
                    repeated
                } else {
                    reader.compound(list.tag)?;
                    let read = ReadSection::read(reader, &mut buffers.light)?;
                    odd.add(read.warnings);
                    last = read.repeatable();
                    read.section
                };

                if section.is_some_and(|section| buffers.add(section)) {
                    odd.add(Warnings::SECTION_TWICE);
                }
            }
        } else {
            reader.skip_elements(list)?;
        }

        self.listed = if list.tag == Tag::Compound || list.len == 0 {
            Field::Stored(odd)
        } else {
            Field::Odd
        };
        reader.leave();

        Ok(())
    }

    /// Returns the biomes of the whole chunk, and whether their type or length is impossible.
    fn biomes(&self, buffers: &ChunkBuffers) -> (ChunkBiomes, bool) {
        let lowest = buffers
            .order
            .last()
            .map_or(0, |&section| buffers.sections[usize::from(section)].y);
        let (biomes, are_odd) = self.stored_biomes.settle(i32::from(lowest) * 16);
        match biomes {
            ChunkBiomes::None if buffers.sections.iter().any(Section::has_biomes_by_block) => {
                (ChunkBiomes::Blocks, are_odd)
            }
            _ => (biomes, are_odd),
        }
    }
}

fn generation(buffers: &ChunkBuffers, version: Option<i32>, in_level: bool) -> Generation {
    let stored = buffers.order.iter().find_map(|&section| {
        match buffers.sections[usize::from(section)].blocks {
            // The second kind occurs only in Bedrock Edition, which does not use this function.
            StoredBlocks::Air | StoredBlocks::Subchunk(_) => None,
            StoredBlocks::Palette { .. } if !in_level => Some(Generation::Root),
            StoredBlocks::Palette {
                packing: Some(packing),
                ..
            } if version.is_none_or(|version| version < 2834) => {
                let spanning = packing.is_spanning(version);
                Some(if spanning {
                    Generation::Spanning
                } else {
                    Generation::Aligned
                })
            }
            StoredBlocks::Palette { .. } => Some(Generation::LevelBlockStates),
            StoredBlocks::Numeric { .. } | StoredBlocks::Wide(_) => Some(Generation::Numeric),
            StoredBlocks::Column { .. } => Some(Generation::Mcregion),
        }
    });

    stored.unwrap_or(match version {
        _ if !in_level => Generation::Root,
        None | Some(..1451) => Generation::Numeric,
        Some(1451..2529) => Generation::Spanning,
        Some(2529..2834) => Generation::Aligned,
        Some(_) => Generation::LevelBlockStates,
    })
}

/// Adds a chunk before 1.2 as eight sections.
fn add_column(body: &ChunkBody<'_>, buffers: &mut ChunkBuffers) -> Result<(), ChunkError> {
    let ids = body.blocks.get()?.unwrap_or_default();
    let data = body.data.get()?;
    if ids.len() != COLUMN_CELLS || data.is_some_and(|data| data.len() != COLUMN_CELLS / 2) {
        return Err(ChunkError::Content(
            "the block array of the chunk has an impossible length",
        ));
    }

    let data = data.unwrap_or_default();
    let light = body.light;
    for y in 0..8 {
        buffers.add(Section {
            y,
            blocks: StoredBlocks::Column { ids, data },
            light,
            ..Section::default()
        });
    }

    Ok(())
}

/// Applies the version to arrays whose length alone does not determine their layout. This has to
/// wait until the whole chunk was read, because the version may follow the sections.
fn settle_packings(buffers: &mut ChunkBuffers, version: Option<i32>) {
    for section in &mut buffers.sections {
        if let StoredBlocks::Palette {
            palette: BlockPalette::Names(names),
            indices,
            packing: Some(packing),
        } = &mut section.blocks
        {
            *packing = Packing::from_lengths(indices.len() / 8, CELLS, names.list.len, 4, version)
                .unwrap_or(*packing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(tag: u8, name: &str, payload: &[u8]) -> Vec<u8> {
        [&[tag, 0, name.len() as u8], name.as_bytes(), payload].concat()
    }

    /// Returns a section filled with one id. Its height is stored as a byte or as a short, before
    /// or after the blocks.
    fn section_of(id: u8, y: i8, is_byte: bool, is_first: bool) -> Vec<u8> {
        let ids = [&4096_u32.to_be_bytes()[..], &[id; 4096]].concat();
        let y = if is_byte {
            named(1, "Y", &[y as u8])
        } else {
            named(2, "Y", &i16::from(y).to_be_bytes())
        };
        let ids = named(7, "Blocks", &ids);
        [if is_first { [y, ids] } else { [ids, y] }.concat(), vec![0]].concat()
    }

    #[test]
    fn a_repeated_section_reads_like_a_single_one() {
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

        let list: Vec<u8> = sections
            .iter()
            .flat_map(|&(id, y, byte, first)| section_of(id, y, byte, first))
            .collect();

        let list = [&[10][..], &(sections.len() as u32).to_be_bytes(), &list].concat();
        let bytes = [
            &[10, 0, 0][..],
            &named(9, "sections", &list),
            &named(3, "xPos", &[0, 0, 0, 5]),
            &[0],
        ]
        .concat();

        let mut buffers = ChunkBuffers::default();
        let (meta, ..) = parse(&bytes, &mut buffers).unwrap();
        assert!(
            meta.warnings.has(Warnings::SECTION_TWICE),
            "the last two at height 1"
        );

        let mut found: Vec<(i16, u8)> = Vec::new();
        for section in &buffers.sections {
            let StoredBlocks::Numeric { ids, .. } = section.blocks else {
                panic!("no blocks: {section:?}")
            };
            let ids = ids.slice(&bytes);
            assert!(ids.len() == 4096 && ids.iter().all(|&id| id == ids[0]));
            found.push((section.y, ids[0]));
        }

        found.sort_unstable();

        let expected = [
            (-2, 7),
            (0, 7),
            (1, 7),
            (3, 8),
            (4, 8),
            (5, 8),
            (6, 7),
            (7, 7),
            (8, 7),
            (44, 7),
        ];
        assert_eq!(found, expected);
    }
}
