//! The kinds of markers, with their names and sources.

use serde::{Deserialize, Serialize};

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
pub(super) enum MarkerSource {
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

    pub(super) const fn source(self) -> MarkerSource {
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
