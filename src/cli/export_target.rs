//! The kinds of output of `pixelmap export`. `export.rs` and `map_mod.rs` choose one of them.

use std::path::{Path, PathBuf};

use pixelmap_draw::PictureOptions;
use pixelmap_draw::map_mods::{JourneymapOptions, XaeroWaypointOptions};
use pixelmap_map::atlas::archive_page;
use pixelmap_map::export::TimelapseOptions;

/// The kind of output of an export.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ExportTarget {
    Picture(PictureOptions),
    Timelapse(TimelapseOptions),
    /// A folder of a player's map mod.
    Journeymap(JourneymapOptions),
    /// A folder for programs that read maps of squaremap.
    Squaremap,
    /// A player's waypoints of Xaero's Minimap.
    XaeroWaypoints(XaeroWaypointOptions),
    Archive,
    GeoTiff,
    Regions {
        by_layer: bool,
    },
    /// The whole map, in a bucket at this address.
    #[cfg(feature = "object-store")]
    Bucket(String),
}

/// Returns the path that a person opens to look at an export: the page next to an archive, or else
/// the output.
pub(crate) fn path_to_open(target: &ExportTarget, output: &Path) -> PathBuf {
    match target {
        ExportTarget::Archive => archive_page(output),
        _ => output.to_owned(),
    }
}
