//! Selects the pixels of a tile or a picture that are compared: the requested area without the
//! ignored areas.

use std::ops::Range;

use pixelmap_base::coord::{Area, ColumnPos};

/// The pixels of a tile or a picture that are compared. Coordinates start at its first pixel.
#[derive(Debug, Clone)]
pub(super) struct Inside {
    /// The pixels of the requested area.
    pub(super) rect: Area,
    /// Ignored rectangles within `rect`, sorted by their western edge so that `runs` can go through
    /// them in order.
    holes: Vec<Area>,
}

impl Inside {
    /// Selects the pixels of `rect` outside all `holes`. Returns `None` if `rect` is empty or a
    /// single hole covers it.
    pub(super) fn new(rect: Area, holes: impl Iterator<Item = Area>) -> Option<Self> {
        let mut holes: Vec<Area> = holes
            .map(|hole| hole.overlap(rect))
            .filter(|hole| !hole.is_empty())
            .collect();
        holes.sort_unstable_by_key(|hole| hole.x0);
        (!rect.is_empty() && !holes.iter().any(|hole| hole.covers(rect)))
            .then_some(Self { rect, holes })
    }

    /// Calls `run` with each range of x in row `y` that is compared.
    pub(super) fn runs(&self, y: i32, mut run: impl FnMut(Range<usize>)) {
        let mut from = self.rect.x0;
        for hole in self
            .holes
            .iter()
            .filter(|hole| (hole.z0..hole.z1).contains(&y))
        {
            if hole.x0 > from {
                run(from as usize..hole.x0 as usize);
            }
            from = from.max(hole.x1);
        }

        if from < self.rect.x1 {
            run(from as usize..self.rect.x1 as usize);
        }
    }

    /// Returns whether a pixel is compared.
    pub(super) fn contains(&self, x: i32, y: i32) -> bool {
        let column = ColumnPos { x, z: y };
        self.rect.contains(column) && !self.holes.iter().any(|hole| hole.contains(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_columns_of_a_row_are_not_compared() {
        let area = |x0, z0, x1, z1| Area { x0, z0, x1, z1 };
        let holes = [
            area(6, 0, 9, 2),
            area(-5, -5, 3, 1),
            area(2, 0, 4, 1),
            area(20, 0, 30, 9),
        ];

        let inside = Inside::new(area(1, 0, 12, 3), holes.into_iter()).unwrap();
        let runs = |y: i32| {
            let mut runs = Vec::new();
            inside.runs(y, |run| runs.push((run.start, run.end)));
            assert!((0..14).all(|x| inside.contains(x, y)
                == runs.iter().any(|r| (r.0..r.1).contains(&(x as usize)))));
            runs
        };

        assert_eq!(
            [runs(0), runs(1), runs(2)],
            [vec![(4, 6), (9, 12)], vec![(1, 6), (9, 12)], vec![(1, 12)]]
        );
        assert!(Inside::new(area(1, 0, 12, 3), [area(0, 0, 12, 3)].into_iter()).is_none());
    }
}
