//! Writes a world for other benches: many copies of the island of the demo world, all in 1.18.2.
//!
//! `cargo bench --bench islands -- FOLDER [SIDE]` writes SIDE by SIDE islands (3 by default) of four regions each. The
//! same SIDE gives the same bytes on every machine.
#![allow(clippy::disallowed_methods, reason = "a bench fails if a file is missing")]
#![allow(clippy::unwrap_used, reason = "a benchmark may stop")]

use std::path::PathBuf;

#[path = "../tests/world/mod.rs"]
mod world;

fn main() {
    let words: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let Some(folder) = words.first().map(PathBuf::from) else { return };
    let side = words.get(1).map_or(3, |side| side.parse().unwrap());
    world::demo::islands(side, |files| files.write_under(&folder));
}
