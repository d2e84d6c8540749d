//! Makes damage from a seed: region files and chunks with flipped bits, cut ends and spliced parts.

use super::chunk::Generation;
use super::fixture::landscape;
use super::payload;
use super::region::{LZ4, NONE, Record, RegionSpec, ZLIB};
use super::seed::Seed;

/// The generations from which mutations start, one per chunk.
const GENERATIONS: [Generation; 8] = [
    Generation::McRegion,
    Generation::NumericV,
    Generation::Jeid(1343),
    Generation::Neid(true),
    Generation::Spanning(1631),
    Generation::Aligned(2586),
    Generation::Root(3955),
    Generation::Root(5023),
];

/// The chunks of a mutated region are at 0..8, 0.
pub const CHUNKS: i32 = GENERATIONS.len() as i32;

/// A flipped bit near one of these names changes the meaning of the rest.
const TELLING: [&[u8]; 14] = [
    b"Level",
    b"Sections",
    b"sections",
    b"Palette",
    b"palette",
    b"BlockStates",
    b"block_states",
    b"data",
    b"Name",
    b"Biomes",
    b"biomes",
    b"Status",
    b"DataVersion",
    b"Blocks",
];

/// A region file with sound chunks and damaged bytes: header, records, length.
pub fn damaged_file(seed: u64) -> Vec<u8> {
    let mut seed = Seed::new(seed);
    let mut region = RegionSpec::new(0, 0);
    for (x, generation) in GENERATIONS.into_iter().enumerate() {
        let raw = landscape(x as i32, 0, generation).nbt().document();
        region.put_record(x as i32, 0, compressed(&raw, seed.below(4)));
    }

    let mut file = region.bytes();
    match seed.below(4) {
        0 => flip(&mut file, &mut seed, 0, 32),
        1 => {
            let record = 8192 + seed.below(GENERATIONS.len()) * 4096;
            flip(&mut file, &mut seed, record, 40);
        }
        2 => file.truncate(seed.below(file.len() + 1)),
        _ => splice(&mut file, &mut seed),
    }

    file
}

/// A region file whose chunks hold damaged NBT in sound records.
pub fn damaged_chunks(seed: u64) -> Vec<u8> {
    let mut seed = Seed::new(seed);
    let mut region = RegionSpec::new(0, 0);
    for (x, generation) in GENERATIONS.into_iter().enumerate() {
        let mut raw = landscape(x as i32, 0, generation).nbt().document();
        match seed.below(8) {
            0 => raw.truncate(seed.below(raw.len())),
            1 => splice(&mut raw, &mut seed),
            2 | 3 => {
                let length = raw.len();
                flip(&mut raw, &mut seed, 0, length);
            }
            _ => flip_near_a_name(&mut raw, &mut seed),
        }

        let way = seed.below(4);
        region.put_record(x as i32, 0, compressed(&raw, way));
    }

    region.bytes()
}

fn compressed(raw: &[u8], way: usize) -> Record {
    match way {
        0 => Record::new(NONE, raw.to_vec()),
        1 => Record::new(
            LZ4,
            payload::lz4(raw, 4000, &[payload::Block::Lz4, payload::Block::Raw], true),
        ),
        _ => Record::new(ZLIB, payload::zlib(raw)),
    }
}

/// Flips one to four bits among `length` bytes from `start`.
fn flip(bytes: &mut [u8], seed: &mut Seed, start: usize, length: usize) {
    for _ in 0..=seed.below(4) {
        let at = start + seed.below(length);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << seed.below(8);
        }
    }
}

/// Flips bits in a name, its length, its type, or the count after it.
fn flip_near_a_name(bytes: &mut [u8], seed: &mut Seed) {
    let name = TELLING[seed.below(TELLING.len())];
    let places: Vec<usize> = (3..bytes.len() - name.len())
        .filter(|at| bytes[*at..].starts_with(name))
        .collect();
    match places.len() {
        0 => flip(bytes, seed, 0, 200),
        count => {
            let place = places[seed.below(count)];
            flip(bytes, seed, place - 3, name.len() + 12);
        }
    }
}

/// Copies a stretch of the bytes over another place.
fn splice(bytes: &mut [u8], seed: &mut Seed) {
    let length = 1 + seed.below(300.min(bytes.len() - 1));
    let (from, to) = (
        seed.below(bytes.len() - length),
        seed.below(bytes.len() - length),
    );
    bytes.copy_within(from..from + length, to);
}
