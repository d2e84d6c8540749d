//! The contents of a world.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use serde::Serialize;

use crate::base::coord::{CHUNK_SIDE, ColumnPos, RegionPos, Slot};
use crate::draw::painter::chunk::{ChunkFilter, ChunkReader, DrawnChunk, Found, count_unknown};
use crate::draw::prepare::names;
use crate::draw::progress::Progress;
use crate::draw::report::{ChunkFindings, MAX_LISTED, UnknownBlock};
use crate::paint::layers::game_version;
use crate::paint::palette::Palette;
use crate::paint::surface::Columns;
use crate::world::chunk::{Generation, Meta};
use crate::world::files::Files;
use crate::world::{Dimension, Unreadable, World, WorldError, utc};
use crate::world::{Inflater, Region};

/// The contents of a world, as `info --json` prints them.
#[derive(Debug, Clone, Serialize)]
pub struct WorldInfo {
    /// Its name.
    pub name: String,
    /// The version of level.dat.
    pub data_version: Option<i32>,
    /// That version in words, if there is a level.dat.
    pub game_version: Option<String>,
    /// The place that players start at.
    pub spawn: Option<Spawn>,
    /// The time when the world was saved last, in UTC, as in `2021-07-06T18:30:00Z`.
    pub last_played: Option<String>,
    /// Its dimensions.
    pub dimensions: Vec<DimensionInfo>,
}

/// The place that players start at.
#[derive(Debug, Clone, Serialize)]
pub struct Spawn {
    /// The id of its dimension.
    pub dimension: String,
    /// x, y and z.
    pub block: [i32; 3],
}

/// The contents of a dimension.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DimensionInfo {
    /// Its id.
    pub id: String,
    /// The folder of its region files, relative to the world.
    pub folder: String,
    /// Region files.
    pub regions: u64,
    /// Slots in use.
    pub chunks: u64,
    /// Chunks of these that the game has finished: those that are drawn.
    pub finished: u64,
    /// Chunks of these that the game has not finished.
    pub unfinished: u64,
    /// The rectangle around the finished chunks, in blocks, half-open: x and z of two corners.
    pub extent: Option<[i32; 4]>,
    /// Bytes of all region files.
    pub bytes: u64,
    /// Chunks by `DataVersion`; `none` for those without.
    pub data_versions: BTreeMap<String, u64>,
    /// Chunks of other versions, where there are more than [`MAX_LISTED`]: those that are read first are named.
    #[serde(skip_serializing_if = "is_zero")]
    pub data_versions_not_listed: u64,
    /// Chunks by the way they are stored.
    pub generations: BTreeMap<&'static str, u64>,
    /// Chunks by compression.
    pub compression: BTreeMap<&'static str, u64>,
    /// The places that cannot be read, in order; at most [`MAX_LISTED`].
    pub damaged: Vec<Damaged>,
    /// The number of further places that cannot be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_not_listed: u64,
    /// Blocks that no table knows, by name.
    pub unknown_blocks: BTreeMap<String, UnknownBlock>,
}

/// A place that cannot be read.
#[derive(Debug, Clone, Serialize)]
pub struct Damaged {
    /// The region file, or the folder if its files cannot be listed.
    pub region: String,
    /// The chunk's position in chunks; `None`: the whole file.
    pub chunk: Option<[i32; 2]>,
    /// Why.
    pub reason: &'static str,
}

/// One worker's means, and what it has counted of the dimension at hand.
struct Survey {
    reader: ChunkReader,
    columns: Box<Columns>,
    chunk_findings: ChunkFindings,
    found: DimensionInfo,
}

/// Reads every chunk of a world and counts its contents; `progress` tells how far it is.
///
/// # Errors
/// A region file cannot be read now and may be later: its contents cannot be told.
pub fn info(world: &World, progress: &Progress) -> Result<WorldInfo, WorldError> {
    let files = || world.dimensions.iter().flat_map(|dimension| &dimension.regions);
    progress.expect(files().count() as u64, files().map(|entry| entry.bytes).sum());
    let palette = Arc::new(Palette::builtin());
    let names = names(world, &palette);
    let dimensions = world.dimensions.iter().map(|dimension| {
        let mut survey = Survey {
            reader: ChunkReader::new(names.clone(), Inflater::default(), false),
            columns: Box::default(),
            chunk_findings: ChunkFindings::default(),
            found: DimensionInfo::new(world, dimension),
        };
        survey.dimension(&world.files, dimension, progress)?;
        Ok(DimensionInfo { unknown_blocks: survey.chunk_findings.unknown, ..survey.found })
    });
    let dimensions = dimensions.collect::<Result<_, _>>()?;
    let level = &world.level;
    let in_words = || level.version_name.clone().unwrap_or_else(|| game_version(level.data_version).to_owned());
    Ok(WorldInfo {
        name: world.name(),
        data_version: level.data_version,
        game_version: level.folder.is_some().then(in_words),
        spawn: level.spawn.clone().map(|(dimension, block)| Spawn { dimension, block }),
        last_played: level.last_played.and_then(played),
        dimensions,
    })
}

/// The time when a world was played last, as text; 0, which tools write, is none.
fn played(millis: i64) -> Option<String> {
    Some(millis).filter(|millis| *millis >= 1000).and_then(utc)
}

impl DimensionInfo {
    fn new(world: &World, dimension: &Dimension) -> Self {
        Self {
            id: dimension.id.clone(),
            folder: dimension.relative_folder(&world.folder),
            regions: dimension.regions.len() as u64,
            bytes: dimension.regions.iter().map(|entry| entry.bytes).sum(),
            generations: Generation::ALL.into_iter().map(|generation| (generation.name(), 0)).collect(),
            ..Self::default()
        }
    }
}

impl Survey {
    fn bad(&self) -> u64 {
        self.found.damaged.len() as u64 + self.found.damaged_not_listed
    }

    /// Counts a finished chunk.
    fn finished(&mut self, corner: ColumnPos) {
        self.found.finished += 1;
        let (x1, z1) = (corner.x.saturating_add(CHUNK_SIDE as i32), corner.z.saturating_add(CHUNK_SIDE as i32));
        let [west, north, east, south] = self.found.extent.unwrap_or([corner.x, corner.z, x1, z1]);
        self.found.extent = Some([west.min(corner.x), north.min(corner.z), east.max(x1), south.max(z1)]);
    }

    fn damaged(&mut self, region: &str, chunk: Option<[i32; 2]>, reason: &'static str) {
        if self.found.damaged.len() < MAX_LISTED {
            self.found.damaged.push(Damaged { region: region.to_owned(), chunk, reason });
        } else {
            self.found.damaged_not_listed += 1;
        }
    }

    fn dimension(&mut self, files: &Files, dimension: &Dimension, progress: &Progress) -> Result<(), WorldError> {
        if let Some(unreadable) = Unreadable::from_dimension(dimension) {
            self.damaged(&unreadable.folder_name(), None, "unreadable");
        }
        for entry in &dimension.regions {
            let (path, name) = (entry.path(&dimension.folder), entry.file_name());
            let before = (self.found.chunks, self.bad());
            match WorldError::ok_unless_retryable(&path, Region::open_filled(files, &dimension.folder, *entry))? {
                Some(mut file) => {
                    self.region(&mut file, entry.region, &name).map_err(|error| WorldError::Unreadable(path, error))?;
                }
                None => self.damaged(&name, None, "unreadable"),
            }
            progress.region(entry.bytes, self.found.chunks - before.0, self.bad() - before.1);
        }
        Ok(())
    }

    /// # Errors
    /// Those that pass by.
    fn region(&mut self, file: &mut Region, region: RegionPos, name: &str) -> io::Result<()> {
        file.will_read(Slot::all());
        for slot in Slot::all() {
            let outs = std::iter::once(&mut *self.columns);
            let (found, stored) = self.reader.columns(file, slot, ChunkFilter::ALL, outs);
            if matches!(found, Found::Nothing) {
                continue;
            }
            self.found.chunks += 1;
            if let Some(compression) = stored.compression_name() {
                *self.found.compression.entry(compression).or_default() += 1;
            }
            let chunk = region.chunk(slot);
            match found {
                Found::Nothing => {}
                Found::Bad(reason) => {
                    if let Some(error) = reason.passing() {
                        return Err(error);
                    }
                    self.damaged(name, Some([chunk.x, chunk.z]), reason.word());
                }
                Found::Unfinished(meta) => {
                    self.found.unfinished += 1;
                    self.stored(meta);
                }
                Found::Unvisited(meta) | Found::Empty(meta) => {
                    self.finished(chunk.corner());
                    self.stored(meta);
                }
                Found::Drawn(DrawnChunk { meta, .. }) => {
                    self.finished(chunk.corner());
                    self.stored(meta);
                    count_unknown(&self.columns, &mut self.reader.name_cache, &mut self.chunk_findings, chunk.corner());
                }
            }
        }
        Ok(())
    }

    fn stored(&mut self, meta: Meta) {
        let version = meta.data_version.map_or_else(|| "none".to_owned(), |version| version.to_string());
        let versions = &mut self.found.data_versions;
        if versions.len() < MAX_LISTED || versions.contains_key(&version) {
            *versions.entry(version).or_default() += 1;
        } else {
            self.found.data_versions_not_listed += 1;
        }
        *self.found.generations.entry(meta.generation.name()).or_default() += 1;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_dates() {
        let told = |seconds: i64| played(seconds * 1000 + 999);
        assert_eq!(told(1_700_000_000).as_deref(), Some("2023-11-14T22:13:20Z"));
        assert_eq!(told(951_782_399).as_deref(), Some("2000-02-28T23:59:59Z"));
        assert_eq!(told(951_868_799).as_deref(), Some("2000-02-29T23:59:59Z"));
        assert_eq!(told(253_402_300_799).as_deref(), Some("9999-12-31T23:59:59Z"));
        assert_eq!([played(i64::MIN), played(0), played(i64::MAX)], [None, None, None]);
    }
}
