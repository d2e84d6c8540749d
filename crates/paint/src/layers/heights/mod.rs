//! The layers that show or store heights.

pub(crate) mod height;
pub(crate) mod height16;
pub(crate) mod terrain;
