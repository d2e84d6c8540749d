//! Joins the states in which an unknown block is stored to the values of its properties, so that a
//! report can list the properties by which the states differ. The lists are bounded, and the same
//! in whatever order the states are added.

use std::collections::{BTreeMap, BTreeSet};

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// The most properties of a block: the first ones by name.
const MAX_PROPERTIES: usize = 16;
/// The most values of a property: the first ones in order.
const MAX_VALUES: usize = 32;

/// The values of each property in the states of a block. A state without the property adds an empty
/// value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredStates(BTreeMap<String, BTreeSet<String>>);

impl StoredStates {
    /// Makes the values of one state.
    pub fn new(properties: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(
            properties
                .into_iter()
                .map(|(name, value)| (name, BTreeSet::from([value])))
                .collect(),
        )
    }

    /// Adds the values of other states.
    pub(crate) fn add(&mut self, mut other: Self) {
        for (name, values) in &mut self.0 {
            values.extend(other.0.remove(name).unwrap_or_else(no_value));
        }

        for (name, mut values) in other.0 {
            values.extend(no_value());
            self.0.insert(name, values);
        }

        while self.0.len() > MAX_PROPERTIES {
            self.0.pop_last();
        }

        for values in self.0.values_mut() {
            while values.len() > MAX_VALUES {
                values.pop_last();
            }
        }
    }

    /// Returns the properties that have several values.
    fn differing(&self) -> impl Iterator<Item = (&String, &BTreeSet<String>)> {
        self.0.iter().filter(|(_, values)| values.len() > 1)
    }
}

fn no_value() -> BTreeSet<String> {
    BTreeSet::from([String::new()])
}

/// Returns whether a report has nothing to list.
#[expect(clippy::ref_option, reason = "serde passes fields so")]
pub(crate) fn are_alike(states: &Option<StoredStates>) -> bool {
    states
        .as_ref()
        .is_none_or(|states| states.differing().next().is_none())
}

/// Serializes the properties that differ.
#[expect(clippy::ref_option, reason = "serde passes fields so")]
pub(crate) fn serialize_differing<S: Serializer>(
    states: &Option<StoredStates>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (name, values) in states.iter().flat_map(StoredStates::differing) {
        map.serialize_entry(name, values)?;
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str) -> StoredStates {
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        StoredStates::new(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    fn sum<'a>(texts: impl IntoIterator<Item = &'a str>) -> StoredStates {
        let mut texts = texts.into_iter().map(state);
        let mut sum = texts.next().unwrap();
        texts.for_each(|state| sum.add(state));
        sum
    }

    #[test]
    fn absent_properties_differ_from_values() {
        let texts = ["", "lit=true", "facing=north,lit=true"];
        let all = sum(texts);
        let listed: Vec<_> = all
            .differing()
            .map(|(name, values)| (name.as_str(), values.len()))
            .collect();
        assert_eq!(listed, [("facing", 2), ("lit", 2)]);

        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(sum(order.map(|at| texts[at])), all, "{order:?}");
        }

        assert!(
            are_alike(&Some(sum(["lit=true", "lit=true"])))
                && !are_alike(&Some(all))
                && are_alike(&None)
        );
    }

    #[test]
    fn excess_values_are_cut_in_any_order() {
        let texts: Vec<String> = (0..100)
            .map(|n| format!("p{}=a,value={n:02}", n % 20))
            .collect();
        let (forth, back) = (
            sum(texts.iter().map(String::as_str)),
            sum(texts.iter().rev().map(String::as_str)),
        );
        assert_eq!(forth, back);
        assert_eq!(forth.0.len(), MAX_PROPERTIES);
        let values = sum((0..100).map(|n| texts[n].rsplit(',').next().unwrap()));
        assert_eq!(values.0["value"].last().map(String::as_str), Some("31"));
    }
}
