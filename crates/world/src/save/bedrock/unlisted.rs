//! Opens a world of Bedrock Edition in two steps: its facts, and the list of its chunks.

use std::path::Path;

use crate::bedrock::{Database, EarlyReaders, FOLDER, OpenedDatabase};
use crate::save::bedrock::tables::{WorldTables, read_lowest_sections};
use crate::save::bedrock::{database, packs};
use crate::save::dimensions::world_gen::DescribedDimensions;
use crate::save::error::WorldError;
use crate::save::level::level_dat::Level;
use crate::save::level::spawn::Spawns;
use crate::save::scope::WorldRequest;
use crate::save::world::World;
use pixelmap_base::files::{Archive, Files};

/// A world of Bedrock Edition whose chunks are not listed.
#[derive(Debug)]
pub struct UnlistedDatabase {
    /// Without dimensions.
    world: World,
    opened: OpenedDatabase,
    /// The number of threads that list the chunks; 0: one per CPU.
    threads: usize,
}

impl UnlistedDatabase {
    /// Opens the database in the folder of a world, and reads the facts about the world.
    ///
    /// # Errors
    /// Fails if a part of the world cannot be read now but perhaps later, or if no part of the
    /// database can be read.
    pub(crate) fn open(
        files: Files,
        folder: &Path,
        request: &WorldRequest<'_>,
        mut warnings: Vec<String>,
    ) -> Result<Self, WorldError> {
        let opened = database::open(&files, folder, request.cache)?;
        let level = Level::find_bedrock(&files, folder, &mut warnings)?;
        let spawns = Spawns::of_level(&level);
        let name = level.name.or_else(|| database::stored_name(&files, folder));

        let tables = WorldTables::read(&opened, request.reserved, &mut warnings);
        let folders = vec![files.archive().map_or(folder, Archive::path).to_owned()];
        let packs = packs::list(&files, folder, &mut warnings)?;
        let world = World {
            folder: folder.to_owned(),
            files,
            level: Level {
                name,
                biome_ids: tables.biomes,
                ..level
            },
            spawns,
            described: DescribedDimensions::new(),
            dimensions: Vec::new(),
            warnings,
            packs,
            folders,
            is_bedrock: true,
            database: None,
            dimension_names: tables.dimensions,
        };

        Ok(Self {
            world,
            opened,
            threads: request.threads,
        })
    }

    /// Returns the world, without its dimensions.
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// Lists the chunks, and returns the whole world.
    ///
    /// # Errors
    /// Fails as [`UnlistedWorld::list`](crate::save::unlisted::UnlistedWorld::list) does.
    pub(crate) fn list(self, early: Option<&dyn EarlyReaders>) -> Result<World, WorldError> {
        let Self {
            world,
            opened,
            threads,
        } = self;
        let database = Database::list(opened, threads, early)
            .map_err(|error| WorldError::Unreadable(world.folder.join(FOLDER), error))?;
        if let Some(error) = database::no_world(&world.files, &world.folder, &database) {
            return Err(error);
        }

        let mut warnings = world.warnings;
        let lowest_sections = read_lowest_sections(&database, &mut warnings);
        let dimensions = database::dimensions(&database, &world.dimension_names, &lowest_sections);
        Ok(World {
            dimensions,
            warnings,
            database: Some(database),
            ..world
        })
    }
}
