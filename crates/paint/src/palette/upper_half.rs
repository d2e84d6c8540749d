//! Recognizes waterlogged blocks whose upper side is above the water in their own cell, because
//! that water is lower than a whole block: upper slabs, stairs that are upside down, and closed
//! trapdoors at the top. They are recognized by name, so that this also works for mods.

use crate::palette::table::property;

/// The endings of the names of such blocks, each with the properties that these blocks have.
const ENDS: [(&str, &[(&str, &str)]); 3] = [
    ("_slab", &[("type", "top")]),
    ("_stairs", &[("half", "top")]),
    ("_trapdoor", &[("half", "top"), ("open", "false")]),
];

fn when(name: &str) -> &'static [(&'static str, &'static str)] {
    ENDS.iter()
        .find(|(end, _)| name.ends_with(end))
        .map_or(&[], |(_, when)| when)
}

/// Returns the properties that decide whether a block (name with namespace) is such a block.
pub(super) fn properties(name: &str) -> impl Iterator<Item = &'static str> {
    when(name).iter().map(|(property, _)| *property)
}

/// Returns whether the upper side of a block in a state such as `type=top` is above its own water.
pub(super) fn is_above_water(name: &str, state: &str) -> bool {
    let when = when(name);
    !when.is_empty()
        && when
            .iter()
            .all(|(key, value)| property(state, key) == Some(value))
}
