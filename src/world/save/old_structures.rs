//! Structures of worlds before 1.13, which the game keeps next to the chunks, one file per kind.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::world::region::RegionStore;
use crate::world::save::World;
use crate::world::save::bedrock;
use crate::world::save::dat::Dat;
use crate::world::save::dimension::Dimension;

/// In the folder `data` of a dimension.
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

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OldStructure {
    /// Its kind, as it is stored.
    pub id: String,
    pub chunk: (i32, i32),
    /// The id of its first part.
    pub piece: Option<String>,
}

#[derive(Deserialize)]
struct StoredStructure {
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
    /// Reads the structures of a dimension that its chunks do not store. Damaged files are left out.
    pub fn old_structures(&self, dimension: &Dimension) -> Vec<OldStructure> {
        if let RegionStore::Database { database, dimension } = &dimension.store {
            return bedrock::villages(database, *dimension);
        }
        let folder = dimension.own_folder(&self.folder).join("data");
        let mut structures = Vec::new();
        for name in FILES {
            let path = folder.join(name);
            let dat = self.files.is_file(&path).then(|| Dat::open(&self.files, &path).ok()).flatten();
            let stored: Option<BTreeMap<String, StoredStructure>> = dat.and_then(|dat| dat.get("data/Features"));
            for StoredStructure { id, x, z, pieces } in stored.into_iter().flat_map(BTreeMap::into_values) {
                let piece = pieces.into_iter().next().map(|piece| piece.id);
                structures.push(OldStructure { id, chunk: (x, z), piece });
            }
        }
        structures.sort_unstable();
        structures
    }
}
