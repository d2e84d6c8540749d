//! Places that could not be read. Their list is limited to the first ones in order.

use std::borrow::Cow;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use crate::report::bad_chunk::MAX_LISTED;
use pixelmap_base::coord::{REGION_CHUNKS, RegionPos, Slot};

/// The most bytes of a message, because text from a world must not make the list long.
const MAX_MESSAGE: usize = 240;

/// A fault of a region file or of one of its chunks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Damage {
    /// The slot's index, or `None` for the whole file.
    slot: Option<u16>,
    /// The reason as one word.
    pub reason: Cow<'static, str>,
    /// The reason as a sentence.
    pub message: Box<str>,
}

impl Damage {
    /// Makes the damage of a chunk, or of the whole file without a `slot`. A long message is cut.
    pub fn new(slot: Option<Slot>, reason: &'static str, mut message: String) -> Self {
        if let Some(end) = (0..=MAX_MESSAGE)
            .rev()
            .find(|&at| message.is_char_boundary(at))
            && message.len() > MAX_MESSAGE
        {
            message.truncate(end);
            message.push('…');
        }

        let slot = slot.map(|slot| slot.index() as u16);
        Self {
            slot,
            reason: Cow::Borrowed(reason),
            message: message.into(),
        }
    }

    /// Returns the chunk's slot, or `None` for the whole file.
    pub fn slot(&self) -> Option<Slot> {
        self.slot
            .map(usize::from)
            .map(|index| Slot::at(index % REGION_CHUNKS, index / REGION_CHUNKS))
    }
}

/// A chunk or a region file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegionDamage {
    /// The dimension's number in the plan.
    pub dimension: u32,
    pub region: RegionPos,
    /// The fault.
    pub damage: Damage,
}

/// The first [`MAX_LISTED`] places in the order of dimensions, regions and chunks. The result does
/// not depend on the number or the order of workers. Each place takes about 150 bytes.
#[derive(Debug, Clone, Default)]
pub struct DamageList(BinaryHeap<RegionDamage>);

impl DamageList {
    /// Adds a place. If there are too many, the last one in order is dropped.
    pub fn add(&mut self, damaged: RegionDamage) {
        if self.0.len() < MAX_LISTED {
            self.0.push(damaged);
        } else if let Some(mut last) = self.0.peek_mut()
            && damaged < *last
        {
            *last = damaged;
        }
    }

    /// Returns the places in any order.
    pub fn iter(&self) -> impl Iterator<Item = &RegionDamage> {
        self.0.iter()
    }

    /// Returns the places in order.
    pub fn into_sorted(self) -> Vec<RegionDamage> {
        self.0.into_sorted_vec()
    }
}

impl IntoIterator for DamageList {
    type Item = RegionDamage;
    type IntoIter = std::collections::binary_heap::IntoIter<RegionDamage>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_between_letters() {
        let message = |text: &str| Damage::new(None, "compression", text.to_owned()).message;
        assert_eq!(&*message("short"), "short");
        let (long, odd) = (
            message(&"é".repeat(40_000)),
            message(&format!("x{}", "é".repeat(40_000))),
        );
        assert!(long.len() <= MAX_MESSAGE + 3 && long.ends_with("é…"));
        assert!(odd.len() <= MAX_MESSAGE + 3 && odd.ends_with("é…"));
    }

    #[test]
    fn slots_are_read_as_written() {
        for slot in Slot::all() {
            assert_eq!(
                Damage::new(Some(slot), "nbt", String::new()).slot(),
                Some(slot)
            );
        }
    }
}
