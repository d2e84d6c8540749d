//! The settings of an export to Xaero's World Map.

use super::address::ServerFolder;

/// Decides which chunk stays if the player's file and the world both have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The ones of the player.
    Theirs,
    /// The ones of the world.
    Ours,
}

/// The settings of an export to Xaero's World Map.
#[derive(Debug, Clone)]
pub struct XaeroOptions {
    pub server: ServerFolder,
    pub keep: Keep,
    /// The wanted dimensions; empty: all.
    pub dimensions: Vec<String>,
}
