//! What surrounds a region: the borders of its eight neighbours, always taken from the world, never from what happens
//! to be drawn.

use super::chunks::Found;
use super::regions::Wanted;
use super::render::{Render, Worker};
use crate::coord::{RegionPos, Slot};
use crate::plan::DimensionPlan;
use crate::publish::{PublishError, retryable};
use crate::region::RegionFile;
use crate::surface::{Border, Columns};

/// Where a neighbour lies, and what it is asked for.
struct Neighbour {
    dx: i32,
    dz: i32,
    part: Part,
}

#[derive(Clone, Copy)]
enum Part {
    /// The side of the frame with this number, which is this border of the neighbour.
    Side(usize, Border),
    /// The corner to the east, to the south, and the one slot that touches it.
    Corner(bool, bool, Slot),
}

impl Part {
    fn slots(self) -> Box<dyn Iterator<Item = Slot>> {
        match self {
            Self::Side(_, border) => Box::new(border.slots()),
            Self::Corner(_, _, slot) => Box::new(std::iter::once(slot)),
        }
    }
}

const fn neighbour(dx: i32, dz: i32, part: Part) -> Neighbour {
    Neighbour { dx, dz, part }
}

const NEIGHBOURS: [Neighbour; 8] = [
    neighbour(-1, -1, Part::Corner(false, false, Slot::at(31, 31))),
    neighbour(0, -1, Part::Side(0, Border::South)),
    neighbour(1, -1, Part::Corner(true, false, Slot::at(0, 31))),
    neighbour(-1, 0, Part::Side(2, Border::East)),
    neighbour(1, 0, Part::Side(3, Border::West)),
    neighbour(-1, 1, Part::Corner(false, true, Slot::at(31, 0))),
    neighbour(0, 1, Part::Side(1, Border::North)),
    neighbour(1, 1, Part::Corner(true, true, Slot::at(0, 0))),
];

impl Render<'_> {
    /// Fills the worker's frame with what surrounds a region.
    pub(super) fn fill_frame(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos) {
        worker.frame.clear();
        let plan = &self.plan.dimensions[dimension];
        for &Neighbour { dx, dz, part } in &NEIGHBOURS {
            let there = region.offset(dx, dz);
            if plan.files.contains_key(&there) {
                // Neighbours of four groups may be asked in turn; the region's own is the one that must stay.
                self.edges.touch(dimension, region);
                self.ask(worker, dimension, plan, there, part);
            }
        }
    }

    fn ask(&self, worker: &mut Worker<'_>, dimension: usize, plan: &DimensionPlan, there: RegionPos, part: Part) {
        let mut missing = Vec::new();
        self.edges.with(dimension, there, |kept| {
            if let Some(sides) = &kept.sides {
                match part {
                    Part::Side(side, border) => worker.frame.sides[side].clone_from(&sides[border as usize]),
                    Part::Corner(east, south, _) => worker.frame.take_corner_of(east, south, sides),
                }
                return;
            }
            // Of a part of the map only what lies within reach of it is asked for.
            for slot in part.slots().filter(|&slot| self.wanted(there, slot) != Wanted::No) {
                match kept.ahead.get(&slot) {
                    Some(Some(ahead)) => take(worker, part, slot, &ahead.0),
                    Some(None) => {}
                    None => missing.push(slot),
                }
            }
        });
        if missing.is_empty() {
            return;
        }
        let Some(entry) = plan.files.get(&there) else { return };
        let path = entry.path(&plan.folder);
        let mut file = match RegionFile::open(&path, there) {
            Ok(file) => file,
            Err(error) if retryable(&error) => return self.fail(&PublishError::Io(path, error)),
            // A neighbour that cannot be opened counts as not there; its own job reports it.
            Err(_) => return,
        };
        let sight = self.sight(plan);
        for slot in missing {
            let mut columns = Box::<Columns>::default();
            let meta = match worker.reader.columns(&mut file, slot, sight, &mut columns) {
                Found::Nothing => None,
                Found::Drawn(meta) => {
                    worker.tally.chunks.edge += 1;
                    Some(meta)
                }
                Found::Bad(_) | Found::Unfinished(_) | Found::Empty(_) => {
                    worker.tally.chunks.edge += 1;
                    None
                }
            };
            take(worker, part, slot, &columns);
            let ahead = meta.map(|meta| Box::new((*columns, meta)));
            self.edges.with(dimension, there, |kept| {
                if kept.sides.is_none() {
                    kept.ahead.insert(slot, ahead);
                }
            });
        }
    }
}

fn take(worker: &mut Worker<'_>, part: Part, slot: Slot, columns: &Columns) {
    match part {
        Part::Side(side, border) => worker.frame.sides[side].take(border, slot, columns),
        Part::Corner(east, south, _) => worker.frame.take_corner(east, south, columns),
    }
}
