//! Finds the seed of a world. Players keep it secret, so it can be used but is never shown.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::save::dat::Dat;
use crate::save::dimensions::world_gen::OVERWORLD_FILES;
use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;

/// The seed of a world. It cannot be formatted as text, so that it cannot get into a message, a
/// report or a file.
#[derive(Clone, Copy)]
pub struct Seed(i64);

impl Seed {
    pub(crate) const fn new(number: i64) -> Self {
        Self(number)
    }

    pub const fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(not shown)")
    }
}

/// The reason why a world's seed is unknown.
#[derive(Debug, Error)]
pub enum NoSeed {
    /// No level.dat can be read.
    #[error("the world of these regions has no level.dat that can be read")]
    NoLevel,
    /// Neither level.dat nor a file next to it contains the seed.
    #[error("no file in {} contains it", .0.display())]
    NotStored(PathBuf),
    /// The file that should contain the seed cannot be read.
    #[error("{} cannot be read: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
}

impl NoSeed {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }
}

/// Finds the seed of the overworld in a world's folder, or else uses the seed of its level.dat.
pub(crate) fn find(files: &Files, folder: &Path, level_seed: Option<Seed>) -> Result<Seed, NoSeed> {
    let mut unreadable = None;
    for path in OVERWORLD_FILES
        .map(|file| folder.join(file))
        .into_iter()
        .filter(|path| files.is_file(path))
    {
        match Dat::open(files, &path) {
            Ok(dat) => {
                if let Some(seed) = dat.get("data/seed") {
                    return Ok(Seed(seed));
                }
            }
            // The seed in level.dat may be a different one, so it is not used instead.
            Err(error) if retryable(&error) => return Err(NoSeed::Unreadable(path, error)),
            Err(error) => unreadable = Some(NoSeed::Unreadable(path, error)),
        }
    }

    level_seed.ok_or_else(|| unreadable.unwrap_or_else(|| NoSeed::NotStored(folder.to_owned())))
}
