//! Markers as `GeoJSON` (RFC 7946), whose coordinates are blocks here: `[x, z]`.

use crate::base::json;
use crate::markers::{Marker, MarkerKind};

/// The text of the file of a kind: one feature per line, sorted by place. `border` is a feature of its own.
pub(crate) fn collection(dimension: &str, kind: MarkerKind, markers: &[Marker], border: Option<&str>) -> String {
    let id = json::text(&dimension).unwrap_or_default();
    let features = markers.iter().map(|Marker { at, properties, .. }| {
        let (x, z) = (at.x, at.z);
        format!(
            r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":[{x},{z}]}},"properties":{properties}}}"#
        )
    });
    let features: Vec<String> = border.map(str::to_owned).into_iter().chain(features).collect();
    let head = format!(r#"{{"type":"FeatureCollection","dimension":{id},"kind":"{}","features":["#, kind.name());
    format!("{head}\n{}\n]}}\n", features.join(",\n"))
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
