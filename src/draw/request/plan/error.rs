//! The reasons why a request does not fit a world.

use std::fmt;

use crate::world::UnreadableDimension;

/// The reason why a request cannot be met.
#[derive(Debug)]
pub enum PlanError {
    /// A dimension that the world does not have, and the dimensions that it has.
    NoDimension(String, Vec<String>),
    /// None of the requested dimensions can be listed; this is the first one.
    Unreadable(UnreadableDimension),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDimension(wanted, found) => {
                write!(
                    f,
                    "this world has no dimension {wanted}; it has {}",
                    found.join(", ")
                )
            }
            Self::Unreadable(unreadable) => unreadable.fmt(f),
        }
    }
}

impl std::error::Error for PlanError {}
