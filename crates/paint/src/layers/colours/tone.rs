//! The steps that every colour of the day map goes through (tint, midtones and coverage), and
//! helpers for colours.

use pixelmap_tile::{Pixel, shade_to_lattice};

/// Lightens the midtones, because the mean colours of textures are too dark for a map:
/// `round(255 * (1 - (1 - v / 255) ^ 1.75))`. It is a table so that the result does not depend on a
/// platform's `powf`.
#[rustfmt::skip]
const MIDTONES: [u8; 256] = [
    0, 2, 3, 5, 7, 9, 10, 12, 14, 16, 17, 19, 21, 22, 24, 26,
    27, 29, 31, 32, 34, 36, 37, 39, 41, 42, 44, 45, 47, 49, 50, 52,
    53, 55, 56, 58, 60, 61, 63, 64, 66, 67, 69, 70, 72, 73, 75, 76,
    78, 79, 81, 82, 84, 85, 87, 88, 90, 91, 93, 94, 96, 97, 98, 100,
    101, 103, 104, 105, 107, 108, 110, 111, 112, 114, 115, 116, 118, 119, 120, 122,
    123, 124, 126, 127, 128, 130, 131, 132, 133, 135, 136, 137, 138, 140, 141, 142,
    143, 145, 146, 147, 148, 149, 151, 152, 153, 154, 155, 157, 158, 159, 160, 161,
    162, 163, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 176, 177, 178, 179,
    180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195,
    196, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209,
    210, 211, 211, 212, 213, 214, 215, 215, 216, 217, 218, 218, 219, 220, 221, 221,
    222, 223, 224, 224, 225, 226, 226, 227, 228, 228, 229, 230, 230, 231, 232, 232,
    233, 234, 234, 235, 235, 236, 236, 237, 238, 238, 239, 239, 240, 240, 241, 241,
    242, 242, 243, 243, 244, 244, 245, 245, 245, 246, 246, 247, 247, 247, 248, 248,
    249, 249, 249, 250, 250, 250, 251, 251, 251, 251, 252, 252, 252, 253, 253, 253,
    253, 253, 254, 254, 254, 254, 254, 254, 255, 255, 255, 255, 255, 255, 255, 255,
];

/// Three channels, red first.
pub(crate) type Rgb = [u8; 3];

/// A colour as one number, red in the lowest bits.
pub(crate) const fn pack_colour([r, g, b]: Rgb) -> u32 {
    u32::from_le_bytes([r, g, b, 0])
}

pub(crate) const fn unpack_colour(colour: u32) -> Rgb {
    let [r, g, b, _] = colour.to_le_bytes();
    [r, g, b]
}

/// Lightens the strongest channel by the table of midtones. The other channels keep their ratio to
/// it, so that colours do not become paler.
pub(crate) fn midtones(rgb: Rgb) -> Rgb {
    let strongest = rgb.into_iter().fold(1, u8::max);
    let from = u32::from(strongest);
    let to = u32::from(MIDTONES[usize::from(strongest)]);
    rgb.map(|channel| ((u32::from(channel) * to + from / 2) / from) as u8)
}

/// Returns a colour times a tint.
pub(crate) fn tint_colour(rgb: Rgb, tint: Rgb) -> Rgb {
    std::array::from_fn(|c| ((u32::from(rgb[c]) * u32::from(tint[c]) + 127) / 255) as u8)
}

/// Returns a colour times `factor` over 256.
pub(crate) fn scale_colour(rgb: Rgb, factor: u32) -> Rgb {
    rgb.map(|channel| ((u32::from(channel) * factor + 128) >> 8).min(255) as u8)
}

/// Returns the pixel of a shade of a colour. All shades of the colour have the same hue.
pub(crate) fn shaded_pixel(colour: Rgb, shade: Rgb) -> Pixel {
    Pixel::from_rgb(shade_to_lattice(shade, colour))
}

/// Returns a mixture of `share` parts of `top` and `whole - share` parts of `below`.
pub(crate) fn mix_colours(below: Rgb, top: Rgb, share: u32, whole: u32) -> Rgb {
    std::array::from_fn(|c| {
        let sum = u32::from(below[c]) * (whole - share) + u32::from(top[c]) * share;
        ((sum + whole / 2) / whole) as u8
    })
}

/// Returns the colour at a value of a scale, which must be sorted by value.
pub(crate) fn colour_at(scale: &[(i16, Rgb)], at: i16) -> Rgb {
    let above = scale.partition_point(|&(from, _)| from <= at);
    match (
        above.checked_sub(1).map(|below| scale[below]),
        scale.get(above),
    ) {
        (Some((from, below)), Some(&(to, above))) => mix_colours(
            below,
            above,
            (i32::from(at) - i32::from(from)) as u32,
            (i32::from(to) - i32::from(from)) as u32,
        ),
        (Some((_, last)), None) => last,
        (None, first) => first.map_or([0; 3], |&(_, first)| first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plains_grass_is_lightened_and_greys_stay() {
        assert_eq!(midtones([0x54, 0x6d, 0x33]), [123, 159, 74]);
        for grey in 0..=255 {
            let [r, g, b] = scale_colour(midtones(tint_colour([grey; 3], [200; 3])), 215);
            assert!(r == g && g == b);
        }
        assert_eq!(midtones([0, 255, 0]), [0, 255, 0]);
    }

    #[test]
    fn mixing_shares_0_and_1_give_the_ends() {
        assert_eq!(mix_colours([10, 20, 30], [200, 100, 0], 0, 4), [10, 20, 30]);
        assert_eq!(
            mix_colours([10, 20, 30], [200, 100, 0], 4, 4),
            [200, 100, 0]
        );
        assert_eq!(scale_colour([255; 3], 276), [255; 3]);
    }
}
