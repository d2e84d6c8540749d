//! The boxes in which the mobs of a structure appear. Bedrock Edition keeps them with each chunk, cut at its edges, and
//! nothing else of a structure.

use super::storage::Cursor;

/// The most boxes of a chunk that are read: the game writes a few.
const MAX_BOXES: i32 = 256;

/// A box in which a structure's own mobs appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnerBox {
    /// The number of the structure's type.
    pub structure: u8,
    /// Its corners, `[x, y, z]`, both within it.
    pub corners: [[i32; 3]; 2],
}

impl SpawnerBox {
    /// Reads the boxes of a value up to its end or a fault.
    pub(super) fn read_all(mut value: Cursor<'_>) -> impl Iterator<Item = Self> {
        let count = value.int().unwrap_or(0).min(MAX_BOXES);
        (0..count).map_while(move |_| Self::read(&mut value))
    }

    fn read(value: &mut Cursor<'_>) -> Option<Self> {
        let mut corner = || Some([value.int().ok()?, value.int().ok()?, value.int().ok()?]);
        let (one, other) = (corner()?, corner()?);
        let low = std::array::from_fn(|axis| i32::min(one[axis], other[axis]));
        let high = std::array::from_fn(|axis| i32::max(one[axis], other[axis]));
        Some(Self { structure: value.byte().ok()?, corners: [low, high] })
    }
}
