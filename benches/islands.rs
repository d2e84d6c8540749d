//! Writes a world for other benches: many copies of the island of the demo world, all in one
//! generation.
//!
//! `cargo bench --bench islands -- FOLDER [SIDE [neid|jeid|sparse|zvcr]]` writes SIDE by SIDE islands (3
//! by default) of four regions each. Their chunks are chunks of 1.18.2, or have the form in which
//! the mods `NotEnoughIDs` (1.7.10) or `JustEnoughIDs` (1.12.2) store them. With `sparse` it writes
//! SIDE by SIDE regions of two chunks each instead, and with `zvcr` files of zvcr whose chunks had no
//! grass a day earlier. The same arguments give the same bytes on every
//! machine.
#![allow(
    clippy::disallowed_methods,
    reason = "a bench fails if a file is missing"
)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark may stop")]

use std::path::PathBuf;

#[path = "../tests/demo/island/mod.rs"]
mod island;
#[path = "../tests/world/mod.rs"]
mod world;

use world::Generation;

fn main() {
    let words: Vec<_> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let Some(folder) = words.first().map(PathBuf::from) else {
        return;
    };

    let side = words.get(1).map_or(3, |side| side.parse().unwrap());
    let generation = match words.get(2).map(String::as_str) {
        None => Generation::Root(2975),
        Some("neid") => Generation::Neid(false),
        Some("jeid") => Generation::Jeid(1343),
        Some("zvcr") => {
            return island::islands_in_zvcr(side, |files| files.write_under(&folder));
        }
        Some("sparse") => {
            return world::many::small_files(&folder.join("region"), (side * side) as usize);
        }
        Some(other) => panic!("{other} is neither neid, jeid, sparse nor zvcr"),
    };

    island::islands(side, generation, |files| files.write_under(&folder));
}
