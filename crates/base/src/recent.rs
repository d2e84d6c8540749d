//! A small cache of shared values. It keeps the values that were used last.

use std::collections::VecDeque;
use std::sync::Arc;

/// Shared values by their keys. A look-up compares every key, so it is for a few hundred values at
/// most.
#[derive(Debug)]
pub struct RecentValues<K, T> {
    /// The largest number of values, at least one.
    capacity: usize,
    /// Sorted by use: the value that was used last is at the end.
    entries: VecDeque<(K, Arc<T>)>,
}

impl<K: PartialEq, T> RecentValues<K, T> {
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            entries: VecDeque::new(),
        }
    }

    /// Returns a value, which is now the last used one.
    pub fn get(&mut self, key: &K) -> Option<Arc<T>> {
        let index = self.entries.iter().rposition(|(other, _)| other == key)?;
        let entry = self.entries.remove(index)?;
        let value = entry.1.clone();
        self.entries.push_back(entry);
        Some(value)
    }

    /// Adds a value. Returns the value that leaves the cache for it: the least recently used one
    /// that nobody else holds, because removing a held value frees no memory. If all are held, the
    /// least recently used one leaves.
    pub fn put(&mut self, key: K, value: Arc<T>) -> Option<Arc<T>> {
        let evicted = if self.entries.len() < self.capacity {
            None
        } else {
            let idle = self
                .entries
                .iter()
                .position(|(_, value)| Arc::strong_count(value) == 1);
            self.entries
                .remove(idle.unwrap_or(0))
                .map(|(_, value)| value)
        };

        self.entries.push_back((key, value));
        evicted
    }

    /// Removes a value.
    pub fn remove(&mut self, key: &K) {
        self.entries.retain(|(other, _)| other != key);
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_goes_first() {
        let mut recent = RecentValues::new(2);
        assert_eq!(recent.put('a', Arc::new(1)), None);
        assert_eq!(recent.put('b', Arc::new(2)), None);
        assert_eq!(recent.get(&'a').as_deref(), Some(&1));
        assert_eq!(recent.put('c', Arc::new(3)).as_deref(), Some(&2));
        assert_eq!(
            (recent.get(&'a').as_deref(), recent.get(&'b')),
            (Some(&1), None)
        );
    }

    #[test]
    fn held_values_stay_as_long_as_possible() {
        let mut recent = RecentValues::new(2);
        let held = Arc::new('a');
        recent.put('a', held.clone());

        for key in ['b', 'c', 'd'] {
            recent.put(key, Arc::new(key));
        }

        assert_eq!(recent.get(&'a').as_deref(), Some(&'a'));

        let other = recent.get(&'d');
        recent.put('e', Arc::new('e'));
        assert_eq!(
            (recent.get(&'a'), recent.entries.len()),
            (None, 2),
            "all were held"
        );
        drop((held, other));
    }
}
