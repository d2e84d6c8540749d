//! The dimensions of a world: their folders and regions, and their types, which define heights and
//! ceilings.

pub(crate) mod dimension;
pub(crate) mod dimension_type;
pub(crate) mod dimension_types;
pub(crate) mod listing;
pub(crate) mod namespaced;
pub(crate) mod world_gen;
