//! Blends tints where a chunk's surroundings have only a few biomes. For each biome it counts the
//! columns in the window around each column; all classes of tints share these counts. Counts fit 8
//! bits and sums of colours 16 bits, so a row of a chunk is one vector, or two.

use crate::layers::colours::window::{PATCH, Patch, WINDOW, mean};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE};
use pixelmap_world::names::BiomeId;

/// The largest number of biomes that are counted. With more biomes, adding up the colours is
/// cheaper.
const MAX_BIOMES: usize = 8;
/// Columns per window.
const WINDOW_AREA: u8 = (WINDOW * WINDOW) as u8;

/// Returns whether all columns of a patch have this biome.
pub(crate) fn is_all(patch: &Patch, biome: BiomeId) -> bool {
    // We avoid an early return, so that the compiler can use vectors.
    patch
        .as_flattened()
        .iter()
        .fold(0, |any, &other| any | difference(biome, other))
        == 0
}

/// Returns zero if two biomes are equal.
const fn difference(one: BiomeId, other: BiomeId) -> u16 {
    one.index() as u16 ^ other.index() as u16
}

/// The few biomes of a patch.
#[derive(Debug)]
pub(crate) struct Mix {
    state: MixState,
    biomes: [BiomeId; MAX_BIOMES],
    /// For each of `biomes`: the number of its columns in the window around each column.
    counts: Box<[[u8; CHUNK_AREA]; MAX_BIOMES]>,
}

#[derive(Debug, Clone, Copy)]
enum MixState {
    Unknown,
    /// Number of biomes.
    Few(usize),
    /// The patch has more biomes than are counted, or it has columns without a biome, which a mean
    /// leaves out.
    Other,
}

impl Default for Mix {
    fn default() -> Self {
        Self {
            state: MixState::Unknown,
            biomes: [BiomeId::NONE; MAX_BIOMES],
            counts: Box::new([[0; CHUNK_AREA]; MAX_BIOMES]),
        }
    }
}

impl Mix {
    pub(crate) fn begin_patch(&mut self) {
        self.state = MixState::Unknown;
    }

    /// Returns the biomes of the patch, which are counted at the first call. Returns `None` if the
    /// patch cannot be blended by counts.
    pub(crate) fn biomes(&mut self, patch: &Patch) -> Option<&[BiomeId]> {
        if let MixState::Unknown = self.state {
            self.state = self.count(patch);
        }
        match self.state {
            MixState::Few(few) => Some(&self.biomes[..few]),
            _ => None,
        }
    }

    fn count(&mut self, patch: &Patch) -> MixState {
        let mut few = 0;
        let mut above = &[BiomeId::NONE; PATCH];
        for row in patch {
            // Since 1.15 biomes change at most every fourth row, so most rows equal the row above
            // and add no biome.
            if row
                .iter()
                .zip(above)
                .fold(0, |any, (&one, &other)| any | difference(one, other))
                == 0
                && few > 0
            {
                continue;
            }

            let mut last = BiomeId::NONE;
            for &biome in row {
                if biome == BiomeId::NONE {
                    return MixState::Other;
                }

                if biome != last && !self.biomes[..few].contains(&biome) {
                    if few == MAX_BIOMES {
                        return MixState::Other;
                    }
                    self.biomes[few] = biome;
                    few += 1;
                }

                last = biome;
            }

            above = row;
        }

        // The last biome has all columns of the window that the other biomes do not have, so we
        // need not count it.
        let (others, rest) = self.counts.split_at_mut(few - 1);
        rest[0] = [WINDOW_AREA; CHUNK_AREA];

        for (counts, &biome) in others.iter_mut().zip(&self.biomes) {
            count(patch, biome, counts);
            rest[0]
                .iter_mut()
                .zip(&*counts)
                .for_each(|(rest, count)| *rest -= count);
        }

        MixState::Few(few)
    }

    /// Writes the mean of the biomes' colours in the window around each column, packed. `lanes`
    /// returns a biome's colour.
    pub(crate) fn blend(&self, lanes: impl Fn(BiomeId) -> u64, blended: &mut [u32; CHUNK_AREA]) {
        let MixState::Few(few) = self.state else {
            return;
        };

        let first = lanes(self.biomes[0]);

        // Different biomes may have the same colour; for water most have.
        if self.biomes[1..few]
            .iter()
            .all(|&biome| lanes(biome) == first)
        {
            blended.fill(mean(first));
            return;
        }

        let mut sums = [[u16::from(WINDOW_AREA) / 2; CHUNK_AREA]; 3];
        for (counts, &biome) in self.counts.iter().zip(&self.biomes[..few]) {
            for (sums, shift) in sums.iter_mut().zip([0, 16, 32]) {
                let channel = (lanes(biome) >> shift) as u16;
                sums.iter_mut()
                    .zip(counts)
                    .for_each(|(sum, &count)| *sum += u16::from(count) * channel);
            }
        }

        let [red, green, blue] = &sums;
        for (to, ((&r, &g), &b)) in blended.iter_mut().zip(red.iter().zip(green).zip(blue)) {
            *to =
                u32::from(quotient(r)) | u32::from(quotient(g)) << 8 | u32::from(quotient(b)) << 16;
        }
    }
}

/// Returns `sum / 81`, exact for every sum of 81 bytes plus the half that rounds it. It is the
/// upper half of a product, which vectors can compute.
const fn quotient(sum: u16) -> u16 {
    const SHIFT: u32 = 6;
    const FACTOR: u32 = (1 << (16 + SHIFT)) / WINDOW_AREA as u32 + 1;
    ((sum as u32 * FACTOR) >> 16) as u16 >> SHIFT
}

/// Counts a biome in the window around each column: first down the columns, then along the rows.
fn count(patch: &Patch, biome: BiomeId, counts: &mut [u8; CHUNK_AREA]) {
    let mut is = [[0_u8; PATCH]; PATCH];
    for (to, from) in is.as_flattened_mut().iter_mut().zip(patch.as_flattened()) {
        *to = u8::from(*from == biome);
    }

    let mut down = [0_u8; PATCH];
    for row in &is[..WINDOW - 1] {
        down.iter_mut().zip(row).for_each(|(sum, is)| *sum += is);
    }

    for (z, counts) in counts
        .as_chunks_mut::<CHUNK_SIDE>()
        .0
        .iter_mut()
        .enumerate()
    {
        down.iter_mut()
            .zip(&is[z + WINDOW - 1])
            .for_each(|(sum, is)| *sum += is);

        // Nine additions for sixteen columns at once are fewer steps than adding and dropping a
        // value for each column.
        *counts = [0; CHUNK_SIDE];

        for dx in 0..WINDOW {
            counts
                .iter_mut()
                .zip(&down[dx..dx + CHUNK_SIDE])
                .for_each(|(sum, is)| *sum += is);
        }

        down.iter_mut().zip(&is[z]).for_each(|(sum, is)| *sum -= is);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_world::names::{Describe, NameCache, Names, NumericNames, Traits};
    use std::sync::Arc;

    #[test]
    fn every_mean_is_the_rounded_quotient() {
        let area = u16::from(WINDOW_AREA);
        for sum in 0..=255 * area {
            assert_eq!(quotient(sum + area / 2), (sum + area / 2) / area);
        }
    }

    struct Nothing;

    impl Describe for Nothing {
        fn drawn_properties(&self, _: &str) -> Vec<String> {
            Vec::new()
        }

        fn traits(&self, _: &str, _: &str) -> Traits {
            Traits::GROUND
        }

        fn knows_biome(&self, _: &str) -> bool {
            true
        }
    }

    /// Returns this many different biomes.
    fn biomes(many: usize) -> Vec<BiomeId> {
        let mut name_cache = NameCache::new(Arc::new(Names::new(
            Arc::new(Nothing),
            NumericNames::default(),
        )));
        (0..many)
            .map(|n| name_cache.biome(format!("mod:{n}").as_bytes()))
            .collect()
    }

    /// Returns a colour as lanes that differs much from the colours of neighbouring biomes.
    fn lanes(biome: BiomeId) -> u64 {
        let n = biome.index() as u64;
        ((n * 97) & 255) | (255 - n * 41 % 256) << 16 | (n % 2 * 255) << 32 | 1 << 48
    }

    #[test]
    fn a_column_has_the_mean_of_its_window() {
        let biomes = biomes(MAX_BIOMES);
        let mut seed = 1_u32;
        let mut pick = |few: usize| {
            seed = seed.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
            biomes[(seed >> 16) as usize % few]
        };

        for few in 2..=MAX_BIOMES {
            let patch = [(); PATCH].map(|()| [(); PATCH].map(|()| pick(few)));
            let mut mix = Mix::default();
            assert_eq!(mix.biomes(&patch).map(<[_]>::len), Some(few));

            let mut blended = [0; CHUNK_AREA];
            mix.blend(lanes, &mut blended);

            for (column, &blended) in blended.iter().enumerate() {
                let (x, z) = (column % CHUNK_SIDE, column / CHUNK_SIDE);
                let rows = patch[z..z + WINDOW]
                    .iter()
                    .flat_map(|row| &row[x..x + WINDOW]);
                assert_eq!(
                    blended,
                    mean(rows.map(|&biome| lanes(biome)).sum()),
                    "{few} {x} {z}"
                );
            }
        }
    }

    #[test]
    fn uncountable_patches_are_refused() {
        let biomes = biomes(MAX_BIOMES + 1);
        let mut patch = [[biomes[0]; PATCH]; PATCH];
        assert!(is_all(&patch, biomes[0]));
        patch[3][3] = BiomeId::NONE;
        assert!(!is_all(&patch, biomes[0]));

        let mut mix = Mix::default();
        assert!(mix.biomes(&patch).is_none(), "a column without a biome");
        patch[3][..=MAX_BIOMES].copy_from_slice(&biomes);
        assert!(
            mix.biomes(&patch).is_none(),
            "not the patch that was counted"
        );

        mix.begin_patch();
        assert!(mix.biomes(&patch).is_none(), "one too many");
        patch[3][MAX_BIOMES] = biomes[0];
        mix.begin_patch();
        assert_eq!(mix.biomes(&patch), Some(&biomes[..MAX_BIOMES]));
    }
}
