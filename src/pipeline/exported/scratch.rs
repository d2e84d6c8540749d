//! A map that is drawn only to be exported: its tiles lie in a scratch folder, without state, manifests and viewer, and
//! with no more zoom levels than the export needs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::coord::TilePos;
use crate::export::MapLayer;
use crate::pipeline::exported::asked::Asked;
use crate::pipeline::map::finish::{dimension_facts, layer_facts};
use crate::pipeline::map::history::{History, keys};
use crate::pipeline::map::removals::Emptied;
use crate::pipeline::map::{
    jobs::jobs,
    state::{Made, Map},
};
use crate::pipeline::paint::shared::Drawing;
use crate::pipeline::prepare::layers::MapLayers;
use crate::pipeline::progress::Progress;
use crate::pipeline::report::Drawn;
use crate::pipeline::settings::{Mode, Settings};
use crate::pipeline::{
    error::RenderError,
    prepare::{Prepared, early_warnings},
};
use crate::plan::Plan;
use crate::publish::{Manifest, MapFile, MapFolder, Naming, Output, TileRecord};
use crate::report::ShownNames;
use crate::schedule::{self, Stop};
use crate::world::World;

/// A map that was drawn, and the run that drew it.
pub(in crate::pipeline) struct ScratchMap {
    pub(in crate::pipeline) map: MapFolder,
    pub(in crate::pipeline) drawn: Drawn,
    pub(in crate::pipeline) emptied: Emptied,
    /// By layer, in the order of `map`.
    tiles: Vec<BTreeMap<TilePos, TileRecord>>,
}

impl ScratchMap {
    /// Returns whether nothing is on it.
    pub(in crate::pipeline) fn is_empty(&self) -> bool {
        self.tiles.iter().all(BTreeMap::is_empty)
    }

    /// Its layers, as they are exported.
    pub(in crate::pipeline) fn layers(&self) -> impl Iterator<Item = MapLayer<'_>> {
        self.map.layers().zip(&self.tiles).map(|(layer, tiles)| MapLayer::new(&self.map, layer, tiles))
    }
}

/// Draws what is asked for into `folder`, which is there and empty.
pub(in crate::pipeline) fn draw_scratch(
    world: &World,
    asked: &mut Asked,
    folder: &Path,
    progress: &Progress,
    stop: &Stop,
    start: Instant,
) -> Result<ScratchMap, RenderError> {
    let Asked { prepared, settings, left_out, .. } = asked;
    let of_map = settings_of_map(settings);
    let Prepared { wanted, threads, ref palette, ref mut notes, ref plan, slimes, .. } = *prepared;
    let output = Output::scratch(folder, naming_of(settings));
    let map_layers = MapLayers::new(plan, &of_map, output.naming());
    let keys = keys(world, plan, &map_layers, &of_map, palette, slimes);
    let history = History::open(&output, keys).map_err(RenderError::Output)?;
    let names = crate::pipeline::prepare::names(world, palette);
    let drawing =
        Drawing::new(plan, &of_map, progress, (map_layers, Arc::clone(palette), names, slimes), stop, threads);
    let map = Map::new(drawing, &output, history, threads);
    let mut summary = schedule::run(&&map, jobs(plan), &of_map.schedule(threads), stop);
    let notes = std::mem::take(notes).into_iter().chain(std::mem::take(left_out));
    summary.warnings.extend(early_warnings(notes, plan, settings, (wanted, threads)));
    let (drawing, Made { manifests, shown, emptied, .. }, _) = map.end();
    let (map_layers, left) = drawing.end();
    let drawn = Drawn::of(plan, left, summary, stop, start);
    let (facts, tiles) = facts(world, plan, &map_layers, manifests, &shown);
    Ok(ScratchMap { map: MapFolder::of(folder.to_owned(), facts), drawn, emptied, tiles })
}

/// The map that is drawn for what is asked for.
fn settings_of_map(settings: &Settings) -> Settings {
    Settings { mode: Mode::Map, staged: None, force: true, ..settings.clone() }
}

/// Returns the naming of the tiles of the map that is drawn. Only an archive takes the tiles as they are.
pub(in crate::pipeline) fn naming_of(settings: &Settings) -> Naming {
    let format = settings.naming.format.filter(|_| settings.mode == Mode::Archive).unwrap_or_default();
    Naming { format, ..Naming::default() }
}

/// The facts of a map with these tiles, and its tiles by layer.
fn facts(
    world: &World,
    plan: &Plan,
    map_layers: &MapLayers,
    manifests: Vec<Manifest>,
    shown: &[ShownNames],
) -> (MapFile, Vec<BTreeMap<TilePos, TileRecord>>) {
    let mut map = MapFile::new(world.name());
    for (index, dimension) in plan.dimensions.iter().enumerate() {
        let layers = map_layers.of(index).map(|map_layer| {
            let number = map_layers.number(map_layer);
            layer_facts(plan, map_layers, map_layer, &manifests[number], &shown[number])
        });
        let layers = layers.collect();
        map.dimensions.push(dimension_facts(world, dimension, layers));
    }
    (map, manifests.into_iter().map(|manifest| manifest.tiles).collect())
}
