//! Reads the owner's own markers: `GeoJSON` files, which are checked and then shown unchanged. The
//! check finds faults before the run, so that the page never gets a file that it cannot show. A
//! feature with a fault is left out with a warning. The owner's icons are read with them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use geojson::{Feature, Geometry, GeometryValue, Position};
use pixelmap_base::json;
use pixelmap_base::retry::retryable;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use thiserror::Error;

use crate::markers::icons::{IconFolder, OwnerIcon};
use crate::markers::left_out::left_out;

/// The most bytes of a file. The page would be too slow with a longer one.
const MAX_BYTES: u64 = 64 << 20;
/// The most letters of a name in a warning.
const MAX_NAME: usize = 60;

/// The places of the owner's files of a run.
#[derive(Debug, Clone, Default)]
pub struct OwnerPaths {
    /// The files of markers.
    pub markers: Vec<PathBuf>,
    /// The folder of icons.
    pub icons: Option<PathBuf>,
}

/// The owner's files of a run.
#[derive(Debug, Clone, Default)]
pub struct OwnerFiles {
    pub files: Vec<OwnerFile>,
    /// Sorted by name.
    pub icons: Vec<OwnerIcon>,
    /// Names the features and the icons that are left out.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerFile {
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

impl OwnerFiles {
    /// Reads files that are shown together on the map at `map`.
    ///
    /// # Errors
    /// A file or the folder of icons cannot be read, a file cannot be shown, or two files have the
    /// same name. Also fails if the folder of icons is inside the map.
    pub fn read(paths: &OwnerPaths, map: &Path) -> Result<Self, OwnerError> {
        let mut files: Vec<OwnerFile> = Vec::new();
        let mut warnings = Vec::new();
        for path in &paths.markers {
            let (file, faults) = OwnerFile::read(path)?;
            let mut at_path = Vec::new();
            for fault in faults {
                at_path.push((path.clone(), fault));
            }
            warnings.extend(left_out(path, &at_path));

            if files.iter().any(|other| other.name == file.name) {
                let fault = format!(
                    "another file has the same name {}: rename one of them",
                    file.name
                );
                return Err(OwnerError::Content(path.clone(), fault));
            }

            files.push(file);
        }

        let icons = match &paths.icons {
            Some(folder) if is_inside(folder, map) => {
                let fault = "it is inside the map, which removes icons that no marker names: keep \
                             your icons in another folder";
                return Err(OwnerError::Content(folder.clone(), fault.to_owned()));
            }
            Some(folder) => IconFolder::read(folder)
                .map_err(|error| OwnerError::Unreadable(folder.clone(), error))?,
            None => IconFolder::default(),
        };
        warnings.extend(icons.warnings);

        Ok(Self {
            files,
            icons: icons.icons,
            warnings,
        })
    }
}

/// Returns whether a folder is the folder of the map or below it.
fn is_inside(folder: &Path, map: &Path) -> bool {
    match (fs::canonicalize(folder), fs::canonicalize(map)) {
        (Ok(folder), Ok(map)) => folder.starts_with(map),
        _ => false,
    }
}

impl OwnerFile {
    /// Returns whether a file that another run has read can be shown.
    pub fn is_sound(&self) -> bool {
        let stem = self.name.strip_suffix(".geojson");
        stem.is_some_and(|stem| !stem.starts_with('.') && !stem.contains(['/', '\\']))
            && CheckedText::read(&self.text).is_ok_and(|checked| checked.faults.is_empty())
    }

    /// Reads a file. Returns it without the features that cannot be shown, and the faults of these.
    ///
    /// # Errors
    /// The file cannot be read, is too long, or is not a collection of features.
    fn read(path: &Path) -> Result<(Self, Vec<String>), OwnerError> {
        let content = |fault: String| OwnerError::Content(path.to_owned(), fault);
        let stem = stem(path)
            .ok_or_else(|| content("give a file whose name ends in .geojson".to_owned()))?;

        let mut text = String::new();
        let file =
            fs::File::open(path).map_err(|error| OwnerError::Unreadable(path.to_owned(), error))?;
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
        let checked = CheckedText::read(&text).map_err(content)?;
        let usable = checked.usable_text().map_err(content)?;
        let faults = checked.faults;

        let file = Self {
            name: format!("{stem}.geojson"),
            text: usable.unwrap_or(text),
        };
        Ok((file, faults))
    }
}

/// Returns the name of a file of markers without its ending. `None` if the file has another ending,
/// or a name that begins with a dot or is not Unicode.
fn stem(path: &Path) -> Option<&str> {
    let ending = path.extension()?;
    if !ending.eq_ignore_ascii_case("geojson") && !ending.eq_ignore_ascii_case("json") {
        return None;
    }

    let stem = path.file_stem()?.to_str()?;
    (!stem.starts_with('.')).then_some(stem)
}

/// The content of a file, whose features have been checked.
struct CheckedText<'a> {
    members: BTreeMap<String, &'a RawValue>,
    usable: Vec<&'a RawValue>,
    /// Why the other features cannot be shown, each with its number and name.
    faults: Vec<String>,
}

impl<'a> CheckedText<'a> {
    /// Reads a collection of features. Each feature is read by itself, so that a fault costs only
    /// its own feature.
    ///
    /// # Errors
    /// The text is not a collection of features.
    fn read(text: &'a str) -> Result<Self, String> {
        let members: BTreeMap<String, &RawValue> = parse(text)?;

        let kind = members.get("type").map_or("", |kind| kind.get());
        match kind {
            r#""FeatureCollection""# => {}
            r#""Feature""# => {
                let alone = "a feature alone is not shown: put it into a FeatureCollection";
                return Err(alone.to_owned());
            }
            _ if members.contains_key("coordinates") => {
                return Err("a geometry alone has no name: put it into a feature".to_owned());
            }
            _ => return Err("this is not GeoJSON: give a FeatureCollection".to_owned()),
        }

        let features = members
            .get("features")
            .map_or("", |features| features.get());
        let features: Vec<&RawValue> = parse(features)?;

        let mut usable = Vec::new();
        let mut faults = Vec::new();
        for (number, feature) in features.into_iter().enumerate() {
            match check(feature.get()) {
                Ok(()) => usable.push(feature),
                Err(fault) => faults.push(format!("{}: {fault}", described(number, feature.get()))),
            }
        }

        Ok(Self {
            members,
            usable,
            faults,
        })
    }

    /// Returns the text of the collection without the unusable features. Returns `None` if all
    /// features are usable, because the text of the file is then shown unchanged.
    fn usable_text(&self) -> Result<Option<String>, String> {
        if self.faults.is_empty() {
            return Ok(None);
        }

        let features = to_raw_value(&self.usable).map_err(|error| error.to_string())?;
        let mut members: BTreeMap<&str, &RawValue> = BTreeMap::new();
        for (name, value) in &self.members {
            members.insert(name, value);
        }

        members.insert("features", &features);
        let text = json::text(&members).map_err(|error| error.to_string())?;
        Ok(Some(text))
    }
}

/// Parses JSON of a collection. Fails with the reason in words.
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("this is not GeoJSON: {error}"))
}

/// Checks that the page can show a feature. Fails with the reason why not.
fn check(feature: &str) -> Result<(), String> {
    let feature: Feature = serde_json::from_str(feature).map_err(|error| error.to_string())?;
    let geometry = feature
        .geometry
        .ok_or("it has no geometry: give it one or take it out")?;

    if is_in_world(&geometry) {
        Ok(())
    } else {
        Err("its geometry is not a position, or is outside any world: give [x, z] in blocks".into())
    }
}

/// Describes a feature by its number, and by its name if it has one.
fn described(number: usize, feature: &str) -> String {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        properties: NameProperty<'a>,
    }

    #[derive(Deserialize)]
    struct NameProperty<'a> {
        #[serde(borrow)]
        name: Cow<'a, str>,
    }

    let Ok(named) = serde_json::from_str::<Named<'_>>(feature) else {
        return format!("features[{number}]");
    };

    let name: String = named.properties.name.chars().take(MAX_NAME).collect();
    format!("features[{number}] {name:?}")
}

fn is_in_world(geometry: &Geometry) -> bool {
    match &geometry.value {
        GeometryValue::Point { coordinates } => is_position(coordinates),
        GeometryValue::MultiPoint { coordinates } | GeometryValue::LineString { coordinates } => {
            coordinates.iter().all(is_position)
        }
        GeometryValue::MultiLineString { coordinates } | GeometryValue::Polygon { coordinates } => {
            coordinates.iter().flatten().all(is_position)
        }
        GeometryValue::MultiPolygon { coordinates } => {
            coordinates.iter().flatten().flatten().all(is_position)
        }
        GeometryValue::GeometryCollection { geometries } => geometries.iter().all(is_in_world),
    }
}

/// Returns whether a position has two coordinates and is inside any world.
fn is_position(position: &Position) -> bool {
    let along = position.as_slice();
    along.len() >= 2 && along.iter().all(|along| along.abs() <= 33_554_432.0)
}
