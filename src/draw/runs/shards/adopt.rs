//! The records of parts become records of the map, and their tiles come to their places.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use crate::atlas::TileRecord;
use crate::base::coord::{NATIVE_ZOOM, RegionPos, TilePos};
use crate::base::disk::full_path;
use crate::draw::runs::shards::key_index::KeyIndex;
use crate::draw::runs::shards::merge_plan::MergePlan;
use crate::draw::runs::shards::part_list::{FinishedPart, Parts};
use crate::draw::tiles::journal_subject::JournalSubject;
use crate::draw::tiles::record::{
    ParentRecord, RegionRecord, TileFacts, parent_bytes, parse_parent, parse_region, region_bytes,
};
use crate::schedule::Stop;
use crate::store::{Adoption, FileFacts, FoundPart, JournalEntry, Output, PublishError};

/// By map and dimension, regions of which there is a record.
pub(crate) type Regions = Vec<Vec<BTreeSet<RegionPos>>>;

/// The regions that parts have drawn. Where parts are missing, also those of parts that were begun, and of the map as it
/// stands in `output`.
///
/// # Errors
/// Records cannot be read.
pub(crate) fn find_regions(output: &Output, maps: &[MergePlan], parts: &Parts) -> Result<Regions, PublishError> {
    let keys = key_index(maps);
    let mut regions: Regions = maps.iter().map(|map| vec![BTreeSet::new(); map.agreement.dimensions.len()]).collect();
    let mut note = |entry: &JournalEntry<'_>| {
        if let (Some((map, JournalSubject::Tiles(map_layer))), Some(region)) =
            (keys.find(entry.layer), entry.tile.region())
        {
            regions[map][map_layer.dimension].insert(region);
        }
        Ok(())
    };
    for FinishedPart { place, .. } in &parts.all {
        place.each_entry(&mut note)?;
    }
    if !parts.missing.is_empty() {
        for place in parts.begun.iter().chain([&FoundPart::map_in(output)]) {
            place.each_entry(&mut note)?;
        }
    }
    Ok(regions)
}

/// Adds the records of parts to those of the map, and brings tiles that lie in other folders to their places, but for
/// those that `stay` where they are. Where parts are missing, also those of parts that were begun in its folder.
///
/// # Errors
/// Records or tiles cannot be read or written.
pub(crate) fn adopt(
    output: &Output,
    maps: &[MergePlan],
    parts: &Parts,
    stay: bool,
    stop: &Stop,
) -> Result<(), PublishError> {
    let keys = key_index(maps);
    let mut adoption = Adoption::begin(output)?;
    // Tiles that another part has drawn get its records after these.
    let with_strays = parts.all.iter().filter(|_| !stay);
    for (map, findings) in with_strays.flat_map(|part| maps.iter().zip(&part.findings)) {
        let keys = map.agreement.keys();
        for &(number, zoom, x, y) in &findings.strays {
            let Some(&layer) = keys.get(number) else { continue };
            adoption.add(&JournalEntry { layer, tile: TilePos { zoom, x, y }, payload: &[], sure: false })?;
        }
    }
    let here = full_path(output.root());
    let is_here = |place: &FoundPart| full_path(&place.root) == here;
    // What a killed run has recorded may have no tile: elsewhere it is left out.
    let begun = parts.begun.iter().filter(|place| !parts.missing.is_empty() && is_here(place));
    for place in begun.chain(parts.all.iter().map(|part| &part.place)) {
        if stop.is_requested() {
            break;
        }
        let is_here = stay || is_here(place);
        place.each_entry(|entry| match keys.find(entry.layer) {
            Some((map, JournalSubject::Tiles(map_layer) | JournalSubject::Inner(map_layer))) if !is_here => {
                let path = maps[map].map_layers.tile_path(map_layer, entry.tile);
                let (payload, is_as_drawn) = link_tile(output, &adoption, &place.root, &path, entry)?;
                // Its bytes are looked at where it is a copy with another time.
                adoption.add(&JournalEntry { payload: &payload, sure: entry.sure && is_as_drawn, ..*entry })
            }
            Some(_) => adoption.add(entry),
            // Of options or layers that are not merged.
            None => Ok(()),
        })?;
    }
    adoption.end()
}

fn key_index(maps: &[MergePlan]) -> KeyIndex {
    let mut index = KeyIndex::default();
    for map in maps {
        index.add_map(&map.map_layers, &map.agreement.keys());
    }
    index
}

/// The record of a tile.
enum Record {
    Native(Box<RegionRecord>),
    Outer(ParentRecord),
}

impl Record {
    fn from_entry(entry: &JournalEntry<'_>) -> Option<Self> {
        if entry.tile.zoom == NATIVE_ZOOM {
            return parse_region(entry.payload).map(|record| Self::Native(Box::new(record)));
        }
        parse_parent(entry.payload).map(Self::Outer)
    }

    const fn tile(&mut self) -> Option<&mut TileFacts> {
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

/// Brings the tile of an entry from another folder to its place. Returns the record as it is true there, and whether the
/// tile has the time that it was drawn at.
fn link_tile<'e>(
    output: &Output,
    adoption: &Adoption<'_>,
    root: &Path,
    path: &str,
    entry: &JournalEntry<'e>,
) -> Result<(Cow<'e, [u8]>, bool), PublishError> {
    let as_drawn = (Cow::Borrowed(entry.payload), true);
    let Some(mut record) = Record::from_entry(entry) else { return Ok(as_drawn) };
    let Some(tile) = record.tile() else { return Ok(as_drawn) };
    let TileFacts { record: TileRecord { bytes, .. }, modified } = *tile;
    if output.file_facts(path)? == Some(FileFacts { len: u64::from(bytes), modified }) {
        return Ok(as_drawn);
    }
    tile.modified = adoption.link(root, path)?.modified;
    Ok(if tile.modified == modified { as_drawn } else { (Cow::Owned(record.bytes()), false) })
}
