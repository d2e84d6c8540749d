//! Opens a world: recognizes its layout, and reads the facts that every user of it needs.
//!
//! Layouts are recognized by folders, never by a version. A folder or archive that is something other
//! than a world is an error, which names the other format if it is recognized.

use std::path::{Path, PathBuf};

use crate::explored::MapMod;
use crate::save::bedrock::database;
use crate::save::bedrock::tables::DimensionNames;
use crate::save::bedrock::unlisted::UnlistedDatabase;
use crate::save::dimensions::dimension::Dimension;
use crate::save::dimensions::namespaced::ReservedNames;
use crate::save::dimensions::world_gen::{self, DescribedDimensions};
use crate::save::error::WorldError;
use crate::save::level::data_packs;
use crate::save::level::level_dat::Level;
use crate::save::level::spawn::Spawns;
use crate::save::scope::WorldRequest;
use crate::save::unlisted::UnlistedWorld;
use crate::save::world::World;
use crate::save::world_archive::open_files;
use crate::save::{explored, foreign_formats, layout, zvcr};
use pixelmap_base::files::{Archive, Files};

/// The most folders that are searched for signs of other formats in an archive without a world.
const MAX_FOLDERS: usize = 1000;

impl World {
    /// Finds the dimensions of a world and lists their region files. Leaves out the dimensions that
    /// have one of the `reserved` names in their paths.
    ///
    /// # Errors
    /// Fails if the folder is missing or cannot be read, if no layout has a region file, or if a
    /// part of the world cannot be read now but perhaps later.
    pub fn open(folder: &Path, reserved: ReservedNames) -> Result<Self, WorldError> {
        Self::open_for(folder, &WorldRequest::new(reserved))
    }

    /// Opens a world like [`World::open`], but only a part of it, or its state at an earlier time,
    /// or with the facts of an earlier run.
    ///
    /// # Errors
    /// Fails like [`World::open`], and if the world does not store its earlier states.
    pub fn open_for(folder: &Path, request: &WorldRequest<'_>) -> Result<Self, WorldError> {
        UnlistedWorld::find(folder, request)?.list(None)
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

        if let Some(archive) = files.archive() {
            folders = vec![archive.path().to_owned()];
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
            is_bedrock: false,
            database: None,
            dimension_names: DimensionNames::default(),
        })
    }

    /// Makes a world of files of zvcr. Such a world lacks a level.dat, so the time of its state counts as the
    /// time when it was last played.
    fn of_zvcr(
        files: Files,
        folder: &Path,
        dimensions: Vec<Dimension>,
        at: Option<i64>,
        warnings: Vec<String>,
    ) -> Self {
        let level = Level {
            last_played: at.map(|seconds| seconds.saturating_mul(1000)),
            ..Level::default()
        };

        Self {
            folder: folder.to_owned(),
            spawns: Spawns::of_level(&level),
            folders: vec![files.archive().map_or(folder, Archive::path).to_owned()],
            files,
            level,
            described: DescribedDimensions::new(),
            dimensions,
            warnings,
            packs: Vec::new(),
            is_bedrock: false,
            database: None,
            dimension_names: DimensionNames::default(),
        }
    }

    /// Opens the folders of a map mod as one world, which has only the land that players have
    /// explored.
    fn open_explored(
        map_mod: MapMod,
        folders: &[(Files, &Path)],
        reserved: ReservedNames,
    ) -> Result<Self, WorldError> {
        let found = explored::find(map_mod, folders, reserved)?;
        let first = folders.first().cloned();
        let (files, folder) = first.unwrap_or((Files::Disk, Path::new("")));
        let level = Level {
            name: Some(found.name),
            last_played: found.newest,
            ..Level::default()
        };

        Ok(Self {
            folder: folder.to_owned(),
            spawns: Spawns::of_level(&level),
            folders: folders
                .iter()
                .map(|(_, folder)| (*folder).to_owned())
                .collect(),
            files,
            level,
            described: DescribedDimensions::new(),
            dimensions: found.dimensions,
            warnings: found.warnings,
            packs: Vec::new(),
            is_bedrock: false,
            database: None,
            dimension_names: DimensionNames::default(),
        })
    }
}

impl UnlistedWorld {
    /// Finds a world as [`World::open_for`] does, but lists no chunks of a database.
    ///
    /// # Errors
    /// Fails like [`World::open_for`].
    pub fn find(folder: &Path, request: &WorldRequest<'_>) -> Result<Self, WorldError> {
        let &WorldRequest {
            reserved,
            scope,
            explored,
            files,
            ..
        } = request;
        if let Some((map_mod, more)) = explored {
            let folders = std::iter::once(folder).chain(more.iter().map(PathBuf::as_path));
            let opened = folders.map(|folder| match open_files(folder) {
                Ok(files) => Ok((files, folder)),
                Err(error) => Err(WorldError::unopened(folder, error)),
            });
            let opened = opened.collect::<Result<Vec<_>, _>>()?;
            return World::open_explored(map_mod, &opened, reserved).map(Self::listed);
        }

        let files = match files {
            Some(files) => files.clone(),
            None => open_files(folder).map_err(|error| WorldError::unopened(folder, error))?,
        };
        let facts = files
            .facts(folder)
            .map_err(|error| WorldError::unopened(folder, error))?;
        let mut warnings: Vec<String> = files
            .archive()
            .and_then(Archive::warning)
            .into_iter()
            .collect();

        if facts.is_folder() {
            let listed = files.list(folder);
            drop(listed.map_err(|error| WorldError::unopened(folder, error))?);
        }

        // Files of zvcr are searched last, because they may be in hundreds of folders. Other worlds
        // do not store their past.
        if facts.is_folder() && scope.at.is_none() {
            let layout::FoundDimensions { dimensions, roots } =
                layout::find(&files, folder, reserved, &mut warnings)?;
            if !dimensions.is_empty() {
                return World::assemble(files, folder, dimensions, roots, warnings)
                    .map(Self::listed);
            }
            if let Some(own) = database::world_folder(&files, folder)? {
                let unlisted = UnlistedDatabase::open(files, &own, request, warnings)?;
                return Ok(Self::Database(Box::new(unlisted)));
            }
        }

        let dimensions = zvcr::find(&files, folder, scope, &mut warnings)?;
        if !dimensions.is_empty() {
            return Ok(Self::listed(World::of_zvcr(
                files, folder, dimensions, scope.at, warnings,
            )));
        }
        if scope.at.is_some() {
            return Err(WorldError::NoPast(folder.to_owned()));
        }

        if !facts.is_folder() {
            let foreign = foreign(&files, folder);
            return Err(foreign.unwrap_or_else(|| WorldError::NotAFolder(folder.to_owned())));
        }

        database::check_database(&files, folder)?;

        for map_mod in MapMod::ALL {
            match World::open_explored(map_mod, &[(files.clone(), folder)], reserved) {
                Err(WorldError::NotExplored(_, _, inside)) if inside.is_empty() => {}
                opened => return opened.map(Self::listed),
            }
        }

        if let Some(error) = foreign(&files, folder) {
            return Err(error);
        }

        let Some(outer) = files.archive().filter(|archive| archive.path() == folder) else {
            let worlds = layout::worlds_inside(&files, folder)?;
            let inner = if worlds.is_empty() {
                archive_inside(&files, folder)
            } else {
                None
            };
            return Err(inner.unwrap_or_else(|| WorldError::NoRegions(folder.to_owned(), worlds)));
        };

        let worlds = layout::worlds_in_archive(&files, outer)?;
        if worlds.is_empty()
            && let Some(error) = foreign_in_archive(&files, outer)
                .or_else(|| archive_inside(&files, folder))
                .or_else(|| foreign_by_name(outer))
        {
            return Err(error);
        }

        let [world] = &*worlds else {
            return Err(WorldError::NoRegions(folder.to_owned(), worlds));
        };
        if let Some(own) = database::world_folder(&files, world)? {
            let unlisted = UnlistedDatabase::open(files, &own, request, warnings)?;
            return Ok(Self::Database(Box::new(unlisted)));
        }

        let layout::FoundDimensions { dimensions, roots } =
            layout::find(&files, world, reserved, &mut warnings)?;
        if dimensions.is_empty() {
            return Err(WorldError::NoRegions(folder.to_owned(), Vec::new()));
        }

        World::assemble(files, world, dimensions, roots, warnings).map(Self::listed)
    }
}

/// Returns the error for something other than a world of region files; `None`: it cannot be
/// recognized.
fn foreign(files: &Files, given: &Path) -> Option<WorldError> {
    foreign_formats::recognize(files, given)
        .map(|(what, next)| WorldError::Foreign(given.to_owned(), what, next))
}

/// Returns the error for an archive that has something other than a world of region files in one of
/// its folders.
fn foreign_in_archive(files: &Files, archive: &Archive) -> Option<WorldError> {
    archive
        .folders()
        .take(MAX_FOLDERS)
        .find_map(|folder| foreign(files, &folder))
}

/// Returns the error for an archive whose name shows that it is something other than a world.
fn foreign_by_name(archive: &Archive) -> Option<WorldError> {
    let (what, next) = foreign_formats::recognize_archive(archive.path())?;
    Some(WorldError::Foreign(archive.path().to_owned(), what, next))
}

/// Returns the error for a folder or archive that contains an archive instead of a world.
fn archive_inside(files: &Files, given: &Path) -> Option<WorldError> {
    foreign_formats::archive_inside(files, given)
        .map(|(path, what, next)| WorldError::Foreign(path, what, next.into()))
}
