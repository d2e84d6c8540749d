//! A world, in a folder or a zip: its dimensions, their regions, level.dat, and other things that
//! it stores outside chunks.
//!
//! Layouts are recognized by folders, never by a version: the game's own layouts before and since
//! 26.1, the split folders of Bukkit servers, or the folder of a dimension or a `region` folder
//! given directly. Only `region` contains terrain; `entities` and `poi` contain files with the same
//! names. The contents of chunks are read elsewhere.

mod bedrock;
mod bedrock_packs;
mod bedrock_tables;
mod border;
mod contraptions;
mod dat;
mod data_packs;
mod dimension;
mod entries;
mod error;
mod framed_maps;
mod kind;
mod kinds;
mod layout;
mod left_out;
mod level;
mod listing;
mod namespaced;
mod old_structures;
mod player;
mod players;
mod seed;
mod sign;
mod spawn;
mod stored_values;
mod summary;
mod world_gen;

pub use border::WorldBorder;
pub use contraptions::ContraptionMod;
pub use dimension::{Dimension, UnreadableDimension, canonical_id};
pub use error::WorldError;
pub use framed_maps::{FramedMap, MAP_ITEM_SIDE, MapFrame, MapItemPicture};
pub use kind::Kind;
pub use kinds::Kinds;
pub use level::{Level, MAX_MOD_IDS, unformatted};
pub use namespaced::{ReservedNames, dimension_id};
pub use old_structures::OldStructure;
pub use player::Player;
pub use seed::{NoSeed, Seed};
pub use spawn::Spawns;
pub(crate) use stored_values::{AnyValue, FirstOf};
pub use summary::WorldSummary;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::world::bedrock::Database;
use crate::world::bytes::FileDamage;
use crate::world::files::{Archive, Files};
use crate::world::region::RegionStore;
use crate::world::save::bedrock_tables::{DimensionNames, WorldTables};
use crate::world::save::world_gen::DescribedDimensions;

/// The most folders that are searched for signs of other formats in a zip without a world.
const MAX_FOLDERS: usize = 1000;

#[derive(Debug)]
pub struct World {
    /// The given folder; for a zip, the folder of the world inside it.
    pub folder: PathBuf,
    pub files: Files,
    pub level: Level,
    pub spawns: Spawns,
    /// The dimensions that level.dat or the files of 26.1 list, including dimensions without region files.
    pub(crate) described: DescribedDimensions,
    /// The dimensions that have region files: overworld, nether, end, then the others by name.
    pub dimensions: Vec<Dimension>,
    /// Warnings about its layout, level.dat and data packs.
    pub warnings: Vec<String>,
    /// Its data packs, or the packs of add-ons in a Bedrock world, in the order in which the game
    /// applies them.
    pub packs: Vec<PathBuf>,
    /// The folders that belong to it: the given one, the split folders, the folder of level.dat,
    /// and the folders of each dimension; or only the zip that contains the world.
    pub folders: Vec<PathBuf>,
    /// The database of a Bedrock Edition world.
    database: Option<Arc<Database>>,
    /// The names of the dimensions of add-ons in a Bedrock Edition world.
    dimension_names: DimensionNames,
}

impl World {
    /// Finds the dimensions of a world and lists their region files. Leaves out the dimensions that
    /// have one of the `reserved` names in their paths.
    ///
    /// # Errors
    /// Fails if the folder is missing or cannot be read, if no layout has a region file, or if a
    /// part of the world cannot be read now but perhaps later.
    pub fn open(folder: &Path, reserved: ReservedNames) -> Result<Self, WorldError> {
        Self::open_again(folder, reserved, &[], 0)
    }

    /// Opens a world like [`World::open`], but reuses facts from an earlier run. `cache` is the
    /// result of that run's [`World::cache`], or empty: the files of a database that it contains
    /// are not read again. New files are read by `threads` threads; 0 means one per CPU.
    ///
    /// # Errors
    /// Fails like [`World::open`].
    pub fn open_again(
        folder: &Path,
        reserved: ReservedNames,
        cache: &[u8],
        threads: usize,
    ) -> Result<Self, WorldError> {
        let files = Files::for_path(folder).map_err(|error| WorldError::unopened(folder, error))?;
        let facts = files
            .facts(folder)
            .map_err(|error| WorldError::unopened(folder, error))?;
        if !facts.is_folder() {
            let foreign = foreign(&files, folder);
            return Err(foreign.unwrap_or_else(|| WorldError::NotAFolder(folder.to_owned())));
        }

        let listed = files.list(folder);
        drop(listed.map_err(|error| WorldError::unopened(folder, error))?);

        let mut warnings: Vec<String> =
            files.zip().and_then(Archive::warning).into_iter().collect();

        let layout::FoundDimensions { dimensions, roots } =
            layout::find(&files, folder, reserved, &mut warnings)?;
        if !dimensions.is_empty() {
            return Self::assemble(files, folder, dimensions, roots, warnings);
        }
        if let Some(own) = bedrock::world_folder(&files, folder)? {
            return Self::open_bedrock(files, &own, reserved, cache, threads, warnings);
        }

        bedrock::check_database(&files, folder)?;

        if let Some(error) = foreign(&files, folder) {
            return Err(error);
        }

        let Some(zip) = files.zip().filter(|zip| zip.path() == folder) else {
            let worlds = layout::worlds_inside(&files, folder)?;
            let archive = if worlds.is_empty() {
                archive_inside(&files, folder)
            } else {
                None
            };
            return Err(archive.unwrap_or_else(|| WorldError::NoRegions(folder.to_owned(), worlds)));
        };

        let worlds = layout::worlds_in_zip(&files, zip)?;
        if worlds.is_empty()
            && let Some(error) = foreign_in_zip(&files, zip)
                .or_else(|| archive_inside(&files, folder))
                .or_else(|| foreign_by_name(zip))
        {
            return Err(error);
        }

        let [world] = &*worlds else {
            return Err(WorldError::NoRegions(folder.to_owned(), worlds));
        };
        if let Some(own) = bedrock::world_folder(&files, world)? {
            return Self::open_bedrock(files, &own, reserved, cache, threads, warnings);
        }

        let layout::FoundDimensions { dimensions, roots } =
            layout::find(&files, world, reserved, &mut warnings)?;
        if dimensions.is_empty() {
            return Err(WorldError::NoRegions(folder.to_owned(), Vec::new()));
        }

        Self::assemble(files, world, dimensions, roots, warnings)
    }

    /// Completes a world whose dimensions were found.
    fn assemble(
        files: Files,
        folder: &Path,
        dimensions: Vec<Dimension>,
        roots: Vec<PathBuf>,
        mut warnings: Vec<String>,
    ) -> Result<Self, WorldError> {
        if let Some(pointer) = dimensions
            .iter()
            .find_map(|dimension| dimension.pointer(&files))
        {
            return Err(WorldError::pointer(
                pointer,
                "is a pointer of Git LFS in the place of a region file",
            ));
        }

        for dimension in &dimensions {
            if let Some((what, next)) = dimension.foreign_chunk()? {
                return Err(WorldError::Foreign(folder.to_owned(), what, next.into()));
            }
        }

        let level = Level::find(&files, folder, &dimensions, &mut warnings)?;
        let level_folder = level.folder.as_deref().unwrap_or(folder);
        let spawns = Spawns::read(&files, folder, &level, &dimensions, &mut warnings)?;
        let described = world_gen::describe(
            &files,
            folder,
            level_folder,
            &level.dimensions,
            &dimensions,
            &mut warnings,
        )?;

        let packs = data_packs::list(&files, level_folder, &level.data_packs, &mut warnings)?;
        let mut folders = vec![folder.to_owned()];
        folders.extend(roots.into_iter().chain(level.folder.clone()));

        for dimension in &dimensions {
            let own = dimension.own_folder(folder);
            // Each of these may be a link to a place outside of the world's folder.
            folders.extend([own, dimension.folder()].map(Path::to_owned));
            folders.extend(["poi", "entities"].map(|companion| own.join(companion)));
        }

        folders.sort();
        folders.dedup();

        if let Some(zip) = files.zip() {
            folders = vec![zip.path().to_owned()];
        }

        Ok(Self {
            folder: folder.to_owned(),
            files,
            level,
            spawns,
            described,
            dimensions,
            warnings,
            packs,
            folders,
            database: None,
            dimension_names: DimensionNames::default(),
        })
    }

    /// Opens a world of Bedrock Edition.
    fn open_bedrock(
        files: Files,
        folder: &Path,
        reserved: ReservedNames,
        cache: &[u8],
        threads: usize,
        mut warnings: Vec<String>,
    ) -> Result<Self, WorldError> {
        let database = bedrock::open(&files, folder, cache, threads)?;
        if let Some(error) = bedrock::no_world(&files, folder, &database) {
            return Err(error);
        }

        let level = Level::find_bedrock(&files, folder, &mut warnings)?;
        let spawns = Spawns::of_level(&level);
        let name = level.name.or_else(|| bedrock::stored_name(&files, folder));

        let tables = WorldTables::read(&database, reserved, &mut warnings);
        let dimensions = bedrock::dimensions(&database, &tables);
        let folders = vec![files.zip().map_or(folder, Archive::path).to_owned()];
        let packs = bedrock_packs::list(&files, folder, &mut warnings)?;
        Ok(Self {
            folder: folder.to_owned(),
            files,
            level: Level {
                name,
                biome_ids: tables.biomes,
                ..level
            },
            spawns,
            described: DescribedDimensions::new(),
            dimensions,
            warnings,
            packs,
            folders,
            database: Some(database),
            dimension_names: tables.dimensions,
        })
    }

    /// Returns the name in level.dat, or else the name of the folder.
    pub fn name(&self) -> String {
        self.level
            .name
            .clone()
            .filter(|name| !name.trim().is_empty())
            .unwrap_or_else(|| self.folder_name())
    }

    /// Returns the name of the folder, or of the zip without its ending.
    fn folder_name(&self) -> String {
        let path = self.full_path();
        let is_zip = self
            .files
            .zip()
            .is_some_and(|zip| zip.path() == self.folder);

        let name = if is_zip {
            path.file_stem()
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
        let number = if self.is_bedrock() {
            wanted.parse().ok()
        } else {
            None
        };

        let id = match number {
            Some(number) => self.dimension_names.id(number),
            None if wanted.contains(':') => canonical_id(wanted),
            None => canonical_id(&wanted.replacen('/', ":", 1)),
        };
        self.dimensions.iter().find(|dimension| dimension.id == id)
    }

    /// Returns whether each region file still has the stamp with which it was listed.
    pub fn is_as_listed(&self) -> bool {
        self.dimensions
            .iter()
            .all(|dimension| dimension.store.is_as_listed(&dimension.regions))
    }

    pub fn is_bedrock(&self) -> bool {
        self.database.is_some()
    }

    /// Returns the lowest blocks, `[x, y, z]`, of the portals that a database stores outside the
    /// chunks of a dimension.
    pub fn portals(&self, dimension: &Dimension, warnings: &mut Vec<String>) -> Vec<[i32; 3]> {
        match &dimension.store {
            RegionStore::Database {
                database,
                dimension,
                ..
            } => bedrock::portals(database, *dimension, warnings),
            RegionStore::Folder { .. } => Vec::new(),
        }
    }

    /// Returns the mods of this world that store contraptions in far chunks.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed, because then a mod must not count as absent.
    pub fn contraption_mods(&self) -> Result<Vec<&'static ContraptionMod>, WorldError> {
        contraptions::find(&self.files, &self.folder, &self.level, &self.dimensions)
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
        if self.database.is_some() {
            return Ok(None);
        }
        let folder = self.level.folder.as_deref().ok_or(NoSeed::NoLevel)?;
        seed::find(&self.files, folder, self.level.seed).map(Some)
    }
}

/// Returns the error for something other than a world of region files; `None`: it cannot be
/// recognized.
fn foreign(files: &Files, given: &Path) -> Option<WorldError> {
    sign::recognize(files, given)
        .map(|(what, next)| WorldError::Foreign(given.to_owned(), what, next))
}

/// Returns the error for a zip that has something other than a world of region files in one of its
/// folders.
fn foreign_in_zip(files: &Files, zip: &Archive) -> Option<WorldError> {
    zip.folders()
        .take(MAX_FOLDERS)
        .find_map(|folder| foreign(files, &folder))
}

/// Returns the error for a zip whose name shows that it is something other than a world.
fn foreign_by_name(zip: &Archive) -> Option<WorldError> {
    let (what, next) = sign::recognize_zip(zip.path())?;
    Some(WorldError::Foreign(zip.path().to_owned(), what, next))
}

/// Returns the error for a folder or zip that contains an archive instead of a world.
fn archive_inside(files: &Files, given: &Path) -> Option<WorldError> {
    sign::archive_inside(files, given)
        .map(|(path, what, next)| WorldError::Foreign(path, what, next.into()))
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
