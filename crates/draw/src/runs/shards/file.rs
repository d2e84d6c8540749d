//! The file of a part, with all facts about the world that a map needs in addition to the records
//! of tiles.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::publish::drawn::UnpublishedMap;
use crate::publish::facts::{WorldLabel, stated_time};
use crate::publish::world_markers::WorldMarkers;
use crate::report::{BadChunk, Options};
use crate::request::hide::HiddenPlaces;
use crate::request::plan::Shard;
use crate::schedule;
use pixelmap_base::coord::{NATIVE_ZOOM, OUTER_ZOOM};
use pixelmap_base::json;
use pixelmap_map::atlas::{Format, Naming, Scheme, is_reserved_name};
use pixelmap_map::page::PageTexts;
use pixelmap_map::store::{Identity, LayerKey};
use pixelmap_paint::layers::Layer;
use pixelmap_paint::markers::{OwnerFile, OwnerIcon};
use pixelmap_world::internal::World;

/// The content of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PartFile {
    /// The shard's number, counted from 1.
    pub(crate) shard: u32,
    pub(crate) shards: u32,
    /// When the world was last played before the part was drawn, in seconds since 1970.
    #[serde(default)]
    pub(crate) last_played: Option<i64>,
    #[serde(rename = "same")]
    pub(crate) agreement: PartAgreement,
    /// One entry per map.
    #[serde(rename = "found")]
    pub(crate) findings: Vec<PartFindings>,
}

/// Facts that all parts of one map share. Parts with different facts do not belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartAgreement {
    /// The program's version.
    pub(crate) version: String,
    /// The world's name.
    pub(crate) name: String,
    /// The dimension and the block where players start.
    pub(crate) spawn: Option<(String, [i32; 3])>,
    pub(crate) data_version: Option<i32>,
    pub(crate) scheme: Scheme,
    pub(crate) format: Format,
    pub(crate) page: PageTexts,
    pub(crate) own_markers: Vec<OwnerFile>,
    #[serde(default)]
    pub(crate) icons: Vec<OwnerIcon>,
    pub(crate) maps: Vec<MapAgreement>,
}

/// Facts that all parts share about one of the maps in a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MapAgreement {
    /// A hash of how the regions are divided among shards.
    pub(crate) division: u64,
    pub(crate) layers: Vec<String>,
    /// The map's keys in the journal.
    keys: Vec<(u64, u64)>,
    /// Whether markers of the world are shown.
    pub(crate) has_markers: bool,
    /// Whether markers of players are shown as well.
    has_players: bool,
    pub(crate) options: Options,
    /// The hidden places. A merge removes them from the earlier moments of a map as well.
    #[serde(default)]
    pub(crate) hidden: HiddenPlaces,
    pub(crate) dimensions: Vec<DimensionAgreement>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DimensionAgreement {
    pub(crate) id: String,
    /// Its folder in the map.
    pub(crate) path: String,
    /// The outermost zoom level of the whole map.
    pub(crate) min_zoom: u8,
}

/// The findings of one part in one map.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct PartFindings {
    /// One entry per dimension.
    #[serde(rename = "of_world")]
    pub(crate) world_markers: Vec<WorldMarkers>,
    pub(crate) bad_chunks: Vec<BadChunk>,
    /// Regions that could not be read at all. `regions_hidden` counts the regions that are hidden
    /// completely.
    pub(crate) regions_failed: u64,
    pub(crate) regions_hidden: u64,
    pub(crate) warnings: Vec<String>,
    /// Tiles of earlier runs that exist but are not tiles of this part now: the number of the key
    /// in the journal, zoom level, x and y.
    pub(crate) strays: BTreeSet<(usize, u8, i32, i32)>,
}

impl PartFile {
    /// Makes the file of the part of these maps that `shard` has drawn.
    pub(crate) fn new(
        world: &World,
        naming: Naming,
        shard: Shard,
        maps: &[UnpublishedMap<'_>],
    ) -> Self {
        let agreement = PartAgreement {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: world.name(),
            spawn: world.spawns.new_players.clone(),
            data_version: world.level.data_version,
            scheme: naming.scheme,
            format: naming.format,
            page: maps
                .first()
                .map_or_else(PageTexts::default, |map| map.publishing.page.clone()),
            own_markers: maps
                .iter()
                .flat_map(|map| map.publishing.own_markers)
                .cloned()
                .collect(),
            icons: maps
                .iter()
                .flat_map(|map| map.publishing.icons)
                .cloned()
                .collect(),
            maps: maps.iter().map(MapAgreement::new).collect(),
        };

        let findings = maps
            .iter()
            .map(|map| PartFindings::new(world, map))
            .collect();

        Self {
            shard: shard.number(),
            shards: shard.count(),
            last_played: stated_time(world),
            agreement,
            findings,
        }
    }

    pub(crate) fn json(&self) -> Vec<u8> {
        // This cannot fail, because JSON can represent all of these values.
        json::text(self).unwrap_or_default().into_bytes()
    }

    /// Parses the file. Returns `None` if it is not a part that this program can merge.
    pub(crate) fn parse(json: &[u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(json)
            .ok()
            .filter(Self::is_sound)
    }

    /// A part may come from anyone, so check that paths stay in the folder, numbers are in range,
    /// and texts are JSON.
    fn is_sound(&self) -> bool {
        Shard::new(self.shard, self.shards).is_some()
            && self.findings.len() == self.agreement.maps.len()
            && self.agreement.maps.iter().all(MapAgreement::is_sound)
            && self.agreement.own_markers.iter().all(OwnerFile::is_sound)
            && self.agreement.icons.iter().all(OwnerIcon::is_sound)
            && self.findings.iter().all(PartFindings::is_sound)
    }
}

impl PartAgreement {
    /// Returns the layers and the dimension folders of each map, which together determine the
    /// numbers of map layers.
    pub(crate) fn map_layers(&self) -> impl Iterator<Item = (&[String], Vec<&str>)> {
        self.maps.iter().map(|map| {
            (
                map.layers.as_slice(),
                map.dimensions
                    .iter()
                    .map(|dimension| dimension.path.as_str())
                    .collect(),
            )
        })
    }

    pub(crate) const fn naming(&self) -> Naming {
        Naming {
            scheme: self.scheme,
            format: self.format,
        }
    }

    pub(crate) fn world_label(&self, moment_time: Option<i64>) -> WorldLabel {
        WorldLabel {
            name: self.name.clone(),
            spawn: self.spawn.clone(),
            moment_time,
        }
    }

    pub(crate) fn identity(&self) -> Identity {
        let spawn = self.spawn.as_ref().map(|(_, spawn)| *spawn);
        Identity {
            name: self.name.clone(),
            spawn,
            path: PathBuf::new(),
        }
    }
}

impl MapAgreement {
    fn is_sound(&self) -> bool {
        // The keys of all map layers, regions, markers and inner tiles.
        let keys = self.dimensions.len() * (2 * self.layers.len() + 2);
        !self.layers.is_empty()
            && self.keys.len() == keys
            && self.dimensions.iter().all(DimensionAgreement::is_sound)
    }

    fn new(map: &UnpublishedMap<'_>) -> Self {
        let dimensions = map.dimensions.iter().map(|dimension| DimensionAgreement {
            id: dimension.id.to_owned(),
            path: dimension.path.to_owned(),
            min_zoom: dimension.tiles.min_zoom(),
        });

        Self {
            division: map.division.unwrap_or_default(),
            layers: map
                .map_layers
                .layers()
                .iter()
                .map(|layer| layer.name().to_owned())
                .collect(),
            keys: map
                .made
                .keys
                .iter()
                .map(|key| (key.layer, key.options))
                .collect(),
            has_markers: map.publishing.markers.is_any(),
            has_players: map.publishing.markers.players,
            // Paths and batch sizes differ between machines. The keys already depend on the
            // colours.
            options: Options {
                palette: Vec::new(),
                assets: Vec::new(),
                max_batch: schedule::DEFAULT_MAX_BATCH,
                ..map.account.options.clone()
            },
            hidden: map.hidden.cloned().unwrap_or_default(),
            dimensions: dimensions.collect(),
        }
    }

    /// Returns the agreement limited to one layer of one dimension, by their numbers.
    pub(crate) fn single_layer(&self, dimension: usize, layer: usize) -> Option<Self> {
        let layers = self.layers.len();
        let tiles = self.keys.get(dimension * layers + layer)?;
        let regions = self.keys.get(self.dimensions.len() * layers + dimension)?;
        Some(Self {
            layers: vec![self.layers.get(layer)?.clone()],
            keys: vec![*tiles, *regions],
            has_markers: false,
            dimensions: vec![self.dimensions.get(dimension)?.clone()],
            ..self.clone()
        })
    }

    pub(crate) fn keys(&self) -> Vec<LayerKey> {
        self.keys
            .iter()
            .map(|&(layer, options)| LayerKey { layer, options })
            .collect()
    }

    /// Returns its layers, or `None` if one of them is unknown to this program.
    pub(crate) fn layers(&self) -> Option<Vec<Layer>> {
        let mut layers = Vec::new();
        for name in &self.layers {
            let mut known = Layer::ALL.iter().copied().chain([Layer::DETAILS]);
            layers.push(known.find(|layer| layer.name() == name)?);
        }

        Some(layers)
    }
}

impl DimensionAgreement {
    fn is_sound(&self) -> bool {
        !is_reserved_name(self.path.split('/').next().unwrap_or_default())
            && self.path == self.id.replace(':', "/")
            && (OUTER_ZOOM..=NATIVE_ZOOM).contains(&self.min_zoom)
    }
}

impl PartFindings {
    fn is_sound(&self) -> bool {
        let mut world_markers = self.world_markers.iter();
        let mut strays = self.strays.iter();
        world_markers.all(has_features)
            && strays.all(|&(_, zoom, x, y)| Scheme::Signed.tile_at(zoom, x, y).is_some())
    }

    fn new(world: &World, map: &UnpublishedMap<'_>) -> Self {
        Self {
            world_markers: map.world_markers.clone(),
            bad_chunks: map.account.bad_chunks.clone(),
            regions_failed: map.account.drawn.tally.regions_failed,
            regions_hidden: map.account.regions_hidden,
            warnings: world
                .warnings
                .iter()
                .chain(&map.marker_warnings)
                .cloned()
                .collect(),
            strays: BTreeSet::new(),
        }
    }
}

/// Returns whether the texts of these markers are JSON.
fn has_features(world_markers: &WorldMarkers) -> bool {
    let WorldMarkers {
        markers, border, ..
    } = world_markers;
    markers.iter().all(|marker| is_json(&marker.properties))
        && border.iter().all(|text| is_json(text))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok()
}
