//! Dimensions that are odd as a whole.

use crate::report::tally::DimensionCounts;

/// The ids of dimensions that are odd as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OddDimensions {
    /// Dimensions in which nothing is drawn.
    pub empty: Vec<String>,
    /// Dimensions with stored chunks, if not a single chunk could be understood.
    pub unclear: Vec<String>,
}

impl OddDimensions {
    /// Finds the odd dimensions of a map.
    pub fn new<'a>(dimensions: impl Iterator<Item = (&'a str, DimensionCounts)>) -> Self {
        let mut odd = Self::default();
        for (id, counts) in dimensions {
            if counts.drawn == 0 {
                odd.empty.push(id.to_owned());
            }
            if counts.unclear > 0 && counts.understood == 0 {
                odd.unclear.push(id.to_owned());
            }
        }

        odd
    }

    /// Adds the dimensions of another map of the same run.
    pub fn add(&mut self, other: Self) {
        for (ours, theirs) in [
            (&mut self.empty, other.empty),
            (&mut self.unclear, other.unclear),
        ] {
            for id in theirs {
                if !ours.contains(&id) {
                    ours.push(id);
                }
            }
        }
    }
}
