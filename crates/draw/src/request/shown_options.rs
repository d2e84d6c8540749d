//! The options of a map as its report shows them.

use std::path::PathBuf;

use crate::report::Options;
use crate::request::look::Look;
use crate::request::settings::{Mode, Settings};
use pixelmap_base::coord::{Area, YRange};
use pixelmap_map::atlas::Naming;
use pixelmap_paint::layers::LOOK;

/// Returns the options of a map in the form in which they take effect.
pub(crate) fn shown_options(settings: &Settings, naming: Naming) -> Options {
    let Settings {
        request,
        look,
        output,
        run,
    } = settings;

    // All fields are named, so that the report cannot lack a new option. Only the choices are not
    // shown.
    let Look {
        area,
        range,
        unfinished,
        hide,
        min_inhabited,
        choices: _,
        colours,
    } = look;

    let format = if output.mode == Mode::Image {
        output.picture.format
    } else {
        naming.format
    };

    Options {
        area: area.map(|Area { x0, z0, x1, z1 }| [x0, z0, x1, z1]),
        min_y: (range.min != YRange::ALL.min).then_some(range.min),
        max_y: (range.max != YRange::ALL.max).then_some(range.max),
        unfinished: *unfinished,
        hide: !hide.is_empty(),
        min_inhabited: (*min_inhabited > 0).then_some(*min_inhabited),
        layers: request
            .layers
            .iter()
            .map(|layer| layer.name().to_owned())
            .collect(),
        scheme: (output.mode == Mode::Map).then(|| naming.scheme.name().to_owned()),
        format: Some(format.name().to_owned()),
        look: LOOK,
        palette: path_texts(&colours.palettes),
        unknown: colours.unknown.to_string(),
        assets: path_texts(&colours.assets),
        max_batch: run.max_batch,
        staged: run.staged.is_some(),
    }
}

fn path_texts(paths: &[PathBuf]) -> Vec<String> {
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect()
}
