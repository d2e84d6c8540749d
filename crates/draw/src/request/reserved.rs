//! The names that a dimension cannot have in its path, because a map uses them for its own files.

use pixelmap_map::atlas::{is_layer_file, is_reserved_name};
use pixelmap_world::internal::ReservedNames;

/// The names that a map reserves. Every world and every folder of pictures that may be drawn is
/// opened with them.
pub const RESERVED_NAMES: ReservedNames = ReservedNames {
    at_top: is_reserved_name,
    in_layer: is_layer_file,
};
