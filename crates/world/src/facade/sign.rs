//! A sign with text.

/// A sign with text, standing, on a wall or hanging.
///
/// ```
/// use pixelmap_world::World;
///
/// let world = World::open("../../fixtures/bedrock")?;
/// let overworld = world.dimension("overworld").unwrap();
/// let chunk = overworld.chunks_in(402..403, -14..-13).next().unwrap().unwrap();
///
/// let sign = &chunk.signs()[0];
/// assert_eq!([sign.x, sign.y, sign.z], [402, 70, -14]);
/// assert_eq!(sign.front, ["Inn", "by the sea"]);
/// assert_eq!(sign.back, ["closed"]);
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    /// Blocks east of the origin.
    pub x: i32,
    /// Height in blocks.
    pub y: i32,
    /// Blocks south of the origin.
    pub z: i32,
    /// The lines of the front, at most four, without colours and styles. Empty lines at the end
    /// are left out.
    pub front: Vec<String>,
    /// The lines of the back, which exists since 1.20.
    pub back: Vec<String>,
}
