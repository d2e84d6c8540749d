//! Finds and opens the database of a Bedrock Edition world, and makes its dimensions from the
//! chunks in it. The database itself is read by `world::bedrock`.
//!
//! Sources: the pages on the Bedrock Edition level format of the Minecraft Wiki.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bedrock::{
    Database, DimensionChunks, FOLDER, LowestSections, OpenError, OpenedDatabase, is_database,
};
use crate::region::{RegionEntry, RegionStore};
use crate::save::bedrock::tables::DimensionNames;
use crate::save::dimensions::dimension::Dimension;
use crate::save::error::WorldError;
use crate::save::formatting_codes::unformatted;
use crate::save::level_files::LEVEL_FILES;
use pixelmap_base::files::{Files, PathFacts};

/// Returns the world's folder if `folder` is a Bedrock world or the database folder inside one.
/// `None`: the folder contains neither a whole nor a damaged database.
///
/// # Errors
/// Fails if the folder of a database cannot be listed.
pub(crate) fn world_folder(files: &Files, folder: &Path) -> Result<Option<PathBuf>, WorldError> {
    if is_listed_database(files, &folder.join(FOLDER))? {
        return Ok(Some(folder.to_owned()));
    }

    if folder.ends_with(FOLDER) && is_listed_database(files, folder)? {
        return Ok(folder.parent().map(Path::to_owned));
    }

    Ok(None)
}

/// Returns whether a folder is a database, even a damaged one.
///
/// # Errors
/// Fails if the folder cannot be listed.
fn is_listed_database(files: &Files, folder: &Path) -> Result<bool, WorldError> {
    is_database(files, folder).map_err(|error| WorldError::Unreadable(folder.to_owned(), error))
}

/// Returns whether a folder contains a database, even a damaged one. A folder that cannot be listed
/// counts as a folder without a database.
///
/// # Errors
/// Fails if the folder cannot be listed now, but may be later.
pub(crate) fn has_database(files: &Files, folder: &Path) -> Result<bool, WorldError> {
    let own = folder.join(FOLDER);
    let is_one = WorldError::ok_unless_retryable(&own, is_database(files, &own))?;
    Ok(is_one.unwrap_or_default())
}

/// Checks that a folder is not a Bedrock world whose database has lost all its files.
///
/// # Errors
/// Fails if it is such a world, or if the type of a file in it cannot be determined now, but may be
/// later.
pub(crate) fn check_database(files: &Files, folder: &Path) -> Result<(), WorldError> {
    if !lasting_facts(files, &folder.join(FOLDER))?.is_some_and(|facts| facts.is_folder()) {
        return Ok(());
    }

    for name in LEVEL_FILES {
        if lasting_facts(files, &folder.join(name))?.is_some_and(|facts| facts.is_file()) {
            return Err(no_table(folder));
        }
    }

    Ok(())
}

/// Returns the facts about a path; `None`: they cannot be read, and a later run cannot read them
/// either.
fn lasting_facts(files: &Files, path: &Path) -> Result<Option<PathFacts>, WorldError> {
    WorldError::ok_unless_retryable(path, files.facts(path))
}

/// Returns an error if the database was written by another program: it is undamaged, but contains
/// neither chunks nor a level.dat next to it. `None`: the database belongs to a world.
pub(crate) fn no_world(files: &Files, folder: &Path, database: &Database) -> Option<WorldError> {
    let is_world = LEVEL_FILES
        .iter()
        .any(|name| files.is_file(&folder.join(name)));
    let is_other = !is_world && database.dimensions().is_empty() && database.damage().is_empty();
    is_other.then(|| {
        WorldError::Foreign(
            folder.join(FOLDER),
            "is a LevelDB without any chunk of Minecraft, and there is no level.dat",
            "give the folder of a Bedrock world".into(),
        )
    })
}

fn no_table(folder: &Path) -> WorldError {
    WorldError::Foreign(
        folder.join(FOLDER),
        "has no table (.ldb) of the database of a Bedrock world",
        "copy the whole folder of the world".into(),
    )
}

/// Returns the name in `levelname.txt`, which is next to level.dat; `None`: it cannot be read.
pub(crate) fn stored_name(files: &Files, folder: &Path) -> Option<String> {
    const MAX_BYTES: u64 = 256;
    let path = folder.join("levelname.txt");
    let name = files
        .is_file(&path)
        .then(|| files.read(&path, MAX_BYTES).ok())??;
    Some(unformatted(String::from_utf8(name).ok()?.trim()))
}

/// Opens the database of a world. `cache` holds the facts about its files that an earlier run
/// returned from `World::cache`.
pub(crate) fn open(
    files: &Files,
    folder: &Path,
    cache: &[u8],
) -> Result<OpenedDatabase, WorldError> {
    OpenedDatabase::open(files, folder, cache).map_err(|error| match error {
        OpenError::Missing => no_table(folder),
        OpenError::Encrypted => WorldError::Foreign(
            folder.to_owned(),
            "is an encrypted world (Marketplace or NetEase)",
            "it cannot be read".into(),
        ),
        OpenError::Pointer(path) => WorldError::pointer(
            path,
            "is a pointer of Git LFS in the place of a file of the database",
        ),
        OpenError::Unreadable(error) => WorldError::Unreadable(folder.join(FOLDER), error),
    })
}

/// Returns the dimensions that have chunks in the database, or an empty overworld if all of them
/// are empty.
pub(crate) fn dimensions(
    database: &Arc<Database>,
    names: &DimensionNames,
    lowest_sections: &Arc<LowestSections>,
) -> Vec<Dimension> {
    let make = |number: i32, chunks: &DimensionChunks| {
        let store = RegionStore::Database {
            database: database.clone(),
            dimension: number,
            lowest_sections: lowest_sections.clone(),
        };
        stored_dimension(names.id(number), store, chunks)
    };

    match database.dimensions() {
        [] => vec![make(0, &DimensionChunks::default())],
        dimensions => dimensions
            .iter()
            .map(|(number, chunks)| make(*number, chunks))
            .collect(),
    }
}

/// Makes a dimension from its chunks in a database.
fn stored_dimension(id: String, store: RegionStore, chunks: &DimensionChunks) -> Dimension {
    let regions = chunks
        .regions()
        .map(|region| RegionEntry::in_database(region.region, region.bytes))
        .collect();

    Dimension {
        id,
        store,
        regions,
        unreadable: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_have_no_style_marks() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(stored_name(&Files::Disk, folder.path()), None);
        std::fs::write(folder.path().join("levelname.txt"), "§lSky§r Land\n").unwrap();
        assert_eq!(
            stored_name(&Files::Disk, folder.path()).as_deref(),
            Some("Sky Land")
        );
    }
}
