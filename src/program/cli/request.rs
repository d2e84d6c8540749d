//! A map that `render` is asked for: its options, and the kind of output that they make.

use std::path::{Path, PathBuf};

use pixelmap::draw::{Mode, PictureOptions};

use super::{RenderArgs, mode};

/// A map of a run.
pub(crate) struct MapRequest {
    pub(crate) args: RenderArgs,
    /// The output that the options ask for, or the reason why they do not fit.
    pub(crate) target: Result<MapTarget, String>,
}

/// The output that the options of a map ask for.
pub(crate) struct MapTarget {
    pub(crate) mode: Mode,
    pub(crate) output: PathBuf,
    /// The options of the picture, if it is one.
    pub(crate) picture: PictureOptions,
}

impl MapRequest {
    pub(crate) fn new(args: RenderArgs) -> Self {
        let target = mode::read(&args).map(|(mode, output, picture)| MapTarget { mode, output, picture });
        Self { args, target }
    }

    /// The output, also where the options do not fit; empty: none is named.
    pub(crate) fn output(&self) -> &Path {
        match &self.target {
            Ok(target) => &target.output,
            Err(_) => self.args.output.as_deref().unwrap_or(Path::new("")),
        }
    }
}
