//! Finds the heights of the blocks that are seen through. The mod stores only their order, how much
//! light each takes, and the height of the highest.

use std::ops::RangeInclusive;

/// The largest opacity that the mod stores; it may mean more.
pub(super) const MAX_OPACITY: i32 = 15;

/// A stored overlay.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredOverlay {
    pub(super) state: u32,
    pub(super) is_water: bool,
    pub(super) light: u8,
    /// The light that it takes, which is one for each block of water.
    pub(super) opacity: i32,
}

impl StoredOverlay {
    /// Returns the least number of its blocks.
    fn blocks(&self) -> i32 {
        if self.is_water {
            self.opacity.clamp(1, MAX_OPACITY)
        } else {
            1
        }
    }
}

/// Returns the heights of each overlay above the block at `y`, in the order of the overlays, which
/// begins with the highest. `top` is the height of the highest block.
///
/// Water above the block reaches down to it. If other overlays are above the water, it has as many
/// blocks as its opacity, unless the opacity is the largest one, which may mean more.
pub(super) fn place(y: i32, top: i32, overlays: &[StoredOverlay]) -> Vec<RangeInclusive<i16>> {
    let least: i32 = overlays.iter().map(StoredOverlay::blocks).sum();
    let mut next = top.max(y + least);
    let mut placed = Vec::with_capacity(overlays.len());

    for (index, overlay) in overlays.iter().enumerate() {
        let is_lowest = index + 1 == overlays.len();
        let blocks = overlay.blocks();
        let heights = if !(is_lowest && overlay.is_water) {
            next - blocks + 1..=next
        } else if index > 0 && overlay.opacity < MAX_OPACITY {
            y + 1..=y + blocks
        } else {
            y + 1..=next
        };

        next -= blocks;
        placed.push(clamped(*heights.start())..=clamped(*heights.end()));
    }

    placed
}

fn clamped(y: i32) -> i16 {
    y.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlay(is_water: bool, opacity: i32) -> StoredOverlay {
        StoredOverlay {
            state: 0,
            is_water,
            light: 0,
            opacity,
        }
    }

    #[test]
    fn water_reaches_from_its_surface_to_the_floor() {
        let water = |opacity| [overlay(true, opacity)];
        assert_eq!(place(50, 56, &water(6)), [51..=56]);
        assert_eq!(
            place(20, 62, &water(15)),
            [21..=62],
            "deeper than its opacity"
        );
        assert_eq!(
            place(50, 50, &water(3)),
            [51..=53],
            "without a stored height"
        );
        assert_eq!(place(50, 50, &water(0)), [51..=51]);
    }

    #[test]
    fn overlays_are_placed_from_the_top() {
        let under_ice = [overlay(false, 1), overlay(true, 15)];
        assert_eq!(place(20, 62, &under_ice), [62..=62, 21..=61]);
        let under_roof = [overlay(false, 0), overlay(true, 4)];
        assert_eq!(place(50, 80, &under_roof), [80..=80, 51..=54]);
        let over_glass = [overlay(true, 2), overlay(false, 0)];
        assert_eq!(place(50, 53, &over_glass), [52..=53, 51..=51]);
        assert_eq!(place(32_000, 40_000, &under_roof)[0], 32_767..=32_767);
    }
}
