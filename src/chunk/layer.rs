//! What the cells of a layer are to a walk down the columns, by whole longs of packed indices.

use super::Block;
use super::mask::Mask;
use super::packing::{Packing, repeated};
use crate::coord::CHUNK_AREA;

/// What the cells of a layer are to a walk down the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// Those whose block [is not seen](crate::block::Traits::is_unseen).
    pub unseen: Mask,
    /// Those whose block [is water](crate::block::Traits::is_water).
    pub water: Mask,
}

impl Layer {
    /// A layer of nothing but one block.
    pub(super) const fn uniform(block: Block) -> Self {
        Self { unseen: Mask::all_or_none(block.traits.is_unseen()), water: Mask::all_or_none(block.traits.is_water()) }
    }

    /// A layer whose blocks are asked for one by one.
    #[inline]
    pub(super) fn of(block: impl Fn(usize) -> Block) -> Self {
        Self {
            unseen: Mask::of(|column| block(column).traits.is_unseen()),
            water: Mask::of(|column| block(column).traits.is_water()),
        }
    }
}

/// More indices of a kind than this are not compared one after the other.
const MAX_PATTERNS: usize = 16;

/// Longs full of one index each.
#[derive(Debug, Clone, Copy, Default)]
struct Patterns {
    longs: [u64; MAX_PATTERNS],
    count: usize,
}

impl Patterns {
    fn all(&self) -> &[u64] {
        &self.longs[..self.count]
    }

    /// The highest bit of each entry that is one of the indices.
    #[inline]
    fn found<const BITS: usize>(&self, long: u64) -> u64 {
        let others = self.all().iter().fold(u64::MAX, |others, pattern| others & differing::<BITS>(long, *pattern));
        !others & high::<BITS>()
    }
}

/// The indices of a section's palette that a walk down the columns passes, where they can be told by whole longs.
#[derive(Debug, Clone, Copy)]
pub struct Passed {
    unseen: Patterns,
    water: Patterns,
}

impl Passed {
    /// Those of a palette; `None`: they are too many, or too wide.
    pub(super) fn of(blocks: &[Block], packing: Packing) -> Option<Self> {
        let Packing::Aligned(bits @ 4..=8) = packing else { return None };
        let (mut unseen, mut water) = (Patterns::default(), Patterns::default());
        for (index, block) in blocks.iter().enumerate().take(1 << bits) {
            let patterns = match block.traits {
                traits if traits.is_unseen() => &mut unseen,
                traits if traits.is_water() => &mut water,
                _ => continue,
            };
            *patterns.longs.get_mut(patterns.count)? = repeated(index as u16, bits);
            patterns.count += 1;
        }
        Some(Self { unseen, water })
    }
}

/// Layer `y` of a section, and whether any index is `limit` or more, which stands for air. `None`: it cannot be told by
/// whole longs.
pub(super) fn layer(packing: Packing, longs: &[u8], y: usize, passed: &Passed, limit: u16) -> Option<(Layer, bool)> {
    let Packing::Aligned(bits) = packing else { return None };
    let limit = (u32::from(limit) < 1 << bits).then_some(limit);
    Some(match bits {
        4 => aligned::<4>(longs, y, passed, limit),
        5 => aligned::<5>(longs, y, passed, limit),
        6 => aligned::<6>(longs, y, passed, limit),
        7 => aligned::<7>(longs, y, passed, limit),
        8 => aligned::<8>(longs, y, passed, limit),
        _ => return None,
    })
}

/// Visits the columns in which layer `y` is unseen or water, in order; `None`: it cannot be told by whole longs.
pub(super) fn each_open(
    packing: Packing,
    longs: &[u8],
    y: usize,
    (passed, limit): (&Passed, u16),
    visit: impl FnMut(usize),
) -> Option<()> {
    let Packing::Aligned(bits) = packing else { return None };
    let limit = (u32::from(limit) < 1 << bits).then_some(limit);
    match bits {
        4 => open::<4>(longs, y, passed, limit, visit),
        5 => open::<5>(longs, y, passed, limit, visit),
        6 => open::<6>(longs, y, passed, limit, visit),
        7 => open::<7>(longs, y, passed, limit, visit),
        8 => open::<8>(longs, y, passed, limit, visit),
        _ => return None,
    }
    Some(())
}

/// [`each_open`] for entries of `BITS` bits.
fn open<const BITS: usize>(longs: &[u8], y: usize, passed: &Passed, limit: Option<u16>, mut visit: impl FnMut(usize)) {
    let in_long = 64 / BITS;
    let (start, end) = (y * CHUNK_AREA, (y + 1) * CHUNK_AREA);
    let (first, last) = (start / in_long, (end - 1) / in_long);
    let (stored, _) = longs.get(first * 8..(last + 1) * 8).unwrap_or_default().as_chunks::<8>();
    for (index, long) in stored.iter().enumerate() {
        let long = u64::from_be_bytes(*long);
        let mut found = passed.unseen.found::<BITS>(long) | passed.water.found::<BITS>(long);
        found |= limit.map_or(0, |limit| reaching::<BITS>(long, limit));
        while found != 0 {
            let cell = (first + index) * in_long + found.trailing_zeros() as usize / BITS;
            found &= found - 1;
            // The first long may begin with entries of the layer below, the last end with some of that above.
            if (start..end).contains(&cell) {
                visit(cell - start);
            }
        }
    }
}

/// [`layer`] for entries of `BITS` bits.
fn aligned<const BITS: usize>(longs: &[u8], y: usize, passed: &Passed, limit: Option<u16>) -> (Layer, bool) {
    let in_long = 64 / BITS;
    let (start, end) = (y * CHUNK_AREA, (y + 1) * CHUNK_AREA);
    let (first, last) = (start / in_long, (end - 1) / in_long);
    let (stored, _) = longs.get(first * 8..(last + 1) * 8).unwrap_or_default().as_chunks::<8>();
    // Most layers that are of one kind are of one block.
    let is_all = |patterns: &Patterns| {
        patterns.all().first().is_some_and(|pattern| {
            let pattern = u64::from_ne_bytes(pattern.to_be_bytes());
            stored.iter().fold(0, |any, long| any | (u64::from_ne_bytes(*long) ^ pattern)) == 0
        })
    };
    if is_all(&passed.unseen) {
        return (Layer { unseen: Mask::ALL, water: Mask::NONE }, false);
    }
    if is_all(&passed.water) {
        return (Layer { unseen: Mask::NONE, water: Mask::ALL }, false);
    }
    // The first long may begin with entries of the layer below, the last end with some of that above.
    let (skipped, kept) = (start % in_long, (end - 1) % in_long + 1);
    let (mut unseen, mut water) = (Row::default(), Row::default());
    let mut past_end = 0;
    let mut inside = u64::MAX << (skipped * BITS);
    for (index, long) in stored.iter().enumerate() {
        if index == last - first {
            inside &= u64::MAX >> (64 - kept * BITS);
        }
        let long = u64::from_be_bytes(*long) & inside;
        inside = u64::MAX;
        let past = limit.map_or(0, |limit| reaching::<BITS>(long, limit));
        past_end |= past;
        unseen.put::<BITS>(index, passed.unseen.found::<BITS>(long) | past);
        if passed.water.count > 0 {
            water.put::<BITS>(index, passed.water.found::<BITS>(long));
        }
    }
    (Layer { unseen: unseen.mask(skipped), water: water.mask(skipped) }, past_end != 0)
}

/// A bit for each entry of a row of longs.
#[derive(Default)]
struct Row([u64; CHUNK_AREA / 64 + 1]);

impl Row {
    /// Puts the highest bits of the entries of long `index` side by side into their place.
    #[inline]
    fn put<const BITS: usize>(&mut self, index: usize, long: u64) {
        let bits = gathered::<BITS>(long);
        let (word, shift) = (index * (64 / BITS) / 64, index * (64 / BITS) % 64);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bits << shift;
        }
        if let Some(next) = self.0.get_mut(word + 1).filter(|_| 64 % BITS != 0) {
            *next |= bits >> 1 >> (63 - shift);
        }
    }

    /// Those of a layer, after so many.
    fn mask(&self, skipped: usize) -> Mask {
        let words = &self.0;
        Mask::from_words(std::array::from_fn(|word| words[word] >> skipped | words[word + 1] << 1 << (63 - skipped)))
    }
}

/// The highest bit of each entry.
const fn high<const BITS: usize>() -> u64 {
    repeated(1 << (BITS - 1), BITS as u32)
}

/// The highest bit of each entry that is not that of `pattern`; other bits are any.
const fn differing<const BITS: usize>(long: u64, pattern: u64) -> u64 {
    let low = repeated((1 << (BITS - 1)) - 1, BITS as u32);
    let differing = long ^ pattern;
    ((differing & low) + low) | differing
}

/// The highest bit of each entry that is `limit` or more.
const fn reaching<const BITS: usize>(long: u64, limit: u16) -> u64 {
    let (high, limit) = (high::<BITS>(), repeated(limit, BITS as u32));
    // The entries without their highest bits are compared with room to borrow from.
    let low_reaches = (long | high) - (limit & !high);
    (long & low_reaches | (long | low_reaches) & !limit) & high
}

/// The highest bits of all entries, side by side.
const fn gathered<const BITS: usize>(long: u64) -> u64 {
    let bits = (long >> (BITS - 1)) & repeated(1, BITS as u32);
    if BITS == 4 {
        let bits = (bits | bits >> 3) & 0x0303_0303_0303_0303;
        let bits = (bits | bits >> 6) & 0x000f_000f_000f_000f;
        let bits = (bits | bits >> 12) & 0x0000_00ff_0000_00ff;
        return (bits | bits >> 24) & 0xffff;
    }
    // A product moves so many bits at once to the top without one that is carried into another.
    let group = if BITS == 8 { 8 } else { BITS - 1 };
    let (mut factor, mut mask, mut at) = (0, 0, 0);
    while at < group {
        factor |= 1 << (64 - group - at * (BITS - 1));
        mask |= 1 << (at * BITS);
        at += 1;
    }
    let (mut gathered, mut at) = (0, 0);
    while at < 64 / BITS {
        let product = (bits >> (at * BITS) & mask).wrapping_mul(factor);
        gathered |= product >> (64 - group) << at;
        at += group;
    }
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{BlockId, Traits};

    fn block(index: usize) -> Block {
        let traits = match index % 9 {
            0 => Traits::NOTHING,
            2 => Traits::WATER,
            3 => Traits::HIDDEN.with(Traits::WATER),
            7 => Traits::SUBMERGED,
            _ => Traits::GROUND,
        };
        Block { id: BlockId::AIR, traits }
    }

    /// A palette of `len` blocks of all kinds, and the longs of a section whose layers are of one block or of many, some
    /// of them past the palette's end.
    fn section(bits: u32, len: usize) -> (Vec<Block>, Vec<u8>) {
        let index = |cell: u64| match cell / 256 % 4 {
            0 => cell / 1024 % len as u64,
            1 if cell.is_multiple_of(5) => cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & ((1 << bits) - 1),
            _ => (cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % len as u64,
        };
        let in_long = u64::from(64 / bits);
        let long =
            |at: u64| (0..in_long).fold(0, |long, entry| long | index(at * in_long + entry) << (entry as u32 * bits));
        ((0..len).map(block).collect(), (0..4096_u64.div_ceil(in_long)).flat_map(|at| long(at).to_be_bytes()).collect())
    }

    #[test]
    fn a_layer_by_longs_is_what_its_cells_are_one_by_one() {
        for (bits, len) in [(4, 3), (4, 16), (5, 17), (5, 32), (6, 33), (6, 50), (7, 9), (7, 40), (8, 30), (8, 60)] {
            let (mut blocks, longs) = section(bits, len);
            let packing = Packing::Aligned(bits);
            let passed = Passed::of(&blocks, packing);
            blocks.push(Block::AIR);
            for y in 0..16 {
                let mut cells = [0; CHUNK_AREA];
                let past_end = packing.layer(&longs, y, len as u16, &mut cells);
                let expected = (Layer::of(|column| blocks[usize::from(cells[column])]), past_end);
                let told = passed.as_ref().and_then(|passed| layer(packing, &longs, y, passed, len as u16));
                assert_eq!(told, Some(expected), "{bits} bits, {len} blocks, layer {y}");
                let (mut open, passed) = (Mask::NONE, passed.as_ref().unwrap());
                each_open(packing, &longs, y, (passed, len as u16), |column| open.insert(column));
                assert_eq!(open, expected.0.unseen.or(expected.0.water), "{bits} bits, {len} blocks, layer {y}");
            }
        }
    }

    #[test]
    fn what_longs_do_not_tell_is_left_to_others() {
        let air = [Block::AIR; 17];
        assert!(Passed::of(&air, Packing::Aligned(5)).is_none(), "too many of a kind");
        assert!(Passed::of(&air[..9], Packing::Aligned(9)).is_none());
        assert!(Passed::of(&air[..9], Packing::Spanning(5)).is_none());
    }
}
