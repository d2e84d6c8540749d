//! Makes markers, which are named places on a map, and writes them as `GeoJSON`. They come from the
//! contents of a world other than its terrain (structures, signs, players, points of interest, map
//! items), from map mods, and from the owner's own files.
//!
//! Markers from a chunk and from its points of interest are read together with the chunk, so that
//! they are kept with its region. Data about players, including the texts on signs, is only read if
//! an option requests it. The module does not handle pixels.
//!
//! Sources: the pages on the chunk format, structures, points of interest and block entities of the
//! Minecraft Wiki, and the game's own converters, as of 26.3.

mod bounds;
mod chunk;
mod containers;
mod contents;
mod found;
mod framed_maps;
mod frames;
mod geojson;
mod icons;
mod kind;
mod left_out;
mod marker;
mod names;
mod old_items;
mod owner;
mod poi;
mod region;
mod selection;
mod signs;
mod spawners;
mod structures;
mod world;

pub use bounds::ChunkMarkers;
pub use chunk::chunk_markers;
pub use found::FoundBlocks;
pub use found::{Find, FindDepth};
pub use framed_maps::ShownMap;
pub use frames::{is_frame, map_frames, read_frames};
pub use geojson::{collection, script};
pub use icons::{OwnerIcon, is_icon_name};
pub use kind::MarkerKind;
pub use marker::Marker;
pub use names::display_name;
pub use owner::{OwnerError, OwnerFile, OwnerFiles, OwnerPaths};
pub use poi::{portals, read_points};
pub use regex_lite::Regex as Pattern;
pub use region::RegionMarkers;
pub use selection::MarkerSelection;
pub use spawners::{is_part, join_parts};
pub use world::{border, world_markers};
