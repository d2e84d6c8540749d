//! Layer `inhabited`: how long players were in each chunk, by its logarithm: dark where nobody ever was, then red, and
//! yellow where somebody lives.

use super::row::Row;
use super::tone::{Rgb, mixed};
use super::version::squares;
use crate::tile::Pixel;

/// Nobody, an hour, and a hundred hours and more.
const NEVER: Rgb = [32, 32, 56];
const AN_HOUR: Rgb = [196, 52, 40];
const AT_HOME: Rgb = [255, 236, 140];
/// Binary orders of magnitude of ticks up to about an hour (2^16 ticks), and from there to a hundred hours.
const TO_AN_HOUR: u32 = 16;
const TO_A_HUNDRED: u32 = 7;

/// Paints the time that players spent.
pub(super) fn draw(row: &Row<'_>, pixels: &mut [Pixel]) {
    squares(row, pixels, |_, saved| Pixel::opaque(colour_of(saved.inhabited_ticks)));
}

/// The colour of so many ticks.
fn colour_of(ticks: u64) -> Rgb {
    let magnitude = u64::BITS - ticks.leading_zeros();
    match magnitude.checked_sub(TO_AN_HOUR) {
        None => mixed(NEVER, AN_HOUR, magnitude, TO_AN_HOUR),
        Some(beyond) => mixed(AN_HOUR, AT_HOME, beyond.min(TO_A_HUNDRED), TO_A_HUNDRED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_the_brighter() {
        assert_eq!([colour_of(0), colour_of(u64::MAX)], [NEVER, AT_HOME]);
        let red = |ticks| colour_of(ticks)[0];
        let times = [0, 20, 1_200, 24_000, 72_000, 500_000, 9_000_000];
        assert!(times.windows(2).all(|pair| red(pair[0]) < red(pair[1])), "{:?}", times.map(colour_of));
    }
}
