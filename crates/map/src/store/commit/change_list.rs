//! Lists the files of a map that changed since change lists were last written, for other programs
//! that follow the map. For this, the state folder keeps the paths and hashes of all files at the
//! time of the last lists, and the present files are compared with them.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, BufRead as _, BufReader, Write as _};

use twox_hash::XxHash3_64;

use crate::atlas::{
    Content, LayerFacts, Manifest, ManifestLines, MapFile, history_lists, in_folder, kept_files,
};
use crate::page;
use crate::store::error::PublishError;
use crate::store::folder::output::Output;
use pixelmap_base::disk::if_there;

/// The state file with the last listed version of each file: one `hash<TAB>path` line per file. The
/// hash is the file's XXH3-64 in hexadecimal.
pub(crate) const LISTED: &str = "listed.tsv";

/// Paths relative to a map's folder, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeLists {
    /// Files that are new or have other bytes.
    pub changed: Vec<String>,
    /// Files that were removed.
    pub deleted: Vec<String>,
}

impl ChangeLists {
    /// Lists the files that changed in these folders since [`Output::mark_listed`]. The other
    /// folders are inside the first one, and all paths are relative to the first one.
    ///
    /// # Errors
    /// See [`Output::changes`].
    pub fn read(folders: &[Output]) -> Result<Self, PublishError> {
        let mut all = Self::default();
        for folder in folders {
            let inside = folders
                .first()
                .and_then(|first| folder.root().strip_prefix(first.root()).ok()?.to_str())
                .unwrap_or_default();
            let Self { changed, deleted } = folder.changes()?;

            for path in changed {
                all.changed.push(in_folder(inside, &path));
            }
            for path in deleted {
                all.deleted.push(in_folder(inside, &path));
            }
        }

        all.changed.sort_unstable();
        all.deleted.sort_unstable();

        Ok(all)
    }
}

impl Output {
    /// Records the files of the map before a run, unless this was done before, so that the first
    /// change lists contain only the changes of this run. Returns whether it was done before.
    ///
    /// # Errors
    /// The map cannot be read, or the state cannot be written.
    pub fn begin_listing(&self) -> Result<bool, PublishError> {
        let place = self.state(LISTED)?;
        let there = place.facts().map_err(PublishError::at(&place))?;
        if there.is_some() {
            Ok(true)
        } else {
            self.mark_listed().map(|()| false)
        }
    }

    /// Lists the files that changed since [`Output::mark_listed`].
    ///
    /// # Errors
    /// The map or the last listed files cannot be read.
    pub fn changes(&self) -> Result<ChangeLists, PublishError> {
        let mut before = self.read_last_list()?;
        let mut changed = Vec::new();
        self.each_file(|path, hash| {
            if before.remove(&path) != Some(hash) {
                changed.push(path);
            }
            Ok(())
        })?;
        changed.sort_unstable();

        Ok(ChangeLists {
            changed,
            deleted: before.into_keys().collect(),
        })
    }

    /// Records the present files of the map as the last listed ones. Call this when the change
    /// lists have been written.
    ///
    /// # Errors
    /// The map cannot be read, or the state cannot be written.
    pub fn mark_listed(&self) -> Result<(), PublishError> {
        let mut list = self.new_file(self.state(LISTED)?)?;
        self.each_file(|path, hash| {
            writeln!(list, "{hash:016x}\t{path}").map_err(|error| list.failed(error))
        })?;
        list.appear().map(drop)
    }

    /// Returns the hash of each last listed file. A damaged line is skipped, because then its file
    /// is only listed as changed without need.
    fn read_last_list(&self) -> Result<BTreeMap<String, u64>, PublishError> {
        let mut files = BTreeMap::new();
        let place = self.state(LISTED)?;
        let failed = |error| PublishError::Io(place.path(), error);
        let Some(file) = if_there(place.open()).map_err(failed)? else {
            return Ok(files);
        };

        for line in BufReader::new(file).split(b'\n') {
            let line = String::from_utf8(line.map_err(failed)?).unwrap_or_default();
            let Some((hash, path)) = line.split_once('\t') else {
                continue;
            };
            files.extend(u64::from_str_radix(hash, 16).map(|hash| (path.to_owned(), hash)));
        }

        Ok(files)
    }

    /// Calls `file` with each file of the map and a number that changes with the file's bytes: the
    /// hash that a manifest or a history list records of a file, or else the hash of its bytes.
    fn each_file(
        &self,
        mut file: impl FnMut(String, u64) -> Result<(), PublishError>,
    ) -> Result<(), PublishError> {
        let facts = self.facts()?;
        let of_map = page::paths().chain([MapFile::SCRIPT, MapFile::VERSION]);
        let of_map = of_map
            .filter(|_| self.content() == Content::Map)
            .chain([self.content().facts()]);
        let of_markers = facts.iter().flat_map(MapFile::all_marker_files);
        let mut paths: Vec<String> = of_map.map(str::to_owned).collect();
        paths.extend(of_markers.map(str::to_owned));
        paths.extend(
            facts
                .iter()
                .flat_map(MapFile::icon_files)
                .map(str::to_owned),
        );
        paths.extend(facts.iter().filter_map(|map| map.preview.clone()));

        for layer in facts.iter().flat_map(MapFile::with_details) {
            paths.extend(
                [Manifest::FILE, LayerFacts::TILEJSON].map(|name| in_folder(&layer.path, name)),
            );
            paths.extend(layer.list_paths());
        }

        if let Some(map) = facts.as_ref().filter(|map| map.history) {
            let failed = |error| PublishError::Io(self.root().to_owned(), error);
            paths.extend(history_lists(self.folder()).map_err(failed)?);
            let kept = kept_files(self.folder(), map).map_err(failed)?;
            kept.into_iter()
                .try_for_each(|(path, record)| file(path, record.file))?;
        }

        for path in paths {
            if let Some(hash) = self.hash_of(&path)? {
                file(path, hash)?;
            }
        }

        for layer in facts.iter().flat_map(MapFile::with_details) {
            let place = self.place(&in_folder(&layer.path, Manifest::FILE))?;
            let manifest = if_there(place.open()).map_err(PublishError::at(&place))?;
            for line in manifest
                .into_iter()
                .flat_map(|manifest| ManifestLines::new(manifest, layer.scheme))
            {
                let (tile, record) =
                    line.map_err(|error| PublishError::Io(place.path(), io::Error::other(error)))?;
                file(
                    in_folder(&layer.path, &self.content().tile_name(layer.naming(), tile)),
                    record.file,
                )?;

                if let Some(name) = self.content().world_file_name(tile) {
                    // The bytes of a world file depend only on its region, so a constant can
                    // replace their hash.
                    file(in_folder(&layer.path, &name), 0)?;
                }
            }
        }

        Ok(())
    }

    /// Returns the XXH3-64 of a published file, or `None` if it does not exist.
    fn hash_of(&self, path: &str) -> Result<Option<u64>, PublishError> {
        let place = self.place(path)?;
        let here = if_there(place.open().and_then(file_hash)).map_err(PublishError::at(&place))?;
        match here {
            Some(hash) => Ok(Some(hash)),
            None => Ok(self.file_facts(path)?.and_then(|facts| facts.hash)),
        }
    }
}

/// Returns the XXH3-64 of a file's bytes.
fn file_hash(file: File) -> io::Result<u64> {
    let (mut read, mut hasher) = (
        BufReader::with_capacity(1 << 16, file),
        XxHash3_64::with_seed(0),
    );

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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::atlas::{DimensionFacts, Naming, Scheme, TileRecord};
    use crate::store::folder::identity::Identity;
    use pixelmap_base::coord::TilePos;

    fn open(folder: &Path) -> Output {
        let world = Identity {
            name: "w".to_owned(),
            spawn: None,
            path: folder.join("world"),
        };
        Output::open(&folder.join("map"), &world, &[]).unwrap()
    }

    /// Writes the facts and the manifest of a map with these tiles, each given as x and the hash of
    /// its file.
    fn write(output: &Output, naming: Naming, tiles: &[(i32, u64)]) {
        let record = |file| TileRecord {
            bytes: 1,
            file,
            pixels: 1,
        };

        let tiles = tiles
            .iter()
            .map(|&(x, file)| (TilePos { zoom: 17, x, y: -x }, record(file)))
            .collect();
        let manifest = Manifest { tiles };
        let mut text = Vec::new();
        manifest.write(naming.scheme, &mut text).unwrap();

        let layer = LayerFacts::new("day", "o/day".to_owned(), naming, 1, 17, &manifest);
        let id = "o".to_owned();
        let path = "o".to_owned();
        let name = "o".to_owned();

        let mut map = MapFile::new("w".to_owned());
        map.dimensions.push(DimensionFacts {
            id,
            path,
            name,
            spawn: None,
            layers: vec![layer],
            details: None,
            markers: Vec::new(),
        });

        output.put("o/day/tiles.tsv", &text).unwrap();
        output.put(MapFile::FILE, map.json().as_bytes()).unwrap();
    }

    fn list_texts(output: &Output) -> [String; 2] {
        let ChangeLists { changed, deleted } = output.changes().unwrap();
        [changed, deleted].map(|paths| paths.join(" "))
    }

    #[test]
    fn change_lists_start_at_the_last_written_ones() {
        for scheme in Scheme::ALL {
            let naming = Naming {
                scheme,
                ..Naming::default()
            };
            let name = |x| format!("o/day/{}", naming.path(TilePos { zoom: 17, x, y: -x }));
            let folder = tempfile::tempdir().unwrap();
            let output = open(folder.path());
            assert_eq!(list_texts(&output), ["", ""], "there is no map");
            write(&output, naming, &[(1, 1), (2, 2), (3, 3)]);

            let all = format!(
                "map.json {} {} {} o/day/tiles.tsv",
                name(1),
                name(2),
                name(3)
            );

            assert_eq!(
                list_texts(&output),
                [all, String::new()],
                "nothing was listed before"
            );
            output.mark_listed().unwrap();
            assert_eq!(list_texts(&output), ["", ""]);

            // A tile that changes and changes back before the lists are written is not listed.
            write(&output, naming, &[(1, 9), (2, 2)]);
            write(&output, naming, &[(1, 1), (2, 7), (4, 4)]);
            let changed = format!("map.json {} {} o/day/tiles.tsv", name(2), name(4));
            assert_eq!(list_texts(&output), [changed, name(3)]);
        }
    }

    #[test]
    fn a_damaged_redo_list_never_fails_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        write(&output, Naming::default(), &[(1, 1), (2, 2)]);
        output.mark_listed().unwrap();

        let text = std::fs::read_to_string(output.state(LISTED).unwrap().path()).unwrap();
        let text = [
            b"damaged\n\xff\n",
            text.replace("\tmap.json", " map.json").as_bytes(),
        ]
        .concat();

        File::create(output.state(LISTED).unwrap().path())
            .unwrap()
            .write_all(&text)
            .unwrap();
        assert_eq!(list_texts(&output), ["map.json", ""]);
    }
}
