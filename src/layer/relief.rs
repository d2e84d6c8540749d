//! Relief: how much lighter or darker a column is for the heights of its neighbours to the north and west.

use crate::surface::NO_HEIGHT;

/// The factor of level ground, over 256: below 256, so that slopes towards the light can be lighter than level ground
/// even where that is white.
pub(super) const LEVEL: u32 = 238;

/// A column's factor over 256 for its height and that of its northern and western neighbours, in blocks. A neighbour
/// without a height counts as level.
pub(super) fn factor(y: i16, north: i16, west: i16) -> u32 {
    let rise = |from: i16| if from == NO_HEIGHT { 0 } else { (i32::from(y) - i32::from(from)).clamp(-3, 3) };
    match rise(north) + rise(west) {
        ..=-4 => 159,
        -3..=-2 => 189,
        -1 => 215,
        0 => LEVEL,
        1 => 251,
        2..=3 => 264,
        4.. => 276,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_gives_exactly_the_seven_factors() {
        let factors: Vec<u32> = (-6..=6).map(|step| factor(100, 100 - step, 100)).collect();
        assert_eq!(factors, [189, 189, 189, 189, 189, 215, 238, 251, 264, 264, 264, 264, 264]);
        assert_eq!([factor(0, 3, 1), factor(0, 9, 9)], [159, 159]);
        assert_eq!([factor(0, -3, -1), factor(0, -9, -9)], [276, 276]);
    }

    #[test]
    fn a_missing_neighbour_is_level_ground() {
        assert_eq!(factor(70, NO_HEIGHT, NO_HEIGHT), LEVEL);
        assert_eq!(factor(70, NO_HEIGHT, 69), 251);
    }
}
