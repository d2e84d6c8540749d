//! Compares two renders and writes the requested reports.

use std::io::{self, Write as _};
use std::path::Path;

use pixelmap_base::coord::Area;
use pixelmap_draw::Limit;
use pixelmap_map::atlas::FinishedMap;
use pixelmap_map::compare::{self, CompareRequest, DifferencePart, Panels, Side, Sides, Trouble};
use pixelmap_world::internal::canonical_id;
use serde_json::{Value, json};

use super::codes::{DIFFERS, TROUBLE};
use super::judged::JudgedDifference;
use super::outputs::{Outputs, crop_paths, is_standard};
use super::page;
use super::texts;
use crate::cli::DiffArgs;
use crate::cli::parse::{self, IgnoredArea};
use crate::commands::worker_count::worker_count;
use crate::outcome::{Ending, OK, document, print, put, put_lists};

pub(crate) fn run(args: &DiffArgs) -> Result<u8, Ending> {
    let outputs = Outputs::new(args)?;
    outputs.empty_files().map_err(as_trouble)?;

    let code = compare_both(args, &outputs).map_err(as_trouble);
    if let Err(Ending { message, .. }) = &code {
        report_trouble(args, message).map_err(as_trouble)?;
    }

    code
}

/// Gives a failure the code for trouble, because code 1 means that the comparison found a
/// difference, as in the tools diff and cmp.
fn as_trouble(ending: Ending) -> Ending {
    ending.with_code(TROUBLE)
}

/// Writes reports of a comparison that failed. Otherwise a job that shows these reports would show
/// nothing, as if all was well.
fn report_trouble(args: &DiffArgs, message: &str) -> Result<(), Ending> {
    if let Some(path) = &args.junit {
        put(path, texts::trouble_junit(args, message).as_bytes())?;
    }

    if let Some(path) = &args.markdown {
        put(path, texts::trouble_markdown(message).as_bytes())?;
    }

    if let Some(path) = &args.html {
        put(path, page::trouble_page(message).as_bytes())?;
    }

    Ok(())
}

fn compare_both(args: &DiffArgs, outputs: &Outputs<'_>) -> Result<u8, Ending> {
    let request = CompareRequest {
        dimensions: dimensions(args),
        layers: args.layer.clone(),
        area: args.area,
        ignore: ignored_areas(args)?,
        tolerance: args.tolerance,
        threads: worker_count(args.threads),
    };

    let a = Side::open(&args.a)?;
    let b = Side::open(&args.b)?;
    let sides = Sides { a: &a, b: &b };
    check(args, [&a, &b])?;
    let difference = compare::compare(&a, &b, &request)?;

    // A layer that exists on one side only is always a difference, regardless of the allowed number
    // of pixels.
    let same = !args
        .max_changed
        .is_exceeded(difference.pixels(), difference.pixels_drawn())
        && !difference.has_unpaired_layer();
    let suite = args.suite.clone().unwrap_or_else(|| b.name());

    let unit = if matches!(a, Side::Picture(_)) {
        "picture"
    } else {
        "tile"
    };

    let judged = JudgedDifference {
        args,
        difference,
        same,
        suite,
        unit,
    };
    write_lists(args, sides, &request)?;
    pictures(&judged, sides, &request)?;

    if let Some(path) = &args.junit {
        put(path, texts::junit(&judged).as_bytes())?;
    }

    if let Some(path) = &args.markdown {
        let crops = crops(&judged, path, sides, &request)?;
        put(path, texts::markdown(&judged, &crops).as_bytes())?;
    }

    if let Some(path) = &args.html {
        put(
            path,
            page::comparison_page(&judged, sides, &request)?.as_bytes(),
        )?;
    }

    let is_taken = args.json || outputs.use_standard_output();
    let code = if judged.same { OK } else { DIFFERS };

    if !args.quiet {
        let verdict = if is_taken {
            texts::verdict(&judged) + "\n"
        } else {
            String::new()
        };
        let _ = io::stderr().write_all((verdict + &texts::summary(&judged)).as_bytes());
    }

    if args.json {
        let sides = [
            side_json(&a, &args.a, request.threads)?,
            side_json(&b, &args.b, request.threads)?,
        ];
        print(document::result(code, texts::json(&judged, sides))?.as_bytes())?;
    } else if !is_taken {
        print((texts::verdict(&judged) + "\n" + &texts::lines(&judged)).as_bytes())?;
    }

    Ok(code)
}

fn side_json(side: &Side, path: &Path, threads: usize) -> Result<Value, Ending> {
    let digest = compare::digest(side, threads)?;
    Ok(json!({ "path": path.display().to_string(), "digest": digest }))
}

/// Returns the areas that the comparison ignores.
fn ignored_areas(args: &DiffArgs) -> Result<Vec<Area>, Ending> {
    let mut areas = Vec::new();
    for ignored in &args.ignore {
        match ignored {
            IgnoredArea::Of(area) => areas.push(*area),
            IgnoredArea::File(path) => {
                let rectangles = std::fs::read_to_string(path)
                    .map_err(|error| error.to_string())
                    .and_then(|text| parse::parse_rectangles(&text))
                    .map_err(|why| Ending::new(TROUBLE, format!("{}: {why}", path.display())))?;
                areas.extend(rectangles);
            }
        }
    }

    Ok(areas)
}

/// Returns the ids of the requested dimensions; empty for all.
fn dimensions(args: &DiffArgs) -> Vec<String> {
    if args.dimension.iter().any(|name| name == "all") {
        return Vec::new();
    }
    args.dimension
        .iter()
        .map(String::as_str)
        .map(canonical_id)
        .collect()
}

/// Fails if options do not fit the two sides, before any tile is read.
fn check(args: &DiffArgs, sides: [&Side; 2]) -> Result<(), Ending> {
    let is_named = !args.layer.is_empty() || !args.dimension.is_empty();
    let has_lists = args.changed_list.is_some() || args.deleted_list.is_some();

    // `--max-changed` counts pixels, and manifests contain none. A number of tiles must not be
    // mistaken for it.
    let has_pictures =
        args.image.is_some() || args.heatmap.is_some() || args.max_changed != Limit::Count(0);
    let why = match sides {
        [Side::Picture(_), _] if is_named => {
            "a picture shows one layer of one dimension: leave out -d and --layer"
        }
        [Side::Manifest(_), Side::Manifest(_)] if is_named => {
            "a tiles.tsv lists one layer of one dimension: leave out -d and --layer"
        }
        [Side::Manifest(path), _] | [_, Side::Manifest(path)] if has_pictures => {
            return Err(Trouble::NeedsPixels(path.clone()).into());
        }
        [Side::Picture(_) | Side::Map(FinishedMap::Archive(_)), _]
        | [_, Side::Manifest(_) | Side::Map(FinishedMap::Archive(_))]
            if has_lists =>
        {
            "--changed-list and --deleted-list are for maps in folders: leave them out"
        }
        _ => return Ok(()),
    };

    Err(Ending::new(TROUBLE, why))
}

fn write_lists(
    args: &DiffArgs,
    Sides { a, b }: Sides<'_>,
    request: &CompareRequest,
) -> Result<(), Ending> {
    if args.changed_list.is_none() && args.deleted_list.is_none() {
        return Ok(());
    }

    let lists = compare::list_differences(a, b, request)?;
    put_lists([
        (&args.changed_list, &lists.changed),
        (&args.deleted_list, &lists.deleted),
    ])
    .map(drop)
}

/// Writes the requested pictures, if there is any difference to show.
fn pictures(
    judged: &JudgedDifference<'_>,
    sides: Sides<'_>,
    request: &CompareRequest,
) -> Result<(), Ending> {
    let JudgedDifference {
        args, difference, ..
    } = judged;
    for (path, is_heatmap) in [(&args.image, false), (&args.heatmap, true)] {
        let Some(path) = path else { continue };
        let Some(layer) = difference.first_to_show() else {
            continue;
        };

        let bytes = if is_heatmap {
            compare::heatmap(sides, request, difference, layer)
        } else {
            compare::show_part(
                sides,
                request,
                difference,
                DifferencePart {
                    layer,
                    changed: None,
                },
                compare::LARGE,
            )
            .map(Panels::side_by_side)
        };

        put(path, &bytes?)?;
    }

    Ok(())
}

/// Writes pictures of the tiles with most differences into the folder of a summary. Returns the
/// names of the files.
fn crops(
    judged: &JudgedDifference<'_>,
    path: &Path,
    sides: Sides<'_>,
    request: &CompareRequest,
) -> Result<Vec<String>, Ending> {
    let mut names = Vec::new();
    if is_standard(path) || !judged.has_pixels() {
        return Ok(names);
    }

    for (file, tile) in crop_paths(path).zip(judged.differing_tiles()) {
        let what = DifferencePart {
            layer: tile.layer,
            changed: Some(tile.changed),
        };
        let shown = compare::show_part(sides, request, &judged.difference, what, compare::SMALL)?;
        put(&file, &shown.side_by_side())?;

        names.push(
            file.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        );
    }

    Ok(names)
}
