//! The names that a map uses for its files and folders.

use std::path::Path;

use super::content::{Content, STATE, WORLD_FILE_ENDING};
use super::history::HISTORY;
use super::manifest::Manifest;
use super::map_file::{LayerFacts, MapFile};
use super::markers::ENDING as MARKERS_ENDING;
use super::markers::MARKERS;
use super::naming::Format;
use super::tile_lists::is_list_name;
use crate::page::{self, PageTexts};

/// The folder of the owner's own files other than markers.
const CUSTOM: &str = "custom";

/// Returns whether a path in an output folder may belong to a file of its content or of its state.
pub fn is_own_path(relative: &Path) -> bool {
    let ending = relative
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    relative.starts_with(STATE) || Format::from_name(ending).is_some() || is_fixed_name(relative)
}

/// Returns whether a path has a name that every output folder or every layer's folder uses.
pub(super) fn is_fixed_name(relative: &Path) -> bool {
    let name = relative
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();

    let facts = [
        Content::Map.facts(),
        Content::Regions.facts(),
        MapFile::SCRIPT,
        Manifest::FILE,
        LayerFacts::TILEJSON,
    ];

    facts.contains(&name)
        || is_list_name(name)
        || page::paths()
            .chain([MapFile::VERSION])
            .any(|file| relative == Path::new(file))
}

/// Returns the names that a map uses at its top level, next to the folders of dimensions.
fn reserved_names() -> impl Iterator<Item = &'static str> {
    let facts = [
        MapFile::FILE,
        MapFile::SCRIPT,
        MapFile::VERSION,
        Content::Regions.facts(),
        LayerFacts::TILEJSON,
    ];

    let others = [
        CUSTOM,
        MARKERS,
        MapFile::MARKERS_SCRIPT,
        HISTORY,
        PageTexts::PREVIEW,
    ];

    facts.into_iter().chain(others).chain(page::paths())
}

/// Returns whether a map may use a name at its top level for something other than a dimension. Case
/// is ignored, because some file systems ignore it.
pub fn is_reserved_name(name: &str) -> bool {
    name.starts_with('.') || reserved_names().any(|reserved| reserved.eq_ignore_ascii_case(name))
}

/// Returns whether the folder of a layer may have a file with this name: a tile, a file next to
/// one, or a list of tiles. A dimension's files of details and markers count, because the map may
/// have the dimension from an earlier run or get it in a later one.
pub fn is_layer_file(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    if [Manifest::FILE, LayerFacts::TILEJSON].contains(&&*lower) {
        return true;
    }

    let Some((_, ending)) = lower.rsplit_once('.') else {
        return false;
    };
    Format::ALL.iter().any(|format| format.name() == ending)
        || [WORLD_FILE_ENDING, &MARKERS_ENDING[1..]].contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_map_files_are_reserved() {
        for name in [
            ".pixelmap",
            "Regions.json",
            ".git",
            "Index.html",
            "leaflet.LICENSE.txt",
            "MAP.js",
            "Custom",
        ] {
            assert!(is_reserved_name(name), "{name}");
        }

        assert!(reserved_names().all(is_reserved_name));

        for name in ["mod", "overworld", "DIM7", "viewer"] {
            assert!(!is_reserved_name(name), "{name}");
        }
    }

    #[test]
    fn names_of_layer_files_are_reserved() {
        for name in [
            "tiles.tsv",
            "Tiles.TSV",
            "tilejson.json",
            "0.png",
            "-1.webp",
            "r.0.-1.PNG",
            "r.0.-1.pgw",
        ] {
            assert!(is_layer_file(name), "{name}");
        }

        for name in ["tiles-17_-1.js", "Tiles-1_0.js", "0.js", "signs.geojson"] {
            assert!(is_layer_file(name), "{name}");
        }

        for name in ["day", "17", "tiles-of-stone", "png"] {
            assert!(!is_layer_file(name), "{name}");
        }
    }
}
