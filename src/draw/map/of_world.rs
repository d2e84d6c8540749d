//! What a world tells of a dimension beside its chunks.

use serde::{Deserialize, Serialize};

use crate::paint::markers::Marker;

/// The markers of a dimension that its chunks do not tell, where the map shows something, and the world's border.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct OfWorld {
    pub(crate) markers: Vec<Marker>,
    /// As a feature of `GeoJSON`.
    pub(crate) border: Option<String>,
}
