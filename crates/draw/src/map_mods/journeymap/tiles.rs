//! Writes the pictures of a player's folder without losing what the player has explored.
//!
//! A picture with the same time as its tile was written by an earlier export; a newer picture shows
//! what the player has explored since.

use std::time::SystemTime;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::map_mods::dated;
use crate::map_mods::dated::{file_time, is_same_time, tile_time};
use crate::map_mods::journeymap::options::JourneymapOptions;
use pixelmap_base::coord::{TILE_SIDE, TilePos};
use pixelmap_base::own_folder::{OwnFolder, Place};
use pixelmap_map::atlas::TileRecord;
use pixelmap_map::export::ExportError;
use pixelmap_map::export::ExportLayer;
use pixelmap_map::export::Workers;
use pixelmap_map::store::PublishError;
use pixelmap_tile::{Pixel, decode, rgba_png};

/// A folder for the pictures of a layer.
pub(crate) struct PlayerFolder<'a> {
    pub(crate) folder: &'a OwnFolder,
    /// The path of the layer's folder in `folder`.
    pub(crate) below: &'a str,
    pub(crate) options: &'a JourneymapOptions,
}

/// The outcome for one picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TilePut {
    Written,
    Unchanged,
    /// The player's picture is newer and was kept.
    Kept,
    /// The player's picture should have been filled, but cannot be read.
    Unreadable,
}

impl PlayerFolder<'_> {
    /// Writes the native tiles of a layer into this folder. Returns `None` if the export was
    /// stopped.
    pub(crate) fn put_layer(
        &self,
        layer: &ExportLayer<'_>,
        workers: &Workers<'_>,
    ) -> Result<Option<Vec<TilePut>>, ExportError> {
        let native: Vec<(TilePos, TileRecord)> = layer.native().collect();

        native
            .into_par_iter()
            .map(|(tile, record)| {
                if (workers.is_stopped)() {
                    return Ok(None);
                }

                let done = self.put_tile(layer, tile, record)?;
                workers.pieces.end(1);
                Ok(Some(done))
            })
            .collect()
    }

    fn put_tile(
        &self,
        layer: &ExportLayer<'_>,
        tile: TilePos,
        record: TileRecord,
    ) -> Result<TilePut, ExportError> {
        let relative = format!("{}/{},{}.png", self.below, tile.x, tile.y);
        let failed = |error| PublishError::Io(self.folder.path().join(&relative), error);

        let place = self.folder.place(&relative).map_err(failed)?;
        let time = tile_time(layer, tile)?;
        match file_time(&place)? {
            Some(there) if is_same_time(there, time) => return Ok(TilePut::Unchanged),
            Some(_) if self.options.merge => {
                let bytes = place.read().map_err(failed)?;
                let Ok(mut picture) = decode(&bytes) else {
                    return Ok(TilePut::Unreadable);
                };
                if !picture.put_below(&layer.finished.canvas(tile, record)?) {
                    return Ok(TilePut::Unchanged);
                }

                // The filled picture gets the current time, because it still belongs to the player
                // and must count as newer than the tile.
                return write(&place, picture.pixels(), SystemTime::now());
            }
            Some(there) if there > time && !self.options.force => return Ok(TilePut::Kept),
            _ => {}
        }

        write(&place, layer.finished.canvas(tile, record)?.pixels(), time)
    }
}

fn write(place: &Place, pixels: &[Pixel], time: SystemTime) -> Result<TilePut, ExportError> {
    // Plain RGBA, as the mod writes it, because some of its versions may not read the smaller forms
    // of PNG.
    dated::write(place, &rgba_png(TILE_SIDE, pixels), time)?;
    Ok(TilePut::Written)
}
