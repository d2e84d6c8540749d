//! One pixel, and the lattice that colours are rounded to.

/// RGBA with 8 bits per channel, sRGB, not premultiplied. A transparent pixel is all zeros.
///
/// On tiles of [numbers](super::Samples::Numbers) a pixel is a number of 16 bits instead, and 0 is
/// transparent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Pixel(u32);

impl Pixel {
    pub const CLEAR: Self = Self(0);

    /// Makes a pixel from four channels, red first. Alpha 0 makes it [`Pixel::CLEAR`].
    pub const fn new(rgba: [u8; 4]) -> Self {
        if rgba[3] == 0 {
            Self::CLEAR
        } else {
            Self(u32::from_le_bytes(rgba))
        }
    }

    pub const fn from_rgb(rgb: [u8; 3]) -> Self {
        Self(u32::from_le_bytes([rgb[0], rgb[1], rgb[2], 255]))
    }

    /// Makes the pixel of a number. 0 makes it [`Pixel::CLEAR`].
    pub const fn from_number(number: u16) -> Self {
        let [low, high] = number.to_le_bytes();
        if number == 0 {
            Self::CLEAR
        } else {
            Self(u32::from_le_bytes([low, high, 0, 255]))
        }
    }

    /// Returns the number from which the pixel was made.
    pub const fn number(self) -> u16 {
        self.0 as u16
    }

    /// Returns the four channels, red first.
    pub const fn rgba(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Returns whether the pixel hides everything below it.
    pub const fn is_opaque(self) -> bool {
        self.0 >> 24 == 255
    }

    /// Makes a pixel from the number that [`Pixel::bits`] returned.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns all four channels as one number, for hashing and counting; 0 is transparent.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// Rounds a colour to a lattice of lightness in steps of 8 and two colour axes in steps of 16, so
/// that natural tiles have few enough colours for a palette. The result depends only on the pixel,
/// so crops and parts of a map agree. Greys stay grey, and no channel changes by more than 11.
#[inline]
pub fn to_lattice([r, g, b]: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = [r, g, b].map(i32::from);
    let lightness = nearest(r + 2 * g + b, 2 + 3) * 8;
    let orange = nearest(r - b, 4) * 16;
    let green = nearest(2 * g - r - b, 1 + 4) * 16;

    // With Y = (R+2G+B)/4, Co = R-B and Cg = G-(R+B)/2: G = Y + Cg/2, and R + B = 2Y - Cg.
    let channel = |value: i32| value.clamp(0, 255) as u8;

    let red = lightness + (orange - green) / 2;
    [
        channel(red),
        channel(lightness + green / 2),
        channel(red - orange),
    ]
}

/// Divides `value` by two to the power of `bits`, rounded; ties go away from zero. It has no branch
/// and no division, so that vector instructions can round many colours at once.
const fn nearest(value: i32, bits: u32) -> i32 {
    // Adds half a step, or one less to a negative value, so that a negative tie is rounded down and
    // not up.
    (value + (1 << (bits - 1)) + (value >> 31)) >> bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_away_from_zero() {
        for (value, rounded) in [
            (7, 0),
            (8, 1),
            (24, 2),
            (-7, 0),
            (-8, -1),
            (-9, -1),
            (-23, -1),
            (-24, -2),
            (-40, -3),
        ] {
            assert_eq!(nearest(value, 4), rounded, "{value}");
        }
    }

    #[test]
    fn greys_stay_grey_and_no_channel_moves_far() {
        for grey in 0..=255 {
            let [r, g, b] = to_lattice([grey; 3]);
            assert!(r == g && g == b, "{grey}");
        }

        let mut farthest = 0;
        for r in (0..=255).step_by(3) {
            for g in (0..=255).step_by(3) {
                for b in (0..=255).step_by(3) {
                    let rounded = to_lattice([r, g, b]);
                    let moved = [
                        r.abs_diff(rounded[0]),
                        g.abs_diff(rounded[1]),
                        b.abs_diff(rounded[2]),
                    ];
                    farthest = farthest.max(*moved.iter().max().unwrap());
                }
            }
        }

        assert!(farthest <= 12, "{farthest}");
    }

    #[test]
    fn lattice_colours_stay_unchanged() {
        let stays = |rgb| to_lattice(rgb) == rgb;
        assert!(stays([248, 248, 248]) && stays([0, 0, 0]) && stays(to_lattice([99, 124, 65])));
    }

    #[test]
    fn a_pixel_without_alpha_is_clear() {
        assert_eq!(Pixel::new([1, 2, 3, 0]), Pixel::CLEAR);
        assert_eq!(Pixel::from_rgb([1, 2, 3]).rgba(), [1, 2, 3, 255]);
    }

    #[test]
    fn numbers_read_back_and_only_zero_is_clear() {
        assert!((0..=u16::MAX).all(|number| Pixel::from_number(number).number() == number));
        assert!(
            (0..=u16::MAX)
                .all(|number| (Pixel::from_number(number) == Pixel::CLEAR) == (number == 0))
        );
    }
}
