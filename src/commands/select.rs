//! Runs `pixelmap select`: lists chunks for MCA Selector. The world is only read.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use pixelmap_draw::Hide;
use pixelmap_draw::ask::{self, ChunkRules, DimensionShape, SelectedChunks};
use pixelmap_world::internal::WorldScope;

use super::side_files::SideFiles;
use super::worlds::dimension;
use super::worlds::open;
use crate::cli::SelectArgs;
use crate::log::complain;
use crate::outcome::{Ending, FAILED, GAPS, OK, USAGE, put};
use crate::summary::count_text;

/// The largest file of markers, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Writes the selection. Returns the exit code.
pub(super) fn run(args: &SelectArgs) -> Result<u8, Ending> {
    let world = open(&args.world, WorldScope::default())?;
    if world.is_bedrock() {
        let message = "this is a world of Bedrock Edition, which MCA Selector cannot open and \
                       which stores no time of players";
        return Err(Ending::new(FAILED, message));
    }

    let dimension = dimension(&world, args.dimension.as_deref())?;
    SideFiles::for_select(args).check(&world.folders)?;

    let near = shapes(&args.near, &dimension.id)?;
    let rules = ChunkRules {
        below: args.inhabited_below,
        above: args.inhabited_above,
        near: (!args.near.is_empty()).then_some(near),
        keep: shapes(&args.keep_near, &dimension.id)?,
        distance: f64::from(args.distance),
    };

    let found = ask::select(&world, dimension, &rules)?;
    put(&args.output, found.csv().as_bytes())?;

    if let Some(preview) = &args.preview {
        put(preview, found.preview().as_bytes())?;
    }

    report(&found);
    Ok(if found.unread > 0 { GAPS } else { OK })
}

fn report(found: &SelectedChunks) {
    if !found.mods.is_empty() {
        let names: Vec<&str> = found.mods.iter().map(|known| known.name).collect();
        let count = count_text(found.with_contraptions, "chunk");
        complain(&format!(
            "{count} in the far area in which {} stores ships and other contraptions: not selected",
            names.join(" or ")
        ));
    }

    if found.without_time > 0 {
        let count = count_text(found.without_time, "chunk");
        complain(&format!(
            "{count} without the time of players: not selected"
        ));
    }

    if found.unread > 0 {
        let count = count_text(found.unread, "place");
        complain(&format!("{count} cannot be read: not selected"));
    }

    let of = count_text(found.chunks, "chunk");
    let _ = writeln!(io::stderr(), "{} of {of} selected", found.selected);
}

/// Reads the shapes of files, and makes shapes of rectangles.
fn shapes(places: &[Hide], dimension: &str) -> Result<Vec<DimensionShape>, Ending> {
    let mut shapes = Vec::new();
    for place in places {
        match place {
            Hide::Area(area) => shapes.push(DimensionShape::rectangle(*area, dimension)),
            Hide::File(path) => {
                let read = shapes_of_file(path);
                shapes.extend(
                    read.map_err(|why| Ending::new(USAGE, format!("{}: {why}", path.display())))?,
                );
            }
        }
    }

    Ok(shapes)
}

fn shapes_of_file(path: &Path) -> Result<Vec<DimensionShape>, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_FILE {
        return Err("it has more than 64 MiB".to_owned());
    }

    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    DimensionShape::read_all(&text).map_err(|error| error.to_string())
}
