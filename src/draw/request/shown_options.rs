//! The options of a map as its report shows them. The look serializes itself, so that a new field
//! of it is in the report without another list.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use crate::atlas::Naming;
use crate::draw::request::look::Look;
use crate::draw::request::settings::{Mode, Settings};
use crate::paint::layers::LOOK;
use crate::report::Options;

#[derive(Serialize)]
struct ShownOptions<'a> {
    #[serde(flatten)]
    shown: &'a Look,
    layers: Vec<&'a str>,
    /// The scheme of the tiles' names. `None` for a picture.
    scheme: Option<&'static str>,
    /// The format of the tiles, or of the picture.
    format: &'static str,
    /// The version of the look.
    look: u32,
    palette: Vec<String>,
    unknown: String,
    assets: Vec<String>,
    max_batch: usize,
    staged: bool,
}

/// Returns the options of a map in the form in which they take effect.
pub(crate) fn shown_options(settings: &Settings, naming: Naming) -> Options {
    let Settings {
        request,
        look,
        output,
        run,
    } = settings;

    let format = if output.mode == Mode::Image {
        output.picture.format
    } else {
        naming.format
    };

    let paths = |paths: &[PathBuf]| {
        paths
            .iter()
            .map(|path| path.display().to_string())
            .collect()
    };

    Options::new(&ShownOptions {
        shown: look,
        layers: request.layers.iter().map(|layer| layer.name()).collect(),
        scheme: (output.mode == Mode::Map).then_some(naming.scheme.name()),
        format: format.name(),
        look: LOOK,
        palette: paths(&look.colours.palettes),
        unknown: look.colours.unknown.to_string(),
        assets: paths(&look.colours.assets),
        max_batch: run.max_batch,
        staged: run.staged.is_some(),
    })
}

/// Returns the options in the report of a run that could not begin.
pub fn no_options() -> Options {
    let options = shown_options(&Settings::new(Mode::Map, PathBuf::new()), Naming::default());
    options
        .with("scheme", Value::Null)
        .with("format", Value::Null)
        .emptied()
}
