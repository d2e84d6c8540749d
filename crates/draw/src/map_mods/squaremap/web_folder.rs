//! Writes the tiles and documents of a map into the folder for a web host.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::documents;
use super::documents::NamedIcons;
use crate::map_mods::dated;
use crate::map_mods::dated::{check_newest, file_time, is_same_time, tile_time};
use crate::map_mods::features::features;
use pixelmap_base::coord::{NATIVE_ZOOM, TilePos};
use pixelmap_base::disk::if_there;
use pixelmap_base::own_folder::{OwnFolder, Place};
use pixelmap_map::atlas::{FinishedLayer, FinishedMap, MapFolder, TileRecord};
use pixelmap_map::export::ExportError;
use pixelmap_map::export::ExportLayer;
use pixelmap_map::export::Workers;
use pixelmap_map::store::{PublishError, put_at};

/// The file that the programs read first. It also marks a folder as an export of pixelmap.
const SETTINGS: &str = "tiles/settings.json";
/// The folder of that file, and the name of the file while it is being written.
const TILES: &str = "tiles";
const SETTINGS_PART: &str = ".settings.json.part";

/// The counts of an export for readers of squaremap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SquaremapCounts {
    /// Tiles and other files together.
    pub written: u64,
    pub unchanged: u64,
    pub removed: u64,
    pub markers: u64,
}

/// The folder of the export.
struct WebFolder {
    folder: OwnFolder,
}

/// Writes layers of a map, one per dimension, into a folder for a web host. Returns `None` if the
/// export was stopped.
///
/// # Errors
/// Fails if the folder holds something else, if a tile differs from its record in the manifest, or
/// if a file cannot be written.
pub fn put_squaremap(
    path: &Path,
    map: &FinishedMap,
    layers: &[FinishedLayer<'_>],
    workers: &Workers<'_>,
) -> Result<Option<SquaremapCounts>, ExportError> {
    check_newest(map)?;
    let folder = WebFolder::open(path)?;
    let mut counts = SquaremapCounts::default();

    // This file comes first because it marks the folder as ours, even if the export is stopped
    // later.
    folder.put(
        SETTINGS,
        &documents::settings(map.facts(), layers),
        &mut counts,
    )?;
    folder.put("tiles/players.json", &documents::players(), &mut counts)?;

    let (features, own_icons) = match map {
        FinishedMap::Folder(map) => (features(map)?, own_icons(map)?),
        FinishedMap::Archive(_) => (Vec::new(), NamedIcons::new()),
    };

    let layers = layers
        .iter()
        .map(|&layer| ExportLayer::open_for_picture(layer));
    let layers: Vec<ExportLayer<'_>> = layers.collect::<Result<_, _>>()?;
    workers
        .pieces
        .expect(layers.iter().map(|layer| tiles(layer).count() as u64).sum());

    for layer in &layers {
        let world = documents::world_name(&layer.finished.dimension.id);
        let Some(tiles) = workers.run(|| folder.put_tiles(layer, &world, workers))?? else {
            return Ok(None);
        };

        let written = tiles.iter().filter(|is_written| **is_written).count();
        counts.written += written as u64;
        counts.unchanged += (tiles.len() - written) as u64;
        counts.removed += folder.remove_others(layer, &world)?;
        folder.put(
            &format!("tiles/{world}/settings.json"),
            &documents::world_settings(layer.finished),
            &mut counts,
        )?;

        let markers = documents::Markers::new(&features, &layer.finished.dimension.id, &own_icons);
        counts.markers += markers.count;
        folder.put(
            &format!("tiles/{world}/markers.json"),
            &markers.json(),
            &mut counts,
        )?;

        for (icon, png) in &markers.icons {
            folder.put(
                &format!("images/icon/registered/{icon}.png"),
                png,
                &mut counts,
            )?;
        }
    }

    Ok(Some(counts))
}

/// Returns the owner's icons in a map. An icon whose file is missing is left out.
fn own_icons(map: &MapFolder) -> Result<NamedIcons, ExportError> {
    let mut icons = NamedIcons::new();
    for icon in &map.facts().icons {
        if let Some(png) = map.read(&icon.file)? {
            icons.insert(icon.name.clone(), png);
        }
    }

    Ok(icons)
}

/// Returns the tiles of a layer, from the outermost zoom level to the native one. Levels with
/// textures are left out, because readers enlarge the native level themselves.
fn tiles(layer: &ExportLayer<'_>) -> impl Iterator<Item = (TilePos, TileRecord)> {
    let tiles = layer.tiles.iter().map(|(&tile, &record)| (tile, record));
    tiles.take_while(|(tile, _)| tile.zoom <= NATIVE_ZOOM)
}

/// Returns the path of a tile below the folder. The outermost level is 0.
fn tile_path(layer: &ExportLayer<'_>, world: &str, TilePos { zoom, x, y }: TilePos) -> String {
    let level = zoom - layer.finished.facts.min_zoom;
    // Readers always request `.png`. A WebP tile under this name works, because browsers recognise
    // it by its bytes.
    format!("tiles/{world}/{level}/{x}_{y}.png")
}

impl WebFolder {
    /// Opens the folder if it is empty, holds an earlier export, or was left by an export that was
    /// killed.
    fn open(path: &Path) -> Result<Self, PublishError> {
        let failed = PublishError::io(path);
        match Self::find_ours(path).map_err(failed)? {
            Some(folder) => Ok(Self { folder }),
            None => Err(PublishError::NotOurs(path.to_owned())),
        }
    }

    /// Returns the folder, or `None` if it holds something else.
    fn find_ours(path: &Path) -> io::Result<Option<OwnFolder>> {
        let folder = OwnFolder::make(path)?;
        let settings = if_there(folder.place(SETTINGS)?.read())?;
        let is_marked = settings.is_some_and(|settings| documents::is_ours(&settings));

        // The first file that an export writes marks the folder. An export that was killed before
        // that leaves at most its unfinished first file.
        let is_ours = is_marked || is_begun(&folder)?;
        Ok(is_ours.then_some(folder))
    }

    fn place(&self, relative: &str) -> Result<Place, PublishError> {
        self.folder
            .place(relative)
            .map_err(|error| PublishError::Io(self.folder.path().join(relative), error))
    }

    /// Writes a small file, unless it already exists with these bytes.
    fn put(
        &self,
        relative: &str,
        bytes: &[u8],
        counts: &mut SquaremapCounts,
    ) -> Result<(), PublishError> {
        let place = self.place(relative)?;
        if place.has_bytes(bytes).map_err(PublishError::at(&place))? {
            counts.unchanged += 1;
            return Ok(());
        }

        put_at(&place, bytes)?;
        counts.written += 1;

        Ok(())
    }

    /// Writes the tiles of a layer into the folder. Returns for each tile whether it was written,
    /// or `None` if the export was stopped.
    fn put_tiles(
        &self,
        layer: &ExportLayer<'_>,
        world: &str,
        workers: &Workers<'_>,
    ) -> Result<Option<Vec<bool>>, ExportError> {
        let tiles: Vec<(TilePos, TileRecord)> = tiles(layer).collect();

        tiles
            .into_par_iter()
            .map(|(tile, record)| {
                if (workers.is_stopped)() {
                    return Ok(None);
                }

                let is_written = self.put_tile(layer, world, tile, record)?;
                workers.pieces.end(1);
                Ok(Some(is_written))
            })
            .collect()
    }

    /// Writes a tile, unless its file has the time of the tile. Returns whether it was written.
    fn put_tile(
        &self,
        layer: &ExportLayer<'_>,
        world: &str,
        tile: TilePos,
        record: TileRecord,
    ) -> Result<bool, ExportError> {
        let place = self.place(&tile_path(layer, world, tile))?;
        let time = tile_time(layer, tile)?;
        if file_time(&place)?.is_some_and(|there| is_same_time(there, time)) {
            return Ok(false);
        }

        dated::write(&place, &layer.finished.file(tile, record)?, time)?;
        Ok(true)
    }

    /// Removes the tiles of earlier exports that the layer does not have, and returns their number.
    fn remove_others(&self, layer: &ExportLayer<'_>, world: &str) -> Result<u64, PublishError> {
        let tiles: HashSet<String> = tiles(layer)
            .map(|(tile, _)| tile_path(layer, world, tile))
            .collect();
        let mut removed = 0;
        for level in 0..NATIVE_ZOOM {
            let folder = self.place(&format!("tiles/{world}/{level}"))?;
            for name in folder
                .names()
                .map_err(|error| PublishError::Io(folder.path(), error))?
            {
                let relative = format!("tiles/{world}/{level}/{name}");
                let is_png = Path::new(&name)
                    .extension()
                    .is_some_and(|ending| ending == "png");
                if is_png && !name.starts_with('.') && !tiles.contains(&relative) {
                    let tile = self.place(&relative)?;
                    removed += u64::from(
                        tile.remove()
                            .map_err(|error| PublishError::Io(tile.path(), error))?,
                    );
                }
            }
        }

        Ok(removed)
    }
}

/// Returns whether a folder contains only the unfinished first file of an export.
fn is_begun(folder: &OwnFolder) -> io::Result<bool> {
    if folder.names()?.iter().any(|name| name != TILES) {
        return Ok(false);
    }

    let inside = folder.place(TILES)?.names()?;
    Ok(inside.iter().all(|name| *name == SETTINGS_PART))
}
