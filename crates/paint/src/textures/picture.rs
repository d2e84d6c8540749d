//! A block's picture from above, at each of the sizes at which maps draw it.

use twox_hash::XxHash3_64;

/// The pixels along a side of a block at the innermost zoom level.
pub(crate) const SIDE: usize = 16;

/// The number of texels of all sizes together: squares of 2, 4, 8 and 16 texels per side.
const TEXELS: usize = 4 + 16 + 64 + 256;

/// A point of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Texel {
    /// Straight sRGB, before the biome's tint.
    pub(crate) rgb: [u8; 3],
    /// How much of the texel below this one hides, over 255.
    pub(crate) alpha: u8,
    /// How much of the texel gets the biome's tint, over 255.
    pub(crate) tinted: u8,
}

/// A picture at all sizes. It also has its mean colours, because a texel is drawn as a share of the
/// block's colour: divided by the mean and multiplied by the colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The texels of all sizes, the smallest size first.
    texels: [Texel; TEXELS],
    /// The parts of the mean colour that come from untinted texels (`plain`) and from tinted
    /// texels, as channels times 256. Both add up to the mean of the whole picture.
    plain: [u32; 3],
    tinted: [u32; 3],
    /// How much of the block's area is covered, over 255.
    coverage: u8,
}

/// The factors that turn a picture's texels into the pixels of a block, over 2 to the power of 16.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factors {
    plain: [u32; 3],
    tinted: [u32; 3],
}

impl Factors {
    /// Returns the colour of a texel.
    pub(crate) fn colour(&self, texel: Texel) -> [u8; 3] {
        std::array::from_fn(|c| {
            let [plain, tinted] = [self.plain[c], self.tinted[c]].map(u64::from);
            // Most pictures are tinted completely or not at all, so these cases avoid the division.
            let factor = match texel.tinted {
                0 => plain,
                255 => tinted,
                share => (plain * (255 - u64::from(share)) + tinted * u64::from(share)) / 255,
            };
            ((u64::from(texel.rgb[c]) * factor + (1 << 15)) >> 16).min(255) as u8
        })
    }
}

impl Picture {
    /// Makes a picture and its smaller sizes from full-size texels, `[z][x]`. Returns `None` if all
    /// texels are transparent.
    pub(super) fn new(full: &[Texel; SIDE * SIDE]) -> Option<Self> {
        let mut texels = [Texel::default(); TEXELS];
        texels[TEXELS - full.len()..].copy_from_slice(full);

        for level in (1..4).rev() {
            let side = 1 << level;
            for at in 0..side * side {
                let corner = at / side * 4 * side + at % side * 2;
                let finer = start(level + 1) + corner;
                texels[start(level) + at] = mean(
                    [finer, finer + 1, finer + 2 * side, finer + 2 * side + 1]
                        .map(|place| texels[place]),
                );
            }
        }

        let mut sums = [[0_u64; 3]; 2];
        let mut alphas = 0_u64;
        for texel in full {
            let alpha = u64::from(texel.alpha);
            let tinted = u64::from(texel.tinted);
            alphas += alpha;
            for (sums, share) in sums.iter_mut().zip([255 - tinted, tinted]) {
                sums.iter_mut()
                    .zip(texel.rgb)
                    .for_each(|(sum, channel)| *sum += u64::from(channel) * alpha * share);
            }
        }

        if alphas == 0 {
            return None;
        }

        let [plain, tinted] = sums.map(|sums| sums.map(|sum| (sum * 256 / (alphas * 255)) as u32));
        let coverage = (alphas / full.len() as u64) as u8;
        Some(Self {
            texels,
            plain,
            tinted,
            coverage,
        })
    }

    /// Returns the texels of the size with 2 to the power of `level` texels per side, `[z][x]`.
    /// Levels are 1 to 4.
    pub(crate) fn texels(&self, level: u8) -> &[Texel] {
        let level = usize::from(level);
        &self.texels[start(level)..start(level + 1)]
    }

    /// Returns how much of the block's area is covered, over 255.
    pub(crate) const fn coverage(&self) -> u8 {
        self.coverage
    }

    /// Returns the factors that change the mean of the picture to `colour`, if the biome's tint is
    /// `tint`.
    pub(crate) fn factors(&self, colour: [u8; 3], tint: [u8; 3]) -> Factors {
        let plain = std::array::from_fn(|c| {
            let mean = self.plain[c] + self.tinted[c] * u32::from(tint[c]) / 255;
            // If the mean of a channel is zero, all texels have zero in it, so the factor does not
            // matter; it must only not divide by zero.
            ((u64::from(colour[c]) << 24) / u64::from(mean.max(1))).min(u64::from(u32::MAX)) as u32
        });
        let tinted =
            std::array::from_fn(|c| (u64::from(plain[c]) * u64::from(tint[c]) / 255) as u32);
        Factors { plain, tinted }
    }

    pub(super) fn hash(&self) -> u64 {
        let mut bytes = Vec::new();
        for texel in self.texels(4) {
            bytes.extend(texel.rgb);
            bytes.extend([texel.alpha, texel.tinted]);
        }

        XxHash3_64::oneshot(&bytes)
    }

    #[cfg(test)]
    pub(super) fn plain(rgb: [u8; 3]) -> Self {
        Self::new(
            &[Texel {
                rgb,
                alpha: 255,
                tinted: 0,
            }; SIDE * SIDE],
        )
        .unwrap()
    }
}

/// Returns the index of the first texel of a size.
const fn start(level: usize) -> usize {
    ((1 << (2 * level)) - 4) / 3
}

/// Returns the mean of texels, weighted by alpha. Like all means of a map it is computed in plain
/// sRGB, so that a block keeps its colour from zoom level to zoom level.
pub(super) fn mean<const N: usize>(texels: [Texel; N]) -> Texel {
    let mut sums = [0_u32; 3];
    let mut alphas = 0;
    let mut tinted = 0;
    for texel in texels {
        let alpha = u32::from(texel.alpha);
        sums.iter_mut()
            .zip(texel.rgb)
            .for_each(|(sum, channel)| *sum += u32::from(channel) * alpha);
        alphas += alpha;
        tinted += u32::from(texel.tinted) * alpha;
    }

    if alphas == 0 {
        return Texel::default();
    }

    let share = |sum: u32| ((sum + alphas / 2) / alphas) as u8;

    let count = N as u32;
    Texel {
        rgb: sums.map(share),
        alpha: ((alphas + count / 2) / count) as u8,
        tinted: share(tinted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_the_colour_of_the_block() {
        let mut full = [Texel::default(); SIDE * SIDE];
        for (at, texel) in full.iter_mut().enumerate() {
            let light = (at * 37 % 101) as u8;
            *texel = Texel {
                rgb: [light + 20, light + 60, 40],
                alpha: 255,
                tinted: 0,
            };
        }

        let picture = Picture::new(&full).unwrap();
        let factors = picture.factors([60, 90, 30], [255; 3]);
        for level in 1..=4 {
            let texels = picture.texels(level);
            assert_eq!(texels.len(), 1 << (2 * level));

            for (c, wanted) in [60_i32, 90, 30].into_iter().enumerate() {
                let sum: i32 = texels
                    .iter()
                    .map(|&texel| i32::from(factors.colour(texel)[c]))
                    .sum();
                assert!(
                    (sum / texels.len() as i32 - wanted).abs() <= 1,
                    "level {level}, channel {c}"
                );
            }
        }
    }

    #[test]
    fn a_tint_colours_only_tinted_faces() {
        let mut full = [Texel {
            rgb: [200; 3],
            alpha: 255,
            tinted: 0,
        }; SIDE * SIDE];

        full[..128].fill(Texel {
            rgb: [200; 3],
            alpha: 255,
            tinted: 255,
        });
        let picture = Picture::new(&full).unwrap();

        // The colour that the two halves have together.
        let factors = picture.factors([150, 100, 100], [255, 0, 0]);
        let [grey, red] = [full[200], full[0]].map(|texel| factors.colour(texel));
        assert!(
            grey[1].abs_diff(200) <= 1 && grey[2].abs_diff(200) <= 1,
            "{grey:?}"
        );
        assert_eq!((red[0], red[1]), (grey[0], 0));
    }

    #[test]
    fn an_empty_model_has_no_picture() {
        assert_eq!(Picture::new(&[Texel::default(); SIDE * SIDE]), None);
    }
}
