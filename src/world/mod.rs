//! The world folder: its dimensions, their region files, and level.dat.
//!
//! Layouts are told by folders, never by a version: the game's own before and from 26.1, the split folders of Bukkit
//! servers, a dimension's folder or a `region` folder given directly. Only `region` holds terrain; `entities` and `poi`
//! hold files of the same names. Knows nothing of what is in a chunk.

mod kinds;
mod layout;
mod level;
mod listing;
mod namespaced;
mod seed;

pub use kinds::{Kind, KindOf, Kinds};
pub use level::{Level, MAX_LEVEL_BYTES, MAX_MOD_IDS, MAX_NAME_BYTES};
pub use listing::{RegionEntry, RegionKind};
pub use seed::{NoSeed, Seed};

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::retry::retryable;

/// Why a folder is no world that can be drawn.
#[derive(Debug)]
pub enum WorldError {
    /// There is no such folder.
    Missing(PathBuf),
    /// It is a file.
    NotAFolder(PathBuf),
    /// It cannot be looked into.
    Unreadable(PathBuf, io::Error),
    /// No region file was found; worlds one folder further in, if there are any.
    NoRegions(PathBuf, Vec<PathBuf>),
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "there is no folder {}: give the path of a world folder", path.display()),
            Self::NotAFolder(path) => {
                write!(f, "{} is a file: give the world folder it belongs to", path.display())
            }
            Self::Unreadable(path, error) => write!(f, "cannot look into {}: {error}", path.display()),
            Self::NoRegions(path, inside) if inside.is_empty() => write!(
                f,
                "no region file (r.X.Z.mca or .mcr) in {}: give a world folder, a dimension folder or a region folder",
                path.display()
            ),
            Self::NoRegions(path, inside) => {
                write!(f, "{} is no world itself: give one of", path.display())?;
                inside.iter().try_for_each(|world| write!(f, " {}", world.display()))
            }
        }
    }
}

impl std::error::Error for WorldError {}

impl WorldError {
    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }

    /// An error that passes by, of a place of the world: what is there then is not known. Any other is what it is: that
    /// place is as if there were nothing.
    pub(crate) fn passing<T>(path: &Path, read: io::Result<T>) -> Result<Option<T>, Self> {
        match read {
            Err(error) if retryable(&error) => Err(Self::Unreadable(path.to_owned(), error)),
            read => Ok(read.ok()),
        }
    }
}

/// A world folder.
#[derive(Debug)]
pub struct World {
    /// The folder as it was given.
    pub folder: PathBuf,
    /// What level.dat says.
    pub level: Level,
    /// The dimensions that have region files: overworld, nether, end, then the others by name.
    pub dimensions: Vec<Dimension>,
    /// What is worth telling about the layout.
    pub notes: Vec<String>,
    /// Its data packs, in the order in which the game lays them over each other.
    pub packs: Vec<PathBuf>,
    /// The folders that belong to it: the one given, those beside it, level.dat's, and that of each dimension.
    pub folders: Vec<PathBuf>,
}

/// A dimension and its region files.
#[derive(Debug)]
pub struct Dimension {
    /// `overworld`, `the_nether`, `the_end`, `ns:path`, or `DIM7` for those that only have a number.
    pub id: String,
    /// The folder of its region files.
    pub folder: PathBuf,
    /// The region files, by position.
    pub regions: Vec<RegionEntry>,
    /// Why that folder cannot be looked into, if it cannot: then nobody knows its region files.
    pub unreadable: Option<String>,
}

/// A dimension whose region files cannot be listed.
#[derive(Debug, Clone)]
pub struct Unreadable {
    /// The dimension's id.
    pub id: String,
    /// The folder of its region files.
    pub folder: PathBuf,
    /// What the system says.
    pub message: String,
}

impl Unreadable {
    /// Of a dimension, if it is.
    pub fn of(dimension: &Dimension) -> Option<Self> {
        let message = dimension.unreadable.clone()?;
        Some(Self { id: dimension.id.clone(), folder: dimension.folder.clone(), message })
    }

    /// The folder's own name, which stands where that of a region file would.
    pub fn folder_name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, folder, message } = self;
        write!(f, "the region files of {id} cannot be listed: {}: {message}", folder.display())
    }
}

impl World {
    /// Finds the dimensions of a world and lists their region files.
    ///
    /// # Errors
    /// The folder is missing or cannot be read, there is no region file in any layout, or the system refuses for the moment
    /// to let something of it be read.
    pub fn open(folder: &Path) -> Result<Self, WorldError> {
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => WorldError::Missing(folder.to_owned()),
            _ => WorldError::Unreadable(folder.to_owned(), error),
        };
        if !folder.metadata().map_err(unreadable)?.is_dir() {
            return Err(WorldError::NotAFolder(folder.to_owned()));
        }
        std::fs::read_dir(folder).map_err(unreadable)?;
        let mut notes = Vec::new();
        let layout::Found { dimensions, roots } = layout::find(folder, &mut notes)?;
        if dimensions.is_empty() {
            return Err(WorldError::NoRegions(folder.to_owned(), layout::worlds_inside(folder)?));
        }
        let level = Level::of(folder, &dimensions, &mut notes)?;
        let packs = kinds::packs(level.folder.as_deref().unwrap_or(folder), &level, &mut notes)?;
        let mut folders = vec![folder.to_owned()];
        folders.extend(roots.into_iter().chain(level.folder.clone()));
        folders.extend(dimensions.iter().map(|dimension| dimension.own_folder(folder).to_owned()));
        folders.sort();
        folders.dedup();
        Ok(Self { folder: folder.to_owned(), level, dimensions, notes, packs, folders })
    }

    /// The world's name: level.dat's, else the folder's.
    pub fn name(&self) -> String {
        let folder = || {
            let path = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
            path.file_name().map_or_else(|| "world".to_owned(), text_of)
        };
        self.level.name.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(folder)
    }

    /// The dimension a user means by `wanted`: an id, `nether`, `end`, an old number, or `minecraft:` names.
    pub fn dimension(&self, wanted: &str) -> Option<&Dimension> {
        let id = canonical_id(wanted);
        self.dimensions.iter().find(|dimension| dimension.id == id)
    }
}

impl Dimension {
    /// The folder of its region files relative to the world, with `/` between its parts.
    pub fn relative_folder(&self, world: &Path) -> String {
        if let Ok(below) = self.folder.strip_prefix(world) {
            return slashed(below);
        }
        // Beside the world, as Bukkit has it: the way there goes up first.
        let full = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (world, folder) = (full(world), full(&self.folder));
        let shared = world.iter().zip(&folder).take_while(|(a, b)| a == b).count();
        let up = world.iter().skip(shared).map(|_| OsStr::new(".."));
        slashed(&up.chain(folder.iter().skip(shared)).collect::<PathBuf>())
    }

    /// The folder around its region files, unless those themselves are what was given.
    fn own_folder(&self, given: &Path) -> &Path {
        let around = self.folder.parent().filter(|_| self.folder.ends_with("region") && self.folder != given);
        around.unwrap_or(&self.folder)
    }
}

/// A folder's name as a text, which tells it from others: bytes that are no UTF-8 become `\xff`.
fn text_of(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text += chunk.valid();
        text += &chunk.invalid().escape_ascii().to_string();
    }
    text
}

fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(OsStr::to_string_lossy).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// The one id of a dimension that has several names.
pub fn canonical_id(name: &str) -> String {
    match name {
        "0" | "overworld" | "minecraft:overworld" => "overworld".to_owned(),
        "-1" | "nether" | "the_nether" | "DIM-1" | "minecraft:the_nether" => "the_nether".to_owned(),
        "1" | "end" | "the_end" | "DIM1" | "minecraft:the_end" => "the_end".to_owned(),
        number if number.parse::<i32>().is_ok_and(|n| n.to_string() == number) => format!("DIM{number}"),
        other => other.to_owned(),
    }
}
