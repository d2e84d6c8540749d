//! The map mods whose folders `export --for` and `render --for` write.

use pixelmap_draw::map_mods::{ColumnMod, MarkerMod, ModTarget, PictureMod};

use super::parse::NamedValue;

/// All map mods by the names of users.
pub(crate) const MOD_TARGETS: [NamedValue<ModTarget>; 4] = [
    (
        "journeymap",
        "JourneyMap of a player, from a map: one picture per region of layers day, night, height \
         (as topo) and biome. Removes nothing",
        ModTarget::Pictures(PictureMod::Journeymap),
    ),
    (
        "squaremap",
        "Tiles, markers and facts for programs that read maps of squaremap, such as MapLink and \
         LiveAtlas, from a map",
        ModTarget::Pictures(PictureMod::Squaremap),
    ),
    (
        "xaero",
        "Xaero's World Map of a player, from a world: with render",
        ModTarget::Columns(ColumnMod::Xaero),
    ),
    (
        "xaero-waypoints",
        "Waypoints of Xaero's Minimap of a player, from the markers of a map. Changes only the set \
         pixelmap",
        ModTarget::Markers(MarkerMod::XaeroMinimap),
    ),
];
