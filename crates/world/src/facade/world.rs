//! An open world.

use std::path::Path;
use std::sync::Arc;

use super::dimension::Dimension;
use super::edition::Edition;
use super::error::Error;
use crate::names::NumericNames;
use crate::save::{ReservedNames, UnreadableDimension, World as StoredWorld};

/// No name is reserved, because nothing is written.
const NO_NAMES: ReservedNames = ReservedNames {
    at_top: |_| false,
    in_layer: |_| false,
};

/// An open world. Opening lists its dimensions and their regions, and reads level.dat. Chunks are
/// read later, and nothing is ever written.
///
/// ```
/// use pixelmap_world::{Edition, World};
///
/// let world = World::open("../../fixtures/demo")?;
/// assert_eq!(world.edition(), Edition::Java);
/// println!("{}, written by {:?}", world.name(), world.game_version());
///
/// for dimension in world.dimensions() {
///     println!("{}: {} regions", dimension.id(), dimension.regions().count());
/// }
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug)]
pub struct World {
    stored: StoredWorld,
    numeric: Arc<NumericNames>,
}

impl World {
    /// Opens the world in a folder, in a zip, or in a folder inside a zip (`backup.zip/world`). The
    /// folder of one dimension and a folder of region files also count as worlds.
    ///
    /// Regions that a game adds later are not seen. The database of a Bedrock world stays in its
    /// present state for the reader, even if a server writes to it later.
    ///
    /// # Errors
    /// Fails if the path is not a world, or if the system cannot read it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let stored = StoredWorld::open(path.as_ref(), NO_NAMES)?;
        let (blocks, biomes) = (&stored.level.block_ids, &stored.level.biome_ids);
        let numeric = Arc::new(NumericNames::of_world(blocks, biomes));

        Ok(Self { stored, numeric })
    }

    /// Returns the name in level.dat, or else the name of the folder.
    pub fn name(&self) -> String {
        self.stored.name()
    }

    /// Returns the edition of the game that wrote it.
    pub fn edition(&self) -> Edition {
        if self.stored.is_bedrock() {
            Edition::Bedrock
        } else {
            Edition::Java
        }
    }

    /// Returns the `DataVersion` of the game that last saved it. Absent before 15w32a (1.9), in
    /// Bedrock Edition, and without level.dat. Each chunk has its own.
    pub fn data_version(&self) -> Option<i32> {
        self.stored.level.data_version
    }

    /// Returns the version of the game that last saved it, such as `1.21.1`. Absent before 1.9.
    pub fn game_version(&self) -> Option<&str> {
        self.stored.level.version_name.as_deref()
    }

    /// Returns its dimensions that have chunks: overworld, nether, end, then the others by name.
    pub fn dimensions(&self) -> impl Iterator<Item = Dimension<'_>> {
        self.stored.dimensions.iter().map(|stored| Dimension {
            stored,
            numeric: &self.numeric,
        })
    }

    /// Returns a dimension by its id. Also accepts `nether`, `end`, names such as
    /// `minecraft:the_end`, and old numbers such as `-1`.
    pub fn dimension(&self, id: &str) -> Option<Dimension<'_>> {
        self.stored.dimension(id).map(|stored| Dimension {
            stored,
            numeric: &self.numeric,
        })
    }

    /// Returns sentences about parts of the world that were left out when it was opened: odd files,
    /// folders that cannot be listed, and damaged parts of a database.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.stored.warnings.clone();

        let unreadable = self.stored.dimensions.iter();
        let unreadable = unreadable.filter_map(UnreadableDimension::from_dimension);
        warnings.extend(unreadable.map(|dimension| dimension.to_string()));

        let damage = self.stored.damage().iter();
        warnings.extend(damage.map(ToString::to_string));

        warnings
    }
}
