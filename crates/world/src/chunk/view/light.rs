//! Reads stored light, but only if a layer needs it.

use super::chunk::Chunk;
use crate::chunk::cells::{COLUMN_CELLS, nibble};
use crate::chunk::forms::stored::blocks::StoredBlocks;
use crate::chunk::meta::Warnings;
use pixelmap_base::coord::CHUNK_SIDE;

impl Chunk<'_> {
    /// Returns whether the light of the chunk is known. Adds a warning if it is not.
    pub fn stores_light(&mut self) -> bool {
        let is_known = self.buffers.light.is_some_and(|light| light.is_known);
        if !is_known {
            self.meta.warnings.add(Warnings::NO_LIGHT);
        }
        is_known
    }

    /// Returns the block light at a cell, 0 to 15: column `[z][x]` and height in blocks. Returns 0
    /// if it is not stored.
    pub fn block_light(&self, column: usize, y: i32) -> u8 {
        let index = usize::try_from((y >> 4) + 128)
            .ok()
            .and_then(|height| self.buffers.by_height.get(height));
        let Some(&Some(index)) = index else { return 0 };
        let section = &self.buffers.sections[usize::from(index)];
        let light = section.light.slice(self.bytes);
        let x = column % CHUNK_SIDE;
        let z = column / CHUNK_SIDE;

        // Before 1.2 one array with a height of 128 covers the whole chunk. Sections of numeric ids
        // in Bedrock have the same order of cells.
        let is_whole_chunk = light.len() * 2 == COLUMN_CELLS;
        let in_section = (y & 15) as usize;
        let cell = match section.blocks {
            _ if is_whole_chunk => (x * 16 + z) << 7 | y as usize,
            StoredBlocks::Column { .. } => (x * 16 + z) << 4 | in_section,
            _ => in_section << 8 | column,
        };

        nibble(light, cell)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bytes::Form;
    use crate::chunk::ChunkBuffers;
    use crate::chunk::cells::CELLS;
    use crate::names::{Describe, NameCache, Names, NumericNames, Traits};

    struct Stone;

    impl Describe for Stone {
        fn drawn_properties(&self, _: &str) -> Vec<String> {
            Vec::new()
        }

        fn traits(&self, _: &str, _: &str) -> Traits {
            Traits::GROUND
        }

        fn knows_biome(&self, _: &str) -> bool {
            true
        }
    }

    fn named(id: u8, name: &str) -> Vec<u8> {
        [&[id, 0, name.len() as u8], name.as_bytes()].concat()
    }

    fn array(name: &str, len: usize, value: impl Fn(usize) -> u8) -> Vec<u8> {
        let bytes: Vec<u8> = (0..len / 2)
            .map(|at| value(at * 2) | value(at * 2 + 1) << 4)
            .collect();
        [
            named(7, name),
            (bytes.len() as u32).to_be_bytes().to_vec(),
            bytes,
        ]
        .concat()
    }

    /// Returns a chunk with one section at height 2. `section` contains fields of the section, and
    /// `fields` further fields of the chunk.
    fn chunk_of(section: &[u8], fields: &[u8]) -> Vec<u8> {
        let list = [named(9, "sections"), vec![10, 0, 0, 0, 1]].concat();
        [
            &[10, 0, 0][..],
            &list,
            &named(1, "Y"),
            &[2],
            section,
            &[0],
            fields,
            &[0],
        ]
        .concat()
    }

    fn read<R>(bytes: &[u8], buffers: ChunkBuffers, look: impl FnOnce(&mut Chunk<'_>) -> R) -> R {
        let mut name_cache = NameCache::new(Arc::new(Names::new(
            Arc::new(Stone),
            NumericNames::default(),
        )));
        let mut buffers = buffers;
        look(&mut Chunk::parse(bytes, Form::Nbt, &mut buffers, &mut name_cache).unwrap())
    }

    const COLUMN: usize = 5 * 16 + 3;

    #[test]
    fn section_light_has_the_order_of_blocks() {
        let lit = |cell: usize| u8::from(cell == 7 * 256 + COLUMN) * 11;
        let bytes = chunk_of(&array("BlockLight", CELLS, lit), &[]);
        read(&bytes, ChunkBuffers::default().with_light(), |chunk| {
            let around = [
                (COLUMN, 39),
                (COLUMN, 38),
                (COLUMN + 1, 39),
                (COLUMN, 39 + 256),
                (COLUMN, -1),
                (0, 9999),
            ];

            assert_eq!(
                around.map(|(column, y)| chunk.block_light(column, y)),
                [11, 0, 0, 0, 0, 0]
            );
            assert!(chunk.stores_light() && !chunk.meta().warnings.has(Warnings::NO_LIGHT));
        });

        read(&bytes, ChunkBuffers::default(), |chunk| {
            assert_eq!(chunk.block_light(COLUMN, 39), 0, "not asked for");
        });
    }

    #[test]
    fn chunk_light_runs_up_its_columns() {
        let lit = |cell: usize| u8::from(cell == 77 + 128 * (5 + 16 * 3)) * 9;
        let blocks = [
            named(7, "Blocks"),
            (COLUMN_CELLS as u32).to_be_bytes().to_vec(),
            vec![0; COLUMN_CELLS],
        ];

        let level = [blocks.concat(), array("BlockLight", COLUMN_CELLS, lit)].concat();
        let bytes = [&[10, 0, 0][..], &named(10, "Level"), &level, &[0, 0]].concat();
        read(&bytes, ChunkBuffers::default().with_light(), |chunk| {
            let around = [
                (COLUMN, 77),
                (COLUMN, 78),
                (COLUMN - 1, 77),
                (COLUMN, 128),
                (COLUMN, -1),
            ];

            assert_eq!(
                around.map(|(column, y)| chunk.block_light(column, y)),
                [9, 0, 0, 0, 0]
            );
            assert!(chunk.stores_light());
        });
    }

    #[test]
    fn unknown_light_of_a_chunk_is_a_warning() {
        let known = |section: &[u8], fields: &[u8]| {
            read(
                &chunk_of(section, fields),
                ChunkBuffers::default().with_light(),
                |chunk| {
                    (
                        chunk.stores_light(),
                        chunk.meta().warnings.has(Warnings::NO_LIGHT),
                    )
                },
            )
        };

        let flag = |name: &str, value: u8| [named(1, name), vec![value]].concat();
        assert_eq!(known(&[], &[]), (false, true));
        assert_eq!(
            known(&array("SkyLight", CELLS, |_| 15), &[]),
            (true, false),
            "and it is dark"
        );

        assert_eq!(
            known(&array("BlockLight", CELLS - 2, |_| 15), &[]),
            (false, true),
            "of another length"
        );

        assert_eq!(
            [
                known(&[], &flag("isLightOn", 1)).0,
                known(&[], &flag("isLightOn", 0)).0
            ],
            [true, false]
        );
        assert!(known(&[], &flag("starlight.light_version", 9)).0);
    }
}
