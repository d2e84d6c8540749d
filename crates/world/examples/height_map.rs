//! Prints the heights of the highest blocks in a box of columns, one line per row from north to
//! south. Columns without a block are `-`.
//!
//! `cargo run --release --example height_map -- WORLD X0 Z0 X1 Z1`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints"
)]

use std::error::Error;

use pixelmap_world::World;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let world = World::open(arguments.next().ok_or("give the path of a world")?)?;
    let corners: Vec<i32> = arguments
        .map(|number| number.parse())
        .collect::<Result<_, _>>()?;
    let [x0, z0, x1, z1] = corners[..] else {
        return Err("give X0 Z0 X1 Z1".into());
    };

    let overworld = world.dimension("overworld").ok_or("no overworld")?;
    let (width, depth) = ((x1 - x0).max(0) as usize, (z1 - z0).max(0) as usize);
    let mut heights: Vec<Vec<Option<i32>>> = vec![vec![None; width]; depth];

    for chunk in overworld.chunks_in(x0..x1, z0..z1) {
        let chunk = chunk?;
        for z in (chunk.z() * 16).max(z0)..(chunk.z() * 16 + 16).min(z1) {
            for x in (chunk.x() * 16).max(x0)..(chunk.x() * 16 + 16).min(x1) {
                let surface = chunk.surface(x, z);
                heights[(z - z0) as usize][(x - x0) as usize] = surface.map(|surface| surface.y);
            }
        }
    }

    for row in heights {
        let row = row.into_iter();
        let row = row.map(|y| y.map_or_else(|| "-".to_owned(), |y| y.to_string()));
        println!("{}", row.collect::<Vec<_>>().join(" "));
    }

    Ok(())
}
