//! The keys of the journal of all maps that go into one folder.

use std::collections::HashMap;

use crate::draw::map::keyed::Keyed;
use crate::draw::prepare::layers::MapLayers;
use crate::store::LayerKey;

/// By key, the number of the map, and what of it has the key.
pub(crate) struct Keys(HashMap<LayerKey, (usize, Keyed)>);

impl Keys {
    /// The keys of maps, in the order of each. Of two that are equal the first counts.
    pub(crate) fn of<'a>(maps: impl Iterator<Item = (&'a MapLayers, &'a [LayerKey])>) -> Self {
        let mut all = HashMap::new();
        for (map, (map_layers, keys)) in maps.enumerate() {
            for (key, keyed) in keys.iter().zip(Keyed::all(map_layers)) {
                all.entry(*key).or_insert((map, keyed));
            }
        }
        Self(all)
    }

    /// The map that a key is of, and what of it; `None`: it is of none of them.
    pub(crate) fn find(&self, key: LayerKey) -> Option<(usize, Keyed)> {
        self.0.get(&key).copied()
    }
}
