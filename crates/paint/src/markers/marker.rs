//! A marker, and the properties that it has in `GeoJSON`.

use serde::{Deserialize, Serialize};

use crate::markers::contents::Contents;
use crate::markers::kind::MarkerKind;
use pixelmap_base::coord::ColumnPos;
use pixelmap_base::json;

/// A named place in a dimension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Marker {
    pub kind: MarkerKind,
    pub at: ColumnPos,
    /// All other properties, as the text of a JSON object.
    pub properties: Box<str>,
}

/// The properties of a marker in `GeoJSON`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Properties<'a> {
    pub(super) name: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) y: Option<i32>,
    /// The name of a symbol of the page, or of an icon of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) icon: Option<&'a str>,
    /// The number of blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) front: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) back: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seen: Option<&'a str>,
    /// The name of a picture in the same file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) image: Option<&'a str>,
    /// As `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) color: Option<&'a str>,
    #[serde(flatten)]
    pub(super) contents: Option<Contents<'a>>,
}

impl Marker {
    pub(super) fn new(kind: MarkerKind, at: ColumnPos, properties: &Properties<'_>) -> Self {
        // Writing cannot fail, because JSON can hold all texts and numbers.
        Self {
            kind,
            at,
            properties: json::text(properties).unwrap_or_default().into(),
        }
    }

    /// Makes the marker of a place that a player has named in a map mod.
    pub fn waypoint(name: &str, at: ColumnPos, y: Option<i32>, [r, g, b]: [u8; 3]) -> Self {
        let colour = format!("#{r:02x}{g:02x}{b:02x}");
        let properties = Properties {
            name,
            y,
            color: Some(&colour),
            ..Properties::default()
        };
        Self::new(MarkerKind::Waypoints, at, &properties)
    }
}
