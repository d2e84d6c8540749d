//! Huffman codes of deflate (RFC 1951, 3.2.2) and the bits of a block.

/// A code: for each symbol the number of its bits, or 0 if it is not used, and its bits, the first
/// one lowest.
#[derive(Debug, Default)]
pub(super) struct PrefixCode {
    pub(super) lengths: Vec<u8>,
    bits: Vec<u16>,
}

impl PrefixCode {
    /// Returns the best code for symbols that occur this often, in which no symbol has more than
    /// `limit` bits.
    pub(super) fn new(counts: &[u32], limit: u8) -> Self {
        Self::from_lengths(code_lengths(counts, limit))
    }

    /// Returns the code that deflate defines for these lengths.
    pub(super) fn from_lengths(lengths: Vec<u8>) -> Self {
        let mut counts = [0; 16];
        for &len in lengths.iter().filter(|&&len| len > 0) {
            counts[usize::from(len)] += 1;
        }

        // The first code of each length.
        let mut next = [0_u16; 16];
        for len in 1..next.len() {
            next[len] = (next[len - 1] + counts[len - 1]) << 1;
        }

        let bits = lengths.iter().map(|&len| {
            if len == 0 {
                return 0;
            }
            let code = &mut next[usize::from(len)];
            *code += 1;
            (*code - 1).reverse_bits() >> (16 - len)
        });
        let bits = bits.collect();

        Self { lengths, bits }
    }

    /// Returns how many bits these symbols need together.
    pub(super) fn cost(&self, counts: &[u32]) -> u64 {
        counts
            .iter()
            .zip(&self.lengths)
            .map(|(&count, &len)| u64::from(count) * u64::from(len))
            .sum()
    }
}

/// Returns the lengths of the best code for symbols that occur this often, with at most `limit`
/// bits per symbol. Ties are decided by the numbers of the symbols.
fn code_lengths(counts: &[u32], limit: u8) -> Vec<u8> {
    let mut symbols: Vec<usize> = (0..counts.len())
        .filter(|&symbol| counts[symbol] > 0)
        .collect();
    symbols.sort_unstable_by_key(|&symbol| (counts[symbol], symbol));

    let depths = depths(
        &symbols
            .iter()
            .map(|&symbol| u64::from(counts[symbol]))
            .collect::<Vec<_>>(),
    );

    let limit = usize::from(limit);
    let mut numbers = vec![0; limit + 1];
    for depth in depths {
        numbers[depth.clamp(1, limit)] += 1;
    }

    // Codes that were cut to the limit take too much room. Each step makes a shorter code longer by
    // one bit, which makes room for one code of full length.
    let mut room: i64 = (1 << limit)
        - (1..=limit)
            .map(|len| numbers[len] << (limit - len))
            .sum::<i64>();

    while room < 0 {
        let shorter = (1..limit).rev().find(|&len| numbers[len] > 0).unwrap_or(1);
        numbers[limit] -= 1;
        numbers[shorter] -= 1;
        numbers[shorter + 1] += 2;
        room += 1;
    }

    let mut lengths = vec![0; counts.len()];
    let longest_first = (1..=limit)
        .rev()
        .flat_map(|len| (0..numbers[len]).map(move |_| len as u8));
    symbols
        .iter()
        .zip(longest_first)
        .for_each(|(&symbol, len)| lengths[symbol] = len);

    lengths
}

/// Returns the depth of each leaf in the best tree for these weights, which are sorted. Takes the
/// two lightest nodes again and again: leaves and inner nodes are both in order of weight.
fn depths(weights: &[u64]) -> Vec<usize> {
    let leaves = weights.len();

    let mut nodes = weights.to_vec();
    let mut parents = vec![0; (2 * leaves).saturating_sub(1)];
    let (mut leaf, mut inner) = (0, leaves);
    while nodes.len() + 1 < 2 * leaves {
        let mut lightest = || {
            let takes_leaf = leaf < leaves
                && nodes
                    .get(inner)
                    .is_none_or(|&weight| weights[leaf] <= weight);
            let next = if takes_leaf { &mut leaf } else { &mut inner };
            *next += 1;
            *next - 1
        };

        let pair = [lightest(), lightest()];
        for child in pair {
            parents[child] = nodes.len();
        }

        nodes.push(pair.iter().map(|&child| nodes[child]).sum());
    }

    let mut depths = vec![0; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]] + 1;
    }

    depths.truncate(leaves);
    depths
}

/// Writes bits, the first one lowest.
#[derive(Debug)]
pub(super) struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    held: u64,
    count: u32,
}

impl<'o> BitWriter<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        Self {
            out,
            held: 0,
            count: 0,
        }
    }

    /// Writes the lowest `count` bits of `bits`, at most 16. The others must be 0.
    pub(super) fn write(&mut self, bits: u16, count: u8) {
        self.held |= u64::from(bits) << self.count;
        self.count += u32::from(count);
        if self.count >= 32 {
            self.out
                .extend_from_slice(&(self.held as u32).to_le_bytes());
            self.held >>= 32;
            self.count -= 32;
        }
    }

    pub(super) fn symbol(&mut self, code: &PrefixCode, symbol: usize) {
        self.write(code.bits[symbol], code.lengths[symbol]);
    }

    /// Writes the last bits, filled up with zeros to a whole byte.
    pub(super) fn end(self) {
        let bytes = self.count.div_ceil(8) as usize;
        self.out
            .extend_from_slice(&self.held.to_le_bytes()[..bytes]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_bits_of_the_format() {
        // The example of RFC 1951, 3.2.2, with each code's first bit lowest.
        let code = PrefixCode::from_lengths(vec![3, 3, 3, 3, 3, 2, 4, 4]);
        let reversed = [0b010, 0b011, 0b100, 0b101, 0b110, 0b00, 0b1110, 0b1111_u16];
        let bits = reversed
            .iter()
            .zip(&code.lengths)
            .map(|(bits, &len)| bits.reverse_bits() >> (16 - len));
        assert_eq!(code.bits, bits.collect::<Vec<_>>());
    }

    #[test]
    fn frequent_symbols_have_short_codes_within_the_limit() {
        assert!(code_lengths(&[], 15).is_empty());
        assert_eq!(code_lengths(&[0, 5, 0], 15), [0, 1, 0]);
        assert_eq!(code_lengths(&[1, 1, 2, 4], 15), [3, 3, 2, 1]);

        let mut fibonacci = vec![1_u32, 1];
        while fibonacci.len() < 30 {
            fibonacci.push(fibonacci[fibonacci.len() - 1] + fibonacci[fibonacci.len() - 2]);
        }

        for limit in [5, 7, 15] {
            let lengths = code_lengths(&fibonacci, limit);
            assert!(
                lengths.iter().all(|&len| (1..=limit).contains(&len)),
                "{lengths:?}"
            );
            assert!(lengths.is_sorted_by(|one, next| one >= next), "{lengths:?}");
            let used: u32 = lengths.iter().map(|&len| 1 << (limit - len)).sum();
            assert_eq!(used, 1 << limit, "the code is complete: {lengths:?}");
        }
    }
}
