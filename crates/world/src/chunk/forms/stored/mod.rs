//! Defines the results of parsing a chunk: the positions of its arrays in the inflated bytes, for
//! all forms of arrays, and the buffers of a worker that hold them.

pub(crate) mod biomes;
pub(crate) mod blocks;
pub(crate) mod buffers;
pub(crate) mod extras;
pub(crate) mod light;
pub(crate) mod numbers;
pub(crate) mod section;
