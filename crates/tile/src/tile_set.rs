//! The tiles of a map at each zoom level.

use std::collections::BTreeSet;

use pixelmap_base::coord::{NATIVE_ZOOM, OUTER_ZOOM, RegionPos, TilePos};

/// The outermost level of a pyramid has at most this many tiles.
const OUTERMOST_TILES: usize = 4;

/// The tiles of all zoom levels that show a set of regions.
#[derive(Debug, Clone)]
pub struct TileSet {
    /// The tiles of each level, from the native one outwards.
    levels: Vec<BTreeSet<TilePos>>,
}

impl TileSet {
    /// Makes the levels from the native one out to the first with at most four tiles.
    pub fn from_regions(regions: impl Iterator<Item = RegionPos>) -> Self {
        let mut levels = vec![
            regions
                .filter(|region| region.is_on_map())
                .map(RegionPos::tile)
                .collect::<BTreeSet<_>>(),
        ];

        let mut zoom = NATIVE_ZOOM;
        while let Some(outermost) = levels.last() {
            if outermost.len() <= OUTERMOST_TILES || zoom == OUTER_ZOOM {
                break;
            }
            let parents = outermost.iter().map(|tile| tile.parent()).collect();
            levels.push(parents);
            zoom -= 1;
        }

        Self { levels }
    }

    /// Makes the levels from the native one out to `min_zoom`.
    pub fn from_native(min_zoom: u8, native: impl Iterator<Item = RegionPos>) -> Self {
        let mut levels = vec![native.map(RegionPos::tile).collect::<BTreeSet<_>>()];
        for _ in min_zoom..NATIVE_ZOOM {
            let parents = levels
                .last()
                .into_iter()
                .flatten()
                .map(|tile| tile.parent())
                .collect();
            levels.push(parents);
        }

        Self { levels }
    }

    /// Keeps only the tiles that show nothing outside `regions`. Levels without tiles are kept.
    pub fn keep_over(&mut self, regions: &BTreeSet<RegionPos>) {
        let mut below = std::mem::take(&mut self.levels[0]);
        self.levels[0] = below
            .iter()
            .filter(|tile| tile.region().is_some_and(|at| regions.contains(&at)))
            .copied()
            .collect();

        for level in 1..self.levels.len() {
            let all = std::mem::take(&mut self.levels[level]);
            let kept = &self.levels[level - 1];
            let whole = all.iter().filter(|tile| {
                (0..4)
                    .map(|quarter| tile.child(quarter))
                    .all(|child| !below.contains(&child) || kept.contains(&child))
            });
            let whole = whole.copied().collect();
            self.levels[level] = whole;
            below = all;
        }
    }

    /// Keeps the native level and the next `outer` levels out.
    pub fn keep_levels(&mut self, outer: usize) {
        self.levels.truncate(1 + outer);
    }

    /// Returns the outermost level.
    pub fn min_zoom(&self) -> u8 {
        NATIVE_ZOOM + 1 - self.levels.len() as u8
    }

    pub fn contains(&self, tile: TilePos) -> bool {
        let level = NATIVE_ZOOM
            .checked_sub(tile.zoom)
            .and_then(|out| self.levels.get(usize::from(out)));
        level.is_some_and(|level| level.contains(&tile))
    }

    /// Returns the tiles of a level, in the manifest's order.
    pub fn level(&self, zoom: u8) -> impl Iterator<Item = TilePos> {
        self.levels
            .get(usize::from(NATIVE_ZOOM - zoom))
            .into_iter()
            .flatten()
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile_set(regions: &[(i32, i32)]) -> TileSet {
        TileSet::from_regions(regions.iter().map(|&(x, z)| RegionPos { x, z }))
    }

    #[test]
    fn the_pyramid_ends_at_four_tiles() {
        assert_eq!(tile_set(&[(0, 0)]).min_zoom(), 17);
        assert_eq!(tile_set(&[(0, 0), (5, 5), (-3, 9), (2, 2)]).min_zoom(), 17);
        assert_eq!(
            tile_set(&[(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)]).min_zoom(),
            16
        );
        let wide = tile_set(&[(-65_536, 0), (65_535, 0), (0, 0), (0, 65_535), (7, -65_536)]);
        assert_eq!(wide.min_zoom(), 1);
        assert_eq!(wide.level(1).count(), 3);
    }

    #[test]
    fn kept_columns_show_nothing_else() {
        let all: Vec<(i32, i32)> = (0..8)
            .flat_map(|x| (0..8).map(move |z| (x, z)))
            .filter(|at| *at != (7, 7))
            .collect();

        let kept = |regions: &[(i32, i32)]| {
            let mut pyramid = tile_set(&all);
            pyramid.keep_over(&regions.iter().map(|&(x, z)| RegionPos { x, z }).collect());
            (pyramid.min_zoom()..=17)
                .rev()
                .map(|zoom| pyramid.level(zoom).count())
                .collect::<Vec<_>>()
        };

        assert_eq!(kept(&all), [63, 16, 4]);
        assert_eq!(kept(&all[1..]), [62, 15, 3], "one region is another's");

        // One level is enough for a tile that contains three regions.
        assert_eq!(kept(&[(6, 6), (7, 6), (6, 7), (0, 0)]), [4, 1, 0]);
        assert_eq!(kept(&[]), [0, 0, 0]);

        let from_below = TileSet::from_native(15, all.iter().map(|&(x, z)| RegionPos { x, z }));
        assert_eq!(
            (15..=17)
                .map(|zoom| from_below.level(zoom).count())
                .collect::<Vec<_>>(),
            [4, 16, 63]
        );
    }

    #[test]
    fn regions_off_the_map_have_no_tile() {
        assert_eq!(tile_set(&[(65_536, 0), (0, 0)]).level(17).count(), 1);
        assert_eq!(tile_set(&[]).level(17).count(), 0);
        assert_eq!(tile_set(&[]).min_zoom(), 17);
    }
}
