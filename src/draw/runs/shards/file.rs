//! The file of a part: all that a map needs of the world beside the records of tiles.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::atlas::{Format, MARKERS, Naming, Scheme};
use crate::base::coord::{NATIVE_ZOOM, OUTER_ZOOM};
use crate::base::json;
use crate::draw::publish::drawn::DrawnMap;
use crate::draw::publish::facts::{WorldLabel, stated_time};
use crate::draw::publish::world_markers::WorldMarkers;
use crate::draw::request::hide::Hidden;
use crate::draw::request::plan::Shard;
use crate::markers::OwnerFile;
use crate::page::PageTexts;
use crate::paint::layers::Layer;
use crate::report::{BadChunk, Options};
use crate::schedule;
use crate::store::{Identity, LayerKey};
use crate::world::World;

/// The content of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PartFile {
    /// The shard's number, counted from 1.
    pub(crate) shard: u32,
    pub(crate) shards: u32,
    /// When the world was last played before it was drawn, in seconds since 1970.
    #[serde(default)]
    pub(crate) last_played: Option<i64>,
    #[serde(rename = "same")]
    pub(crate) agreement: PartAgreement,
    /// By map.
    #[serde(rename = "found")]
    pub(crate) findings: Vec<PartFindings>,
}

/// Facts that all parts of one map share: parts that differ in them do not belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartAgreement {
    /// The program's version.
    pub(crate) version: String,
    /// The world's name.
    pub(crate) name: String,
    /// The dimension and the block at which players start.
    pub(crate) spawn: Option<(String, [i32; 3])>,
    pub(crate) data_version: Option<i32>,
    pub(crate) scheme: Scheme,
    pub(crate) format: Format,
    pub(crate) page: PageTexts,
    pub(crate) own_markers: Vec<OwnerFile>,
    pub(crate) maps: Vec<MapAgreement>,
}

/// Facts that all parts share of one of the maps in a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MapAgreement {
    /// The hash of the way in which its regions are divided.
    pub(crate) division: u64,
    pub(crate) layers: Vec<String>,
    /// The map's keys in the journal.
    keys: Vec<(u64, u64)>,
    /// Markers are taken from the world.
    pub(crate) has_markers: bool,
    /// Markers of players are shown, too.
    has_players: bool,
    pub(crate) options: Options,
    /// What is not shown, so that a merge removes it from the earlier moments of a map, too.
    #[serde(default)]
    pub(crate) hidden: Hidden,
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

/// Findings of one part in one map.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct PartFindings {
    /// By dimension.
    #[serde(rename = "of_world")]
    pub(crate) world_markers: Vec<WorldMarkers>,
    pub(crate) bad_chunks: Vec<BadChunk>,
    /// Whole regions that could not be read, and those that are wholly hidden.
    pub(crate) regions_failed: u64,
    pub(crate) regions_hidden: u64,
    pub(crate) warnings: Vec<String>,
    /// Tiles that earlier runs left in their places, and that are no tiles of this part now: the number of the key in the
    /// journal, zoom level, x and y.
    pub(crate) strays: BTreeSet<(usize, u8, i32, i32)>,
}

impl PartFile {
    /// The file of the part of these maps that `shard` has drawn.
    pub(crate) fn new(world: &World, naming: Naming, shard: Shard, maps: &[DrawnMap<'_>]) -> Self {
        let agreement = PartAgreement {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: world.name(),
            spawn: world.level.spawn.clone(),
            data_version: world.level.data_version,
            scheme: naming.scheme,
            format: naming.format,
            page: maps.first().map_or_else(PageTexts::default, |map| map.publishing.page.clone()),
            own_markers: maps.iter().flat_map(|map| map.publishing.own_markers).cloned().collect(),
            maps: maps.iter().map(MapAgreement::new).collect(),
        };
        let findings = maps.iter().map(|map| PartFindings::new(world, map)).collect();
        Self { shard: shard.number(), shards: shard.count(), last_played: stated_time(world), agreement, findings }
    }

    pub(crate) fn json(&self) -> Vec<u8> {
        // These types have nothing that JSON cannot hold.
        json::text(self).unwrap_or_default().into_bytes()
    }

    /// Parses the file; `None`: this is no part, or one that could not be drawn.
    pub(crate) fn parse(json: &[u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(json).ok().filter(Self::is_sound)
    }

    /// A part may come from anyone: paths stay in the folder, numbers in their bounds, and texts are JSON.
    fn is_sound(&self) -> bool {
        let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        let is_feature = |WorldMarkers { markers, border, .. }: &WorldMarkers| {
            markers.iter().all(|marker| is_json(&marker.properties)) && border.iter().all(|text| is_json(text))
        };
        let is_on_map = |&(_, zoom, x, y): &(usize, u8, i32, i32)| Scheme::Signed.tile_at(zoom, x, y).is_some();
        let mut findings = self.findings.iter();
        Shard::new(self.shard, self.shards).is_some()
            && self.findings.len() == self.agreement.maps.len()
            && self.agreement.maps.iter().all(MapAgreement::is_sound)
            && self.agreement.own_markers.iter().all(OwnerFile::is_sound)
            && findings.all(|map| map.world_markers.iter().all(is_feature) && map.strays.iter().all(is_on_map))
    }
}

impl PartAgreement {
    /// The layers and the folders of the dimensions of each map, which give map layers their numbers.
    pub(crate) fn map_layers(&self) -> impl Iterator<Item = (&[String], Vec<&str>)> {
        self.maps.iter().map(|map| {
            (map.layers.as_slice(), map.dimensions.iter().map(|dimension| dimension.path.as_str()).collect())
        })
    }

    pub(crate) const fn naming(&self) -> Naming {
        Naming { scheme: self.scheme, format: self.format }
    }

    pub(crate) fn world_label(&self, moment_time: Option<i64>) -> WorldLabel {
        WorldLabel { name: self.name.clone(), spawn: self.spawn.clone(), moment_time }
    }

    pub(crate) fn identity(&self) -> Identity {
        let spawn = self.spawn.as_ref().map(|(_, spawn)| *spawn);
        Identity { name: self.name.clone(), spawn, path: PathBuf::new() }
    }
}

impl MapAgreement {
    fn is_sound(&self) -> bool {
        let is_dimension = |dimension: &DimensionAgreement| {
            let is_reserved = ["custom", MARKERS].contains(&dimension.path.split('/').next().unwrap_or_default());
            !is_reserved
                && !dimension.path.starts_with('.')
                && dimension.path == dimension.id.replace(':', "/")
                && (OUTER_ZOOM..=NATIVE_ZOOM).contains(&dimension.min_zoom)
        };
        // Those of all map layers, of all markers, and of all inner tiles.
        let keys = self.dimensions.len() * (2 * self.layers.len() + 1);
        !self.layers.is_empty() && self.keys.len() == keys && self.dimensions.iter().all(is_dimension)
    }

    fn new(map: &DrawnMap<'_>) -> Self {
        let dimensions = map.dimensions.iter().map(|dimension| DimensionAgreement {
            id: dimension.id.to_owned(),
            path: dimension.path.to_owned(),
            min_zoom: dimension.tiles.min_zoom(),
        });
        Self {
            division: map.division.unwrap_or_default(),
            layers: map.map_layers.layers().iter().map(|layer| layer.name().to_owned()).collect(),
            keys: map.made.keys.iter().map(|key| (key.layer, key.options)).collect(),
            has_markers: map.publishing.markers.is_any(),
            has_players: map.publishing.markers.players,
            // Paths and the way of working differ from machine to machine; the keys stand for colours.
            options: Options {
                palette: Vec::new(),
                assets: Vec::new(),
                max_batch: schedule::DEFAULT_MAX_BATCH,
                ..map.account.options.clone()
            },
            hidden: map.hidden.areas.cloned().unwrap_or_default(),
            dimensions: dimensions.collect(),
        }
    }

    /// The agreement cut down to one layer of one dimension, by their numbers.
    pub(crate) fn single_layer(&self, dimension: usize, layer: usize) -> Option<Self> {
        let key = self.keys.get(dimension * self.layers.len() + layer)?;
        Some(Self {
            layers: vec![self.layers.get(layer)?.clone()],
            keys: vec![*key],
            has_markers: false,
            dimensions: vec![self.dimensions.get(dimension)?.clone()],
            ..self.clone()
        })
    }

    pub(crate) fn keys(&self) -> Vec<LayerKey> {
        self.keys.iter().map(|&(layer, options)| LayerKey { layer, options }).collect()
    }

    /// Its layers; `None`: one is not known.
    pub(crate) fn layers(&self) -> Option<Vec<Layer>> {
        let named =
            |name: &String| Layer::ALL.iter().copied().chain([Layer::DETAILS]).find(|layer| layer.name() == name);
        self.layers.iter().map(named).collect()
    }
}

impl PartFindings {
    fn new(world: &World, map: &DrawnMap<'_>) -> Self {
        Self {
            world_markers: map.world_markers.clone(),
            bad_chunks: map.account.bad_chunks.clone(),
            regions_failed: map.account.drawn.tally.regions_failed,
            regions_hidden: map.account.regions_hidden,
            warnings: world.warnings.clone(),
            strays: BTreeSet::new(),
        }
    }
}
