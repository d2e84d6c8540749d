//! The ids of blocks and biomes, and the names to which tables give them: bounded, as text, and
//! hashed.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use twox_hash::XxHash3_64;

/// The most block names, so that memory is bounded for any world. All further names share one id,
/// reported as the unknown block `pixelmap:too_many_names`. Which names those are depends on the
/// order in which workers meet them, but no real world comes near the limit.
pub(super) const MAX_NAMES: usize = 1 << 17;

/// The most states of unknown blocks, so that a world cannot fill the table with states that nobody
/// draws. Further states have the id of their block, and a report omits their properties. Modpacks
/// have some thousands.
pub(super) const MAX_UNKNOWN_STATES: usize = 1 << 14;

/// A block name with the properties that change how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub(super) u32);

impl BlockId {
    /// `minecraft:air`, the first name of every table.
    pub const AIR: Self = Self(0);
    /// The land over a cave that a player has seen without seeing the land. Every table has it.
    pub const UNEXPLORED: Self = Self(1);

    /// Returns the index. Indices are dense and begin at 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct BiomeId(pub(super) u16);

impl BiomeId {
    /// The biome is missing: it is not stored, or the column does not exist.
    pub const NONE: Self = Self(0);
    /// `minecraft:plains`, which is in every table and replaces a missing biome.
    pub const PLAINS: Self = Self(1);

    /// Returns the index. Indices are dense and begin at 0 ([`BiomeId::NONE`]).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Ids by name. The hashes have a random seed, so that nobody can make a world with colliding
/// names. They do not affect outputs, because ids never reach one.
pub(super) type NameMap<V> = HashMap<Box<[u8]>, V, RandomState>;
/// The same for ids by number.
pub(super) type NumberMap<K, V> = HashMap<K, V, RandomState>;

/// A longer name is shortened to [`LONG_NAME_START`] bytes and a hash of the whole.
const MAX_NAME: usize = 256;
const LONG_NAME_START: usize = 200;
/// The same limits for the values of properties.
pub(super) const MAX_VALUE: usize = 64;
const LONG_VALUE_START: usize = 40;

/// Returns `text` if it has at most `max` bytes. Otherwise returns its first `start` bytes, `~` and
/// the XXH3 of the whole in hexadecimal, so that distinct texts stay distinct. A world may contain
/// many names of 64 KiB.
fn bounded(text: &[u8], max: usize, start: usize) -> Cow<'_, [u8]> {
    if text.len() <= max {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(shortened(text, start))
    }
}

/// Returns the name of a block or biome, shortened if it is long.
pub(super) fn bounded_name(name: &[u8]) -> Cow<'_, [u8]> {
    bounded(name, MAX_NAME, LONG_NAME_START)
}

/// Returns the value of a property, shortened if it is long.
pub(super) fn bounded_value(value: &[u8]) -> Cow<'_, [u8]> {
    bounded(value, MAX_VALUE, LONG_VALUE_START)
}

#[cold]
fn shortened(text: &[u8], start: usize) -> Vec<u8> {
    // A UTF-8 letter must not be cut in two.
    let cut = (0..=start)
        .rev()
        .find(|&at| text[at] & 0xc0 != 0x80)
        .unwrap_or(start);
    let hash = XxHash3_64::oneshot(text);
    [&text[..cut], format!("~{hash:016x}").as_bytes()].concat()
}

/// Returns a stored name as text, with its namespace.
pub(super) fn full_name(name: &[u8]) -> String {
    let text = text(name);
    if text.contains(':') {
        text.into_owned()
    } else {
        format!("minecraft:{text}")
    }
}

/// Returns the text of a name or value. Bytes that are not UTF-8 become U+FFFD. So does a byte of
/// 0, because neither edition stores one in a text and a label's key uses it as separator.
pub(super) fn text(stored: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(stored);
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}").into()
    } else {
        text
    }
}
