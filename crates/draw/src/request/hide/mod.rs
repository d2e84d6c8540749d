//! The hidden parts of a world: rectangles and polygons of columns, and the chunks that they touch.
//!
//! Whole chunks are hidden, generously: a chunk is hidden if any part of any of its columns is in a
//! rectangle or polygon. A chunk that is completely in the hole of a polygon is not hidden. The
//! hidden slots of a region are computed each time they are needed, and nothing is stored per chunk
//! or region. This module does not look into chunks.

mod geojson;
mod hidden_places;
mod nearby;
mod polygon;
mod request;

pub(crate) use hidden_places::HiddenPlaces;
pub(crate) use nearby::HiddenNearby;
pub(crate) use request::read;
pub use request::{Hide, HideError};

#[cfg(test)]
mod tests;
