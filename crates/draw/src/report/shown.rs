//! The names that a layer shows, for its legend.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The most names that are listed. A longer legend is useless, and somebody could make a world with
/// any number of names.
const MAX_NAMES: usize = 256;

/// Names for a legend, limited to the first 256 in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownNames {
    /// The names.
    pub names: BTreeSet<String>,
    /// Whether there are more names.
    pub more: bool,
}

impl ShownNames {
    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds a name. If the list is full, the last name in order is dropped. Every worker drops that
    /// name sooner or later, so the result does not depend on the order of calls.
    pub fn add(&mut self, name: &str) {
        if self.names.contains(name) {
            return;
        }
        self.names.insert(name.to_owned());
        if self.names.len() > MAX_NAMES {
            self.names.pop_last();
            self.more = true;
        }
    }

    /// Adds the names of another list.
    pub fn add_all(&mut self, other: &Self) {
        for name in &other.names {
            self.add(name);
        }
        self.more |= other.more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_names_are_cut_alike_in_any_order() {
        let part = |numbers: std::ops::Range<usize>| {
            let mut part = ShownNames::default();
            numbers.for_each(|number| part.add(&format!("mod:{:05}", number * 7919 % 65_536)));
            part
        };
        let whole = part(0..65_536);
        assert_eq!((whole.names.len(), whole.more), (MAX_NAMES, true));
        assert_eq!(whole.names.last().map(String::as_str), Some("mod:00255"));
        let mut parts = part(30_000..65_536);
        parts.add_all(&part(0..40_000));
        assert_eq!(parts, whole);
        assert!(!part(0..MAX_NAMES).more);
    }
}
