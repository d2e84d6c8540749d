//! Tiles that go: those that are no longer part of the map, and those of a layer whose tiles come under other names than
//! those that stand. They go last, when the manifest and `map.json` stand that no longer name them; so whatever ends a run,
//! the map names no tile that is gone.
//!
//! What is to go is then named by no manifest of the map. So the earlier manifest is kept in the state folder from before
//! the new one is written until the last that is to go is gone: whatever the next run of the layer draws, it finds what one
//! has left that was killed. A tile that is part of the map again by then stays.
//!
//! Of other names the one may be that of the other, for another place: so the new tiles are kept beside the map until the
//! last of them is there. Then all of them move in, each by rename, and the manifests of both are kept, of the old tiles
//! and of the new.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::moved::move_to;
use super::output::{STATE, is_own};
use super::part::part_of;
use super::{Manifest, MapFile, Naming, Output, PublishError, TileRecord, in_folder, sync};
use crate::coord::TilePos;

/// Tiles that wait to take their place.
pub(super) const NEXT: &str = "next";
/// Manifests of tiles of which some are to go, and of those that take their places.
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

    /// Removes what waits to be named in `folder` as `naming` says, but for these `files`, as [`Output::staged`] names them.
    pub fn clear_staged_but(&self, folder: &str, naming: Naming, files: impl Iterator<Item = String>) {
        if self.is_held() {
            let files: BTreeSet<PathBuf> = files.map(|file| self.root().join(file)).collect();
            remove_but(&self.root().join(Self::staged(folder, naming)), &|path| files.contains(path));
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

    /// Keeps which tiles stand in a layer's folder, named as `naming` says, before a manifest is written that lacks some of
    /// them: all are known until [`Output::remove_replaced`].
    ///
    /// # Errors
    /// The earlier manifest cannot be read, or the system refuses.
    pub fn keep_earlier(&self, folder: &str, naming: Naming) -> Result<(), PublishError> {
        let kept = self.keep(folder, naming, self.earlier(folder, naming)?)?;
        sync::files(self.root(), &[self.place(&kept)?])
    }

    /// Moves `tiles`, which wait to be named in `folder` as `naming` says, to their places. Those that stand there, named as
    /// `old` says, stay but for namesakes; both are known until [`Output::remove_replaced`]. Returns how many are gone now,
    /// since another tile has their name and they are none of `tiles`.
    ///
    /// # Errors
    /// The system refuses. What stood there stands, old or new.
    pub fn replace(
        &self,
        folder: &str,
        old: Naming,
        naming: Naming,
        tiles: &BTreeMap<TilePos, TileRecord>,
    ) -> Result<u64, PublishError> {
        let earlier = self.earlier(folder, old)?;
        let is_taken = |tile| naming.namesake(tile, old).is_some_and(|tile| tiles.contains_key(&tile));
        let gone = earlier.keys().filter(|&&tile| !tiles.contains_key(&tile) && is_taken(tile)).count() as u64;
        let kept = [self.keep(folder, old, earlier)?, self.keep(folder, naming, tiles.clone())?];
        sync::files(self.root(), &[self.place(&kept[0])?, self.place(&kept[1])?])?;
        for &tile in tiles.keys() {
            let path = in_folder(folder, &self.content().tile_name(naming, tile));
            self.note(&path)?;
            let to = self.place(&path)?;
            move_to(&self.place(&Self::staged(&path, naming))?, &to).map_err(PublishError::io(&to))?;
        }
        Ok(gone)
    }

    /// Removes the tiles in a layer's folder that are kept to go, of this run or of one before that did not come to its end:
    /// `now` are those that stand, named as `naming` says, and their manifest has been written. Tiles that are none of
    /// these are added to `removed` as they go. Says whether all went; it ends when `stops` says so.
    ///
    /// # Errors
    /// The system refuses. The next run finds what is still to go.
    pub fn remove_replaced(
        &self,
        folder: &str,
        naming: Naming,
        now: &BTreeMap<TilePos, TileRecord>,
        removed: &mut u64,
        stops: impl Fn() -> bool,
    ) -> Result<bool, PublishError> {
        let mut replaced = Vec::new();
        for by in Naming::all() {
            replaced.extend(self.standing(&kept(folder, by))?.map(|_| by));
        }
        if replaced.is_empty() {
            return Ok(true);
        }
        let said = [self.content().facts().to_owned(), MapFile::SCRIPT.to_owned(), in_folder(folder, Manifest::FILE)];
        let said: Vec<PathBuf> = said.iter().map(|path| self.place(path)).collect::<Result<_, _>>()?;
        sync::files(self.root(), &said.into_iter().filter(|path| path.exists()).collect::<Vec<_>>())?;
        // One that stood under several names is one.
        let mut gone = BTreeSet::new();
        for &by in &replaced {
            let mut ended = Ok(true);
            Manifest::each_tile(self, &kept(folder, by), by.scheme, |tile, _| {
                if !matches!(ended, Ok(true)) {
                    return;
                }
                let went = if stops() { Ok(None) } else { self.remove_one(folder, (tile, by), naming, now).map(Some) };
                *removed += u64::from(matches!(went, Ok(Some(true))) && gone.insert(tile));
                ended = went.map(|went| went.is_some());
            })?;
            if !ended? {
                return Ok(false);
            }
        }
        // As long as they are kept, they tell of them all.
        self.sync_notes()?;
        replaced.into_iter().try_for_each(|by| self.remove(&kept(folder, by)).map(drop))?;
        Ok(true)
    }

    /// Removes a tile as it is named `by`, unless one of `now` has that name, and what stands beside it, unless it is one of
    /// `now` itself. Says whether the map has a tile less.
    fn remove_one(
        &self,
        folder: &str,
        (tile, by): (TilePos, Naming),
        naming: Naming,
        now: &BTreeMap<TilePos, TileRecord>,
    ) -> Result<bool, PublishError> {
        let (content, is_part) = (self.content(), now.contains_key(&tile));
        let path = in_folder(folder, &content.tile_name(by, tile));
        // What a run has left that was killed while it copied the tile to its place.
        let _ = fs::remove_file(part_of(&self.place(&path)?));
        let is_taken = naming.namesake(tile, by).is_some_and(|tile| now.contains_key(&tile));
        let was_there = !is_taken && self.remove_earlier(&path)?;
        if let Some(beside) = content.world_file_name(tile).filter(|_| !is_part) {
            self.remove_earlier(&in_folder(folder, &beside))?;
        }
        Ok(was_there && !is_part)
    }

    /// Removes the folders in which no manifest is kept any more: whoever removes the last one may be killed before they go.
    pub fn remove_empty_replaced(&self) {
        if self.is_held() {
            remove_but(&self.state(REPLACED), &|_| true);
        }
    }

    /// The tiles of the earlier map in a layer's folder.
    fn earlier(&self, folder: &str, naming: Naming) -> Result<BTreeMap<TilePos, TileRecord>, PublishError> {
        let mut earlier = BTreeMap::new();
        self.each_earlier(folder, naming, |tile, record| {
            earlier.insert(tile, record);
        })?;
        Ok(earlier)
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

/// Removes what is in a folder of the state and is not one of those that it `keeps`, and the folders that are empty then.
fn remove_but(folder: &Path, keeps: &dyn Fn(&Path) -> bool) {
    if !is_own(folder) {
        return;
    }
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if is_own(&path) {
            remove_but(&path, keeps);
        } else if !keeps(&path) {
            let _ = fs::remove_file(&path);
        }
    }
    // One that is not empty refuses to go.
    let _ = fs::remove_dir(folder);
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
        output.remove_replaced("day", TMS, &tiles(&new).tiles, &mut 0, || false).unwrap();
        assert_eq!(old.map(|tile| reads(&output, &path(XYZ, tile))), ["new", "nothing", "nothing"]);
        assert_eq!(new.map(|tile| reads(&output, &path(TMS, tile))), ["new"; 3]);
        assert!(!output.state(REPLACED).exists());
    }

    #[test]
    fn what_is_no_longer_part_of_a_map_is_known_until_it_is_gone_and_stays_if_it_is_part_again() {
        for next in [XYZ, TMS] {
            let folder = tempfile::tempdir().unwrap();
            let output = open(folder.path());
            let (old, new) = ([(0, 5), (1, 6), (2, 7), (3, 8)], [(0, 5)]);
            waiting(&output, &old, &[]);
            output.keep_earlier("day", XYZ).unwrap();
            assert_eq!(old.map(|tile| reads(&output, &path(XYZ, tile))), ["old"; 4]);
            put_manifest(&output, &tiles(&new), XYZ);
            // It is stopped when one has gone.
            let (mut removed, left) = (0, std::cell::Cell::new(2));
            let stops = || left.replace(left.get() - 1) == 0;
            assert!(!output.remove_replaced("day", XYZ, &tiles(&new).tiles, &mut removed, stops).unwrap());
            assert_eq!(old.map(|tile| reads(&output, &path(XYZ, tile))), ["old", "nothing", "old", "old"]);
            // The next run has drawn one of those that were to go.
            let now = [(0, 5), (3, 8)];
            for tile in now {
                output.put(&path(next, tile), b"drawn").unwrap();
            }
            put_manifest(&output, &tiles(&now), next);
            assert!(output.remove_replaced("day", next, &tiles(&now).tiles, &mut removed, || false).unwrap());
            assert_eq!(now.map(|tile| reads(&output, &path(next, tile))), ["drawn"; 2]);
            let left = old.into_iter().filter(|&tile| output.read(&path(XYZ, tile)).is_ok()).count();
            assert_eq!((left, output.state(REPLACED).exists()), (if next == XYZ { 2 } else { 0 }, false));
            assert_eq!(removed, 2, "{next:?}: each is counted once");
        }
    }

    #[test]
    fn a_tile_is_gone_once_whatever_its_names_and_if_another_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        // The name of (0, 0) under xyz is that of (0, -1) under tms.
        let (old, new) = ([(0, 0), (1, 5), (2, 7)], [(0, -1), (2, 7)]);
        waiting(&output, &old, &new);
        assert_eq!(output.replace("day", XYZ, TMS, &tiles(&new).tiles).unwrap(), 1);
        // It is killed; the next run has fewer tiles still, one of which stands under both names.
        output.put(&path(XYZ, (2, 7)), b"old").unwrap();
        put_manifest(&output, &tiles(&new[..1]), TMS);
        let mut removed = 0;
        output.remove_replaced("day", TMS, &tiles(&new[..1]).tiles, &mut removed, || false).unwrap();
        assert_eq!((removed, reads(&output, &path(TMS, new[0]))), (2, "new".to_owned()));
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
            output.remove_replaced("day", next, &tiles(&old[..1]).tiles, &mut 0, || false).unwrap();
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
