//! Formats the texts of `pixelmap diff`: the verdict, the lines, JSON, a JUnit report, the summary
//! on standard error, and the summary in Markdown.

use std::fmt::Write as _;

use pixelmap_map::compare::{Change, ChangedImage, LayerDifference};
use serde_json::{Value, json};

use super::judged::{DifferingTile, JudgedDifference, MAX_CROPS};
use crate::cli::DiffArgs;
use crate::summary::{count_text, escape_name};

fn name(layer: &LayerDifference) -> String {
    let dimension = layer.dimension.as_deref().unwrap_or("-");
    let id = layer.layer.as_deref().unwrap_or("-");
    format!("{dimension}/{id}")
}

fn tile(changed: &ChangedImage) -> String {
    changed
        .tile
        .map_or_else(|| "-".to_owned(), |[zoom, x, y]| format!("{zoom}/{x}/{y}"))
}

fn bounds([x0, z0, x1, z1]: [i32; 4]) -> String {
    format!("{x0},{z0},{x1},{z1}")
}

fn pixels(changed: &ChangedImage) -> String {
    changed
        .pixels
        .map_or_else(|| "-".to_owned(), |pixels| pixels.to_string())
}

/// Formats one line for each tile that differs.
pub(super) fn lines(judged: &JudgedDifference<'_>) -> String {
    let mut text = String::new();
    for layer in &judged.difference.layers {
        let dimension = escape_name(layer.dimension.as_deref().unwrap_or("-"));
        let id = escape_name(layer.layer.as_deref().unwrap_or("-"));
        for changed in &layer.changed {
            let change = changed.change.name();
            let tile = tile(changed);
            let bounds = bounds(changed.bounds);
            let pixels = pixels(changed);
            let _ = writeln!(
                text,
                "{dimension}\t{id}\t{tile}\t{change}\t{bounds}\t{pixels}"
            );
        }
    }

    text
}

/// Returns the fields of the JSON document. `a` and `b` describe the two sides.
pub(super) fn json(judged: &JudgedDifference<'_>, [a, b]: [Value; 2]) -> Value {
    let JudgedDifference {
        args,
        difference,
        same,
        ..
    } = judged;

    json!({
        "same": same,
        "a": a,
        "b": b,
        "tolerance": args.tolerance,
        "max_changed": args.max_changed.to_string(),
        "area": args.area.map(|area| [area.x0, area.z0, area.x1, area.z1]),
        "layers": difference.layers,
    })
}

/// Formats a share in percent. A difference is never shown as 0 %, however small it is.
fn share(percent: f64) -> String {
    match percent {
        ..0.001 => "<0.001 %".to_owned(),
        0.001..1.0 => format!("{percent:.3} %"),
        1.0..10.0 => format!("{percent:.2} %"),
        _ => format!("{percent:.1} %"),
    }
}

/// Describes the differences of a layer in words.
pub(super) fn differences(layer: &LayerDifference) -> String {
    let alone = match layer.change {
        Some(Change::Added) => "is new: ",
        Some(Change::Removed) => "is gone: ",
        _ => "",
    };

    let Some([x0, z0, x1, z1]) = layer.bounds else {
        return format!("{alone}nothing is drawn");
    };

    let count = match (layer.pixels_changed, layer.percent) {
        (Some(pixels), Some(percent)) => {
            format!("{} ({})", count_text(pixels, "pixel"), share(percent))
        }
        (Some(pixels), None) => count_text(pixels, "pixel"),
        (None, _) => format!(
            "{} ({})",
            count_text(layer.changed.len() as u64, "tile"),
            share(layer.tile_percent())
        ),
    };

    format!("{alone}{count} in {x0},{z0} {x1},{z1}")
}

/// Returns the layers that differ.
fn differing_layers<'a>(
    judged: &'a JudgedDifference<'_>,
) -> impl Iterator<Item = &'a LayerDifference> {
    judged
        .difference
        .layers
        .iter()
        .filter(|layer| layer.change.is_some())
}

pub(super) fn verdict(judged: &JudgedDifference<'_>) -> String {
    let all = count_text(judged.difference.tiles(), judged.unit);
    let first = judged
        .difference
        .first_to_show()
        .map(|number| &judged.difference.layers[number]);
    let Some(first) = first.or_else(|| differing_layers(judged).next()) else {
        return format!("same: {all}");
    };

    let more = match differing_layers(judged).count() - 1 {
        0 => String::new(),
        more => format!(", and {}", count_text(more as u64, "more layer")),
    };

    let what = format!("{} {}{more}", escape_name(&name(first)), differences(first));
    if judged.same {
        format!(
            "same: {all}, except {what}: within --max-changed {}",
            judged.args.max_changed
        )
    } else {
        format!("differs: {what}")
    }
}

/// Formats the layers that differ for standard error; empty for a single layer, because the verdict
/// describes it.
pub(super) fn summary(judged: &JudgedDifference<'_>) -> String {
    if differing_layers(judged).count() < 2 {
        return String::new();
    }
    let mut text = String::new();
    for layer in differing_layers(judged) {
        let _ = writeln!(text, "{} {}", escape_name(&name(layer)), differences(layer));
    }
    text
}

/// Formats the beginning of a JUnit report, with the numbers of its cases.
fn junit_head(suite: &str, tests: usize, failures: usize, errors: usize) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" \
         tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n",
        xml(suite)
    )
}

fn has_failed(judged: &JudgedDifference<'_>, layer: &LayerDifference) -> bool {
    !judged.same && layer.change.is_some()
}

/// Formats a JUnit report with one case per layer. A case fails if the layer differs and the
/// difference is too large.
pub(super) fn junit(judged: &JudgedDifference<'_>) -> String {
    let layers = &judged.difference.layers;
    let failures = layers
        .iter()
        .filter(|layer| has_failed(judged, layer))
        .count();
    let mut text = junit_head(&judged.suite, layers.len(), failures, 0);
    for layer in layers {
        let _ = write!(
            text,
            "<testcase classname=\"{}\" name=\"{}\"",
            xml(&judged.suite),
            xml(&name(layer))
        );

        if !has_failed(judged, layer) {
            text += "/>\n";
            continue;
        }

        let _ = writeln!(
            text,
            ">\n<failure message=\"{}\">",
            xml(&format!("differs: {}", differences(layer)))
        );

        for changed in layer.changed.iter().take(MAX_CROPS) {
            let _ = writeln!(
                text,
                "{} {} {} {}",
                tile(changed),
                changed.change.name(),
                bounds(changed.bounds),
                pixels(changed)
            );
        }

        if layer.changed.len() > MAX_CROPS {
            let _ = writeln!(text, "and {} more", layer.changed.len() - MAX_CROPS);
        }

        text += "</failure>\n</testcase>\n";
    }

    text + "</testsuite>\n</testsuites>\n"
}

/// Formats a JUnit report of a comparison that failed.
pub(super) fn trouble_junit(args: &DiffArgs, message: &str) -> String {
    let file = args.b.file_stem().unwrap_or_default();
    let suite = args
        .suite
        .clone()
        .unwrap_or_else(|| file.to_string_lossy().into_owned());
    let case = format!(
        "<testcase classname=\"{}\" name=\"comparison\">\n",
        xml(&suite)
    );
    let error = format!("<error message=\"{}\"/>\n</testcase>\n", xml(message));
    junit_head(&suite, 1, 0, 1) + &case + &error + "</testsuite>\n</testsuites>\n"
}

/// Formats a Markdown summary of a comparison that failed.
pub(super) fn trouble_markdown(message: &str) -> String {
    format!("## Map: it cannot be compared\n\n{}\n", cell(message))
}

/// Escapes a text for XML, including the characters that XML forbids.
pub(super) fn xml(text: &str) -> String {
    escape_name(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The headings of the table of layers.
pub(super) const HEADINGS: [&str; 7] = [
    "layer",
    "pixels",
    "share",
    "tiles",
    "added",
    "removed",
    "box of blocks",
];

/// Returns the cells of a layer in this table.
pub(super) fn row(layer: &LayerDifference) -> [String; 7] {
    let pixels = layer
        .pixels_changed
        .map_or_else(|| "-".to_owned(), |pixels| pixels.to_string());

    let percent = layer.percent.unwrap_or_else(|| layer.tile_percent());
    let part = if layer.change.is_some() {
        share(percent)
    } else {
        "0 %".to_owned()
    };

    let [changed, added, removed] =
        [layer.tiles.changed, layer.tiles.added, layer.tiles.removed].map(|n| n.to_string());
    let around = layer.bounds.map_or_else(|| "-".to_owned(), bounds);

    let alone = match layer.change {
        Some(Change::Added) => " (new)",
        Some(Change::Removed) => " (gone)",
        _ => "",
    };

    [
        name(layer) + alone,
        pixels,
        part,
        changed,
        added,
        removed,
        around,
    ]
}

/// Describes a tile in words: its name, and the differences in it.
pub(super) fn describe_tile(
    judged: &JudgedDifference<'_>,
    DifferingTile {
        layer,
        changed,
        also,
    }: &DifferingTile,
) -> (String, String) {
    let layer = &judged.difference.layers[*layer];
    let changed = &layer.changed[*changed];

    let also = if also.is_empty() {
        String::new()
    } else {
        format!("; also in {}", also.join(", "))
    };

    let count = changed.pixels.map_or_else(String::new, |pixels| {
        format!("{} in ", count_text(pixels, "pixel"))
    });
    let what = format!(
        "{}: {count}{}{also}",
        changed.change.name(),
        bounds(changed.bounds)
    );

    (format!("{} {}", name(layer), tile(changed)), what)
}

/// Formats a Markdown summary for a pull request. `crops` are the names of the pictures of the
/// first tiles.
pub(super) fn markdown(judged: &JudgedDifference<'_>, crops: &[String]) -> String {
    let mut text = format!("## Map: {}\n\n", cell(&verdict(judged)));
    let _ = writeln!(
        text,
        "| {} |\n|{}",
        HEADINGS.join(" | "),
        "---|".repeat(HEADINGS.len())
    );

    for layer in &judged.difference.layers {
        let _ = writeln!(
            text,
            "| {} |",
            row(layer).map(|text| cell(&text)).join(" | ")
        );
    }

    let tiles = judged.differing_tiles();
    for (number, at) in tiles.iter().enumerate() {
        let (name, what) = describe_tile(judged, at);
        let _ = writeln!(text, "\n**{}** {}", cell(&name), cell(&what));
        if let Some(file) = crops.get(number) {
            let _ = writeln!(text, "\n![before, after, difference]({})", url(file));
        }
    }

    let more = judged.differing_tile_count() - tiles.len();
    if more > 0 {
        let _ = writeln!(text, "\nand {} more", count_text(more as u64, "tile"));
    }

    text
}

/// Escapes a text for Markdown, because it may contain names from a world.
fn cell(text: &str) -> String {
    let mut escaped = String::new();
    for c in escape_name(text).chars() {
        if c.is_ascii_punctuation() && !"/_-:.,;%()".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }

    escaped
}

/// Encodes the name of a file for use in an address.
fn url(name: &str) -> String {
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }

    encoded
}
