//! Writes a layer as one file for geographic software, a Cloud Optimized GeoTIFF. It contains all
//! useful zoom levels, each split into tiles, so that a program can read a part of the file alone,
//! including over HTTP.
//!
//! The layout follows GDAL's driver (<https://gdal.org/en/stable/drivers/raster/cog.html>): all
//! directories first, then the tiles, beginning with the outermost level. The levels of the file
//! are zoom levels of the map, so no pixel is computed again, and WebP tiles of colours are copied
//! without decoding.

mod levels;
mod pixels;
mod tags;
mod writer;

pub use levels::GeoTiffPlan;
pub use writer::{GeoTiffCounts, put_geotiff};
