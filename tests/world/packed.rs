//! Packs palette indices and heights into longs, spanning (before 20w17a) and aligned (since). Its
//! callers write the tags.

/// The layout of entries in their longs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Entry i begins at bit i*b and may go on in the next long.
    Spanning,
    /// No entry crosses a long; the top bits of each are unused.
    Aligned,
}

/// `values` in entries of `bits` bits.
pub fn pack(values: impl ExactSizeIterator<Item = u64>, bits: usize, packing: Packing) -> Vec<i64> {
    let per_long = 64 / bits;
    let count = match packing {
        Packing::Spanning => (values.len() * bits).div_ceil(64),
        Packing::Aligned => values.len().div_ceil(per_long),
    };

    let mut longs = vec![0_u64; count];
    for (index, value) in values.enumerate() {
        assert!(value >> bits == 0, "{value} does not fit {bits} bits");

        match packing {
            Packing::Aligned => longs[index / per_long] |= value << (index % per_long * bits),
            Packing::Spanning => {
                let (long, shift) = (index * bits / 64, index * bits % 64);
                longs[long] |= value << shift;
                if shift + bits > 64 {
                    longs[long + 1] |= value >> (64 - shift);
                }
            }
        }
    }

    longs.into_iter().map(|long| long as i64).collect()
}

/// The bits an index into a palette of `count` entries takes, at least `least`.
pub fn bits_for(count: usize, least: usize) -> usize {
    least.max(count.next_power_of_two().trailing_zeros() as usize)
}

/// `values` (0..16 each) in nibbles, the even index low.
pub fn nibbles(values: &[u8]) -> Vec<u8> {
    values
        .chunks(2)
        .map(|pair| pair[0] | pair[1] << 4)
        .collect()
}
