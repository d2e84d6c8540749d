//! The reason why a run failed.

use serde::Serialize;

/// The reason why a run failed.
#[derive(Debug, Clone, Serialize)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// One line that names a remedy.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The run could not begin.
    NotBegun,
    /// The command line is wrong.
    Usage,
    /// The world cannot be read now.
    World,
    /// The output cannot be read or written.
    Output,
    /// The program has a defect.
    Defect,
    /// More tiles would be removed than the limit allows.
    MaxRemoved,
    /// The map does not meet the thresholds, so nothing was published.
    HeldBack,
    /// The map does not meet the thresholds, but was published anyway.
    Demands,
}
