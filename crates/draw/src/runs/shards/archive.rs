//! Merges parts directly into an archive of one layer. Tiles of the parts are copied from their
//! folders. Only the outer tiles that show several parts are made in a scratch folder first.

use std::path::PathBuf;

use crate::publish::account::publish_whole;
use crate::report::progress::Progress;
use crate::runs::scratch::ExportedMap;
use crate::runs::scratch::scratch_map::ScratchMap;
use crate::runs::shards::adopt::{adopt, find_regions};
use crate::runs::shards::error::MergeError;
use crate::runs::shards::file::{MapAgreement, PartAgreement};
use crate::runs::shards::merge_plan::{MergeMap, MergePlan, MergeSettings};
use crate::runs::shards::part_list::Parts;
use crate::runs::shards::part_tiles::draw;
use crate::schedule::Stop;
use pixelmap_map::export::{FileTarget, Pieces, Workers};
use pixelmap_map::store::Output;
use pixelmap_paint::layers::Layer;
use pixelmap_world::internal::canonical_id;

/// The dimension and layer that an archive contains. If one of them is `None`, the first one in the
/// parts is used.
#[derive(Debug, Clone, Copy)]
pub struct ArchiveLayer<'a> {
    /// The dimension as the user named it.
    pub dimension: Option<&'a str>,
    pub layer: Option<Layer>,
}

/// Merges parts into an archive. Returns the same as a render does, and the missing shards.
///
/// # Errors
/// Fails if parts are missing or do not belong together, or if the file cannot be written. Nothing
/// is written then.
pub fn merge_archive(
    settings: &MergeSettings,
    wanted: ArchiveLayer<'_>,
    progress: &Progress,
    stop: &Stop,
) -> Result<(ExportedMap, Vec<u32>), MergeError> {
    let parts = Parts::find(&settings.parts, settings.allow_missing)?;
    let agreement = &parts.agreement;
    let (number, map) = choose(agreement, wanted)?;
    let map = MergeMap::new(agreement, number, map, true)?;

    let mut folders: Vec<PathBuf> = parts
        .all
        .iter()
        .map(|part| part.found.root().to_owned())
        .collect();
    folders.dedup();

    let target = FileTarget::create_with_scratch(&settings.output)?;
    let output = Output::scratch_over(target.map_folder(), agreement.naming(), &folders)?;
    let maps = std::slice::from_ref(&map);
    let regions: Vec<_> = find_regions(&output, maps, &parts)?
        .into_iter()
        .flatten()
        .collect();
    let plan = MergePlan::new(&map, &regions, settings);
    adopt(&output, maps, &parts, true, stop)?;

    let drawn = draw(&plan, &parts, &output, progress, stop)?;
    let merged = ScratchMap::new(&agreement.world_label(None), drawn, &output);
    let pieces = Pieces::default();
    let workers = Workers {
        threads: plan.threads,
        pieces: &pieces,
        is_stopped: &|| stop.is_requested(),
    };

    let published = publish_whole(&[&merged.account], None, || {
        Ok(vec![merged.put_archive(target, &workers)?])
    });
    let exported = merged.end(published, None, None);

    Ok((exported, parts.missing))
}

/// Finds the first map that has the wanted layer. Returns its number, and its agreement limited to
/// that layer.
fn choose(
    parts: &PartAgreement,
    wanted: ArchiveLayer<'_>,
) -> Result<(usize, MapAgreement), MergeError> {
    let wanted_dimension = wanted.dimension.map(canonical_id);

    for (number, map) in parts.maps.iter().enumerate() {
        // Details are not pictures.
        let layer = map.layers.iter().position(|layer| {
            layer != Layer::DETAILS.name() && wanted.layer.is_none_or(|it| it.name() == layer)
        });
        let dimension = map.dimensions.iter().position(|dimension| {
            wanted_dimension
                .as_ref()
                .is_none_or(|id| *id == dimension.id)
        });

        if let Some(layer) = layer
            && let Some(dimension) = dimension
            && let Some(only) = map.single_layer(dimension, layer)
        {
            return Ok((number, only));
        }
    }

    let mut choices = Vec::new();
    for map in &parts.maps {
        let dimensions: Vec<&str> = map
            .dimensions
            .iter()
            .map(|dimension| dimension.id.as_str())
            .collect();
        choices.push(format!(
            "{} of {}",
            map.layers.join(", "),
            dimensions.join(", ")
        ));
    }

    Err(MergeError::NoLayer(choices.join("; ")))
}
