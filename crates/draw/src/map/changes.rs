//! Finds the chunks of a region that look different than on the published map, for layer `changed`.

use std::collections::BTreeMap;

use crate::map::legend::names_on;
use crate::map::region_map::Map;
use crate::painter::gaps::{ChunkGap, fill_gaps};
use crate::painter::shared::PaintWorker;
use crate::report::ShownNames;
use crate::request::hide::HiddenNearby;
use crate::request::layers::MapLayer;
use crate::request::settings::MomentSettings;
use crate::request::shown_layer::ShownLayer;
use crate::run_state::Interruption;
use pixelmap_base::coord::{CHUNK_SIDE, REGION_CHUNKS, RegionPos, Slot, TILE_SIDE};
use pixelmap_base::time::utc;
use pixelmap_paint::layers::Layer;
use pixelmap_tile::{Canvas, Pixel};
use pixelmap_world::internal::World;

/// Returns the name of the moment that a run draws: the minute in which the world was last played.
/// A world that is followed is being played, so the run itself has the time. `began` is its start
/// in nanoseconds since 1970.
pub(super) fn moment_name(world: &World, settings: &MomentSettings, began: i64) -> String {
    let seconds = if settings.follows {
        began.div_euclid(1_000_000_000)
    } else {
        let last_played = world.level.last_played;
        let played = last_played.map(|millis| millis.div_euclid(1000));
        settings.time.or(played).unwrap_or_default()
    };

    let text = utc(seconds.saturating_mul(1000)).unwrap_or_default();
    text.chars()
        .take("2026-05-01T12:00".len())
        .map(|letter| if letter == 'T' { ' ' } else { letter })
        .collect()
}

impl Map<'_> {
    /// Colours the drawn chunks on the canvas of a layer that compares runs: a chunk that looks the
    /// same as on the published map keeps its colour, and any other chunk gets the colour of this
    /// moment. Returns the moments on the canvas. Must be called before another layer of the region
    /// is published.
    pub(super) fn mark_changes(
        &self,
        worker: &mut PaintWorker<'_>,
        map_layer: MapLayer,
        region: RegionPos,
        gaps: &[ChunkGap],
    ) -> Result<ShownNames, Interruption> {
        let map_layers = &self.painter.map_layers;
        let layer = map_layers.layer(map_layer);
        let now = layer.colour_of_name(&self.moment).unwrap_or(Pixel::CLEAR);
        let past = self.tiles.read_preserved(map_layer, region)?;

        let other = map_layers
            .in_dimension(map_layer.dimension)
            .find(|&other| is_comparable(map_layers.layer(other)));

        let before = other
            .map(|other| self.tiles.read_preserved(other, region))
            .transpose()?;
        let before = before.and_then(|before| before.pixels);
        let reached: BTreeMap<Slot, HiddenNearby> = self
            .painter
            .plan
            .hidden
            .reached_slots(region)
            .into_iter()
            .collect();
        let mut canvas = std::mem::take(&mut worker.canvases[map_layer.layer]);
        for (x, z) in (0..REGION_CHUNKS).flat_map(|z| (0..REGION_CHUNKS).map(move |x| (x, z))) {
            let is_same = match (other, &before) {
                (Some(other), Some(before)) => {
                    let now = &worker.canvases[other.layer];
                    is_same(now, before, x, z, reached.get(&Slot::at(x, z)))
                }
                // With other options all chunks look different, although none has changed.
                _ => true,
            };

            let known = match &past.pixels {
                Some(past) if is_same => pixels_of(past, x, z)
                    .flatten()
                    .copied()
                    .find(|pixel| *pixel != Pixel::CLEAR),
                _ => None,
            };

            for row in canvas.band_mut(z).chunks_exact_mut(TILE_SIDE) {
                for pixel in row[x * CHUNK_SIDE..][..CHUNK_SIDE]
                    .iter_mut()
                    .filter(|pixel| **pixel != Pixel::CLEAR)
                {
                    *pixel = known.unwrap_or(now);
                }
            }
        }

        if let Some(pixels) = &past.pixels {
            fill_gaps(&mut canvas, pixels, region.tile(), gaps);
        }

        let names = names_on(
            &canvas,
            layer,
            std::slice::from_ref(&self.moment),
            &past.names,
        );
        worker.canvases[map_layer.layer] = canvas;

        Ok(names)
    }
}

/// Returns whether the pixels of a layer show that a chunk changed.
fn is_comparable(layer: &ShownLayer) -> bool {
    !layer.compares_runs()
        && !layer.is_overlay()
        && layer.painted().is_some_and(Layer::shows_colours)
}

/// Returns the rows of pixels of a chunk.
fn pixels_of(canvas: &Canvas, x: usize, z: usize) -> impl Iterator<Item = &[Pixel]> {
    let rows = canvas
        .pixels()
        .chunks_exact(TILE_SIDE)
        .skip(z * CHUNK_SIDE)
        .take(CHUNK_SIDE);
    rows.map(move |row| &row[x * CHUNK_SIDE..][..CHUNK_SIDE])
}

/// Returns whether both canvases have the same pixels in a chunk. Columns whose pixels may depend on
/// hidden blocks are not compared, because otherwise the run that hides a place would mark all
/// chunks around it.
fn is_same(
    one: &Canvas,
    other: &Canvas,
    x: usize,
    z: usize,
    nearby: Option<&HiddenNearby>,
) -> bool {
    let mut rows = pixels_of(one, x, z).zip(pixels_of(other, x, z)).enumerate();
    rows.all(|(dz, (one, other))| match nearby {
        None => one == other,
        Some(nearby) => (0..CHUNK_SIDE).all(|dx| nearby.reaches(dx, dz) || one[dx] == other[dx]),
    })
}
