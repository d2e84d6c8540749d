//! The folder of a map: opening it with its lock, its identity, the parts of shards and the folders of named maps.

pub(crate) mod identity;
pub(crate) mod named_maps;
pub(crate) mod output;
pub(crate) mod parts;
