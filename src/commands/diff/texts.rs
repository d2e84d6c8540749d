//! Output texts of `pixelmap diff`: lines, JSON, a JUnit report, a summary, one in Markdown.

use std::fmt::Write as _;

use pixelmap::compare::{Changed, LayerDifference};
use serde_json::json;

use super::{Judged, MAX_CROPS};
use crate::summary::{counted, plain};

fn name(layer: &LayerDifference) -> String {
    let part = |name: &Option<String>| name.as_deref().unwrap_or("-").to_owned();
    format!("{}/{}", part(&layer.dimension), part(&layer.layer))
}

fn tile(changed: &Changed) -> String {
    changed.tile.map_or_else(|| "-".to_owned(), |[zoom, x, y]| format!("{zoom}/{x}/{y}"))
}

fn bounds([x0, z0, x1, z1]: [i32; 4]) -> String {
    format!("{x0},{z0},{x1},{z1}")
}

fn pixels(changed: &Changed) -> String {
    changed.pixels.map_or_else(|| "-".to_owned(), |pixels| pixels.to_string())
}

/// A line for each tile that differs.
pub(super) fn lines(judged: &Judged<'_>) -> String {
    let mut text = String::new();
    for layer in &judged.difference.layers {
        let part = |name: &Option<String>| plain(name.as_deref().unwrap_or("-"));
        let (dimension, id) = (part(&layer.dimension), part(&layer.layer));
        for changed in &layer.changed {
            let (change, tile) = (changed.change.name(), tile(changed));
            let (bounds, pixels) = (bounds(changed.bounds), pixels(changed));
            let _ = writeln!(text, "{dimension}\t{id}\t{tile}\t{change}\t{bounds}\t{pixels}");
        }
    }
    text
}

/// One JSON object.
pub(super) fn json(judged: &Judged<'_>) -> String {
    let Judged { args, difference, same } = judged;
    let value = json!({
        "same": same,
        "tolerance": args.tolerance,
        "max_changed": args.max_changed.to_string(),
        "area": args.area.map(|area| [area.x0, area.z0, area.x1, area.z1]),
        "layers": difference.layers,
    });
    // All values fit into JSON.
    pixelmap::json::text(&value).unwrap_or_default() + "\n"
}

/// The differences of a layer in words.
fn says(layer: &LayerDifference) -> String {
    let tiles = counted(layer.changed.len() as u64, "tile");
    match (layer.pixels_changed, layer.bounds) {
        (_, None) => "nothing".to_owned(),
        (None, Some(around)) => format!("{tiles} in {}", bounds(around)),
        (Some(pixels), Some(around)) => format!("{} in {tiles}, in {}", counted(pixels, "pixel"), bounds(around)),
    }
}

/// The summary for standard error.
pub(super) fn summary(judged: &Judged<'_>) -> String {
    let mut text = String::new();
    for layer in judged.difference.layers.iter().filter(|layer| !layer.changed.is_empty()) {
        let _ = writeln!(text, "{} differs: {}", plain(&name(layer)), says(layer));
    }
    if judged.same && !text.is_empty() {
        let _ = writeln!(text, "within the limit of --max-changed {}", judged.args.max_changed);
    }
    text
}

/// A JUnit report: a case for each layer, which fails if the layer differs.
pub(super) fn junit(judged: &Judged<'_>) -> String {
    let layers = &judged.difference.layers;
    let has_failed = |layer: &LayerDifference| !judged.same && !layer.changed.is_empty();
    let failures = layers.iter().filter(|layer| has_failed(layer)).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"pixelmap diff\" tests=\"{}\" \
         failures=\"{failures}\" errors=\"0\">\n",
        layers.len()
    );
    for layer in layers {
        let _ = write!(text, "<testcase classname=\"pixelmap diff\" name=\"{}\"", xml(&name(layer)));
        if !has_failed(layer) {
            text += "/>\n";
            continue;
        }
        let _ = writeln!(text, ">\n<failure message=\"{}\">", xml(&format!("differs: {}", says(layer))));
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

/// A JUnit report of a comparison that could not be made.
pub(super) fn junit_of_trouble(message: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"pixelmap diff\" tests=\"1\" \
         failures=\"0\" errors=\"1\">\n<testcase classname=\"pixelmap diff\" name=\"comparison\">\n\
         <error message=\"{}\"/>\n</testcase>\n</testsuite>\n</testsuites>\n",
        xml(message)
    )
}

/// The same as a summary for a pull request.
pub(super) fn markdown_of_trouble(message: &str) -> String {
    format!("## Map: it cannot be compared\n\n{}\n", cell(message))
}

/// Text inside XML, without the characters that XML forbids.
fn xml(text: &str) -> String {
    plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A summary for a pull request; `crops` are the names of pictures, each with its layer and tile.
pub(super) fn markdown(judged: &Judged<'_>, crops: &[(String, usize, usize)]) -> String {
    let layers = &judged.difference.layers;
    let mut text = "## Map: ".to_owned();
    text += match (judged.same, judged.difference.most_changed()) {
        (_, None) => "nothing differs\n",
        (true, _) => "the differences are within the allowed limit\n",
        _ => "it differs\n",
    };
    text += "\n| layer | pixels | tiles | added | removed | box of blocks |\n|---|---|---|---|---|---|\n";
    for layer in layers {
        let pixels = layer.pixels_changed.map_or_else(|| "-".to_owned(), |pixels| pixels.to_string());
        let (tiles, around) = (layer.tiles, layer.bounds.map_or_else(|| "-".to_owned(), bounds));
        let name = cell(&name(layer));
        let _ = writeln!(
            text,
            "| {name} | {pixels} | {} | {} | {} | {around} |",
            tiles.changed, tiles.added, tiles.removed
        );
    }
    let largest = judged.largest();
    for &(number, at) in &largest {
        let (layer, changed) = (&layers[number], &judged.difference.layers[number].changed[at]);
        let _ = writeln!(
            text,
            "\n**{} {}** {}: {} pixels in {}",
            cell(&name(layer)),
            tile(changed),
            changed.change.name(),
            pixels(changed),
            bounds(changed.bounds)
        );
        if let Some((file, ..)) = crops.iter().find(|(_, layer, changed)| (*layer, *changed) == (number, at)) {
            let _ = writeln!(text, "\n![before, after, difference]({})", url(file));
        }
    }
    let all: usize = layers.iter().map(|layer| layer.changed.len()).sum();
    if all > largest.len() {
        let _ = writeln!(text, "\nand {} more tiles", all - largest.len());
    }
    text
}

/// A world's name as plain text in Markdown.
fn cell(text: &str) -> String {
    let is_obeyed = |c: char| c.is_ascii_punctuation() && !matches!(c, '/' | '_' | '-' | ':' | '.');
    plain(text).chars().map(|c| if is_obeyed(c) { format!("\\{c}") } else { c.to_string() }).collect()
}

/// A file's name as an address.
fn url(name: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(byte);
    name.bytes()
        .map(|byte| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
