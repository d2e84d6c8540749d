//! The pictures of a player's folder.
//!
//! A picture that is written gets the time of its tile. So its time shows what it is: as old as the tile is what an
//! earlier export wrote, and newer is what the player has seen since.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::JourneymapOptions;
use crate::atlas::{AtlasError, FinishedMap, TileRecord};
use crate::base::coord::{TILE_SIDE, TilePos};
use crate::base::disk::{if_there, read_file};
use crate::export::{ExportError, ExportLayer, Workers};
use crate::store::{PartialFile, PublishError};
use crate::tile::{Canvas, Pixel, PixelSize, StripEncoder, decode, png_end, png_start};

/// Times that differ by less are equal: some file systems count in steps of two seconds.
const STEP: Duration = Duration::from_secs(2);

/// A folder with the pictures of a layer.
pub(super) struct PlayerFolder<'a> {
    pub(super) path: PathBuf,
    /// The folders of the world, in which nothing is written.
    pub(super) worlds: &'a [PathBuf],
    pub(super) options: &'a JourneymapOptions,
}

/// What was done with a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    Written,
    Unchanged,
    /// The player's is newer.
    Kept,
    /// The player's is to be filled, and cannot be read.
    Unreadable,
}

impl PlayerFolder<'_> {
    /// Puts the native tiles of a layer here; `None`: the export is to stop.
    pub(super) fn put_layer(
        &self,
        layer: &ExportLayer<'_>,
        workers: &Workers<'_>,
    ) -> Result<Option<Vec<Put>>, ExportError> {
        let native: Vec<(TilePos, TileRecord)> = layer.native().collect();
        let put = |(tile, record)| {
            if (workers.is_stopped)() { Ok(None) } else { self.put_tile(layer, tile, record).map(Some) }
        };
        native.into_par_iter().map(put).collect()
    }

    fn put_tile(&self, layer: &ExportLayer<'_>, tile: TilePos, record: TileRecord) -> Result<Put, ExportError> {
        let path = self.path.join(format!("{},{}.png", tile.x, tile.y));
        let time = tile_time(layer, tile)?;
        let failed = |error| PublishError::Io(path.clone(), error);
        let there = if_there(path.metadata()).and_then(|there| there.map(|there| there.modified()).transpose());
        match there.map_err(failed)? {
            Some(there) if is_same_time(there, time) => return Ok(Put::Unchanged),
            Some(_) if self.options.merge => {
                let Ok(picture) = decode(&read_file(&path).map_err(failed)?) else { return Ok(Put::Unreadable) };
                let canvas = layer.finished.canvas(tile, record)?;
                // What was filled is the player's picture still, and newer than the tile.
                return filled(&picture, &canvas)
                    .map_or(Ok(Put::Unchanged), |pixels| self.write(&path, &pixels, SystemTime::now()));
            }
            Some(there) if there > time && !self.options.force => return Ok(Put::Kept),
            _ => {}
        }
        self.write(&path, layer.finished.canvas(tile, record)?.pixels(), time)
    }

    fn write(&self, path: &Path, pixels: &[Pixel], time: SystemTime) -> Result<Put, ExportError> {
        let mut file = PartialFile::create(path, self.worlds)?;
        file.add(&rgba_png(pixels))?;
        file.set_modified(time)?;
        file.appear()?;
        Ok(Put::Written)
    }
}

/// A picture of RGBA, as the mod writes it: not all of its versions may know the smaller forms of PNG.
fn rgba_png(pixels: &[Pixel]) -> Vec<u8> {
    let mut encoder = StripEncoder::png();
    encoder.start(true);
    pixels.chunks_exact(TILE_SIDE).for_each(|row| encoder.row(row));
    let strip = encoder.end();
    [png_start(PixelSize::TILE, &[]), strip.bytes, png_end(strip.adler)].concat()
}

/// The time when a tile was written; of an archive that of its file.
fn tile_time(layer: &ExportLayer<'_>, tile: TilePos) -> Result<SystemTime, AtlasError> {
    let (file, path) = match layer.finished.map {
        FinishedMap::Folder(folder) => {
            let relative = folder.tile_path(layer.finished.facts, tile);
            (folder.open_file(&relative)?, folder.root().join(relative))
        }
        FinishedMap::Archive(archive) => {
            let file = File::open(archive.path());
            (file.map_err(AtlasError::io(archive.path()))?, archive.path().to_owned())
        }
    };
    file.metadata().and_then(|metadata| metadata.modified()).map_err(AtlasError::io(&path))
}

fn is_same_time(one: SystemTime, other: SystemTime) -> bool {
    let apart = one.duration_since(other).or_else(|_| other.duration_since(one)).unwrap_or_default();
    apart < STEP
}

/// The pixels of a picture, and those of the tile where it has none; `None`: nothing is to be filled.
fn filled(picture: &Canvas, tile: &Canvas) -> Option<Vec<Pixel>> {
    let both = || picture.pixels().iter().zip(tile.pixels());
    both()
        .any(|(there, pixel)| *there == Pixel::CLEAR && *pixel != Pixel::CLEAR)
        .then(|| both().map(|(there, pixel)| if *there == Pixel::CLEAR { *pixel } else { *there }).collect())
}
