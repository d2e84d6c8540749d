//! Functions that the kinds of exports share: requested dimensions, warnings, and the error about a
//! map without layers.

use std::fmt::Write as _;

use pixelmap_map::atlas::FinishedMap;

use crate::cli::ExportArgs;
use crate::outcome::{Ending, FAILED};
use crate::summary::escape_name;

/// Returns the ids of the requested dimensions.
pub(super) fn dimension_ids(args: &ExportArgs, map: &FinishedMap) -> Vec<String> {
    args.dimension
        .iter()
        .map(|name| dimension_id(map, name))
        .collect()
}

/// Formats the warnings of an export, one per line.
pub(super) fn warning_lines(warnings: &[String]) -> String {
    let mut text = String::new();
    for warning in warnings {
        let _ = writeln!(text, "warning: {}", escape_name(warning));
    }
    text
}

/// Returns the ending of an export from a map without layers.
pub(super) fn no_layer() -> Ending {
    Ending::new(
        FAILED,
        "this map shows nothing: draw it with pixelmap render",
    )
}

/// Returns the id of a dimension, because a user may give any of its names.
fn dimension_id(map: &FinishedMap, name: &str) -> String {
    let id = pixelmap_world::internal::canonical_id(name);
    if map
        .facts()
        .dimensions
        .iter()
        .any(|dimension| dimension.id == name)
    {
        name.to_owned()
    } else {
        id
    }
}
