//! A layer whose tiles come under other names than those that stand. Names of the one may be names of the other, for
//! another place: so the new tiles are kept beside the map until the last of them is there. Then all of them move in, each
//! by rename; the manifest and `map.json` follow; and only then the old tiles go whose names none of the new ones has.
//!
//! What stands in between is named by no manifest of the map. So both manifests, of the old tiles and of the new, are kept
//! in the state folder from before the first one moves until the last that is to go is gone: whichever naming the next run
//! has, it finds what one that was killed has left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::moved::move_to;
use super::output::STATE;
use super::part::part_of;
use super::{Manifest, Naming, Output, PublishError, TileRecord, in_folder, sync};
use crate::coord::TilePos;

/// Tiles that wait to take their place.
pub(super) const NEXT: &str = "next";
/// Manifests of tiles that give way to others, and of those.
const REPLACED: &str = "replaced";

impl Output {
    /// Where a file with this path, or those in this folder, wait until they take their places.
    pub fn staged(path: &str, naming: Naming) -> String {
        by_naming(NEXT, naming, path)
    }

    /// Removes what waits, but for what an interrupted run has left in these folders.
    pub fn clear_staged(&self, but: &[String]) {
        let next = self.state(NEXT);
        if but.is_empty() {
            let _ = fs::remove_dir_all(&next);
        }
        let keeps = |path: &Path| but.iter().any(|staged| self.root().join(staged).starts_with(path));
        for path in fs::read_dir(&next).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if !keeps(&path) {
                let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
            }
        }
    }

    /// Calls `tile` with each tile of the manifest in a layer's folder, whose tiles are named as `naming` says. Where a run
    /// was killed between the manifests of old tiles and new ones, it is the one that is kept.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn each_earlier(
        &self,
        folder: &str,
        naming: Naming,
        mut tile: impl FnMut(TilePos, TileRecord),
    ) -> Result<(), PublishError> {
        let manifest = in_folder(folder, Manifest::FILE);
        if !Manifest::each_tile(self, &manifest, naming.scheme, &mut tile)? {
            Manifest::each_tile(self, &kept(folder, naming), naming.scheme, tile)?;
        }
        Ok(())
    }

    /// Moves `tiles`, which wait to be named in `folder` as `naming` says, to their places. Those that stand there, named as
    /// `old` says, stay but for namesakes; both are known until [`Output::remove_replaced`].
    ///
    /// # Errors
    /// The system refuses. What stood there stands, old or new.
    pub fn replace(
        &self,
        folder: &str,
        old: Naming,
        naming: Naming,
        tiles: &BTreeMap<TilePos, TileRecord>,
    ) -> Result<(), PublishError> {
        let mut earlier = BTreeMap::new();
        self.each_earlier(folder, old, |tile, record| {
            earlier.insert(tile, record);
        })?;
        let kept = [self.keep(folder, old, earlier)?, self.keep(folder, naming, tiles.clone())?];
        sync::files(self.root(), &[self.place(&kept[0])?, self.place(&kept[1])?])?;
        for &tile in tiles.keys() {
            let path = in_folder(folder, &self.content().tile_name(naming, tile));
            self.note(&path)?;
            let to = self.place(&path)?;
            move_to(&self.place(&Self::staged(&path, naming))?, &to).map_err(PublishError::io(&to))?;
        }
        Ok(())
    }

    /// Removes the tiles in a layer's folder that others have replaced, in this run or in one before that was killed:
    /// `now` are those that stand, named as `naming` says, and their manifest has been written.
    ///
    /// # Errors
    /// The system refuses. The next run finds what is still to go.
    pub fn remove_replaced(
        &self,
        folder: &str,
        naming: Naming,
        now: &BTreeMap<TilePos, TileRecord>,
    ) -> Result<(), PublishError> {
        let mut replaced = Vec::new();
        for by in Naming::all() {
            replaced.extend(self.standing(&kept(folder, by))?.map(|_| by));
        }
        if replaced.is_empty() {
            return Ok(());
        }
        let said = [self.content().facts().to_owned(), in_folder(folder, Manifest::FILE)];
        sync::files(self.root(), &[self.place(&said[0])?, self.place(&said[1])?])?;
        for &by in &replaced {
            let mut removed = Ok(());
            Manifest::each_tile(self, &kept(folder, by), by.scheme, |tile, _| {
                let stands = naming.namesake(tile, by).is_some_and(|tile| now.contains_key(&tile));
                if removed.is_ok() {
                    removed = self.remove_one(&in_folder(folder, &self.content().tile_name(by, tile)), stands);
                }
            })?;
            removed?;
        }
        // As long as they are kept, they tell of them all.
        self.sync_notes()?;
        replaced.into_iter().try_for_each(|by| self.remove(&kept(folder, by)).map(drop))
    }

    /// Removes what a run has left beside the place of a tile that was killed while it copied that, and the tile itself
    /// unless it stands.
    fn remove_one(&self, path: &str, stands: bool) -> Result<(), PublishError> {
        let _ = fs::remove_file(part_of(&self.place(path)?));
        if stands { Ok(()) } else { self.remove_earlier(path).map(drop) }
    }

    /// Keeps which tiles stand in a layer's folder under these names, or are about to, beside those that are kept already.
    fn keep(&self, folder: &str, naming: Naming, tiles: BTreeMap<TilePos, TileRecord>) -> Result<String, PublishError> {
        let (path, mut manifest) = (kept(folder, naming), Manifest { tiles });
        Manifest::each_tile(self, &path, naming.scheme, |tile, record| {
            manifest.tiles.entry(tile).or_insert(record);
        })?;
        self.put_written(&path, |out| manifest.write(naming.scheme, out))?;
        Ok(path)
    }
}

/// Where the manifest of tiles that are named like this is kept.
fn kept(folder: &str, naming: Naming) -> String {
    by_naming(REPLACED, naming, &in_folder(folder, Manifest::FILE))
}

fn by_naming(what: &str, naming: Naming, path: &str) -> String {
    format!("{STATE}/{what}/{}-{}/{path}", naming.scheme.name(), naming.format.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::{Format, Identity, Scheme};

    const XYZ: Naming = Naming { scheme: Scheme::Xyz, format: Format::Png };
    const TMS: Naming = Naming { scheme: Scheme::Tms, format: Format::Png };

    fn open(folder: &Path) -> Output {
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.join("world") };
        Output::open(&folder.join("map"), &world, &[]).unwrap()
    }

    /// Tiles of a level in the middle of the world, of which each naming has names that the other has for other places.
    fn tiles(places: &[(i32, i32)]) -> Manifest {
        let record = TileRecord { bytes: 1, file: 1, pixels: 1 };
        Manifest { tiles: places.iter().map(|&(x, y)| (TilePos { zoom: 16, x, y }, record)).collect() }
    }

    fn put_manifest(output: &Output, manifest: &Manifest, naming: Naming) {
        output.put_written("day/tiles.tsv", |out| manifest.write(naming.scheme, out)).unwrap();
    }

    fn path(naming: Naming, (x, y): (i32, i32)) -> String {
        format!("day/{}", naming.path(TilePos { zoom: 16, x, y }))
    }

    /// A map of old tiles, and new ones that wait.
    fn waiting(output: &Output, old: &[(i32, i32)], new: &[(i32, i32)]) {
        for &tile in old {
            output.put(&path(XYZ, tile), b"old").unwrap();
        }
        for &tile in new {
            output.put(&Output::staged(&path(TMS, tile), TMS), b"new").unwrap();
        }
        put_manifest(output, &tiles(old), XYZ);
        output.put("map.json", b"old").unwrap();
    }

    fn reads(output: &Output, path: &str) -> String {
        output.read(path).map_or("nothing".to_owned(), |bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn all_new_tiles_are_there_before_an_old_one_goes() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        // The name of (0, 0) under xyz is that of (0, -1) under tms.
        let (old, new) = ([(0, 0), (1, 5), (2, 7)], [(0, 0), (0, -1), (1, 5)]);
        waiting(&output, &old, &new);
        output.replace("day", XYZ, TMS, &tiles(&new).tiles).unwrap();
        for tile in new {
            assert_eq!(reads(&output, &path(TMS, tile)), "new");
        }
        assert_eq!(old.map(|tile| reads(&output, &path(XYZ, tile))), ["new", "old", "old"]);
        let mut earlier = Vec::new();
        output.each_earlier("day", XYZ, |tile, _| earlier.push((tile.x, tile.y))).unwrap();
        assert_eq!(earlier, old, "the manifest stands");
        put_manifest(&output, &tiles(&new), TMS);
        output.remove_replaced("day", TMS, &tiles(&new).tiles).unwrap();
        assert_eq!(old.map(|tile| reads(&output, &path(XYZ, tile))), ["new", "nothing", "nothing"]);
        assert_eq!(new.map(|tile| reads(&output, &path(TMS, tile))), ["new"; 3]);
        assert!(!output.state(REPLACED).exists());
    }

    #[test]
    fn nothing_old_goes_where_a_new_tile_cannot_come_to_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        let tile = [(1, 5), (2, 7)];
        waiting(&output, &tile, &tile);
        let in_the_way = format!("{}/mine.txt", path(TMS, tile[1]));
        output.put(&in_the_way, b"mine").unwrap();
        let replace = || output.replace("day", XYZ, TMS, &tiles(&tile).tiles);
        assert!(replace().is_err());
        assert_eq!(tile.map(|tile| reads(&output, &path(XYZ, tile))), ["old"; 2]);
        assert!(reads(&output, &in_the_way) == "mine" && output.read("day/tiles.tsv").is_ok());
    }

    #[test]
    fn what_a_killed_run_has_left_is_found_whatever_the_names_of_the_next() {
        for next in [XYZ, TMS, Naming::default()] {
            let folder = tempfile::tempdir().unwrap();
            let output = open(folder.path());
            let (old, new) = ([(1, 5), (2, 7)], [(1, 5), (3, 9)]);
            waiting(&output, &old, &new);
            output.replace("day", XYZ, TMS, &tiles(&new).tiles).unwrap();
            output.remove("day/tiles.tsv").unwrap();
            // It was killed between two manifests; the next one has a tile, which is drawn.
            let mut earlier = Vec::new();
            for by in [XYZ, TMS] {
                output.each_earlier("day", by, |tile, _| earlier.push((tile.x, tile.y))).unwrap();
            }
            assert_eq!(earlier, [old, new].concat());
            output.put(&path(next, old[0]), b"drawn").unwrap();
            put_manifest(&output, &tiles(&old[..1]), next);
            let beside = part_of(&output.root().join(path(TMS, new[1])));
            fs::File::create(&beside).unwrap();
            output.remove_replaced("day", next, &tiles(&old[..1]).tiles).unwrap();
            assert_eq!(reads(&output, &path(next, old[0])), "drawn");
            let mut left: Vec<_> = fs::read_dir(output.root().join("day/16")).unwrap().flatten().collect();
            assert_eq!(left.len(), 1, "{next:?}: {left:?}");
            let left = fs::read_dir(left.remove(0).path()).unwrap().count();
            assert!(left == 1 && !output.state(REPLACED).exists(), "{next:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_manifest_that_cannot_be_read_is_not_taken_for_none() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        let each = || output.each_earlier("day", XYZ, |_, _| {});
        assert!(each().is_ok(), "there is none");
        fs::create_dir_all(output.root().join("day")).unwrap();
        // It leads to itself, which nobody can open, whoever they are.
        let manifest = output.root().join("day/tiles.tsv");
        std::os::unix::fs::symlink(&manifest, &manifest).unwrap();
        assert!(each().is_err_and(|error| error.to_string().contains("tiles.tsv")));
        assert!(output.manifest("day/tiles.tsv", Scheme::Signed).is_err());
        let tile = [(1, 5)];
        output.put(&Output::staged(&path(TMS, tile[0]), TMS), b"new").unwrap();
        assert!(output.replace("day", XYZ, TMS, &tiles(&tile).tiles).is_err());
        assert_eq!(reads(&output, &path(TMS, tile[0])), "nothing", "nothing has begun");
    }
}
