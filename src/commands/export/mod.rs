//! `pixelmap export`: turns a drawn map into a picture, an archive, a GeoTIFF or a folder of
//! pictures.

#[cfg(feature = "object-store")]
mod bucket;
mod lines;
mod map_mod;
mod run;
mod state;
mod timelapse;

pub(crate) use run::run;
