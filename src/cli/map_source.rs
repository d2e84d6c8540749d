//! The map mods whose folders `render --from` draws.

use pixelmap_draw::import::MapSource;
use pixelmap_world::internal::MapMod;

use super::parse::NamedValue;

/// All map mods by the names of users.
pub(crate) const MAP_SOURCES: [NamedValue<MapSource>; 3] = [
    (
        "journeymap",
        "JourneyMap: pictures and waypoints of a player, in journeymap/data/mp/SERVER or \
         journeymap/data/sp/WORLD",
        MapSource::Pictures,
    ),
    (
        "xaero",
        "Xaero's World Map: the blocks that a player has seen, in xaero/world-map/Multiplayer_SERVER",
        MapSource::Columns(MapMod::Xaero),
    ),
    (
        "ftb-chunks",
        "FTB Chunks: the blocks that a player has seen, in local/ftbchunks/data/SERVER",
        MapSource::Columns(MapMod::FtbChunks),
    ),
];
