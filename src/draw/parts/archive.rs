//! Merges parts straight into an archive of one layer: the tiles of the parts are copied into it from where they lie,
//! and only the outer ones that show something of several parts lie in a scratch folder on the way.

use std::path::PathBuf;
use std::time::Instant;

use crate::draw::account::{Published, report};
use crate::draw::exported::scratch::ScratchMap;
use crate::draw::exported::{Exported, digest_of, put_archive};
use crate::draw::parts::adopt::{adopt, regions_of};
use crate::draw::parts::error::MergeError;
use crate::draw::parts::file::{Same, SameMap};
use crate::draw::parts::found::Parts;
use crate::draw::parts::merging::{MergeSettings, Merging};
use crate::draw::parts::take::draw;
use crate::draw::progress::Progress;
use crate::draw::report::Failure;
use crate::export::{FileTarget, Workers};
use crate::paint::layers::Layer;
use crate::schedule::Stop;
use crate::store::{Output, PartialFile};
use crate::world::canonical_id;

/// The layer of a dimension that an archive holds; of what is not named the first that the parts have.
#[derive(Debug, Clone, Copy)]
pub struct ArchiveLayer<'a> {
    /// The dimension as the user named it.
    pub dimension: Option<&'a str>,
    /// The layer.
    pub layer: Option<Layer>,
}

/// Merges parts into an archive. Returns it as a render does, and the shards that are missing.
///
/// # Errors
/// Nothing is written: parts are missing or do not belong together, or the file cannot be made.
pub fn merge_archive(
    asked: &MergeSettings,
    of: ArchiveLayer<'_>,
    progress: &Progress,
    stop: &Stop,
) -> Result<(Exported, Vec<u32>), MergeError> {
    let start = Instant::now();
    let parts = Parts::find(&asked.parts, asked.allow_missing)?;
    let (world, identity) = parts.same.world();
    let (number, same) = choose(&parts.same, of)?;
    let mut map = Merging::of(&parts.same, &same, (&world, &identity), asked)?;
    let mut folders: Vec<PathBuf> = parts.all.iter().map(|part| part.place.root.clone()).collect();
    folders.dedup();
    let file = PartialFile::create(&asked.output, &[])?;
    let scratch = file.scratch()?;
    let output = Output::scratch_over(scratch.path(), parts.same.naming(), folders.clone());
    for regions in regions_of(&output, std::slice::from_ref(&map), &parts)? {
        map.set_regions(regions);
    }
    adopt(&output, std::slice::from_ref(&map), &parts, true, stop)?;
    let drawn = draw(&map, &output, !parts.missing.is_empty(), progress, stop)?;
    let is_whole = drawn.is_whole();
    let mut merged = ScratchMap::of(&world, drawn, (scratch.path(), folders));
    let mut published = Published { empty: merged.is_empty(), ..Published::default() };
    if is_whole {
        let workers = Workers { threads: map.prepared.threads, is_stopped: &|| stop.requested() };
        let target = FileTarget { path: &asked.output, file, scratch: Some(scratch) };
        let done = put_archive(target, &workers, &mut merged, &mut published);
        merged.drawn.failure = done.err().map(|error| Failure::from(&error));
    }
    merged.drawn.start = start;
    let digest = digest_of(&merged, &published);
    let Merging { settings, prepared, .. } = &map;
    let mut report = report(&world, &prepared.plan, settings, parts.same.naming(), merged.drawn, published);
    parts.complete(number, prepared.plan.dimensions.first().map(|dimension| dimension.id.as_str()), &mut report);
    report.options.layers = settings.layers.iter().map(|layer| layer.name().to_owned()).collect();
    Ok((Exported { report, regions: None, digest }, parts.missing))
}

/// The map that has what is asked for, by its number, and that layer of it alone.
fn choose(same: &Same, of: ArchiveLayer<'_>) -> Result<(usize, SameMap), MergeError> {
    let dimension = of.dimension.map(canonical_id);
    let is_asked = |dimension_id: &str, layer: &str| {
        dimension.as_ref().is_none_or(|id| id == dimension_id) && of.layer.is_none_or(|asked| asked.name() == layer)
    };
    for (number, map) in same.maps.iter().enumerate() {
        for (at, dimension) in map.dimensions.iter().enumerate() {
            // Details are no pictures.
            let mut layers = map.layers.iter().enumerate().filter(|(_, layer)| *layer != Layer::DETAILS.name());
            let found = layers.find(|(_, layer)| is_asked(&dimension.id, layer));
            if let Some(only) = found.and_then(|(layer, _)| map.only(at, layer)) {
                return Ok((number, only));
            }
        }
    }
    let have = |map: &SameMap| {
        let ids: Vec<&str> = map.dimensions.iter().map(|dimension| dimension.id.as_str()).collect();
        format!("{} of {}", map.layers.join(", "), ids.join(", "))
    };
    Err(MergeError::NoLayer(same.maps.iter().map(have).collect::<Vec<_>>().join("; ")))
}
