//! Defines the parts of a finished map (names of tiles, manifests, facts, history, archives) and
//! reads one from a folder or an archive.
//!
//! This room never locks or writes anything, so that any program can read a map at any time. The
//! room `store` changes folders.

pub(crate) mod content;
pub(crate) mod degrees;
mod digest;
mod elsewhere;
mod error;
mod finished_map;
mod folder;
mod frames;
mod history;
mod kind;
mod manifest;
mod map_file;
mod map_moment;
pub(crate) mod markers;
pub(crate) mod named_maps;
mod naming;
mod outputs;
mod own_names;
pub(crate) mod pmtiles;
mod tile_lists;
mod tile_pairs;
mod tilejson;

pub use content::Content;
pub(crate) use content::STATE;
pub use digest::Digest;
pub use elsewhere::{Elsewhere, FilesElsewhere};
pub use error::{AtlasError, ManifestError, MomentError};
pub use finished_map::{FinishedLayer, FinishedMap};
pub use folder::MapFolder;
pub use frames::{FrameFacts, FrameList};
pub use history::{
    FileRecord, HISTORY, KeepCount, KeepRules, Moment, MomentChanges, Moments, OBJECTS, Past,
    PastKey, PastPlace, Version, history_lists, is_kept_file, kept_files, object_hash, object_path,
    time_text,
};
pub use kind::{CACHE_CHECKED, CACHE_FOREVER, FileKind};
pub use manifest::{Manifest, ManifestLines, TileRecord};
pub use map_file::{
    Bounds, DimensionFacts, Encoding, FORMAT, LayerFacts, LegendPart, MapFile, Numbers, SpawnBlock,
};
pub use map_moment::MapMoment;
pub use markers::{IconFile, MARKERS, MarkerFile, OwnMarkers};
pub use named_maps::{WorldLink, is_site_of_worlds};
#[cfg(feature = "object-store")]
pub(crate) use naming::split_tile_path;
pub use naming::{Format, Naming, Scheme, in_folder, number_in_path};
pub use outputs::{OutputKind, archive_page, ending};
pub use own_names::{is_layer_file, is_own_path, is_reserved_name};
pub use pmtiles::TileArchive;
#[cfg(feature = "object-store")]
pub(crate) use tile_pairs::join;
pub use tile_pairs::{TilePair, tile_pairs};
