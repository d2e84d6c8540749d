//! Compares the speed of `pixelmap-world` with other crates that read worlds.
//!
//! `RUSTC_BOOTSTRAP=1 cargo run --release --manifest-path benches/readers/Cargo.toml -- WORLD
//! [ROUNDS]` takes a world of Java Edition 1.13 or later, or a world of Bedrock Edition. The readers
//! take turns on one thread, 5 times by default, and the least and the median time of each are
//! printed. The files are in the cache of the system after the first round.

mod bedrock;
mod java;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

type Failure = Box<dyn Error>;

/// A way to read a world, and a number that shows how much it found.
struct Reading {
    name: &'static str,
    read: fn(&Path) -> Result<u64, Failure>,
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let world = arguments.next().ok_or("give the path of a world")?;
    let rounds: usize = match arguments.next() {
        Some(rounds) => rounds.parse()?,
        None => 5,
    };

    let world = Path::new(&world);
    let readings = if world.join("db").is_dir() {
        bedrock::READINGS
    } else {
        java::READINGS
    };
    let mut times = vec![Vec::new(); readings.len()];

    for round in 0..rounds {
        for (reading, times) in readings.iter().zip(&mut times) {
            let start = Instant::now();
            let found = (reading.read)(world)?;
            times.push(start.elapsed());

            if round == 0 {
                println!("{}: {found} found", reading.name);
            }
        }
    }

    for (reading, times) in readings.iter().zip(&mut times) {
        times.sort_unstable();
        println!(
            "{}: {} ms (median {} ms)",
            reading.name,
            times[0].as_millis(),
            times[times.len() / 2].as_millis(),
        );
    }

    Ok(())
}
