//! Writes the file of a GeoTIFF: the head, then the tiles, and then the head again with the offsets
//! of the tiles.

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::levels::{GeoTiffPlan, ImageLevel};
use super::pixels::TileForm;
use super::tags::{Head, StoredTile, Width};
use crate::atlas::TileRecord;
use crate::export::error::ExportError;
use crate::export::layer::ExportLayer;
use crate::export::target::FileTarget;
use crate::export::workers::Workers;
use crate::store::NewFile;
use pixelmap_base::coord::TilePos;

/// Tiles per thread that are encoded before they are written.
const TILES_A_THREAD: usize = 4;
/// The bytes around each tile: its length before it, and its last four bytes repeated after it.
const AROUND: u64 = 8;

/// The counts of a written GeoTIFF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeoTiffCounts {
    /// Tiles of all levels.
    pub tiles: u64,
    /// The length of the file in bytes.
    pub bytes: u64,
}

/// Writes a layer according to `plan`. Returns `None` if the export was stopped.
///
/// # Errors
/// Fails if a tile differs from its record in the manifest, or if the file cannot be written.
pub fn put_geotiff(
    layer: &ExportLayer<'_>,
    plan: &GeoTiffPlan,
    mut target: FileTarget<'_>,
    workers: &Workers<'_>,
) -> Result<Option<GeoTiffCounts>, ExportError> {
    let written = workers.run(|| write(layer, plan, &mut target.file, workers))??;
    let Some(tiles) = written else {
        return Ok(None);
    };

    Ok(Some(GeoTiffCounts {
        tiles,
        bytes: target.appear()?,
    }))
}

/// Writes the whole file. Returns the number of its tiles, or `None` if the export was stopped.
fn write(
    layer: &ExportLayer<'_>,
    plan: &GeoTiffPlan,
    file: &mut NewFile,
    workers: &Workers<'_>,
) -> Result<Option<u64>, ExportError> {
    let form = TileForm::from_layer(layer);
    let tiles: Vec<Vec<LevelTile>> = plan
        .levels
        .iter()
        .map(|level| level_tiles(layer, level))
        .collect();

    let head = Head {
        form,
        width: width(plan, form, &tiles),
        plan,
    };
    workers
        .pieces
        .expect(tiles.iter().map(|tiles| tiles.len() as u64).sum());

    let mut stored: Vec<Vec<StoredTile>> = plan
        .levels
        .iter()
        .map(|level| vec![StoredTile::default(); level.len()])
        .collect();

    // The offsets of the tiles are unknown until they are written, so this first head only reserves
    // the room. Its length is already right.
    let blank = head.bytes(&stored);
    file.add(&blank)?;

    let mut end = blank.len() as u64;
    for (tiles, stored) in tiles.iter().zip(&mut stored).rev() {
        for some in tiles.chunks(workers.threads.max(1) * TILES_A_THREAD) {
            if (workers.is_stopped)() {
                return Ok(None);
            }

            let made: Result<Vec<Vec<u8>>, ExportError> = some
                .par_iter()
                .map(|&LevelTile { tile, record, .. }| form.bytes(layer, tile, record))
                .collect();

            for (&LevelTile { at, .. }, tile) in some.iter().zip(made?) {
                stored[at] = StoredTile {
                    offset: end + AROUND / 2,
                    len: tile.len() as u32,
                };
                end += add_tile(file, &tile)?;
            }

            workers.pieces.end(some.len() as u64);
        }
    }

    file.replace(0, &head.bytes(&stored))?;
    Ok(Some(tiles.iter().map(|tiles| tiles.len() as u64).sum()))
}

/// Adds a tile and the bytes around it. Returns the number of bytes added.
fn add_tile(file: &mut NewFile, tile: &[u8]) -> Result<u64, ExportError> {
    file.add(&(tile.len() as u32).to_le_bytes())?;
    file.add(tile)?;
    file.add(tile.last_chunk::<4>().unwrap_or(&[0; 4]))?;
    Ok(tile.len() as u64 + AROUND)
}

/// A tile that the map has.
#[derive(Clone, Copy)]
struct LevelTile {
    /// Its index in its level.
    at: usize,
    tile: TilePos,
    record: TileRecord,
}

/// Returns the tiles of a level that the map has, in order.
fn level_tiles(layer: &ExportLayer<'_>, level: &ImageLevel) -> Vec<LevelTile> {
    let tiles = level.tiles().enumerate();
    tiles
        .filter_map(|(at, tile)| {
            Some(LevelTile {
                at,
                tile,
                record: *layer.tiles.get(&tile)?,
            })
        })
        .collect()
}

/// Returns the width of offsets in the file, which is 8 bytes if the file might exceed 4 GB.
fn width(plan: &GeoTiffPlan, form: TileForm, tiles: &[Vec<LevelTile>]) -> Width {
    let most: u64 = tiles
        .iter()
        .flatten()
        .map(|tile| form.most_bytes(tile.record) + AROUND)
        .sum();

    // Each cell needs an offset and a length in the head, even if the map does not have the tile.
    let cells: u64 = plan.levels.iter().map(|level| level.len() as u64).sum();
    if most + cells * 12 + (1 << 16) > u64::from(u32::MAX) {
        Width::Big
    } else {
        Width::Classic
    }
}
