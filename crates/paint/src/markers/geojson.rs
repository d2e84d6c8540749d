//! Writes markers as `GeoJSON` (RFC 7946). The coordinates are blocks `[x, z]` rather than degrees.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::markers::kind::MarkerKind;
use crate::markers::marker::Marker;
use pixelmap_base::coord::ColumnPos;
use pixelmap_base::json;

/// Returns the text of a kind's file: one feature per line, in the order of `markers`. `border` is
/// a further feature, which comes first. `images` holds each picture once, by the name that markers
/// use for it.
pub fn collection(
    dimension: &str,
    kind: MarkerKind,
    markers: &[Cow<'_, Marker>],
    border: Option<&str>,
    images: &BTreeMap<String, String>,
) -> String {
    let id = json::text(&dimension).unwrap_or_default();
    let mut text = format!(
        r#"{{"type":"FeatureCollection","dimension":{id},"kind":"{}","features":["#,
        kind.name()
    );

    let mut before = "\n";
    if let Some(feature) = border {
        text.extend([before, feature]);
        before = ",\n";
    }

    for marker in markers {
        let Marker {
            at: ColumnPos { x, z },
            properties,
            ..
        } = &**marker;

        // Writing to a `String` never fails.
        let _ = write!(
            text,
            r#"{before}{{"type":"Feature","geometry":{{"type":"Point","coordinates":[{x},{z}]}},"properties":{properties}}}"#
        );
        before = ",\n";
    }

    text.push_str("\n]");

    if !images.is_empty() {
        text.push_str(",\"images\":");
        text.push_str(&json::text(images).unwrap_or_default());
    }

    text.push_str("}\n");
    text
}

/// Returns a script that contains the texts of all files of markers, by path, because a page that
/// is opened from disk must not read files. Each file is a string of its own, so a file that was
/// damaged by hand does not affect the others.
pub fn script<'t>(files: impl Iterator<Item = (&'t str, &'t str)>) -> String {
    // Writing cannot fail, because JSON can hold every text.
    let entries = files.map(|(path, text)| {
        format!(
            "{}:{}",
            json::text(&path).unwrap_or_default(),
            json::text(&text).unwrap_or_default()
        )
    });
    format!(
        "pixelmapMarkers({{\n{}\n}});\n",
        entries.collect::<Vec<_>>().join(",\n")
    )
}
