//! Structures of worlds before 1.13, which are kept beside the chunks: a file a kind, with all that the game has begun.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::World;
use super::dat::Dat;
use super::dimension::Dimension;

/// The files, in the folder `data` of a dimension.
const FILES: [&str; 8] = [
    "EndCity.dat",
    "Fortress.dat",
    "Mansion.dat",
    "Mineshaft.dat",
    "Monument.dat",
    "Stronghold.dat",
    "Temple.dat",
    "Village.dat",
];

/// A structure of a world before 1.13.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OldStructure {
    /// Its kind, as it is stored.
    pub id: String,
    /// The chunk in which it starts.
    pub chunk: (i32, i32),
    /// The id of its first part.
    pub piece: Option<String>,
}

/// A structure as it is stored.
#[derive(Deserialize)]
struct Stored {
    id: String,
    #[serde(rename = "ChunkX")]
    x: i32,
    #[serde(rename = "ChunkZ")]
    z: i32,
    #[serde(rename = "Children", default)]
    pieces: Vec<Piece>,
}

#[derive(Deserialize)]
struct Piece {
    id: String,
}

impl World {
    /// Reads the structures of a dimension that its chunks do not tell. Files that are damaged are left out.
    pub fn old_structures(&self, dimension: &Dimension) -> Vec<OldStructure> {
        let folder = dimension.own_folder(&self.folder).join("data");
        let mut found = Vec::new();
        for name in FILES {
            let path = folder.join(name);
            let dat = self.files.is_file(&path).then(|| Dat::open(&self.files, &path).ok()).flatten();
            let stored: Option<BTreeMap<String, Stored>> = dat.and_then(|dat| dat.get("data/Features"));
            let structure = |Stored { id, x, z, pieces }| {
                let piece = pieces.into_iter().next().map(|piece| piece.id);
                OldStructure { id, chunk: (x, z), piece }
            };
            found.extend(stored.into_iter().flat_map(BTreeMap::into_values).map(structure));
        }
        found.sort_unstable();
        found
    }
}
