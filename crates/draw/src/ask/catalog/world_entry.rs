//! The entry of a world in a catalog, as `worlds.json` contains it.

use serde::{Deserialize, Serialize};

/// The version of the form of entries. It is raised when a field goes or changes its meaning.
pub const FORMAT: u32 = 1;

/// A world in a catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorldEntry {
    /// The path below the folder of the catalog, with `/` between names.
    pub path: String,
    pub name: String,
    /// `java` or `bedrock`; absent if the world cannot be read.
    pub edition: Option<String>,
    /// The version of the game that last saved the world.
    pub game_version: Option<String>,
    /// The oldest and the newest version of the game that saved a chunk.
    pub oldest_version: Option<String>,
    pub newest_version: Option<String>,
    pub dimensions: Vec<CatalogDimension>,
    pub chunks: u64,
    /// The length of all files of the world.
    pub bytes: u64,
    /// The first and the last time when the game saved a chunk, in UTC.
    pub first_saved: Option<String>,
    pub last_saved: Option<String>,
    /// When the world was last played, in UTC.
    pub last_played: Option<String>,
    pub players: u64,
    /// The number of places that cannot be read.
    pub damaged: u64,
    /// The reason why the world cannot be read at all.
    pub error: Option<String>,
    /// The picture of the world, below the folder of the catalog.
    pub picture: Option<String>,
    /// The page of the world's map, below the folder of the catalog.
    pub map: Option<String>,
    /// Other worlds that have many equal chunks. The world with the most is first.
    pub copies: Vec<WorldCopy>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogDimension {
    pub id: String,
    pub chunks: u64,
}

/// Another world of the same catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldCopy {
    pub path: String,
    /// The share of equal chunks in percent, estimated from a sample.
    pub percent: u8,
}
