//! Builds the exact palette of a tile: its colours in order of first appearance, found through a
//! small hash table.

use super::pixel::Pixel;

/// Slots of the hash table. The number is a power of two, and the table is at most one eighth full,
/// so that nearly all colours are found in their first slot.
const SLOTS: usize = 2048;
/// The content of an empty slot, which cannot be a colour because transparent pixels are always all
/// zeros.
const EMPTY: u32 = 1;
const MAX_COLOURS: usize = 256;

#[derive(Debug)]
pub(super) struct TilePalette {
    /// Colours with their indices; [`EMPTY`] marks a free slot.
    slots: Box<[(u32, u8); SLOTS]>,
    palette: Vec<Pixel>,
}

impl Default for TilePalette {
    fn default() -> Self {
        Self {
            slots: Box::new([(EMPTY, 0); SLOTS]),
            palette: Vec::with_capacity(MAX_COLOURS),
        }
    }
}

impl TilePalette {
    pub(super) fn clear(&mut self) {
        self.slots.fill((EMPTY, 0));
        self.palette.clear();
    }

    /// Returns the colours in the order of their indices.
    pub(super) fn palette(&self) -> &[Pixel] {
        &self.palette
    }

    /// Returns the index of a colour, and adds the colour if it is new. Returns `None` if the
    /// palette is full.
    #[inline]
    pub(super) fn index(&mut self, pixel: Pixel) -> Option<u8> {
        let slot = (pixel.bits().wrapping_mul(0x9e37_79b1) >> 21) as usize % SLOTS;
        let (colour, index) = self.slots[slot];
        if colour == pixel.bits() {
            Some(index)
        } else {
            self.search(pixel, slot)
        }
    }

    /// Returns the index of a colour that is not in its first slot.
    #[inline(never)]
    fn search(&mut self, pixel: Pixel, mut slot: usize) -> Option<u8> {
        loop {
            match self.slots[slot] {
                (colour, index) if colour == pixel.bits() => return Some(index),
                (EMPTY, _) if self.palette.len() == MAX_COLOURS => return None,
                (EMPTY, _) => {
                    let index = self.palette.len() as u8;
                    self.slots[slot] = (pixel.bits(), index);
                    self.palette.push(pixel);
                    return Some(index);
                }
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_keep_their_index_up_to_256() {
        let mut colours = TilePalette::default();
        for round in 0..2 {
            assert_eq!(colours.index(Pixel::CLEAR), Some(0), "{round}");

            for n in 1..=255 {
                assert_eq!(
                    colours.index(Pixel::from_rgb([n, n / 3, 255 - n])),
                    Some(n),
                    "{round}"
                );
            }

            assert_eq!(colours.index(Pixel::from_rgb([1, 2, 3])), None);
        }

        assert_eq!(colours.palette().len(), 256);
        colours.clear();
        assert_eq!(
            (
                colours.index(Pixel::from_rgb([1, 2, 3])),
                colours.palette().len()
            ),
            (Some(0), 1)
        );
    }
}
