//! XXH3-64 with seed 0 of long data that consists mostly of zeros, as the samples of a tile with
//! few chunks.
//!
//! The hash of a library reads the zeros. Here a block of zeros takes a small part of that time,
//! because its effect on the state is known: it adds the same numbers each time. The definition of
//! XXH3 has the same names.

/// Bytes after which the state is scrambled.
pub(super) const BLOCK: usize = 1024;
/// Bytes that are added to the state together.
const STRIPE: usize = 64;
/// The number of stripes in a block.
const STRIPES: usize = BLOCK / STRIPE;

const PRIME32_1: u64 = 0x9E37_79B1;
const PRIME32_2: u64 = 0x85EB_CA77;
const PRIME32_3: u64 = 0xC2B2_AE3D;
const PRIME64_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME64_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME64_3: u64 = 0x1656_67B1_9E37_79F9;
const PRIME64_4: u64 = 0x85EB_CA77_C2B2_AE63;
const PRIME64_5: u64 = 0x27D4_EB2F_1656_67C5;
const PRIME_MX1: u64 = 0x1656_6791_9E37_79F9;

/// The default secret of XXH3.
#[rustfmt::skip]
const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

/// The parts of the secret for the stripes of a block; the part after them is for scrambling.
const KEYS: [[u64; 8]; STRIPES + 1] = {
    let mut keys = [[0; 8]; STRIPES + 1];
    let mut stripe = 0;
    while stripe <= STRIPES {
        keys[stripe] = key(8 * stripe);
        stripe += 1;
    }
    keys
};
/// The part of the secret for the last stripe of all.
const LAST_KEY: [u64; 8] = key(SECRET.len() - STRIPE - 7);

/// The numbers that a block of zeros adds to the state.
const ZEROS: [u64; 8] = {
    let mut sum = [0_u64; 8];
    let mut stripe = 0;
    while stripe < STRIPES {
        let mut lane = 0;
        while lane < 8 {
            sum[lane] = sum[lane].wrapping_add(product(KEYS[stripe][lane]));
            lane += 1;
        }
        stripe += 1;
    }
    sum
};

/// Hashes a known number of blocks.
#[derive(Debug)]
pub(super) struct SparseHasher {
    state: [u64; 8],
    /// The length of all blocks in bytes.
    len: usize,
    /// The number of blocks that are missing.
    left: usize,
}

impl SparseHasher {
    /// Begins the hash of this many blocks.
    pub(super) fn new(blocks: usize) -> Self {
        let state = [
            PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1,
        ];
        Self {
            state,
            len: blocks * BLOCK,
            left: blocks,
        }
    }

    /// Adds blocks of zeros.
    pub(super) fn add_zeros(&mut self, blocks: usize) {
        for _ in 0..blocks {
            if self.left == 1 {
                self.add(&[0; BLOCK]);
                continue;
            }
            self.state
                .iter_mut()
                .zip(ZEROS)
                .for_each(|(lane, zeros)| *lane = lane.wrapping_add(zeros));
            self.end_block();
        }
    }

    /// Adds a block.
    pub(super) fn add(&mut self, block: &[u8; BLOCK]) {
        for (number, (stripe, key)) in block.as_chunks::<STRIPE>().0.iter().zip(&KEYS).enumerate() {
            let is_last = self.left == 1 && number + 1 == STRIPES;
            add_stripe(
                &mut self.state,
                stripe,
                if is_last { &LAST_KEY } else { key },
            );
        }

        self.end_block();
    }

    fn end_block(&mut self) {
        self.left -= 1;
        if self.left > 0 {
            scramble(&mut self.state);
        }
    }

    pub(super) fn finish(&self) -> u64 {
        merge(&self.state, self.len as u64)
    }
}

fn add_stripe(state: &mut [u64; 8], stripe: &[u8; STRIPE], key: &[u64; 8]) {
    let mut values = [0; 8];
    values
        .iter_mut()
        .zip(stripe.as_chunks().0)
        .for_each(|(value, bytes)| *value = u64::from_le_bytes(*bytes));
    for lane in 0..8 {
        state[lane] = state[lane]
            .wrapping_add(product(values[lane] ^ key[lane]))
            .wrapping_add(values[lane ^ 1]);
    }
}

fn scramble(state: &mut [u64; 8]) {
    for (lane, key) in state.iter_mut().zip(KEYS[STRIPES]) {
        *lane = (*lane ^ (*lane >> 47) ^ key).wrapping_mul(PRIME32_1);
    }
}

fn merge(state: &[u64; 8], len: u64) -> u64 {
    let mut hash = len.wrapping_mul(PRIME64_1);
    for (number, [one, other]) in state.as_chunks().0.iter().enumerate() {
        let start = 11 + 16 * number;
        let product = u128::from(one ^ secret(start)) * u128::from(other ^ secret(start + 8));
        hash = hash.wrapping_add(product as u64 ^ (product >> 64) as u64);
    }
    hash = (hash ^ (hash >> 37)).wrapping_mul(PRIME_MX1);
    hash ^ (hash >> 32)
}

/// Returns the product of both halves of a number.
const fn product(number: u64) -> u64 {
    (number & 0xffff_ffff) * (number >> 32)
}

/// Returns the part of the secret from an offset on.
const fn key(start: usize) -> [u64; 8] {
    let mut key = [0; 8];
    let mut lane = 0;
    while lane < 8 {
        key[lane] = secret(start + 8 * lane);
        lane += 1;
    }
    key
}

/// Returns the number at an offset in the secret.
const fn secret(start: usize) -> u64 {
    let mut number = 0;
    let mut byte = 8;
    while byte > 0 {
        byte -= 1;
        number = number << 8 | SECRET[start + byte] as u64;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_data_has_the_hash_of_its_bytes() {
        for count in [1, 2, 3, 17, 1024] {
            for filled in [
                vec![],
                vec![0],
                vec![count - 1],
                vec![0, count / 2, count - 1],
                (0..count).collect(),
            ] {
                let mut bytes = vec![[0_u8; BLOCK]; count];
                for &block in &filled {
                    let value = |at: usize| (at * 31 + block * 7 + at * at / 5) as u8;
                    bytes[block]
                        .iter_mut()
                        .enumerate()
                        .for_each(|(at, byte)| *byte = value(at));
                }

                let mut hasher = SparseHasher::new(count);
                for (number, block) in bytes.iter().enumerate() {
                    if filled.contains(&number) {
                        hasher.add(block);
                    } else {
                        hasher.add_zeros(1);
                    }
                }

                let wanted = twox_hash::XxHash3_64::oneshot(bytes.as_flattened());
                assert_eq!(hasher.finish(), wanted, "{count} blocks, filled {filled:?}");
            }
        }
    }
}
