//! The files that changed since change lists were last written: the difference between the map as it was then and the
//! map as it stands. The earlier map is kept in the state folder as its manifests and the hashes of its other files.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, BufRead as _, BufReader, Write as _};

use twox_hash::XxHash3_64;

use super::files::{if_there, open_file, read_file};
use super::{
    Content, LayerFacts, Manifest, ManifestError, ManifestLines, MapFile, Output, PublishError, STATE, Scheme,
    TileRecord, in_folder, viewer,
};
use crate::coord::TilePos;

/// The folder of the state with the manifests as they were listed last, and with [`FILES`].
const LISTED: &str = "listed";
/// The other files as they were listed last: a line a file, its XXH3-64 and its path.
const FILES: &str = "files.tsv";

/// Paths relative to a map's folder, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeLists {
    /// Files that are new or have other bytes.
    pub changed: Vec<String>,
    /// Files that are gone.
    pub deleted: Vec<String>,
}

impl Output {
    /// Keeps the map as it stands before a run, if lists were never written: the first ones list what the run changes.
    ///
    /// # Errors
    /// The map cannot be read, or the state not be written.
    pub fn begin_listing(&self) -> Result<(), PublishError> {
        if self.standing(&listed(FILES))?.is_some() { Ok(()) } else { self.mark_listed() }
    }

    /// Lists what changed since [`Output::mark_listed`].
    ///
    /// # Errors
    /// The map, or what was listed last, cannot be read.
    pub fn changes(&self) -> Result<ChangeLists, PublishError> {
        let mut lists = ChangeLists::default();
        let (now, before) = (self.other_files()?, self.listed_files()?);
        for (path, hash) in &now {
            if before.get(path) != Some(hash) {
                lists.changed.push(path.clone());
            }
        }
        lists.deleted.extend(before.into_keys().filter(|path| !now.contains_key(path)));
        for layer in self.facts()?.iter().flat_map(MapFile::layers) {
            self.add_tiles(&mut lists, layer)?;
        }
        lists.changed.sort_unstable();
        lists.deleted.sort_unstable();
        Ok(lists)
    }

    /// Keeps the map as it stands as the one that was listed last: to be called when the lists are written.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn mark_listed(&self) -> Result<(), PublishError> {
        for layer in self.facts()?.iter().flat_map(MapFile::layers) {
            let path = in_folder(&layer.path, Manifest::FILE);
            if self.standing(&path)?.is_some() {
                self.copy(&path, &listed(&path))?;
            }
        }
        let mut text = Vec::new();
        for (path, hash) in self.other_files()? {
            let _ = writeln!(text, "{hash:016x}\t{path}");
        }
        self.put(&listed(FILES), &text).map(drop)
    }

    /// All files of the map that are no tiles, with the hashes of their bytes.
    fn other_files(&self) -> Result<BTreeMap<String, u64>, PublishError> {
        let of_map = viewer::files().into_iter().map(|(path, _)| path).chain([MapFile::SCRIPT]);
        let of_map = of_map.filter(|_| self.content() == Content::Map).chain([self.content().facts()]);
        let mut paths: Vec<String> = of_map.map(str::to_owned).collect();
        for layer in self.facts()?.iter().flat_map(MapFile::layers) {
            paths.extend([Manifest::FILE, LayerFacts::TILEJSON].map(|name| in_folder(&layer.path, name)));
        }
        let mut files = BTreeMap::new();
        for path in paths {
            let place = self.place(&path)?;
            let hash = if_there(open_file(&place).and_then(hash_of)).map_err(PublishError::io(&place))?;
            files.extend(hash.map(|hash| (path, hash)));
        }
        Ok(files)
    }

    fn listed_files(&self) -> Result<BTreeMap<String, u64>, PublishError> {
        let path = self.place(&listed(FILES))?;
        let bytes = if_there(read_file(&path)).map_err(PublishError::io(&path))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let line = |line: &str| {
            let (hash, path) = line.split_once('\t')?;
            Some((path.to_owned(), u64::from_str_radix(hash, 16).ok()?))
        };
        Ok(text.lines().filter_map(line).collect())
    }

    fn add_tiles(&self, lists: &mut ChangeLists, layer: &LayerFacts) -> Result<(), PublishError> {
        let manifest = in_folder(&layer.path, Manifest::FILE);
        let name = |tile| in_folder(&layer.path, &self.content().tile_name(layer.naming(), tile));
        let beside = |tile| self.content().world_file_name(tile).map(|name| in_folder(&layer.path, &name));
        let lines = |path: &str| -> Result<_, PublishError> {
            let place = self.place(path)?;
            let file = if_there(open_file(&place)).map_err(PublishError::io(&place))?;
            Ok(file.map(|file| ManifestLines::new(file, layer.scheme)))
        };
        // A line that is damaged in what was listed last costs its tile an entry that is not needed.
        let before = lines(&listed(&manifest))?.into_iter().flatten().filter_map(Result::ok);
        let now = lines(&manifest)?.into_iter().flatten();
        join(layer.scheme, before, now, |tile, before, now| match (before, now) {
            (Some(before), Some(now)) if before.file == now.file => {}
            (Some(_), Some(_)) => lists.changed.push(name(tile)),
            (None, Some(_)) => lists.changed.extend([name(tile)].into_iter().chain(beside(tile))),
            (_, None) => lists.deleted.extend([name(tile)].into_iter().chain(beside(tile))),
        })
        .map_err(|error| PublishError::Io(self.root().join(&manifest), io::Error::other(error)))
    }

    /// Copies a published file of any length.
    fn copy(&self, from: &str, to: &str) -> Result<(), PublishError> {
        let (from, to) = (self.place(from)?, self.place(to)?);
        let copied = open_file(&from).and_then(|mut read| {
            let mut file = self.temporary_file()?;
            io::copy(&mut read, &mut file)?;
            file.appear(&to)
        });
        copied.map_err(PublishError::io(&to))
    }
}

/// The XXH3-64 of a file's bytes.
fn hash_of(file: File) -> io::Result<u64> {
    let (mut read, mut hasher) = (BufReader::with_capacity(1 << 16, file), XxHash3_64::with_seed(0));
    loop {
        let bytes = read.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hasher.finish());
        }
        hasher.write(bytes);
        let len = bytes.len();
        read.consume(len);
    }
}

/// The place of a file in the state as it was listed last.
fn listed(path: &str) -> String {
    format!("{STATE}/{LISTED}/{path}")
}

type Line = (TilePos, TileRecord);

/// Calls `each` with every tile of two manifests, in the order in which `scheme` counts them.
///
/// # Errors
/// The manifest that stands now cannot be read.
fn join(
    scheme: Scheme,
    mut before: impl Iterator<Item = Line>,
    mut now: impl Iterator<Item = Result<Line, ManifestError>>,
    mut each: impl FnMut(TilePos, Option<TileRecord>, Option<TileRecord>),
) -> Result<(), ManifestError> {
    let place = |(tile, _): Line| (tile.zoom, scheme.numbers(tile));
    let (mut one, mut two) = (before.next(), now.next().transpose()?);
    loop {
        let order = match (one.map(place), two.map(place)) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.cmp(&b),
        };
        let (a, b) = (one.filter(|_| order.is_le()), two.filter(|_| order.is_ge()));
        if let Some((tile, _)) = a.or(b) {
            each(tile, a.map(|(_, record)| record), b.map(|(_, record)| record));
        }
        if a.is_some() {
            one = before.next();
        }
        if b.is_some() {
            two = now.next().transpose()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::publish::{Facts, Identity, Naming};

    fn open(folder: &Path) -> Output {
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.join("world") };
        Output::open(&folder.join("map"), &world, &[]).unwrap()
    }

    /// Writes the facts and the manifest of a map with these tiles, as x and the hash of the file.
    fn write(output: &Output, naming: Naming, tiles: &[(i32, u64)]) {
        let record = |file| TileRecord { bytes: 1, file, pixels: 1 };
        let tiles = tiles.iter().map(|&(x, file)| (TilePos { zoom: 17, x, y: -x }, record(file))).collect();
        let (manifest, mut text) = (Manifest { tiles }, Vec::new());
        manifest.write(naming.scheme, &mut text).unwrap();
        let layer = LayerFacts::new("day", "o/day".to_owned(), naming, 1, 17, &manifest);
        let (id, path, name) = ("o".to_owned(), "o".to_owned(), "o".to_owned());
        let mut map = MapFile::new("w".to_owned());
        map.dimensions.push(Facts { id, path, name, spawn: None, layers: vec![layer] });
        output.put("o/day/tiles.tsv", &text).unwrap();
        output.put(MapFile::FILE, map.json().as_bytes()).unwrap();
    }

    fn lists(output: &Output) -> [String; 2] {
        let ChangeLists { changed, deleted } = output.changes().unwrap();
        [changed, deleted].map(|paths| paths.join(" "))
    }

    #[test]
    fn lists_are_the_difference_since_they_were_last_written() {
        for scheme in Scheme::ALL {
            let naming = Naming { scheme, ..Naming::default() };
            let name = |x| format!("o/day/{}", naming.path(TilePos { zoom: 17, x, y: -x }));
            let folder = tempfile::tempdir().unwrap();
            let output = open(folder.path());
            assert_eq!(lists(&output), ["", ""], "there is no map");
            write(&output, naming, &[(1, 1), (2, 2), (3, 3)]);
            let all = format!("map.json {} {} {} o/day/tiles.tsv", name(1), name(2), name(3));
            assert_eq!(lists(&output), [all, String::new()], "nothing was listed before");
            output.mark_listed().unwrap();
            assert_eq!(lists(&output), ["", ""]);
            // Of a tile that changes, and changes back before lists are written, nothing is listed.
            write(&output, naming, &[(1, 9), (2, 2)]);
            write(&output, naming, &[(1, 1), (2, 7), (4, 4)]);
            let changed = format!("map.json {} {} o/day/tiles.tsv", name(2), name(4));
            assert_eq!(lists(&output), [changed, name(3)]);
        }
    }

    #[test]
    fn a_damaged_list_costs_entries_and_no_run() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        write(&output, Naming::default(), &[(1, 1), (2, 2)]);
        output.mark_listed().unwrap();
        let text = String::from_utf8(output.read("o/day/tiles.tsv").unwrap()).unwrap();
        output.put(&listed("o/day/tiles.tsv"), text.replacen("17", "x", 1).as_bytes()).unwrap();
        output.put(&listed(FILES), b"damaged\n\xff").unwrap();
        assert_eq!(lists(&output), ["map.json o/day/17/1/-1.png o/day/tiles.tsv", ""]);
    }
}
