//! Tests biomes, which are stored by column, or by section from the lowest section on.

use super::*;
use crate::bytes::UNKNOWN_LOWEST;

#[test]
fn biomes_by_column_are_read() {
    let ids: Vec<u8> = (0..256).map(|column| (column % 7 + 40) as u8).collect();
    let with_colours: Vec<u8> = ids.iter().flat_map(|&id| [id, 9, 9, 9]).collect();
    for (tag, ids) in [(45, &ids), (46, &with_colours)] {
        let value = [&[0; 512][..], ids].concat();
        with_chunk(&chunk(true, &[(tag, 0, &value)]), |chunk| {
            let expected: [BiomeId; 256] = std::array::from_fn(|column| {
                chunk.name_cache().bedrock_biome(column as u32 % 7 + 40)
            });
            assert_eq!(chunk.biomes_by_column(), Some(expected));
            assert_eq!(chunk.biome(100, -60), expected[100]);
            assert!(!chunk.has_biomes_by_cell());
        });

        let short = chunk(true, &[(tag, 0, &value[..value.len() - 1])]);
        let warnings = with_chunk(&short, |chunk| chunk.meta().warnings);
        assert!(warnings.has(Warnings::BIOMES));
    }
}

#[test]
fn the_count_decides_about_unknown_heights() {
    let biomes = |sections: usize| {
        let same = vec![0xff; sections - 1];
        [&[0; 512][..], &[1, 21, 0, 0, 0], &same].concat()
    };

    for (lowest, sections, bottom) in [
        (UNKNOWN_LOWEST, 8, 0),
        (UNKNOWN_LOWEST, 16, 0),
        (UNKNOWN_LOWEST, 24, -64),
        (-32, 64, -512),
        (-2, 16, -32),
    ] {
        let bytes = chunk_from(lowest, &[(43, 0, &biomes(sections))]);
        with_chunk(&bytes, |chunk| {
            let jungle = chunk.name_cache().bedrock_biome(21);
            let top = bottom + sections as i32 * 16 - 1;
            assert_eq!([bottom, top].map(|y| chunk.biome(0, y)), [jungle; 2]);
            assert_eq!(
                [bottom - 1, top + 1].map(|y| chunk.biome(0, y)),
                [BiomeId::NONE; 2]
            );
        });
    }
}

#[test]
fn biomes_by_section_begin_at_the_lowest() {
    let indices: [u16; CELLS] = std::array::from_fn(|cell| (cell % 11 % 3) as u16);
    let mixed = [
        &[2 << 1 | 1][..],
        &words(2, &indices),
        &[3, 0, 0, 0],
        &[4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0],
    ]
    .concat();

    let value = [&[0; 512][..], &[1, 21, 0, 0, 0, 0xff], &mixed, &[0xff]].concat();
    for (is_overworld, lowest) in [(true, -64), (false, 0)] {
        let bytes = chunk(is_overworld, &[(43, 0, &value), (45, 0, &[0; 768])]);
        with_chunk(&bytes, |chunk| {
            let biome = |chunk: &mut Chunk<'_>, number| chunk.name_cache().bedrock_biome(number);
            let jungle = biome(chunk, 21);
            assert_eq!(chunk.biome(77, lowest), jungle);
            assert_eq!(chunk.biome(77, lowest + 31), jungle, "as below");
            assert_eq!(chunk.only_biome(lowest..=lowest + 31), Some(jungle));
            assert_eq!(chunk.only_biome(lowest..=lowest + 32), None);

            for (x, y, z) in [(0, 0, 0), (1, 2, 3), (15, 15, 15), (4, 31, 7)] {
                let expected = biome(chunk, u32::from(indices[x << 8 | z << 4 | (y % 16)]) + 4);
                assert_eq!(chunk.biome(z * 16 + x, lowest + 32 + y as i32), expected);
            }

            assert_eq!(chunk.biome(77, lowest + 64), BiomeId::NONE);
            assert_eq!(chunk.biomes_by_column(), None);
            assert!(!chunk.has_biomes_by_cell(), "they are stored by block");
            assert_eq!(chunk.meta().warnings, Warnings::default());
        });
    }

    let cut = chunk(true, &[(43, 0, &value[..value.len() - 2])]);
    with_chunk(&cut, |chunk| {
        assert!(chunk.meta().warnings.has(Warnings::BIOMES));
        assert_ne!(chunk.biome(0, -64), BiomeId::NONE, "those before the fault");
    });
}
