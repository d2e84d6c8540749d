//! The map mods whose folders this program writes, by the data that each needs.

/// A map mod that gets a map or its markers, or the land of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModTarget {
    /// It shows pictures, so it gets the tiles of a finished map.
    Pictures(PictureMod),
    /// It shows blocks, so it gets the columns of a world.
    Columns(ColumnMod),
    /// It shows waypoints, so it gets the markers of a finished map.
    Markers(MarkerMod),
}

/// A map mod that shows pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureMod {
    Journeymap,
    Squaremap,
}

/// A map mod that shows waypoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerMod {
    XaeroMinimap,
}

/// A map mod that shows blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnMod {
    Xaero,
}
