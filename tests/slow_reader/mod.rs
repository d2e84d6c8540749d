//! A second reader of worlds, slow and simple, to compare the fast one with.
//!
//! It unpacks every block of every section, caches nothing and ignores height maps. It follows only
//! the description of the format and shares no code with the library; other libraries inflate and
//! read NBT. If the description leaves a choice, a comment names the choice.
#![allow(unreachable_pub, reason = "fuzz/ includes the same files")]
#![allow(
    clippy::unwrap_used,
    reason = "a test folder that cannot be listed is a failure of the test"
)]

mod arrays;
pub mod bedrock;
mod chunk;
mod container;
mod names;
mod sections;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::missing;

pub use chunk::Chunk;
pub use container::Region;
pub use names::Numbers;

/// Returns the region folders of the real worlds next to the project, sorted. Returns none if this
/// machine does not have the worlds, which is reported on the terminal.
pub fn real_regions() -> Vec<PathBuf> {
    let worlds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/worlds");
    let mut folders = Vec::new();
    if worlds.exists() {
        region_folders(&worlds, &mut folders);
        assert!(!folders.is_empty());
        folders.sort();
    } else {
        missing::report(
            "shared",
            &format!(
                "real worlds against the slow reader: {} is not here",
                worlds.display()
            ),
        );
    }

    folders
}

/// The folders named `region` under a folder.
fn region_folders(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("region") {
            found.push(path);
        } else if path.is_dir() {
            region_folders(&path, found);
        }
    }
}

/// Why a chunk cannot be read, as the report names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    OutOfFile,
    InHeader,
    BadLength,
    Compression,
    MissingMcc,
    Inflate,
    Nbt,
    Content,
    TooLarge,
    Unreadable,
}

impl Reason {
    /// The word for the reason in the report.
    pub const fn word(self) -> &'static str {
        match self {
            Self::OutOfFile => "out_of_file",
            Self::InHeader => "in_header",
            Self::BadLength => "bad_length",
            Self::Compression => "compression",
            Self::MissingMcc => "missing_mcc",
            Self::Inflate => "inflate",
            Self::Nbt => "nbt",
            Self::Content => "content",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The answer of a query to one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    NoChunk,
    Unfinished,
    Damaged(Reason),
    Column {
        top: Option<Top>,
        data_version: Option<i64>,
    },
}

/// The highest block of a column that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
    pub y: i32,
    pub block: String,
    pub biome: Option<String>,
}

/// The limits of a query.
#[derive(Debug, Clone, Copy)]
pub struct Within {
    /// The lowest and the highest block that counts.
    pub low: i32,
    pub high: i32,
    /// Whether raw terrain counts.
    pub unfinished: bool,
}

impl Default for Within {
    fn default() -> Self {
        Self {
            low: i32::MIN,
            high: i32::MAX,
            unfinished: false,
        }
    }
}

/// A slot that cannot be read, or a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Chunk position in the world; `None` for a whole file.
    pub chunk: Option<(i32, i32)>,
    /// The file, relative to the folder.
    pub file: String,
    pub reason: Reason,
}

/// One dimension's region folder, or the folder around its chunk files.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    files: BTreeMap<(i32, i32), PathBuf>,
    /// The files of single chunks, as before Beta 1.3.
    chunk_files: BTreeMap<(i32, i32), PathBuf>,
    numbers: Numbers,
}

impl Folder {
    /// Lists a region folder: `r.X.Z.mca`, and `r.X.Z.mcr` for positions without `.mca`. Otherwise
    /// lists the files of single chunks, two folders below.
    pub fn open(folder: &Path, numbers: Numbers) -> Self {
        let mut files = BTreeMap::new();
        for ending in ["mcr", "mca"] {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if let Some(position) = path
                    .file_name()
                    .and_then(|name| region_position(name.to_str()?, ending))
                {
                    files.insert(position, path);
                }
            }
        }

        let mut chunk_files = BTreeMap::new();
        if files.is_empty() {
            for outer in fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                for inner in fs::read_dir(outer)
                    .into_iter()
                    .flatten()
                    .map(|entry| entry.unwrap().path())
                {
                    for path in fs::read_dir(inner)
                        .into_iter()
                        .flatten()
                        .map(|entry| entry.unwrap().path())
                    {
                        let below = path.strip_prefix(folder).unwrap().to_str().unwrap();
                        if let Some(position) = chunk_position(below) {
                            chunk_files.insert(position, path);
                        }
                    }
                }
            }
        }

        Self {
            path: folder.to_owned(),
            files,
            chunk_files,
            numbers,
        }
    }

    /// The positions of the regions.
    pub fn positions(&self) -> impl Iterator<Item = (i32, i32)> {
        let regions: BTreeSet<(i32, i32)> = self
            .chunk_files
            .keys()
            .map(|(x, z)| (x >> 5, z >> 5))
            .collect();
        self.files.keys().copied().chain(regions)
    }

    /// Reads a region file whole.
    pub fn region(&self, x: i32, z: i32) -> Option<Result<Region, Reason>> {
        let own = self
            .chunk_files
            .iter()
            .filter(|(chunk, _)| (chunk.0 >> 5, chunk.1 >> 5) == (x, z));

        let own: BTreeMap<(i32, i32), PathBuf> =
            own.map(|(chunk, path)| (*chunk, path.clone())).collect();
        if !own.is_empty() {
            return Some(Ok(Region::of_chunk_files(own, x, z)));
        }

        let path = self.files.get(&(x, z))?;
        Some(Region::read(path, x, z))
    }

    /// A chunk by its position in the world: nothing, a chunk, or the reason why it cannot be read.
    pub fn chunk(&self, x: i32, z: i32) -> Option<Result<Chunk, Reason>> {
        let region = match self.region(x >> 5, z >> 5)? {
            Ok(region) => region,
            Err(reason) => return Some(Err(reason)),
        };
        self.chunk_of(&region, x, z)
    }

    /// A chunk of a region that was read before.
    pub fn chunk_of(&self, region: &Region, x: i32, z: i32) -> Option<Result<Chunk, Reason>> {
        match region.payload(x, z) {
            Ok(None) => None,
            Ok(Some(bytes)) => Some(Chunk::parse(&bytes, &self.numbers)),
            Err(reason) => Some(Err(reason)),
        }
    }

    /// The answer of a query to a column.
    pub fn answer(&self, x: i32, z: i32) -> Answer {
        answer_of(self.chunk(x >> 4, z >> 4).as_ref(), x, z, Within::default())
    }

    /// The answers of a query to these columns, in this order. A chunk is read once for all columns
    /// in a row that are in it.
    pub fn answers(&self, columns: &[(i32, i32)], within: Within) -> Vec<Answer> {
        let mut answers = Vec::new();
        for columns in columns.chunk_by(|a, b| (a.0 >> 4, a.1 >> 4) == (b.0 >> 4, b.1 >> 4)) {
            let chunk = self.chunk(columns[0].0 >> 4, columns[0].1 >> 4);
            answers.extend(
                columns
                    .iter()
                    .map(|(x, z)| answer_of(chunk.as_ref(), *x, *z, within)),
            );
        }

        answers
    }

    /// The slots that cannot be read.
    pub fn damaged(&self) -> Vec<Damage> {
        let mut found = Vec::new();
        for (region_x, region_z) in self.positions() {
            let file = |path: &Path| {
                path.strip_prefix(&self.path)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            };

            let whole = self
                .files
                .get(&(region_x, region_z))
                .map(|path| file(path))
                .unwrap_or_default();

            match self.region(region_x, region_z).unwrap() {
                Err(reason) => found.push(Damage {
                    chunk: None,
                    file: whole,
                    reason,
                }),
                Ok(region) => {
                    for slot in 0..1024 {
                        let (x, z) = (region_x * 32 + slot % 32, region_z * 32 + slot / 32);
                        if let Some(Err(reason)) = self.chunk_of(&region, x, z) {
                            let file = self
                                .chunk_files
                                .get(&(x, z))
                                .map_or_else(|| whole.clone(), |path| file(path));
                            found.push(Damage {
                                chunk: Some((x, z)),
                                file,
                                reason,
                            });
                        }
                    }
                }
            }
        }

        found
    }
}

/// The answer of a query to a column of this chunk.
pub fn answer_of(chunk: Option<&Result<Chunk, Reason>>, x: i32, z: i32, within: Within) -> Answer {
    match chunk {
        None => Answer::NoChunk,
        Some(Err(reason)) => Answer::Damaged(*reason),
        Some(Ok(chunk)) if !chunk.is_drawn(within.unfinished) => Answer::Unfinished,
        Some(Ok(chunk)) => Answer::Column {
            top: chunk.top(x & 15, z & 15, within),
            data_version: chunk.data_version,
        },
    }
}

/// Returns X and Z of `a/b/c.X.Z.dat`, all in base 36, if the folders match the chunk.
fn chunk_position(path: &str) -> Option<(i32, i32)> {
    let parts: Vec<&str> = path.split('/').collect();
    let [outer, inner, name] = parts[..] else {
        return None;
    };

    let (x, z) = name
        .strip_prefix("c.")?
        .strip_suffix(".dat")?
        .split_once('.')?;
    let [outer, inner, x, z] = [outer, inner, x, z].map(|text| i32::from_str_radix(text, 36).ok());

    // The tests contain no numbers in another form.
    (outer? == x? & 63 && inner? == z? & 63).then_some((x?, z?))
}

/// X and Z of `r.X.Z.ending`, if both are written in the usual form of numbers.
fn region_position(name: &str, ending: &str) -> Option<(i32, i32)> {
    let middle = name
        .strip_prefix("r.")?
        .strip_suffix(ending)?
        .strip_suffix('.')?;
    let (x, z) = middle.split_once('.')?;
    let (x, z): (i32, i32) = (x.parse().ok()?, z.parse().ok()?);
    (name == format!("r.{x}.{z}.{ending}")).then_some((x, z))
}
