//! Deflates samples that consist mostly of long runs, as in a tile with few chunks.
//!
//! Libraries enter every byte of a run into their tables, or at least search for a match every 258
//! bytes. This encoder measures a run once and writes it as often as needed, so that a blank part
//! costs little more than comparing it. It searches for matches at three kinds of offsets: the byte
//! before, the row before, and the offsets where the next four bytes occurred last. Everything is
//! one block with codes of its own, or with the fixed codes if these are shorter.

use std::sync::LazyLock;

use super::huffman::{BitWriter, PrefixCode};

/// The shortest and the longest match that deflate can express.
const MIN_MATCH: usize = 3;
const MAX_MATCH: usize = 258;
const MAX_DISTANCE: usize = 32 << 10;
/// Bytes that a search compares at least, and by which offsets are found.
const KEY: usize = 4;
/// The logarithm of the number of different keys in the table.
const KEY_BITS: u32 = 12;
/// The offsets that are kept per key.
const KEPT: usize = 4;
/// A match of this length is used without looking for a better one at the next byte.
const GOOD_MATCH: usize = 32;
/// The number of offsets inside a match that are entered into the table.
const ENTERED: usize = 32;
/// The symbol that ends a block.
const END: usize = 256;
/// Bytes that are compared together.
const GROUP: usize = 32;
/// The start of a stream in the form of RFC 1950: deflate with a window of 32 kB, and a fast
/// method.
const STREAM_START: [u8; 2] = [0x78, 0x01];
/// The order in which a block names the lengths of the code for lengths.
const LENGTH_ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// The fixed codes of the format for symbols and distances, built for the first tile.
static FIXED: LazyLock<[PrefixCode; 2]> = LazyLock::new(|| {
    let symbols = [[8; 144].as_slice(), &[9; 112], &[7; 24], &[8; 8]].concat();
    [symbols, vec![5; 30]].map(PrefixCode::from_lengths)
});

/// A part of the samples: one byte, or a match that is written `count` times.
#[derive(Debug, Clone, Copy)]
struct Token {
    symbol: Symbol,
    distance: Symbol,
    count: u32,
}

/// A symbol of a code with the bits that follow it.
#[derive(Debug, Clone, Copy, Default)]
struct Symbol {
    number: u16,
    extra: u16,
    extra_count: u8,
}

/// Bytes that occurred before.
#[derive(Debug, Clone, Copy, Default)]
struct Match {
    len: usize,
    distance: usize,
}

/// One worker's tables.
#[derive(Debug, Default)]
pub(super) struct RunDeflater {
    tokens: Vec<Token>,
    /// For each key the offsets where it occurred last, plus 1, the newest first.
    offsets: Vec<[u32; KEPT]>,
    symbol_counts: Vec<u32>,
    distance_counts: Vec<u32>,
}

impl RunDeflater {
    /// Appends a stream as in RFC 1950. `row` is the number of samples per row.
    pub(super) fn append(&mut self, samples: &[u8], row: usize, to: &mut Vec<u8>) {
        self.start();
        self.find_tokens(samples, row);
        to.extend_from_slice(&STREAM_START);
        self.write_block(to);
        to.extend_from_slice(&libdeflater::adler32(samples).to_be_bytes());
    }

    fn start(&mut self) {
        self.tokens.clear();
        self.offsets.clear();
        self.offsets.resize(1 << KEY_BITS, [0; KEPT]);
        self.symbol_counts.clear();
        self.symbol_counts.resize(286, 0);
        self.distance_counts.clear();
        self.distance_counts.resize(30, 0);
    }

    fn find_tokens(&mut self, samples: &[u8], row: usize) {
        let mut at = 0;
        let mut here = Match::default();
        while at < samples.len() {
            self.enter(samples, at);

            let next = if here.len < GOOD_MATCH {
                self.longest(samples, row, at + 1)
            } else {
                Match::default()
            };

            if here.len < MIN_MATCH || next.len > here.len {
                self.add_byte(samples[at]);
                at += 1;
                here = next;
                continue;
            }

            let len = self.add_match(here);
            (at + 1..at + len.min(ENTERED)).for_each(|inside| self.enter(samples, inside));
            at += len;
            here = self.longest(samples, row, at);
        }
    }

    fn longest(&self, samples: &[u8], row: usize, at: usize) -> Match {
        let mut best = Match::default();
        let mut compare = |distance: usize| {
            if distance <= at.min(MAX_DISTANCE)
                && distance > 0
                && samples.get(at + best.len) == samples.get(at + best.len - distance)
            {
                let len = common(samples, at - distance, at);
                if len > best.len {
                    best = Match { len, distance };
                }
            }
        };

        compare(1);
        compare(row);

        if let Some(key) = key(samples, at) {
            self.offsets[key]
                .iter()
                .for_each(|&offset| compare((at + 1).saturating_sub(offset as usize)));
        }

        best
    }

    /// Enters the offset `at` into the table.
    fn enter(&mut self, samples: &[u8], at: usize) {
        if let Some(key) = key(samples, at) {
            let offsets = &mut self.offsets[key];
            offsets.copy_within(..KEPT - 1, 1);
            offsets[0] = at as u32 + 1;
        }
    }

    fn add_byte(&mut self, byte: u8) {
        let symbol = Symbol {
            number: byte.into(),
            ..Symbol::default()
        };
        self.add(Token {
            symbol,
            distance: Symbol::default(),
            count: 1,
        });
    }

    /// Adds a match of any length. Returns how much of it was added: a rest of one or two bytes is
    /// too short.
    fn add_match(&mut self, Match { len, distance }: Match) -> usize {
        let (whole, rest) = (len / MAX_MATCH, len % MAX_MATCH);
        let rest = if rest < MIN_MATCH { 0 } else { rest };
        for (len, count) in [(MAX_MATCH, whole as u32), (rest, 1)] {
            if len > 0 && count > 0 {
                self.add(Token {
                    symbol: length_symbol(len),
                    distance: distance_symbol(distance),
                    count,
                });
            }
        }

        whole * MAX_MATCH + rest
    }

    fn add(&mut self, token: Token) {
        self.symbol_counts[usize::from(token.symbol.number)] += token.count;
        if usize::from(token.symbol.number) > END {
            self.distance_counts[usize::from(token.distance.number)] += token.count;
        }
        self.tokens.push(token);
    }

    /// Writes all tokens as one block, which is the last one of the stream.
    fn write_block(&mut self, to: &mut Vec<u8>) {
        self.symbol_counts[END] = 1;
        let own = BlockCodes::new(&self.symbol_counts, &self.distance_counts);
        let [fixed_symbols, fixed_distances] = &*FIXED;

        let cost = |symbols: &PrefixCode, distances: &PrefixCode| {
            symbols.cost(&self.symbol_counts) + distances.cost(&self.distance_counts)
        };

        let mut bits = BitWriter::new(to);
        if cost(fixed_symbols, fixed_distances)
            <= cost(&own.symbols, &own.distances) + own.head_cost()
        {
            bits.write(0b011, 3);
            self.write_tokens(&mut bits, fixed_symbols, fixed_distances);
        } else {
            bits.write(0b101, 3);
            own.write_head(&mut bits);
            self.write_tokens(&mut bits, &own.symbols, &own.distances);
        }

        bits.end();
    }

    fn write_tokens(&self, bits: &mut BitWriter<'_>, symbols: &PrefixCode, distances: &PrefixCode) {
        for &Token {
            symbol,
            distance,
            count,
        } in &self.tokens
        {
            for _ in 0..count {
                bits.symbol(symbols, symbol.number.into());
                if usize::from(symbol.number) > END {
                    bits.write(symbol.extra, symbol.extra_count);
                    bits.symbol(distances, distance.number.into());
                    bits.write(distance.extra, distance.extra_count);
                }
            }
        }

        bits.symbol(symbols, END);
    }
}

/// The codes of a block, and their description in its head.
struct BlockCodes {
    symbols: PrefixCode,
    distances: PrefixCode,
    /// The code of the description.
    lengths: PrefixCode,
    description: Vec<Symbol>,
    /// The number of symbols and of distances in the description.
    described: [usize; 2],
    /// The number of lengths of the code of the description that the head contains.
    named: usize,
}

impl BlockCodes {
    fn new(symbol_counts: &[u32], distance_counts: &[u32]) -> Self {
        let symbols = PrefixCode::new(symbol_counts, 15);
        let distances = PrefixCode::new(distance_counts, 15);

        let used = |code: &PrefixCode, least: usize| {
            code.lengths
                .iter()
                .rposition(|&len| len > 0)
                .map_or(least, |last| (last + 1).max(least))
        };

        let described = [used(&symbols, 257), used(&distances, 1)];
        let all = [
            &symbols.lengths[..described[0]],
            &distances.lengths[..described[1]],
        ]
        .concat();

        let description = describe(&all);
        let mut counts = [0; LENGTH_ORDER.len()];
        for symbol in &description {
            counts[usize::from(symbol.number)] += 1;
        }

        let lengths = PrefixCode::new(&counts, 7);
        let named = LENGTH_ORDER
            .iter()
            .rposition(|&at| lengths.lengths[at] > 0)
            .map_or(4, |last| (last + 1).max(4));

        Self {
            symbols,
            distances,
            lengths,
            description,
            described,
            named,
        }
    }

    /// Returns the bits of the head.
    fn head_cost(&self) -> u64 {
        let mut bits = 14 + 3 * self.named as u64;
        for symbol in &self.description {
            let length = self.lengths.lengths[usize::from(symbol.number)];
            bits += u64::from(length + symbol.extra_count);
        }

        bits
    }

    fn write_head(&self, bits: &mut BitWriter<'_>) {
        bits.write((self.described[0] - 257) as u16, 5);
        bits.write((self.described[1] - 1) as u16, 5);
        bits.write((self.named - 4) as u16, 4);

        for &at in &LENGTH_ORDER[..self.named] {
            bits.write(self.lengths.lengths[at].into(), 3);
        }

        for symbol in &self.description {
            bits.symbol(&self.lengths, symbol.number.into());
            bits.write(symbol.extra, symbol.extra_count);
        }
    }
}

/// Describes the lengths of codes with the symbols 0 to 15 for a length, 16 for the last length 3
/// to 6 times again, and 17 and 18 for 3 to 10 and 11 to 138 zeros.
fn describe(lengths: &[u8]) -> Vec<Symbol> {
    let mut description = Vec::new();
    for equal in lengths.chunk_by(PartialEq::eq) {
        let (len, mut left) = (equal[0], equal.len());
        let literal = Symbol {
            number: len.into(),
            ..Symbol::default()
        };

        if len > 0 {
            description.push(literal);
            left -= 1;
        }

        while left >= 3 {
            let (number, least, most, extra_count) = match (len, left) {
                (1.., _) => (16, 3, 6, 2),
                (0, ..=10) => (17, 3, 10, 3),
                (0, _) => (18, 11, 138, 7),
            };

            let count = left.min(most);
            description.push(Symbol {
                number,
                extra: (count - least) as u16,
                extra_count,
            });
            left -= count;
        }

        description.extend(std::iter::repeat_n(literal, left));
    }

    description
}

fn key(samples: &[u8], at: usize) -> Option<usize> {
    let bytes: &[u8; KEY] = samples.get(at..)?.first_chunk()?;
    Some((u32::from_le_bytes(*bytes).wrapping_mul(0x9e37_79b1) >> (32 - KEY_BITS)) as usize)
}

/// Returns how many bytes from `at` on equal the bytes from `before` on.
fn common(samples: &[u8], before: usize, at: usize) -> usize {
    let (before, here) = (&samples[before..], &samples[at..]);
    let groups = before
        .as_chunks::<GROUP>()
        .0
        .iter()
        .zip(here.as_chunks::<GROUP>().0);

    let equal = groups.take_while(|(before, here)| before == here).count() * GROUP;
    equal
        + before[equal..]
            .iter()
            .zip(&here[equal..])
            .take_while(|(before, here)| before == here)
            .count()
}

/// Returns the symbol of a length from 3 to 258.
fn length_symbol(len: usize) -> Symbol {
    if len == MAX_MATCH {
        return Symbol {
            number: 285,
            ..Symbol::default()
        };
    }

    let symbol = stepped_symbol(len - MIN_MATCH, 2);
    Symbol {
        number: symbol.number + 257,
        ..symbol
    }
}

/// Returns the symbol of a distance from 1 to 32,768.
fn distance_symbol(distance: usize) -> Symbol {
    stepped_symbol(distance - 1, 1)
}

/// Returns the symbol of a value in a scale that has `1 << steps` symbols for each doubling, and
/// the bits that say where the value is between two symbols.
fn stepped_symbol(value: usize, steps: u32) -> Symbol {
    let extra_count = value
        .checked_ilog2()
        .map_or(0, |log| log.saturating_sub(steps));
    let number = ((extra_count as usize) << steps) + (value >> extra_count);
    let extra = (value & ((1 << extra_count) - 1)) as u16;
    Symbol {
        number: number as u16,
        extra,
        extra_count: extra_count as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(deflater: &mut RunDeflater, samples: &[u8], row: usize) -> Vec<u8> {
        let mut stream = Vec::new();
        deflater.append(samples, row, &mut stream);
        let mut inflated = vec![1; samples.len()];
        let len = libdeflater::Decompressor::new().zlib_decompress(&stream, &mut inflated);
        assert_eq!(len, Ok(samples.len()));
        assert!(inflated == samples);
        stream
    }

    #[test]
    fn symbols_have_the_numbers_of_the_format() {
        let numbers = |symbol: Symbol| (symbol.number, symbol.extra_count, symbol.extra);
        let lengths = [3, 10, 11, 18, 19, 20, 257, 258].map(|len| numbers(length_symbol(len)));

        let wanted = [
            (257, 0, 0),
            (264, 0, 0),
            (265, 1, 0),
            (268, 1, 1),
            (269, 2, 0),
            (269, 2, 1),
            (284, 5, 30),
            (285, 0, 0),
        ];
        assert_eq!(lengths, wanted);

        let distances = [1, 4, 5, 6, 9, 32_768].map(|distance| numbers(distance_symbol(distance)));
        assert_eq!(
            distances,
            [
                (0, 0, 0),
                (3, 0, 0),
                (4, 1, 0),
                (4, 1, 1),
                (6, 2, 0),
                (29, 13, 8191)
            ]
        );
    }

    #[test]
    fn samples_of_every_kind_inflate_again() {
        let mut deflater = RunDeflater::default();

        let mut seed = 1_u32;
        let mut random = move |below: u32| {
            seed = seed.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
            ((u64::from(seed) * u64::from(below)) >> 32) as u32
        };

        for len in [0, 1, 2, 3, 4, 258, 259, 260, 261, 516, 519, 70_000] {
            stream(&mut deflater, &vec![0; len], 257);
            stream(
                &mut deflater,
                &(0..len).map(|at| (at / 3) as u8).collect::<Vec<_>>(),
                100,
            );

            stream(
                &mut deflater,
                &(0..len).map(|_| random(256) as u8).collect::<Vec<_>>(),
                513,
            );
        }

        for _ in 0..200 {
            let mut samples = vec![0; random(100_000) as usize];
            for _ in 0..random(40) {
                let start = random(samples.len() as u32 + 1) as usize;
                let end = samples.len().min(start + random(600) as usize);
                let colours = 1 + random(30);
                samples[start..end]
                    .iter_mut()
                    .for_each(|sample| *sample = random(colours) as u8);
            }

            stream(&mut deflater, &samples, 1 + random(600) as usize);
        }
    }

    #[test]
    fn a_blank_tile_needs_few_bytes() {
        assert!(stream(&mut RunDeflater::default(), &vec![0; 512 * 513], 513).len() < 300);
        let rows: Vec<u8> = (0..512)
            .flat_map(|_| [&[0][..], &[7; 512]].concat())
            .collect();
        assert!(stream(&mut RunDeflater::default(), &rows, 513).len() < 1400);
    }
}
