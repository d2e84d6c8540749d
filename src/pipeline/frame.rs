//! What surrounds a region: the borders of its eight neighbours, always taken from the world, never from what happens
//! to be drawn.

use super::chunks::Found;
use super::regions::Wanted;
use super::render::{Render, Worker};
use crate::coord::{RegionPos, Slot};
use crate::plan::DimensionPlan;
use crate::publish::{PublishError, retryable};
use crate::region::RegionFile;
use crate::surface::{Border, Columns, Known, RegionEdges};
use crate::world::RegionEntry;

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
            if let Some(entry) = plan.files.get(&there) {
                let edges = self.edges.of(dimension, there);
                let missing = self.take_known(worker, there, part, &edges);
                if !missing.is_empty() {
                    self.read_missing(worker, plan, entry, part, &missing, &edges);
                }
            }
        }
    }

    /// Takes what is known of a neighbour's border, and returns the slots of which nothing is.
    fn take_known(&self, worker: &mut Worker<'_>, there: RegionPos, part: Part, edges: &RegionEdges) -> Vec<Slot> {
        let kept = edges.lock();
        // Of a part of the map only what lies within reach of it is asked for.
        let mut missing = Vec::new();
        for slot in part.slots().filter(|&slot| self.wanted(there, slot) != Wanted::No) {
            match kept.known(slot) {
                Known::Read(sides) => match part {
                    Part::Side(side, border) => worker.frame.take_side_of(side, border, slot, sides),
                    Part::Corner(east, south, _) => worker.frame.take_corner_of(east, south, sides),
                },
                Known::Ahead(columns) => columns.into_iter().for_each(|columns| take(worker, part, slot, columns)),
                Known::Nothing => missing.push(slot),
            }
        }
        missing
    }

    /// Reads border chunks of a neighbour before its own turn, and keeps them for it.
    fn read_missing(
        &self,
        worker: &mut Worker<'_>,
        plan: &DimensionPlan,
        there: &RegionEntry,
        part: Part,
        missing: &[Slot],
        edges: &RegionEdges,
    ) {
        let path = there.path(&plan.folder);
        let mut file = match RegionFile::open(&path, there.region) {
            Ok(file) => file,
            Err(error) if retryable(&error) => return self.fail(&PublishError::Io(path, error)),
            // A neighbour that cannot be opened counts as not there; its own job reports it.
            Err(_) => return,
        };
        let sight = self.sight(plan);
        for &slot in missing {
            if self.is_stopped() {
                return;
            }
            let mut columns = Box::<Columns>::default();
            let found = worker.reader.columns(&mut file, slot, sight, &mut columns);
            worker.tally.chunks.edge += u64::from(!matches!(found, Found::Nothing));
            let ahead = match found {
                Found::Drawn(meta) => Some(meta),
                // Its own job reports what is damaged; what may pass must not be taken for damage here either.
                Found::Bad(reason) if self.fail_if_passing(&path, &reason) => return,
                Found::Nothing | Found::Bad(_) | Found::Unfinished(_) | Found::Empty(_) => None,
            };
            take(worker, part, slot, &columns);
            edges.lock().put(slot, ahead.map(|meta| Box::new((*columns, meta))));
        }
    }
}

fn take(worker: &mut Worker<'_>, part: Part, slot: Slot, columns: &Columns) {
    match part {
        Part::Side(side, border) => worker.frame.sides[side].take(border, slot, columns),
        Part::Corner(east, south, _) => worker.frame.take_corner(east, south, columns),
    }
}
