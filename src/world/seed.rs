//! The number that the game made a world from. Players keep it to themselves, so it can be asked for and not be shown.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::World;
use super::level::{each, inflated};
use crate::nbt::{Error, Reader};
use crate::retry::retryable;

/// Where the game keeps the seed since 26.1, and before it in the overworld's own folder, where Paper does.
const FILES: [&str; 2] =
    ["dimensions/minecraft/overworld/data/minecraft/world_gen_settings.dat", "data/minecraft/world_gen_settings.dat"];

/// The seed of a world. Has no text of its own: it shall reach no message, no report and no file.
#[derive(Clone, Copy)]
pub struct Seed(i64);

impl Seed {
    pub(super) const fn new(number: i64) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(not shown)")
    }
}

/// Why a world's seed is not known.
#[derive(Debug)]
pub enum NoSeed {
    /// There is no level.dat that can be read.
    NoLevel,
    /// Neither level.dat nor a file beside it says it.
    NotSaid(PathBuf),
    /// The file that should say it cannot be read.
    Unreadable(PathBuf, io::Error),
}

impl fmt::Display for NoSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLevel => write!(f, "no level.dat that can be read lies with these regions"),
            Self::NotSaid(folder) => write!(f, "no file in {} says it", folder.display()),
            Self::Unreadable(path, error) => write!(f, "{} cannot be read: {error}", path.display()),
        }
    }
}

impl std::error::Error for NoSeed {}

impl NoSeed {
    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }
}

impl World {
    /// The seed that its overworld was made from.
    ///
    /// # Errors
    /// No file says it, or none that can be read.
    pub fn seed(&self) -> Result<Seed, NoSeed> {
        let folder = self.level.folder.as_deref().ok_or(NoSeed::NoLevel)?;
        let mut unreadable = None;
        for path in FILES.map(|file| folder.join(file)) {
            // Opening a pipe would wait for somebody to write to it.
            match path.is_file().then(|| of_settings(&path)) {
                None | Some(Ok(None)) => {}
                Some(Ok(Some(seed))) => return Ok(seed),
                // What level.dat says may be another one.
                Some(Err(error)) if retryable(&error) => return Err(NoSeed::Unreadable(path, error)),
                Some(Err(error)) => unreadable = Some(NoSeed::Unreadable(path, error)),
            }
        }
        self.level.seed.ok_or_else(|| unreadable.unwrap_or_else(|| NoSeed::NotSaid(folder.to_owned())))
    }
}

/// `data.seed` of a file of settings.
fn of_settings(path: &Path) -> io::Result<Option<Seed>> {
    from_root(&inflated(path)?).map_err(io::Error::other)
}

fn from_root(bytes: &[u8]) -> Result<Option<Seed>, Error> {
    let (mut reader, mut seed) = (Reader::root(bytes)?, None);
    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"data" => each(&mut reader, tag, |reader, tag, name| match name {
                b"seed" => reader.int(tag).map(|number| seed = number),
                _ => reader.skip(tag),
            })?,
            _ => reader.skip(tag)?,
        }
    }
    Ok(seed.map(Seed::new))
}
