//! Layer `inhabited`: paints how long players were in each chunk, on a logarithmic scale: dark for
//! never, then red, and yellow in the places where players live.

use crate::layers::chunk_facts::version::paint_chunks;
use crate::layers::colours::tone::{Rgb, mix_colours};
use crate::layers::legend::Legend;
use crate::layers::row::ChunkRow;
use pixelmap_tile::Pixel;

// The colours of chunks where players never were, were for an hour, and were for a hundred hours or
// more.
const NEVER: Rgb = [32, 32, 56];
const AN_HOUR: Rgb = [196, 52, 40];
const AT_HOME: Rgb = [255, 236, 140];
// The scale counts doublings: 16 of them to 2^16 ticks, which is about an hour, and 7 more to about
// a hundred hours.
const TO_AN_HOUR: u32 = 16;
const TO_A_HUNDRED: u32 = 7;
/// The times in the legend, in ticks of a twentieth of a second.
const TIMES: [(&str, u64); 6] = [
    ("never", 0),
    ("1 minute", 1_200),
    ("10 minutes", 12_000),
    ("1 hour", 72_000),
    ("10 hours", 720_000),
    ("100 hours and more", 7_200_000),
];

pub(crate) fn paint(row: &ChunkRow<'_>, pixels: &mut [Pixel]) {
    paint_chunks(row, pixels, |saved| {
        Pixel::from_rgb(time_colour(saved.inhabited_ticks))
    });
}

/// Returns the colours of some times, the longest time first.
pub(crate) fn legend() -> Vec<Legend> {
    let entries = TIMES
        .iter()
        .rev()
        .map(|&(text, ticks)| (Pixel::from_rgb(time_colour(ticks)), text.to_owned()));
    vec![Legend {
        title: "Time of players in the chunk",
        is_scale: true,
        entries: entries.collect(),
    }]
}

fn time_colour(ticks: u64) -> Rgb {
    let magnitude = u64::BITS - ticks.leading_zeros();
    match magnitude.checked_sub(TO_AN_HOUR) {
        None => mix_colours(NEVER, AN_HOUR, magnitude, TO_AN_HOUR),
        Some(beyond) => mix_colours(AN_HOUR, AT_HOME, beyond.min(TO_A_HUNDRED), TO_A_HUNDRED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_times_are_brighter() {
        assert_eq!([time_colour(0), time_colour(u64::MAX)], [NEVER, AT_HOME]);
        let red = |ticks| time_colour(ticks)[0];
        assert_eq!(TIMES.map(|(_, ticks)| time_colour(ticks))[5], AT_HOME);
        let times = [0, 20, 1_200, 24_000, 72_000, 500_000, 9_000_000];
        assert!(
            times.windows(2).all(|pair| red(pair[0]) < red(pair[1])),
            "{:?}",
            times.map(time_colour)
        );
    }
}
