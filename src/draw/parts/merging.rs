//! One of the maps that parts are merged to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::base::coord::RegionPos;
use crate::draw::colours::Chosen;
use crate::draw::error::RenderError;
use crate::draw::hide::Hidden;
use crate::draw::parts::error::MergeError;
use crate::draw::parts::file::{Same, SameDimension, SameMap};
use crate::draw::plan::{DimensionPlan, Plan, order};
use crate::draw::prepare::{Prepared, descriptors};
use crate::draw::report::Limit;
use crate::draw::settings::{Mode, Settings};
use crate::paint::markers::{Kind, Wanted};
use crate::schedule;
use crate::store::{Identity, LayerKey};
use crate::tile::TileSet;
use crate::world::{RegionEntry, World};

/// What is to be merged.
#[derive(Debug, Clone)]
pub struct MergeSettings {
    /// The folder of the map.
    pub output: PathBuf,
    /// The folders that shards were drawn into; none: the output itself.
    pub parts: Vec<PathBuf>,
    /// Merges what is there where parts are missing.
    pub allow_missing: bool,
    /// The most tiles that may be removed.
    pub max_removed: Limit,
    /// The number of workers; 0: the CPUs this process may use.
    pub threads: usize,
}

/// One of the maps that go into the folder.
pub(crate) struct Merging {
    pub(crate) settings: Settings,
    pub(crate) prepared: Prepared,
    pub(crate) keys: Vec<LayerKey>,
}

impl Merging {
    /// A map of which no region is known yet.
    pub(crate) fn of(
        same: &Same,
        map: &SameMap,
        (world, identity): (&World, &Identity),
        asked: &MergeSettings,
    ) -> Result<Self, MergeError> {
        let layers = map.layers().ok_or(MergeError::Newer)?;
        let settings = Settings {
            layers,
            naming: same.naming().into(),
            page: same.page.clone(),
            markers: Wanted {
                kinds: if map.has_markers { Kind::choices().collect() } else { Vec::new() },
                ..Wanted::default()
            },
            max_removed: asked.max_removed,
            ..Settings::new(Mode::Map, asked.output.clone())
        };
        let dimension = |of: &SameDimension| DimensionPlan {
            id: of.id.clone(),
            path: of.path.clone(),
            folder: PathBuf::new(),
            ceiling_y: None,
            files: BTreeMap::new(),
            pyramid: TileSet::from_native(of.min_zoom, std::iter::empty()),
            far: Vec::new(),
            hidden: 0,
        };
        let plan = Plan {
            dimensions: map.dimensions.iter().map(dimension).collect(),
            order: Vec::new(),
            hidden: Hidden::default(),
            unreadable: Vec::new(),
            division: None,
        };
        let wanted = if asked.threads == 0 { schedule::available_threads() } else { asked.threads };
        let Chosen { palette, kinds, notes } = settings.colours.choose(world).map_err(RenderError::Colours)?;
        let prepared = Prepared {
            wanted,
            threads: descriptors::allow(wanted),
            palette: Arc::new(palette),
            kinds,
            notes,
            plan,
            slimes: None,
            identity: identity.clone(),
            own_markers: same.own_markers.clone(),
        };
        Ok(Self { settings, prepared, keys: map.keys() })
    }

    /// Gives the map its regions, by dimension.
    pub(crate) fn set_regions(&mut self, regions: Vec<BTreeSet<RegionPos>>) {
        let plan = &mut self.prepared.plan;
        let mut row = Vec::new();
        for ((number, dimension), regions) in (0..).zip(&mut plan.dimensions).zip(regions) {
            dimension.pyramid = TileSet::from_native(dimension.pyramid.min_zoom(), regions.iter().copied());
            row.extend(regions.into_iter().map(|region| (number, RegionEntry::new(region, 0))));
        }
        plan.order = order(row, self.prepared.threads);
    }
}
