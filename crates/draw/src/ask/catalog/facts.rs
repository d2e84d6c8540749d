//! Reads a world for its entry in a catalog.

use super::sketch::ChunkSketch;
use super::world_entry::{CatalogDimension, WorldEntry};
use crate::ask::info::{SeenChunk, survey};
use crate::report::progress::Progress;
use crate::request::error::RenderError;
use pixelmap_base::time::utc;
use pixelmap_paint::layers::game_version;
use pixelmap_world::internal::World;

/// Reads every chunk of a world. Returns its entry, without a path, and a sample of its chunks.
///
/// # Errors
/// Fails if a part of the world cannot be read now, but perhaps later.
pub fn describe(
    world: &World,
    progress: &Progress,
) -> Result<(WorldEntry, ChunkSketch), RenderError> {
    let mut sketch = ChunkSketch::default();
    let mut saved: Option<(u32, u32)> = None;
    let mut seen = |chunk: SeenChunk<'_>| {
        sketch.add(chunk.dimension, chunk.position, chunk.hash);
        if let Some(time) = chunk.saved {
            let (first, last) = saved.unwrap_or((time, time));
            saved = Some((first.min(time), last.max(time)));
        }
    };
    let info = survey(world, progress, &mut seen)?;

    let mut versions: Vec<i32> = info
        .dimensions
        .iter()
        .flat_map(|dimension| dimension.data_versions.keys())
        .filter_map(|version| version.parse().ok())
        .collect();
    versions.sort_unstable();
    let named =
        |version: Option<&i32>| version.map(|&version| game_version(Some(version)).to_owned());

    let damaged = info
        .dimensions
        .iter()
        .map(|dimension| dimension.damaged.len() as u64 + dimension.damaged_not_listed);

    let entry = WorldEntry {
        edition: Some(info.edition.unwrap_or("java").to_owned()),
        game_version: info.game_version,
        oldest_version: named(versions.first()),
        newest_version: named(versions.last()),
        chunks: info
            .dimensions
            .iter()
            .map(|dimension| dimension.chunks)
            .sum(),
        damaged: damaged.sum(),
        first_saved: saved.and_then(|(first, _)| utc(i64::from(first) * 1000)),
        last_saved: saved.and_then(|(_, last)| utc(i64::from(last) * 1000)),
        last_played: info.last_played,
        players: world.players(&mut Vec::new()).len() as u64,
        name: info.name,
        dimensions: info
            .dimensions
            .into_iter()
            .map(|dimension| CatalogDimension {
                id: dimension.id,
                chunks: dimension.chunks,
            })
            .collect(),
        ..WorldEntry::default()
    };
    Ok((entry, sketch))
}
