//! Applies the dyes of beds and banners in Bedrock Edition, which are stored in the block entities
//! of their cells instead of their block states.

use crate::chunk::cells::{Block, CELLS};
use crate::names::{NameCache, Traits};
use crate::nbt::{Error, LittleReader, Span};

/// The most dyes that are read per chunk, which is the number of cells in a section.
const MAX_DYES: usize = CELLS;

/// Numbers of dyes. Banners number the dyes in the opposite order.
const WHITE: i64 = 0;
const BLACK: i64 = 15;

/// The dyes of the blocks of one chunk.
#[derive(Debug, Default)]
pub(crate) struct Dyes {
    /// The block entities, until the first section that needs them reads them.
    unread: Span,
    cells: Vec<DyedCell>,
}

#[derive(Debug, Clone, Copy)]
struct DyedCell {
    /// The height of its section, in sections.
    section: i16,
    /// Its position in the section, `[x][z][y]`.
    cell: u16,
    /// 0 (white) to 15 (black).
    dye: u8,
}

impl Dyes {
    /// Begins a chunk with these consecutive block entities.
    pub(crate) fn start(&mut self, entities: Span) {
        self.unread = entities;
        self.cells.clear();
    }

    /// Gives the dyed blocks in the section at height `y` their dyes: appends the dyed versions to
    /// `blocks`, in which the blocks of the section begin at `start`, and points the cells at them.
    /// Returns whether there were any.
    pub(crate) fn dye(
        &mut self,
        y: i16,
        bytes: &[u8],
        cells: &mut [u16; CELLS],
        start: usize,
        name_cache: &mut NameCache,
        blocks: &mut Vec<Block>,
    ) -> bool {
        if !blocks[start..]
            .iter()
            .any(|block| block.traits.has(Traits::DYED))
        {
            return false;
        }

        let unread = std::mem::take(&mut self.unread).slice(bytes);
        self.cells.extend(
            DyedEntity::read_all(unread)
                .filter_map(|entity| entity.dyed_cell())
                .take(MAX_DYES),
        );

        let end = blocks.len();
        for dyed in self.cells.iter().filter(|dyed| dyed.section == y) {
            let cell = &mut cells[usize::from(dyed.cell)];
            let stored = blocks.get(start + usize::from(*cell));
            let Some(block) = stored.filter(|block| block.traits.has(Traits::DYED)) else {
                continue;
            };

            let id = name_cache.bedrock_dyed(block.id, dyed.dye);
            let index = blocks[end..]
                .iter()
                .position(|block| block.id == id)
                .unwrap_or(blocks.len() - end);

            if end + index == blocks.len() {
                blocks.push(Block {
                    id,
                    traits: name_cache.traits(id),
                });
            }

            *cell = (end - start + index) as u16;
        }

        blocks.len() > end
    }
}

/// A bed or a banner among block entities.
#[derive(Debug, Default)]
pub(crate) struct DyedEntity<'a> {
    id: &'a [u8],
    at: [Option<i64>; 3],
    /// The dye of a bed; white is 0.
    colour: Option<i64>,
    /// The dye of a banner; white is 15.
    base: Option<i64>,
    /// The type of a banner. Type 1 is a raiders' banner, which is white whatever its base.
    banner_type: Option<i64>,
}

impl<'a> DyedEntity<'a> {
    /// Reads block entities until they end or one is malformed.
    pub(crate) fn read_all(entities: &'a [u8]) -> impl Iterator<Item = Self> {
        let mut reader = LittleReader::in_compound(entities);
        std::iter::from_fn(move || Self::read_next(&mut reader).ok().flatten())
    }

    fn read_next(reader: &mut LittleReader<'a>) -> Result<Option<Self>, Error> {
        while let Some((tag, _)) = reader.entry()? {
            if reader.compound(tag)? {
                return Self::read(reader).map(Some);
            }
        }
        Ok(None)
    }

    fn read(reader: &mut LittleReader<'a>) -> Result<Self, Error> {
        let mut entity = Self::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"id" => entity.id = reader.string(tag)?.unwrap_or_default(),
                b"x" => entity.at[0] = reader.int(tag)?,
                b"y" => entity.at[1] = reader.int(tag)?,
                b"z" => entity.at[2] = reader.int(tag)?,
                b"color" => entity.colour = reader.int(tag)?,
                b"Base" => entity.base = reader.int(tag)?,
                b"Type" => entity.banner_type = reader.int(tag)?,
                _ => reader.skip(tag)?,
            }
        }

        Ok(entity)
    }

    pub(crate) fn is_bed(&self) -> bool {
        self.id == b"Bed"
    }

    /// Returns its position in the world, `[x, y, z]`.
    pub(crate) fn position(&self) -> Option<[i32; 3]> {
        let [x, y, z] = self.at.map(|number| i32::try_from(number?).ok());
        Some([x?, y?, z?])
    }

    /// Returns its cell and dye, or `None` if it lacks one of them.
    fn dyed_cell(&self) -> Option<DyedCell> {
        let dye = match self.id {
            _ if self.is_bed() => self.colour?,
            b"Banner" if self.banner_type == Some(1) => WHITE,
            b"Banner" => BLACK.checked_sub(self.base?)?,
            _ => return None,
        };

        let dye = u8::try_from(dye).ok()?;
        let position = self.position()?;
        Some(DyedCell {
            section: i16::try_from(position[1] >> 4).ok()?,
            cell: cell(position) as u16,
            dye,
        })
    }
}

/// Returns the number of the cell at a position in its section, `[x][z][y]`.
pub(crate) const fn cell([x, y, z]: [i32; 3]) -> usize {
    ((x & 15) << 8 | (z & 15) << 4 | y & 15) as usize
}
