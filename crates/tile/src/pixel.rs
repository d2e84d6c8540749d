//! One pixel of a tile.

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

#[cfg(test)]
mod tests {
    use super::*;

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
