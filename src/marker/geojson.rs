//! Markers as `GeoJSON` (RFC 7946), whose coordinates are blocks here: `[x, z]`.

use std::fmt::Write as _;

use super::{Kind, Marker};
use crate::json;

/// The text of the file of a kind: a feature a line, sorted by place. `border` is a feature of its own.
pub fn collection(dimension: &str, kind: Kind, markers: &[Marker], border: Option<&str>) -> String {
    let id = json::text(&dimension).unwrap_or_default();
    let mut text = format!(r#"{{"type":"FeatureCollection","dimension":{id},"kind":"{}","features":["#, kind.name());
    let features = markers.iter().map(|Marker { at, properties, .. }| {
        let (x, z) = (at.x, at.z);
        format!(
            r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":[{x},{z}]}},"properties":{properties}}}"#
        )
    });
    for (number, feature) in border.map(str::to_owned).into_iter().chain(features).enumerate() {
        // Writing into a string does not fail.
        let _ = write!(text, "{}\n{feature}", if number == 0 { "" } else { "," });
    }
    text + "\n]}\n"
}

/// The text of the script with all files of markers, by path: a page that is opened from disk may not read files.
pub fn script<'t>(files: impl Iterator<Item = (&'t str, &'t str)>) -> String {
    let mut text = "pixelmapMarkers({".to_owned();
    for (number, (path, file)) in files.enumerate() {
        let path = json::text(&path).unwrap_or_default();
        let _ = write!(text, "{}\n{path}:{}", if number == 0 { "" } else { "," }, file.trim());
    }
    text + "\n});\n"
}
