//! Polygons, and which chunks of a region they touch.
//!
//! Exact: positions are whole multiples of a 65,536th of a block, and where an edge meets a row of chunks is compared as
//! a fraction. A chunk is touched if an edge passes through its inside. If none does, the chunk lies wholly inside the
//! polygon or wholly outside, as its middle does; and that is told by how often the rings wind around it.

use std::fmt;

use super::HiddenSlots;
use super::spans::{Span, Spans};
use crate::coord::{CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, RegionPos};

/// Parts of a block.
const PARTS: i64 = 1 << 16;
const CHUNK: i64 = CHUNK_SIDE as i64 * PARTS;
const REGION: i64 = REGION_SIDE as i64 * PARTS;

/// A position in 65,536ths of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    x: i64,
    z: i64,
}

impl Position {
    /// The position nearest to these numbers of blocks; `None`: no column lies there, as columns are counted by `i32`.
    pub fn of_blocks(x: f64, z: f64) -> Option<Self> {
        let parts = |blocks: f64| {
            let is_there = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&blocks);
            is_there.then(|| (blocks * PARTS as f64).round() as i64)
        };
        Some(Self { x: parts(x)?, z: parts(z)? })
    }
}

/// Why positions are no ring of a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RingError {
    /// Fewer than four, of which the last is the first again.
    Short,
    /// The last is not the first.
    Open,
    /// All lie on one line along x or z.
    Flat,
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Short => "a ring has at least four positions, the last of them the first again",
            Self::Open => "the ring is not closed: give its first position once more as its last",
            Self::Flat => "the ring encloses nothing: its corners are all at the same x, or all at the same z",
        })
    }
}

impl std::error::Error for RingError {}

/// A polygon: an outer ring and its holes.
#[derive(Debug)]
pub struct Polygon {
    outer: Ring,
    holes: Spans<Ring>,
}

impl Polygon {
    /// A polygon of its outer ring and its holes; whichever way round they go.
    ///
    /// # Errors
    /// The number of the ring, from 0 for the outer one, that is none.
    pub fn new(outer: &[Position], holes: &[Vec<Position>]) -> Result<Self, (usize, RingError)> {
        let outer = Ring::new(outer).map_err(|error| (0, error))?;
        let holes = (1..).zip(holes).map(|(number, hole)| Ring::new(hole).map_err(|error| (number, error)));
        Ok(Self { outer, holes: Spans::new(holes.collect::<Result<_, _>>()?) })
    }
}

#[cfg(test)]
impl Polygon {
    /// How many edges are looked at for a stretch.
    pub(super) fn edges_over(&self, north: i64, south: i64) -> usize {
        self.outer.edges.over(north, south).count()
    }
}

impl Span for Polygon {
    fn north(&self) -> i64 {
        self.outer.bounds.z0
    }

    fn south(&self) -> i64 {
        self.outer.bounds.z1
    }
}

/// The smallest rectangle around something, its borders included.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    x0: i64,
    z0: i64,
    x1: i64,
    z1: i64,
}

impl Bounds {
    fn of_region(region: RegionPos) -> Self {
        let (x0, z0) = (i64::from(region.x) * REGION, i64::from(region.z) * REGION);
        Self { x0, z0, x1: x0 + REGION, z1: z0 + REGION }
    }

    /// Whether both have more than a border in common.
    const fn overlaps(&self, other: &Self) -> bool {
        self.x0 < other.x1 && other.x0 < self.x1 && self.z0 < other.z1 && other.z0 < self.z1
    }
}

/// A closed line.
#[derive(Debug)]
struct Ring {
    bounds: Bounds,
    edges: Spans<Edge>,
}

impl Ring {
    fn new(positions: &[Position]) -> Result<Self, RingError> {
        let ([first, .., last], 4..) = (positions, positions.len()) else { return Err(RingError::Short) };
        if first != last {
            return Err(RingError::Open);
        }
        let mut bounds = Bounds { x0: first.x, z0: first.z, x1: first.x, z1: first.z };
        for &Position { x, z } in positions {
            let Bounds { x0, z0, x1, z1 } = bounds;
            bounds = Bounds { x0: x0.min(x), z0: z0.min(z), x1: x1.max(x), z1: z1.max(z) };
        }
        if bounds.x0 == bounds.x1 || bounds.z0 == bounds.z1 {
            return Err(RingError::Flat);
        }
        let edges = positions.windows(2).map(|pair| Edge { from: pair[0], to: pair[1] }).collect();
        Ok(Self { bounds, edges: Spans::new(edges) })
    }

    /// Adds the chunks of a region that the ring passes through to `touched`, and returns those whose middle it winds
    /// around; of those that it passes through this may be said or not.
    fn trace(&self, region: &Bounds, touched: &mut HiddenSlots) -> HiddenSlots {
        let mut inside = HiddenSlots::NONE;
        if !self.bounds.overlaps(region) {
            return inside;
        }
        let mut winds = Winds([[0; REGION_CHUNKS]; REGION_CHUNKS]);
        for edge in self.edges.over(region.z0, region.z1) {
            // What lies in the east is not wound around by this edge.
            if edge.west() < region.x1 {
                edge.trace(region, touched, &mut winds);
            }
        }
        for (row, changes) in winds.0.iter().enumerate() {
            let mut turns = 0;
            for (column, change) in (0..).zip(changes) {
                turns += change;
                if turns != 0 {
                    inside.add_run(row, column, column);
                }
            }
        }
        inside
    }
}

impl Span for Ring {
    fn north(&self) -> i64 {
        self.bounds.z0
    }

    fn south(&self) -> i64 {
        self.bounds.z1
    }
}

/// By row of chunks `[z][x]`, how the number of turns around a chunk's middle differs from that of the chunk west of it.
struct Winds([[i32; REGION_CHUNKS]; REGION_CHUNKS]);

impl Winds {
    /// An edge passes a row's middle in this column of chunks: what lies there or east of it has it in its west.
    fn add(&mut self, row: usize, column: i64, turn: i32) {
        if let Some(change) = self.0[row].get_mut(column.max(0) as usize) {
            *change += turn;
        }
    }
}

/// From one corner of a ring to the next.
#[derive(Debug)]
struct Edge {
    from: Position,
    to: Position,
}

impl Span for Edge {
    fn north(&self) -> i64 {
        self.from.z.min(self.to.z)
    }

    fn south(&self) -> i64 {
        self.from.z.max(self.to.z)
    }
}

impl Edge {
    fn west(&self) -> i64 {
        self.from.x.min(self.to.x)
    }

    fn east(&self) -> i64 {
        self.from.x.max(self.to.x)
    }

    /// Adds the chunks of a region whose inside the edge passes through, and what it winds around.
    fn trace(&self, region: &Bounds, touched: &mut HiddenSlots, winds: &mut Winds) {
        let (north, south) = (self.north(), self.south());
        let turn = if self.from.z < self.to.z { 1 } else { -1 };
        let row_of = |z: i64| (z - region.z0).div_euclid(CHUNK);
        let is_beside = self.east() <= region.x0;
        for row in row_of(north).max(0)..=row_of(south).min(REGION_CHUNKS as i64 - 1) {
            let (start, middle) = (region.z0 + row * CHUNK, region.z0 + row * CHUNK + CHUNK / 2);
            if north <= middle && middle < south {
                let column = if is_beside { 0 } else { self.columns(region.x0, middle, middle).0 };
                winds.add(row as usize, column, turn);
            }
            let (from, to) = (north.max(start), south.min(start + CHUNK));
            // Along the border of two rows it is inside of none.
            if !is_beside && (from < to || (from == to && from > start)) {
                let (first, last) = self.columns(region.x0, from, to);
                touched.add_run(row as usize, first, last);
            }
        }
    }

    /// The columns of chunks, counted from `west`, through whose inside the edge passes between two places that it
    /// reaches; the first is larger than the last where it runs along a border. At one place (but of an edge along x)
    /// the first one is where the edge is, and the larger one of two on their border.
    fn columns(&self, west: i64, from: i64, to: i64) -> (i64, i64) {
        let (dx, dz) = (i128::from(self.to.x - self.from.x), i128::from(self.to.z - self.from.z));
        if self.west() == self.east() || dz == 0 {
            return ((self.west() - west).div_euclid(CHUNK), (self.east() - west - 1).div_euclid(CHUNK));
        }
        // x at z is a fraction over the rise, which is made positive.
        let x = |z: i64| (i128::from(self.from.x - west) * dz + i128::from(z - self.from.z) * dx) * dz.signum();
        let (a, b) = (x(from), x(to));
        let width = i128::from(CHUNK) * dz.abs();
        // Far off chunks are bounded, as positions are.
        (a.min(b).div_euclid(width) as i64, (a.max(b) - 1).div_euclid(width) as i64)
    }
}

/// Adds the slots of a region that polygons touch.
pub(super) fn add(slots: &mut HiddenSlots, polygons: &Spans<Polygon>, region: RegionPos) {
    let region = Bounds::of_region(region);
    for Polygon { outer, holes } in polygons.over(region.z0, region.z1) {
        if slots.is_full() {
            return;
        }
        if !outer.bounds.overlaps(&region) {
            continue;
        }
        let mut touched = HiddenSlots::NONE;
        let mut inside = outer.trace(&region, &mut touched);
        for hole in holes.over(region.z0, region.z1) {
            let mut passed = HiddenSlots::NONE;
            let mut wholly = hole.trace(&region, &mut passed);
            wholly.remove(&passed);
            inside.remove(&wholly);
        }
        slots.add(&touched);
        slots.add(&inside);
    }
}
