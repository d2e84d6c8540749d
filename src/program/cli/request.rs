//! A requested map: the options of `render`, and the kind of output that follows from them.

use std::path::{Path, PathBuf};

use pixelmap::draw::{Mode, PictureOptions};

use super::{RenderArgs, mode};

/// One requested map of a run.
#[derive(Debug)]
pub(crate) struct MapRequest {
    pub(crate) args: RenderArgs,
    /// The output that the options ask for, or the reason why the options do not fit each other.
    pub(crate) target: Result<MapTarget, String>,
}

/// The output that the options of a map ask for.
#[derive(Debug)]
pub(crate) struct MapTarget {
    pub(crate) mode: Mode,
    pub(crate) output: PathBuf,
    /// The options of the picture. Only a picture uses them.
    pub(crate) picture: PictureOptions,
}

impl MapRequest {
    pub(crate) fn new(args: RenderArgs) -> Self {
        let target = mode::read(&args).map(|(mode, output, picture)| MapTarget { mode, output, picture });
        Self { args, target }
    }

    /// Returns the path of the output even if the options do not fit each other; empty if the options name none.
    pub(crate) fn output(&self) -> &Path {
        match &self.target {
            Ok(target) => &target.output,
            Err(_) => self.args.output.as_deref().unwrap_or(Path::new("")),
        }
    }
}
