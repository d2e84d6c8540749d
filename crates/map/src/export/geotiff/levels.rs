//! Plans the levels of a GeoTIFF: which zoom levels of the map it contains, and the tiles of each.

use std::ops::Range;

use crate::export::error::ExportError;
use crate::export::layer::ExportLayer;
use crate::export::pictures::grid::PictureError;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, RegionPos, TILE_SIDE, TilePos};

/// Levels are added until the outermost one has at most this many tiles along each side. More
/// levels would make the native level larger than necessary, because the area is extended to whole
/// tiles of the outermost level, so that each pixel of a level starts where a pixel of the next
/// level further out does.
const OUTER_SIDE: i32 = 4;
/// The most tiles of the native level, including tiles that the map does not have.
const MOST_TILES: i64 = 1 << 22;

/// The levels of a file.
#[derive(Debug, Clone)]
pub struct GeoTiffPlan {
    /// The levels in order from the native one outward.
    pub(super) levels: Vec<ImageLevel>,
}

/// A zoom level as a rectangle of tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ImageLevel {
    pub(super) zoom: u8,
    pub(super) x: Range<i32>,
    pub(super) y: Range<i32>,
}

impl GeoTiffPlan {
    /// Plans the levels for the regions that meet an area, for the regions that a picture shows by
    /// default, or for all regions. Returns warnings about the regions that are left out.
    ///
    /// # Errors
    /// Fails if there are no regions, or if they are too far from each other.
    pub fn new(
        layer: &ExportLayer<'_>,
        area: Option<Area>,
        is_all: bool,
    ) -> Result<(Self, Vec<String>), ExportError> {
        let (area, warnings) = match area {
            Some(area) => (Some(area), Vec::new()),
            None => layer.usual_area(is_all),
        };

        let regions = layer.regions().map(|(region, _)| region);
        let shown = regions.filter(|&region| area.is_some_and(|area| area.meets(region)));

        let bounds = shown.map(RegionPos::area).reduce(Area::union);
        let bounds = bounds.ok_or(ExportError::Picture(PictureError::Nothing))?;
        let levels = levels(bounds, layer.finished.facts.min_zoom);
        if levels[0].x.len() as i64 * levels[0].y.len() as i64 > MOST_TILES {
            let (width, height) = levels[0].pixels();
            return Err(ExportError::Picture(PictureError::TooWideApart(
                width, height,
            )));
        }

        Ok((Self { levels }, warnings))
    }

    /// Returns the number of levels other than the native one.
    pub fn overviews(&self) -> usize {
        self.levels.len() - 1
    }

    /// Returns the pixels of the native level: from west to east, and from north to south.
    pub fn pixels(&self) -> (u64, u64) {
        self.levels[0].pixels()
    }

    /// Returns the north-western corner in blocks.
    pub(super) fn corner(&self) -> (i64, i64) {
        let ImageLevel { x, y, .. } = &self.levels[0];
        (
            i64::from(x.start) * TILE_SIDE as i64,
            i64::from(y.start) * TILE_SIDE as i64,
        )
    }
}

impl ImageLevel {
    /// Returns the number of its tiles, including tiles that the map does not have.
    pub(super) fn len(&self) -> usize {
        self.x.len() * self.y.len()
    }

    /// Returns its tiles from north to south, each row from west to east.
    pub(super) fn tiles(&self) -> impl Iterator<Item = TilePos> {
        let columns = self.x.clone();
        let zoom = self.zoom;
        self.y
            .clone()
            .flat_map(move |y| columns.clone().map(move |x| TilePos { zoom, x, y }))
    }

    pub(super) fn pixels(&self) -> (u64, u64) {
        (
            (self.x.len() * TILE_SIDE) as u64,
            (self.y.len() * TILE_SIDE) as u64,
        )
    }
}

/// Returns the levels that show `bounds`, which must be whole regions. All levels show the same
/// area, which may be larger than `bounds`.
fn levels(bounds: Area, min_zoom: u8) -> Vec<ImageLevel> {
    let side = TILE_SIDE as i32;
    let sides = [
        bounds.x0 / side..bounds.x1 / side,
        bounds.z0 / side..bounds.z1 / side,
    ];

    let longest = sides
        .iter()
        .map(ExactSizeIterator::len)
        .max()
        .unwrap_or_default() as i32;

    // A file of more than one tile has at least one level further out, because programs expect one.
    let most = NATIVE_ZOOM - min_zoom;
    let outermost = (0..most)
        .find(|&out| longest >> out <= if out == 0 { 1 } else { OUTER_SIDE })
        .unwrap_or(most);
    let outer = |side: &Range<i32>| side.start >> outermost..((side.end - 1) >> outermost) + 1;
    let [x, y] = sides.each_ref().map(outer);

    let mut levels = Vec::new();
    for out in 0..=outermost {
        let times = outermost - out;
        levels.push(ImageLevel {
            zoom: NATIVE_ZOOM - out,
            x: x.start << times..x.end << times,
            y: y.start << times..y.end << times,
        });
    }

    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(x: Range<i32>, y: Range<i32>, min_zoom: u8) -> Vec<(u8, Range<i32>, Range<i32>)> {
        let bounds = Area {
            x0: x.start * 512,
            z0: y.start * 512,
            x1: x.end * 512,
            z1: y.end * 512,
        };
        levels(bounds, min_zoom)
            .into_iter()
            .map(|level| (level.zoom, level.x, level.y))
            .collect()
    }

    #[test]
    fn each_level_shows_the_same_area() {
        assert_eq!(
            sides(7..8, -1..0, 17),
            [(17, 7..8, -1..0)],
            "a single region"
        );
        assert_eq!(
            sides(-3..3, 1..2, 13),
            [(17, -4..4, 0..2), (16, -2..2, 0..1)]
        );

        let far = sides(-50..50, -1..9, 9);
        assert_eq!(
            (far.len(), far[0].clone(), far[5].clone()),
            (6, (17, -64..64, -32..32), (12, -2..2, -1..1))
        );

        assert_eq!(
            sides(-50..50, 0..1, 16).len(),
            2,
            "a map without levels further out has none for the file"
        );
    }
}
