//! A chunk in memory.

use std::ops::Range;
use std::sync::Arc;

use super::block::Block;
use super::section::Section;
use super::sign::Sign;
use super::surface::Surface;
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, ChunkPos, ColumnPos};

/// A chunk of 16 by 16 columns, decoded once. It owns its blocks, so it can be kept or sent to
/// another thread. It takes 8 KiB per section of 16 layers, and less if a section has one block.
///
/// Methods for a column or block accept absolute positions and positions within the chunk, because
/// only the lowest four bits of x and z count.
///
/// ```
/// use pixelmap_world::World;
///
/// let world = World::open("../../fixtures/demo")?;
/// let mut region = world.dimension("overworld").unwrap().region(0, 0)?.unwrap();
/// let chunk = region.chunk(2, 1).unwrap().expect("this chunk is stored");
///
/// assert_eq!([chunk.x(), chunk.z()], [2, 1]);
/// let y = chunk.surface(35, 20).unwrap().y;
/// assert!(chunk.heights().contains(&y));
/// assert!(!chunk.block(35, y, 20).is_air());
/// println!("{:?}", chunk.biome(35, y, 20));
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Chunk {
    pub(super) position: ChunkPos,
    pub(super) data_version: Option<i32>,
    pub(super) is_finished: bool,
    /// The highest section first.
    pub(super) sections: Vec<Section>,
    /// The biomes of the columns, `[z][x]`, if they are stored by column. They replace the biomes
    /// of sections.
    pub(super) column_biomes: Option<Box<[u16; CHUNK_AREA]>>,
    /// The names of the biomes. `None`: no biome is stored.
    pub(super) biome_names: Vec<Option<Arc<str>>>,
    pub(super) signs: Vec<Sign>,
    pub(super) air: Block,
}

impl Chunk {
    /// Returns its position in chunks, east of the origin.
    pub fn x(&self) -> i32 {
        self.position.x
    }

    /// Returns its position in chunks, south of the origin.
    pub fn z(&self) -> i32 {
        self.position.z
    }

    /// Returns the `DataVersion` of the game that wrote it. Absent before 15w32a (1.9) and in
    /// Bedrock Edition.
    pub fn data_version(&self) -> Option<i32> {
        self.data_version
    }

    /// Returns whether the game has finished it. Unfinished chunks are at the edge of the explored
    /// land, and lack trees, structures or all blocks.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns the heights between the lowest and the highest stored section, in blocks. Empty if
    /// no blocks are stored.
    pub fn heights(&self) -> Range<i32> {
        match &self.sections[..] {
            [highest, .., lowest] => lowest.bottom..highest.bottom + 16,
            [only] => only.bottom..only.bottom + 16,
            [] => 0..0,
        }
    }

    /// Returns the block at a position in blocks. It is air outside the stored sections, and where
    /// the palette lacks the stored entry.
    pub fn block(&self, x: i32, y: i32, z: i32) -> &Block {
        let cell = (y & 15) as usize * CHUNK_AREA + ColumnPos { x, z }.in_chunk();
        self.section(y)
            .and_then(|section| section.block(cell))
            .unwrap_or(&self.air)
    }

    /// Visits the blocks of all stored sections with their absolute positions `[x, y, z]`: from the
    /// highest section to the lowest and, in each section, from the lowest layer to the highest.
    /// Includes air.
    pub fn blocks(&self) -> impl Iterator<Item = ([i32; 3], &Block)> {
        let ColumnPos { x: west, z: north } = self.position.corner();
        self.sections.iter().flat_map(move |section| {
            (0..CHUNK_AREA * CHUNK_SIDE).map(move |cell| {
                let x = west.wrapping_add((cell % CHUNK_SIDE) as i32);
                let z = north.wrapping_add((cell / CHUNK_SIDE % CHUNK_SIDE) as i32);
                let y = section.bottom + (cell / CHUNK_AREA) as i32;
                ([x, y, z], section.block(cell).unwrap_or(&self.air))
            })
        })
    }

    /// Returns the name of the biome at a position in blocks, with its namespace. Biomes of both
    /// editions have the names of Java Edition. `None` if it is not stored, as before 1.2 and
    /// outside the stored sections. Until 1.14 a column has the same biome at all heights.
    pub fn biome(&self, x: i32, y: i32, z: i32) -> Option<&str> {
        let column = ColumnPos { x, z }.in_chunk();
        let index = if let Some(biomes) = &self.column_biomes {
            biomes[column]
        } else {
            let (x, z) = (column % CHUNK_SIDE, column / CHUNK_SIDE);
            self.section(y)?.biomes.at(x, (y & 15) as usize, z)
        };

        self.biome_names.get(usize::from(index))?.as_deref()
    }

    /// Returns the highest visible block of a column, or `None` if the column is empty. Under the
    /// roof of the nether this is the roof. Stored height maps are not used, because old versions
    /// and editors leave them wrong.
    pub fn surface(&self, x: i32, z: i32) -> Option<Surface<'_>> {
        let column = ColumnPos { x, z }.in_chunk();
        for section in self.sections.iter().filter(|section| !section.is_unseen()) {
            for layer in (0..CHUNK_SIDE).rev() {
                let block = section.block(layer * CHUNK_AREA + column);
                if let Some(block) = block.filter(|block| !block.is_unseen()) {
                    let y = section.bottom + layer as i32;
                    return Some(Surface { y, block });
                }
            }
        }

        None
    }

    /// Returns the signs with text, in the order in which they are stored.
    pub fn signs(&self) -> &[Sign] {
        &self.signs
    }

    /// Returns the section that contains a height.
    fn section(&self, y: i32) -> Option<&Section> {
        let at = self.sections.partition_point(|section| section.bottom > y);
        let section = self.sections.get(at)?;
        (section.bottom >> 4 == y >> 4).then_some(section)
    }
}
