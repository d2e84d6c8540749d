//! The steps that every colour of the day map goes through: tint, midtones, coverage.

/// Lightens the midtones: the mean colours of textures are dark for a map. `round(255 * (v / 255) ^ 0.85)`, as a table
/// so that no platform's `powf` decides a pixel.
#[rustfmt::skip]
const MIDTONES: [u8; 256] = [
    0, 2, 4, 6, 7, 9, 11, 12, 13, 15, 16, 18, 19, 20, 22, 23,
    24, 26, 27, 28, 29, 31, 32, 33, 34, 35, 37, 38, 39, 40, 41, 43,
    44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58, 59, 61,
    62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 75, 76, 77, 78,
    79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94,
    95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
    111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126,
    127, 128, 129, 130, 131, 132, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141,
    142, 143, 144, 145, 146, 147, 148, 149, 149, 150, 151, 152, 153, 154, 155, 156,
    157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171,
    172, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 182, 183, 184, 185,
    186, 187, 188, 189, 190, 191, 191, 192, 193, 194, 195, 196, 197, 198, 199, 199,
    200, 201, 202, 203, 204, 205, 206, 207, 207, 208, 209, 210, 211, 212, 213, 214,
    214, 215, 216, 217, 218, 219, 220, 221, 221, 222, 223, 224, 225, 226, 227, 228,
    228, 229, 230, 231, 232, 233, 234, 234, 235, 236, 237, 238, 239, 240, 240, 241,
    242, 243, 244, 245, 246, 246, 247, 248, 249, 250, 251, 252, 252, 253, 254, 255,
];

/// A colour of three channels, red first.
pub(super) type Rgb = [u8; 3];

/// A colour in one number, red in the lowest bits.
pub(super) const fn packed([r, g, b]: Rgb) -> u32 {
    u32::from_le_bytes([r, g, b, 0])
}

/// The colour of a number.
pub(super) const fn unpacked(colour: u32) -> Rgb {
    let [r, g, b, _] = colour.to_le_bytes();
    [r, g, b]
}

/// Each channel through the table of midtones.
pub(super) fn midtones(rgb: Rgb) -> Rgb {
    rgb.map(|channel| MIDTONES[usize::from(channel)])
}

/// A colour times a tint.
pub(super) fn tinted(rgb: Rgb, tint: Rgb) -> Rgb {
    std::array::from_fn(|c| ((u32::from(rgb[c]) * u32::from(tint[c]) + 127) / 255) as u8)
}

/// A colour times `factor` over 256.
pub(super) fn scaled(rgb: Rgb, factor: u32) -> Rgb {
    rgb.map(|channel| ((u32::from(channel) * factor + 128) >> 8).min(255) as u8)
}

/// `share` over `of` parts of `top`, the rest `below`.
pub(super) fn mixed(below: Rgb, top: Rgb, share: u32, of: u32) -> Rgb {
    std::array::from_fn(|c| ((u32::from(below[c]) * (of - share) + u32::from(top[c]) * share + of / 2) / of) as u8)
}

/// The colour at `at` of a scale, which is in order.
pub(super) fn along(scale: &[(i16, Rgb)], at: i16) -> Rgb {
    let above = scale.partition_point(|&(from, _)| from <= at);
    match (above.checked_sub(1).map(|below| scale[below]), scale.get(above)) {
        (Some((from, below)), Some(&(to, above))) => {
            mixed(below, above, (i32::from(at) - i32::from(from)) as u32, (i32::from(to) - i32::from(from)) as u32)
        }
        (Some((_, last)), None) => last,
        (None, first) => first.map_or([0; 3], |&(_, first)| first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grass_of_the_plains_is_lightened_and_greys_stay_grey() {
        assert_eq!(midtones([0x54, 0x6d, 0x33]), [0x63, 0x7c, 0x41]);
        for grey in 0..=255 {
            let [r, g, b] = scaled(midtones(tinted([grey; 3], [200; 3])), 215);
            assert!(r == g && g == b);
        }
        assert_eq!(midtones([0, 255, 0]), [0, 255, 0]);
    }

    #[test]
    fn mixing_none_and_all_gives_the_ends() {
        assert_eq!(mixed([10, 20, 30], [200, 100, 0], 0, 4), [10, 20, 30]);
        assert_eq!(mixed([10, 20, 30], [200, 100, 0], 4, 4), [200, 100, 0]);
        assert_eq!(scaled([255; 3], 276), [255; 3]);
    }
}
