//! The reasons why a request does not fit a world.

use thiserror::Error;

use pixelmap_world::internal::UnreadableDimension;

/// The reason why a request cannot be met.
#[derive(Debug, Error)]
pub enum PlanError {
    /// A dimension that the world does not have, and the dimensions that it has.
    #[error("this world has no dimension {}; it has {}", .0, .1.join(", "))]
    NoDimension(String, Vec<String>),
    /// None of the requested dimensions can be listed; this is the first one.
    #[error("{0}")]
    Unreadable(UnreadableDimension),
}
