//! Turns a finished map into something else: one picture, an archive, a GeoTIFF, a folder with one
//! picture per region, a folder of a player's map mod, a time-lapse, or a bucket.
//!
//! Exports read tiles and manifests, and draw nothing. A tile that differs from its record in the
//! manifest ends the export, because otherwise the export would show something that the map does
//! not.

mod archive;
#[cfg(feature = "object-store")]
mod bucket;
mod error;
mod extent;
mod geotiff;
mod layer;
pub(crate) mod pictures;
mod regions;
mod source;
mod target;
mod timelapse;
mod workers;
mod world_file;

pub use archive::{WrittenArchive, put_archive};
#[cfg(feature = "object-store")]
pub use bucket::{Bucket, BucketAccess, BucketCounts, BucketError, BucketMap, put_bucket};
pub use error::ExportError;
pub use extent::{drawn_area, extent};
pub use geotiff::{GeoTiffCounts, GeoTiffPlan, put_geotiff};
pub use layer::ExportLayer;
pub use pictures::grid::{Grid, PictureError, Scale, Size};
pub use pictures::groups::{Choice, Group, choose};
pub use pictures::picture::{PictureOptions, PicturePlan, picture_texts, put_picture};
pub use pictures::poster::Poster;
pub use regions::{PictureCounts, open_regions, put_regions};
pub use source::{check_outside, layers, open_map, world};
pub use target::FileTarget;
pub use timelapse::{
    MomentRange, TimelapseCounts, TimelapseKind, TimelapseOptions, TimelapsePlan, open_frames,
    put_animation, put_frames,
};
pub use workers::{Pieces, Workers};
pub use world_file::world_file;
