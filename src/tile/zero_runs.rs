//! Writes a zlib stream (RFC 1950) with long runs of zeros at its ends.
//!
//! A tile with few chunks consists mostly of blank rows, and libdeflate spends as much time on a blank byte as on
//! any other. Therefore libdeflate gets only the bytes between the runs. Each run is one deflate block that is
//! written directly: a literal zero, followed by matches of 258 bytes, which take two bits each. libdeflate's
//! blocks are then copied bit by bit. Because libdeflate marks its last block as the end of the stream and pads
//! the last byte, this block has to be found first.
//!
//! Source: RFC 1951.

use libdeflater::Compressor;

use super::Adler;

/// The longest match.
const MATCH: usize = 258;
/// The symbol of the longest match.
const LONGEST: usize = 285;
/// The longest code of a literal or a length, and of a distance.
const MAX_CODE: usize = 15;
/// The order in which a block lists the lengths of the codes of its code lengths.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// The number of extra bits per symbol, for lengths above 10 bytes and for distances.
const LENGTH_BITS: [u8; 29] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

/// The most bits that the block of a run needs in addition to two bits per match.
const RUN_BITS: usize = 120;

/// Appends a stream of `before` zeros, `bytes` and `after` zeros to `out`. Returns `None` if the stream could be longer
/// than libdeflate's own, or if libdeflate's blocks cannot be joined with others (see [`LastBlock::find`]); then `out`
/// may have any bytes appended.
pub(super) fn deflate_between(
    deflate: &mut Compressor,
    out: &mut Vec<u8>,
    [before, after]: [usize; 2],
    bytes: &[u8],
) -> Option<()> {
    let [matches_before, matches_after] = [before, after].map(|zeros| zeros.saturating_sub(1) / MATCH);
    let run = |matches: usize| if matches > 0 { 1 + matches * MATCH } else { 0 };
    let [run_before, run_after] = [matches_before, matches_after].map(run);
    let bytes = [&vec![0; before - run_before], bytes, &vec![0; after - run_after]].concat();
    let mut stream = vec![0; deflate.zlib_compress_bound(bytes.len())];
    let len = deflate.zlib_compress(&bytes, &mut stream).ok()?;
    let (blocks, sum) = stream[..len].get(2..)?.split_last_chunk::<4>()?;
    let LastBlock { start, end, symbols } = LastBlock::find(blocks)?;
    let matches = matches_before + matches_after;
    let runs = usize::from(matches_before > 0) + usize::from(matches_after > 0);
    if symbols.saved_bits().min(matches) < runs * RUN_BITS {
        return None;
    }

    out.extend([0x78, 0x01]);
    let mut bits = BitWriter { out, held: 0, count: 0 };
    if matches_before > 0 {
        bits.put_zeros(matches_before, false);
    }
    bits.put_bits(blocks, 0..start);
    bits.put(u64::from(matches_after == 0), 1);
    bits.put_bits(blocks, start + 1..end);
    if matches_after > 0 {
        bits.put_zeros(matches_after, true);
    }
    bits.align();
    let adler = Adler::new(u32::from_be_bytes(*sum), bytes.len());
    let adler = Adler::zeros(run_before).followed_by(adler).followed_by(Adler::zeros(run_after));
    out.extend(adler.sum().to_be_bytes());
    Some(())
}

/// Writes bits, the lowest bit of each byte first.
struct BitWriter<'s> {
    out: &'s mut Vec<u8>,
    held: u64,
    count: u32,
}

impl BitWriter<'_> {
    /// Writes up to 32 bits.
    fn put(&mut self, bits: u64, count: u32) {
        self.held |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Pads the last byte with zeros.
    fn align(&mut self) {
        self.put(0, self.count.wrapping_neg() % 8);
    }

    /// Copies a range of the bits of `bytes`.
    fn put_bits(&mut self, bytes: &[u8], range: std::ops::Range<usize>) {
        let mut reader = BitReader { bytes, at: range.start };
        while reader.at < range.end {
            let count = (range.end - reader.at).min(16);
            self.put(u64::from(reader.peek()) & ((1 << count) - 1), count as u32);
            reader.at += count;
        }
    }

    /// Writes a block of one zero and this number of matches of zeros.
    fn put_zeros(&mut self, matches: usize, is_end: bool) {
        self.put(u64::from(is_end), 1);
        // A block with codes of its own: 286 for literals and lengths, 2 for distances, and 18 lengths of code lengths.
        self.put(2, 2);
        self.put(286 - 257, 5);
        self.put(2 - 1, 5);
        self.put(18 - 4, 4);
        // The codes of code lengths: `0` means 1, `10` means 2, and `11` means that many zeros, less 11, in 7 bits.
        for length in &ORDER[..18] {
            self.put(
                match length {
                    1 => 1,
                    2 | 18 => 2,
                    _ => 0,
                },
                3,
            );
        }
        let zeros = |count: u64| (3 | (count - 11) << 2, 9);
        let (one, two) = ((0, 1), (1, 2));
        // Literal 0 has the code `10`, the end of the block `11`, and a length of 258 `0`; a distance of 1 has `0`.
        for (bits, count) in [two, zeros(138), zeros(117), two, zeros(28), one, one, one] {
            self.put(bits, count);
        }
        self.put(1, 2);
        for _ in 0..matches / 16 {
            self.put(0, 32);
        }
        self.put(0, (matches % 16 * 2) as u32);
        self.put(3, 2);
    }
}

/// Reads bits, the lowest bit of each byte first.
struct BitReader<'s> {
    bytes: &'s [u8],
    at: usize,
}

impl BitReader<'_> {
    /// Returns at least 16 bits. After the last byte, the missing bits are zeros.
    fn peek(&self) -> u32 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let bytes = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            last
        });
        u32::from_le_bytes(bytes) >> (self.at % 8)
    }

    fn take(&mut self, count: usize) -> usize {
        let bits = self.peek() as usize & ((1 << count) - 1);
        self.at += count;
        bits
    }
}

/// The position of the last block of a stream, in bits.
struct LastBlock {
    start: usize,
    end: usize,
    /// The symbols of all blocks.
    symbols: Symbols,
}

/// Numbers of symbols.
#[derive(Default)]
struct Symbols {
    longest_matches: usize,
    others: usize,
}

impl Symbols {
    /// Returns about how many bits the symbols save because no run is in their blocks, but at most one per symbol. With
    /// a run, the shortest code would belong to its matches, so each other symbol would need one more bit. If there are
    /// many of the longest matches anyway, they have the shortest code in any case.
    fn saved_bits(&self) -> usize {
        self.others.saturating_sub(4 * self.longest_matches)
    }
}

impl LastBlock {
    /// Finds the last block by reading all blocks. Returns `None` if they are damaged, or if one of them is stored
    /// uncompressed, because such a block would have to start at a byte boundary again. libdeflate writes such blocks
    /// for noise and for inputs of a few bytes.
    fn find(bytes: &[u8]) -> Option<Self> {
        let mut reader = BitReader { bytes, at: 0 };
        let mut symbols = Symbols::default();
        loop {
            let start = reader.at;
            let is_last = reader.take(1) == 1;
            match reader.take(2) {
                1 => {
                    let literals = [(8, 144), (9, 112), (7, 24), (8, 8)].map(|(length, count)| vec![length; count]);
                    let codes = [Codes::new(&literals.concat())?, Codes::new(&[5; 30])?];
                    pass_symbols(&mut reader, &codes, &mut symbols)?;
                }
                2 => {
                    let codes = read_codes(&mut reader)?;
                    pass_symbols(&mut reader, &codes, &mut symbols)?;
                }
                _ => return None,
            }
            if reader.at > bytes.len() * 8 {
                return None;
            }
            if is_last {
                return Some(Self { start, end: reader.at, symbols });
            }
        }
    }
}

/// Skips the symbols of a block, and counts them.
fn pass_symbols(reader: &mut BitReader<'_>, [literals, distances]: &[Codes; 2], symbols: &mut Symbols) -> Option<()> {
    let end = reader.bytes.len() * 8;
    while reader.at <= end {
        match literals.next(reader)? {
            ..256 => symbols.others += 1,
            256 => return Some(()),
            length => {
                let count = if length == LONGEST { &mut symbols.longest_matches } else { &mut symbols.others };
                *count += 1;
                reader.at += usize::from(*LENGTH_BITS.get(length - 257)?);
                let distance = distances.next(reader)?;
                reader.at += (distance / 2).saturating_sub(1);
            }
        }
    }
    None
}

/// Reads the two codes of a block: one for literals and lengths, and one for distances.
fn read_codes(reader: &mut BitReader<'_>) -> Option<[Codes; 2]> {
    let literals = reader.take(5) + 257;
    let distances = reader.take(5) + 1;
    let listed = reader.take(4) + 4;
    let mut lengths = [0; 19];
    for &symbol in &ORDER[..listed] {
        lengths[symbol] = reader.take(3) as u8;
    }
    let codes = Codes::new(&lengths)?;
    let mut lengths = Vec::new();
    while lengths.len() < literals + distances {
        let (length, count) = match codes.next(reader)? {
            16 => (*lengths.last()?, reader.take(2) + 3),
            17 => (0, reader.take(3) + 3),
            18 => (0, reader.take(7) + 11),
            length => (length as u8, 1),
        };
        lengths.resize(lengths.len() + count, length);
    }
    let (literals, distances) = lengths.split_at(literals);
    Some([Codes::new(literals)?, Codes::new(distances)?])
}

/// A Huffman code, as a table indexed by the next bits.
struct Codes {
    /// Each entry contains a symbol, stored above the length of its code.
    symbols: Vec<u16>,
}

impl Codes {
    /// Makes the code whose symbols have codes of these lengths. Returns `None` if such a code cannot exist.
    fn new(lengths: &[u8]) -> Option<Self> {
        let longest = usize::from(*lengths.iter().max()?);
        if longest > MAX_CODE {
            return None;
        }
        let mut symbols = vec![0; 1 << longest];
        let mut code = 0;
        for length in 1..=longest {
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, one)| usize::from(**one) == length) {
                let reversed = (code as u16).reverse_bits() as usize >> (16 - length);
                for entry in symbols.get_mut(reversed..)?.iter_mut().step_by(1 << length) {
                    *entry = (symbol << 4 | length) as u16;
                }
                code += 1;
            }
            code <<= 1;
        }
        Some(Self { symbols })
    }

    /// Reads the next symbol. Returns `None` if no symbol has this code.
    #[inline]
    fn next(&self, reader: &mut BitReader<'_>) -> Option<usize> {
        let entry = self.symbols[reader.peek() as usize & (self.symbols.len() - 1)];
        reader.at += usize::from(entry & 15);
        (entry != 0).then_some(usize::from(entry >> 4))
    }
}

#[cfg(test)]
mod tests {
    use libdeflater::{CompressionLvl, Decompressor};

    use super::*;

    fn noise(len: usize, seed: u32, of: u32) -> Vec<u8> {
        let mut state = seed;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % of) as u8
        };
        std::iter::repeat_with(next).take(len).collect()
    }

    #[test]
    fn streams_inflate_to_what_they_were() {
        for (level, seed) in [(1, 1), (2, 2), (4, 3)] {
            let mut deflate = Compressor::new(CompressionLvl::new(level).unwrap());
            for (of, len) in [(2, 9_000), (20, 9_000), (100, 40_000), (3, 400_000)] {
                for runs in [[0, 0], [1, 258], [40_000, 0], [0, 70_001], [258, 50_000], [70_000, 90_001]] {
                    let bytes = noise(len, seed, of);
                    let mut file = vec![7];
                    deflate_between(&mut deflate, &mut file, runs, &bytes).unwrap();
                    let plain = [vec![0; runs[0]], bytes, vec![0; runs[1]]].concat();
                    let mut back = vec![0; plain.len() + 1];
                    let len = Decompressor::new().zlib_decompress(&file[1..], &mut back).unwrap();
                    assert!(back[..len] == plain, "{level} {of} {runs:?}");
                }
            }
        }
    }

    #[test]
    fn bytes_that_stay_plain_are_refused() {
        let mut deflate = Compressor::new(CompressionLvl::new(2).unwrap());
        let mut try_noise = |of| deflate_between(&mut deflate, &mut Vec::new(), [40_000; 2], &noise(20_000, 1, of));
        assert_eq!((try_noise(100), try_noise(256)), (Some(()), None));
    }

    #[test]
    fn runs_around_few_symbols_are_refused() {
        let mut deflate = Compressor::new(CompressionLvl::new(2).unwrap());
        let mut try_len = |len| deflate_between(&mut deflate, &mut Vec::new(), [40_000; 2], &noise(len, 1, 40));
        assert_eq!((try_len(150), try_len(600)), (None, Some(())));
    }

    #[test]
    fn other_inflaters_read_runs() {
        let mut deflate = Compressor::new(CompressionLvl::new(2).unwrap());
        let mut file = Vec::new();
        let noise = noise(3000, 1, 4);
        deflate_between(&mut deflate, &mut file, [100_000, 150_000], &noise).unwrap();
        assert!(file.len() < 1_300, "{} bytes", file.len());
        let mut back = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&*file), &mut back).unwrap();
        assert!(back == [vec![0; 100_000], noise, vec![0; 150_000]].concat());
    }
}
