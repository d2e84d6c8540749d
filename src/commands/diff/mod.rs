//! `pixelmap diff`.

mod outputs;
mod texts;

use std::io::{self, Write as _};
use std::path::Path;

use pixelmap::compare::{self, Difference, Request, Side, Trouble};
use pixelmap::pipeline::Limit;
use pixelmap::world::canonical_id;

use super::{Ending, OK, USAGE, print, put, put_lists, threads};
use crate::cli::DiffArgs;
use outputs::{Outputs, crop_places, is_standard};

const DIFFERS: u8 = 1;
const TROUBLE: u8 = USAGE;
/// The most pictures of tiles in a Markdown summary.
const MAX_CROPS: usize = 12;

/// A difference, and whether it is too large.
struct Judged<'a> {
    args: &'a DiffArgs,
    difference: Difference,
    same: bool,
}

/// Compares two renders.
pub(super) fn run(args: &DiffArgs) -> Result<u8, Ending> {
    // As in diff and cmp: code 1 is only for what was compared.
    let as_trouble = |Ending(_, message): Ending| Ending(TROUBLE, message);
    let outputs = Outputs::of(args)?;
    outputs.empty().map_err(as_trouble)?;
    let differs = compare_both(args, &outputs).map_err(as_trouble);
    if let Err(Ending(_, message)) = &differs {
        tell_trouble(args, message).map_err(as_trouble)?;
    }
    Ok(if differs? { DIFFERS } else { OK })
}

fn trouble(error: Trouble) -> Ending {
    Ending::new(TROUBLE, error)
}

/// Writes the reports of what could not be compared: a job that shows them must not show nothing.
fn tell_trouble(args: &DiffArgs, message: &str) -> Result<(), Ending> {
    if let Some(path) = &args.junit {
        put(path, texts::junit_of_trouble(message).as_bytes())?;
    }
    if let Some(path) = &args.markdown {
        put(path, texts::markdown_of_trouble(message).as_bytes())?;
    }
    Ok(())
}

fn compare_both(args: &DiffArgs, outputs: &Outputs<'_>) -> Result<bool, Ending> {
    let request = Request {
        dimensions: dimensions(args),
        layers: args.layer.clone(),
        area: args.area,
        tolerance: args.tolerance,
        count_drawn: matches!(args.max_changed, Limit::Percent(_)),
        threads: threads(args.threads),
    };
    let (a, b) = (Side::open(&args.a).map_err(trouble)?, Side::open(&args.b).map_err(trouble)?);
    check(args, &a)?;
    let difference = compare::compare(&a, &b, &request).map_err(trouble)?;
    let same = !args.max_changed.is_exceeded(difference.pixels(), difference.drawn());
    let judged = Judged { args, difference, same };
    lists(args, (&a, &b), &request)?;
    pictures(&judged, (&a, &b), &request)?;
    if let Some(path) = &args.junit {
        put(path, texts::junit(&judged).as_bytes())?;
    }
    if let Some(path) = &args.markdown {
        let crops = crops(&judged, path, (&a, &b), &request)?;
        put(path, texts::markdown(&judged, &crops).as_bytes())?;
    }
    if !args.quiet {
        let _ = io::stderr().write_all(texts::summary(&judged).as_bytes());
    }
    if args.json {
        print(texts::json(&judged).as_bytes())?;
    } else if !outputs.take_standard() {
        print(texts::lines(&judged).as_bytes())?;
    }
    Ok(!judged.same)
}

/// The ids of the dimensions asked for; none: all.
fn dimensions(args: &DiffArgs) -> Vec<String> {
    if args.dimension.iter().any(|name| name == "all") {
        return Vec::new();
    }
    args.dimension.iter().map(String::as_str).map(canonical_id).collect()
}

/// Refuses options that do not fit the two sides, before anything is read.
fn check(args: &DiffArgs, a: &Side) -> Result<(), Ending> {
    let refuse = |what: &str| Err(Ending::new(TROUBLE, what));
    match a {
        Side::Picture(_) if !args.layer.is_empty() || !args.dimension.is_empty() => {
            refuse("a picture shows one layer of one dimension: leave out -d and --layer")
        }
        Side::Picture(_) if args.changed_list.is_some() || args.deleted_list.is_some() => {
            refuse("a picture is one file: --changed-list and --deleted-list are for maps")
        }
        // A number of tiles must not pass for a number of pixels.
        Side::Manifest(path)
            if args.image.is_some() || args.heatmap.is_some() || args.max_changed != Limit::Count(0) =>
        {
            Err(trouble(Trouble::NeedsPixels(path.clone())))
        }
        _ => Ok(()),
    }
}

fn lists(args: &DiffArgs, (a, b): (&Side, &Side), request: &Request) -> Result<(), Ending> {
    if args.changed_list.is_none() && args.deleted_list.is_none() {
        return Ok(());
    }
    let lists = compare::lists(a, b, request).map_err(trouble)?;
    put_lists([(&args.changed_list, &lists.changed), (&args.deleted_list, &lists.deleted)]).map(drop)
}

/// Writes the pictures asked for. Without differences there is none.
fn pictures(judged: &Judged<'_>, sides: (&Side, &Side), request: &Request) -> Result<(), Ending> {
    let Judged { args, difference, .. } = judged;
    for (path, is_heatmap) in [(&args.image, false), (&args.heatmap, true)] {
        let Some(path) = path else { continue };
        let Some(layer) = difference.most_changed() else { continue };
        let bytes = if is_heatmap {
            compare::heatmap(sides, request, difference, layer)
        } else {
            compare::shown(sides, request, difference, (layer, None), compare::LARGE)
        };
        put(path, &bytes.map_err(trouble)?)?;
    }
    Ok(())
}

/// Writes pictures of the tiles with most differences beside a summary. Returns their names, each with its layer and
/// tile.
fn crops(
    judged: &Judged<'_>,
    path: &Path,
    (a, b): (&Side, &Side),
    request: &Request,
) -> Result<Vec<(String, usize, usize)>, Ending> {
    let mut names = Vec::new();
    if is_standard(path) || matches!(a, Side::Manifest(_)) {
        return Ok(names);
    }
    for (place, (layer, changed)) in crop_places(path).zip(judged.largest()) {
        let shown = compare::shown((a, b), request, &judged.difference, (layer, Some(changed)), compare::SMALL);
        put(&place, &shown.map_err(trouble)?)?;
        names.push((place.file_name().unwrap_or_default().to_string_lossy().into_owned(), layer, changed));
    }
    Ok(names)
}

impl Judged<'_> {
    /// The numbers of layer and tile of the largest differences, largest first.
    fn largest(&self) -> Vec<(usize, usize)> {
        let layers = self.difference.layers.iter().enumerate();
        let mut all: Vec<(usize, usize)> =
            layers.flat_map(|(layer, of)| (0..of.changed.len()).map(move |changed| (layer, changed))).collect();
        all.sort_by_key(|&(layer, changed)| std::cmp::Reverse(self.difference.layers[layer].changed[changed].pixels));
        all.truncate(MAX_CROPS);
        all
    }
}
