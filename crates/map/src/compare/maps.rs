//! Compares two maps, or a saved manifest and a map. Pairs their layers, finds the tiles that
//! differ by their manifests, and compares the pixels of those tiles.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use rayon::iter::{IntoParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator};

use super::columns::Inside;
use super::difference::{Change, ChangedImage, DifferenceCounts, LayerDifference, numbers};
use super::pixels::{self, PixelTest, Spots};
use super::request::CompareRequest;
use super::side::{Side, saved_manifest, unlike_error};
use super::trouble::Trouble;
use crate::atlas::{
    AtlasError, FinishedLayer, FinishedMap, Manifest, Scheme, TilePair, TileRecord, tile_pairs,
};
use pixelmap_base::coord::{Area, NATIVE_ZOOM, OUTER_ZOOM, TILE_SIDE, TilePos};
use pixelmap_tile::{Canvas, Pixel, Samples};

/// Returns the layers of a map that the request names.
fn requested_layers<'a>(map: &'a FinishedMap, request: &CompareRequest) -> Vec<FinishedLayer<'a>> {
    map.layers()
        .filter(|layer| {
            is_requested(&request.dimensions, &layer.dimension.id)
                && is_requested(&request.layers, &layer.facts.id)
        })
        .collect()
}

/// Returns whether a list of names requests this one. An empty list requests all.
fn is_requested(names: &[String], id: &String) -> bool {
    names.is_empty() || names.contains(id)
}

/// One side when a layer is compared.
#[derive(Debug, Clone, Copy)]
pub(super) enum Half<'a> {
    Layer(FinishedLayer<'a>),
    /// A saved manifest. It shows which tiles differ, but has no pixels.
    Manifest(&'a Path),
    /// This side does not show the layer.
    Nothing,
}

/// A layer of one dimension on both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayerPair<'a> {
    pub(super) a: Half<'a>,
    pub(super) b: Half<'a>,
    /// The scheme in which both sides count their tiles.
    pub(super) scheme: Scheme,
}

impl CompareRequest {
    /// Returns the pixels of a tile that are compared, or `None` if there are none. A pixel of an
    /// outer zoom level is ignored if any of its columns is ignored.
    pub(super) fn compared_pixels(&self, tile: TilePos) -> Option<Inside> {
        let whole = tile.area();
        let area = self.area.unwrap_or(whole);
        if area.overlap(whole).is_empty() {
            return None;
        }

        let ignored = self
            .ignore
            .iter()
            .filter(|ignored| !ignored.overlap(whole).is_empty())
            .map(|ignored| tile.pixels(*ignored));
        Inside::new(tile.pixels(area), ignored)
    }
}

/// Returns the pixels of a tile. Fails if they do not match the manifest of a map's folder.
pub(super) fn canvas(
    layer: FinishedLayer<'_>,
    tile: TilePos,
    record: TileRecord,
) -> Result<Canvas, Trouble> {
    let canvas = layer.canvas(tile, record)?;
    match layer.map {
        // The file's hash has been checked already, but the pixel hash in the manifest may be
        // wrong.
        FinishedMap::Folder(folder) if layer.samples().hash(&canvas) != record.pixels => {
            Err(AtlasError::Changed(folder.root().join(folder.tile_path(layer.facts, tile))).into())
        }
        _ => Ok(canvas),
    }
}

impl<'a> Half<'a> {
    pub(super) fn manifest(&self, scheme: Scheme) -> Result<Manifest, Trouble> {
        match self {
            Self::Layer(layer) => Ok(layer.manifest()?),
            Self::Manifest(path) => saved_manifest(path, scheme),
            Self::Nothing => Ok(Manifest::default()),
        }
    }

    pub(super) const fn layer(&self) -> Option<FinishedLayer<'a>> {
        match self {
            Self::Layer(layer) => Some(*layer),
            _ => None,
        }
    }

    /// Returns the pixels of a tile, all clear if this side does not have the tile.
    fn canvas(&self, tile: TilePos, record: Option<TileRecord>) -> Result<Canvas, Trouble> {
        match (self, record) {
            (Self::Layer(layer), Some(record)) => canvas(*layer, tile, record),
            (Self::Manifest(path), _) => Err(Trouble::NeedsPixels((*path).to_owned())),
            _ => Ok(Canvas::default()),
        }
    }
}

impl<'a> LayerPair<'a> {
    /// Returns the layer of the side that has it; the second side's if both have it.
    pub(super) fn shown_layer(&self) -> Option<FinishedLayer<'a>> {
        self.b.layer().or_else(|| self.a.layer())
    }

    pub(super) fn samples(&self) -> Samples {
        self.shown_layer()
            .map_or(Samples::Colours, |layer| layer.samples())
    }

    pub(super) fn manifests(&self) -> Result<(Manifest, Manifest), Trouble> {
        Ok((self.a.manifest(self.scheme)?, self.b.manifest(self.scheme)?))
    }

    /// Returns the error for a request that needs pixels, if one side is only a manifest.
    pub(super) fn needs_pixels(&self) -> Option<Trouble> {
        [self.a, self.b].into_iter().find_map(|half| match half {
            Half::Manifest(path) => Some(Trouble::NeedsPixels(path.to_owned())),
            _ => None,
        })
    }

    /// Returns whether the layer was added or removed, if only one side has it.
    const fn one_sided_change(&self) -> Option<Change> {
        match (self.a, self.b) {
            (Half::Nothing, _) => Some(Change::Added),
            (_, Half::Nothing) => Some(Change::Removed),
            _ => None,
        }
    }
}

/// Fails if a requested name is in neither map. Otherwise a typing error would make any two maps
/// equal.
fn check_names(request: &CompareRequest, layers: &[FinishedLayer<'_>]) -> Result<(), Trouble> {
    for name in &request.dimensions {
        if !layers.iter().any(|layer| layer.dimension.id == *name) {
            return Err(Trouble::NotShown(name.clone()));
        }
    }

    for name in &request.layers {
        if !layers.iter().any(|layer| layer.facts.id == *name) {
            return Err(Trouble::NotShown(name.clone()));
        }
    }

    Ok(())
}

/// Returns the layers to compare: first the layers of the second side in its order, then the layers
/// that only the first side has.
pub(super) fn pairs<'a>(
    a: &'a Side,
    b: &'a Side,
    request: &CompareRequest,
) -> Result<Vec<LayerPair<'a>>, Trouble> {
    match (a, b) {
        (Side::Map(a), Side::Map(b)) => map_pairs(a, b, request),
        (Side::Manifest(path), Side::Map(map)) => {
            let layer = only_layer(path, map, request)?;
            Ok(vec![LayerPair {
                a: Half::Manifest(path),
                b: Half::Layer(layer),
                scheme: layer.facts.scheme,
            }])
        }
        (Side::Map(map), Side::Manifest(path)) => {
            let layer = only_layer(path, map, request)?;
            Ok(vec![LayerPair {
                a: Half::Layer(layer),
                b: Half::Manifest(path),
                scheme: layer.facts.scheme,
            }])
        }
        (Side::Manifest(one), Side::Manifest(other)) => {
            check_pixels_unasked(one, request)?;
            // A manifest does not contain its scheme, so we use the first scheme that fits both
            // files. If none fits, we continue with the default scheme, which then produces the
            // error message.
            let mut schemes = Scheme::ALL.into_iter();
            let scheme = schemes.find(|scheme| {
                [one, other]
                    .iter()
                    .all(|path| saved_manifest(path, *scheme).is_ok())
            });

            let scheme = scheme.unwrap_or_default();
            Ok(vec![LayerPair {
                a: Half::Manifest(one),
                b: Half::Manifest(other),
                scheme,
            }])
        }
        _ => Err(unlike_error(a, b)),
    }
}

/// Fails if the request needs pixels, because a saved manifest does not contain them.
fn check_pixels_unasked(path: &Path, request: &CompareRequest) -> Result<(), Trouble> {
    let needs_pixels = request.tolerance > 0 || !request.ignore.is_empty();
    if needs_pixels {
        Err(Trouble::NeedsPixels(path.to_owned()))
    } else {
        Ok(())
    }
}

/// Returns the layer of a map with which a saved manifest is compared. Fails unless the request
/// selects exactly one.
fn only_layer<'a>(
    path: &Path,
    map: &'a FinishedMap,
    request: &CompareRequest,
) -> Result<FinishedLayer<'a>, Trouble> {
    check_pixels_unasked(path, request)?;

    match requested_layers(map, request)[..] {
        [only] => Ok(only),
        [] => Err(Trouble::Nothing),
        ref several => Err(Trouble::WhichLayer(
            path.to_owned(),
            several.iter().map(FinishedLayer::name).collect(),
        )),
    }
}

fn map_pairs<'a>(
    a: &'a FinishedMap,
    b: &'a FinishedMap,
    request: &CompareRequest,
) -> Result<Vec<LayerPair<'a>>, Trouble> {
    check_names(request, &a.layers().chain(b.layers()).collect::<Vec<_>>())?;

    if a.content() != b.content() {
        return Err(Trouble::Differ(
            "contents",
            a.content().to_string(),
            b.content().to_string(),
        ));
    }

    let mut before = requested_layers(a, request);
    let mut after = requested_layers(b, request);

    // An archive has only one layer, so the map's other layers are not compared.
    match (a, b) {
        (FinishedMap::Folder(_), FinishedMap::Archive(_)) => {
            before.retain(|layer| b.layers().any(|only| only.is_same(layer)));
        }
        (FinishedMap::Archive(_), FinishedMap::Folder(_)) => {
            after.retain(|layer| a.layers().any(|only| only.is_same(layer)));
        }
        _ => {}
    }

    if before.is_empty() && after.is_empty() {
        return Err(Trouble::Nothing);
    }

    let of_both =
        after.iter().map(
            |&after| match before.iter().find(|layer| layer.is_same(&after)) {
                None => Ok(LayerPair {
                    a: Half::Nothing,
                    b: Half::Layer(after),
                    scheme: after.facts.scheme,
                }),
                Some(&before) => {
                    check_alike(&before, &after)?;
                    Ok(LayerPair {
                        a: Half::Layer(before),
                        b: Half::Layer(after),
                        scheme: after.facts.scheme,
                    })
                }
            },
        );

    let gone = before
        .iter()
        .filter(|layer| !after.iter().any(|other| other.is_same(layer)));

    let of_first = gone.map(|&layer| {
        Ok(LayerPair {
            a: Half::Layer(layer),
            b: Half::Nothing,
            scheme: layer.facts.scheme,
        })
    });

    of_both.chain(of_first).collect()
}

/// Fails if the pixels or the tile numbers of a layer mean different things in the two maps.
fn check_alike(a: &FinishedLayer<'_>, b: &FinishedLayer<'_>) -> Result<(), Trouble> {
    if a.samples() != b.samples() {
        let [a, b] = [a, b].map(|layer| format!("{:?}", layer.samples()).to_lowercase());
        return Err(Trouble::Differ("kinds of pixels", a, b));
    }

    let are_folders = matches!(
        (a.map, b.map),
        (FinishedMap::Folder(_), FinishedMap::Folder(_))
    );
    if are_folders && a.facts.scheme != b.facts.scheme {
        let [a, b] = [a, b].map(|layer| layer.facts.scheme.name().to_owned());
        return Err(Trouble::Differ("schemes", a, b));
    }

    Ok(())
}

/// Finds the differences of a layer. Native tiles are compared first; tiles of other zoom levels
/// only count if no native tile explains why they differ.
pub(super) fn differences(
    layers: &LayerPair<'_>,
    request: &CompareRequest,
) -> Result<LayerDifference, Trouble> {
    let (a, b) = layers.manifests()?;
    let levels = shared_levels(&a, &b);
    let tiles = TileComparison { layers, request };
    let (native, others): (Vec<TilePair>, Vec<TilePair>) =
        tile_pairs(&a, &b).partition(|pair| pair.tile.zoom == NATIVE_ZOOM);
    let differing = native.iter().filter(|pair| !pair.has_same_pixels());
    let explained: BTreeSet<TilePos> = differing
        .flat_map(|pair| with_outer_tiles(pair.tile))
        .collect();

    let inside = native
        .iter()
        .filter(|pair| request.compared_pixels(pair.tile).is_some())
        .count() as u64;

    let mut changed = tiles.compare(
        native
            .into_par_iter()
            .filter(|pair| !pair.has_same_pixels()),
    )?;
    let counts = counts(&changed, inside);

    // Tiles of other zoom levels that differ although the native tiles of the same area are equal.
    let unexplained = others.into_par_iter().filter(|pair| {
        let shown = pair.tile.native().unwrap_or(pair.tile);
        !pair.has_same_pixels() && levels.contains(&pair.tile.zoom) && !explained.contains(&shown)
    });
    changed.extend(tiles.compare(unexplained)?);
    changed.sort_unstable_by_key(|changed| changed.tile);

    let has_pixels = layers.needs_pixels().is_none();
    let bounds = changed
        .iter()
        .map(|changed| changed.rect)
        .reduce(Area::union);

    let shown = layers.shown_layer();
    Ok(LayerDifference {
        dimension: shown.map(|layer| layer.dimension.id.clone()),
        layer: shown.map(|layer| layer.facts.id.clone()),
        change: layers
            .one_sided_change()
            .or_else(|| bounds.map(|_| Change::Changed)),
        tiles: counts,
        pixels_changed: has_pixels
            .then(|| changed.iter().filter_map(|changed| changed.pixels).sum()),
        pixels_drawn: None,
        percent: None,
        bounds: bounds.map(numbers),
        changed,
    })
}

/// Counts the native pixels that are drawn on either side. Returns `None` if a side is a manifest.
pub(super) fn count_drawn(
    layers: &LayerPair<'_>,
    request: &CompareRequest,
) -> Result<Option<u64>, Trouble> {
    if layers.needs_pixels().is_some() {
        return Ok(None);
    }

    let (a, b) = layers.manifests()?;
    let native: Vec<TilePair> = tile_pairs(&a, &b)
        .filter(|pair| pair.tile.zoom == NATIVE_ZOOM)
        .collect();
    let inside = native
        .par_iter()
        .filter_map(|pair| Some((pair, request.compared_pixels(pair.tile)?)));

    let counts = inside.map(|(pair, inside)| {
        let mut drawn = 0;
        each_row(layers, pair, &inside, |_, xs, rows| {
            drawn += pixels::count_drawn(xs, rows);
        })?;
        Ok(drawn)
    });

    counts.sum::<Result<u64, Trouble>>().map(Some)
}

fn counts(changed: &[ChangedImage], native: u64) -> DifferenceCounts {
    let [changed, added, removed] = [Change::Changed, Change::Added, Change::Removed]
        .map(|change| changed.iter().filter(|tile| tile.change == change).count() as u64);
    DifferenceCounts {
        same: native - changed - added - removed,
        changed,
        added,
        removed,
    }
}

/// Returns the zoom levels that both manifests have. An empty manifest counts as having only the
/// native level.
fn shared_levels(a: &Manifest, b: &Manifest) -> RangeInclusive<u8> {
    let outermost = [a, b].map(|manifest| zoom_of(manifest.tiles.keys().next()));
    let innermost = [a, b].map(|manifest| zoom_of(manifest.tiles.keys().next_back()));

    outermost[0].max(outermost[1])..=innermost[0].min(innermost[1])
}

fn zoom_of(tile: Option<&TilePos>) -> u8 {
    tile.map_or(NATIVE_ZOOM, |tile| tile.zoom)
}

/// Returns a tile and all tiles of outer zoom levels that show it.
fn with_outer_tiles(tile: TilePos) -> impl Iterator<Item = TilePos> {
    std::iter::successors(Some(tile), |tile| {
        (tile.zoom > OUTER_ZOOM).then(|| tile.parent())
    })
}

/// Compares the tiles of one layer.
struct TileComparison<'a> {
    layers: &'a LayerPair<'a>,
    request: &'a CompareRequest,
}

impl TileComparison<'_> {
    /// Returns the tiles of `pairs` that differ. Without pixels, all of them count as different.
    fn compare(
        &self,
        pairs: impl ParallelIterator<Item = TilePair>,
    ) -> Result<Vec<ChangedImage>, Trouble> {
        let has_pixels = self.layers.needs_pixels().is_none();
        let inside =
            pairs.filter_map(|pair| Some((pair, self.request.compared_pixels(pair.tile)?)));

        let compared = inside.map(|(pair, inside)| {
            let spots = if has_pixels {
                Some(self.spots(&pair, &inside)?)
            } else {
                None
            };
            let differs = spots.is_none_or(|spots| spots.count > 0);
            Ok(differs.then(|| changed_tile(&pair, self.layers.scheme, inside.rect, spots)))
        });

        Ok(compared
            .collect::<Result<Vec<_>, Trouble>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    fn spots(&self, pair: &TilePair, inside: &Inside) -> Result<Spots, Trouble> {
        let test = PixelTest {
            samples: self.layers.samples(),
            tolerance: self.request.tolerance,
        };
        let mut spots = Spots::default();
        each_row(self.layers, pair, inside, |y, xs, rows| {
            test.row(&mut spots, y, xs, rows, |_| {});
        })?;
        Ok(spots)
    }
}

/// Calls `row` for each compared range of pixels in a tile, with the number of its row, the range,
/// and the row on both sides. Opens the tile only once if both sides have the same pixels.
pub(super) fn each_row(
    layers: &LayerPair<'_>,
    pair: &TilePair,
    inside: &Inside,
    mut row: impl FnMut(usize, std::ops::Range<usize>, [&[Pixel]; 2]),
) -> Result<(), Trouble> {
    let a = layers.a.canvas(pair.tile, pair.a)?;

    let b = if pair.has_same_pixels() {
        None
    } else {
        Some(layers.b.canvas(pair.tile, pair.b)?)
    };

    for y in inside.rect.z0..inside.rect.z1 {
        let before = canvas_row(&a, y as usize);
        let rows = [
            before,
            b.as_ref().map_or(before, |b| canvas_row(b, y as usize)),
        ];
        inside.runs(y, |xs| row(y as usize, xs, rows));
    }

    Ok(())
}

fn canvas_row(canvas: &Canvas, y: usize) -> &[Pixel] {
    &canvas.pixels()[y * TILE_SIDE..][..TILE_SIDE]
}

/// Returns the description of a tile that differs. `inside` is the rectangle of its compared
/// pixels.
fn changed_tile(
    pair: &TilePair,
    scheme: Scheme,
    inside: Area,
    spots: Option<Spots>,
) -> ChangedImage {
    let zoom = pair.tile.zoom;
    let (x, y) = scheme.numbers(pair.tile);
    let rect = pair.tile.columns(spots.map_or(inside, |spots| spots.rect));

    let change = match (pair.a, pair.b) {
        (None, _) => Change::Added,
        (_, None) => Change::Removed,
        _ => Change::Changed,
    };

    ChangedImage {
        tile: Some([i32::from(zoom), x, y]),
        change,
        bounds: numbers(rect),
        pixels: spots.map(|spots| spots.count),
        largest: spots.map(|spots| spots.largest),
        rect,
        pair: Some(*pair),
    }
}
