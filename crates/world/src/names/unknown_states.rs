//! Gives each stored state of an unknown block an id of its own, so that a run can report the
//! properties by which the states differ. All states of such a block are drawn alike, because only
//! the label of an id has the properties, and the palette does not get them.

use super::cache::{Label, NameCache};
use super::ids::{BlockId, MAX_UNKNOWN_STATES, MAX_VALUE, bounded_value, text};
use super::numeric::NUMERIC_DATA;
use super::traits::Traits;

/// The most properties of a state: the first ones by name. Blocks of mods have at most about
/// twelve.
const MAX_PROPERTIES: usize = 16;
/// Longer stored properties are not cached but read each time, so that the size of a cache is
/// bounded.
const MAX_STORED: usize = 1 << 9;
/// The beginning of the name of a numeric block that is in no registry.
const NUMBERED: &str = "numeric:";

/// The name and the value of a property.
pub(crate) type Property<'a> = (&'a [u8], &'a [u8]);

impl NameCache {
    /// Returns the id of an unknown block in the state that is `stored` as these bytes.
    /// `properties` reads them; it is called only for a state that is new to this worker.
    pub fn unknown_state<'a>(
        &mut self,
        block: BlockId,
        stored: &[u8],
        properties: impl FnOnce() -> Vec<Property<'a>>,
    ) -> BlockId {
        self.key.clear();
        self.key.extend_from_slice(&block.0.to_le_bytes());
        self.key.extend_from_slice(stored);

        if let Some(&known) = self.unknown_states.get(self.key.as_slice()) {
            return known;
        }

        let id = self.with_properties(block, properties());
        if stored.len() <= MAX_STORED && self.unknown_states.len() < MAX_UNKNOWN_STATES {
            self.unknown_states.insert(self.key.as_slice().into(), id);
        }

        id
    }

    /// Returns the id of a block with these properties if the block is unknown, or else the block
    /// itself. If a property occurs several times, the last value counts.
    pub(super) fn with_properties(
        &mut self,
        block: BlockId,
        mut properties: Vec<Property<'_>>,
    ) -> BlockId {
        if !self.traits(block).any(Traits::UNKNOWN) {
            return block;
        }

        properties.retain(|(name, _)| name.len() <= MAX_VALUE);
        properties.reverse();
        properties.sort_by_key(|(name, _)| *name);
        properties.dedup_by_key(|(name, _)| *name);
        properties.truncate(MAX_PROPERTIES);

        if properties.is_empty() {
            return block;
        }

        let pairs = properties
            .iter()
            .map(|(name, value)| format!("{}\0{}", text(name), text(&bounded_value(value))));
        let properties = pairs.collect::<Vec<_>>().join("\0");

        let (stored, (name, state)) = (self.stored_name(block), self.name_at(block.index()));
        let label = Label {
            stored: &stored,
            name: &name,
            state: &state,
            properties: &properties,
        };

        self.names.add_block(label)
    }

    /// Returns the id of a numeric block with this data if the block is unknown. The name of an id
    /// that is in no registry has the data already.
    pub(super) fn with_data(&mut self, block: BlockId, data: u16) -> BlockId {
        if self.stored_name(block).starts_with(NUMBERED) {
            return block;
        }
        self.with_properties(block, vec![(NUMERIC_DATA, data.to_string().as_bytes())])
    }

    /// Returns the properties with which an unknown block is stored, sorted by name.
    pub fn unknown_properties(&mut self, id: BlockId) -> Vec<(String, String)> {
        let properties = self.stored_properties(id);
        let mut parts = properties.split('\0').map(str::to_owned);
        std::iter::from_fn(|| parts.next().zip(parts.next())).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::names::{Describe, Names, NumericNames};

    /// Describes all blocks of mods as unknown and without drawn properties.
    struct UnknownNames;

    impl Describe for UnknownNames {
        fn drawn_properties(&self, _: &str) -> Vec<String> {
            Vec::new()
        }

        fn traits(&self, name: &str, _: &str) -> Traits {
            if name.starts_with("mod:") {
                Traits::UNKNOWN
            } else {
                Traits::GROUND
            }
        }

        fn knows_biome(&self, _: &str) -> bool {
            true
        }
    }

    fn name_cache() -> NameCache {
        NameCache::new(Arc::new(Names::new(
            Arc::new(UnknownNames),
            NumericNames::new("300:0\tmod:old\n1:0\tstone", ""),
        )))
    }

    #[test]
    fn states_differ_by_their_properties_in_any_order() {
        let mut names = name_cache();
        let block = names.block(b"mod:lamp", |_| None);
        let [a, b]: [Property<'_>; 2] = [(b"lit", b"true"), (b"axis", b"x")];
        let one = names.unknown_state(block, b"1", || vec![a, b]);

        let other = names.unknown_state(block, b"2", || vec![b, (&b"lit"[..], &b"false"[..]), a]);
        assert!(one == other && one != block);
        assert_eq!(
            names.unknown_state(block, b"1", || panic!("it is cached")),
            one
        );

        let pairs = [("axis", "x"), ("lit", "true")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            (
                names.unknown_properties(one),
                names.unknown_properties(block)
            ),
            (pairs.to_vec(), vec![])
        );

        assert_eq!(names.stored_name(one), names.stored_name(block));
        assert_eq!(
            names.name_at(one.index()),
            names.name_at(block.index()),
            "it is drawn alike"
        );

        let stone = names.block(b"stone", |_| None);
        assert_eq!(names.with_properties(stone, vec![a]), stone, "it is known");

        let [old, older] = [names.numeric_block(300, 4), names.numeric_block(300, 5)];
        assert_eq!(
            names.unknown_properties(old),
            [("data".to_owned(), "4".to_owned())]
        );
        assert!(old != older && names.numeric_block(1, 0) == stone);
    }

    #[test]
    fn states_past_the_bound_share_their_block() {
        let mut names = name_cache();
        let block = names.block(b"mod:lamp", |_| None);
        let mut state = |n: usize| {
            let value = n.to_string();
            names.unknown_state(block, value.as_bytes(), || {
                vec![(&b"n"[..], value.as_bytes())]
            })
        };

        let first = state(0);
        assert!((1..MAX_UNKNOWN_STATES).all(|n| state(n) != block));
        assert_eq!((state(MAX_UNKNOWN_STATES), state(0)), (block, first));
        assert!(names.unknown_states.len() <= MAX_UNKNOWN_STATES);
        assert_ne!(
            names.block(b"mod:late", |_| None),
            block,
            "blocks have entries of their own"
        );
    }
}
