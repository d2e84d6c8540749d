//! Compares two maps, or a saved manifest and a map: the tiles that differ, and their pixels.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator};
use twox_hash::XxHash3_64;

use super::joined::{Pair, joined};
use super::pixels::{PixelTest, Spots};
use super::side::{saved_manifest, whole};
use super::{Change, Changed, LayerDifference, Request, Side, TileCounts, Trouble, numbers};
use crate::coord::{Area, NATIVE_ZOOM, OUTER_ZOOM, TILE_SIDE, TilePos};
use crate::publish::{Facts, LayerFacts, Manifest, MapFolder, Scheme, TileRecord};
use crate::tile::{Canvas, Pixel, Samples};

/// One layer of one dimension of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct MapLayer<'a> {
    pub(super) map: &'a MapFolder,
    pub(super) dimension: &'a Facts,
    pub(super) facts: &'a LayerFacts,
}

/// The other side of a comparison of a layer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before<'a> {
    Layer(MapLayer<'a>),
    /// A saved manifest: it tells which tiles differ, and not where.
    Manifest(&'a Path, Scheme),
}

impl<'a> MapLayer<'a> {
    /// The layers of a map that the request names.
    pub(super) fn asked(map: &'a MapFolder, request: &Request) -> Vec<Self> {
        let is_asked = |names: &[String], id: &String| names.is_empty() || names.contains(id);
        let all = map.layers().map(|(dimension, facts)| Self { map, dimension, facts });
        let asked = all.filter(|layer| {
            is_asked(&request.dimensions, &layer.dimension.id) && is_asked(&request.layers, &layer.facts.id)
        });
        asked.collect()
    }

    fn is(&self, other: &MapLayer<'_>) -> bool {
        (&self.dimension.id, &self.facts.id) == (&other.dimension.id, &other.facts.id)
    }

    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.dimension.id, self.facts.id)
    }

    pub(super) fn samples(&self) -> Samples {
        if self.facts.numbers.is_some() { Samples::Numbers } else { Samples::Colours }
    }

    pub(super) fn manifest(&self) -> Result<Manifest, Trouble> {
        whole(&self.map.root().join(MapFolder::manifest_path(self.facts)), self.map.manifest(self.facts)?)
    }

    /// The pixels of a tile in the manifest.
    pub(super) fn canvas(&self, tile: TilePos, record: TileRecord) -> Result<Canvas, Trouble> {
        let bytes = tile_bytes(self, tile, &record)?;
        let path = || self.map.root().join(self.map.tile_path(self.facts, tile));
        let canvas = self.samples().decode(&bytes).map_err(|error| Trouble::NotATile(path(), error))?;
        // The manifest itself may be wrong.
        if self.samples().hash(&canvas) == record.pixels { Ok(canvas) } else { Err(Trouble::Changed(path())) }
    }
}

/// The file of a tile, if it is the one that the manifest names.
pub(super) fn tile_bytes(layer: &MapLayer<'_>, tile: TilePos, record: &TileRecord) -> Result<Vec<u8>, Trouble> {
    let relative = layer.map.tile_path(layer.facts, tile);
    let path = || layer.map.root().join(&relative);
    let bytes = layer.map.read_of(&relative, u64::from(record.bytes))?.ok_or_else(|| Trouble::Missing(path()))?;
    let is_named = bytes.len() as u64 == u64::from(record.bytes) && XxHash3_64::oneshot(&bytes) == record.file;
    if is_named { Ok(bytes) } else { Err(Trouble::Changed(path())) }
}

impl Before<'_> {
    pub(super) fn manifest(&self) -> Result<Manifest, Trouble> {
        match self {
            Self::Layer(layer) => layer.manifest(),
            Self::Manifest(path, scheme) => saved_manifest(path, *scheme),
        }
    }
}

/// Fails where a requested name is in no map: a typing error must not make maps the same.
fn check_names(request: &Request, maps: &[&MapFolder]) -> Result<(), Trouble> {
    let layers = || maps.iter().flat_map(|map| map.layers());
    let unknown = |names: &[String], is: &dyn Fn(&Facts, &LayerFacts, &str) -> bool| {
        names.iter().find(|name| !layers().any(|(dimension, layer)| is(dimension, layer, name))).cloned()
    };
    let dimension = unknown(&request.dimensions, &|dimension, _, name| dimension.id == name);
    match dimension.or_else(|| unknown(&request.layers, &|_, layer, name| layer.id == name)) {
        Some(name) => Err(Trouble::NotShown(name)),
        None => Ok(()),
    }
}

/// The layers to compare, each with its other side.
pub(super) fn pairs<'a>(
    a: &'a Side,
    b: &'a MapFolder,
    request: &Request,
) -> Result<Vec<(Before<'a>, MapLayer<'a>)>, Trouble> {
    let after = MapLayer::asked(b, request);
    match a {
        Side::Picture(_) => Err(Trouble::Unlike("a picture", "a map")),
        Side::Manifest(path) => match after[..] {
            [only] if request.tolerance == 0 && !request.count_drawn => {
                Ok(vec![(Before::Manifest(path, only.facts.scheme), only)])
            }
            [_] => Err(Trouble::NeedsPixels(path.clone())),
            [] => Err(Trouble::Nothing),
            _ => Err(Trouble::WhichLayer(path.clone(), after.iter().map(MapLayer::name).collect())),
        },
        Side::Map(a) => {
            check_names(request, &[a, b])?;
            if a.content() != b.content() {
                return Err(Trouble::Differ("contents", a.content().to_string(), b.content().to_string()));
            }
            let before = MapLayer::asked(a, request);
            if before.is_empty() && after.is_empty() {
                return Err(Trouble::Nothing);
            }
            if let Some(alone) = before.iter().find(|layer| !after.iter().any(|other| other.is(layer))) {
                return Err(Trouble::OnlyInOne(alone.name(), a.root().to_owned()));
            }
            let pair = |after: &MapLayer<'a>| {
                let before = before.iter().find(|layer| layer.is(after));
                let before = before.ok_or_else(|| Trouble::OnlyInOne(after.name(), b.root().to_owned()))?;
                if before.samples() != after.samples() {
                    let says = |layer: &MapLayer<'_>| format!("{:?}", layer.samples()).to_lowercase();
                    return Err(Trouble::Differ("kinds of pixels", says(before), says(after)));
                }
                if before.facts.scheme != after.facts.scheme {
                    let says = |layer: &MapLayer<'_>| layer.facts.scheme.name().to_owned();
                    return Err(Trouble::Differ("schemes", says(before), says(after)));
                }
                Ok((Before::Layer(*before), *after))
            };
            after.iter().map(pair).collect()
        }
    }
}

/// Finds the differences of a layer.
pub(super) fn differences(
    before: &Before<'_>,
    after: &MapLayer<'_>,
    request: &Request,
) -> Result<LayerDifference, Trouble> {
    let (a, b) = (before.manifest()?, after.manifest()?);
    let first_zoom = |of: &Manifest| of.tiles.keys().next().map_or(NATIVE_ZOOM, |tile| tile.zoom);
    let outermost_of_both = first_zoom(&a).max(first_zoom(&b));
    let test = PixelTest { samples: after.samples(), tolerance: request.tolerance, count_drawn: request.count_drawn };
    let tiles = Tiles { before, after, test, area: request.area };
    let (native, outer): (Vec<Pair>, Vec<Pair>) = joined(&a, &b).partition(|pair| pair.tile.zoom == NATIVE_ZOOM);
    let differing = native.iter().filter(|pair| !pair.same_pixels());
    let explained: BTreeSet<TilePos> = differing.flat_map(|pair| above(pair.tile)).collect();
    let inside = native.iter().filter(|pair| tiles.inside(pair.tile).is_some()).count() as u64;
    let native = native.into_par_iter().filter(|pair| request.count_drawn || !pair.same_pixels());
    let (mut changed, drawn) = tiles.look_at(native)?;
    let counts = counts(&changed, inside);
    // Tiles further out that differ although nothing below them does.
    let unexplained = outer
        .into_par_iter()
        .filter(|pair| !pair.same_pixels() && pair.tile.zoom >= outermost_of_both && !explained.contains(&pair.tile));
    changed.extend(tiles.look_at(unexplained)?.0);
    changed.sort_unstable_by_key(|changed| changed.tile);
    let is_known = matches!(before, Before::Layer(_));
    let bounds = changed.iter().map(|changed| changed.rect).reduce(Area::union);
    Ok(LayerDifference {
        dimension: Some(after.dimension.id.clone()),
        layer: Some(after.facts.id.clone()),
        tiles: counts,
        pixels_changed: is_known.then(|| changed.iter().filter_map(|changed| changed.pixels).sum()),
        pixels_drawn: request.count_drawn.then_some(drawn),
        bounds: bounds.map(numbers),
        changed,
    })
}

fn counts(changed: &[Changed], native: u64) -> TileCounts {
    let count = |change| changed.iter().filter(|tile| tile.change == change).count() as u64;
    let [changed, added, removed] = [Change::Changed, Change::Added, Change::Removed].map(count);
    TileCounts { same: native - changed - added - removed, changed, added, removed }
}

/// The tiles further out that show a tile.
fn above(tile: TilePos) -> impl Iterator<Item = TilePos> {
    std::iter::successors(Some(tile), |tile| (tile.zoom > OUTER_ZOOM).then(|| tile.parent())).skip(1)
}

/// The tiles of a comparison.
struct Tiles<'a> {
    before: &'a Before<'a>,
    after: &'a MapLayer<'a>,
    test: PixelTest,
    area: Option<Area>,
}

impl Tiles<'_> {
    /// The columns of a tile that are compared, if there are any.
    fn inside(&self, tile: TilePos) -> Option<Area> {
        let inside = self.area.map_or(tile.area(), |area| area.overlap(tile.area()));
        (!inside.is_empty()).then_some(inside)
    }

    /// Those of the tiles that differ, and the number of pixels that are drawn in any.
    fn look_at(&self, pairs: impl ParallelIterator<Item = Pair>) -> Result<(Vec<Changed>, u64), Trouble> {
        let look = |(pair, inside): (Pair, Area)| {
            let spots = match self.before {
                Before::Manifest(..) => None,
                Before::Layer(before) => Some(self.spots(before, &pair, inside)?),
            };
            let differs = spots.is_none_or(|spots| spots.count > 0);
            let changed = differs.then(|| changed(&pair, self.after.facts.scheme, inside, spots));
            Ok((changed, spots.map_or(0, |spots| spots.drawn)))
        };
        let inside = pairs.filter_map(|pair| Some((pair, self.inside(pair.tile)?)));
        let looked_at = inside.map(look).collect::<Result<Vec<_>, Trouble>>()?;
        let drawn = looked_at.iter().map(|(_, drawn)| drawn).sum();
        Ok((looked_at.into_iter().filter_map(|(changed, _)| changed).collect(), drawn))
    }

    fn spots(&self, before: &MapLayer<'_>, pair: &Pair, inside: Area) -> Result<Spots, Trouble> {
        let mut spots = Spots::default();
        each_row(before, self.after, pair, inside, |y, xs, rows| {
            self.test.row(&mut spots, y, xs, rows, |_| {});
        })?;
        Ok(spots)
    }
}

/// Calls `row` with each row of pixels of a tile in which columns of `inside` are: its number, the range of its pixels,
/// and the row in both.
pub(super) fn each_row(
    before: &MapLayer<'_>,
    after: &MapLayer<'_>,
    pair: &Pair,
    inside: Area,
    mut row: impl FnMut(usize, std::ops::Range<usize>, [&[Pixel]; 2]),
) -> Result<(), Trouble> {
    let canvas = |layer: &MapLayer<'_>, record: Option<TileRecord>| {
        record.map_or_else(|| Ok(Canvas::default()), |record| layer.canvas(pair.tile, record))
    };
    let a = canvas(before, pair.a)?;
    let b = if pair.same_pixels() { None } else { Some(canvas(after, pair.b)?) };
    let (whole, out) = (pair.tile.area(), NATIVE_ZOOM - pair.tile.zoom);
    let pixel = |at: i32, from: i32| (at - from) as usize >> out;
    let xs = pixel(inside.x0, whole.x0)..pixel(inside.x1 - 1, whole.x0) + 1;
    for y in pixel(inside.z0, whole.z0)..=pixel(inside.z1 - 1, whole.z0) {
        let before = row_of(&a, y);
        row(y, xs.clone(), [before, b.as_ref().map_or(before, |b| row_of(b, y))]);
    }
    Ok(())
}

fn row_of(canvas: &Canvas, y: usize) -> &[Pixel] {
    &canvas.pixels()[y * TILE_SIDE..][..TILE_SIDE]
}

fn changed(pair: &Pair, scheme: Scheme, inside: Area, spots: Option<Spots>) -> Changed {
    let (zoom, (x, y)) = (pair.tile.zoom, scheme.numbers(pair.tile));
    let (whole, out) = (pair.tile.area(), NATIVE_ZOOM - zoom);
    let rect = spots.map_or(inside, |Spots { rect, .. }| {
        let blocks = |pixels: i32, from: i32| from + (pixels << out);
        let (x0, z0) = (blocks(rect.x0, whole.x0), blocks(rect.z0, whole.z0));
        let rect = Area { x0, z0, x1: blocks(rect.x1, whole.x0), z1: blocks(rect.z1, whole.z0) };
        rect.overlap(inside)
    });
    let change = match (pair.a, pair.b) {
        (None, _) => Change::Added,
        (_, None) => Change::Removed,
        _ => Change::Changed,
    };
    Changed {
        tile: Some([i32::from(zoom), x, y]),
        change,
        bounds: numbers(rect),
        pixels: spots.map(|spots| spots.count),
        largest: spots.map(|spots| spots.largest),
        rect,
        pair: Some(*pair),
    }
}
