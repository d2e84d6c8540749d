//! `pixelmap info`.

use std::collections::BTreeMap;
use std::fmt::Display;

use pixelmap::json;
use pixelmap::pipeline::{self, WorldInfo};
use pixelmap::world::Unreadable;

use super::{Ending, FAILED, GAPS, OK, open, print, unreadable};
use crate::cli::InfoArgs;
use crate::summary::{self, size};

/// Prints the contents of a world.
pub(super) fn run(args: &InfoArgs) -> Result<u8, Ending> {
    let world = open(&args.world)?;
    // If no dimension can be read, the world cannot either.
    let unknown: Option<Vec<Unreadable>> = world.dimensions.iter().map(Unreadable::of).collect();
    if let Some(first) = unknown.unwrap_or_default().into_iter().next() {
        return Err(Ending::new(FAILED, first));
    }
    let found = pipeline::info(&world).map_err(|error| unreadable(&error))?;
    let text = if args.json {
        json::text(&found).map_err(|error| Ending::new(FAILED, error))? + "\n"
    } else {
        info_text(&found)
    };
    print(text.as_bytes())?;
    let damaged = found.dimensions.iter().any(|dimension| !dimension.damaged.is_empty());
    Ok(if damaged { GAPS } else { OK })
}

fn info_text(found: &WorldInfo) -> String {
    let mut text = format!("{}\n", summary::plain(&found.name));
    if let Some(version) = found.data_version {
        text += &format!("level.dat: DataVersion {version}\n");
    }
    for dimension in &found.dimensions {
        text += &format!(
            "\n{} ({})\n  {} region files, {}, {} chunks\n",
            summary::plain(&dimension.id),
            summary::plain(&dimension.folder),
            dimension.regions,
            size(dimension.bytes),
            dimension.chunks
        );
        if dimension.unfinished > 0 {
            text += &format!("  unfinished   {} of the chunks\n", dimension.unfinished);
        }
        text += &format!("  versions     {}\n", counts(&dimension.data_versions));
        if dimension.data_versions_not_listed > 0 {
            text += &format!("  versions     others: {}\n", dimension.data_versions_not_listed);
        }
        text += &format!("  generations  {}\n", counts(&dimension.generations));
        text += &format!("  compression  {}\n", counts(&dimension.compression));
        for (name, block) in &dimension.unknown_blocks {
            let [x, y, z] = block.first;
            text += &format!(
                "  unknown      {} in {} columns, first at {x} {y} {z}\n",
                summary::plain(name),
                block.columns
            );
        }
        for damaged in &dimension.damaged {
            let place = damaged.chunk.map(|[x, z]| format!(" chunk {x},{z}")).unwrap_or_default();
            text += &format!("  damaged      {}{place}: {}\n", damaged.region, damaged.reason);
        }
        if dimension.damaged_not_listed > 0 {
            text += &format!("  damaged      and {} more\n", dimension.damaged_not_listed);
        }
    }
    text
}

/// The counts above 0, each with its name.
fn counts<K: Display>(counts: &BTreeMap<K, u64>) -> String {
    let used = counts.iter().filter(|(_, count)| **count > 0);
    used.map(|(name, count)| format!("{name}: {count}")).collect::<Vec<_>>().join(", ")
}
