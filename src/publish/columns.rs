//! Folders of tiles in which nothing is left. Whoever removes a tile removes the folders that it leaves empty; one that
//! is killed in between leaves them, and nothing names them any more.

use std::fs;
use std::path::{Path, PathBuf};

use super::output::{is_own, place};
use super::{Output, Scheme, number_in_path};
use crate::coord::{NATIVE_ZOOM, OUTER_ZOOM, TilePos};

impl Output {
    /// Removes the empty folders among those of zoom levels and columns in a layer's folder, whose tiles are counted as
    /// `scheme` says; `stands` says whether a tile stands in the column of another. What lies behind a link stays.
    pub fn remove_empty_columns(&self, folder: &str, scheme: Scheme, stands: impl Fn(TilePos) -> bool) {
        let Ok(layer) = place(self.root(), folder) else { return };
        if !self.is_held() || !layer.ancestors().take_while(|around| *around != self.root()).all(is_own) {
            return;
        }
        for (zoom, level) in (OUTER_ZOOM..=NATIVE_ZOOM).map(|zoom| (zoom, layer.join(zoom.to_string()))) {
            if !is_own(&level) {
                continue;
            }
            for (x, column) in columns(&level) {
                if !scheme.tile(zoom, x, 0).is_some_and(&stands) {
                    // One that is not empty refuses to go.
                    let _ = fs::remove_dir(column);
                }
            }
            let _ = fs::remove_dir(level);
        }
    }
}

/// The folders of columns in that of a zoom level, with their numbers.
fn columns(level: &Path) -> impl Iterator<Item = (i32, PathBuf)> {
    let entries = fs::read_dir(level).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.filter_map(|entry| Some((number_in_path(entry.file_name().to_str()?)?, entry.path())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::Identity;

    /// An output folder with these folders in it.
    fn output(around: &Path, folders: &[&str]) -> Output {
        let world = Identity { name: "w".to_owned(), spawn: None, path: around.join("world") };
        let output = Output::open(&around.join("map"), &world, &[]).unwrap();
        for folder in folders {
            fs::create_dir_all(output.root().join(folder)).unwrap();
        }
        output
    }

    #[test]
    fn only_empty_folders_of_tiles_go() {
        let around = tempfile::tempdir().unwrap();
        let empty =
            ["17/-1", "17/5", "16/0", "16/x", "15", "17/0/0.png", "18/0", "0/0", "017/0", "17/01", "markers", "x/17/0"];
        let output =
            output(around.path(), &empty.map(|folder| "day/".to_owned() + folder).each_ref().map(String::as_str));
        for file in ["day/tiles.tsv", "day/17/7/0.png", "day/17/8/notes.txt"] {
            output.put(file, b"kept").unwrap();
        }
        fs::create_dir_all(output.root().join("custom/17/0")).unwrap();
        output.remove_empty_columns("day", Scheme::Signed, |tile| tile.x == 5);
        let is_there = |folder: &&str| output.root().join("day").join(folder).exists();
        let gone = empty.into_iter().filter(|folder| !is_there(folder)).collect::<Vec<_>>();
        // That of a column in which a tile stands is not even tried.
        assert_eq!(gone, ["17/-1", "16/0", "15"]);
        assert!(["tiles.tsv", "17/7/0.png", "17/8/notes.txt", "17/5", "../custom/17/0"].iter().all(is_there));
        output.remove_empty_columns("day", Scheme::Xyz, |tile| tile.x == 5);
        assert!(!output.root().join("day/17/5").exists(), "there it is another column");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_goes_behind_a_link() {
        use std::os::unix::fs::symlink;
        let around = tempfile::tempdir().unwrap();
        let output = output(around.path(), &["day", "night/17", "../beside/17/0"]);
        let beside = around.path().join("beside");
        symlink(&beside, output.root().join("biome")).unwrap();
        symlink(beside.join("17"), output.root().join("day/17")).unwrap();
        symlink(beside.join("17/0"), output.root().join("night/17/0")).unwrap();
        for layer in ["biome", "day", "night", "../beside", "gone"] {
            output.remove_empty_columns(layer, Scheme::Signed, |_| false);
        }
        assert!(beside.join("17/0").is_dir() && output.root().join("night/17/0").is_symlink());
    }
}
