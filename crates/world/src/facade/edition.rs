//! The two editions of the game.

/// The edition of the game that wrote a world. It decides the names of blocks.
///
/// ```
/// use pixelmap_world::{Edition, World};
///
/// let world = World::open("../../fixtures/bedrock")?;
/// assert_eq!(world.edition(), Edition::Bedrock);
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edition {
    /// Java Edition, from Alpha on.
    Java,
    /// Bedrock Edition, including Pocket Edition since 0.9.
    Bedrock,
}
