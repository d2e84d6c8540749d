//! The lattice that colours are rounded to, so that natural tiles have few enough colours for a
//! palette.
//!
//! A lattice colour has a level of brightness, a strength and a hue. All shades of a colour have
//! exactly its hue, and about its strength, because both come from the colour before it was shaded.
//! Otherwise gentle slopes would have stripes in two hues, which look like different plants. The
//! result depends only on the pixel, so crops and parts of a map agree.

/// The distance between two levels of brightness, in quarters. Brightness is `(R + 2G + B) / 4`. It
/// changes by at most 4: half of this distance, and half a step because channels are whole numbers.
const LEVEL: u32 = 29;

/// The strengths: the difference between the strongest and the weakest channel, in twelfths of the
/// brightness. Strong colours have fewer of them, because people see ratios.
const STRENGTHS: [u32; 13] = [0, 2, 3, 5, 8, 11, 13, 16, 19, 23, 28, 35, 48];
const TWELFTHS: u32 = 12;

/// Rounds a colour to the lattice. Greys stay grey.
pub fn to_lattice(colour: [u8; 3]) -> [u8; 3] {
    shade_to_lattice(colour, colour)
}

/// Rounds a shade of a colour to the lattice. Its brightness is the brightness of `shade`; its
/// strength and its hue are taken from `colour`.
pub fn shade_to_lattice(shade: [u8; 3], colour: [u8; 3]) -> [u8; 3] {
    let channels = colour.map(u32::from);
    let low = channels.into_iter().fold(255, u32::min);
    let high = channels.into_iter().fold(0, u32::max);
    let strength = nearest_strength(high - low, brightness(channels));

    // Pale colours have fewer hues, because their hues are hard to distinguish. Each channel is a
    // number of whole parts above the weakest one, so that all sizes of the parts have one hue.
    let parts = 1 << strength.min(3);
    let above = channels.map(|channel| nearest(parts * (channel - low), (high - low).max(1)));

    let level = nearest(brightness(shade.map(u32::from)), LEVEL) * LEVEL;
    let size = nearest(STRENGTHS[strength] * level, 4 * TWELFTHS * parts);

    // Near black, near white and in very strong colours a channel would not fit. Smaller parts make
    // the colour paler, but keep its hue and its brightness.
    (0..=size)
        .rev()
        .find_map(|size| fitting_colour(above, size, level))
        .unwrap_or_default()
}

/// Returns the colour whose channels are these numbers of parts of a size above a grey, and which
/// has a level of brightness. Returns `None` if a channel does not fit.
fn fitting_colour(above: [u32; 3], size: u32, level: u32) -> Option<[u8; 3]> {
    let above = above.map(|parts| parts * size);
    let grey = nearest(level.checked_sub(brightness(above))?, 4);
    let [r, g, b] = above.map(|above| u8::try_from(grey + above).ok());

    Some([r?, g?, b?])
}

/// Returns four times the brightness of a colour.
const fn brightness([r, g, b]: [u32; 3]) -> u32 {
    r + 2 * g + b
}

/// Returns the index of the strength that is nearest to a ratio of chroma to brightness.
fn nearest_strength(chroma: u32, brightness: u32) -> usize {
    STRENGTHS
        .windows(2)
        .take_while(|pair| 2 * 4 * TWELFTHS * chroma > (pair[0] + pair[1]) * brightness)
        .count()
}

/// Divides, rounded to the nearest; ties go up.
const fn nearest(value: u32, by: u32) -> u32 {
    (2 * value + by) / (2 * by)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shades of a colour, from half of its brightness up to all of it.
    fn shades(colour: [u8; 3]) -> impl Iterator<Item = [u8; 3]> {
        (128..=256).map(move |factor| {
            let shade = colour.map(|channel| ((u32::from(channel) * factor + 128) >> 8) as u8);
            shade_to_lattice(shade, colour)
        })
    }

    /// Colours in all directions, some of them dark or pale.
    fn colours() -> impl Iterator<Item = [u8; 3]> {
        let channels = || (16..=240).step_by(32);
        channels()
            .flat_map(move |r| channels().flat_map(move |g| channels().map(move |b| [r, g, b])))
    }

    /// How far the middle channel is from the weakest towards the strongest one, as two numbers
    /// that form a fraction.
    fn turn(mut rgb: [u8; 3]) -> (i32, i32) {
        rgb.sort_unstable();
        let [low, middle, high] = rgb.map(i32::from);
        (middle - low, high - low)
    }

    #[test]
    fn all_shades_have_one_hue() {
        for colour in colours() {
            let all: Vec<_> = shades(colour).filter(|&rgb| turn(rgb).1 > 12).collect();
            for &rgb in &all {
                let ((t, c), (first_t, first_c)) = (turn(rgb), turn(all[0]));
                assert_eq!(
                    t * first_c,
                    first_t * c,
                    "{colour:?}: {rgb:?} and {:?}",
                    all[0]
                );
            }
        }
    }

    #[test]
    fn brightness_changes_by_at_most_four() {
        for colour in colours() {
            let moved = brightness(to_lattice(colour).map(u32::from))
                .abs_diff(brightness(colour.map(u32::from)));
            assert!(moved <= 4 * 4, "{colour:?}: {moved} quarters");
        }
    }

    #[test]
    fn greys_stay_grey() {
        for grey in 0..=255 {
            let [r, g, b] = to_lattice([grey; 3]);
            assert!(r == g && g == b && r.abs_diff(grey) <= 4, "{grey}");
        }
    }

    #[test]
    fn shades_stay_when_rounded_again() {
        for rgb in colours().flat_map(shades) {
            assert_eq!(to_lattice(rgb), rgb);
        }
    }
}
