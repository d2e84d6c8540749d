//! The pictures of a player's folder.
//!
//! A picture that is as old as its tile is one that an earlier export wrote; a newer one is what the player has seen since.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::atlas::TileRecord;
use crate::base::coord::{TILE_SIDE, TilePos};
use crate::base::disk::read_file;
use crate::export::map_mods::dated;
use crate::export::map_mods::dated::{file_time, is_same_time, tile_time};
use crate::export::map_mods::journeymap::JourneymapOptions;
use crate::export::{ExportError, ExportLayer, Workers};
use crate::store::PublishError;
use crate::tile::{Pixel, decode, rgba_png};

/// A folder with the pictures of a layer.
pub(crate) struct PlayerFolder<'a> {
    pub(crate) path: PathBuf,
    /// The folders of the world, in which nothing is written.
    pub(crate) options: &'a JourneymapOptions,
}

/// What was done with a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    Written,
    Unchanged,
    /// The player's is newer.
    Kept,
    /// The player's is to be filled, and cannot be read.
    Unreadable,
}

impl PlayerFolder<'_> {
    /// Puts the native tiles of a layer here; `None`: the export is to stop.
    pub(crate) fn put_layer(
        &self,
        layer: &ExportLayer<'_>,
        workers: &Workers<'_>,
    ) -> Result<Option<Vec<Put>>, ExportError> {
        let native: Vec<(TilePos, TileRecord)> = layer.native().collect();
        let put = |(tile, record)| {
            if (workers.is_stopped)() {
                return Ok(None);
            }
            let done = self.put_tile(layer, tile, record)?;
            workers.pieces.end(1);
            Ok(Some(done))
        };
        native.into_par_iter().map(put).collect()
    }

    fn put_tile(&self, layer: &ExportLayer<'_>, tile: TilePos, record: TileRecord) -> Result<Put, ExportError> {
        let path = self.path.join(format!("{},{}.png", tile.x, tile.y));
        let time = tile_time(layer, tile)?;
        match file_time(&path)? {
            Some(there) if is_same_time(there, time) => return Ok(Put::Unchanged),
            Some(_) if self.options.merge => {
                let bytes = read_file(&path).map_err(|error| PublishError::Io(path.clone(), error))?;
                let Ok(mut picture) = decode(&bytes) else { return Ok(Put::Unreadable) };
                if !picture.put_below(&layer.finished.canvas(tile, record)?) {
                    return Ok(Put::Unchanged);
                }
                // It is the player's picture still, and newer than the tile.
                return write(&path, picture.pixels(), SystemTime::now());
            }
            Some(there) if there > time && !self.options.force => return Ok(Put::Kept),
            _ => {}
        }
        write(&path, layer.finished.canvas(tile, record)?.pixels(), time)
    }
}

fn write(path: &Path, pixels: &[Pixel], time: SystemTime) -> Result<Put, ExportError> {
    // As the mod writes it: not all of its versions may know the smaller forms of PNG.
    dated::write(path, &rgba_png(TILE_SIDE, pixels), time)?;
    Ok(Put::Written)
}
