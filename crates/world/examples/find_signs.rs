//! Prints the signs of a world that contain a text, whatever the case of its letters.
//!
//! `cargo run --release --example find_signs -- WORLD [TEXT]`

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
    let wanted = arguments.next().unwrap_or_default().to_lowercase();

    for dimension in world.dimensions() {
        for chunk in dimension.chunks() {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(damage) => {
                    eprintln!("{}: {damage}", dimension.id());
                    continue;
                }
            };

            for sign in chunk.signs() {
                let text = [&sign.front[..], &sign.back].concat().join(" ");
                if text.to_lowercase().contains(&wanted) {
                    println!(
                        "{} {} {} {}: {text}",
                        dimension.id(),
                        sign.x,
                        sign.y,
                        sign.z
                    );
                }
            }
        }
    }

    Ok(())
}
