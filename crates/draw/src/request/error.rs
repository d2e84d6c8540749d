//! The errors that prevent a run from drawing or from publishing its map.

use std::path::PathBuf;

use thiserror::Error;

use crate::report::{Failure, FailureKind, Limit};
use crate::request::colours::ColourError;
use crate::request::hide::HideError;
use crate::request::plan::PlanError;
use pixelmap_base::words::{AREA, FORGET, MAX_REMOVED, RENDER, SURE, TIME, ZOOM_IN};
use pixelmap_map::export::{ExportError, PictureError};
use pixelmap_map::store::PublishError;
use pixelmap_paint::layers::Layer;
use pixelmap_paint::markers::OwnerError;
use pixelmap_world::internal::{NoSeed, WorldError};

/// The reason why a run cannot add a moment to a map with history.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MomentRefusal {
    /// The time when the world was last played, and the later time of the map's last moment, both
    /// as text.
    #[error(
        "this world was last played at {0}, but the last moment of the map is from {1}: draw the \
         oldest backup first, give another time with {TIME}, or if the clock was wrong, forget that \
         moment with {FORGET} {1}"
    )]
    Earlier(String, String),
    /// The time of the world is unknown.
    #[error("this world does not store when it was last played: give the time with {TIME}")]
    NoTime,
    /// A shard would draw into the folder of a map with history.
    #[error(
        "{} has a history, which a shard would overwrite: draw shards into another folder, and \
         merge them into this one",
        .0.display()
    )]
    Shard(PathBuf),
}

/// The most tiles with textures that are drawn without a confirmation by the user.
pub(crate) const MOST_INNER: u64 = 100_000;

/// The reason why nothing was drawn.
#[derive(Debug, Error)]
pub enum RenderError {
    #[error(transparent)]
    Colours(ColourError),
    /// The hidden places cannot be read.
    #[error(transparent)]
    Hide(HideError),
    /// The owner's markers cannot be shown.
    #[error(transparent)]
    Markers(OwnerError),
    /// This folder does not contain a map.
    #[error("{} does not contain a map: draw it first with {RENDER}", .0.display())]
    NothingThere(PathBuf),
    /// No map was requested.
    #[error("no map was requested: name a dimension and a layer")]
    NoMap,
    /// A chunk of the world cannot be read now, but perhaps later.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The request does not fit the world.
    #[error(transparent)]
    Plan(PlanError),
    /// A layer needs the seed.
    #[error(
        "layer {} needs the world's seed, and {}: give the world's own folder, or leave the layer out",
        .0.name(),
        .1
    )]
    Seed(Layer, NoSeed),
    /// The requested picture cannot be made.
    #[error(transparent)]
    Picture(PictureError),
    /// The run cannot add a moment.
    #[error(transparent)]
    Moment(MomentRefusal),
    /// The output folder or the file of the picture cannot be used.
    #[error(transparent)]
    Output(#[from] PublishError),
    /// The run would remove too many tiles: the number to remove, the number of all tiles, and the
    /// limit.
    #[error(
        "{0} of the tiles of this map ({1} in all) would be removed, more than {2}, so nothing was \
         removed: check that the whole world is there, or allow it with {MAX_REMOVED} 100%"
    )]
    TooManyRemoved(u64, u64, Limit),
    /// The number of tiles with textures, which is so high that the user must confirm it.
    #[error(
        "{0} tiles with textures are more than {MOST_INNER}: name a smaller area with {AREA}, fewer \
         levels with {ZOOM_IN}, or confirm with {SURE}"
    )]
    TooManyInner(u64),
}

impl RenderError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Output(error) => error.retryable(),
            Self::Seed(_, error) => error.retryable(),
            Self::Hide(error) => error.retryable(),
            Self::Markers(error) => error.retryable(),
            Self::Colours(error) => error.retryable(),
            Self::World(error) => error.retryable(),
            Self::NothingThere(_)
            | Self::NoMap
            | Self::Plan(_)
            | Self::Picture(_)
            | Self::Moment(_)
            | Self::TooManyInner(_)
            | Self::TooManyRemoved(..) => false,
        }
    }
}

/// Makes the failure of a run whose output cannot be written or read.
impl From<&PublishError> for Failure {
    fn from(error: &PublishError) -> Self {
        Self {
            kind: FailureKind::Output,
            message: error.to_string(),
            retryable: error.retryable(),
        }
    }
}

impl From<&ExportError> for Failure {
    fn from(error: &ExportError) -> Self {
        Self {
            kind: FailureKind::Output,
            message: error.to_string(),
            retryable: error.retryable(),
        }
    }
}

/// Makes the failure of a run that could not begin or must not publish the drawn map.
impl From<&RenderError> for Failure {
    fn from(error: &RenderError) -> Self {
        let kind = match error {
            RenderError::Output(error) => return error.into(),
            RenderError::TooManyRemoved(..) => FailureKind::MaxRemoved,
            RenderError::World(_)
            | RenderError::Colours(_)
            | RenderError::Hide(_)
            | RenderError::Markers(_)
            | RenderError::NothingThere(_)
            | RenderError::NoMap
            | RenderError::Plan(_)
            | RenderError::Seed(..)
            | RenderError::Picture(_)
            | RenderError::Moment(_)
            | RenderError::TooManyInner(_) => FailureKind::NotBegun,
        };

        Self {
            kind,
            message: error.to_string(),
            retryable: error.retryable(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_removals_are_failures_of_max_removed() {
        let kind = |error: RenderError| Failure::from(&error).kind;
        let removed = RenderError::TooManyRemoved(3, 4, Limit::Percent(50.0));
        assert_eq!(kind(removed), FailureKind::MaxRemoved);
        assert_eq!(kind(RenderError::NoMap), FailureKind::NotBegun);
        let refusal = RenderError::Moment(MomentRefusal::NoTime);
        assert_eq!(kind(refusal), FailureKind::NotBegun);
    }
}
