//! Blends the tints of biomes over their borders: a column's tint is the mean over the 9 by 9
//! columns around it. Columns without a biome do not count.

use crate::layers::colours::colour_cache::{CLASSES, ColourCache};
use crate::layers::colours::mix::{self, Mix};
use crate::layers::colours::tone;
use crate::layers::colours::window::{PATCH, Patch, WINDOW, mean};
use crate::layers::row::BiomeRows;
use crate::palette::Tint;
use crate::surface::REACH;
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE};
use pixelmap_world::names::{BiomeId, NameCache};

/// White, the tint of blocks without a tint.
const WHITE: u32 = tone::pack_colour([255; 3]);

/// At the start of a chunk only the first class is known: white, for blocks without a tint.
const NONE_KNOWN: [bool; 1 + CLASSES] = [true, false, false, false, false];

/// The blended tints of one chunk. Each class is computed when it is first used, because most
/// chunks do not use all classes.
#[derive(Debug)]
pub(crate) struct ChunkTints {
    patch: Patch,
    /// The only biome of the patch, if it has only one.
    only: Option<BiomeId>,
    /// The biomes of a patch with several biomes, counted when the first class is computed.
    mix: Mix,
    /// Indexed by [`Tint`]: whether the class is computed.
    known: [bool; 1 + CLASSES],
    /// Indexed by [`Tint`]: the tint of each column, packed. The first entry always stays white.
    blended: [[u32; CHUNK_AREA]; 1 + CLASSES],
}

impl Default for ChunkTints {
    fn default() -> Self {
        Self {
            patch: [[BiomeId::NONE; PATCH]; PATCH],
            only: None,
            mix: Mix::default(),
            known: NONE_KNOWN,
            blended: [[WHITE; CHUNK_AREA]; 1 + CLASSES],
        }
    }
}

impl ChunkTints {
    /// Begins chunk `chunk` of row `row` of the region.
    pub(crate) fn start(&mut self, biomes: &BiomeRows, row: usize, chunk: usize) {
        for (dz, to) in self.patch.iter_mut().enumerate() {
            let z = (row * CHUNK_SIDE + dz) as i32 - REACH as i32;
            to.copy_from_slice(&biomes.row(z)[chunk * CHUNK_SIDE..][..PATCH]);
        }
        let first = self.patch[0][0];
        self.only = mix::is_all(&self.patch, first).then_some(first);
        self.mix.begin_patch();
        self.known = NONE_KNOWN;
    }

    /// Returns the tint of column `[z][x]`, packed.
    pub(crate) fn tint_at(
        &mut self,
        tint: Tint,
        column: usize,
        paints: &mut ColourCache,
        name_cache: &mut NameCache,
    ) -> u32 {
        let number = tint as usize;
        if !self.known[number] {
            self.learn_class(number, paints, name_cache);
        }

        self.blended[number][column]
    }

    /// Computes the tints of the class with this number.
    #[cold]
    fn learn_class(&mut self, number: usize, paints: &mut ColourCache, name_cache: &mut NameCache) {
        self.known[number] = true;

        let blended = &mut self.blended[number];
        let class = number - 1;
        if let Some(only) = self.only {
            let colours = paints.lanes(class, only, name_cache);
            blended.fill(mean(colours[only.index()]));
            return;
        }

        if let Some(biomes) = self.mix.biomes(&self.patch) {
            let last = biomes.iter().copied().max().unwrap_or_default();
            let colours = paints.lanes(class, last, name_cache);
            self.mix.blend(|biome| colours[biome.index()], blended);
            return;
        }

        let last = self
            .patch
            .as_flattened()
            .iter()
            .copied()
            .max()
            .unwrap_or_default();

        let colours = paints.lanes(class, last, name_cache);
        let mut lanes = [[0_u64; PATCH]; PATCH];
        for (to, from) in lanes
            .as_flattened_mut()
            .iter_mut()
            .zip(self.patch.as_flattened())
        {
            *to = colours[from.index()];
        }

        // Different biomes may have the same colour; for water most have.
        let first = lanes
            .as_flattened()
            .iter()
            .copied()
            .find(|&lane| lane != 0)
            .unwrap_or(0);

        if lanes
            .as_flattened()
            .iter()
            .all(|&lane| lane == first || lane == 0)
        {
            blended.fill(mean(first));
        } else {
            sum(&lanes, blended);
        }
    }
}

/// Writes the mean of the window around each column. It adds up lanes, first down the columns, then
/// along the rows. Each step adds one value and drops one, so the cost does not depend on the size
/// of the window.
fn sum(lanes: &[[u64; PATCH]; PATCH], blended: &mut [u32; CHUNK_AREA]) {
    let mut down = [0_u64; PATCH];
    for row in &lanes[..WINDOW - 1] {
        down.iter_mut()
            .zip(row)
            .for_each(|(sum, lane)| *sum += lane);
    }

    for z in 0..CHUNK_SIDE {
        down.iter_mut()
            .zip(&lanes[z + WINDOW - 1])
            .for_each(|(sum, lane)| *sum += lane);

        let mut sum: u64 = down[..WINDOW - 1].iter().sum();
        for x in 0..CHUNK_SIDE {
            sum += down[x + WINDOW - 1];
            blended[z * CHUNK_SIDE + x] = mean(sum);
            sum -= down[x];
        }

        down.iter_mut()
            .zip(&lanes[z])
            .for_each(|(sum, lane)| *sum -= lane);
    }
}
