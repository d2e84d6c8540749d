//! Writes big worlds cheaply and directly to disk, for benches and for tests of order and memory.

use std::fs;
use std::path::Path;

use super::block::{self, Block};
use super::chunk::{ChunkSpec, Generation};
use super::region::RegionSpec;
use super::seed::of_place;

/// The generation, blocks and heights of [`regions`] repeat after this many regions.
const PERIOD: i32 = 4;

/// Writes `count` regions of rolling terrain (1,024 chunks each) into `folder`, in rows of about
/// the square root.
#[allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]
pub fn regions(folder: &Path, count: usize) {
    fs::create_dir_all(folder).unwrap();
    let width = count.isqrt().max(1);
    for number in 0..count {
        let (x, z) = ((number % width) as i32, (number / width) as i32);
        let region = region(x, z, 32);
        fs::write(folder.join(region.file_name()), region.bytes()).unwrap();
    }
}

/// Puts the region files of `world` side by side until `folder` holds `count`, in rows of about the
/// square root. Copies are hard links if the file system allows it.
///
/// The chunks keep their saved positions, which differ from their new slots. That is only a
/// warning.
pub fn replicate(world: &Path, folder: &Path, count: usize) {
    fs::create_dir_all(folder).unwrap();
    let mut sources: Vec<_> = fs::read_dir(world)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "mca"));
    sources.sort();

    let width = count.isqrt().max(1);
    for number in 0..count {
        let name = format!("r.{}.{}.mca", number % width, number / width);
        let (source, copy) = (&sources[number % sources.len()], folder.join(name));
        if fs::hard_link(source, &copy).is_err() {
            fs::copy(source, &copy).unwrap();
            // Some file systems allow a thousand links to a file, so the next links refer to this
            // copy.
            let at = number % sources.len();
            sources[at] = copy;
        }
    }
}

/// Writes `count` region files of two chunks each into `folder`; 40,000 need some 2 MB of disk.
///
/// The files are hard links to 16 different ones if the file system allows it. Their chunks store
/// no position.
#[allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]
pub fn small_files(folder: &Path, count: usize) {
    fs::create_dir_all(folder).unwrap();
    let width = count.isqrt().max(1);
    let name = |number: usize| folder.join(format!("r.{}.{}.mca", number % width, number / width));

    for number in 0..count {
        if number < 16 {
            let mut region = RegionSpec::new(0, 0);
            for x in 0..2 {
                let mut nbt = terrain(x + number as i32 * 2, 0, Generation::Root(3955)).nbt();
                nbt.remove("xPos");
                nbt.remove("zPos");
                region.put_record(x, 0, super::Record::zlib(&nbt));
            }
            fs::write(name(number), region.bytes()).unwrap();
        } else if fs::hard_link(name(number % 16), name(number)).is_err() {
            fs::copy(name(number % 16), name(number)).unwrap();
        }
    }
}

/// Writes `count` region files into `folder`. All 1,024 chunks of each begin after the end of the
/// file. The files are hard links if the file system allows it.
#[allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]
pub fn damaged_files(folder: &Path, count: usize) {
    fs::create_dir_all(folder).unwrap();
    let width = count.isqrt().max(1);
    let name = |number: usize| folder.join(format!("r.{}.{}.mca", number % width, number / width));
    let mut header: Vec<u8> = (0..1024_u32)
        .flat_map(|slot| ((1_000 + slot) << 8 | 1).to_be_bytes())
        .collect();
    header.resize(8192, 0);
    for number in 0..count {
        if number == 0 || fs::hard_link(name(0), name(number)).is_err() {
            fs::write(name(number), &header).unwrap();
        }
    }
}

/// One region of rolling terrain, in which the first `side` x `side` chunks exist.
pub fn region(x: i32, z: i32, side: i32) -> RegionSpec {
    let mut region = RegionSpec::new(x, z);

    let generation = match (x + z).rem_euclid(PERIOD) {
        0 => Generation::Root(3955),
        1 => Generation::Numeric(1343),
        2 => Generation::Aligned(2586),
        _ => Generation::Spanning(1631),
    };

    for slot in 0..side * side {
        region.put(&terrain(
            x * 32 + slot % side,
            z * 32 + slot / side,
            generation,
        ));
    }

    region
}

/// A chunk of rolling terrain around y 64: stone, earth and grass, sand and water where it is low.
fn terrain(x: i32, z: i32, generation: Generation) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, generation);
    for column in 0..256_i32 {
        let (dx, dz) = (column % 16, column / 16);
        let height = height(x * 16 + dx, z * 16 + dz);
        let (dx, dz) = (dx as usize, dz as usize);

        let ground: Block = if height < 63 {
            block::SAND
        } else {
            block::GRASS_BLOCK
        };

        chunk.stack(dx, dz, 48, height - 2, block::STONE);
        chunk.stack(dx, dz, height - 1, height - 1, block::DIRT);
        chunk.set(dx, height, dz, ground);
        chunk.stack(dx, dz, height + 1, 62, block::WATER);

        if height >= 63 && of_place(x * 16 + dx as i32, z * 16 + dz as i32, 7).is_multiple_of(19) {
            chunk.set(dx, height + 1, dz, block::DANDELION);
        }
    }

    chunk
}

/// The sum of triangle waves of three lengths: 52 to 78.
fn height(x: i32, z: i32) -> i32 {
    let wave = |at: i32, length: i32| (at.rem_euclid(length) - length / 2).abs() * 2;
    52 + wave(x + z, 128) * 12 / 128 + wave(x - 2 * z, 64) * 8 / 64 + wave(z, 256) * 6 / 256
}
