//! Counts the blocks of a world by name, the most frequent first.
//!
//! `cargo run --release --example count_blocks -- WORLD [DIMENSION]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints"
)]

use std::collections::HashMap;
use std::error::Error;

use pixelmap_world::World;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let world = World::open(arguments.next().ok_or("give the path of a world")?)?;
    let id = arguments.next().unwrap_or_else(|| "overworld".to_owned());
    let dimension = world.dimension(&id).ok_or("no such dimension")?;

    let mut counts: HashMap<String, u64> = HashMap::new();
    for chunk in dimension.chunks() {
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(damage) => {
                eprintln!("{damage}");
                continue;
            }
        };

        for (_, block) in chunk.blocks() {
            if let Some(count) = counts.get_mut(block.name()) {
                *count += 1;
            } else {
                counts.insert(block.name().to_owned(), 1);
            }
        }
    }

    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (name, count) in counts {
        println!("{count:>12} {name}");
    }

    Ok(())
}
