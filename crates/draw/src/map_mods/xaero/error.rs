//! The reasons why a folder of Xaero's World Map or of Xaero's Minimap cannot be written.

use std::path::PathBuf;

use thiserror::Error;

use crate::request::plan::PlanError;
use pixelmap_base::words::DIMENSION;
use pixelmap_map::export::ExportError;
use pixelmap_map::store::PublishError;
use pixelmap_world::internal::WorldError;

/// Why a folder of Xaero's World Map or of Xaero's Minimap cannot be written.
#[derive(Debug, Error)]
pub enum XaeroError {
    #[error(transparent)]
    World(#[from] WorldError),
    #[error(transparent)]
    Publish(#[from] PublishError),
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The game has the lock in this file.
    #[error("{} is held by a running game: leave the server in the game, and try again", .0.display())]
    Running(PathBuf),
    /// An archive has only tiles.
    #[error("{} is an archive, which has no markers: name the folder of the map", .0.display())]
    NoMarkers(PathBuf),
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// All requested dimensions are left out.
    #[error("no dimension can be written: name another with {DIMENSION}; {0}")]
    NothingToWrite(String),
}

impl XaeroError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        match self {
            Self::World(error) => error.retryable(),
            Self::Publish(error) => error.retryable(),
            Self::Export(error) => error.retryable(),
            Self::Running(_) => true,
            Self::NoMarkers(_) | Self::Plan(_) | Self::NothingToWrite(_) => false,
        }
    }
}
