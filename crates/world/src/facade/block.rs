//! A block: its name and its properties.

use std::fmt;
use std::sync::Arc;

use crate::chunk::Block as StoredBlock;
use crate::names::{NameCache, Traits};

/// The property of a block with water in its cell.
const WATERLOGGED: &str = "waterlogged";

/// The state of a block: its name, and its properties sorted by name. Clones share their memory.
///
/// Chunks before 1.13 store numbers. Their blocks have the names and properties of 1.13, or the
/// names that the world's own registry of mods contains. A block in no table is named
/// `numeric:ID:DATA`, and a block of a mod has its number as the property `data`.
///
/// Blocks of Bedrock Edition have the names and states of that edition. Blocks with water in the
/// same cell also have `waterlogged=true`.
///
/// ```
/// use pixelmap_world::World;
///
/// let world = World::open("../../fixtures/demo")?;
/// let mut region = world.dimension("overworld").unwrap().region(0, 0)?.unwrap();
/// let chunk = region.chunks().find_map(Result::ok).unwrap();
///
/// let block = chunk.block(0, 400, 0);
/// assert_eq!(block.name(), "minecraft:air");
/// assert_eq!(block.property("axis"), None);
/// assert!(block.is_air());
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(Arc<State>);

#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct State {
    name: Arc<str>,
    properties: Vec<(String, String)>,
    /// Whether it is air of any kind, a barrier, a light or a structure void.
    is_unseen: bool,
}

impl Block {
    /// Makes the block of a chunk.
    pub(super) fn stored(StoredBlock { id, traits }: StoredBlock, names: &mut NameCache) -> Self {
        let mut properties = names.unknown_properties(id);

        // Only Bedrock Edition stores the water apart from the block's own states.
        let (_, state) = names.name_at(id.index());
        if !state.is_empty() && !properties.iter().any(|(name, _)| name == WATERLOGGED) {
            properties.push((WATERLOGGED.to_owned(), "true".to_owned()));
            properties.sort();
        }

        Self(Arc::new(State {
            name: names.stored_name(id),
            properties,
            is_unseen: traits.any(Traits::NOTHING),
        }))
    }

    /// Returns the name with its namespace, such as `minecraft:oak_log`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the stored properties, sorted by name. At most 16 are kept. Since 26.3 a world does
    /// not store the properties of a block in its default state.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &str)> {
        let properties = self.0.properties.iter();
        properties.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the value of a property, or `None` if the world does not store it.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties()
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value)
    }

    /// Returns whether it is air, cave air or void air.
    pub fn is_air(&self) -> bool {
        is_air(self.name())
    }

    pub(super) fn is_unseen(&self) -> bool {
        self.0.is_unseen
    }
}

/// Returns whether a block with this name is air, cave air or void air.
pub(super) fn is_air(name: &str) -> bool {
    matches!(
        name,
        "minecraft:air" | "minecraft:cave_air" | "minecraft:void_air"
    )
}

/// Writes the block as commands of the game do: `minecraft:oak_log[axis=x]`.
impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;

        let mut before = '[';
        for (name, value) in self.properties() {
            write!(f, "{before}{name}={value}")?;
            before = ',';
        }

        f.write_str(if before == ',' { "]" } else { "" })
    }
}
