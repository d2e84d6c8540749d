//! Fills the frame of a region with the borders of its eight neighbours. They always come from the
//! world and never from drawn tiles, so that the result does not depend on the tiles that happen to
//! exist.

use crate::painter::chunk::{DrawnChunk, Reason, SlotContent};
use crate::painter::chunk_source::ChunkSource;
use crate::painter::chunk_use::ChunkUse;
use crate::painter::shared::{PaintWorker, Painter, PlannedRegion};
use crate::report::{Damage, RegionDamage, Tally};
use crate::run_state::Interruption;
use pixelmap_base::coord::Slot;
use pixelmap_base::retry::retryable;
use pixelmap_paint::surface::{Border, CachedChunk, Columns, RegionEdges, RegionFrame};
use pixelmap_world::internal::{ChunkHash, Region, UNOPENED};

/// The offset of a neighbour, and the part of it that is used.
pub(crate) struct Neighbour {
    pub(crate) dx: i32,
    pub(crate) dz: i32,
    pub(crate) part: FramePart,
}

#[derive(Clone, Copy)]
pub(crate) enum FramePart {
    /// The number of a side of the frame, and the border of the neighbour that touches it.
    Side(usize, Border),
    /// Whether the corner is to the east and to the south, and the one slot that touches it.
    Corner(bool, bool, Slot),
}

impl FramePart {
    pub(crate) fn slots(self) -> Box<dyn Iterator<Item = Slot>> {
        match self {
            Self::Side(_, border) => Box::new(border.slots()),
            Self::Corner(_, _, slot) => Box::new(std::iter::once(slot)),
        }
    }
}

const fn neighbour(dx: i32, dz: i32, part: FramePart) -> Neighbour {
    Neighbour { dx, dz, part }
}

pub(crate) const NEIGHBOURS: [Neighbour; 8] = [
    neighbour(-1, -1, FramePart::Corner(false, false, Slot::at(31, 31))),
    neighbour(0, -1, FramePart::Side(0, Border::South)),
    neighbour(1, -1, FramePart::Corner(true, false, Slot::at(0, 31))),
    neighbour(-1, 0, FramePart::Side(2, Border::East)),
    neighbour(1, 0, FramePart::Side(3, Border::West)),
    neighbour(-1, 1, FramePart::Corner(false, true, Slot::at(31, 0))),
    neighbour(0, 1, FramePart::Side(1, Border::North)),
    neighbour(1, 1, FramePart::Corner(true, true, Slot::at(0, 0))),
];

/// The part of a neighbour that touches a region.
pub(super) struct BorderPart<'p> {
    pub(super) neighbour: PlannedRegion<'p>,
    part: FramePart,
    /// The cached border of the neighbour, one per view.
    edges: Vec<RegionEdges<DrawnChunk>>,
}

impl Painter<'_> {
    /// Fills the frames of the worker's scenes with the surroundings of a region.
    pub(crate) fn fill_frames(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
    ) -> Result<(), Interruption> {
        for view in &mut worker.views {
            view.scene.frame.clear();
        }

        for &Neighbour { dx, dz, part } in &NEIGHBOURS {
            let neighbour = self.neighbour(region, dx, dz);
            if neighbour.entry.is_some() {
                let border = BorderPart {
                    edges: self.edges(&neighbour).collect(),
                    neighbour,
                    part,
                };

                let missing = copy_cached(worker, &border);
                if missing.is_empty() {
                    continue;
                }

                if border.neighbour.is_sequential() {
                    self.pass_border(worker, region, &border)?;
                } else {
                    self.read_missing(worker, border, &missing)?;
                }
            }
        }

        Ok(())
    }

    /// Returns the cached border of a region, one per view.
    pub(super) fn edges(
        &self,
        region: &PlannedRegion<'_>,
    ) -> impl Iterator<Item = RegionEdges<DrawnChunk>> {
        let views = self.map_layers.views(region.dimension).len();
        let caches = self.edges.iter().take(views);
        caches.map(|cache| cache.border(region.dimension, region.pos))
    }

    /// Reads border chunks of a neighbour before the neighbour's own job does, and caches them for
    /// that job.
    fn read_missing(
        &self,
        worker: &mut PaintWorker<'_>,
        border: BorderPart<'_>,
        missing: &[Slot],
    ) -> Result<(), Interruption> {
        let Some(file) = open_neighbour(worker, &border, missing)? else {
            return Ok(());
        };

        let BorderPart {
            neighbour,
            part,
            edges,
        } = border;

        let PaintWorker {
            views,
            reader,
            tally,
            ..
        } = worker;

        for edges in &edges {
            edges.lock().note_empty(|slot| !file.has(slot));
        }

        let missing: Vec<Slot> = missing
            .iter()
            .copied()
            .filter(|&slot| file.has(slot))
            .collect();
        file.will_read(missing.iter().copied());

        let mut source = ChunkSource {
            run: self.run,
            file,
            filter: self.chunk_filter(neighbour.dimension),
            decoded: None,
            early: self.early,
        };

        for slot in missing {
            // Boxed like the columns in the cache.
            let mut read: Vec<Box<Columns>> = views.iter().map(|_| Box::default()).collect();
            let chunk = source.read(reader, slot, read.iter_mut().map(|columns| &mut **columns))?;
            tally.job.chunks.edge += u64::from(!matches!(chunk.content, SlotContent::Nothing));

            let mut drawn = match chunk.content {
                SlotContent::Drawn(drawn) => Some(drawn),
                SlotContent::Bad(reason) => {
                    note_bad(&mut tally.job, &neighbour, slot, &reason)?;
                    None
                }
                SlotContent::Nothing
                | SlotContent::Unfinished(_)
                | SlotContent::Unvisited(_)
                | SlotContent::Empty(_) => None,
            };

            for ((columns, edges), view) in read.into_iter().zip(&edges).zip(&mut *views) {
                copy(&mut view.scene.frame, part, slot, &columns);
                // The cache keeps the markers with the first view.
                let decoded = drawn
                    .as_mut()
                    .map(|drawn| Box::new((*columns, drawn.split())));
                edges
                    .lock()
                    .put(slot, source.file.state(), decoded.ok_or(chunk.hash));
            }
        }

        Ok(())
    }
}

/// Opens the file of a neighbour. Returns `None` if it can never be opened.
pub(super) fn open_neighbour(
    worker: &mut PaintWorker<'_>,
    border: &BorderPart<'_>,
    missing: &[Slot],
) -> Result<Option<Region>, Interruption> {
    let neighbour = &border.neighbour;
    match neighbour.open_filled() {
        Ok(file) => Ok(Some(file)),
        Err(error) if retryable(&error) => Err(Interruption::reading(
            &neighbour.path().unwrap_or_default(),
            &error,
        )),
        // A neighbour that cannot be opened is treated as missing.
        Err(error) => {
            // A chunk that only shades others is not reported.
            if missing
                .iter()
                .any(|&slot| neighbour.chunk_use(slot) == ChunkUse::Drawn)
            {
                let reason = Reason::Unopened(error);
                note_unread(&mut worker.tally.job, neighbour, None, &reason);
            }

            for view in &mut worker.views {
                for &slot in missing {
                    copy_hash(&mut view.scene.frame, border.part, slot, UNOPENED);
                }
            }

            Ok(None)
        }
    }
}

/// Copies the cached chunks of a neighbour's border into the frames, and returns the slots that are
/// not in the cache.
pub(super) fn copy_cached(worker: &mut PaintWorker<'_>, border: &BorderPart<'_>) -> Vec<Slot> {
    let BorderPart {
        neighbour,
        part,
        edges,
    } = border;
    let cached: Vec<_> = edges.iter().map(RegionEdges::lock).collect();

    // If only a part of the world is drawn, only chunks within its reach are needed.
    let mut missing = Vec::new();
    for slot in part
        .slots()
        .filter(|&slot| neighbour.chunk_use(slot) != ChunkUse::No)
    {
        if cached
            .iter()
            .any(|cached| matches!(cached.chunk(slot), CachedChunk::Missing))
        {
            missing.push(slot);
            continue;
        }

        for (cached, view) in cached.iter().zip(&mut worker.views) {
            let frame = &mut view.scene.frame;
            match cached.chunk(slot) {
                CachedChunk::Read(sides) => match *part {
                    FramePart::Side(side, border) => {
                        frame.copy_cached_side(side, border, slot, sides);
                    }
                    FramePart::Corner(east, south, _) => {
                        frame.copy_cached_corner(east, south, sides);
                    }
                },
                CachedChunk::Decoded(Ok(columns)) => copy(frame, *part, slot, columns),
                CachedChunk::Decoded(Err(hash)) => copy_hash(frame, *part, slot, hash),
                CachedChunk::Empty | CachedChunk::Missing => {}
            }
        }
    }

    missing
}

/// Counts a neighbour's chunk if the system failed to read it. Fails if a later attempt may succeed,
/// because such an error must not be mistaken for damage here either.
pub(super) fn note_bad(
    tally: &mut Tally,
    neighbour: &PlannedRegion<'_>,
    slot: Slot,
    reason: &Reason,
) -> Result<(), Interruption> {
    reason.check_lasts(&neighbour.path().unwrap_or_default())?;
    if reason.is_of_system() && neighbour.chunk_use(slot) == ChunkUse::Drawn {
        note_unread(tally, neighbour, Some(slot), reason);
    }

    Ok(())
}

/// Counts a neighbour's chunk or file that the system failed to read. The neighbour's own job
/// reports damage, but it does not read its chunks if the region is unchanged.
fn note_unread(
    tally: &mut Tally,
    neighbour: &PlannedRegion<'_>,
    slot: Option<Slot>,
    reason: &Reason,
) {
    let damage = Damage::new(slot, reason.word(), reason.to_string());
    tally.unread_borders.add(RegionDamage {
        dimension: neighbour.dimension as u32,
        region: neighbour.pos,
        damage,
    });
}

fn copy(frame: &mut RegionFrame, part: FramePart, slot: Slot, columns: &Columns) {
    match part {
        FramePart::Side(side, border) => frame.sides[side].copy(border, slot, columns),
        FramePart::Corner(east, south, _) => frame.copy_corner(east, south, columns),
    }
}

/// Copies only the hash of a chunk that shows nothing.
fn copy_hash(frame: &mut RegionFrame, part: FramePart, slot: Slot, hash: ChunkHash) {
    match part {
        FramePart::Side(side, border) => frame.set_side_hash(side, border, slot, hash),
        FramePart::Corner(east, south, _) => frame.set_corner_hash(east, south, hash),
    }
}
