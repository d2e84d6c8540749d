//! Makes a heat map of the changes: a picture of cells. The more pixels of a cell differ, the
//! redder it is. The tiles that differ must be known already; only those are opened again to count
//! their pixels.

use std::sync::Mutex;

use image::{Rgba, RgbaImage};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::difference::{Difference, LayerDifference};
use super::maps::{LayerPair, each_row, pairs};
use super::panels::{Cut, encode_png};
use super::picture::{self, PictureFile};
use super::pixels::{PixelTest, Spots};
use super::request::CompareRequest;
use super::side::{Side, Sides};
use super::threads::on_threads;
use super::trouble::Trouble;
use crate::atlas::TilePair;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, TILE_SIDE};
use pixelmap_base::mutex;

/// The maximum number of cells along a side.
const MAX_CELLS: u32 = 1024;

/// The number of changed pixels per cell.
struct Heat {
    /// The area and size of the cells. Each cell is one pixel of a panel.
    cut: Cut,
    counts: Vec<u32>,
}

impl Heat {
    fn new(rect: Area) -> Self {
        let cut = Cut::new(rect, MAX_CELLS);
        Self {
            cut,
            counts: vec![0; cut.width() as usize * cut.height() as usize],
        }
    }

    fn cell(&self, x: i32, z: i32) -> usize {
        let Cut { rect, shrink } = self.cut;
        let column = (i64::from(x) - i64::from(rect.x0)) >> shrink;
        let row = (i64::from(z) - i64::from(rect.z0)) >> shrink;

        row as usize * self.cut.width() as usize + column as usize
    }

    /// Returns the picture: cells without changes are transparent, few changes are yellow and many
    /// are red.
    fn image(&self) -> RgbaImage {
        let all = 1_u64 << (2 * self.cut.shrink);
        RgbaImage::from_fn(self.cut.width(), self.cut.height(), |x, y| {
            let changed = u64::from(self.counts[(y * self.cut.width() + x) as usize]);
            if changed == 0 {
                Rgba([0; 4])
            } else {
                Rgba([255, 255 - (255 * changed / all).min(255) as u8, 0, 255])
            }
        })
    }
}

/// Returns the heat map of the layer with this number as a PNG, which also contains its area and
/// scale.
///
/// # Errors
/// Fails if a tile or picture cannot be read, or if one side is a manifest.
pub fn heatmap(
    Sides { a, b }: Sides<'_>,
    request: &CompareRequest,
    difference: &Difference,
    layer: usize,
) -> Result<Vec<u8>, Trouble> {
    let of = &difference.layers[layer];
    let mut heat = Heat::new(of.rect().unwrap_or(Area {
        x0: 0,
        z0: 0,
        x1: 1,
        z1: 1,
    }));

    let frame = if let (Side::Picture(a), Side::Picture(b)) = (a, b) {
        count_pictures(a, b, request, &mut heat)?;
        b.frame().or_else(|| a.frame())
    } else {
        count_maps(&pairs(a, b, request)?[layer], request, of, &mut heat)?;
        None
    };

    let columns = frame.map_or(heat.cut.rect, |frame| frame.columns(heat.cut.rect));
    let mut texts = vec![("Area", columns.to_string())];
    if frame.is_none() {
        let shrink = heat.cut.shrink;
        texts.push((
            "Scale",
            if shrink == 0 {
                "1".to_owned()
            } else {
                format!("1/{}", 1_u64 << shrink)
            },
        ));
    }

    Ok(encode_png(&heat.image(), &texts))
}

fn count_pictures(
    a: &PictureFile,
    b: &PictureFile,
    request: &CompareRequest,
    heat: &mut Heat,
) -> Result<(), Trouble> {
    let test = PixelTest {
        samples: b.samples,
        tolerance: request.tolerance,
    };
    let mut spots = Spots::default();
    let Some(inside) = picture::compared_pixels(a, b, request) else {
        return Ok(());
    };

    picture::each_row(a, b, &inside, |y, xs, rows| {
        test.row(&mut spots, y, xs, rows, |x| {
            let cell = heat.cell(x as i32, y as i32);
            heat.counts[cell] += 1;
        });
    })
}

fn count_maps(
    layers: &LayerPair<'_>,
    request: &CompareRequest,
    difference: &LayerDifference,
    heat: &mut Heat,
) -> Result<(), Trouble> {
    let test = PixelTest {
        samples: layers.samples(),
        tolerance: request.tolerance,
    };
    let pairs = difference.changed.iter().filter_map(|changed| changed.pair);
    let native: Vec<TilePair> = pairs.filter(|pair| pair.tile.zoom == NATIVE_ZOOM).collect();

    let counts = Mutex::new(std::mem::take(&mut heat.counts));
    let add = |pair: &TilePair| {
        let Some(inside) = request.compared_pixels(pair.tile) else {
            return Ok(());
        };

        let whole = pair.tile.area();
        let mut cells = Vec::with_capacity(TILE_SIDE);
        let mut spots = Spots::default();
        each_row(layers, pair, &inside, |y, xs, rows| {
            test.row(&mut spots, y, xs, rows, |x| {
                cells.push(heat.cell(whole.x0 + x as i32, whole.z0 + y as i32));
            });
            let mut counts = mutex::lock(&counts);
            cells.drain(..).for_each(|cell| counts[cell] += 1);
        })
    };

    on_threads(request.threads, || native.par_iter().try_for_each(add))??;
    heat.counts = mutex::into_inner(counts);

    Ok(())
}
