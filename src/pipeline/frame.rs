//! What surrounds a region: the borders of its eight neighbours, always taken from the world, never from what happens
//! to be drawn.

use super::chunks::{Found, Reason};
use super::drawing::{Drawing, Worker};
use super::regions::Wanted;
use crate::coord::{RegionPos, Slot};
use crate::publish::{PublishError, retryable};
use crate::region::{ChunkHash, RegionFile, UNOPENED};
use crate::report::{BadPlace, Damage, Tally};
use crate::surface::{Border, CachedChunk, Columns, Frame, RegionEdges};
use crate::world::RegionEntry;

/// Where a neighbour lies, and what it is asked for.
pub(super) struct Neighbour {
    pub(super) dx: i32,
    pub(super) dz: i32,
    pub(super) part: Part,
}

#[derive(Clone, Copy)]
pub(super) enum Part {
    /// The side of the frame with this number, which is this border of the neighbour.
    Side(usize, Border),
    /// The corner to the east, to the south, and the one slot that touches it.
    Corner(bool, bool, Slot),
}

impl Part {
    pub(super) fn slots(self) -> Box<dyn Iterator<Item = Slot>> {
        match self {
            Self::Side(_, border) => Box::new(border.slots()),
            Self::Corner(_, _, slot) => Box::new(std::iter::once(slot)),
        }
    }
}

const fn neighbour(dx: i32, dz: i32, part: Part) -> Neighbour {
    Neighbour { dx, dz, part }
}

pub(super) const NEIGHBOURS: [Neighbour; 8] = [
    neighbour(-1, -1, Part::Corner(false, false, Slot::at(31, 31))),
    neighbour(0, -1, Part::Side(0, Border::South)),
    neighbour(1, -1, Part::Corner(true, false, Slot::at(0, 31))),
    neighbour(-1, 0, Part::Side(2, Border::East)),
    neighbour(1, 0, Part::Side(3, Border::West)),
    neighbour(-1, 1, Part::Corner(false, true, Slot::at(31, 0))),
    neighbour(0, 1, Part::Side(1, Border::North)),
    neighbour(1, 1, Part::Corner(true, true, Slot::at(0, 0))),
];

impl Drawing<'_> {
    /// Fills the frames of the worker's scenes with what surrounds a region.
    pub(super) fn fill_frames(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos) {
        let views = self.sheets.views(dimension).len();
        worker.scenes[..views].iter_mut().for_each(|scene| scene.frame.clear());
        let plan = &self.plan.dimensions[dimension];
        for &Neighbour { dx, dz, part } in &NEIGHBOURS {
            let there = region.offset(dx, dz);
            if let Some(entry) = plan.files.get(&there) {
                let edges = self.edges(dimension, there);
                let missing = self.take_known(worker, there, part, &edges);
                if !missing.is_empty() {
                    self.read_missing(worker, dimension, entry, part, &missing, &edges);
                }
            }
        }
    }

    /// What is kept of a region's border, by view.
    pub(super) fn edges(&self, dimension: usize, region: RegionPos) -> Vec<RegionEdges> {
        let caches = self.edges.iter().take(self.sheets.views(dimension).len());
        caches.map(|cache| cache.of(dimension, region)).collect()
    }

    /// Takes what is known of a neighbour's border, and returns the slots of which nothing is.
    fn take_known(&self, worker: &mut Worker<'_>, there: RegionPos, part: Part, edges: &[RegionEdges]) -> Vec<Slot> {
        let hidden = self.hidden(there);
        let kept: Vec<_> = edges.iter().map(RegionEdges::lock).collect();
        // Of a part of the map only what lies within reach of it is asked for.
        let mut missing = Vec::new();
        for slot in part.slots().filter(|&slot| self.wanted(&hidden, there, slot) != Wanted::No) {
            if kept.iter().any(|kept| matches!(kept.chunk(slot), CachedChunk::Missing)) {
                missing.push(slot);
                continue;
            }
            for (kept, scene) in kept.iter().zip(&mut worker.scenes) {
                let frame = &mut scene.frame;
                match kept.chunk(slot) {
                    CachedChunk::Read(sides) => match part {
                        Part::Side(side, border) => frame.take_side_of(side, border, slot, sides),
                        Part::Corner(east, south, _) => frame.take_corner_of(east, south, sides),
                    },
                    CachedChunk::Decoded(Ok(columns)) => take(frame, part, slot, columns),
                    CachedChunk::Decoded(Err(hash)) => take_hash(frame, part, slot, hash),
                    CachedChunk::Missing => {}
                }
            }
        }
        missing
    }

    /// Reads border chunks of a neighbour before its own turn, and keeps them for it.
    fn read_missing(
        &self,
        worker: &mut Worker<'_>,
        dimension: usize,
        there: &RegionEntry,
        part: Part,
        missing: &[Slot],
        edges: &[RegionEdges],
    ) {
        let path = there.path(&self.plan.dimensions[dimension].folder);
        let hidden = self.hidden(there.region);
        // Of what only shades others nothing is told.
        let is_drawn = |slot: Slot| self.wanted(&hidden, there.region, slot) == Wanted::Drawn;
        let Worker { scenes, reader, tally, .. } = worker;
        let mut frames: Vec<&mut Frame> = scenes[..edges.len()].iter_mut().map(|scene| &mut *scene.frame).collect();
        let mut file = match RegionFile::open_filled(&path, there.region) {
            Ok(file) => file,
            Err(error) if retryable(&error) => return self.fail(&PublishError::Io(path, error)),
            // A neighbour that cannot be opened counts as not there.
            Err(error) => {
                if missing.iter().any(|&slot| is_drawn(slot)) {
                    note_beside(tally, dimension, there.region, None, &Reason::Unopened(error));
                }
                for frame in &mut frames {
                    for &slot in missing {
                        take_hash(frame, part, slot, UNOPENED);
                    }
                }
                return;
            }
        };
        let filter = self.chunk_filter(dimension);
        for &slot in missing {
            if self.is_stopped() {
                return;
            }
            let mut read: Vec<Box<Columns>> = edges.iter().map(|_| Box::default()).collect();
            let (found, _) = reader.columns(&mut file, slot, filter, read.iter_mut().map(|columns| &mut **columns));
            if self.is_stopped() {
                // Perhaps it was not read because of that.
                return;
            }
            tally.chunks.edge += u64::from(!matches!(found, Found::Nothing));
            let meta = match found {
                Found::Drawn(meta) => Some(meta),
                // What may pass must not be taken for damage here either.
                Found::Bad(reason) if self.fail_if_passing(&path, &reason) => return,
                Found::Bad(reason) if reason.is_of_system() && is_drawn(slot) => {
                    note_beside(tally, dimension, there.region, Some(slot), &reason);
                    None
                }
                Found::Nothing | Found::Bad(_) | Found::Unfinished(_) | Found::Unvisited(_) | Found::Empty(_) => None,
            };
            for ((columns, edges), frame) in read.into_iter().zip(edges).zip(&mut frames) {
                take(frame, part, slot, &columns);
                let hash = columns.hash;
                edges.lock().put(slot, file.state(), meta.map(|meta| Box::new((*columns, meta))).ok_or(hash));
            }
        }
    }
}

/// Notes what the system would not give of a neighbour. Its own job reports what is damaged, but does not read it if the
/// region is as it was.
fn note_beside(tally: &mut Tally, dimension: usize, region: RegionPos, slot: Option<Slot>, reason: &Reason) {
    let damage = Damage::new(slot, reason.word(), reason.to_string());
    tally.beside.add(BadPlace { dimension: dimension as u32, region, damage });
}

fn take(frame: &mut Frame, part: Part, slot: Slot, columns: &Columns) {
    match part {
        Part::Side(side, border) => frame.sides[side].take(border, slot, columns),
        Part::Corner(east, south, _) => frame.take_corner(east, south, columns),
    }
}

/// What is taken of a chunk of which nothing is to be seen.
fn take_hash(frame: &mut Frame, part: Part, slot: Slot, hash: ChunkHash) {
    match part {
        Part::Side(side, border) => frame.take_side_hash(side, border, slot, hash),
        Part::Corner(east, south, _) => frame.take_corner_hash(east, south, hash),
    }
}
