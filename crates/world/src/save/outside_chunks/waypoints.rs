//! Reads the places that players have named in their map mods. The folder of a map mod counts as a
//! world, and these files are next to it.

use std::io::{self, Read as _};
use std::path::Path;

use crate::explored::{ExploredStore, FileWaypoints, Waypoint};
use crate::region::RegionStore;
use crate::save::dimensions::dimension::Dimension;
use crate::save::left_out::LeftOut;
use crate::save::world::World;
use pixelmap_base::files::Files;

/// The most files of a dimension that are read, and the most bytes of one.
const MAX_FILES: usize = 1000;
const MAX_BYTES: u64 = 64 << 20;
/// The most waypoints of a dimension.
const MAX_WAYPOINTS: usize = 1 << 16;
/// The most letters of a name. The page shows fewer.
const MAX_NAME: usize = 256;

impl World {
    /// Reads the waypoints of players in a dimension. Warns of files, lines and waypoints that are
    /// left out. Only the folders of map mods have any.
    pub fn waypoints(&self, dimension: &Dimension, warnings: &mut Vec<String>) -> Vec<Waypoint> {
        match &dimension.store {
            RegionStore::Explored(store) => read(store, MAX_WAYPOINTS, warnings),
            RegionStore::Folder { .. } | RegionStore::Zvcr(_) | RegionStore::Database { .. } => {
                Vec::new()
            }
        }
    }
}

/// The waypoints of several files, and the ones that are left out.
#[derive(Default)]
struct ReadWaypoints {
    waypoints: Vec<Waypoint>,
    unread: LeftOut,
    damaged: LeftOut,
    excess: LeftOut,
}

/// Reads at most `most` waypoints.
fn read(store: &ExploredStore, most: usize, warnings: &mut Vec<String>) -> Vec<Waypoint> {
    let mut read = ReadWaypoints::default();
    let mut excess_files = LeftOut::default();
    let files = store.waypoint_files();
    excess_files.add(files.len().saturating_sub(MAX_FILES), || {
        files[MAX_FILES].1.display().to_string()
    });

    for (files, path) in files.iter().take(MAX_FILES) {
        match bounded(files, path) {
            Ok(bytes) => read.add(store.map_mod().read_waypoints(&bytes), path, most),
            Err(error) => read
                .unread
                .add(1, || format!("{}: {error}", path.display())),
        }
    }

    let only = format!("only {MAX_FILES} are read");
    excess_files.warn("waypoint file", &only, warnings);
    read.unread
        .warn("waypoint file", "the file cannot be read", warnings);
    read.damaged
        .warn("waypoint", "the line is damaged", warnings);
    let at_most = format!("a dimension has at most {most}");
    read.excess.warn("waypoint", &at_most, warnings);
    read.waypoints
}

impl ReadWaypoints {
    /// Adds the waypoints of a file, while there are fewer than `most`.
    fn add(&mut self, found: FileWaypoints, path: &Path, most: usize) {
        let FileWaypoints { waypoints, damaged } = found;
        self.damaged.add(damaged.len(), || {
            let line = damaged.first().copied().unwrap_or_default();
            format!("{}, line {line}", path.display())
        });

        let room = most.saturating_sub(self.waypoints.len());
        let excess = waypoints.len().saturating_sub(room);
        self.excess.add(excess, || path.display().to_string());
        for mut waypoint in waypoints.into_iter().take(room) {
            if let Some((end, _)) = waypoint.name.char_indices().nth(MAX_NAME) {
                waypoint.name.truncate(end);
            }
            self.waypoints.push(waypoint);
        }
    }
}

fn bounded(files: &Files, path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = files.reader(path)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        return Err(io::Error::other(format!("it has more than {most} MiB")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;
    use crate::explored::MapMod;

    fn store(files: &[(&str, String)]) -> (tempfile::TempDir, ExploredStore) {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            paths.push((Files::Disk, path));
        }
        paths.push((Files::Disk, folder.path().join("gone.txt")));
        let store = ExploredStore::new(
            MapMod::Xaero,
            folder.path().to_owned(),
            false,
            BTreeMap::new(),
            paths,
        );
        (folder, store)
    }

    fn line(name: &str) -> String {
        format!("waypoint:{name}:H:1:64:-3:12:false:0:set\n")
    }

    #[test]
    fn damaged_lines_do_not_hide_the_others() {
        let (folder, store) = store(&[
            (
                "a.txt",
                format!("{}waypoint:cut\nwaypoint:x:y\n", line("a")),
            ),
            ("b.txt", line("b")),
        ]);
        let mut warnings = Vec::new();
        let waypoints = read(&store, MAX_WAYPOINTS, &mut warnings);
        let names: Vec<&str> = waypoints.iter().map(|waypoint| &*waypoint.name).collect();
        assert_eq!(names, ["a", "b"]);

        let at = folder.path().display();
        let [unread, damaged] = &*warnings else {
            panic!("{warnings:?}");
        };
        assert!(unread.contains("gone.txt"), "{unread}");
        assert_eq!(
            *damaged,
            format!(
                "2 waypoints are left out, because the line is damaged; the first: {at}/a.txt, line 2"
            )
        );
    }

    #[test]
    fn excess_waypoints_of_map_mods_are_counted() {
        let (_folder, store) = store(&[
            ("a.txt", line(&"n".repeat(300)).repeat(3)),
            ("b.txt", line("b").repeat(3)),
            ("c.txt", " ".repeat(MAX_BYTES as usize + 1)),
        ]);
        let mut warnings = Vec::new();
        let waypoints = read(&store, 4, &mut warnings);
        assert_eq!((waypoints.len(), waypoints[0].name.len()), (4, MAX_NAME));
        assert!(
            warnings.iter().any(|warning| warning.starts_with(
                "2 waypoints are left out, because a dimension has at most 4; the first: "
            )),
            "{warnings:?}"
        );
        assert!(
            warnings
                .iter()
                .any(|warning| warning.contains("2 waypoint files")),
            "{warnings:?}"
        );
    }
}
