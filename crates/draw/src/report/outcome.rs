//! The outcome of a run in one word.

use serde::Serialize;

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything that was requested is drawn.
    #[default]
    Complete,
    /// There was nothing to draw.
    Empty,
    /// Drawn, except for places that could not be read.
    Gaps,
    /// Not drawn, or not published.
    Failed,
    /// Stopped by the user.
    Interrupted,
}
