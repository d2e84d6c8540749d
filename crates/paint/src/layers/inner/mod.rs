//! Keeps the columns of a region, and paints its inner tiles from them, which show textures.

pub(crate) mod inner_columns;
pub(crate) mod shown_region;
