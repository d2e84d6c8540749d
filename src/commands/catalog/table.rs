//! Writes the worlds of a catalog as JSON and as a table.

use pixelmap_base::json;
use pixelmap_draw::ask::catalog::{FORMAT, WorldEntry};
use serde::Serialize;

use crate::outcome::{Ending, FAILED};

/// The columns of `worlds.csv`.
const COLUMNS: [&str; 18] = [
    "format",
    "path",
    "name",
    "edition",
    "game_version",
    "oldest_version",
    "newest_version",
    "dimensions",
    "chunks",
    "bytes",
    "first_saved",
    "last_saved",
    "last_played",
    "players",
    "damaged",
    "error",
    "copies",
    "picture",
];

/// The contents of `worlds.json`.
#[derive(Serialize)]
struct Catalog<'a> {
    /// Raised when a field goes or changes its meaning.
    format: u32,
    /// The version of this program.
    version: &'static str,
    worlds: &'a [WorldEntry],
}

/// Returns the contents of `worlds.json`.
pub(super) fn json(worlds: &[WorldEntry]) -> Result<String, Ending> {
    let text = json::text(&Catalog {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION"),
        worlds,
    });
    text.map_err(|error| Ending::new(FAILED, error))
}

/// Returns the contents of `worlds.csv`.
pub(super) fn csv(worlds: &[WorldEntry]) -> String {
    let mut text = COLUMNS.join(",") + "\r\n";
    for world in worlds {
        let cells = row(world).map(|cell| quoted(&cell));
        text += &cells.join(",");
        text += "\r\n";
    }
    text
}

fn row(world: &WorldEntry) -> [String; 18] {
    let dimensions = world.dimensions.iter();
    let dimensions: Vec<_> = dimensions.map(|dimension| dimension.id.as_str()).collect();
    let copies = world.copies.iter().map(|copy| copy.path.as_str());
    let copies: Vec<_> = copies.collect();
    let optional = |value: &Option<String>| value.clone().unwrap_or_default();

    [
        FORMAT.to_string(),
        world.path.clone(),
        world.name.clone(),
        optional(&world.edition),
        optional(&world.game_version),
        optional(&world.oldest_version),
        optional(&world.newest_version),
        dimensions.join(";"),
        world.chunks.to_string(),
        world.bytes.to_string(),
        optional(&world.first_saved),
        optional(&world.last_saved),
        optional(&world.last_played),
        world.players.to_string(),
        world.damaged.to_string(),
        optional(&world.error),
        copies.join(";"),
        optional(&world.picture),
    ]
}

/// Quotes a cell. Names come from worlds, so a cell that a spreadsheet would run as a formula gets
/// an apostrophe.
fn quoted(cell: &str) -> String {
    let cell = if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    };

    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_run_no_formula() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("=1+1"), "'=1+1");
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(csv(&[]).trim_end().split(',').count(), COLUMNS.len());
    }
}
