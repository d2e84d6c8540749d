//! Paints regions: turns the bytes of a region into canvases. It does not use the output folder.

pub(crate) mod chunk;
mod chunk_source;
pub(super) mod chunk_use;
mod decoded;
pub(crate) mod early;
pub(crate) mod filter;
mod found;
pub(super) mod gaps;
pub(super) mod hashes;
mod markers;
pub(super) mod neighbours;
mod passes;
pub(super) mod region;
pub(super) mod shared;
mod sketch;
pub(super) mod window;
