//! Translates the states of Bedrock to properties of Java's blocks: directions, halves, shapes and
//! everything else that affects a block's look.
//!
//! The table has one line per property of a block:
//! `property<TAB>blocks<TAB>states<TAB>value=value ...`, sorted by property. The blocks are
//! patterns, because all blocks of a kind use the same state names in a version.

use std::borrow::Cow;

use pixelmap_base::name_lines::lines_with_name;

pub(super) const STATES: &str = include_str!("bedrock_states.tsv");

/// Returns the value of a property of a Java block, whose name is given without `minecraft:`.
/// `state` returns the value of one of the block's Bedrock states. Returns `None` if the states do
/// not determine the property.
pub fn java_property<'a>(
    block: &str,
    property: &str,
    state: impl Fn(&str) -> Option<Cow<'a, str>>,
) -> Option<Cow<'a, str>> {
    lines_with_name(STATES, property).find_map(|line| {
        let mut columns = line.split('\t').skip(1);
        let [blocks, states, values] = std::array::from_fn(|_| columns.next().unwrap_or_default());
        if !blocks.split('|').any(|pattern| is_like(block, pattern)) {
            return None;
        }
        states
            .split('|')
            .find_map(|key| meaning(stored(key, &state)?, values))
    })
}

/// Returns whether a name matches `pattern`, in which one `*` stands for any letters.
fn is_like(name: &str, pattern: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else {
        return name == pattern;
    };
    name.strip_prefix(start)
        .is_some_and(|rest| rest.ends_with(end))
}

/// Returns the stored value of a state. A key such as `val&12` selects some of its bits, which are
/// returned as a number.
fn stored<'a>(key: &str, state: impl Fn(&str) -> Option<Cow<'a, str>>) -> Option<Cow<'a, str>> {
    let Some((key, bits)) = key.split_once('&') else {
        return state(key);
    };
    let bits: u32 = bits.parse().ok()?;
    let number = state(key)?.parse::<u32>().ok()? & bits;
    Some((number >> bits.trailing_zeros()).to_string().into())
}

/// Translates a stored value to Java by pairs such as `0=east 1=west`. Without pairs, Java uses the
/// same value.
fn meaning<'a>(value: Cow<'a, str>, pairs: &'static str) -> Option<Cow<'a, str>> {
    if pairs.is_empty() {
        return Some(value);
    }
    let mut pairs = pairs.split(' ').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(stored, _)| *stored == value)
        .map(|(_, java)| java.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let rows = || STATES.lines().filter(|line| !line.starts_with('#'));
        assert!(rows().is_sorted_by_key(|line| line.split('\t').next()));

        for line in rows() {
            let columns: Vec<&str> = line.split('\t').collect();
            assert!(
                (3..=4).contains(&columns.len()) && columns.iter().all(|column| !column.is_empty()),
                "{line}"
            );
            assert!(
                columns
                    .get(3)
                    .is_none_or(|pairs| pairs.split(' ').all(|pair| pair.contains('='))),
                "{line}"
            );

            let bits = columns[2]
                .split('|')
                .filter_map(|state| state.split_once('&'));
            assert!(
                bits.into_iter()
                    .all(|(_, bits)| bits.parse::<u8>().is_ok_and(|bits| bits != 0)),
                "{line}"
            );
        }
    }

    #[test]
    fn states_of_every_form_mean_properties() {
        let meant = |block: &str, property: &str, states: &[(&'static str, &'static str)]| {
            let stored = |key: &str| {
                states
                    .iter()
                    .find(|(name, _)| *name == key)
                    .map(|(_, value)| (*value).into())
            };
            java_property(block, property, stored).map(Cow::into_owned)
        };

        for (block, property, state, java) in [
            (
                "oak_stairs",
                "facing",
                ("weirdo_direction", "1"),
                Some("west"),
            ),
            ("oak_stairs", "facing", ("val", "6"), Some("south")),
            ("oak_stairs", "half", ("val", "6"), Some("top")),
            (
                "oak_door",
                "facing",
                ("minecraft:cardinal_direction", "east"),
                Some("north"),
            ),
            (
                "oak_fence_gate",
                "facing",
                ("minecraft:cardinal_direction", "east"),
                Some("east"),
            ),
            ("oak_fence_gate", "facing", ("direction", "3"), Some("east")),
            ("oak_fence_gate", "facing", ("val", "7"), Some("east")),
            ("rail", "shape", ("rail_direction", "9"), Some("north_east")),
            ("powered_rail", "shape", ("val", "9"), Some("east_west")),
            ("vine", "west", ("vine_direction_bits", "10"), Some("true")),
            (
                "vine",
                "south",
                ("vine_direction_bits", "10"),
                Some("false"),
            ),
            ("wheat", "age", ("growth", "5"), Some("5")),
            ("oak_slab", "type", ("top_slot_bit", "1"), Some("top")),
            (
                "oak_stairs",
                "facing",
                ("weirdo_direction", "no number"),
                None,
            ),
            ("oak_stairs", "facing", ("val", "-1"), None),
            ("oak_stairs", "colour", ("val", "1"), None),
        ] {
            assert_eq!(
                meant(block, property, &[state]).as_deref(),
                java,
                "{block} {property} {state:?}"
            );
        }
    }
}
