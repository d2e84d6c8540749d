//! An index of the journal keys of all maps that go into one folder.

use std::collections::HashMap;

use crate::request::layers::MapLayers;
use crate::tiles::journal_subject::JournalSubject;
use pixelmap_map::store::LayerKey;

/// Finds the map that a key of the journal belongs to, and its subject in that map.
#[derive(Default)]
pub(crate) struct KeyIndex {
    subjects: HashMap<LayerKey, (usize, JournalSubject)>,
    maps: usize,
}

impl KeyIndex {
    /// Adds the keys of the next map, in their order. If a key is already in the index, the earlier
    /// map keeps it.
    pub(crate) fn add_map(&mut self, map_layers: &MapLayers, keys: &[LayerKey]) {
        for (key, subject) in keys.iter().zip(JournalSubject::all(map_layers)) {
            self.subjects.entry(*key).or_insert((self.maps, subject));
        }
        self.maps += 1;
    }

    /// Returns the number of the map and the subject, or `None` if the key belongs to none of the
    /// maps.
    pub(crate) fn find(&self, key: LayerKey) -> Option<(usize, JournalSubject)> {
        self.subjects.get(&key).copied()
    }
}
