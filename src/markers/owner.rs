//! Reads the owner's own markers: `GeoJSON` files, which are checked and then shown unchanged. The
//! check finds faults before the run, so that the page never gets a file that it cannot show.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::base::retry::retryable;
use geojson::{GeoJson, Geometry, GeometryValue};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The most bytes of a file. The page would be too slow with a longer one.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnerFile {
    /// The file's name in the folder of markers, which ends in `.geojson`.
    pub name: String,
    pub text: String,
}

/// Why a file cannot be shown.
#[derive(Debug, Error)]
pub enum OwnerError {
    #[error("{}: {}", .0.display(), .1)]
    Unreadable(PathBuf, #[source] io::Error),
    /// The content is not `GeoJSON` that can be shown. The text explains where the fault is, why,
    /// and what to do.
    #[error("{}: {}", .0.display(), .1)]
    Content(PathBuf, String),
}

impl OwnerError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }
}

impl OwnerFile {
    /// Reads files that are shown together.
    ///
    /// # Errors
    /// A file cannot be read or shown, or two files have the same name.
    pub(crate) fn read_all(paths: &[PathBuf]) -> Result<Vec<Self>, OwnerError> {
        let mut files: Vec<Self> = Vec::new();
        for path in paths {
            let file = Self::read(path)?;
            if files.iter().any(|other| other.name == file.name) {
                let fault = format!(
                    "another file has the same name {}: rename one of them",
                    file.name
                );
                return Err(OwnerError::Content(path.clone(), fault));
            }

            files.push(file);
        }

        Ok(files)
    }

    /// Returns whether a file that another run has read can be shown.
    pub(crate) fn is_sound(&self) -> bool {
        let stem = self.name.strip_suffix(".geojson");
        stem.is_some_and(|stem| !stem.starts_with('.') && !stem.contains(['/', '\\']))
            && check(&self.text).is_ok()
    }

    /// Reads a file and checks that it can be shown.
    ///
    /// # Errors
    /// The file cannot be read, is too long, or is not valid `GeoJSON`.
    pub(crate) fn read(path: &Path) -> Result<Self, OwnerError> {
        let content = |fault: String| OwnerError::Content(path.to_owned(), fault);
        let is_named =
            |end: &OsStr| end.eq_ignore_ascii_case("geojson") || end.eq_ignore_ascii_case("json");
        let stem = path
            .file_stem()
            .filter(|_| path.extension().is_some_and(is_named))
            .and_then(OsStr::to_str);

        let Some(stem) = stem.filter(|stem| !stem.starts_with('.')) else {
            return Err(content(
                "give a file whose name ends in .geojson".to_owned(),
            ));
        };

        let mut text = String::new();
        let file = std::fs::File::open(path)
            .map_err(|error| OwnerError::Unreadable(path.to_owned(), error))?;
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
        read.map_err(|error| OwnerError::Unreadable(path.to_owned(), error))?;

        if text.len() as u64 > MAX_BYTES {
            return Err(content(format!(
                "it has more than {} MiB: split it",
                MAX_BYTES >> 20
            )));
        }

        // Some editors write a byte order mark, which is not valid JSON.
        let text = text
            .strip_prefix('\u{feff}')
            .map(str::to_owned)
            .unwrap_or(text);
        check(&text).map_err(content)?;

        Ok(Self {
            name: format!("{stem}.geojson"),
            text,
        })
    }
}

/// Checks that a text is `GeoJSON` with coordinates in blocks.
fn check(text: &str) -> Result<(), String> {
    let read = text
        .parse()
        .map_err(|error| format!("this is not GeoJSON: {error}"))?;
    let features = match read {
        GeoJson::FeatureCollection(collection) => collection.features,
        GeoJson::Feature(_) => {
            return Err("a feature alone is not shown: put it into a FeatureCollection".to_owned());
        }
        GeoJson::Geometry(_) => {
            return Err("a geometry alone has no name: put it into a feature".to_owned());
        }
    };

    for (number, feature) in features.iter().enumerate() {
        let geometry = feature.geometry.as_ref().ok_or_else(|| {
            format!(
                "features[{number}] has no geometry and cannot be shown: give it one or take it out"
            )
        })?;

        if !is_in_world(geometry) {
            return Err(format!(
                "features[{number}].geometry: this is not a position, or it is outside any world: \
                 give [x, z] in blocks"
            ));
        }
    }

    Ok(())
}

fn is_in_world(geometry: &Geometry) -> bool {
    let is_inside = |position: &geojson::Position| {
        position.as_slice().len() >= 2
            && position
                .as_slice()
                .iter()
                .all(|along| along.abs() <= 33_554_432.0)
    };

    let all = |line: &[geojson::Position]| line.iter().all(is_inside);

    match &geometry.value {
        GeometryValue::Point { coordinates } => is_inside(coordinates),
        GeometryValue::MultiPoint { coordinates } | GeometryValue::LineString { coordinates } => {
            all(coordinates)
        }
        GeometryValue::MultiLineString { coordinates } | GeometryValue::Polygon { coordinates } => {
            coordinates.iter().all(|line| all(line))
        }
        GeometryValue::MultiPolygon { coordinates } => {
            coordinates.iter().flatten().all(|line| all(line))
        }
        GeometryValue::GeometryCollection { geometries } => geometries.iter().all(is_in_world),
    }
}
