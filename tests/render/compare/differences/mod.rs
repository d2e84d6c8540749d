//! Tests `pixelmap diff`: differences are reported to the block, and sides that cannot be compared
//! are trouble instead.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

mod outputs;
mod tiles;
mod trouble;

use std::fs;
use std::path::Path;

use crate::map::{Place, Ran, land, program};
use crate::world::{ChunkSpec, Files, Generation, block};

const GENERATION: Generation = Generation::Numeric(1343);

/// A chunk in each of five regions, so that there are outer tiles.
const CHUNKS: [(i32, i32); 5] = [(5, 5), (37, 5), (70, 5), (-20, 5), (5, 40)];

/// The chunk that is edited, and the column in it.
const EDITED: (i32, i32) = (37, 5);

const COLUMN: (usize, usize) = (6, 7);

/// The position of this column in blocks.
pub(super) const X: i32 = 37 * 16 + 6;

pub(super) const Z: i32 = 5 * 16 + 7;

pub(super) fn world_with_edit(edit: impl Fn(&mut ChunkSpec)) -> Files {
    let chunks = CHUNKS.map(|(x, z)| {
        let mut chunk = ChunkSpec::new(x, z, GENERATION);
        chunk.layer(60, 63, block::DIRT);
        chunk.layer(64, 64, block::GRASS_BLOCK);
        if (x, z) == EDITED {
            edit(&mut chunk);
        }
        chunk
    });
    land::of_chunks(&chunks, GENERATION)
}

pub(super) fn sand(chunk: &mut ChunkSpec) {
    chunk.set(COLUMN.0, 64, COLUMN.1, block::SAND);
}

/// The world before and after an edit, drawn to `a` and `b`.
pub(super) fn drawn(edit: impl Fn(&mut ChunkSpec), options: &[&str]) -> Place {
    let place = Place::of(&world_with_edit(|_| {}));
    place.draw("a", options);
    fs::rename(place.world(), place.at("before")).unwrap();
    world_with_edit(edit).write_under(&place.world());
    place.draw("b", options);
    place
}

pub(super) fn diff(a: &Path, b: &Path, options: &[&str]) -> Ran {
    let mut command = program();
    command.arg("diff").arg(a).arg(b).args(options);
    Ran::of(command.output().unwrap())
}

pub(super) fn ab(place: &Place, options: &[&str]) -> Ran {
    diff(&place.at("a"), &place.at("b"), options)
}

/// The lines of tiles after the verdict.
fn tiles(ran: &Ran) -> &str {
    let (verdict, lines) = ran.out.split_once('\n').unwrap();
    assert!(
        verdict.starts_with("differs: ") && !verdict.contains('\t'),
        "{verdict}"
    );
    lines
}

fn png(path: &Path) -> image::RgbaImage {
    image::open(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .into_rgba8()
}
