//! The views for which surfaces are built.

/// The position where a column's walk down begins, and the blocks at which it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum View {
    /// Begins above everything.
    Sky,
    /// Begins in the first hollow under the ceiling that closes a dimension, in most nethers at
    /// height 127. A column without a hollow is cut open under the ceiling's bedrock.
    UnderCeiling,
    /// Begins above everything and ends at the first block of any kind, as a query answers.
    Highest,
    /// Like `Highest`, but begins under the ceiling that closes a dimension.
    HighestUnderCeiling,
    /// Begins in the topmost hollow below the land that is visible from the sky: see `hollow.rs`.
    Hollow,
    /// Begins in the topmost hollow below the land that is visible from under the ceiling.
    HollowUnderCeiling,
}

impl View {
    /// Returns the view at whose ground a view of hollows begins, or `None` for all other views.
    pub const fn land_view(self) -> Option<Self> {
        match self {
            Self::Hollow => Some(Self::Sky),
            Self::HollowUnderCeiling => Some(Self::UnderCeiling),
            Self::Sky | Self::UnderCeiling | Self::Highest | Self::HighestUnderCeiling => None,
        }
    }

    /// Returns whether the view leaves out the blocks above a dimension's ceiling.
    pub const fn is_under_ceiling(self) -> bool {
        matches!(
            self,
            Self::UnderCeiling | Self::HighestUnderCeiling | Self::HollowUnderCeiling
        )
    }

    /// Returns whether the view shows every block that is stored, rather than the blocks that the
    /// colours of a map need.
    pub const fn shows_stored_blocks(self) -> bool {
        matches!(self, Self::Highest | Self::HighestUnderCeiling)
    }
}
