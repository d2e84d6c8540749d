//! A map that is drawn only to be exported. Its tiles are in a scratch folder, without state,
//! manifests and viewer, and with no more zoom levels than the export needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::publish::account::Account;
use crate::publish::drawn::UnpublishedMap;
use crate::publish::facts::{WorldLabel, map_facts};
use crate::publish::removals::HiddenRegions;
use crate::request::hide::HiddenPlaces;
use crate::request::settings::{Mode, Settings};
use pixelmap_base::coord::{RegionPos, TilePos};
use pixelmap_map::atlas::{FinishedMap, MapFile, MapFolder, Naming, TileRecord};
use pixelmap_map::export::ExportLayer;
use pixelmap_map::store::Output;

/// A map in a scratch folder.
pub(crate) struct ScratchMap<'a> {
    map: FinishedMap,
    pub(crate) account: Account,
    hidden: Option<&'a HiddenPlaces>,
    emptied: BTreeSet<(usize, RegionPos)>,
    /// One entry per layer, in the order of `map`.
    tiles: Vec<BTreeMap<TilePos, TileRecord>>,
}

impl<'a> ScratchMap<'a> {
    /// Makes the map of the tiles in the scratch folder `output` and in the folders below it.
    pub(crate) fn new(world: &WorldLabel, map: UnpublishedMap<'a>, output: &Output) -> Self {
        let mut facts = MapFile::new(world.name.clone());
        facts.dimensions = map_facts(world.spawn.as_ref(), &map);
        let UnpublishedMap {
            made,
            account,
            hidden,
            ..
        } = map;

        let tiles = made
            .layers
            .into_iter()
            .map(|layer| layer.manifest.tiles)
            .collect();

        let map = FinishedMap::Folder(MapFolder::with_facts(
            output.folder().clone(),
            output.below().to_vec(),
            facts,
        ));

        Self {
            map,
            account,
            hidden,
            emptied: made.emptied,
            tiles,
        }
    }

    pub(crate) fn hidden_regions(&self) -> HiddenRegions<'_> {
        HiddenRegions {
            areas: self.hidden,
            emptied: &self.emptied,
        }
    }

    /// Returns whether all tiles are empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.tiles.iter().all(BTreeMap::is_empty)
    }

    /// Returns the layers to export.
    pub(crate) fn layers(&self) -> impl Iterator<Item = ExportLayer<'_>> {
        self.map
            .layers()
            .zip(&self.tiles)
            .map(|(layer, tiles)| ExportLayer::new(layer, tiles))
    }
}

/// Returns the naming of the drawn map's tiles. Only an archive contains the tiles unchanged.
pub(crate) fn tile_naming(settings: &Settings) -> Naming {
    if settings.output.mode != Mode::Archive {
        return Naming::default();
    }

    Naming {
        format: settings.output.naming.format.unwrap_or_default(),
        ..Naming::default()
    }
}
