//! The markers of a chunk, from all the readers that the selection needs.

use crate::markers::bounds::{ChunkMarkers, MAX_OF_CHUNK};
use crate::markers::kind::MarkerKind;
use crate::markers::selection::MarkerSelection;
use crate::markers::{containers, frames, poi, signs, spawners, structures};
use pixelmap_base::coord::ChunkPos;
use pixelmap_world::chunk::Chunk;

/// Returns the markers of the chunk at `position`. Damaged parts of the chunk are skipped.
pub fn chunk_markers(
    chunk: &Chunk<'_>,
    position: ChunkPos,
    wanted: &MarkerSelection,
) -> ChunkMarkers {
    let mut markers = ChunkMarkers::default();
    if wanted.has(MarkerKind::Structures) {
        if let Some(mut reader) = chunk.structures() {
            // An error is ignored, because the structures before the damage are kept.
            let _ = structures::read(&mut reader, position, &mut markers);
        }

        markers.begin(MAX_OF_CHUNK);
        for part in spawners::parts(chunk.spawner_boxes(), position) {
            markers.push(part);
        }
    }

    if wanted.has(MarkerKind::Beds) {
        markers.begin(MAX_OF_CHUNK);
        for bed in poi::beds(chunk.beds(), position) {
            markers.push(bed);
        }
    }

    if let (Some(entities), Some(signs)) = (chunk.block_entities(), &wanted.signs) {
        let _ = signs::read(
            entities,
            position,
            chunk.meta().data_version,
            signs,
            &mut markers,
        );
    }

    if wanted.has(MarkerKind::Containers) {
        let _ = containers::read(chunk, position, &mut markers);
    }

    if wanted.has(MarkerKind::Maps) {
        // In Bedrock Edition, frames are block entities.
        for entities in [chunk.entities(), chunk.block_entities()]
            .into_iter()
            .flatten()
        {
            let _ = frames::read(entities, position, &mut markers);
        }
    }

    markers
}
