//! Builds on the land: paths, bridges and floors. It remembers built columns, so that no tree grows
//! there.

use std::collections::BTreeSet;

use super::canvas::Canvas;
use super::land::{Land, SEA};
use super::noise::{distance_to_line, noise};
use super::village::is_lit;
use crate::world::block::{self, Block};

/// The world and the columns built on.
pub struct Site<'a> {
    pub canvas: Canvas,
    pub land: &'a Land,
    /// Places for torches, which are put up after everything else.
    pub torches: Vec<[i32; 3]>,
    taken: BTreeSet<(i32, i32)>,
}

impl<'a> Site<'a> {
    pub const fn new(canvas: Canvas, land: &'a Land) -> Self {
        Self {
            canvas,
            land,
            torches: Vec::new(),
            taken: BTreeSet::new(),
        }
    }

    /// The world, and whether a column is still free.
    pub fn finish(self) -> (Canvas, impl Fn(i32, i32) -> bool) {
        let taken = self.taken;
        (self.canvas, move |x, z| !taken.contains(&(x, z)))
    }

    pub fn take(&mut self, x: i32, z: i32) {
        self.taken.insert((x, z));
    }

    pub fn is_free(&self, x: i32, z: i32) -> bool {
        !self.taken.contains(&(x, z))
    }

    /// Makes a column even: ground up to `y`, nothing above.
    pub fn level(&mut self, x: i32, z: i32, y: i32, top: Block) {
        let height = self.land.at(x, z).height;
        self.canvas
            .stack(x, z, height.min(y - 1), y - 1, block::DIRT);
        self.canvas.set(x, y, z, top);
        for above in y + 1..=height + 1 {
            self.canvas.set(x, above, z, block::AIR);
        }
        self.take(x, z);
    }

    /// A path along a line: trodden earth on land, a wooden bridge with rails over water.
    pub fn path(&mut self, line: &[(f64, f64)], width: f64) {
        let reach = width as i32 + 3;
        let low = |axis: fn(&(f64, f64)) -> f64| {
            line.iter().map(axis).fold(f64::MAX, f64::min) as i32 - reach
        };

        let high = |axis: fn(&(f64, f64)) -> f64| {
            line.iter().map(axis).fold(f64::MIN, f64::max) as i32 + reach
        };

        let (left, right, top, bottom) = (
            low(|at| at.0),
            high(|at| at.0),
            low(|at| at.1),
            high(|at| at.1),
        );

        for z in top..=bottom {
            for x in left..=right {
                let (fx, fz) = (f64::from(x) + 0.5, f64::from(z) + 0.5);
                let (away, _) = distance_to_line(fx, fz, line);
                self.tread(x, z, away, away + 0.6 * noise(fx, fz, 6.0, 2, 70), width);
            }
        }
    }

    fn tread(&mut self, x: i32, z: i32, away: f64, ragged: f64, width: f64) {
        let column = self.land.at(x, z);
        if column.is_wet() {
            // A bridge has straight edges, and rails on them.
            let half = width / 2.0 + 0.9;
            if away < half {
                self.canvas.set(x, SEA + 1, z, block::OAK_PLANKS);

                let is_edge = away > half - 1.0;
                let is_post = is_edge && (x + z).rem_euclid(6) == 0;
                if is_post {
                    self.torches.push([x, SEA + 3, z]);
                    self.canvas
                        .stack(x, z, column.height + 1, SEA + 2, block::OAK_LOG);
                } else if is_edge {
                    self.canvas.set(x, SEA + 1, z, block::SPRUCE_PLANKS);
                    self.canvas.set(x, SEA + 2, z, block::OAK_FENCE);
                }

                self.take(x, z);
            }
        } else if ragged < width / 2.0 && self.is_free(x, z) {
            self.canvas.set(x, column.height, z, block::DIRT_PATH);
            self.canvas.set(x, column.height + 1, z, block::AIR);
            self.take(x, z);

            // Torches are close together in the village, and few on the roads.
            let step = if is_lit(x, z) { 7 } else { 23 };
            if ragged > width / 2.0 - 1.0
                && (x + 2 * z).rem_euclid(step) == 0
                && (x - z).rem_euclid(3) == 0
            {
                self.torches.push([x, column.height + 1, z]);
            }
        }
    }

    /// The highest ground of a rectangle.
    pub fn highest(&self, x: i32, z: i32, width: i32, depth: i32) -> i32 {
        let columns = (z..z + depth).flat_map(|z| (x..x + width).map(move |x| (x, z)));
        columns
            .map(|(x, z)| self.land.at(x, z).height)
            .max()
            .unwrap_or(SEA)
    }
}
