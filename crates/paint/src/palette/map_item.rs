//! Draws blocks in the 62 colours of the game's own maps. Every block has one of them.
//!
//! Only the colours are taken from the game; relief, water depth and the rest of the look are the
//! same as on all our maps. On the game's maps a block either has a colour and hides the block
//! below, or it is invisible.

use crate::palette::table::{Flags, Row};
use crate::palette::tint::{BiomeTints, Tint};

/// The number of water's colour.
const WATER: usize = 12;

/// The colours by number; 0 means no colour. Source: `map_colors.json` of `net.minestom:data`
/// (Apache-2.0).
const COLOURS: [u32; 62] = [
    0x00_0000, 0x7f_b238, 0xf7_e9a3, 0xc7_c7c7, 0xff_0000, 0xa0_a0ff, 0xa7_a7a7, 0x00_7c00,
    0xff_ffff, 0xa4_a8b8, // 0
    0x97_6d4d, 0x70_7070, 0x40_40ff, 0x8f_7748, 0xff_fcf5, 0xd8_7f33, 0xb2_4cd8, 0x66_99d8,
    0xe5_e533, 0x7f_cc19, // 10
    0xf2_7fa5, 0x4c_4c4c, 0x99_9999, 0x4c_7f99, 0x7f_3fb2, 0x33_4cb2, 0x66_4c33, 0x66_7f33,
    0x99_3333, 0x19_1919, // 20
    0xfa_ee4d, 0x5c_dbd5, 0x4a_80ff, 0x00_d93a, 0x81_5631, 0x70_0200, 0xd1_b1a1, 0x9f_5224,
    0x95_576c, 0x70_6c8a, // 30
    0xba_8524, 0x67_7535, 0xa0_4d4e, 0x39_2923, 0x87_6b62, 0x57_5c5c, 0x7a_4958, 0x4c_3e5c,
    0x4c_3223, 0x4c_522a, // 40
    0x8e_3c2e, 0x25_1610, 0xbd_3031, 0x94_3f61, 0x5c_191d, 0x16_7e86, 0x3a_8e8c, 0x56_2c3e,
    0x14_b485, 0x64_6464, // 50
    0xd8_af93, 0x7f_a796, // 60
];

/// Returns the colour with a number, or black if the number is too large.
fn colour(number: usize) -> [u8; 3] {
    let [_, r, g, b] = COLOURS.get(number).copied().unwrap_or(0).to_be_bytes();
    [r, g, b]
}

/// Replaces the colour in a block's row by the colour of the game's maps.
pub(super) fn row(row: Row) -> Row {
    // Thin or flat blocks stay out of the relief although they hide the block below.
    let flat = if row.quarters() < 4 {
        Flags::FLAT
    } else {
        Flags::default()
    };

    let flags = row.flags.with(flat).without(Flags::LEAVES);
    let water = flags.has(Flags::WATER);
    Row {
        // Water gets its colour from the biome's tint alone.
        rgb: if water {
            [255; 3]
        } else {
            colour(usize::from(row.map))
        },
        coverage: if row.map == 0 { 0 } else { 100 },
        tint: if water { Tint::Water } else { Tint::None },
        flags,
        map: row.map,
    }
}

/// Returns a biome's colours on the game's maps. Only the colour of water is replaced, because
/// other blocks are drawn without tints there.
pub(super) fn tints(tints: BiomeTints) -> BiomeTints {
    BiomeTints {
        water: colour(WATER),
        ..tints
    }
}
