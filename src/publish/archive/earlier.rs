//! The archive that stands where a new one shall: what it says of itself, and its tiles. It may be damaged, or anybody's:
//! what is read of it at once is bounded, and what makes no sense is not there.

use std::fs::File;
use std::path::Path;

use serde::Deserialize;

use super::directory::{Entry, entries_of, gunzip};
use super::header::{HEADER_BYTES, Sections, tile_id};
use crate::at::read_exact_at;
use crate::coord::TilePos;
use crate::publish::MapFile;
use crate::publish::files::open_file;

/// The most bytes of a directory, and of the metadata, in the file and unpacked: ten times what the largest have.
const MAX_SECTION: u64 = 1 << 20;
/// The most bytes of a tile: more than its samples have.
const MAX_TILE: u64 = 2 << 20;
/// Directories that hang below each other; ours are two.
const MAX_DEPTH: usize = 3;

/// An archive that was made earlier.
#[derive(Debug)]
pub struct EarlierArchive {
    file: File,
    sections: Sections,
    root: Vec<Entry>,
    says: Says,
}

/// What is looked at of its metadata.
#[derive(Debug, Deserialize)]
struct Says {
    pixelmap_options: String,
    pixelmap: MapFile,
}

impl EarlierArchive {
    /// Opens what stands at `path`, if it was made with these options.
    pub fn open(path: &Path, options: &str) -> Option<Self> {
        let file = open_file(path).ok()?;
        let mut header = [0; HEADER_BYTES];
        read_exact_at(&file, &mut header, 0).ok()?;
        let sections = Sections::of(&header)?;
        let says: Says = serde_json::from_slice(&unpacked(&file, sections.metadata)?).ok()?;
        let root = entries_of(&unpacked(&file, sections.root)?)?;
        (says.pixelmap_options == options).then_some(Self { file, sections, root, says })
    }

    /// What it says of what it shows.
    pub fn facts(&self) -> &MapFile {
        &self.says.pixelmap
    }

    /// The bytes of a tile; `None`: it has none, or they cannot be read.
    pub fn tile(&self, tile: TilePos) -> Option<Vec<u8>> {
        let id = tile_id(tile);
        let mut found = find(&self.root, id)?;
        for _ in 1..MAX_DEPTH {
            if found.run > 0 {
                break;
            }
            let leaf = unpacked(&self.file, within(self.sections.leaves, found)?)?;
            found = find(&entries_of(&leaf)?, id)?;
        }
        let is_of = id - found.id < u64::from(found.run);
        read(&self.file, within(self.sections.data, found).filter(|_| is_of)?, MAX_TILE)
    }
}

/// The entry that a tile is in, or below.
fn find(entries: &[Entry], id: u64) -> Option<Entry> {
    let after = entries.partition_point(|entry| entry.id <= id);
    entries.get(after.checked_sub(1)?).copied()
}

/// Where an entry's bytes lie, and how many they are, within a section.
fn within((at, len): (u64, u64), entry: Entry) -> Option<(u64, u64)> {
    let end = entry.offset.checked_add(entry.len.into())?;
    if end <= len { Some((at.checked_add(entry.offset)?, entry.len.into())) } else { None }
}

fn unpacked(file: &File, place: (u64, u64)) -> Option<Vec<u8>> {
    gunzip(&read(file, place, MAX_SECTION)?, MAX_SECTION)
}

fn read(file: &File, (at, len): (u64, u64), most: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(len).ok().filter(|_| len <= most)?];
    read_exact_at(file, &mut bytes, at).ok()?;
    Some(bytes)
}
