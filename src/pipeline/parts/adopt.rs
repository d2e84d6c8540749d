//! The records of parts become records of the map, and their tiles come to their places.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use crate::coord::{NATIVE_ZOOM, RegionPos, TilePos};
use crate::pipeline::parts::found::Part;
use crate::pipeline::parts::merging::Merging;
use crate::pipeline::prepare::layers::{MapLayer, MapLayers};
use crate::publish::{Adoption, Entry, FoundPart, LayerKey, Output, PublishError, Standing, TileRecord, full_path};
use crate::record::{ParentRecord, Published, RegionRecord, parent_bytes, parent_of, region_bytes, region_of};

/// By map and dimension, the regions that have a record.
type Regions = Vec<Vec<BTreeSet<RegionPos>>>;

/// The folders of parts whose tiles stay where they are: all of them, or those in the folder of the map alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    All,
    OfMap,
}

/// Adds the records of all parts to those of the map, and brings tiles that lie in other folders to their places, but for
/// those that stay. `with_map`: the map keeps the regions that only it has.
///
/// # Errors
/// Records or tiles cannot be read or written.
pub(crate) fn adopt(
    output: &Output,
    maps: &[Merging],
    parts: &[Part],
    stay: Stay,
    with_map: bool,
) -> Result<Regions, PublishError> {
    let layers = |map: &Merging| MapLayers::new(&map.prepared.plan, &map.settings, output.naming());
    let of = Keys { maps, layers: maps.iter().map(layers).collect() };
    let mut regions: Regions =
        maps.iter().map(|map| vec![BTreeSet::new(); map.prepared.plan.dimensions.len()]).collect();
    let mut note = |place: Option<(usize, MapLayer)>, tile: TilePos| {
        if let (Some((map, map_layer)), Some(region)) = (place, tile.region()) {
            regions[map][map_layer.dimension].insert(region);
        }
    };
    if with_map {
        let map = FoundPart::map_in(output);
        map.each_entry(|entry| {
            note(of.map_layer(entry.layer), entry.tile);
            Ok(())
        })?;
    }
    let mut adoption = Adoption::begin(output)?;
    // Tiles that another part has drawn get its records after these.
    let with_strays = parts.iter().filter(|_| stay == Stay::OfMap);
    for (map, found) in with_strays.flat_map(|part| maps.iter().zip(&part.file.found)) {
        for &(number, zoom, x, y) in &found.strays {
            let Some(&layer) = map.keys.get(number) else { continue };
            adoption.add(&Entry { layer, tile: TilePos { zoom, x, y }, says: &[], sure: false })?;
        }
    }
    let here = full_path(output.root());
    for Part { found, .. } in parts {
        let is_here = stay == Stay::All || full_path(&found.root) == here;
        found.each_entry(|entry| {
            let place = of.map_layer(entry.layer);
            note(place, entry.tile);
            match place {
                Some((map, map_layer)) if !is_here => {
                    let path = of.layers[map].tile_path(map_layer, entry.tile);
                    let says = take(output, &adoption, (&found.root, &path), entry)?;
                    adoption.add(&Entry { says: &says, ..*entry })
                }
                _ => adoption.add(entry),
            }
        })?;
    }
    adoption.end()?;
    Ok(regions)
}

/// The keys of all maps in the journal.
struct Keys<'a> {
    maps: &'a [Merging],
    /// By map.
    layers: Vec<MapLayers>,
}

impl Keys<'_> {
    /// The map and the map layer of a key; `None`: it is none of theirs, or that of markers.
    fn map_layer(&self, key: LayerKey) -> Option<(usize, MapLayer)> {
        let found = |(map, layers): (&Merging, &MapLayers)| {
            layers.all().zip(&map.keys).find(|(_, own)| **own == key).map(|(map_layer, _)| map_layer)
        };
        self.maps.iter().zip(&self.layers).enumerate().find_map(|(index, map)| Some((index, found(map)?)))
    }
}

/// The record of a tile.
enum Record {
    Native(Box<RegionRecord>),
    Outer(ParentRecord),
}

impl Record {
    fn of(entry: &Entry<'_>) -> Option<Self> {
        if entry.tile.zoom == NATIVE_ZOOM {
            return region_of(entry.says).map(|record| Self::Native(Box::new(record)));
        }
        parent_of(entry.says).map(Self::Outer)
    }

    const fn tile(&mut self) -> Option<&mut Published> {
        match self {
            Self::Native(record) => record.tile.as_mut(),
            Self::Outer(record) => record.tile.as_mut(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Native(record) => region_bytes(record),
            Self::Outer(record) => parent_bytes(record),
        }
    }
}

/// Brings the tile of an entry from another folder to its place; returns the record as it is true there.
fn take<'e>(
    output: &Output,
    adoption: &Adoption<'_>,
    (root, path): (&Path, &str),
    entry: &Entry<'e>,
) -> Result<Cow<'e, [u8]>, PublishError> {
    let as_drawn = Cow::Borrowed(entry.says);
    let Some(mut record) = Record::of(entry) else { return Ok(as_drawn) };
    let Some(tile) = record.tile() else { return Ok(as_drawn) };
    let Published { record: TileRecord { bytes, .. }, modified } = *tile;
    if output.standing(path)? == Some(Standing { len: u64::from(bytes), modified }) {
        return Ok(as_drawn);
    }
    tile.modified = adoption.take(root, path)?.modified;
    Ok(if tile.modified == modified { as_drawn } else { Cow::Owned(record.bytes()) })
}
