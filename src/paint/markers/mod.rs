//! Markers: what a world knows beside its blocks, as places with a name, and the owner's own, as `GeoJSON`.
//!
//! What a chunk tells (structures, signs, banners) and what the files of points of interest tell is read with the chunk
//! itself, so that it is kept with its region. Nothing personal is read unless it is asked for. Knows no pixels.
//!
//! Sources: the pages on the chunk format, structures, points of interest and block entities of the Minecraft Wiki, and
//! the game's own converters, as of 26.3.

mod geojson;
mod names;
mod owner;
mod poi;
mod signs;
mod structures;
mod text;
mod world;

pub(crate) use geojson::{collection, script};
pub(crate) use names::spoken;
pub(crate) use owner::{OwnerError, OwnerFile};
pub(crate) use poi::{of_points, portals};
pub use regex_lite::Regex as Pattern;
pub(crate) use world::{border, of_world};

use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use crate::base::coord::{ChunkPos, ColumnPos, Slot, SlotSet};
use crate::base::json;
use crate::world::chunk::Chunk;

/// The kinds of markers, each a file of its own. The journal holds their numbers, so a number never changes, and a new
/// kind gets a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Kind {
    /// The place where players start, and the world border.
    World = 0,
    /// Villages, temples, mineshafts and all else that the game or a mod builds.
    Structures = 1,
    /// Nether portals.
    Portals = 2,
    /// Beds.
    Beds = 3,
    /// Bells, at which villagers meet.
    Bells = 4,
    /// Lodestones.
    Lodestones = 5,
    /// Blocks at which villagers work.
    Workstations = 6,
    /// Other points of interest: bee nests, lightning rods, those of mods.
    Points = 7,
    /// Signs.
    Signs = 8,
    /// Banners with a name.
    Banners = 9,
    /// Players, where they were last, and their beds.
    Players = 10,
}

/// The source of the markers of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The files beside the chunks.
    World,
    /// What the game keeps of a chunk's structures. A user may choose it: nothing of it is personal.
    Structures,
    /// The files of points of interest. A user may choose it: nothing of it is personal.
    Points,
    /// What players have written, or are: only where it is asked for by an option of its own.
    Players,
}

impl Kind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 11] = [
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
    ];

    /// The kinds of which a user may choose: none of them is personal.
    pub fn choices() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| matches!(kind.source(), Source::Structures | Source::Points))
    }

    /// The kind with a number in the journal.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u8 == number)
    }

    /// The name in options, in files and in `map.json`.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    const fn source(self) -> Source {
        self.facts().1
    }

    /// The name and the source.
    const fn facts(self) -> (&'static str, Source) {
        match self {
            Self::World => ("world", Source::World),
            Self::Structures => ("structures", Source::Structures),
            Self::Portals => ("portals", Source::Points),
            Self::Beds => ("beds", Source::Points),
            Self::Bells => ("bells", Source::Points),
            Self::Lodestones => ("lodestones", Source::Points),
            Self::Workstations => ("workstations", Source::Points),
            Self::Points => ("points", Source::Points),
            Self::Signs => ("signs", Source::Players),
            Self::Banners => ("banners", Source::Players),
            Self::Players => ("players", Source::Players),
        }
    }
}

/// A place of a dimension that has a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Marker {
    /// Its kind.
    pub kind: Kind,
    /// The column.
    pub at: ColumnPos,
    /// What else is known of it, as the text of a JSON object.
    pub properties: Box<str>,
}

/// The properties of a marker, as `GeoJSON` has them.
#[derive(Debug, Default, Serialize)]
struct Properties<'a> {
    name: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<i32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    front: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    back: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<&'a str>,
}

impl Marker {
    fn new(kind: Kind, at: ColumnPos, properties: &Properties<'_>) -> Self {
        // Texts and numbers are all that is in it: JSON can hold them.
        Self { kind, at, properties: json::text(properties).unwrap_or_default().into() }
    }
}

/// The markers that are asked for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The kinds, of those that are no one's own.
    pub kinds: Vec<Kind>,
    /// The signs, and the names of banners, that are shown.
    pub signs: Option<Regex>,
    /// Shows players.
    pub players: bool,
}

impl Wanted {
    /// Returns whether anything is asked for.
    pub fn is_any(&self) -> bool {
        !self.kinds.is_empty() || self.signs.is_some() || self.players
    }

    /// Returns whether a kind is asked for.
    pub fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns whether anything that files of points of interest tell is asked for.
    pub fn has_points(&self) -> bool {
        self.kinds.iter().any(|kind| kind.source() == Source::Points)
    }

    /// A text that is the same for the same markers of the same chunks.
    pub fn fingerprint(&self) -> String {
        let kinds: Vec<&str> = Kind::choices().filter(|&kind| self.has(kind)).map(Kind::name).collect();
        format!("{} {:?}", kinds.join(","), self.signs.as_ref().map(Regex::as_str))
    }
}

/// The markers of a region, and the chunks of it that are drawn: no others have markers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionMarkers {
    /// The chunks that are drawn.
    pub drawn: SlotSet,
    /// The markers, sorted.
    pub markers: Vec<Marker>,
}

impl RegionMarkers {
    /// Adds a drawn chunk with its markers, which are taken.
    pub fn add(&mut self, slot: Slot, markers: &mut Vec<Marker>) {
        self.drawn.insert(slot);
        self.markers.append(markers);
    }
}

/// Returns the markers that the chunk at `place` tells. A part of it that is damaged has none.
pub(crate) fn of_chunk(chunk: &Chunk<'_>, place: ChunkPos, wanted: &Wanted) -> Vec<Marker> {
    let mut found = Vec::new();
    if let Some(mut reader) = chunk.structures().filter(|_| wanted.has(Kind::Structures)) {
        // What was read until the fault stands.
        let _ = structures::read(&mut reader, place, &mut found);
    }
    if let (Some(mut reader), Some(signs)) = (chunk.block_entities(), &wanted.signs) {
        let _ = signs::read(&mut reader, place, chunk.meta().data_version, signs, &mut found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_kind_never_changes() {
        let numbered: Vec<_> = Kind::ALL.into_iter().map(|kind| (kind as u8, kind.name())).collect();
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
        ];
        // A new kind is added to both, anywhere, with a number that none has had.
        assert_eq!(numbered, expected);
        assert!(Kind::ALL.into_iter().all(|kind| Kind::from_number(kind as u8) == Some(kind)));
        assert_eq!(Kind::choices().count(), 7);
    }
}
