//! The options for the heights to draw.

use clap::Args;
use pixelmap_base::coord::YRange;

#[derive(Debug, Args)]
pub(crate) struct Heights {
    /// The lowest height to draw; blocks below it count as absent
    #[arg(long, value_name = "Y", allow_negative_numbers = true)]
    pub(crate) min_y: Option<i32>,

    /// The highest height to draw; blocks above it count as absent. Above the ceiling of a
    /// dimension, the map looks down from this height
    #[arg(long, value_name = "Y", allow_negative_numbers = true)]
    pub(crate) max_y: Option<i32>,
}

impl Heights {
    /// Returns the heights in the form that the library expects.
    pub(crate) fn range(&self) -> Result<YRange, &'static str> {
        if self
            .min_y
            .zip(self.max_y)
            .is_some_and(|(min, max)| min > max)
        {
            return Err("--min-y is above --max-y: swap them");
        }

        Ok(YRange {
            min: self.min_y.unwrap_or(YRange::ALL.min).max(YRange::ALL.min),
            max: self.max_y.unwrap_or(YRange::ALL.max).min(YRange::ALL.max),
        })
    }
}
