//! The exit code and message of a command, and how errors of the library become one.

use std::fmt::Display;
use std::io;
use std::path::Path;

use pixelmap_base::{denied, retry};
use pixelmap_draw::import::ImportError;
use pixelmap_draw::map_mods::XaeroError;
use pixelmap_draw::report::{Failure, FailureKind};
use pixelmap_draw::{MergeError, RenderError};
use pixelmap_map::atlas::AtlasError;
use pixelmap_map::compare::Trouble;
#[cfg(feature = "object-store")]
use pixelmap_map::export::BucketError;
use pixelmap_map::export::ExportError;
#[cfg(feature = "object-store")]
use pixelmap_map::remote::RemoteError;
use pixelmap_map::store::PublishError;
#[cfg(feature = "serve")]
use pixelmap_serve::FollowError;
use pixelmap_world::internal::WorldError;

pub(crate) const OK: u8 = 0;

pub(crate) const FAILED: u8 = 1;

pub(crate) const USAGE: u8 = 2;

pub(crate) const GAPS: u8 = 3;

pub(crate) const NOT_NOW: u8 = 75;

/// An exit code and its message for standard error.
pub(crate) struct Ending {
    pub(crate) code: u8,
    pub(crate) message: String,
}

impl Ending {
    /// Returns an ending for any error.
    pub(crate) fn new(code: u8, error: impl Display) -> Self {
        Self {
            code,
            message: error.to_string(),
        }
    }

    /// Returns an ending for an error. With `is_retryable` the exit code shows that the same call
    /// may succeed later.
    pub(crate) fn failed(is_retryable: bool, error: impl Display) -> Self {
        Self::new(if is_retryable { NOT_NOW } else { FAILED }, error)
    }

    /// Returns the ending of a command that could not write a file.
    pub(crate) fn not_written(path: &Path, error: &io::Error) -> Self {
        Self::failed(
            retry::retryable(error),
            format!(
                "{}: {}",
                path.display(),
                denied::describe_write(path, error)
            ),
        )
    }

    pub(crate) fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// Returns the reason why nothing was drawn, in the form for a report.
    pub(super) fn failure(&self) -> Failure {
        let kind = if self.code == USAGE {
            FailureKind::Usage
        } else {
            FailureKind::NotBegun
        };
        Failure {
            kind,
            message: self.message.clone(),
            retryable: self.code == NOT_NOW,
        }
    }
}

impl From<WorldError> for Ending {
    fn from(error: WorldError) -> Self {
        Self::failed(error.retryable(), error)
    }
}

impl From<ImportError> for Ending {
    fn from(error: ImportError) -> Self {
        Self::failed(error.retryable(), error)
    }
}

impl From<AtlasError> for Ending {
    fn from(error: AtlasError) -> Self {
        Self::failed(error.retryable(), error)
    }
}

impl From<PublishError> for Ending {
    fn from(error: PublishError) -> Self {
        match error {
            PublishError::InsideWorld(_) => Self::new(USAGE, error),
            _ => Self::failed(error.retryable(), error),
        }
    }
}

impl From<RenderError> for Ending {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Output(error) => error.into(),
            RenderError::Colours(_)
            | RenderError::Hide(_)
            | RenderError::Markers(_)
            | RenderError::Picture(_)
                if !error.retryable() =>
            {
                Self::new(USAGE, error)
            }
            _ => Self::failed(error.retryable(), error),
        }
    }
}

impl From<MergeError> for Ending {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Render(error) => error.into(),
            _ => Self::new(FAILED, error),
        }
    }
}

impl From<XaeroError> for Ending {
    fn from(error: XaeroError) -> Self {
        match error {
            XaeroError::Publish(error) => error.into(),
            XaeroError::Export(error) => error.into(),
            XaeroError::NoMarkers(_) => Self::new(USAGE, error),
            _ => Self::failed(error.retryable(), error),
        }
    }
}

impl From<ExportError> for Ending {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Publish(error) => error.into(),
            #[cfg(feature = "object-store")]
            ExportError::Bucket(BucketError::Address(_)) => Self::new(USAGE, error),
            ExportError::Picture(_)
            | ExportError::InMap(_)
            | ExportError::MapModOfMoment(_)
            | ExportError::TimelapseOfArchive(_)
            | ExportError::TimelapseOfMoment(_) => Self::new(USAGE, error),
            _ => Self::failed(error.retryable(), error),
        }
    }
}

#[cfg(feature = "object-store")]
impl From<RemoteError> for Ending {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::Address(_) => Self::new(USAGE, error),
            _ => Self::failed(error.retryable(), error),
        }
    }
}

impl From<Trouble> for Ending {
    fn from(error: Trouble) -> Self {
        Self::new(FAILED, error)
    }
}

#[cfg(feature = "serve")]
impl From<FollowError> for Ending {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::World(error) => error.into(),
            FollowError::Render(error) => error.into(),
            FollowError::Failed(failure) => failure.into(),
            FollowError::Thread(_) => Self::new(NOT_NOW, error),
            FollowError::Panicked | FollowError::Server(_) => Self::new(FAILED, error),
        }
    }
}

/// Converts the failure in the report of a run.
impl From<Failure> for Ending {
    fn from(failure: Failure) -> Self {
        Self::failed(failure.retryable, failure.message)
    }
}
