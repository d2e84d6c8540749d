//! The options of a map as its report shows them. They are borrowed from the settings, so that a new field of the look
//! is in the report without another list.

use std::fmt::Display;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::atlas::Naming;
use crate::base::coord::{Area, YRange};
use crate::draw::request::colours::Colours;
use crate::draw::request::look::Look;
use crate::draw::request::settings::{Mode, RunSettings, Settings};
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
    #[serde(flatten)]
    colours: &'a Colours,
    #[serde(flatten)]
    run: &'a RunSettings,
}

/// Returns the options of a map in the form in which they take effect.
pub(crate) fn shown_options(settings: &Settings, naming: Naming) -> Options {
    let Settings { request, look, output, run } = settings;
    let format = if output.mode == Mode::Image { output.picture.format } else { naming.format };
    Options::new(&ShownOptions {
        shown: look,
        layers: request.layers.iter().map(|layer| layer.name()).collect(),
        scheme: (output.mode == Mode::Map).then_some(naming.scheme.name()),
        format: format.name(),
        look: LOOK,
        colours: &look.colours,
        run,
    })
}

/// Returns the options in the report of a run that could not begin.
pub fn no_options() -> Options {
    let options = shown_options(&Settings::new(Mode::Map, PathBuf::new()), Naming::default());
    options.with("scheme", Value::Null).with("format", Value::Null).emptied()
}

// The forms of single values. Serde passes references.

pub(super) fn corners<S: Serializer>(area: &Option<Area>, to: S) -> Result<S::Ok, S::Error> {
    area.map(|Area { x0, z0, x1, z1 }| [x0, z0, x1, z1]).serialize(to)
}

/// Writes the limits of a range, except those that leave out nothing.
pub(super) fn limits<S: Serializer>(range: &YRange, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Limits {
        min_y: Option<i32>,
        max_y: Option<i32>,
    }
    let YRange { min, max } = *range;
    let (min_y, max_y) = (Some(min).filter(|&y| y != YRange::ALL.min), Some(max).filter(|&y| y != YRange::ALL.max));
    Limits { min_y, max_y }.serialize(to)
}

/// Writes only whether there are any places, because the report must not name them.
pub(super) fn are_any<S: Serializer, T>(places: &[T], to: S) -> Result<S::Ok, S::Error> {
    (!places.is_empty()).serialize(to)
}

pub(super) fn above_zero<S: Serializer>(number: &u32, to: S) -> Result<S::Ok, S::Error> {
    Some(*number).filter(|&number| number > 0).serialize(to)
}

pub(super) fn paths<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.display().to_string()))
}

pub(super) fn is_some<S: Serializer, T>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
    value.is_some().serialize(to)
}

pub(super) fn text<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}
