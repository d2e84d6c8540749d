//! Makes markers for the blocks that a user looks for: one per chunk and name, with the number of
//! blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::markers::bounds::ChunkMarkers;
use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use crate::markers::names::title;
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos, ColumnPos};
use pixelmap_base::hash::KeyHasher;
use pixelmap_world::names::NamePattern;

/// The most names that have a marker in one chunk.
const MAX_NAMES: usize = 256;

/// The blocks to look for.
#[derive(Debug, Clone)]
pub struct Find {
    pub patterns: Arc<[NamePattern]>,
    pub depth: FindDepth,
}

/// The depth to which blocks are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FindDepth {
    /// Down to the ground that the map shows, or to the floor of its water.
    #[default]
    Surface,
    /// Everywhere in the chunk.
    All,
}

impl Find {
    /// Adds the search to a key. Searches with the same result add the same values.
    pub(crate) fn add_to_key(&self, key: &mut KeyHasher) {
        let names: BTreeSet<String> = self.patterns.iter().map(NamePattern::text).collect();
        key.add_len(names.len());
        for name in &names {
            key.add_text(name);
        }
        key.add(self.depth == FindDepth::All);
    }
}

/// The blocks that were found in a chunk, by name: their number, and the first one.
#[derive(Debug, Default)]
pub struct FoundBlocks {
    names: BTreeMap<Arc<str>, (u32, [i32; 3])>,
}

impl FoundBlocks {
    /// Adds blocks of one name: their number, and the height and the column of the first one in the
    /// chunk at `position`.
    pub fn add(
        &mut self,
        name: Arc<str>,
        count: u32,
        (y, column): (i32, usize),
        position: ChunkPos,
    ) {
        let corner = position.corner();
        let at = [
            corner.x + (column % CHUNK_SIDE) as i32,
            y,
            corner.z + (column / CHUNK_SIDE) as i32,
        ];
        let (sum, first) = self.names.entry(name).or_insert((0, at));
        *sum += count;

        // The highest block, and of several the one in the north-west, whatever the order of the
        // states was.
        let [first_x, first_y, first_z] = *first;
        if (-at[1], at[2], at[0]) < (-first_y, first_z, first_x) {
            *first = at;
        }
    }

    pub fn put(self, markers: &mut ChunkMarkers) {
        markers.begin(MAX_NAMES);

        for (id, (count, [x, y, z])) in self.names {
            let name = title(&id);
            let properties = Properties {
                name: &name,
                id: Some(&id),
                y: Some(y),
                count: Some(count),
                ..Properties::default()
            };

            markers.push(Marker::new(
                MarkerKind::Found,
                ColumnPos { x, z },
                &properties,
            ));
        }
    }
}
