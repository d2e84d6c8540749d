//! Polygons, and the chunks of a region that they touch.
//!
//! A chunk is hidden if an edge passes through it. If no edge does, the whole chunk is on the same
//! side of the polygon as its middle, so we count how often the rings wind around the middle.
//! Lengths are in chunks: chunk (x, z) reaches from x to x + 1.

use serde::{Deserialize, Serialize};

use pixelmap_base::coord::{CHUNK_SIDE, REGION_CHUNKS, RegionPos, SlotSet};

/// An edge only counts as passing through a chunk if it reaches at least this far into it. This is
/// more than rounding errors anywhere in a world, and less than a ten-thousandth of a block.
const INSIDE: f64 = 1.0 / (1 << 20) as f64;
const SIDE: f64 = REGION_CHUNKS as f64;

/// A place in the world. It is serialized in blocks, as `[x, z]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f64; 2]", into = "[f64; 2]")]
pub struct Corner {
    x: f64,
    z: f64,
}

impl Corner {
    /// Returns the place at these coordinates in blocks. Returns `None` outside the range of `i32`,
    /// which columns have.
    pub fn from_blocks(x: f64, z: f64) -> Option<Self> {
        let world = f64::from(i32::MIN)..=f64::from(i32::MAX);
        let side = CHUNK_SIDE as f64;
        (world.contains(&x) && world.contains(&z)).then_some(Self {
            x: x / side,
            z: z / side,
        })
    }

    fn from(self, origin: Self) -> Self {
        Self {
            x: self.x - origin.x,
            z: self.z - origin.z,
        }
    }
}

impl TryFrom<[f64; 2]> for Corner {
    type Error = &'static str;

    fn try_from([x, z]: [f64; 2]) -> Result<Self, Self::Error> {
        Self::from_blocks(x, z).ok_or("a place outside of the world")
    }
}

impl From<Corner> for [f64; 2] {
    fn from(Corner { x, z }: Corner) -> Self {
        [x, z].map(|along| along * CHUNK_SIDE as f64)
    }
}

/// A polygon: an outer ring and its holes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Polygon {
    outer: Ring,
    holes: Vec<Ring>,
}

impl Polygon {
    /// Makes a polygon from its outer ring and its holes. Each ring must be closed and may have
    /// either direction.
    pub fn new(outer: &[Corner], holes: &[Vec<Corner>]) -> Self {
        Self {
            outer: outer.to_vec().into(),
            holes: holes.iter().map(|hole| hole.clone().into()).collect(),
        }
    }

    /// Adds the slots of a region that the polygon touches.
    pub(crate) fn add(&self, slots: &mut SlotSet, region: RegionPos) {
        let north_west = Corner {
            x: f64::from(region.x) * SIDE,
            z: f64::from(region.z) * SIDE,
        };
        if self.outer.bounds.from(north_west).is_apart() {
            return;
        }

        let outer = self.outer.trace(north_west);
        let mut inside = outer.inside;
        for hole in &self.holes {
            if !hole.bounds.from(north_west).is_apart() {
                let mut hole = hole.trace(north_west);
                hole.inside.remove(&hole.passed);
                inside.remove(&hole.inside);
            }
        }

        slots.add(&outer.passed);
        slots.add(&inside);
    }
}

/// The smallest rectangle around some places, including its borders.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PolygonBounds {
    low: Corner,
    high: Corner,
}

impl PolygonBounds {
    /// Returns the bounds of these places.
    fn from_corners(corners: &[Corner]) -> Self {
        let start = Self {
            low: Corner {
                x: f64::INFINITY,
                z: f64::INFINITY,
            },
            high: Corner {
                x: f64::NEG_INFINITY,
                z: f64::NEG_INFINITY,
            },
        };

        corners
            .iter()
            .fold(start, |Self { low, high }, &Corner { x, z }| Self {
                low: Corner {
                    x: low.x.min(x),
                    z: low.z.min(z),
                },
                high: Corner {
                    x: high.x.max(x),
                    z: high.z.max(z),
                },
            })
    }

    fn from(self, origin: Corner) -> Self {
        Self {
            low: self.low.from(origin),
            high: self.high.from(origin),
        }
    }

    /// Returns whether the bounds, counted from a region's corner, are completely outside that
    /// region.
    fn is_apart(&self) -> bool {
        self.low.z > SIDE || self.high.z < 0.0 || self.low.x > SIDE || self.high.x < 0.0
    }
}

/// A closed line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Corner>", into = "Vec<Corner>")]
struct Ring {
    bounds: PolygonBounds,
    corners: Vec<Corner>,
}

impl From<Vec<Corner>> for Ring {
    fn from(corners: Vec<Corner>) -> Self {
        Self {
            bounds: PolygonBounds::from_corners(&corners),
            corners,
        }
    }
}

impl From<Ring> for Vec<Corner> {
    fn from(ring: Ring) -> Self {
        ring.corners
    }
}

/// The effect of a ring on a region.
struct RingCoverage {
    /// The chunks that the ring passes through.
    passed: SlotSet,
    /// The chunks whose middle is inside the ring.
    inside: SlotSet,
    /// `[z][x]`: how the winding number around a chunk's middle differs from the chunk to its west.
    turns: [[i32; REGION_CHUNKS]; REGION_CHUNKS],
}

impl Ring {
    fn trace(&self, north_west: Corner) -> RingCoverage {
        let none = [[0; REGION_CHUNKS]; REGION_CHUNKS];
        let mut trace = RingCoverage {
            passed: SlotSet::NONE,
            inside: SlotSet::NONE,
            turns: none,
        };

        for ends in self.corners.windows(2) {
            trace.edge(ends[0].from(north_west), ends[1].from(north_west));
        }

        trace.wind();
        trace
    }
}

impl RingCoverage {
    /// Adds an edge between two corners, which are counted from the region's corner.
    fn edge(&mut self, a: Corner, b: Corner) {
        let north = a.z.min(b.z);
        let south = a.z.max(b.z);

        for row in north.floor().max(0.0) as usize..=south.min(SIDE - 1.0) as usize {
            let (top, middle, bottom) = (row as f64, row as f64 + 0.5, row as f64 + 1.0);
            if (a.z <= middle) != (b.z <= middle)
                && let Some(turns) =
                    self.turns[row].get_mut((x_at(middle, a, b) - 0.5).ceil().max(0.0) as usize)
            {
                *turns += if a.z < b.z { 1 } else { -1 };
            }

            if north < bottom - INSIDE && south > top + INSIDE {
                let (from, to) = if north < south {
                    (x_at(north.max(top), a, b), x_at(south.min(bottom), a, b))
                } else {
                    (a.x, b.x)
                };

                let west = from.min(to);
                let east = from.max(to);
                self.passed.add_run(
                    row,
                    (west + INSIDE).floor() as i64,
                    (east - INSIDE).ceil() as i64 - 1,
                );
            }
        }
    }

    /// Sums the winding numbers along each row.
    fn wind(&mut self) {
        for (row, changes) in self.turns.iter().enumerate() {
            let mut turns = 0;
            for (column, change) in (0..).zip(changes) {
                turns += change;
                if turns != 0 {
                    self.inside.add_run(row, column, column);
                }
            }
        }
    }
}

/// Returns the x at which the line through two corners crosses a z.
fn x_at(z: f64, a: Corner, b: Corner) -> f64 {
    a.x + (b.x - a.x) * ((z - a.z) / (b.z - a.z))
}
