//! A map as a web host has that of squaremap, a plugin of servers: its tiles, markers and facts, for programs that read
//! maps of it, such as MapLink in the game and LiveAtlas in a browser.
//!
//! Sources: what these read (thebuildcraft/MapLink, `SquareMapConnection`; JLyne/LiveAtlas, `Pl3xmapMapProvider`).

mod documents;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::atlas::{FinishedLayer, FinishedMap, TileRecord};
use crate::base::coord::{NATIVE_ZOOM, TilePos};
use crate::base::disk::{if_there, read_file};
use crate::export::map_mods::dated;
use crate::export::map_mods::dated::{check_newest, file_time, is_same_time, tile_time};
use crate::export::map_mods::features::features;
use crate::export::{ExportError, ExportLayer, Workers};
use crate::store::{PartialFile, PublishError};

/// The file by which the programs begin, and by which a folder is known to be such an export.
const SETTINGS: &str = "tiles/settings.json";

/// What an export for readers of squaremap did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SquaremapCounts {
    /// Tiles and other files.
    pub written: u64,
    pub unchanged: u64,
    pub removed: u64,
    pub markers: u64,
}

/// A folder that is held for the export.
struct WebFolder<'a> {
    path: &'a Path,
}

/// Writes layers of a map, one for each dimension, into a folder for a web host; `None`: the export is to stop.
///
/// # Errors
/// The folder holds something else, a tile is not the one that the manifest names, or a file cannot be written.
pub fn put_squaremap(
    path: &Path,
    map: &FinishedMap,
    layers: &[FinishedLayer<'_>],
    workers: &Workers<'_>,
) -> Result<Option<SquaremapCounts>, ExportError> {
    check_newest(map)?;
    let folder = WebFolder { path };
    folder.check_ours()?;
    let mut counts = SquaremapCounts::default();
    // The folder is known to be ours from now on, also if the export is stopped.
    folder.put(SETTINGS, &documents::settings(map.facts(), layers), &mut counts)?;
    folder.put("tiles/players.json", &documents::players(), &mut counts)?;
    let features = match map {
        FinishedMap::Folder(map) => features(map)?,
        FinishedMap::Archive(_) => Vec::new(),
    };
    let layers = layers.iter().map(|&layer| ExportLayer::open_for_picture(layer));
    let layers: Vec<ExportLayer<'_>> = layers.collect::<Result<_, _>>()?;
    workers.pieces.expect(layers.iter().map(|layer| tiles(layer).count()).sum());
    for layer in &layers {
        let world = documents::world_name(&layer.finished.dimension.id);
        let Some(tiles) = workers.run(|| folder.put_tiles(layer, &world, workers))?? else { return Ok(None) };
        let written = tiles.iter().filter(|is_written| **is_written).count();
        counts.written += written as u64;
        counts.unchanged += (tiles.len() - written) as u64;
        counts.removed += folder.remove_others(layer, &world)?;
        folder.put(&format!("tiles/{world}/settings.json"), &documents::world_settings(layer.finished), &mut counts)?;
        let markers = documents::Markers::new(&features, &layer.finished.dimension.id);
        counts.markers += markers.count;
        folder.put(&format!("tiles/{world}/markers.json"), &markers.json(), &mut counts)?;
        for (icon, png) in markers.icons() {
            folder.put(&format!("images/icon/registered/{icon}.png"), &png, &mut counts)?;
        }
    }
    Ok(Some(counts))
}

/// The tiles of a layer, from the outermost zoom level to the native one: readers enlarge that.
fn tiles(layer: &ExportLayer<'_>) -> impl Iterator<Item = (TilePos, TileRecord)> {
    let tiles = layer.tiles.iter().map(|(&tile, &record)| (tile, record));
    tiles.take_while(|(tile, _)| tile.zoom <= NATIVE_ZOOM)
}

/// The path of a tile below the folder. The outermost level is 0.
fn tile_path(layer: &ExportLayer<'_>, world: &str, TilePos { zoom, x, y }: TilePos) -> String {
    let level = zoom - layer.finished.facts.min_zoom;
    // Readers ask for this ending; browsers know WebP by its bytes.
    format!("tiles/{world}/{level}/{x}_{y}.png")
}

impl WebFolder<'_> {
    /// Checks that the folder is empty or holds an earlier export.
    fn check_ours(&self) -> Result<(), PublishError> {
        let failed = |error| PublishError::Io(self.path.to_owned(), error);
        let Some(mut entries) = if_there(self.path.read_dir()).map_err(failed)? else { return Ok(()) };
        let is_ours = || read_file(&self.path.join(SETTINGS)).is_ok_and(|bytes| documents::is_ours(&bytes));
        if entries.next().is_none() || is_ours() { Ok(()) } else { Err(PublishError::NotOurs(self.path.to_owned())) }
    }

    /// Writes a small file, if it is not there with these bytes.
    fn put(&self, relative: &str, bytes: &[u8], counts: &mut SquaremapCounts) -> Result<(), PublishError> {
        let path = self.path.join(relative);
        if read_file(&path).is_ok_and(|there| there == bytes) {
            counts.unchanged += 1;
            return Ok(());
        }
        let mut file = PartialFile::create(&path, &[])?;
        file.add(bytes)?;
        file.appear()?;
        counts.written += 1;
        Ok(())
    }

    /// Puts the tiles of a layer here, and returns of each whether it was written; `None`: the export is to stop.
    fn put_tiles(
        &self,
        layer: &ExportLayer<'_>,
        world: &str,
        workers: &Workers<'_>,
    ) -> Result<Option<Vec<bool>>, ExportError> {
        let tiles: Vec<(TilePos, TileRecord)> = tiles(layer).collect();
        let put = |(tile, record)| {
            if (workers.is_stopped)() {
                return Ok(None);
            }
            let path = self.path.join(tile_path(layer, world, tile));
            let time = tile_time(layer, tile)?;
            workers.pieces.end(1);
            if file_time(&path)?.is_some_and(|there| is_same_time(there, time)) {
                return Ok(Some(false));
            }
            dated::write(&path, &layer.finished.file(tile, record)?, time)?;
            Ok(Some(true))
        };
        tiles.into_par_iter().map(put).collect()
    }

    /// Removes the tiles of earlier exports that the layer does not have; returns how many.
    fn remove_others(&self, layer: &ExportLayer<'_>, world: &str) -> Result<u64, PublishError> {
        let tiles: HashSet<PathBuf> =
            tiles(layer).map(|(tile, _)| self.path.join(tile_path(layer, world, tile))).collect();
        let mut removed = 0;
        for level in 0..NATIVE_ZOOM {
            let folder = self.path.join(format!("tiles/{world}/{level}"));
            let failed = |error| PublishError::Io(folder.clone(), error);
            let Some(entries) = if_there(folder.read_dir()).map_err(failed)? else { continue };
            for entry in entries {
                let path = entry.map_err(failed)?.path();
                let is_tile = path.extension().is_some_and(|ending| ending == "png");
                if is_tile && !tiles.contains(&path) {
                    std::fs::remove_file(&path).map_err(failed)?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }
}
