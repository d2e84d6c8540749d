//! Biome colours blended over borders: the mean over 9 by 9 columns, of those that have a biome.

use super::paints::{CLASSES, Paints, class};
use super::row::BiomeRows;
use super::tone::Rgb;
use crate::block::{BiomeId, Book};
use crate::coord::{CHUNK_AREA, CHUNK_SIDE};
use crate::palette::Tint;
use crate::surface::REACH;

/// Columns along one side of what a chunk's tints are made of.
const PATCH: usize = CHUNK_SIDE + 2 * REACH;
/// Columns along one side of what one column's tint is made of.
const WINDOW: usize = 2 * REACH + 1;

/// The blended tints of one chunk, worked out as they are asked for.
#[derive(Debug)]
pub(super) struct ChunkTints {
    patch: [[BiomeId; PATCH]; PATCH],
    /// The only biome of the patch.
    only: Option<BiomeId>,
    last: BiomeId,
    /// Which classes are worked out, and their one colour where they have one.
    known: [bool; CLASSES],
    flat: [Option<Rgb>; CLASSES],
    blended: Box<[[Rgb; CHUNK_AREA]; CLASSES]>,
}

impl Default for ChunkTints {
    fn default() -> Self {
        Self {
            patch: [[BiomeId::NONE; PATCH]; PATCH],
            only: None,
            last: BiomeId::NONE,
            known: [false; CLASSES],
            flat: [None; CLASSES],
            blended: Box::new([[[0; 3]; CHUNK_AREA]; CLASSES]),
        }
    }
}

impl ChunkTints {
    /// Starts with chunk `chunk` of row `row` of the region.
    pub(super) fn start(&mut self, biomes: &BiomeRows, row: usize, chunk: usize) {
        for (dz, to) in self.patch.iter_mut().enumerate() {
            let z = (row * CHUNK_SIDE + dz) as i32 - REACH as i32;
            to.copy_from_slice(&biomes.row(z)[chunk * CHUNK_SIDE..][..PATCH]);
        }
        let first = self.patch[PATCH / 2][PATCH / 2];
        let only = self.patch.as_flattened().iter().all(|&biome| biome == first);
        self.only = only.then_some(first);
        self.last = if only { first } else { self.patch.as_flattened().iter().copied().max().unwrap_or(first) };
        self.known = [false; CLASSES];
    }

    /// Whether a tint that was asked for is the same for all columns.
    pub(super) fn is_level(&self, tint: Tint) -> bool {
        class(tint).is_none_or(|class| self.flat[class].is_some())
    }

    /// The tint of column `[z][x]`.
    pub(super) fn at(&mut self, tint: Tint, column: usize, paints: &mut Paints, book: &mut Book) -> Rgb {
        let Some(class) = class(tint) else { return [255; 3] };
        if !self.known[class] {
            self.known[class] = true;
            self.flat[class] = self.blend(class, paints.lanes(class, self.last, book));
        }
        self.flat[class].unwrap_or_else(|| self.blended[class][column])
    }

    /// Works out a class of tints: the one colour that all columns have, or each column's own in `blended`.
    fn blend(&mut self, class: usize, colours: &[u64]) -> Option<Rgb> {
        if let Some(only) = self.only {
            return Some(mean(colours[only.index()]));
        }
        let mut lanes = [[0_u64; PATCH]; PATCH];
        for (to, from) in lanes.as_flattened_mut().iter_mut().zip(self.patch.as_flattened()) {
            *to = colours[from.index()];
        }
        // Biomes may differ and have one colour, as most have for water.
        let first = lanes.as_flattened().iter().copied().find(|&lane| lane != 0)?;
        if lanes.as_flattened().iter().all(|&lane| lane == first || lane == 0) {
            return Some(mean(first));
        }
        sum(&lanes, &mut self.blended[class]);
        None
    }
}

/// The mean of the window around each column. Sums by lanes, first down the columns, then along the rows, each step
/// adding one value and dropping one.
fn sum(lanes: &[[u64; PATCH]; PATCH], blended: &mut [Rgb; CHUNK_AREA]) {
    let mut down = [0_u64; PATCH];
    for row in &lanes[..WINDOW - 1] {
        down.iter_mut().zip(row).for_each(|(sum, lane)| *sum += lane);
    }
    for z in 0..CHUNK_SIDE {
        down.iter_mut().zip(&lanes[z + WINDOW - 1]).for_each(|(sum, lane)| *sum += lane);
        let mut sum: u64 = down[..WINDOW - 1].iter().sum();
        for x in 0..CHUNK_SIDE {
            sum += down[x + WINDOW - 1];
            blended[z * CHUNK_SIDE + x] = mean(sum);
            sum -= down[x];
        }
        down.iter_mut().zip(&lanes[z]).for_each(|(sum, lane)| *sum -= lane);
    }
}

/// The mean of summed lanes; black where nothing was summed, which no column with a biome sees.
fn mean(lanes: u64) -> Rgb {
    let count = (lanes >> 48) as u32;
    let channel = |shift: u32| ((lanes >> shift & 0xffff) as u32 + count / 2).checked_div(count).unwrap_or(0) as u8;
    [channel(0), channel(16), channel(32)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_do_not_run_over() {
        let white = 255 | 255 << 16 | 255 << 32 | 1 << 48;
        assert_eq!(mean(white * 81), [255; 3]);
        assert_eq!(mean(0), [0; 3]);
    }
}
