//! Reads the files of packs that pictures need, and keeps them and the pictures, up to `MAX_BYTES`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::palette::resolver::Assets;
use crate::palette::resolver::model::Model;
use crate::palette::resolver::states::State;
use crate::palette::resolver::texture::Texture;
use crate::textures::choice::BlockTextures;
use crate::textures::old_names::{OldBlock, texture_names};
use crate::textures::picture::{Picture, SIDE};
use pixelmap_base::mutex;
use pixelmap_world::pack::PackError;

/// The limit of the bytes of models, textures and pictures that are kept. Blocks beyond it are
/// drawn in their colours.
pub(super) const MAX_BYTES: usize = 64 << 20;
/// The widest texture that is kept. Finer textures are reduced to this width.
const MAX_WIDTH: u32 = 4 * SIDE as u32;

/// The packs with the textures, and everything that was made from them so far.
#[derive(Debug)]
pub(super) struct TextureStore {
    pub(super) assets: Assets,
    pub(super) made: Mutex<TextureCache>,
}

/// The files that were read and the pictures that were made so far.
#[derive(Debug, Default)]
pub(super) struct TextureCache {
    /// Block state files by the names of the block in old packs and in new ones. The flag is true
    /// if the file is from an old pack.
    pub(super) files: HashMap<[String; 2], (Arc<Value>, bool)>,
    pub(super) models: HashMap<String, Arc<Model>>,
    pub(super) textures: HashMap<String, Arc<Texture>>,
    /// The pictures of blocks, by name and state.
    pub(super) blocks: HashMap<(String, String), Option<Arc<BlockTextures>>>,
    /// Pictures by hash, so that equal pictures are kept only once.
    pub(super) pictures: HashMap<u64, Arc<Picture>>,
    /// The bytes of the models, textures and pictures that are kept.
    pub(super) bytes: usize,
}

impl TextureCache {
    /// Reserves `bytes` bytes if they fit the limit. Returns whether they do.
    fn has_room(&mut self, bytes: usize) -> bool {
        let has_room = self.bytes + bytes <= MAX_BYTES;
        if has_room {
            self.bytes += bytes;
        }
        has_room
    }
}

impl TextureStore {
    pub(super) fn new(assets: Assets) -> Self {
        Self {
            assets,
            made: Mutex::default(),
        }
    }

    /// Returns the block state file of a block, and the block's state in that file.
    pub(super) fn file(&self, name: &str, state: &State) -> Result<(Arc<Value>, State), PackError> {
        let old = OldBlock::find(name, state);
        let in_file = |is_old: bool| match &old {
            Some(old) if is_old => state.clone().into_iter().chain(old.state.clone()).collect(),
            _ => state.clone(),
        };

        let names = [
            old.as_ref().map_or(name, |old| &old.name).to_owned(),
            name.to_owned(),
        ];
        if let Some((file, is_old)) = mutex::lock(&self.made).files.get(&names) {
            return Ok((file.clone(), in_file(*is_old)));
        }

        let (file, is_old) = self
            .assets
            .state_by_names(names.each_ref().map(String::as_str))?;
        let file = Arc::new(file);
        let mut made = mutex::lock(&self.made);
        if made.has_room(bytes_of(&file)) {
            made.files.insert(names, (file.clone(), is_old));
        }

        drop(made);
        Ok((file, in_file(is_old)))
    }

    /// Returns a model, which is read once.
    pub(super) fn model(&self, name: &str) -> Result<Arc<Model>, PackError> {
        if let Some(model) = mutex::lock(&self.made).models.get(name) {
            return Ok(model.clone());
        }

        let model = match Model::read(&self.assets, name) {
            // Block state files from before 1.13 name models without their folder.
            Err(error) if !error.retryable && !name.contains('/') => {
                let (space, path) = name.split_once(':').unwrap_or(("minecraft", name));
                Model::read(&self.assets, &format!("{space}:block/{path}"))?
            }
            read => read?,
        };

        let model = Arc::new(model);
        let mut made = mutex::lock(&self.made);
        if made.has_room(size_of_val(&*model.elements)) {
            made.models.insert(name.to_owned(), model.clone());
        }

        Ok(model)
    }

    /// Returns a texture, reduced to the size that pictures need.
    pub(super) fn texture(&self, name: &str) -> Result<Arc<Texture>, PackError> {
        if let Some(texture) = mutex::lock(&self.made).textures.get(name) {
            return Ok(texture.clone());
        }

        let names = texture_names(name);

        let texture = self
            .assets
            .texture_by_names(names.each_ref().map(String::as_str))?;
        let texture = Arc::new(texture.reduced(MAX_WIDTH));
        let mut made = mutex::lock(&self.made);
        if made.has_room(texture.bytes()) {
            made.textures.insert(name.to_owned(), texture.clone());
        }

        Ok(texture)
    }

    /// Keeps the picture of a block, or returns an equal picture that is already kept. Returns
    /// `None` if the store is full.
    pub(super) fn keep_picture(&self, picture: Picture) -> Option<Arc<Picture>> {
        let mut made = mutex::lock(&self.made);
        let hash = picture.hash();
        if let Some(kept) = made.pictures.get(&hash) {
            return Some(kept.clone());
        }

        made.has_room(size_of::<Picture>()).then(|| {
            let picture = Arc::new(picture);
            made.pictures.insert(hash, picture.clone());
            picture
        })
    }
}

/// Returns the bytes that a file takes in memory, without the texts in it, which are shorter than
/// its other parts.
fn bytes_of(value: &Value) -> usize {
    let below: usize = match value {
        Value::Array(values) => values.iter().map(bytes_of).sum(),
        Value::Object(fields) => fields.values().map(bytes_of).sum(),
        _ => 0,
    };
    size_of::<Value>() + below
}
