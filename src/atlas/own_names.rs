//! The names that a map uses for its files and folders.

use std::path::Path;

use super::tile_lists::is_list_name;
use super::{Content, Format, LayerFacts, Manifest, MapFile, STATE};
use crate::page;

/// Returns whether a path in an output folder may belong to a file of its content or of its state.
pub fn is_own_path(relative: &Path) -> bool {
    let ending = relative.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    relative.starts_with(STATE) || Format::from_name(ending).is_some() || is_fixed_name(relative)
}

/// Returns whether a path has a name that every output folder or every layer's folder uses.
pub(super) fn is_fixed_name(relative: &Path) -> bool {
    let name = relative.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let facts = [Content::Map.facts(), Content::Regions.facts(), MapFile::SCRIPT, Manifest::FILE, LayerFacts::TILEJSON];
    facts.contains(&name)
        || is_list_name(name)
        || page::paths().chain([MapFile::VERSION]).any(|file| relative == Path::new(file))
}
