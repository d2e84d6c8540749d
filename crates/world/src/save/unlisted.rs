//! A world that is found, before the chunks of its database are listed.

use crate::bedrock::EarlyReaders;
use crate::save::bedrock::unlisted::UnlistedDatabase;
use crate::save::error::WorldError;
use crate::save::world::World;

/// A world that is found. All facts about it are known besides the chunks of a database.
#[derive(Debug)]
pub enum UnlistedWorld {
    /// A world without a database.
    Listed(Box<World>),
    /// A world of Bedrock Edition.
    Database(Box<UnlistedDatabase>),
}

impl UnlistedWorld {
    pub(crate) fn listed(world: World) -> Self {
        Self::Listed(Box::new(world))
    }

    /// Returns the world of a database, without its dimensions. Returns `None` for other worlds,
    /// because their files are listed already.
    pub fn without_dimensions(&self) -> Option<&World> {
        match self {
            Self::Listed(_) => None,
            Self::Database(unlisted) => Some(unlisted.world()),
        }
    }

    /// Lists the chunks of a database. The readers of `early` get most of the chunks meanwhile.
    ///
    /// # Errors
    /// Fails if the database belongs to another program, or if a part of it cannot be read now but
    /// perhaps later.
    pub fn list(self, early: Option<&dyn EarlyReaders>) -> Result<World, WorldError> {
        match self {
            Self::Listed(world) => Ok(*world),
            Self::Database(unlisted) => unlisted.list(early),
        }
    }
}
