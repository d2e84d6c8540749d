//! Computes relief: the brightness of a column depends on the slope of the land to its north and
//! west.
//!
//! The slope is measured over four columns, so that it is the slope of the land and not of single
//! blocks. It shows gentle hills, does not change when four pixels become one, and does not turn an
//! even slope into a chessboard.

use crate::layers::row::{ChunkRow, HeightPatch};
use crate::surface::{NO_HEIGHT, REACH};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE};

pub(crate) const STEPS: usize = 15;

/// The factors of the steps over 256, the darkest first. The factor of level ground is below 256,
/// so that slopes towards the light can be brighter than level ground even if the ground is white.
const FACTORS: [u32; STEPS] = [
    154, 163, 173, 182, 192, 203, 214, LEVEL, 231, 236, 239, 243, 246, 249, 252,
];

/// The factor of level ground, and its step.
pub(crate) const LEVEL: u32 = 226;
pub(crate) const LEVEL_STEP: u8 = 7;

/// The largest difference between two heights that counts, in blocks. The limit keeps a cliff from
/// hiding the slope along it.
const STEEPEST: i16 = 4;
/// The rise that makes one step.
const RISE: i16 = 2;

pub(crate) const fn factor(step: u8) -> u32 {
    FACTORS[step as usize]
}

/// Returns the step of each column of a chunk, `[z][x]`.
fn steps(heights: &HeightPatch) -> [u8; CHUNK_AREA] {
    let mut steps = [0; CHUNK_AREA];
    for (z, steps) in steps.as_chunks_mut::<CHUNK_SIDE>().0.iter_mut().enumerate() {
        let z = REACH + z;
        for (x, step) in steps.iter_mut().enumerate() {
            let x = REACH + x;
            let column = |away: usize| heights[z - away][x];
            let row = |away: usize| heights[z][x - away];
            let north = [column(0), column(1), column(2), column(3), column(4)];
            let west = [row(0), row(1), row(2), row(3), row(4)];

            *step = step_for(rise(north) + rise(west));
        }
    }

    steps
}

/// Returns the rise to a column along a line. The line begins with the column itself and continues
/// with the columns before it. The rise adds up the heights of the column and of the one before it,
/// compared with the three columns beyond. The code avoids branches, so that a row of columns is
/// one vector.
fn rise(line: [i16; REACH + 1]) -> i16 {
    let [own, before, rest @ ..] = line;
    height_over(own, rest[0]) + height_over(own, rest[1]) + height_over(before, rest[2])
}

/// Returns the height of one column over another one. Missing columns count as level.
#[inline]
fn height_over(y: i16, from: i16) -> i16 {
    if y == NO_HEIGHT || from == NO_HEIGHT {
        0
    } else {
        y.saturating_sub(from).clamp(-STEEPEST, STEEPEST)
    }
}

/// Returns the step for the sum of the rises along both lines.
fn step_for(rise: i16) -> u8 {
    let most = i16::from(LEVEL_STEP);
    ((rise / RISE).clamp(-most, most) + most) as u8
}

/// The steps of relief of a chunk's columns, each an index into the factors.
pub(crate) struct Relief {
    /// Steps at the ground, or at the floor of the water. All zero in a chunk without water,
    /// because they are used only under water.
    pub(crate) ground: [u8; CHUNK_AREA],
    /// Steps at the ground, or at the water's surface.
    pub(crate) top: [u8; CHUNK_AREA],
}

/// Returns the steps of a chunk's columns at the ground, or at the water's surface.
pub(crate) fn tops(row: &ChunkRow<'_>, chunk: usize) -> [u8; CHUNK_AREA] {
    steps(&row.top_heights(chunk))
}

impl Relief {
    pub(crate) fn new(row: &ChunkRow<'_>, chunk: usize) -> Self {
        let is_wet = row.chunks[chunk]
            .depth
            .iter()
            .fold(0, |any, depth| any | depth)
            != 0;

        let ground = if is_wet {
            steps(&row.ground_heights(chunk))
        } else {
            [0; CHUNK_AREA]
        };

        Self {
            ground,
            top: tops(row, chunk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factor of a column 100 blocks high between these heights, the nearest first.
    fn factor_of(north: [i16; REACH], west: [i16; REACH]) -> u32 {
        let line = |[a, b, c, d]: [i16; REACH]| rise([100, a, b, c, d]);
        factor(step_for(line(north) + line(west)))
    }

    const LEVEL_LINE: [i16; REACH] = [100; REACH];

    #[test]
    fn steeper_slopes_are_lighter_and_darker() {
        let slope = |by: i16| [100 - by, 100 - 2 * by, 100 - 3 * by, 100 - 4 * by];
        let factors: Vec<u32> = (-3..=3)
            .map(|by| factor_of(slope(by), LEVEL_LINE))
            .collect();

        assert_eq!(
            factors,
            [
                FACTORS[1],
                FACTORS[1],
                FACTORS[3],
                LEVEL,
                FACTORS[11],
                FACTORS[13],
                FACTORS[13]
            ]
        );

        assert_eq!(
            factor_of(LEVEL_LINE, slope(1)),
            factor_of(slope(1), LEVEL_LINE)
        );
        assert_eq!(factor_of(slope(1), slope(-1)), LEVEL);
        assert!(FACTORS.is_sorted() && FACTORS[usize::from(LEVEL_STEP)] == LEVEL);
    }

    #[test]
    fn an_even_slope_has_one_shade() {
        for (run, step) in [(1, 11), (2, 9), (3, 8)] {
            let height = |at: i16| 100 + at.div_euclid(run);
            let shades =
                (0..run).map(|at| rise(std::array::from_fn(|away| height(at - away as i16))));
            assert!(
                shades.into_iter().all(|rise| step_for(rise) == step),
                "one block in {run}"
            );
        }
    }

    #[test]
    fn a_missing_column_counts_as_level() {
        assert_eq!(factor_of([NO_HEIGHT; REACH], [NO_HEIGHT; REACH]), LEVEL);
        assert_eq!(
            factor_of([99, NO_HEIGHT, NO_HEIGHT, NO_HEIGHT], LEVEL_LINE),
            LEVEL
        );
        assert_eq!(factor_of([NO_HEIGHT, 98, 98, 90], LEVEL_LINE), FACTORS[9]);
        assert_eq!(factor(LEVEL_STEP), LEVEL);
    }

    #[test]
    fn heights_never_overflow() {
        for (own, other) in [(i16::MAX, -i16::MAX), (-i16::MAX, i16::MAX)] {
            let all = 2 * rise([own, own, other, other, other]);
            assert_eq!(all, own.signum() * 6 * STEEPEST);
        }
    }
}
