//! Writes a layer of a map as one file, a `PMTiles` archive.
//!
//! The manifest contains the length and the hash of each tile, so the directories of the archive
//! can be computed and written before any tile is read. The tiles follow in their order. Each is
//! read once, and equal tiles are stored once.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use super::error::ExportError;
use super::layer::ExportLayer;
use super::target::FileTarget;
use super::workers::Workers;
use crate::atlas::pmtiles::{
    ArchiveHeader, ArchiveSections, Directories, DirectoryEntry, Metadata, gzip, tile_id,
};
use crate::atlas::{DimensionFacts, FinishedLayer, Format, LayerFacts, MapFile, TileRecord};
use crate::store::{NewFile, put_page_beside};
use pixelmap_base::coord::{Area, TilePos};
use pixelmap_base::json;
use pixelmap_tile::{Canvas, Encoder};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenArchive {
    /// The number of the map's tiles.
    pub tiles: u64,
    /// The number of different tiles, which is the number of stored ones.
    pub contents: u64,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// Whether the page next to the archive was written. An existing file of that name is kept if
    /// pixelmap did not make it.
    pub has_page: bool,
}

/// The numbers of tiles in an archive.
#[derive(Debug, Clone, Copy, Default)]
struct ArchiveCounts {
    tiles: u64,
    contents: u64,
}

#[derive(Debug, Clone, Copy)]
struct AddressedTile {
    id: u64,
    tile: TilePos,
    record: TileRecord,
}

/// The offset of each tile in the data section.
#[derive(Debug, PartialEq, Eq)]
struct ArchiveLayout {
    entries: Vec<DirectoryEntry>,
    /// The indices of the tiles whose bytes are stored, in order: the first of each set of equal
    /// tiles.
    firsts: Vec<usize>,
    len: u64,
}

/// Writes a layer with all its zoom levels as an archive, and the page that shows it. Returns
/// `None` if the export was stopped.
///
/// # Errors
/// Fails if a tile differs from its record in the manifest, or if the archive cannot be written.
pub fn put_archive(
    layer: &ExportLayer<'_>,
    mut target: FileTarget<'_>,
    workers: &Workers<'_>,
) -> Result<Option<WrittenArchive>, ExportError> {
    let Some(ArchiveCounts { tiles, contents }) = write(layer, &mut target.file, workers)? else {
        return Ok(None);
    };

    let path = target.path;
    let bytes = target.appear()?;
    let has_page = put_page_beside(path)?;
    Ok(Some(WrittenArchive {
        tiles,
        contents,
        bytes,
        has_page,
    }))
}

fn write(
    layer: &ExportLayer<'_>,
    file: &mut NewFile,
    workers: &Workers<'_>,
) -> Result<Option<ArchiveCounts>, ExportError> {
    let tiles = layer.tiles.iter().map(|(&tile, &record)| AddressedTile {
        id: tile_id(tile),
        tile,
        record,
    });
    let mut tiles: Vec<AddressedTile> = tiles.collect();
    tiles.sort_unstable_by_key(|tile| tile.id);

    let (Some(first), Some(last)) = (tiles.first(), tiles.last()) else {
        return write_blank(layer, file).map(Some);
    };

    let zooms = first.tile.zoom..=last.tile.zoom;
    let layout = layout(&tiles);

    put_head(
        layer,
        file,
        &layout,
        tiles.len() as u64,
        zooms,
        layer.finished.facts.format,
    )?;

    workers.pieces.expect(layout.firsts.len() as u64);

    for &first in &layout.firsts {
        if (workers.is_stopped)() {
            return Ok(None);
        }
        let AddressedTile { tile, record, .. } = tiles[first];
        file.add(&layer.finished.file(tile, record)?)?;
        workers.pieces.end(1);
    }

    Ok(Some(ArchiveCounts {
        tiles: tiles.len() as u64,
        contents: layout.firsts.len() as u64,
    }))
}

/// Writes an archive for a layer without tiles. A directory needs at least one entry, so the
/// archive contains one empty tile for the whole world.
fn write_blank(layer: &ExportLayer<'_>, file: &mut NewFile) -> Result<ArchiveCounts, ExportError> {
    let blank = layer
        .samples()
        .encode(&mut Encoder::default(), &Canvas::default())
        .to_vec();

    let entries = vec![DirectoryEntry {
        id: 0,
        offset: 0,
        len: blank.len() as u32,
        run: 1,
    }];

    let layout = ArchiveLayout {
        entries,
        firsts: vec![0],
        len: blank.len() as u64,
    };
    put_head(layer, file, &layout, 1, 0..=0, Format::Png)?;
    file.add(&blank)?;

    Ok(ArchiveCounts::default())
}

/// Writes all sections in front of the tiles: header, root directory, metadata and leaf
/// directories.
fn put_head(
    layer: &ExportLayer<'_>,
    file: &mut NewFile,
    layout: &ArchiveLayout,
    tiles: u64,
    zooms: RangeInclusive<u8>,
    format: Format,
) -> Result<(), ExportError> {
    let directories = Directories::new(&layout.entries).map_err(|error| file.failed(error))?;
    // JSON can hold every value of these types, so this cannot fail.
    let metadata = json::text(&metadata(layer.finished)).unwrap_or_default();
    let metadata = gzip(metadata.as_bytes()).map_err(|error| file.failed(error))?;
    let header = ArchiveHeader {
        sections: ArchiveSections::in_a_row(
            directories.root.len() as u64,
            metadata.len() as u64,
            directories.leaves.len() as u64,
            layout.len,
        ),
        addressed: tiles,
        entries: layout.entries.len() as u64,
        contents: layout.firsts.len() as u64,
        min_zoom: *zooms.start(),
        max_zoom: *zooms.end(),
        area: layer
            .regions()
            .map(|(region, _)| region.area())
            .reduce(Area::union),
        format,
    };
    file.add(&header.bytes())?;

    for section in [&directories.root, &metadata, &directories.leaves] {
        file.add(section)?;
    }

    Ok(())
}

/// Returns the facts of a map that has only this layer. They do not list its tiles, because the
/// directories of the archive do.
fn metadata(
    FinishedLayer {
        map,
        dimension,
        facts,
    }: FinishedLayer<'_>,
) -> Metadata {
    let layer = LayerFacts {
        path: String::new(),
        // A layer without a list may have any tile. An empty layer, which has no bounds, therefore
        // needs an empty list.
        tiles: facts.bounds.is_none().then(BTreeMap::new),
        ..facts.clone()
    };

    let mut pixelmap = MapFile::new(map.facts().name.clone());
    pixelmap.dimensions.push(DimensionFacts {
        layers: vec![layer],
        details: None,
        markers: Vec::new(),
        ..dimension.clone()
    });

    Metadata {
        name: map.facts().name.clone(),
        description: format!("{}, {}", dimension.name, facts.id),
        kind: if facts.overlay {
            "overlay"
        } else {
            "baselayer"
        }
        .to_owned(),
        pixelmap,
    }
}

/// Assigns an offset in the data to each tile. `tiles` must be sorted by id.
fn layout(tiles: &[AddressedTile]) -> ArchiveLayout {
    let mut layout = ArchiveLayout {
        entries: Vec::new(),
        firsts: Vec::new(),
        len: 0,
    };

    // Tiles count as equal if their lengths and two independent hashes are equal.
    let mut offsets: HashMap<(u64, u64, u32), u64> = HashMap::new();
    for (
        number,
        &AddressedTile {
            id,
            record:
                TileRecord {
                    bytes,
                    file,
                    pixels,
                },
            ..
        },
    ) in tiles.iter().enumerate()
    {
        let offset = *offsets.entry((file, pixels, bytes)).or_insert_with(|| {
            layout.firsts.push(number);
            layout.len += u64::from(bytes);
            layout.len - u64::from(bytes)
        });

        match layout.entries.last_mut() {
            Some(last) if last.offset == offset && last.id + last.run == id => last.run += 1,
            _ => layout.entries.push(DirectoryEntry {
                id,
                offset,
                len: bytes,
                run: 1,
            }),
        }
    }

    layout
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbouring_tiles_share_an_entry() {
        let tile = |id: u64, bytes, file| AddressedTile {
            id,
            tile: TilePos {
                zoom: 17,
                x: 0,
                y: 0,
            },
            record: TileRecord {
                bytes,
                file,
                pixels: 0,
            },
        };

        let tiles = [
            tile(5, 10, 1),
            tile(6, 10, 1),
            tile(7, 20, 1),
            tile(9, 10, 1),
            tile(10, 10, 1),
        ];

        let entry = |id, offset, len, run| DirectoryEntry {
            id,
            offset,
            len,
            run,
        };

        let entries = vec![entry(5, 0, 10, 2), entry(7, 10, 20, 1), entry(9, 0, 10, 2)];
        assert_eq!(
            layout(&tiles),
            ArchiveLayout {
                entries,
                firsts: vec![0, 2],
                len: 30
            }
        );
    }
}
