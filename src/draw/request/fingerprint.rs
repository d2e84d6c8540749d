//! The fingerprint: one number for everything other than chunks that affects the pixels of a tile.
//! A tile that was drawn with the same fingerprint may be kept.

use std::hash::Hasher as _;

use twox_hash::XxHash3_64;

use crate::atlas::MARKERS;
use crate::base::coord::Ceiling;
use crate::draw::request::layers::{MapLayer, MapLayers};
use crate::draw::request::look::{LookKey, choices_text, optional_text};
use crate::draw::request::plan::{DimensionPlan, Plan};
use crate::draw::request::prepare::RunPlan;
use crate::draw::request::settings::Settings;
use crate::paint::layers::{LOOK, Slimes};
use crate::paint::palette::Palette;
use crate::store::LayerKey;
use crate::world::World;
use crate::world::names::BEDROCK_TABLES;

/// Raise this with every change of the program that may change the bytes of a tile of the same
/// world.
pub const PICTURE_VERSION: u32 = 7;

/// Raise this instead if the change affects only worlds of Bedrock Edition.
const BEDROCK_PICTURE_VERSION: u32 = 1;

/// Raise this with every change of the program that may change the bytes of an inner tile, but not
/// of a native tile, of the same world and packs.
const INNER_VERSION: u32 = 2;

/// Raise this with every change of the program that may change the markers of the same chunks, or
/// the bytes of their record.
const MARKERS_VERSION: u32 = 3;

/// Raise this instead if the change affects only worlds of Bedrock Edition.
const BEDROCK_MARKERS_VERSION: u32 = 2;

/// The parts of a world and of its settings, other than the chunks, that affect pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fingerprint<'a> {
    settings: &'a Settings,
    /// The palette's fingerprint.
    palette: u64,
    /// A hash of the meaning that the world gives to names and numbers of blocks and biomes.
    names: u64,
    slimes: Option<Slimes>,
    /// The fingerprint of the packs that textures come from, or 0 without textures.
    textures: u64,
    is_bedrock: bool,
}

impl<'a> Fingerprint<'a> {
    pub(crate) fn new(world: &World, settings: &'a Settings, prepared: &RunPlan) -> Self {
        let RunPlan {
            palette,
            slimes,
            textures,
            ..
        } = prepared;

        Self {
            settings,
            palette: palette.fingerprint(),
            names: names_hash(world),
            slimes: *slimes,
            textures: textures
                .as_ref()
                .map_or(0, |textures| textures.fingerprint()),
            is_bedrock: world.is_bedrock(),
        }
    }

    /// Returns the key of a map layer in the journal.
    pub(crate) fn layer_key(
        &self,
        map_layers: &MapLayers,
        map_layer: MapLayer,
        plan: &Plan,
    ) -> LayerKey {
        let layer = XxHash3_64::oneshot(map_layers.path(map_layer).as_bytes());
        LayerKey {
            layer,
            options: self.options(map_layer, plan),
        }
    }

    /// Returns the key of a map layer's inner tiles in the journal.
    pub(crate) fn inner_key(
        &self,
        map_layers: &MapLayers,
        map_layer: MapLayer,
        plan: &Plan,
    ) -> LayerKey {
        let layer = XxHash3_64::oneshot(format!("{}/inner", map_layers.path(map_layer)).as_bytes());
        let text = format!(
            "{INNER_VERSION} {} {}",
            self.options(map_layer, plan),
            self.textures
        );

        LayerKey {
            layer,
            options: XxHash3_64::oneshot(text.as_bytes()),
        }
    }

    /// Returns the key of a dimension's markers in the journal.
    pub(crate) fn markers_key(&self, dimension: &DimensionPlan) -> LayerKey {
        let LookKey {
            choices: _,
            shown,
            added,
        } = self.settings.look.key();
        let layer = XxHash3_64::oneshot(format!("{}/{MARKERS}", dimension.path).as_bytes());
        let wanted = self.settings.request.markers.fingerprint();

        // The keys of markers have always contained `min_inhabited`, even if it is 0.
        let added = if self.settings.look.min_inhabited == 0 {
            format!(" 0 s{added}")
        } else {
            added
        };

        let mut text = format!("{MARKERS_VERSION} {wanted} {shown}{added}");
        if self.is_bedrock {
            text += &format!(" {BEDROCK_MARKERS_VERSION}");
        }

        // Blocks at the surface are looked for under the ceiling.
        if self.settings.request.markers.find.is_some() {
            text += &format!(" {}", ceiling_text(dimension.ceiling));
        }

        LayerKey {
            layer,
            options: XxHash3_64::oneshot(text.as_bytes()),
        }
    }

    /// Returns a hash of everything other than chunks that affects the pixels of a tile. Hidden
    /// places are not included, because the hashes of the chunks already leave them out.
    fn options(&self, map_layer: MapLayer, plan: &Plan) -> u64 {
        let LookKey {
            choices,
            shown,
            added,
        } = self.settings.look.key();

        let layer = self.settings.request.layers[map_layer.layer];
        let name = layer.name();
        let chosen = choices_text(choices.for_layer(layer));
        let ceiling = ceiling_text(plan.dimensions[map_layer.dimension].ceiling);
        let Self { names, .. } = self;

        // Other colours do not change a chunk.
        let palette = if layer.compares_runs() {
            0
        } else {
            self.palette
        };

        let mut text = format!(
            "{PICTURE_VERSION} {name} {chosen} {LOOK} {shown} {ceiling} {palette} {names}{added}"
        );

        // Do not include the seed. The key is stored in the map's folder, and a reader could test
        // guessed seeds against it.
        let slimes = self.slimes.filter(|_| layer.needs_seed());
        text.extend(slimes.map(|slimes| format!(" {}", slimes.mark())));

        if layer.is_lit() {
            text += &format!(" {}", Palette::fingerprint_of_lights());
        }

        XxHash3_64::oneshot(text.as_bytes())
    }
}

/// The text of a ceiling in keys, which must not change when a field gets another name.
fn ceiling_text(ceiling: Option<Ceiling>) -> String {
    let text =
        |Ceiling { noise_y, kind_y }| format!("Ceiling {{ noise_y: {noise_y}, kind_y: {kind_y} }}");
    optional_text(ceiling.map(text))
}

/// Returns a hash of the names that mods gave to numeric ids, and of how blocks of Bedrock Edition
/// are read.
fn names_hash(world: &World) -> u64 {
    let mut hasher = XxHash3_64::with_seed(0);
    for ids in [&world.level.block_ids, &world.level.biome_ids] {
        hasher.write(&(ids.len() as u64).to_le_bytes());
        for (id, name) in ids {
            hasher.write(&id.to_le_bytes());
            hasher.write(&(name.len() as u64).to_le_bytes());
            hasher.write(name.as_bytes());
        }
    }

    if world.is_bedrock() {
        for table in BEDROCK_TABLES {
            hasher.write(table.as_bytes());
        }
        hasher.write(&BEDROCK_PICTURE_VERSION.to_le_bytes());
    }

    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_keys_never_change() {
        let ceiling = Ceiling {
            noise_y: 127,
            kind_y: 128,
        };
        assert_eq!(
            ceiling_text(Some(ceiling)),
            "Some(Ceiling { noise_y: 127, kind_y: 128 })"
        );
    }
}
