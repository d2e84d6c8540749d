//! Biome colours blended over borders: the mean over 9 by 9 columns, of those that have a biome.

use super::paints::Paints;
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
    blended: [Option<Box<[Rgb; CHUNK_AREA]>>; 4],
    known: [bool; 4],
    flat: [Rgb; 4],
}

const fn class(tint: Tint) -> usize {
    match tint {
        Tint::None | Tint::Grass => 0,
        Tint::Foliage => 1,
        Tint::DryFoliage => 2,
        Tint::Water => 3,
    }
}

impl Default for ChunkTints {
    fn default() -> Self {
        Self {
            patch: [[BiomeId::NONE; PATCH]; PATCH],
            only: None,
            blended: std::array::from_fn(|_| Some(Box::new([[0; 3]; CHUNK_AREA]))),
            known: [false; 4],
            flat: [[0; 3]; 4],
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
        let only = self.patch.iter().all(|row| row.iter().all(|&biome| biome == first));
        self.only = only.then_some(first);
        self.known = [false; 4];
    }

    /// The tint of column `[z][x]`.
    pub(super) fn at(&mut self, tint: Tint, column: usize, paints: &mut Paints, book: &mut Book) -> Rgb {
        if tint == Tint::None {
            return [255; 3];
        }
        let class = class(tint);
        if !self.known[class] {
            self.known[class] = true;
            match self.only {
                Some(biome) => self.flat[class] = mean(paints.tint(biome, tint, book)),
                None => self.blend(tint, paints, book),
            }
        }
        match (&self.blended[class], self.only) {
            (Some(blended), None) => blended[column],
            _ => self.flat[class],
        }
    }

    /// Sums by lanes, first down the columns, then along the rows, each step adding one value and dropping one.
    fn blend(&mut self, tint: Tint, paints: &mut Paints, book: &mut Book) {
        let Some(blended) = &mut self.blended[class(tint)] else { return };
        let mut lanes = [[0_u64; PATCH]; PATCH];
        for (to, from) in lanes.iter_mut().zip(&self.patch) {
            for (to, &biome) in to.iter_mut().zip(from) {
                *to = paints.tint(biome, tint, book);
            }
        }
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
