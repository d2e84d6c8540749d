//! Relief: a column's lightness by the heights of its neighbours to the north and west.

use super::row::Row;
use crate::coord::{CHUNK_AREA, CHUNK_SIDE};
use crate::surface::NO_HEIGHT;

/// The number of steps of relief.
pub(super) const STEPS: usize = 7;

/// The factors over 256 of the seven steps, the darkest first. That of level ground is below 256, so that slopes
/// towards the light can be lighter than level ground even where that is white.
const FACTORS: [u32; STEPS] = [159, 189, 215, LEVEL, 251, 264, 276];
/// The least rise of each step but the darkest. A rise is the sum over both neighbours, each 3 blocks up or down at
/// most.
const RISES: [i16; 6] = [-3, -1, 0, 1, 2, 4];

/// The factor of level ground, and its step.
pub(super) const LEVEL: u32 = 238;
pub(super) const LEVEL_STEP: u8 = 3;

/// The factor of a step.
pub(super) const fn factor(step: u8) -> u32 {
    FACTORS[step as usize]
}

/// The step of each column of a chunk, `[z][x]`, for its height and those of its northern and western neighbours, in
/// blocks; `north` and `west` are the heights just beyond the chunk. A neighbour without a height counts as level.
pub(super) fn steps(heights: &[i16; CHUNK_AREA], north: &[i16], west: &[i16; CHUNK_SIDE]) -> [u8; CHUNK_AREA] {
    let mut steps = [0; CHUNK_AREA];
    let mut to_north = north;
    for (z, own) in heights.chunks_exact(CHUNK_SIDE).enumerate() {
        let mut to_west = [west[z]; CHUNK_SIDE];
        to_west[1..].copy_from_slice(&own[..CHUNK_SIDE - 1]);
        let steps = &mut steps[z * CHUNK_SIDE..][..CHUNK_SIDE];
        for (((step, &y), &north), &west) in steps.iter_mut().zip(own).zip(to_north).zip(&to_west) {
            *step = step_of(y, north, west);
        }
        to_north = own;
    }
    steps
}

/// The step of one column. Without a branch, so that a row of columns is one vector.
fn step_of(y: i16, north: i16, west: i16) -> u8 {
    let rise = |from: i16| if from == NO_HEIGHT { 0 } else { y.saturating_sub(from).clamp(-3, 3) };
    let rise = rise(north) + rise(west);
    RISES.iter().map(|&least| i16::from(rise >= least)).sum::<i16>() as u8
}

/// The steps of relief of a chunk's columns.
pub(super) struct Relief {
    /// At the ground, or the floor of the water; zeros where a chunk has no water.
    pub(super) ground: [u8; CHUNK_AREA],
    /// At the ground, or the water's surface.
    pub(super) top: [u8; CHUNK_AREA],
}

/// The steps of a chunk's columns at the ground, or the water's surface.
pub(super) fn tops(row: &Row<'_>, chunk: usize) -> [u8; CHUNK_AREA] {
    let (_, west) = row.west(chunk);
    steps(&row.chunks[chunk].top_y, &row.north_top_y[chunk * CHUNK_SIDE..][..CHUNK_SIDE], &west)
}

impl Relief {
    pub(super) fn of(row: &Row<'_>, chunk: usize) -> Self {
        let columns = &row.chunks[chunk];
        let (west_ground_y, west_top_y) = row.west(chunk);
        let north = chunk * CHUNK_SIDE..(chunk + 1) * CHUNK_SIDE;
        let is_wet = columns.depth.iter().fold(0, |any, depth| any | depth) != 0;
        let ground = || steps(&columns.ground_y, &row.north_ground_y[north.clone()], &west_ground_y);
        Self {
            ground: if is_wet { ground() } else { [0; CHUNK_AREA] },
            top: steps(&columns.top_y, &row.north_top_y[north.clone()], &west_top_y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor_of(y: i16, north: i16, west: i16) -> u32 {
        factor(step_of(y, north, west))
    }

    #[test]
    fn a_staircase_gives_the_seven_factors() {
        let factors: Vec<u32> = (-6..=6).map(|step| factor_of(100, 100 - step, 100)).collect();
        assert_eq!(factors, [189, 189, 189, 189, 189, 215, 238, 251, 264, 264, 264, 264, 264]);
        assert_eq!([factor_of(0, 3, 1), factor_of(0, 9, 9)], [159, 159]);
        assert_eq!([factor_of(0, -3, -1), factor_of(0, -9, -9)], [276, 276]);
        assert_eq!([factor_of(i16::MAX, -9, -9), factor_of(-i16::MAX, 9, 9)], [276, 159]);
    }

    #[test]
    fn a_missing_neighbour_is_level_ground() {
        assert_eq!(factor_of(70, NO_HEIGHT, NO_HEIGHT), LEVEL);
        assert_eq!(factor(LEVEL_STEP), LEVEL);
        assert_eq!(factor_of(70, NO_HEIGHT, 69), 251);
    }

    #[test]
    fn each_column_is_compared_with_north_and_west() {
        let heights = std::array::from_fn(|column| (column / CHUNK_SIDE * 5 + column % CHUNK_SIDE) as i16);
        let (north, west) = ([-1; CHUNK_SIDE], [NO_HEIGHT; CHUNK_SIDE]);
        let steps = steps(&heights, &north, &west);
        assert_eq!(factor(steps[0]), factor_of(0, -1, NO_HEIGHT));
        assert_eq!(factor(steps[1]), factor_of(1, -1, 0));
        assert_eq!(factor(steps[CHUNK_SIDE]), factor_of(5, 0, NO_HEIGHT));
        assert_eq!(factor(steps[CHUNK_AREA - 1]), factor_of(90, 85, 89));
    }
}
