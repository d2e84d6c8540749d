//! A map that is drawn only to be exported: its tiles lie in a scratch folder, without state, manifests and viewer, and
//! with no more zoom levels than the export needs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::atlas::{FinishedMap, MapFile, MapFolder, Naming, TileRecord};
use crate::base::coord::TilePos;
use crate::draw::account::Drawn;
use crate::draw::error::RenderError;
use crate::draw::exported::asked::Asked;
use crate::draw::map::Map;
use crate::draw::map::drawn::DrawnMap;
use crate::draw::map::finish::map_facts;
use crate::draw::map::removals::Emptied;
use crate::draw::progress::Progress;
use crate::draw::settings::{Mode, Settings};
use crate::export::ExportLayer;
use crate::schedule::{self, Stop};
use crate::store::Output;
use crate::world::World;

/// A map that was drawn, and the run that drew it.
pub(crate) struct ScratchMap {
    pub(crate) map: FinishedMap,
    pub(crate) drawn: Drawn,
    pub(crate) emptied: Emptied,
    /// By layer, in the order of `map`.
    tiles: Vec<BTreeMap<TilePos, TileRecord>>,
}

impl ScratchMap {
    /// A map that was drawn into a folder, where its tiles lie or in the folders `below`.
    pub(crate) fn of(world: &World, map: DrawnMap<'_>, (folder, below): (&Path, Vec<PathBuf>)) -> Self {
        let mut facts = MapFile::new(world.name());
        facts.dimensions = map_facts(world, &map);
        let DrawnMap { made, drawn, emptied, .. } = map;
        let tiles = made.layers.into_iter().map(|layer| layer.manifest.tiles).collect();
        let map = FinishedMap::Folder(MapFolder::of(folder.to_owned(), below, facts));
        Self { map, drawn, emptied, tiles }
    }

    /// Returns whether nothing is on it.
    pub(crate) fn is_empty(&self) -> bool {
        self.tiles.iter().all(BTreeMap::is_empty)
    }

    /// Its layers, as they are exported.
    pub(crate) fn layers(&self) -> impl Iterator<Item = ExportLayer<'_>> {
        self.map.layers().zip(&self.tiles).map(|(layer, tiles)| ExportLayer::new(layer, tiles))
    }
}

/// Draws what is asked for into `folder`, which is there and empty.
pub(crate) fn draw_scratch(
    world: &World,
    asked: &Asked,
    folder: &Path,
    progress: &Progress,
    stop: &Stop,
    start: Instant,
) -> Result<ScratchMap, RenderError> {
    let Asked { prepared, settings, left_out, .. } = asked;
    let map_settings = settings_of_map(settings);
    let output = Output::scratch(folder, naming_of(settings));
    let run_jobs = |map: &Map<'_>, jobs, how: &schedule::Settings| schedule::run(&map, jobs, how, stop);
    let mut drawn = DrawnMap::draw(world, &map_settings, prepared, &output, progress, stop, run_jobs)?;
    drawn.drawn.start = start;
    let mut map = ScratchMap::of(world, drawn, (folder, Vec::new()));
    map.drawn.summary.warnings.extend(left_out.iter().cloned());
    Ok(map)
}

/// The map that is drawn for what is asked for.
pub(crate) fn settings_of_map(settings: &Settings) -> Settings {
    Settings { mode: Mode::Map, staged: None, force: true, ..settings.clone() }
}

/// Returns the naming of the tiles of the map that is drawn. Only an archive takes the tiles as they are.
pub(crate) fn naming_of(settings: &Settings) -> Naming {
    let format = settings.naming.format.filter(|_| settings.mode == Mode::Archive).unwrap_or_default();
    Naming { format, ..Naming::default() }
}
