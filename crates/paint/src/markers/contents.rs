//! The contents of a container, as a marker shows them.

use serde::Serialize;

/// The contents of a container, as `GeoJSON` properties.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Contents<'a> {
    /// The most numerous kinds first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) items: Vec<ItemCount<'a>>,
    /// The number of kinds that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) more: Option<usize>,
    /// The loot table of a container that nobody has opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) loot: Option<&'a str>,
    /// The title of a book.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) book: Option<&'a str>,
    /// The effects of a beacon.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) effects: &'a [String],
}

/// A kind of items in a container, and the number of its items.
#[derive(Debug, Serialize)]
pub(crate) struct ItemCount<'a> {
    #[serde(rename = "type")]
    pub(super) id: &'a str,
    pub(super) count: u64,
}
