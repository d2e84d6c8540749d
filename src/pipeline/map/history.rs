//! The records of earlier runs, by which a run finds what is unchanged.

use std::sync::atomic::AtomicU8;
use std::time::SystemTime;

use twox_hash::XxHash3_64;

use crate::layer::Slimes;
use crate::palette::Palette;
use crate::pipeline::prepare::fingerprint::Beside;
use crate::pipeline::prepare::layers::{MapLayer, MapLayers};
use crate::pipeline::settings::Settings;
use crate::plan::Plan;
use crate::publish::{Journal, LayerKey, Output, PublishError};
use crate::world::World;

/// The states of a region file's stamp: not compared yet, the stamp of its record, or another one.
pub(in crate::pipeline) const NOT_ASKED: u8 = 0;
pub(in crate::pipeline) const SAME: u8 = 1;
pub(in crate::pipeline) const OTHER: u8 = 2;

/// The records of earlier runs.
#[derive(Debug)]
pub(in crate::pipeline) struct History<'a> {
    pub(in crate::pipeline) journal: Journal<'a>,
    /// When this run began, in nanoseconds since 1970.
    pub(in crate::pipeline) began: i64,
    /// The states of the stamps, by number of the record: a file is looked at once a run, by the worker that comes
    /// first.
    pub(in crate::pipeline) stamps: Box<[AtomicU8]>,
}

/// The keys of all map layers of a run, by number.
pub(in crate::pipeline) fn keys(
    world: &World,
    plan: &Plan,
    map_layers: &MapLayers,
    settings: &Settings,
    palette: &Palette,
    slimes: Option<Slimes>,
) -> Vec<LayerKey> {
    let beside = Beside::of(world, settings, palette, slimes);
    let key = |map_layer: MapLayer| LayerKey {
        layer: XxHash3_64::oneshot(map_layers.path(map_layer).as_bytes()),
        options: beside.options(map_layers, map_layer, plan),
    };
    map_layers.all().map(key).collect()
}

impl<'a> History<'a> {
    /// Reads the records of these map layers. To be called before any region file is read.
    ///
    /// # Errors
    /// They cannot be read.
    pub(in crate::pipeline) fn open(output: &'a Output, keys: Vec<LayerKey>) -> Result<Self, PublishError> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let journal = Journal::open(output, keys)?;
        let stamps = (0..journal.len()).map(|_| AtomicU8::new(NOT_ASKED)).collect();
        Ok(Self { journal, began: i64::try_from(since.as_nanos()).unwrap_or_default(), stamps })
    }
}
