//! Numbers from a seed: splitmix64, the same on every platform.

/// A stream of numbers from a seed.
#[derive(Debug, Clone)]
pub struct Seed(u64);

impl Seed {
    /// Starts the stream of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number in `0..bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Scatters the bits of a number.
pub const fn mix(number: u64) -> u64 {
    let a = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ a >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ b >> 31
}

/// Scattered bits of a place and a salt.
pub const fn of_place(x: i32, z: i32, salt: u64) -> u64 {
    mix(mix(x as u32 as u64 ^ salt << 32) ^ (z as u32 as u64) << 20 ^ salt)
}
