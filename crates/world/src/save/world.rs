//! A world, in a folder or an archive: its dimensions, their regions, level.dat, and the other facts that
//! are known once it is open.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::bedrock::Database;
use crate::bytes::FileDamage;
use crate::region::RegionStore;
use crate::save::bedrock::points;
use crate::save::bedrock::tables::DimensionNames;
use crate::save::dimensions::dimension::{Dimension, canonical_id};
use crate::save::dimensions::world_gen::DescribedDimensions;
use crate::save::level::border::WorldBorder;
use crate::save::level::level_dat::Level;
use crate::save::level::seed;
use crate::save::level::seed::{NoSeed, Seed};
use crate::save::level::spawn::Spawns;
use crate::save::world_archive;
use pixelmap_base::files::Files;

#[derive(Debug)]
pub struct World {
    /// The given folder; for an archive, the folder of the world inside it.
    pub folder: PathBuf,
    pub files: Files,
    pub level: Level,
    pub spawns: Spawns,
    /// The dimensions that level.dat or the files of 26.1 list, including dimensions without region files.
    pub described: DescribedDimensions,
    /// The dimensions that have region files: overworld, nether, end, then the others by name.
    pub dimensions: Vec<Dimension>,
    /// Warnings about its layout, level.dat and data packs.
    pub warnings: Vec<String>,
    /// Its data packs, or the packs of add-ons in a Bedrock world, in the order in which the game
    /// applies them.
    pub packs: Vec<PathBuf>,
    /// The folders that belong to it: the given one, the split folders, the folder of level.dat,
    /// and the folders of each dimension; or only the archive that contains the world.
    pub folders: Vec<PathBuf>,
    pub(crate) is_bedrock: bool,
    /// The database of a Bedrock Edition world whose chunks are listed.
    pub(crate) database: Option<Arc<Database>>,
    /// The names of the dimensions of add-ons in a Bedrock Edition world.
    pub(crate) dimension_names: DimensionNames,
}

impl World {
    /// Returns the name in level.dat, or else the name of the folder.
    pub fn name(&self) -> String {
        self.level
            .name
            .clone()
            .filter(|name| !name.trim().is_empty())
            .unwrap_or_else(|| self.folder_name())
    }

    /// Returns the name of the folder, or of the archive without its ending.
    fn folder_name(&self) -> String {
        let path = self.full_path();
        let is_archive = self
            .files
            .archive()
            .is_some_and(|archive| !archive.is_remote() && archive.path() == self.folder);

        let name = if is_archive {
            world_archive::stem(&path)
        } else {
            path.file_name()
        };

        name.map_or_else(|| "world".to_owned(), escaped_name)
    }

    /// Returns the absolute path of its folder, with links followed.
    pub fn full_path(&self) -> PathBuf {
        self.files
            .full_path(&self.folder)
            .unwrap_or_else(|_| self.folder.clone())
    }

    /// Finds the dimension that a user means by `wanted`: an id, `nether`, `end`, an old number, a
    /// `minecraft:` name, or the folder of a mod's dimension (`advRocketry/DIM2`). Numbers have the
    /// meaning of the world's edition.
    pub fn dimension(&self, wanted: &str) -> Option<&Dimension> {
        let id = self.dimension_id(wanted);
        self.dimensions.iter().find(|dimension| dimension.id == id)
    }

    /// Returns the id of the dimension that a user means by `wanted`, even if the world lacks it.
    pub fn dimension_id(&self, wanted: &str) -> String {
        let number = if self.is_bedrock() {
            wanted.parse().ok()
        } else {
            None
        };

        match number {
            Some(number) => self.dimension_names.id(number),
            None if wanted.contains(':') => canonical_id(wanted),
            None => canonical_id(&wanted.replacen('/', ":", 1)),
        }
    }

    /// Returns whether each region file still has the stamp with which it was listed.
    pub fn is_as_listed(&self) -> bool {
        self.dimensions
            .iter()
            .all(|dimension| dimension.store.is_as_listed(&dimension.regions))
    }

    pub fn is_bedrock(&self) -> bool {
        self.is_bedrock
    }

    /// Returns whether it has only the columns that players have explored, as a map mod stores them.
    pub fn is_explored(&self) -> bool {
        self.any_store(RegionStore::is_explored)
    }

    /// Returns whether each chunk has the time at which it was found changed.
    pub fn has_chunk_times(&self) -> bool {
        self.any_store(RegionStore::has_chunk_times)
    }

    /// Returns whether it stores anything below the land.
    pub fn stores_caves(&self) -> bool {
        self.any_store(|store| match store {
            RegionStore::Explored(store) => store.has_caves(),
            _ => true,
        })
    }

    fn any_store(&self, test: impl Fn(&RegionStore) -> bool) -> bool {
        let mut stores = self.dimensions.iter().map(|dimension| &dimension.store);
        stores.any(test)
    }

    /// Reads the border of a dimension from its own file. The border of the overworld may be in
    /// level.dat instead. `None`: it is the border of a new world, or none is stored.
    pub fn border(&self, dimension: &Dimension) -> Option<WorldBorder> {
        let own = WorldBorder::of_dimension(&self.files, dimension.own_folder(&self.folder));
        let in_level = if dimension.id == "overworld" {
            self.level.border
        } else {
            None
        };

        let border = own.or(in_level)?;
        if border.is_narrow() {
            Some(border)
        } else {
            None
        }
    }

    /// Returns the lowest blocks, `[x, y, z]`, of the portals that a database stores outside the
    /// chunks of a dimension.
    pub fn portals(&self, dimension: &Dimension, warnings: &mut Vec<String>) -> Vec<[i32; 3]> {
        match &dimension.store {
            RegionStore::Database {
                database,
                dimension,
                ..
            } => points::portals(database, *dimension, warnings),
            RegionStore::Folder { .. } | RegionStore::Zvcr(_) | RegionStore::Explored(_) => {
                Vec::new()
            }
        }
    }

    /// Returns data for [`World::open_again`] in a later run; `None`: it would be the same as this
    /// run's.
    pub fn cache(&self) -> Option<Vec<u8>> {
        self.database
            .as_ref()
            .and_then(|database| database.known_tables())
    }

    /// Returns the parts of the database that cannot be read.
    pub fn damage(&self) -> &[FileDamage] {
        self.database
            .as_ref()
            .map_or(&[], |database| database.damage())
    }

    /// Returns the seed of the overworld, which determines the slime chunks. `None`: slime chunks
    /// depend on their positions alone, as in Bedrock Edition.
    ///
    /// # Errors
    /// Fails if no file contains the seed, or the file that should contain it cannot be read.
    pub fn slime_seed(&self) -> Result<Option<Seed>, NoSeed> {
        if self.is_bedrock {
            return Ok(None);
        }
        let folder = self.level.folder.as_deref().ok_or(NoSeed::NoLevel)?;
        seed::find(&self.files, folder, self.level.seed).map(Some)
    }
}

/// Returns a folder's name as text. Bytes that are not UTF-8 become `\xff`, so that different names
/// stay different.
fn escaped_name(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text += chunk.valid();
        text += &chunk.invalid().escape_ascii().to_string();
    }
    text
}
