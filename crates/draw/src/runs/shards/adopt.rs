//! Adds the records of parts to the map's records, and brings their tiles into the map's folder.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use crate::runs::shards::key_index::KeyIndex;
use crate::runs::shards::merge_plan::MergeMap;
use crate::runs::shards::part_list::Parts;
use crate::schedule::Stop;
use crate::tiles::journal_subject::JournalSubject;
use crate::tiles::record::{
    NativeRecord, ParentRecord, TileFacts, native_bytes, parent_bytes, parse_native, parse_parent,
};
use pixelmap_base::coord::{NATIVE_ZOOM, RegionPos, TilePos};
use pixelmap_base::disk::full_path;
use pixelmap_map::atlas::TileRecord;
use pixelmap_map::store::{Adoption, FoundPart, JournalEntry, Output, PublishError};

/// The regions that have records, by map and dimension.
pub(crate) type Regions = Vec<Vec<BTreeSet<RegionPos>>>;

/// Returns the regions that parts have drawn. If parts are missing, the result includes the regions
/// of parts that were begun, and of the existing map in `output`.
///
/// # Errors
/// Fails if records cannot be read.
pub(crate) fn find_regions(
    output: &Output,
    maps: &[MergeMap],
    parts: &Parts,
) -> Result<Regions, PublishError> {
    let keys = key_index(maps);
    let mut regions: Regions = maps
        .iter()
        .map(|map| vec![BTreeSet::new(); map.agreement.dimensions.len()])
        .collect();

    let existing;
    let mut sources: Vec<&FoundPart> = parts.all.iter().map(|part| &part.found).collect();
    if !parts.missing.is_empty() {
        existing = FoundPart::map_in(output)?;
        sources.extend(&parts.begun);
        sources.push(&existing);
    }

    for found in sources {
        found.each_entry(|entry| {
            if let Some((map, JournalSubject::Tiles(map_layer))) = keys.find(entry.layer)
                && let Some(region) = entry.tile.region()
            {
                regions[map][map_layer.dimension].insert(region);
            }
            Ok(())
        })?;
    }

    Ok(regions)
}

/// Adds the records of parts to the map's records, and links tiles from other folders into the map.
/// With `stay`, all tiles remain where they are. If parts are missing, parts that were begun in the
/// map's folder are added as well.
///
/// # Errors
/// Fails if records or tiles cannot be read or written.
pub(crate) fn adopt(
    output: &Output,
    maps: &[MergeMap],
    parts: &Parts,
    stay: bool,
    stop: &Stop,
) -> Result<(), PublishError> {
    let keys = key_index(maps);
    let mut adoption = Adoption::begin(output)?;

    // Invalidate the strays first. If another part has drawn such a tile, its record follows and is
    // valid.
    if !stay {
        invalidate_strays(&mut adoption, maps, parts)?;
    }

    let here = full_path(output.root());
    let is_here = |found: &FoundPart| full_path(found.root()) == here;

    // A killed run may have recorded tiles that it never wrote, so unfinished parts in other
    // folders are left out.
    let begun = parts
        .begun
        .iter()
        .filter(|found| !parts.missing.is_empty() && is_here(found));

    for found in begun.chain(parts.all.iter().map(|part| &part.found)) {
        if stop.is_requested() {
            break;
        }

        let is_here = stay || is_here(found);
        found.each_entry(|entry| match keys.find(entry.layer) {
            Some((map, JournalSubject::Tiles(map_layer) | JournalSubject::Inner(map_layer)))
                if !is_here =>
            {
                let path = maps[map].map_layers.tile_path(map_layer, entry.tile);
                let (payload, is_as_drawn) =
                    link_tile(output, &adoption, found.root(), &path, entry)?;

                // If the tile is a copy with another time, the record is unsure, so that the bytes
                // of the tile are checked.
                adoption.add(&JournalEntry {
                    payload: &payload,
                    sure: entry.sure && is_as_drawn,
                    ..*entry
                })
            }
            Some(_) => adoption.add(entry),
            // The record belongs to options or layers that are not merged.
            None => Ok(()),
        })?;
    }

    adoption.end()
}

fn key_index(maps: &[MergeMap]) -> KeyIndex {
    let mut index = KeyIndex::default();
    for map in maps {
        index.add_map(&map.map_layers, &map.agreement.keys());
    }
    index
}

/// The record of a tile.
enum Record {
    Native(NativeRecord),
    Outer(ParentRecord),
}

impl Record {
    fn from_entry(entry: &JournalEntry<'_>) -> Option<Self> {
        if entry.tile.zoom == NATIVE_ZOOM {
            return parse_native(entry.payload).map(Self::Native);
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
            Self::Native(record) => native_bytes(record),
            Self::Outer(record) => parent_bytes(record),
        }
    }
}

/// Links the tile of an entry from another folder into the map. Returns the record with the time of
/// the linked file, and whether that is the time in the original record.
fn link_tile<'e>(
    output: &Output,
    adoption: &Adoption<'_>,
    root: &Path,
    path: &str,
    entry: &JournalEntry<'e>,
) -> Result<(Cow<'e, [u8]>, bool), PublishError> {
    let as_drawn = (Cow::Borrowed(entry.payload), true);
    let Some(mut record) = Record::from_entry(entry) else {
        return Ok(as_drawn);
    };
    let Some(tile) = record.tile() else {
        return Ok(as_drawn);
    };

    let TileFacts {
        record: TileRecord { bytes, file, .. },
        modified,
    } = *tile;

    let there = output.file_facts(path)?;
    let is_there = there.is_some_and(|there| {
        there.len == u64::from(bytes)
            && there
                .hash
                .map_or(there.modified == modified, |it| it == file)
    });
    if is_there {
        return Ok(as_drawn);
    }

    tile.modified = adoption.link(root, path)?.modified;

    Ok(if tile.modified == modified {
        as_drawn
    } else {
        (Cow::Owned(record.bytes()), false)
    })
}

/// Records the strays of parts as tiles without a valid record.
fn invalidate_strays(
    adoption: &mut Adoption<'_>,
    maps: &[MergeMap],
    parts: &Parts,
) -> Result<(), PublishError> {
    for part in &parts.all {
        for (map, findings) in maps.iter().zip(&part.findings) {
            let keys = map.agreement.keys();
            for &(number, zoom, x, y) in &findings.strays {
                if let Some(&layer) = keys.get(number) {
                    adoption.add(&JournalEntry {
                        layer,
                        tile: TilePos { zoom, x, y },
                        payload: &[],
                        sure: false,
                    })?;
                }
            }
        }
    }

    Ok(())
}
