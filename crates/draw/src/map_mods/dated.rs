//! Gives each exported file the modification time of its tile. These times show, without a list,
//! whether an earlier export or somebody else wrote a file, and whether the tile has changed since.

use std::fs::File;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pixelmap_base::coord::TilePos;
use pixelmap_base::own_folder::Place;
use pixelmap_map::atlas::{AtlasError, FinishedMap};
use pixelmap_map::export::ExportError;
use pixelmap_map::export::ExportLayer;
use pixelmap_map::store::{NewFile, PublishError};

/// Times that differ by less than this are equal, because file systems store times in steps of up
/// to 100 ns.
const STEP: Duration = Duration::from_micros(1);
/// The longest step of any file system; file systems with this step store no fractions of seconds.
const LONGEST_STEP: Duration = Duration::from_secs(2);

/// Fails if an earlier moment of the map is named, because the tiles of a moment have no times of
/// their own.
pub(crate) fn check_newest(map: &FinishedMap) -> Result<(), ExportError> {
    match map {
        FinishedMap::Folder(folder) if folder.moment_id().is_some() => {
            Err(ExportError::MapModOfMoment(folder.root().to_owned()))
        }
        _ => Ok(()),
    }
}

/// Returns the time when a tile was written. For an archive this is the time of its file.
pub(crate) fn tile_time(layer: &ExportLayer<'_>, tile: TilePos) -> Result<SystemTime, AtlasError> {
    let (file, path) = match layer.finished.map {
        FinishedMap::Folder(folder) => {
            let relative = folder.tile_path(layer.finished.facts, tile);
            (folder.open_file(&relative)?, folder.root().join(relative))
        }
        FinishedMap::Archive(archive) => {
            let file = File::open(archive.path());
            (
                file.map_err(AtlasError::io(archive.path()))?,
                archive.path().to_owned(),
            )
        }
    };

    file.metadata()
        .and_then(|metadata| metadata.modified())
        .map_err(AtlasError::io(&path))
}

/// Returns the modification time of a file, or `None` if it does not exist.
pub(crate) fn file_time(place: &Place) -> Result<Option<SystemTime>, PublishError> {
    let time = place.modified();
    time.map_err(|error| PublishError::Io(place.path(), error))
}

/// Returns whether a file has the time of its tile, allowing for the precision of its file system.
pub(crate) fn is_same_time(there: SystemTime, tile: SystemTime) -> bool {
    let is_whole = there
        .duration_since(UNIX_EPOCH)
        .is_ok_and(|time| time.subsec_nanos() == 0);
    let after = there.duration_since(tile).unwrap_or_default();
    let before = tile.duration_since(there).unwrap_or_default();
    after < STEP && before < if is_whole { LONGEST_STEP } else { STEP }
}

/// Writes a file with this modification time, whole or not at all.
pub(crate) fn write(place: &Place, bytes: &[u8], time: SystemTime) -> Result<(), PublishError> {
    let mut file = NewFile::beside(place)?;
    file.add(bytes)?;
    file.set_modified(time)?;
    file.appear().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_files_keep_the_tile_mtime() {
        let at = |nanos: u64| UNIX_EPOCH + Duration::from_nanos(nanos);
        let tile = at(5_123_456_789);
        let same = [5_123_456_789, 5_123_456_700, 5_000_000_000, 4_000_000_000]
            .map(|there| is_same_time(at(there), tile));
        assert_eq!(
            same, [true; 4],
            "the same, in steps of 100 ns, of a second, of two seconds"
        );
        let other = [5_123_400_000, 5_200_000_000, 6_000_000_000, 3_000_000_000]
            .map(|there| is_same_time(at(there), tile));
        assert_eq!(other, [false; 4]);
    }
}
