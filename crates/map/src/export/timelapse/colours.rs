//! Chooses the colours of a GIF frame, which can have 256 colours including the transparent one.

use std::cmp::Reverse;
use std::collections::HashMap;

use color_quant::NeuQuant;

/// The most colours of a frame, excluding the transparent one.
const MOST: usize = 255;
/// If a frame has more colours, this number of the most frequent ones is kept unchanged.
const KEPT: usize = 128;
/// The approximate number of colours from which the remaining palette entries are computed.
const SAMPLES: usize = 20_000;

/// The colours of a frame.
pub(super) struct FramePalette {
    /// Red, green and blue of each colour. The transparent colour is last.
    pub(super) rgb: Vec<u8>,
    /// The palette index of each colour of the frame.
    indices: HashMap<[u8; 3], u8>,
}

impl FramePalette {
    /// Chooses the colours for these pixels, and keeps all of them if there is room. The same
    /// pixels always get the same colours.
    pub(super) fn new(pixels: impl Iterator<Item = [u8; 3]>) -> Self {
        let mut counts: HashMap<[u8; 3], u64> = HashMap::new();
        for pixel in pixels {
            *counts.entry(pixel).or_default() += 1;
        }

        let mut colours: Vec<([u8; 3], u64)> = counts.into_iter().collect();
        colours.sort_unstable_by_key(|&(colour, count)| (Reverse(count), colour));

        let colours: Vec<[u8; 3]> = colours.into_iter().map(|(colour, _)| colour).collect();
        let (kept, others) = if colours.len() <= MOST {
            (&colours[..], &[][..])
        } else {
            colours.split_at(KEPT)
        };

        let mut palette = Self {
            rgb: Vec::new(),
            indices: HashMap::new(),
        };

        for (index, &colour) in kept.iter().enumerate() {
            palette.rgb.extend(colour);
            palette.indices.insert(colour, index as u8);
        }

        palette.add_nearest(others);
        palette.rgb.extend([0; 3]);

        palette
    }

    /// Fills the rest of the palette with colours that approximate `colours`.
    fn add_nearest(&mut self, colours: &[[u8; 3]]) {
        if colours.is_empty() {
            return;
        }

        let rgba: Vec<u8> = colours.iter().copied().flat_map(opaque).collect();
        let share = (colours.len() / SAMPLES).clamp(1, 30) as i32;
        let chosen = NeuQuant::new(share, MOST - KEPT, &rgba);
        self.rgb.extend(chosen.color_map_rgb());
        let indices = colours
            .iter()
            .map(|colour| (*colour, (KEPT + chosen.index_of(&opaque(*colour))) as u8));
        self.indices.extend(indices);
    }

    /// Returns the palette index of a colour of the frame, or of the transparent colour for `None`.
    pub(super) fn index(&self, colour: Option<[u8; 3]>) -> u8 {
        let transparent = self.transparent();
        colour.map_or(transparent, |colour| {
            self.indices.get(&colour).copied().unwrap_or(transparent)
        })
    }

    /// Returns the palette index of the transparent colour.
    pub(super) fn transparent(&self) -> u8 {
        (self.rgb.len() / 3 - 1) as u8
    }
}

fn opaque([red, green, blue]: [u8; 3]) -> [u8; 4] {
    [red, green, blue, 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(palette: &FramePalette, colour: [u8; 3]) -> [u8; 3] {
        palette.rgb.as_chunks().0[usize::from(palette.index(Some(colour)))]
    }

    #[test]
    fn as_many_colours_as_fit_stay_unchanged() {
        for count in [1, 2, 255_u32] {
            let colours = || (0..count).map(|n| [n as u8, (n * 7) as u8, 3]);
            let palette = FramePalette::new(colours());
            assert!(
                colours().all(|wanted| colour(&palette, wanted) == wanted),
                "{count}"
            );
            assert_eq!(
                (u32::from(palette.transparent()), palette.index(None)),
                (count, palette.transparent())
            );
        }
    }

    #[test]
    fn frequent_colours_stay_and_rare_ones_move_little() {
        let rare = || {
            (0..4096_u32).map(|n| {
                [
                    (n % 16 * 17) as u8,
                    (n / 16 % 16 * 17) as u8,
                    (n / 256 * 17) as u8,
                ]
            })
        };

        let frequent = || (0..128_u32).map(|n| [n as u8, 200, 201]);
        let palette = FramePalette::new(rare().chain(frequent().flat_map(|colour| [colour; 9])));
        assert_eq!((palette.rgb.len(), palette.transparent()), (256 * 3, 255));
        assert!(frequent().all(|wanted| colour(&palette, wanted) == wanted));

        let distance = |wanted: [u8; 3]| {
            let found = colour(&palette, wanted);
            (0..3)
                .map(|at| u32::from(found[at].abs_diff(wanted[at])))
                .max()
                .unwrap_or(0)
        };

        let farthest = rare().map(distance).max().unwrap();
        assert!(farthest <= 64, "{farthest}");
        assert!(rare().all(|colour| palette.index(Some(colour)) != palette.transparent()));
    }
}
