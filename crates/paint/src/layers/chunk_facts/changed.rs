//! Layer `changed`: shows when each chunk changed.
//!
//! If the world stores when a chunk was found changed, the chunk has the colour of that month. The
//! painter only marks all other drawn chunks. The moment at which such a chunk last looked different
//! is found later, when the new tile of another layer is compared with the published one.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::layers::chunk_facts::version::paint_chunks;
use crate::layers::colours::tone::{Rgb, scale_colour};
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use pixelmap_base::time::utc_date;
use pixelmap_tile::Pixel;
use pixelmap_world::names::NameCache;

const DRAWN: Pixel = Pixel::from_rgb([255; 3]);

/// The colours of the months of an even year, from January on. Each is similar to the colours of the
/// months next to it.
const MONTHS: [Rgb; 12] = [
    [92, 120, 240],
    [60, 160, 250],
    [40, 200, 230],
    [40, 220, 160],
    [90, 225, 80],
    [180, 230, 60],
    [245, 225, 60],
    [255, 175, 50],
    [255, 120, 50],
    [245, 75, 80],
    [235, 75, 160],
    [170, 90, 235],
];
/// The brightness of the months of odd years, in 256ths, so that two years differ.
const ODD_YEAR: u32 = 160;

/// A month of a year of our calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Month {
    year: u16,
    /// 0 is January.
    index: u8,
}

impl Month {
    /// Returns the month of a time in seconds since 1970. A time outside of the calendar counts as
    /// its first month.
    fn of_time(seconds: i64) -> Self {
        let [year, month, _] = utc_date(seconds).unwrap_or([1970, 1, 1]);
        Self {
            year: year as u16,
            index: (month - 1) as u8,
        }
    }

    /// Parses a name such as `2026-05`.
    fn parse(name: &str) -> Option<Self> {
        let (year, month) = name.split_once('-')?;
        let month: u8 = month.parse().ok()?;
        if !(1..=12).contains(&month) {
            return None;
        }

        Some(Self {
            year: year.parse().ok()?,
            index: month - 1,
        })
    }

    fn name(self) -> Arc<str> {
        format!("{:04}-{:02}", self.year, self.index + 1).into()
    }

    fn pixel(self) -> Pixel {
        let colour = MONTHS[usize::from(self.index)];
        Pixel::from_rgb(if self.year.is_multiple_of(2) {
            colour
        } else {
            scale_colour(colour, ODD_YEAR)
        })
    }
}

#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// The months that were painted since the last call of `take_names`.
    painted: BTreeSet<Month>,
}

impl LayerRenderer for Changes {
    fn paint(&mut self, row: &ChunkRow<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        paint_chunks(row, pixels, |saved| {
            let Some(time) = saved.found_changed else {
                return DRAWN;
            };

            let month = Month::of_time(time);
            self.painted.insert(month);
            month.pixel()
        });
    }

    fn take_names(&mut self, _: &mut NameCache) -> Vec<Arc<str>> {
        std::mem::take(&mut self.painted)
            .into_iter()
            .map(Month::name)
            .collect()
    }
}

/// Returns the colour of a month, or of the moment of a map. It does not depend on later moments, so
/// that a new moment changes only the chunks that have changed.
pub(crate) fn moment_pixel(name: &str) -> Pixel {
    if let Some(month) = Month::parse(name) {
        return month.pixel();
    }

    // We use FNV-1a because its result is the same on every machine and in every version of the
    // program.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let part = |at: u32| (hash.rotate_right(at * 16) >> 24 & 0xffff) as u32;
    Pixel::from_rgb(std::array::from_fn(|c| (40 + part(c as u32) % 200) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_months_have_their_colours() {
        // 2025-12-31T23:59:59Z and the second after it.
        let months = [1_767_225_599, 1_767_225_600].map(Month::of_time);
        assert_eq!(
            months.map(|month| month.name().to_string()),
            ["2025-12", "2026-01"]
        );

        for month in months {
            assert_eq!(moment_pixel(&month.name()), month.pixel());
        }
        let year_before = Month {
            year: 2025,
            index: 0,
        };
        assert_ne!(year_before.pixel(), months[1].pixel());
    }
}
