//! Reads the cells of sections of Java Edition. `entries` and `packing` read sections with a
//! palette, and `numeric` and `wide` read numeric ids. `slice` finds the kinds of the cells at one
//! height.

pub(crate) mod entries;
pub(crate) mod numeric;
pub(crate) mod packing;
pub(crate) mod slice;
pub(crate) mod wide;
