//! Reads the boxes in which the mobs of a structure appear. They are the only trace of a structure
//! in Bedrock Edition, which stores them with each chunk, cut at the chunk's edges.

use super::storage::Cursor;

/// A box in which the mobs of a structure appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnerBox {
    /// The number of the structure's type.
    pub structure: u8,
    /// Its lowest and highest corner, `[x, y, z]`, both inclusive.
    pub corners: [[i32; 3]; 2],
}

impl SpawnerBox {
    /// Reads the boxes of a value until it ends or a box is malformed.
    pub(crate) fn read_all(mut value: Cursor<'_>) -> impl Iterator<Item = Self> {
        let count = value.int().unwrap_or(0);
        (0..count).map_while(move |_| Self::read(&mut value))
    }

    fn read(value: &mut Cursor<'_>) -> Option<Self> {
        let (one, other) = (corner(value)?, corner(value)?);
        let low = std::array::from_fn(|axis| i32::min(one[axis], other[axis]));
        let high = std::array::from_fn(|axis| i32::max(one[axis], other[axis]));
        Some(Self {
            structure: value.byte().ok()?,
            corners: [low, high],
        })
    }
}

fn corner(value: &mut Cursor<'_>) -> Option<[i32; 3]> {
    Some([value.int().ok()?, value.int().ok()?, value.int().ok()?])
}
