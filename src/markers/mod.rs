//! Makes markers, which are named places on a map, and writes them as `GeoJSON`. They come from the
//! contents of a world other than its terrain (structures, signs, players, points of interest, map
//! items), from map mods, and from the owner's own files.
//!
//! Markers from a chunk and from its points of interest are read together with the chunk, so that
//! they are kept with its region. Data about players, including the texts on signs, is only read if
//! an option requests it. The module does not handle pixels.
//!
//! Sources: the pages on the chunk format, structures, points of interest and block entities of the
//! Minecraft Wiki, and the game's own converters, as of 26.3.

mod bounds;
mod containers;
mod found;
mod framed_maps;
mod frames;
mod geojson;
mod lenient_json;
mod names;
mod old_items;
mod owner;
mod poi;
mod signs;
mod spawners;
mod structures;
mod text;
mod world;

pub use bounds::ChunkMarkers;
pub(crate) use found::FoundBlocks;
pub use found::{Find, FindDepth};
pub(crate) use framed_maps::ShownMap;
pub(crate) use frames::{is_frame, map_frames, read_frames};
pub(crate) use geojson::{collection, script};
pub(crate) use names::display_name;
pub(crate) use owner::{OwnerError, OwnerFile, OwnerFiles};
pub(crate) use poi::{portals, read_points};
pub use regex_lite::Regex as Pattern;
pub(crate) use spawners::{is_part, join_parts};
pub(crate) use world::{border, world_markers};

use bounds::MAX_OF_CHUNK;
use containers::Contents;
use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use crate::base::coord::{ChunkPos, ColumnPos, SlotSet};
use crate::base::hash::KeyHasher;
use crate::base::json;
use crate::world::Companion;
use crate::world::chunk::Chunk;

/// The kinds of markers. Each kind has a file of its own. The journal stores their numbers, so a
/// number never changes, and a new kind gets a new number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum MarkerKind {
    /// The place where players start, and the world border.
    World = 0,
    /// Villages, temples, mineshafts and everything else that the game or a mod builds.
    Structures = 1,
    Portals = 2,
    Beds = 3,
    /// Bells, at which villagers meet.
    Bells = 4,
    Lodestones = 5,
    /// Blocks at which villagers work.
    Workstations = 6,
    /// Other points of interest: bee nests, lightning rods, and the points of mods.
    Points = 7,
    Signs = 8,
    Banners = 9,
    /// The last positions of players, and their beds.
    Players = 10,
    /// Map items in item frames.
    Maps = 11,
    /// Places that a player has named in a map mod.
    Waypoints = 12,
    /// Blocks that the user looks for.
    Found = 13,
    /// Chests and other blocks with items, lecterns and beacons.
    Containers = 14,
}

/// The sources of markers. They decide whether a kind is shown by default, on request, or only by
/// an option of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkerSource {
    /// Files of the world other than chunks.
    World,
    /// The structures that a chunk stores. A user may choose this source, because it holds nothing
    /// personal.
    Structures,
    /// The files of points of interest. A user may choose this source, because it holds nothing
    /// personal.
    Points,
    /// Map items and entities. A user may choose this source, but it is not a default, because map
    /// items may show places that the map hides.
    MapItems,
    /// Texts written by players, or the players themselves. Only shown if an option of its own
    /// requests it.
    Players,
    /// Data that a map mod stores next to its pictures. Worlds do not have it.
    MapMod,
    /// The belongings of players. A user may choose this source, but it is not a default.
    Belongings,
    /// The blocks of chunks. Only shown if an option of its own names some.
    Blocks,
}

impl MarkerKind {
    /// All kinds, in the order in which the page lists them.
    pub const ALL: [Self; 15] = [
        Self::World,
        Self::Structures,
        Self::Portals,
        Self::Beds,
        Self::Bells,
        Self::Lodestones,
        Self::Workstations,
        Self::Points,
        Self::Signs,
        Self::Banners,
        Self::Players,
        Self::Maps,
        Self::Waypoints,
        Self::Found,
        Self::Containers,
    ];

    /// Returns the kinds that a user may choose.
    pub fn choices() -> impl Iterator<Item = Self> {
        Self::usual().chain([Self::Maps, Self::Containers])
    }

    /// Returns the kinds that a map has by default. All of them come from chunks and from the files
    /// of points of interest.
    pub fn usual() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| {
            matches!(
                kind.source(),
                MarkerSource::Structures | MarkerSource::Points
            )
        })
    }

    /// Returns the kind that has this number in the journal.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u8 == number)
    }

    /// Returns the kind's name in options, in file names and in `map.json`.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    const fn source(self) -> MarkerSource {
        self.facts().1
    }

    const fn facts(self) -> (&'static str, MarkerSource) {
        match self {
            Self::World => ("world", MarkerSource::World),
            Self::Structures => ("structures", MarkerSource::Structures),
            Self::Portals => ("portals", MarkerSource::Points),
            Self::Beds => ("beds", MarkerSource::Points),
            Self::Bells => ("bells", MarkerSource::Points),
            Self::Lodestones => ("lodestones", MarkerSource::Points),
            Self::Workstations => ("workstations", MarkerSource::Points),
            Self::Points => ("points", MarkerSource::Points),
            Self::Signs => ("signs", MarkerSource::Players),
            Self::Banners => ("banners", MarkerSource::Players),
            Self::Players => ("players", MarkerSource::Players),
            Self::Maps => ("maps", MarkerSource::MapItems),
            Self::Waypoints => ("waypoints", MarkerSource::MapMod),
            Self::Found => ("found", MarkerSource::Blocks),
            Self::Containers => ("containers", MarkerSource::Belongings),
        }
    }
}

/// A named place in a dimension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Marker {
    pub kind: MarkerKind,
    pub at: ColumnPos,
    /// All other properties, as the text of a JSON object.
    pub properties: Box<str>,
}

/// The properties of a marker in `GeoJSON`.
#[derive(Debug, Default, Serialize)]
struct Properties<'a> {
    name: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<i32>,
    /// The number of blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    front: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    back: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<&'a str>,
    /// The name of a picture in the same file.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    /// As `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<&'a str>,
    #[serde(flatten)]
    contents: Option<Contents<'a>>,
}

impl Marker {
    fn new(kind: MarkerKind, at: ColumnPos, properties: &Properties<'_>) -> Self {
        // Writing cannot fail, because JSON can hold all texts and numbers.
        Self {
            kind,
            at,
            properties: json::text(properties).unwrap_or_default().into(),
        }
    }

    /// Makes the marker of a place that a player has named in a map mod.
    pub(crate) fn waypoint(name: &str, at: ColumnPos, y: i32, [r, g, b]: [u8; 3]) -> Self {
        let colour = format!("#{r:02x}{g:02x}{b:02x}");
        let properties = Properties {
            name,
            y: Some(y),
            color: Some(&colour),
            ..Properties::default()
        };
        Self::new(MarkerKind::Waypoints, at, &properties)
    }
}

#[derive(Debug, Clone, Default)]
pub struct MarkerSelection {
    /// The chosen kinds.
    pub kinds: Vec<MarkerKind>,
    /// Matches the texts of the signs and the names of the banners to show. `None` shows neither.
    pub signs: Option<Regex>,
    /// Whether players are shown.
    pub players: bool,
    /// The blocks to look for.
    pub find: Option<Find>,
}

impl MarkerSelection {
    pub fn is_any(&self) -> bool {
        !self.kinds.is_empty() || self.signs.is_some() || self.players || self.find.is_some()
    }

    pub fn has(&self, kind: MarkerKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns the files that must be read in addition to the chunks.
    pub(crate) fn companions(&self) -> impl Iterator<Item = Companion> {
        Companion::ALL
            .into_iter()
            .filter(|companion| match companion {
                Companion::Points => self
                    .kinds
                    .iter()
                    .any(|kind| kind.source() == MarkerSource::Points),
                Companion::Entities => self.has(MarkerKind::Maps),
            })
    }

    /// Adds the selection to a key: with equal keys the same chunks give the same markers.
    pub(crate) fn add_to_key(&self, key: &mut KeyHasher) {
        // Markers of players are read from the world again in each run.
        let Self {
            kinds,
            signs,
            players: _,
            find,
        } = self;

        key.add_len(kinds.len());
        for kind in MarkerKind::choices().filter(|kind| kinds.contains(kind)) {
            key.add_text(kind.name());
        }

        key.add(signs.is_some());
        key.add_text(signs.as_ref().map_or("", Regex::as_str));
        key.add(find.is_some());
        if let Some(find) = find {
            find.add_to_key(key);
        }
    }
}

/// The markers of a region, and its drawn chunks. Only drawn chunks have markers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionMarkers {
    pub drawn: SlotSet,
    /// Sorted.
    pub markers: Vec<Marker>,
    /// The bytes of all properties that were added.
    text: usize,
    /// The number of markers that a bound left out. It is recorded with the markers, so that a run
    /// that reads no markers again reports the same number.
    pub(crate) left_out: u64,
    /// Whether markers are missing because a companion file exists and cannot be opened.
    pub(crate) lacks_file: bool,
}

impl RegionMarkers {
    /// Makes the markers of a region from its record.
    pub(crate) fn recorded(drawn: SlotSet, markers: Vec<Marker>, left_out: u64) -> Self {
        Self {
            drawn,
            markers,
            left_out,
            ..Self::default()
        }
    }
}

/// Returns the markers of the chunk at `place`. Damaged parts of the chunk are skipped.
pub fn chunk_markers(chunk: &Chunk<'_>, place: ChunkPos, wanted: &MarkerSelection) -> ChunkMarkers {
    let mut markers = ChunkMarkers::default();
    if let Some(mut reader) = chunk
        .structures()
        .filter(|_| wanted.has(MarkerKind::Structures))
    {
        // An error is ignored, because the structures before the damage are kept.
        let _ = structures::read(&mut reader, place, &mut markers);
    }

    if wanted.has(MarkerKind::Structures) {
        markers.begin(MAX_OF_CHUNK);
        spawners::parts(chunk.spawner_boxes(), place).for_each(|part| markers.push(part));
    }

    if wanted.has(MarkerKind::Beds) {
        markers.begin(MAX_OF_CHUNK);
        poi::beds(chunk.beds(), place).for_each(|bed| markers.push(bed));
    }

    if let (Some(entities), Some(signs)) = (chunk.block_entities(), &wanted.signs) {
        let _ = signs::read(
            entities,
            place,
            chunk.meta().data_version,
            signs,
            &mut markers,
        );
    }

    if wanted.has(MarkerKind::Containers) {
        let _ = containers::read(chunk, place, &mut markers);
    }

    if wanted.has(MarkerKind::Maps) {
        // In Bedrock Edition, frames are block entities.
        for entities in [chunk.entities(), chunk.block_entities()]
            .into_iter()
            .flatten()
        {
            let _ = frames::read(entities, place, &mut markers);
        }
    }

    markers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_kind_never_changes() {
        let numbered: Vec<_> = MarkerKind::ALL
            .into_iter()
            .map(|kind| (kind as u8, kind.name()))
            .collect();

        let expected = [
            (0, "world"),
            (1, "structures"),
            (2, "portals"),
            (3, "beds"),
            (4, "bells"),
            (5, "lodestones"),
            (6, "workstations"),
            (7, "points"),
            (8, "signs"),
            (9, "banners"),
            (10, "players"),
            (11, "maps"),
            (12, "waypoints"),
            (13, "found"),
            (14, "containers"),
        ];

        // A new kind is added to both lists, at any place, with a number that was never used.
        assert_eq!(numbered, expected);
        assert!(
            MarkerKind::ALL
                .into_iter()
                .all(|kind| MarkerKind::from_number(kind as u8) == Some(kind))
        );

        assert_eq!(
            (MarkerKind::usual().count(), MarkerKind::choices().count()),
            (7, 9)
        );
    }
}
