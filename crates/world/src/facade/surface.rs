//! The highest block of a column.

use super::block::Block;

/// The highest block of a column, other than air, `barrier`, `light` and `structure_void`.
///
/// ```
/// use pixelmap_world::World;
///
/// let world = World::open("../../fixtures/demo")?;
/// let overworld = world.dimension("overworld").unwrap();
/// let chunk = overworld.chunks().find_map(Result::ok).unwrap();
///
/// let surface = chunk.surface(8, 8).unwrap();
/// assert_eq!(chunk.block(8, surface.y, 8), surface.block);
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surface<'c> {
    /// Its height in blocks.
    pub y: i32,
    /// The block itself.
    pub block: &'c Block,
}
