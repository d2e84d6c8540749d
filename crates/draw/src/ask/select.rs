//! Selects chunks by the time that players spent in them and by their distance to markers and
//! areas, for programs that delete or copy chunks. It only reads the world.

use std::fmt::Write as _;
use std::io;

use serde_json::{Value, json};

use crate::ask::chunk_reader::reader;
use crate::ask::shapes::DimensionShape;
use crate::painter::chunk::ChunkReader;
use pixelmap_base::coord::{Area, CHUNK_SIDE, ColumnPos, REGION_CHUNKS, RegionPos, Slot, SlotSet};
use pixelmap_base::json;
use pixelmap_paint::surface::TICKS_A_SECOND;
use pixelmap_world::internal::{ContraptionMod, Dimension, Region, World, WorldError};

/// The chunks that are selected.
#[derive(Debug, Clone, Default)]
pub struct ChunkRules {
    /// Players were in the chunk for less than this time, in seconds.
    pub below: Option<u64>,
    /// Players were in the chunk for at least this time, in seconds.
    pub above: Option<u64>,
    /// The chunk is near one of these. Without any, its place does not matter.
    pub near: Option<Vec<DimensionShape>>,
    /// The chunk is not near any of these.
    pub keep: Vec<DimensionShape>,
    /// The distance that counts as near, in blocks.
    pub distance: f64,
}

impl ChunkRules {
    fn needs_time(&self) -> bool {
        self.below.is_some() || self.above.is_some()
    }

    /// Returns whether the time in a chunk is in the range, in ticks.
    fn allows_time(&self, ticks: u64) -> bool {
        let below = self.below.map(|limit| limit.saturating_mul(TICKS_A_SECOND));
        let above = self.above.map(|limit| limit.saturating_mul(TICKS_A_SECOND));
        below.is_none_or(|below| ticks < below) && above.is_none_or(|above| ticks >= above)
    }
}

/// The selected chunks of a dimension.
#[derive(Debug, Default)]
pub struct SelectedChunks {
    dimension: String,
    /// Sorted. No region is without a selected chunk.
    regions: Vec<(RegionPos, SlotSet)>,
    pub selected: u64,
    pub chunks: u64,
    /// The mods of the world that store contraptions, such as ships, in far chunks.
    pub mods: Vec<&'static ContraptionMod>,
    /// Chunks in the areas of these mods. They are never selected.
    pub with_contraptions: u64,
    /// Chunks that do not store the time of players. They are never selected by it.
    pub without_time: u64,
    /// Chunks and files that cannot be read. They are never selected.
    pub unread: u64,
}

/// The result of asking about one chunk.
enum ChunkTime {
    /// Ticks of a twentieth of a second.
    Known(u64),
    Unknown,
    Unreadable,
}

/// Selects the chunks of a dimension that fulfil all rules.
///
/// # Errors
/// Fails if a region file cannot be read now, but perhaps later, or if the folder in which mods
/// have their files cannot be listed.
pub fn select(
    world: &World,
    dimension: &Dimension,
    rules: &ChunkRules,
) -> Result<SelectedChunks, WorldError> {
    let mut reader = reader(world);
    let mut found = SelectedChunks {
        dimension: dimension.id.clone(),
        mods: world.contraption_mods()?,
        ..SelectedChunks::default()
    };

    for entry in &dimension.regions {
        let Some(mut file) = dimension.open(*entry)? else {
            found.unread += 1;
            continue;
        };

        let slots = found
            .region(&mut reader, &mut file, rules, &dimension.id)
            .map_err(|error| WorldError::Unreadable(dimension.store.path(*entry), error))?;
        if !slots.is_empty() {
            found.regions.push((entry.region, slots));
        }
    }

    found
        .regions
        .sort_unstable_by_key(|(region, _)| (region.z, region.x));

    Ok(found)
}

impl SelectedChunks {
    /// Returns the selected chunks of a region. Fails only with errors that may pass.
    fn region(
        &mut self,
        reader: &mut ChunkReader,
        file: &mut Region,
        rules: &ChunkRules,
        dimension: &str,
    ) -> io::Result<SlotSet> {
        let pos = file.pos();
        let distance = rules.distance;

        let keep = shapes_near(&rules.keep, dimension, pos.area(), distance);
        let near = rules
            .near
            .as_ref()
            .map(|shapes| shapes_near(shapes, dimension, pos.area(), distance));

        let mut slots = SlotSet::NONE;
        for slot in file.stored().collect::<Vec<Slot>>() {
            self.chunks += 1;
            let corner = pos.chunk(slot).corner();
            if self.is_for_contraptions(corner) {
                self.with_contraptions += 1;
                continue;
            }

            let area = chunk_area(corner);
            let is_kept = is_near_any(&keep, area, distance);
            let is_far = near
                .as_ref()
                .is_some_and(|near| !is_near_any(near, area, distance));
            if is_kept || is_far {
                continue;
            }

            let is_selected = match chunk_time(reader, file, slot)? {
                ChunkTime::Unreadable => {
                    self.unread += 1;
                    false
                }
                ChunkTime::Known(ticks) => rules.allows_time(ticks),
                ChunkTime::Unknown => {
                    self.without_time += u64::from(rules.needs_time());
                    !rules.needs_time()
                }
            };

            if is_selected {
                self.selected += 1;
                slots.insert(slot);
            }
        }

        Ok(slots)
    }

    fn is_for_contraptions(&self, corner: ColumnPos) -> bool {
        let mut areas = self.mods.iter().flat_map(|known| known.areas);
        areas.any(|area| area.contains(corner))
    }

    /// Returns the selection as a file of MCA Selector: `region x;region z;chunk x;chunk z` for
    /// each chunk, or only `region x;region z` if all chunks of a region are selected. This is the
    /// form that its class `Selection` reads.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for (RegionPos { x, z }, slots) in &self.regions {
            // Writing to a `String` never fails.
            if slots.is_full() {
                let _ = writeln!(text, "{x};{z}");
                continue;
            }

            for slot in slots.slots() {
                let chunk = RegionPos { x: *x, z: *z }.chunk(slot);
                let _ = writeln!(text, "{x};{z};{};{}", chunk.x, chunk.z);
            }
        }

        text
    }

    /// Returns the selection as areas in `GeoJSON`, which the page of a map shows among the owner's
    /// markers: one feature for each region.
    pub fn preview(&self) -> String {
        let mut features = Vec::new();
        for (region, slots) in &self.regions {
            let rings: Vec<_> = rectangles(slots)
                .into_iter()
                .map(|rectangle| polygon(*region, rectangle))
                .collect();

            let count = slots.slots().count();
            let name = if count == 1 {
                "1 selected chunk".to_owned()
            } else {
                format!("{count} selected chunks")
            };

            features.push(json!({
                "type": "Feature",
                "geometry": {"type": "MultiPolygon", "coordinates": rings},
                "properties": {"name": name, "color": "#e5484d", "fill-opacity": 0.35, "stroke-width": 1},
            }));
        }

        let file =
            json!({"type": "FeatureCollection", "dimension": self.dimension, "features": features});
        json::text(&file).unwrap_or_default() + "\n"
    }
}

/// Returns the shapes of a dimension that are near a region. Most shapes are far from it.
fn shapes_near(
    shapes: &[DimensionShape],
    dimension: &str,
    region: Area,
    distance: f64,
) -> Vec<DimensionShape> {
    shapes
        .iter()
        .filter(|shape| shape.dimension == dimension && shape.is_near(region, distance))
        .cloned()
        .collect()
}

fn is_near_any(shapes: &[DimensionShape], area: Area, distance: f64) -> bool {
    shapes.iter().any(|shape| shape.is_near(area, distance))
}

/// Returns the coordinates of a rectangle of chunks in a region as a polygon of `GeoJSON`.
fn polygon(region: RegionPos, rectangle: [usize; 4]) -> Value {
    let ColumnPos { x, z } = region.chunk(Slot::at(0, 0)).corner();
    let [x0, z0, x1, z1] = rectangle.map(|chunks| (chunks * CHUNK_SIDE) as i32);
    let (west, north, east, south) = (x + x0, z + z0, x + x1, z + z1);

    json!([[
        [west, north],
        [east, north],
        [east, south],
        [west, south],
        [west, north]
    ]])
}

fn chunk_area(ColumnPos { x, z }: ColumnPos) -> Area {
    let side = CHUNK_SIDE as i32;
    Area {
        x0: x,
        z0: z,
        x1: x.saturating_add(side),
        z1: z.saturating_add(side),
    }
}

/// Fails only with errors that may pass.
fn chunk_time(reader: &mut ChunkReader, file: &mut Region, slot: Slot) -> io::Result<ChunkTime> {
    reader.read(file, slot, |chunk, _| match chunk {
        None => Ok(ChunkTime::Unreadable),
        Some(Err(reason)) => reason
            .retryable_error()
            .map_or(Ok(ChunkTime::Unreadable), Err),
        Some(Ok(chunk)) => Ok(chunk
            .meta()
            .inhabited_ticks
            .map_or(ChunkTime::Unknown, ChunkTime::Known)),
    })
}

/// Divides a set of slots into rectangles: west, north, east and south, in chunks.
fn rectangles(slots: &SlotSet) -> Vec<[usize; 4]> {
    let mut open: Vec<[usize; 4]> = Vec::new();
    let mut done = Vec::new();
    for z in 0..=REGION_CHUNKS {
        let mut runs = Vec::new();
        let mut x = 0;
        while z < REGION_CHUNKS && x < REGION_CHUNKS {
            let end = (x..REGION_CHUNKS)
                .find(|&x| !slots.has(Slot::at(x, z)))
                .unwrap_or(REGION_CHUNKS);
            if end > x {
                runs.push((x, end));
            }
            x = end + 1;
        }

        // A rectangle goes on while the same run is in the next row.
        let (on, ended): (Vec<_>, Vec<_>) = open
            .into_iter()
            .partition(|[x0, _, x1, _]| runs.contains(&(*x0, *x1)));
        done.extend(ended);
        runs.retain(|(x0, x1)| {
            !on.iter()
                .any(|[left, _, right, _]| (left, right) == (x0, x1))
        });

        open = on
            .into_iter()
            .map(|[x0, z0, x1, _]| [x0, z0, x1, z + 1])
            .collect();
        open.extend(runs.into_iter().map(|(x0, x1)| [x0, z, x1, z + 1]));
    }

    done.sort_unstable_by_key(|[x0, z0, ..]| (*z0, *x0));
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_cover_exactly_the_selected_chunks() {
        let mut slots = SlotSet::NONE;
        for (x, z) in [
            (0, 0),
            (1, 0),
            (0, 1),
            (1, 1),
            (1, 2),
            (31, 31),
            (5, 31),
            (6, 31),
        ] {
            slots.insert(Slot::at(x, z));
        }

        assert_eq!(
            rectangles(&slots),
            [[0, 0, 2, 2], [1, 2, 2, 3], [5, 31, 7, 32], [31, 31, 32, 32]]
        );
        assert_eq!(rectangles(&SlotSet::ALL), [[0, 0, 32, 32]]);
        assert_eq!(rectangles(&SlotSet::NONE), [[0; 4]; 0]);
    }
}
