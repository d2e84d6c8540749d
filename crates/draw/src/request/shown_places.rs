//! The places that a map may show, for data that does not come from chunks.

use crate::request::hide::HiddenPlaces;
use crate::request::plan::Plan;
use crate::request::settings::Settings;
use pixelmap_base::coord::{Area, ColumnPos};

/// The dimensions of a map, and the places in them that are not hidden.
#[derive(Debug, Clone, Default)]
pub struct ShownPlaces {
    dimensions: Vec<String>,
    hidden: HiddenPlaces,
    area: Option<Area>,
}

impl ShownPlaces {
    pub(crate) fn new(settings: &Settings, plan: &Plan) -> Self {
        let dimensions = plan
            .dimensions
            .iter()
            .map(|dimension| dimension.id.clone())
            .collect();
        Self {
            dimensions,
            hidden: plan.hidden.clone(),
            area: settings.look.area,
        }
    }

    /// Returns whether the map may show a column of a dimension.
    pub fn shows(&self, dimension: &str, at: ColumnPos) -> bool {
        let chunk = at.chunk();
        self.dimensions.iter().any(|shown| shown == dimension)
            && self.area.is_none_or(|area| area.contains(at))
            && !self.hidden.slots(chunk.region()).has(chunk.slot())
    }
}
