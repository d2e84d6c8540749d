//! Locates a palette of numbers of the game's network protocol.

use crate::names::NetworkNames;
use crate::nbt::Span;

/// Numbers of two bytes, little-endian, and the names that they stand for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) stored: Span,
    pub(crate) names: &'static NetworkNames,
}

impl Numbers {
    pub(crate) fn each(self, bytes: &[u8]) -> impl Iterator<Item = u16> {
        let numbers = self.stored.slice(bytes).as_chunks().0;
        numbers.iter().map(|number| u16::from_le_bytes(*number))
    }
}
