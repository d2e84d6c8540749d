//! Markers as `GeoJSON` (RFC 7946), whose coordinates are blocks here: `[x, z]`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::base::coord::ColumnPos;
use crate::base::json;
use crate::markers::{Marker, MarkerKind};

/// The text of the file of a kind: one feature per line, sorted by place. `border` is a feature of its own.
/// Pictures are stored once, by the names that markers have for them.
pub(crate) fn collection(
    dimension: &str,
    kind: MarkerKind,
    markers: &[Cow<'_, Marker>],
    border: Option<&str>,
    images: &BTreeMap<String, String>,
) -> String {
    let id = json::text(&dimension).unwrap_or_default();
    let mut text = format!(r#"{{"type":"FeatureCollection","dimension":{id},"kind":"{}","features":["#, kind.name());
    let mut before = "\n";
    if let Some(feature) = border {
        text.extend([before, feature]);
        before = ",\n";
    }
    for marker in markers {
        let Marker { at: ColumnPos { x, z }, properties, .. } = &**marker;
        // Writing to a text never fails.
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

/// The text of the script that holds the texts of all files of markers, by path: a page that is opened from disk may
/// not read files. A file that was broken by hand affects no other.
pub(crate) fn script<'t>(files: impl Iterator<Item = (&'t str, &'t str)>) -> String {
    // JSON can hold every text.
    let entries = files.map(|(path, text)| {
        format!("{}:{}", json::text(&path).unwrap_or_default(), json::text(&text).unwrap_or_default())
    });
    format!("pixelmapMarkers({{\n{}\n}});\n", entries.collect::<Vec<_>>().join(",\n"))
}
