//! The two kinds of map mods, by what their folders store.

use pixelmap_world::internal::MapMod;

/// A map mod whose folders are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapSource {
    /// `JourneyMap` stores finished pictures, which become the tiles of a map.
    Pictures,
    /// The mod stores blocks, so that its folder is drawn like a world.
    Columns(MapMod),
}
