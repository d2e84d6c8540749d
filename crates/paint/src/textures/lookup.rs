//! Returns the pictures of a block. They are made when a state of the block is first met.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::palette::resolver::model::ElementBudget;
use crate::palette::resolver::states::{self, State};
use crate::palette::resolver::{Assets, parse_state};
use crate::textures::choice::BlockTextures;
use crate::textures::default_states::{self, whole_state};
use crate::textures::entity;
use crate::textures::old_names::OldBlock;
use crate::textures::picture::Picture;
use crate::textures::store::TextureStore;
use crate::textures::top_view::BlockFaces;
use pixelmap_base::mutex;
use pixelmap_world::pack::PackError;

/// The textures of jars and packs, shared by the workers of a run.
#[derive(Debug)]
pub struct Textures {
    store: TextureStore,
    fingerprint: u64,
    /// The first error of a file that could not be read now but may be readable later.
    failure: OnceLock<PackError>,
}

impl Textures {
    /// Opens the textures of these packs. The files that affect pictures are read once for the
    /// fingerprint.
    ///
    /// # Errors
    /// Fails if a pack cannot be read.
    pub fn new(assets: Assets) -> Result<Self, PackError> {
        let mut fingerprint = default_states::fingerprint();
        for pack in assets.packs() {
            fingerprint =
                fingerprint.rotate_left(1) ^ pack.fingerprint("assets", decides_pictures)?;
        }

        Ok(Self {
            store: TextureStore::new(assets),
            fingerprint,
            failure: OnceLock::new(),
        })
    }

    /// Returns the properties on which each block's look depends, sorted, by block name with
    /// namespace. The properties of water in the same place are left out. `names` are the names of
    /// today's blocks, without their namespace; they are needed because packs for versions before
    /// 1.13 use other names.
    ///
    /// # Errors
    /// Fails if the packs cannot be listed, or cannot be read for now.
    pub fn properties<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, Vec<String>>, PackError> {
        let mut listed: BTreeSet<String> = self.store.assets.blocks()?.into_iter().collect();
        if self.store.assets.has_old_names() {
            listed.extend(
                names
                    .into_iter()
                    .filter(|name| !name.contains(':'))
                    .map(|name| format!("minecraft:{name}")),
            );
        }

        let mut all = BTreeMap::new();
        for name in listed {
            if let Some(mut properties) = self.file_properties(&name)? {
                properties.remove("waterlogged");
                properties.extend(
                    entity::properties(&name)
                        .iter()
                        .map(|&property| property.to_owned()),
                );
                all.insert(name, properties.into_iter().collect());
            }
        }

        Ok(all)
    }

    /// Returns the properties in the block state files of a block, and the properties that decide
    /// which of several files belongs to it. Returns `None` if the block state file is missing.
    fn file_properties(&self, name: &str) -> Result<Option<BTreeSet<String>>, PackError> {
        let mut properties = None;
        let old = self
            .store
            .assets
            .has_old_names()
            .then(|| OldBlock::all(name))
            .into_iter()
            .flatten();

        for (old, when) in old
            .map(|old| (old.name, old.when))
            .chain([(name.to_owned(), State::new())])
        {
            match self.store.assets.state_by_names([&old, name]) {
                Ok((file, _)) => {
                    let all = properties.get_or_insert_with(BTreeSet::new);
                    all.extend(states::properties(&file));
                    all.extend(when.into_keys());
                }
                Err(error) if error.retryable => return Err(error),
                Err(_) => {}
            }
        }

        Ok(properties)
    }

    /// Returns a number that changes whenever any texture may have changed. It is the same on every
    /// machine.
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the first error of a file that could not be read now but may be readable later. In
    /// this case tiles have plain colours in the place of textures.
    pub fn failure(&self) -> Option<&PackError> {
        self.failure.get()
    }

    /// Returns whether a block has a texture. `name` includes the namespace.
    pub fn has_texture(&self, name: &str, state: &str) -> bool {
        self.block(name, state).is_some()
    }

    /// Returns the pictures of a block, or `None` if it is drawn in its colour. `name` includes the
    /// namespace.
    pub(crate) fn block(&self, name: &str, state: &str) -> Option<Arc<BlockTextures>> {
        let key = (name.to_owned(), state.to_owned());
        if let Some(known) = mutex::lock(&self.store.made).blocks.get(&key) {
            return known.clone();
        }

        let made = match self.make(name, &parse_state(state)) {
            Ok(made) => made.map(Arc::new),
            Err(error) => {
                if error.retryable {
                    // One error is enough for the report, so we keep the first.
                    let _ = self.failure.set(error);
                }
                None
            }
        };

        mutex::lock(&self.store.made)
            .blocks
            .entry(key)
            .or_insert(made)
            .clone()
    }

    fn make(&self, name: &str, state: &State) -> Result<Option<BlockTextures>, PackError> {
        let mut block = BlockTextures::default();
        if let Some(still) = still_texture(name) {
            let flattened = BlockFaces::fluid(&self.store, still)?;
            let Some(picture) = self.keep_picture(&flattened) else {
                return Ok(None);
            };
            block.add(1, picture);
            return Ok(Some(block));
        }

        let (file, state) = self.store.file(name, &whole_state(name, state))?;
        let parts = states::choices(&file, &state);

        // All parts are chosen by the same number, so the longest part decides how many pictures
        // there are.
        let Some(longest) = parts.iter().max_by_key(|part| part.len()) else {
            return Ok(None);
        };

        for (look, chosen) in longest.iter().enumerate() {
            let mut flattened = BlockFaces::default();
            let mut budget = ElementBudget::default();
            for apply in parts
                .iter()
                .filter_map(|part| part.get(look % part.len().max(1)))
            {
                let model = self.store.model(&apply.model)?;
                budget.spend(name, &model)?;
                flattened.add(&self.store, &model, apply)?;
            }

            if !flattened.has_upper_face() {
                self.add_entity(&mut flattened, name, &state)?;
            }

            let Some(picture) = self.keep_picture(&flattened) else {
                return Ok(None);
            };

            block.add(chosen.weight, picture);
        }

        Ok(Some(block).filter(|block| !block.is_empty()))
    }

    /// Makes the picture of a block and keeps it. Returns `None` if the picture is empty or the
    /// store is full.
    fn keep_picture(&self, flattened: &BlockFaces) -> Option<Arc<Picture>> {
        self.store.keep_picture(flattened.picture()?)
    }

    /// Adds the upper face of a block that the game draws as an entity, such as a chest. A jar may
    /// lack its texture, because the game draws the block as an entity in some versions only.
    fn add_entity(
        &self,
        flattened: &mut BlockFaces,
        name: &str,
        state: &State,
    ) -> Result<(), PackError> {
        let Some((model, apply)) = entity::model(name, state) else {
            return Ok(());
        };
        match flattened.add(&self.store, &model, &apply) {
            Err(error) if error.retryable => Err(error),
            _ => Ok(()),
        }
    }
}

/// Returns the texture of a fluid. The game draws fluids without a model.
fn still_texture(name: &str) -> Option<&'static str> {
    match name {
        "minecraft:water" => Some("minecraft:block/water_still"),
        "minecraft:lava" => Some("minecraft:block/lava_still"),
        _ => None,
    }
}

/// Returns whether a file of a pack may affect pictures.
fn decides_pictures(file: &str) -> bool {
    let kind = file.split('/').nth(2);
    kind.is_some_and(|kind| matches!(kind, "blockstates" | "models" | "textures"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::textures::picture::SIDE;
    use crate::textures::store::MAX_BYTES;

    /// Returns the textures of a pack in which stone has this block state file and this model.
    fn textures(folder: &std::path::Path, state: &str, model: &str) -> Textures {
        let put = |path: &str, bytes: &[u8]| {
            let path = folder.join("assets/minecraft").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };

        put("blockstates/stone.json", state.as_bytes());
        put("models/block/stone.json", model.as_bytes());
        let mut texture = Vec::new();
        let mut encoder = png::Encoder::new(&mut texture, 16, 32);
        encoder.set_color(png::ColorType::Grayscale);

        encoder
            .write_header()
            .unwrap()
            .write_image_data(&[99; 512])
            .unwrap();
        put("textures/block/stone.png", &texture);

        Textures::new(Assets::open(&[folder.to_owned()]).unwrap()).unwrap()
    }

    /// Returns the bytes of a texture of one grey.
    fn grey(side: u32, light: u8) -> Vec<u8> {
        let mut texture = Vec::new();
        let mut encoder = png::Encoder::new(&mut texture, side, side);
        encoder.set_color(png::ColorType::Grayscale);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&vec![light; (side * side) as usize])
            .unwrap();
        texture
    }

    #[test]
    fn entity_textures_replace_only_missing_upper_faces() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, bytes: &[u8]| {
            let path = folder.path().join("assets/minecraft").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };

        let element = |side: &str| {
            let face = format!(r#"{{"{side}": {{"texture": "block/model"}}}}"#);
            format!(
                r#"{{"elements": [{{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {face}}}]}}"#
            )
        };

        put("models/block/whole.json", element("up").as_bytes());
        put("models/block/side.json", element("north").as_bytes());
        put(
            "models/block/empty.json",
            br#"{"textures": {"particle": "block/model"}}"#,
        );
        put("textures/block/model.png", &grey(16, 90));

        for texture in [
            "bed/red",
            "bed/blue",
            "chest/copper",
            "chest/copper_exposed",
            "chest/copper_oxidized",
        ] {
            put(&format!("textures/entity/{texture}.png"), &grey(64, 200));
        }

        for (name, model, light) in [
            ("red_bed", "whole", Some(90)),
            ("blue_bed", "empty", Some(200)),
            ("white_bed", "whole", Some(90)),
            ("lime_bed", "empty", None),
            ("pink_bed", "side", Some(90)),
            ("copper_chest", "empty", Some(200)),
            ("waxed_exposed_copper_chest", "empty", Some(200)),
            ("oxidized_copper_chest", "side", Some(200)),
        ] {
            put(
                &format!("blockstates/{name}.json"),
                &format!(r#"{{"variants": {{"": {{"model": "block/{model}"}}}}}}"#).into_bytes(),
            );
            let textures =
                Textures::new(Assets::open(&[folder.path().to_owned()]).unwrap()).unwrap();
            let made = textures.block(&format!("minecraft:{name}"), "");
            let middle =
                made.map(|block| block.pictures().next().unwrap().texels(4)[8 * SIDE + 8].rgb[0]);
            assert_eq!(middle, light, "{name}");
        }
    }

    #[test]
    fn a_state_with_excess_boxes_has_no_texture() {
        let folder = tempfile::tempdir().unwrap();
        let part = r#"{"apply": {"model": "block/stone"}}"#;
        let state = |parts: usize| format!(r#"{{"multipart": [{}]}}"#, vec![part; parts].join(","));
        let element = r#"{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {"up": {"texture": "block/stone"}}}"#;
        let model = format!(r#"{{"elements": [{}]}}"#, vec![element; 1000].join(","));
        assert!(textures(folder.path(), &state(4), &model).has_texture("minecraft:stone", ""));
        assert!(!textures(folder.path(), &state(5), &model).has_texture("minecraft:stone", ""));
        let empty = r#"{"elements": []}"#;
        assert!(!textures(folder.path(), &state(5000), empty).has_texture("minecraft:stone", ""));
    }

    #[test]
    fn a_full_store_keeps_no_more_files() {
        let folder = tempfile::tempdir().unwrap();

        let state = r#"{"variants": {"": {"model": "block/stone"}}}"#;
        let element = r#"{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {"up": {"texture": "block/stone"}}}"#;
        let model = format!(r#"{{"elements": [{element}]}}"#);
        let kept = |bytes| {
            let textures = textures(folder.path(), state, &model);
            mutex::lock(&textures.store.made).bytes = bytes;

            let has_texture = textures.has_texture("minecraft:stone", "");
            let made = mutex::lock(&textures.store.made);
            (
                has_texture,
                [
                    made.files.len(),
                    made.models.len(),
                    made.textures.len(),
                    made.pictures.len(),
                ],
            )
        };

        assert_eq!(kept(0), (true, [1; 4]));
        assert_eq!(kept(MAX_BYTES), (false, [0; 4]));
    }

    #[test]
    fn unusual_pack_models_are_drawn_or_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let one = r#"{"variants": {"": {"model": "block/stone"}}}"#;

        let model = |from: &str, to: &str, face: &str| {
            format!(
                r#"{{"elements": [{{"from": {from}, "to": {to}, "faces": {{"up": {face}}}}}]}}"#
            )
        };

        let face = r#"{"texture": "block/stone"}"#;
        let whole = model("[0, 0, 0]", "[16, 16, 16]", face);
        for (state, model, is_drawn) in [
            (one, whole.clone(), true),
            (one, model("[0, 1e38, 0]", "[16, 1e38, 16]", face), true),
            (
                one,
                model("[-1e38, 0, -1e38]", "[1e38, 16, 1e38]", face),
                true,
            ),
            (one, model("[0, 0, 0]", "[0, 16, 0]", face), false),
            (
                one,
                model(
                    "[0, 0, 0]",
                    "[16, 16, 16]",
                    r#"{"texture": "block/stone", "uv": [9e9, -9e9, 1e38, 0]}"#,
                ),
                true,
            ),
            (
                one,
                model("[0, 0, 0]", "[16, 16, 16]", r##"{"texture": "#none"}"##),
                false,
            ),
            (one, model("[0, 0]", "[16, 16, 16]", face), false),
            (one, "{}".to_owned(), false),
            (one, "no model".to_owned(), false),
            (r#"{"variants": {"": []}}"#, whole.clone(), false),
            (
                r#"{"variants": {"": [{"model": "block/stone", "weight": 1e300}, {"model": 5}]}}"#,
                whole.clone(),
                true,
            ),
            (
                r#"{"multipart": [{"when": {"OR": [5]}, "apply": {"model": "block/stone"}}]}"#,
                whole.clone(),
                true,
            ),
            ("[]", whole, false),
        ] {
            let made =
                textures(folder.path(), state, &model).block("minecraft:stone", "facing=north");
            assert_eq!(made.is_some(), is_drawn, "{state} {model}");
            made.inspect(|looks| _ = looks.chosen([i32::MIN, i32::MAX, 0]));
        }

        let textures = textures(folder.path(), one, r#"{"parent": "block/stone"}"#);
        assert!(
            textures.block("minecraft:stone", "").is_none(),
            "a model that is its own parent"
        );
        assert!(
            textures.block("minecraft:no/../such", "").is_none() && textures.failure().is_none()
        );
    }

    #[test]
    fn the_fingerprint_covers_picture_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let one = r#"{"variants": {"": {"model": "block/stone"}}}"#;
        let first = textures(folder.path(), one, "{}").fingerprint();
        let sound = folder.path().join("assets/minecraft/sounds");
        std::fs::create_dir_all(&sound).unwrap();
        std::fs::write(sound.join("stone.ogg"), "a sound").unwrap();
        assert_eq!(textures(folder.path(), one, "{}").fingerprint(), first);
        assert_ne!(textures(folder.path(), one, "{ }").fingerprint(), first);
    }
}
