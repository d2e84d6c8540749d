//! Removes newly hidden places from the earlier moments of a map. Their pixels become transparent
//! in the kept tiles. The changed tiles get new names, because a kept file is named by its hash.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use crate::atlas::{Past, PastPlace, TileRecord, object_path};
use crate::base::coord::{Area, OUTER_ZOOM, TilePos};
use crate::draw::publish::drawn::UnpublishedMap;
use crate::draw::request::hide::HiddenPlaces;
use crate::draw::request::layers::MapLayer;
use crate::store::{Commit, Output, PublishError};
use crate::tile::Encoder;

/// The earlier versions of tiles, grouped by piece.
pub(crate) type TilePieces = BTreeMap<PastPlace, Past<TilePos>>;

/// Reads a published file; `None` if it does not exist.
fn read_if_there(output: &Output, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
    if output.file_facts(path)?.is_some() {
        output.read(path).map(Some)
    } else {
        Ok(None)
    }
}

/// Removes hidden places from the earlier versions of a map's tiles. Returns the paths of the files
/// that showed them.
///
/// # Errors
/// Fails if a file cannot be written.
pub(crate) fn hide_past(
    output: &Output,
    map: &UnpublishedMap<'_>,
    hidden: &HiddenPlaces,
    pieces: &mut TilePieces,
    commit: &mut Commit<'_>,
) -> Result<BTreeSet<String>, PublishError> {
    let mut gone = BTreeSet::new();
    let mut encoder = Encoder::default();
    for map_layer in map.map_layers.all() {
        let folder = map.map_layers.path(map_layer);
        let of_layer = || pieces.iter().filter(|(place, _)| place.folder == folder);

        let natives = of_layer()
            .flat_map(|(_, past)| past.0.keys())
            .chain(map.manifest(map_layer).tiles.keys());
        let areas = hidden_areas(hidden, natives.copied());
        for (_, past) in pieces
            .iter_mut()
            .filter(|(place, _)| place.folder == folder)
        {
            for (tile, versions) in &mut past.0 {
                let Some(areas) = areas.get(tile) else {
                    continue;
                };

                for version in versions {
                    let Some(record) = version.record else {
                        continue;
                    };

                    let path = map.map_layers.tile_path(map_layer, *tile);
                    let object = object_path(record.file, &path);
                    let shown = PastTile {
                        map,
                        map_layer,
                        tile: *tile,
                        areas,
                    };

                    // A version that this run replaces is still at its published path.
                    let file = match read_if_there(output, &object)? {
                        None => read_if_there(output, &path)?.unwrap_or_default(),
                        Some(kept) => kept,
                    };

                    version.record = match shown.without_areas(&file, record, &mut encoder) {
                        Some((other, bytes)) if other.file != record.file => {
                            commit.put(&object_path(other.file, &path), bytes)?;
                            gone.insert(object);
                            Some(other)
                        }
                        Some((same, _)) => Some(same),
                        None => {
                            gone.insert(object);
                            None
                        }
                    };
                }
            }
        }
    }

    Ok(gone)
}

/// Returns the hidden chunks on each native tile, and on the outer and inner tiles that show the
/// same places.
fn hidden_areas(
    hidden: &HiddenPlaces,
    tiles: impl Iterator<Item = TilePos>,
) -> BTreeMap<TilePos, Vec<Area>> {
    let mut areas: BTreeMap<TilePos, Vec<Area>> = BTreeMap::new();
    let (natives, inner): (BTreeSet<TilePos>, BTreeSet<TilePos>) = tiles
        .filter(|tile| tile.native().is_some())
        .partition(|tile| tile.region().is_some());
    for region in natives.into_iter().filter_map(TilePos::region) {
        let chunks: Vec<Area> = hidden
            .slots(region)
            .slots()
            .map(|slot| region.chunk(slot).area())
            .collect();

        let mut tile = region.tile();
        while !chunks.is_empty() {
            areas.entry(tile).or_default().extend(&chunks);
            if tile.zoom == OUTER_ZOOM {
                break;
            }
            tile = tile.parent();
        }
    }

    for tile in inner {
        let native = tile
            .native()
            .and_then(|native| areas.get(&native))
            .into_iter()
            .flatten();
        let within: Vec<Area> = native
            .filter(|area| !area.overlap(tile.area()).is_empty())
            .copied()
            .collect();

        if !within.is_empty() {
            areas.insert(tile, within);
        }
    }

    areas
}

/// An earlier version of a tile, and the chunks that it must not show.
struct PastTile<'a> {
    map: &'a UnpublishedMap<'a>,
    map_layer: MapLayer,
    tile: TilePos,
    areas: &'a [Area],
}

impl PastTile<'_> {
    /// Returns the tile without those chunks, or `None` if nothing is left of it or it cannot be
    /// read.
    fn without_areas<'e>(
        &self,
        file: &[u8],
        record: TileRecord,
        encoder: &'e mut Encoder,
    ) -> Option<(TileRecord, &'e [u8])> {
        let Self {
            map: UnpublishedMap { map_layers, .. },
            map_layer,
            tile,
            areas,
        } = *self;

        // Details are not pixels, so all details of the region are removed.
        if XxHash3_64::oneshot(file) != record.file || map_layers.is_details(map_layer) {
            return None;
        }

        let samples = map_layers.samples(map_layer);
        let mut canvas = samples.decode(file).ok()?;

        // A pixel of an outer tile shows several columns. It is cleared if any of them is hidden.
        let areas: Vec<Area> = areas.iter().map(|&area| tile.pixels(area)).collect();
        for (row, line) in canvas.rows_mut() {
            for area in &areas {
                if (area.z0..area.z1).contains(&(row as i32)) {
                    line[area.x0 as usize..area.x1 as usize].fill(crate::tile::Pixel::CLEAR);
                }
            }
        }

        if canvas.is_empty() {
            return None;
        }

        let filled = samples.filled(&canvas);
        let shown = filled.as_ref().unwrap_or(&canvas);
        let pixels = samples.hash(shown);
        if pixels == record.pixels {
            return Some((record, &[]));
        }

        let bytes = map_layers.encode(map_layer, encoder, shown);
        let file = XxHash3_64::oneshot(bytes);
        Some((
            TileRecord {
                bytes: u32::try_from(bytes.len()).ok()?,
                file,
                pixels,
            },
            bytes,
        ))
    }
}
