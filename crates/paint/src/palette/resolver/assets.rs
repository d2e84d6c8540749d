//! Reads assets from their sources. A source is a jar or pack (zip), or an unpacked folder.
//!
//! Several sources are layered like resource packs: the first source that has a file wins. The size
//! of every file that is read is limited. This module returns the JSON of block states and models,
//! and textures, but does not interpret them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::palette::resolver::texture::Texture;
use pixelmap_world::pack::{self, Pack, PackError, PackOpener, parse_json};

/// The largest texture that is read, in bytes.
const MAX_TEXTURE: u64 = 32 << 20;

/// The largest file of a pack that is read as JSON, in bytes. As a tree, JSON needs up to forty
/// times as much memory.
const MAX_JSON: u64 = 4 << 20;

/// A file that every pack of Bedrock Edition contains. We recognize such packs by it.
const MANIFEST: &str = "manifest.json";

#[derive(Debug)]
pub struct Assets {
    packs: Vec<Pack>,
    /// For each pack, whether it uses the names from before 1.13.
    are_old: Vec<bool>,
}

/// A file, from the topmost source that has it.
#[derive(Debug)]
struct PackFile {
    path: String,
    bytes: Vec<u8>,
    is_old: bool,
}

impl Assets {
    /// Opens the sources at these paths, the topmost source first. The jars inside a source are
    /// below it.
    ///
    /// # Errors
    /// Fails if a path cannot be read or does not contain assets.
    pub fn open(paths: &[PathBuf]) -> Result<Self, PackError> {
        let mut opener = PackOpener::default();
        let packs = paths
            .iter()
            .map(|path| Self::open_source(path, &mut opener))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self::new(packs.into_iter().flatten()))
    }

    /// Opens the source at a path, with the jars inside it.
    ///
    /// # Errors
    /// Fails if the path cannot be read or does not contain assets.
    pub fn open_source(path: &Path, opener: &mut PackOpener) -> Result<Vec<Pack>, PackError> {
        let mut packs = opener.open(path)?;
        packs.retain(Self::are_in);
        if packs.is_empty() {
            let reason = "neither a jar, nor a pack (zip or folder), nor a folder of jars: it \
                          holds no folder assets or data, and no manifest.json";
            return Err(PackError::new(path.display(), reason));
        }
        Ok(packs)
    }

    /// Makes assets of these sources, the topmost source first.
    pub fn new(packs: impl IntoIterator<Item = Pack>) -> Self {
        let packs: Vec<Pack> = packs.into_iter().collect();
        let are_old = packs.iter().map(has_old_names).collect();
        Self { packs, are_old }
    }

    /// Returns whether a pack contains assets of Java Edition, data, or an add-on of Bedrock
    /// Edition.
    pub fn are_in(pack: &Pack) -> bool {
        pack.has("assets") || pack.has("data") || is_add_on(pack)
    }

    /// Returns whether any source uses the names from before 1.13.
    pub(crate) fn has_old_names(&self) -> bool {
        self.are_old.contains(&true)
    }

    /// Returns the sources, the topmost first.
    pub fn packs(&self) -> impl DoubleEndedIterator<Item = &Pack> {
        self.packs.iter()
    }

    /// Returns the names (with namespace) of all blocks that have a block state file, sorted.
    pub(crate) fn blocks(&self) -> Result<Vec<String>, PackError> {
        let mut names = BTreeSet::new();
        for pack in &self.packs {
            let blocks = pack.list("assets", "blockstates", ".json")?;
            names.extend(blocks.into_iter().map(|block| block.name));
        }
        Ok(names.into_iter().collect())
    }

    /// Returns the block state file of a block.
    pub(crate) fn state(&self, name: &str) -> Result<Value, PackError> {
        self.json("blockstates", name)
    }

    /// Returns the block state file of a block, and whether it is from a source with names from
    /// before 1.13. `names` are the name in such sources and the name in newer ones.
    pub(crate) fn state_by_names(&self, names: [&str; 2]) -> Result<(Value, bool), PackError> {
        let file = self.find("blockstates", names, ".json", MAX_JSON)?;
        Ok((parse_json(&file.path, &file.bytes)?, file.is_old))
    }

    /// Returns a model such as `minecraft:block/stone`.
    pub(super) fn model(&self, name: &str) -> Result<Value, PackError> {
        self.json("models", name)
    }

    /// Returns the first frame of a texture such as `minecraft:block/stone`.
    pub(crate) fn texture(&self, name: &str) -> Result<Texture, PackError> {
        self.texture_by_names([name; 2])
    }

    /// Returns the first frame of a texture. `names` are its name in sources with names from before
    /// 1.13, and its name in newer sources.
    pub(crate) fn texture_by_names(&self, names: [&str; 2]) -> Result<Texture, PackError> {
        let PackFile { path, bytes, .. } = self.find("textures", names, ".png", MAX_TEXTURE)?;
        Texture::from_png(&bytes)
            .map(Texture::first_frame)
            .map_err(|reason| PackError::new(&path, reason))
    }

    fn json(&self, kind: &str, name: &str) -> Result<Value, PackError> {
        let PackFile { path, bytes, .. } = self.find(kind, [name; 2], ".json", MAX_JSON)?;
        parse_json(path, &bytes)
    }

    /// Returns the file of a resource, given its names in old and in new sources.
    fn find(
        &self,
        kind: &str,
        [old, now]: [&str; 2],
        ending: &str,
        most: u64,
    ) -> Result<PackFile, PackError> {
        for (pack, &is_old) in self.packs.iter().zip(&self.are_old) {
            let name = if is_old { old } else { now };

            // Names from packs become file names, so names with other characters are refused.
            let (space, path) = pack::split(name)
                .ok_or_else(|| PackError::new(format!("{name:?}"), "not the name of a resource"))?;
            let path = format!("assets/{space}/{kind}/{path}{ending}");
            if let Some(bytes) = pack.read(&path, most)? {
                return Ok(PackFile {
                    path,
                    bytes,
                    is_old,
                });
            }
        }

        Err(PackError::new(
            now,
            format!("no source has it among its {kind}"),
        ))
    }
}

/// Returns whether a pack is for versions before 1.13, which used other names for blocks and
/// textures.
fn has_old_names(pack: &Pack) -> bool {
    pack.has("assets/minecraft/textures/blocks") && !pack.has("assets/minecraft/textures/block")
}

/// Returns whether a pack is for Bedrock Edition.
pub(super) fn is_add_on(pack: &Pack) -> bool {
    matches!(pack.read(MANIFEST, MAX_JSON), Ok(Some(_)))
}
