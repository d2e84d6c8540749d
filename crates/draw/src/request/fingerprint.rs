//! The fingerprint: one number for everything other than chunks that affects the pixels of a tile.
//! A tile that was drawn with the same fingerprint may be kept.

use twox_hash::XxHash3_64;

use crate::request::layers::{MapLayer, MapLayers};
use crate::request::plan::{DimensionPlan, Plan};
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use pixelmap_base::coord::Ceiling;
use pixelmap_base::hash::KeyHasher;
use pixelmap_map::atlas::{MARKERS, in_folder};
use pixelmap_map::store::LayerKey;
use pixelmap_paint::layers::Slimes;
use pixelmap_paint::layers::{Choices, LOOK};
use pixelmap_paint::palette::Palette;
use pixelmap_world::internal::World;
use pixelmap_world::names::BEDROCK_TABLES;

/// Raise this with every change of the program that may change the bytes of a tile of the same
/// world and packs, including inner tiles and worlds of Bedrock Edition.
pub const PICTURE_VERSION: u32 = 11;

/// Raise this with every change of the program that may change the markers of the same chunks, or
/// the bytes of their record.
const MARKERS_VERSION: u32 = 5;

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
        }
    }

    /// Returns the key of a map layer in the journal.
    pub(crate) fn layer_key(
        &self,
        map_layers: &MapLayers,
        map_layer: MapLayer,
        plan: &Plan,
    ) -> LayerKey {
        LayerKey {
            layer: path_hash(&map_layers.path(map_layer)),
            options: self.options(map_layer, plan).finish(),
        }
    }

    /// Returns the key of a map layer's inner tiles in the journal.
    pub(crate) fn inner_key(
        &self,
        map_layers: &MapLayers,
        map_layer: MapLayer,
        plan: &Plan,
    ) -> LayerKey {
        let mut options = self.options(map_layer, plan);
        options.add_hash(self.textures);
        LayerKey {
            layer: path_hash(&in_folder(&map_layers.path(map_layer), "inner")),
            options: options.finish(),
        }
    }

    /// Returns the key of the facts of a dimension's regions in the journal, or `None` for a map
    /// without layers. The facts depend on the same options as the tiles. Runs with other layers or
    /// options may use the same folder, so the key contains the map's first layer in the order of
    /// the table. Otherwise these runs would replace each other's facts and draw everything again.
    pub(crate) fn regions_key(
        &self,
        map_layers: &MapLayers,
        dimension: usize,
        plan: &Plan,
    ) -> Option<LayerKey> {
        let layers = &self.settings.request.layers;
        let first = map_layers
            .in_dimension(dimension)
            .min_by_key(|map_layer| layers[map_layer.layer])?;

        Some(LayerKey {
            layer: path_hash(&in_folder(&map_layers.path(first), "regions")),
            options: self.options(first, plan).finish(),
        })
    }

    /// Returns the key of a dimension's markers in the journal.
    pub(crate) fn markers_key(&self, dimension: &DimensionPlan) -> LayerKey {
        let mut options = KeyHasher::default();
        options.add(MARKERS_VERSION);
        self.settings.request.markers.add_to_key(&mut options);
        self.settings.look.add_to_key(&mut options);

        // Blocks at the surface are looked for under the ceiling.
        if self.settings.request.markers.find.is_some() {
            add_ceiling(dimension.ceiling, &mut options);
        }

        LayerKey {
            layer: path_hash(&in_folder(&dimension.path, MARKERS)),
            options: options.finish(),
        }
    }

    /// Hashes everything other than chunks that affects the pixels of a tile. Hidden places are not
    /// included, because the hashes of the chunks already leave them out.
    fn options(&self, map_layer: MapLayer, plan: &Plan) -> KeyHasher {
        let look = &self.settings.look;
        let layer = self.settings.request.layers[map_layer.layer];
        let Choices { contours } = look.choices.for_layer(layer);

        let mut key = KeyHasher::default();
        key.add(PICTURE_VERSION);
        key.add(LOOK);
        key.add_text(layer.name());
        key.add(contours);
        look.add_to_key(&mut key);
        key.add_hash(self.names);

        add_ceiling(plan.dimensions[map_layer.dimension].ceiling, &mut key);

        // Other colours do not change a chunk.
        if !layer.compares_runs() {
            key.add_hash(self.palette);
        }
        if layer.is_lit() {
            key.add_hash(Palette::fingerprint_of_lights());
        }

        // Do not include the seed. The key is stored in the map's folder, and a reader could test
        // guessed seeds against it.
        if let Some(slimes) = self.slimes
            && layer.needs_seed()
        {
            key.add(slimes.mark());
        }

        key
    }
}

fn add_ceiling(ceiling: Option<Ceiling>, key: &mut KeyHasher) {
    match ceiling {
        Some(Ceiling { noise_y, type_y }) => key.add_numbers(&[noise_y, type_y]),
        None => key.add_numbers(&[]),
    }
}

fn path_hash(path: &str) -> u64 {
    XxHash3_64::oneshot(path.as_bytes())
}

/// Returns a hash of the names that mods gave to numeric ids, and of how blocks of Bedrock Edition
/// are read.
fn names_hash(world: &World) -> u64 {
    let mut key = KeyHasher::default();
    for ids in [&world.level.block_ids, &world.level.biome_ids] {
        key.add_len(ids.len());
        for (&id, name) in ids {
            key.add(id);
            key.add_text(name);
        }
    }

    if world.is_bedrock() {
        for table in BEDROCK_TABLES {
            key.add_text(table);
        }
    }

    key.finish()
}
