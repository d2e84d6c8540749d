//! Sources of assets: a jar or pack (zip), or an unpacked folder.
//!
//! Several sources are layered as resource packs are: the first that has a file wins. Every read is limited. Knows no
//! blocks: returns the JSON of block states and models, and textures.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::add_on::is_add_on;
use super::texture::Texture;
use crate::world::pack::{self, Budget, Pack, PackError};

/// The largest texture that is read, in bytes.
const MAX_TEXTURE: u64 = 32 << 20;

/// The largest file of a pack that is read as JSON, in bytes: as a tree it needs some ten times as much.
const MAX_JSON: u64 = 8 << 20;

#[derive(Debug)]
pub struct Assets {
    packs: Vec<Pack>,
}

impl Assets {
    /// Opens each path, the topmost source first.
    ///
    /// # Errors
    /// A path cannot be read, or holds no assets.
    pub fn open(paths: &[PathBuf]) -> Result<Self, PackError> {
        let open = |path: &PathBuf| {
            let pack = Pack::open(path, &Budget::default())?;
            if Self::are_in(&pack) {
                return Ok(pack);
            }
            let reason = "neither a jar, nor a pack (zip or folder), nor a folder of jars: it holds no folder assets or data, and \
                 no manifest.json";
            Err(PackError::new(path.display(), reason))
        };
        Ok(Self { packs: paths.iter().map(open).collect::<Result<_, _>>()? })
    }

    /// Returns whether a pack holds assets of Java Edition, data, or an add-on of Bedrock Edition.
    pub fn are_in(pack: &Pack) -> bool {
        pack.has("assets") || pack.has("data") || is_add_on(pack)
    }

    /// The sources, the topmost first.
    pub fn packs(&self) -> impl DoubleEndedIterator<Item = &Pack> {
        self.packs.iter()
    }

    /// The names of all blocks that have a block state file, with namespace, sorted.
    pub(in crate::paint) fn blocks(&self) -> Result<Vec<String>, PackError> {
        let mut names = BTreeSet::new();
        for pack in &self.packs {
            let blocks = pack.list("assets", "blockstates", ".json")?;
            names.extend(blocks.into_iter().map(|block| block.name));
        }
        Ok(names.into_iter().collect())
    }

    /// The block state file of a block.
    pub(in crate::paint) fn state(&self, name: &str) -> Result<Value, PackError> {
        self.json("blockstates", name)
    }

    /// A model such as `minecraft:block/stone`.
    pub(super) fn model(&self, name: &str) -> Result<Value, PackError> {
        self.json("models", name)
    }

    /// The first frame of a texture such as `minecraft:block/stone`.
    pub(in crate::paint) fn texture(&self, name: &str) -> Result<Texture, PackError> {
        let (file, bytes) = self.read("textures", name, ".png", MAX_TEXTURE)?;
        Texture::from_png(&bytes).map(Texture::first_frame).map_err(|reason| PackError::new(&file, reason))
    }

    fn json(&self, kind: &str, name: &str) -> Result<Value, PackError> {
        let (file, bytes) = self.read(kind, name, ".json", MAX_JSON)?;
        serde_json::from_slice(&bytes).map_err(|error| PackError::new(&file, error))
    }

    /// The file of a resource in the topmost source that has it: its path there, and its bytes.
    fn read(&self, kind: &str, name: &str, ending: &str, most: u64) -> Result<(String, Vec<u8>), PackError> {
        // A pack's names become file names, so other characters are refused.
        let (space, path) =
            pack::split(name).ok_or_else(|| PackError::new(format!("{name:?}"), "not the name of a resource"))?;
        let file = format!("assets/{space}/{kind}/{path}{ending}");
        for pack in &self.packs {
            if let Some(bytes) = pack.read(&file, most)? {
                return Ok((file, bytes));
            }
        }
        Err(PackError::new(name, format!("no source has it among its {kind}")))
    }
}
