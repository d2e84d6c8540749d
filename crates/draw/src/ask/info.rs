//! Surveys a whole world for `info`: reads every chunk, and counts chunks, versions, forms of
//! storage, damage and unknown blocks. It draws nothing.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use serde::Serialize;

use crate::painter::chunk::{ChunkReader, DrawnChunk, SlotContent, count_unknown};
use crate::painter::filter::ChunkFilter;
use crate::report::progress::Progress;
use crate::report::{ChunkFindings, MAX_LISTED, UnknownBlock};
use crate::request::ceilings;
use crate::request::colours::{Colours, names};
use crate::request::error::RenderError;
use crate::request::hide::HiddenPlaces;
use crate::request::look::Look;
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos, ColumnPos, Slot};
use pixelmap_base::time::utc;
use pixelmap_paint::layers::game_version;
use pixelmap_paint::palette::Palette;
use pixelmap_paint::surface::Columns;
use pixelmap_world::chunk::{Generation, Meta};
use pixelmap_world::internal::{
    ChunkHash, Dimension, DimensionTypes, RegionEntry, UnreadableDimension, World, WorldError,
};
use pixelmap_world::internal::{Inflater, Region};

/// The survey of a world, as `info --json` prints it.
#[derive(Debug, Clone, Serialize)]
pub struct WorldInfo {
    pub name: String,
    /// `bedrock` for a world of Bedrock Edition; absent for one of Java Edition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<&'static str>,
    /// The `DataVersion` in level.dat.
    pub data_version: Option<i32>,
    /// The game version in words; absent if there is no level.dat.
    pub game_version: Option<String>,
    pub spawn: Option<SpawnInfo>,
    /// When the world was last saved, in UTC, as in `2021-07-06T18:30:00Z`.
    pub last_played: Option<String>,
    pub dimensions: Vec<DimensionInfo>,
}

/// The place where players start.
#[derive(Debug, Clone, Serialize)]
pub struct SpawnInfo {
    pub dimension: String,
    /// x, y and z.
    pub block: [i32; 3],
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct DimensionInfo {
    pub id: String,
    /// The folder of its region files, relative to the world.
    pub folder: String,
    pub regions: u64,
    /// The height of the bedrock under which a map shows the land, although the dimension's type is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed_ceiling: Option<i32>,
    /// Whether each chunk has a file of its own, as before Beta 1.3, instead of being in a region
    /// file.
    #[serde(skip_serializing_if = "is_false")]
    pub chunk_files: bool,
    /// The number of slots that are not empty.
    pub chunks: u64,
    /// The chunks that the game has finished. Only these are drawn.
    pub finished: u64,
    /// The chunks that the game has not finished.
    pub unfinished: u64,
    /// The rectangle around the finished chunks, in blocks, half-open: x and z of two corners.
    pub extent: Option<[i32; 4]>,
    /// Bytes of all region files.
    pub bytes: u64,
    /// The number of chunks by `DataVersion`; `none` counts the chunks without one.
    pub data_versions: BTreeMap<String, u64>,
    /// The number of chunks of all other versions, because only the first [`MAX_LISTED`] versions
    /// are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub data_versions_not_listed: u64,
    /// The number of chunks by the form in which they are stored.
    pub generations: BTreeMap<&'static str, u64>,
    pub compression: BTreeMap<&'static str, u64>,
    /// Places that cannot be read, in order; at most [`MAX_LISTED`].
    pub damaged: Vec<DamagedPlace>,
    /// The number of further places that cannot be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_not_listed: u64,
    /// Blocks that no colour table contains, by name.
    pub unknown_blocks: BTreeMap<String, UnknownBlock>,
}

#[derive(Debug, Clone, Serialize)]
pub struct DamagedPlace {
    /// The region file, or the folder if its files cannot be listed.
    pub region: String,
    /// The chunk's position in chunks; absent if the whole file cannot be read.
    pub chunk: Option<[i32; 2]>,
    pub reason: &'static str,
}

/// The buffers for reading chunks, and the counts for one dimension.
struct Survey<'a> {
    reader: ChunkReader,
    columns: Box<Columns>,
    chunk_findings: ChunkFindings,
    counts: DimensionInfo,
    seen: &'a mut dyn FnMut(SeenChunk<'_>),
}

/// A stored chunk that can be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeenChunk<'a> {
    pub(super) dimension: &'a str,
    pub(super) position: ChunkPos,
    /// The hash of its stored bytes.
    pub(super) hash: ChunkHash,
    /// When the game saved it, in seconds since 1970.
    pub(super) saved: Option<u32>,
}

/// Returns the palette and the types of dimensions of a map of this world without options. In a
/// Bedrock world the palette has the blocks of the world's own packs, which a map does not report
/// as unknown.
fn palette_and_dimension_types(
    world: &World,
) -> Result<(Arc<Palette>, DimensionTypes), RenderError> {
    match Colours::default().choose(world, false) {
        Ok(chosen) => Ok((chosen.palette, chosen.dimension_types)),
        Err(error) if error.retryable() => Err(RenderError::Colours(error)),
        Err(_) => Ok((
            Arc::new(Palette::builtin()),
            DimensionTypes::with_dimensions(&world.described),
        )),
    }
}

/// Reads every chunk of a world and counts its contents. `progress` is updated on the way.
///
/// # Errors
/// Fails if a region file or a data pack cannot be read now, but perhaps later.
pub fn info(world: &World, progress: &Progress) -> Result<WorldInfo, RenderError> {
    survey(world, progress, &mut |_| ())
}

/// Surveys a world like [`info`], and passes each stored chunk to `seen`.
pub(super) fn survey(
    world: &World,
    progress: &Progress,
    seen: &mut dyn FnMut(SeenChunk<'_>),
) -> Result<WorldInfo, RenderError> {
    let files = world
        .dimensions
        .iter()
        .flat_map(|dimension| &dimension.regions);
    progress.expect(
        files.clone().count() as u64,
        files.map(|entry| entry.bytes).sum(),
    );

    let (palette, dimension_types) = palette_and_dimension_types(world)?;
    let names = names(world, &palette);
    let mut dimensions = Vec::new();
    for dimension in &world.dimensions {
        let mut survey = Survey {
            seen: &mut *seen,
            reader: ChunkReader::new(names.clone(), Inflater::default(), false),
            columns: Box::default(),
            chunk_findings: ChunkFindings::default(),
            counts: DimensionInfo::new(world, dimension),
        };
        survey.dimension(dimension, progress)?;

        let hidden = HiddenPlaces::default();
        let found = ceilings::find(world, &dimension_types, dimension, &Look::DEFAULT, &hidden)?;

        dimensions.push(DimensionInfo {
            assumed_ceiling: found.assumed_y,
            unknown_blocks: survey.chunk_findings.unknown,
            ..survey.counts
        });
    }

    if let Some(first) = dimensions.first_mut() {
        // The damaged parts may have contained chunks of any dimension, so they are listed with the
        // first one.
        for damage in world.damage() {
            first.add_damaged(&damage.file, None, damage.defect.word());
        }
    }

    let level = &world.level;
    let version_words = level
        .version_name
        .clone()
        .unwrap_or_else(|| game_version(level.data_version).to_owned());

    Ok(WorldInfo {
        name: world.name(),
        edition: world.is_bedrock().then_some("bedrock"),
        data_version: level.data_version,
        game_version: level.folder.is_some().then_some(version_words),
        spawn: world
            .spawns
            .new_players
            .clone()
            .map(|(dimension, block)| SpawnInfo { dimension, block }),
        last_played: level.last_played.and_then(last_played),
        dimensions,
    })
}

/// Returns the time when a world was last played as text. Returns `None` for 0, because that value
/// comes from tools, not from the game.
fn last_played(millis: i64) -> Option<String> {
    Some(millis).filter(|millis| *millis >= 1000).and_then(utc)
}

impl DimensionInfo {
    fn new(world: &World, dimension: &Dimension) -> Self {
        Self {
            id: dimension.id.clone(),
            folder: dimension.relative_folder(&world.folder),
            regions: dimension.regions.len() as u64,
            chunk_files: dimension.has_chunk_files(),
            bytes: dimension.regions.iter().map(|entry| entry.bytes).sum(),
            generations: Generation::JAVA
                .into_iter()
                .map(|generation| (generation.name(), 0))
                .collect(),
            ..Self::default()
        }
    }

    fn add_damaged(&mut self, region: &str, chunk: Option<[i32; 2]>, reason: &'static str) {
        if self.damaged.len() < MAX_LISTED {
            self.damaged.push(DamagedPlace {
                region: region.to_owned(),
                chunk,
                reason,
            });
        } else {
            self.damaged_not_listed += 1;
        }
    }
}

impl Survey<'_> {
    fn damage_count(&self) -> u64 {
        self.counts.damaged.len() as u64 + self.counts.damaged_not_listed
    }

    /// Counts a finished chunk.
    fn add_finished(&mut self, corner: ColumnPos) {
        self.counts.finished += 1;
        let x1 = corner.x.saturating_add(CHUNK_SIDE as i32);
        let z1 = corner.z.saturating_add(CHUNK_SIDE as i32);
        let [west, north, east, south] = self.counts.extent.unwrap_or([corner.x, corner.z, x1, z1]);
        self.counts.extent = Some([
            west.min(corner.x),
            north.min(corner.z),
            east.max(x1),
            south.max(z1),
        ]);
    }

    fn dimension(&mut self, dimension: &Dimension, progress: &Progress) -> Result<(), WorldError> {
        if let Some(unreadable) = UnreadableDimension::from_dimension(dimension) {
            self.counts
                .add_damaged(&unreadable.folder_name(), None, "unreadable");
        }

        for entry in &dimension.regions {
            let chunks_before = self.counts.chunks;
            let damage_before = self.damage_count();

            match dimension.open(*entry)? {
                Some(mut file) => {
                    self.region(&mut file, entry).map_err(|error| {
                        WorldError::Unreadable(dimension.store.path(*entry), error)
                    })?;
                }
                None => self
                    .counts
                    .add_damaged(&entry.file_name(None), None, "unreadable"),
            }

            let chunks = self.counts.chunks - chunks_before;
            progress.count_region(entry.bytes, chunks, self.damage_count() - damage_before);
        }

        Ok(())
    }

    /// Fails only with errors that may pass.
    fn region(&mut self, file: &mut Region, entry: &RegionEntry) -> io::Result<()> {
        file.will_read(Slot::all());

        for slot in Slot::all() {
            let outs = std::iter::once(&mut *self.columns);
            let (result, stored) = self.reader.columns(file, slot, ChunkFilter::ALL, outs);
            if matches!(result, SlotContent::Nothing) {
                continue;
            }

            self.counts.chunks += 1;

            if let Some(compression) = stored.compression_name() {
                *self.counts.compression.entry(compression).or_default() += 1;
            }

            let chunk = entry.region.chunk(slot);
            if !matches!(result, SlotContent::Bad(_)) {
                (self.seen)(SeenChunk {
                    dimension: &self.counts.id,
                    position: chunk,
                    hash: stored.hash,
                    saved: file.saved(slot),
                });
            }

            match result {
                SlotContent::Nothing => {}
                SlotContent::Bad(reason) => {
                    if let Some(error) = reason.retryable_error() {
                        return Err(error);
                    }
                    self.counts.add_damaged(
                        &entry.file_name(Some(slot)),
                        Some([chunk.x, chunk.z]),
                        reason.word(),
                    );
                }
                SlotContent::Unfinished(meta) => {
                    self.counts.unfinished += 1;
                    self.add_meta(meta);
                }
                SlotContent::Unvisited(meta) | SlotContent::Empty(meta) => {
                    self.add_finished(chunk.corner());
                    self.add_meta(meta);
                }
                SlotContent::Drawn(DrawnChunk { meta, .. }) => {
                    self.add_finished(chunk.corner());
                    self.add_meta(meta);
                    let name_cache = &mut self.reader.name_cache;

                    // The dimensions of a survey are counted apart, so their numbers do not matter.
                    // A survey lists no states.
                    count_unknown(
                        &self.columns,
                        name_cache,
                        &mut self.chunk_findings,
                        chunk.corner(),
                        0,
                        |_| (),
                    );
                }
            }
        }

        Ok(())
    }

    fn add_meta(&mut self, meta: Meta) {
        let version = meta
            .data_version
            .map_or_else(|| "none".to_owned(), |version| version.to_string());
        let versions = &mut self.counts.data_versions;
        if versions.len() < MAX_LISTED || versions.contains_key(&version) {
            *versions.entry(version).or_default() += 1;
        } else {
            self.counts.data_versions_not_listed += 1;
        }

        *self
            .counts
            .generations
            .entry(meta.generation.name())
            .or_default() += 1;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
const fn is_false(is: &bool) -> bool {
    !*is
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_as_dates() {
        let text = |seconds: i64| last_played(seconds * 1000 + 999);
        assert_eq!(text(1_700_000_000).as_deref(), Some("2023-11-14T22:13:20Z"));
        assert_eq!(text(951_782_399).as_deref(), Some("2000-02-28T23:59:59Z"));
        assert_eq!(text(951_868_799).as_deref(), Some("2000-02-29T23:59:59Z"));
        assert_eq!(
            text(253_402_300_799).as_deref(),
            Some("9999-12-31T23:59:59Z")
        );
        assert_eq!(
            [last_played(i64::MIN), last_played(0), last_played(i64::MAX)],
            [None, None, None]
        );
    }
}
