//! Archives of worlds: the files in them that are read, and their names.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use pixelmap_base::files::Files;

/// Folders in which every file may be read: the database of a Bedrock world, and packs.
const WHOLE_FOLDERS: [&str; 4] = ["db", "datapacks", "resource_packs", "behavior_packs"];
/// Endings of the other files that are read: regions, chunks of Alpha, settings, names of players.
const ENDINGS: [&str; 7] = ["mca", "mcr", "mcc", "dat", "dat_old", "json", "zvcr3d"];
/// The name of a Bedrock world.
const LEVEL_NAME: &str = "levelname.txt";

/// Finds the files that the path of a world leads to. A tar is unpacked, and stays so until all
/// users of its files are dropped.
///
/// # Errors
/// Fails if the path leads to an archive that cannot be read or unpacked.
pub fn open_files(path: &Path) -> io::Result<Files> {
    Files::with_tars(path, is_needed)
}

/// Returns whether a file in an archive of a world or a server may be read, by its path. Backups of
/// servers also have files that are not, such as programs, logs and the pictures of other maps.
pub fn is_needed(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    name == LEVEL_NAME
        || ENDINGS
            .iter()
            .any(|needed| ending.eq_ignore_ascii_case(needed))
        || folders
            .split('/')
            .any(|folder| WHOLE_FOLDERS.contains(&folder))
}

/// Returns the name of an archive without its ending.
pub(crate) fn stem(archive: &Path) -> Option<&OsStr> {
    let stem = archive.file_stem()?;
    let inner = Path::new(stem);
    let is_tar = inner
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("tar"));
    if is_tar {
        inner.file_stem()
    } else {
        Some(stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_worlds_are_needed_and_others_not() {
        for needed in [
            "./world/level.dat",
            "world/DIM-1/region/r.0.-1.mca",
            "region/c.3.4.mcc",
            "worlds/Sky/db/000005.ldb",
            "worlds/Sky/db/CURRENT",
            "world/datapacks/tall/pack.mcmeta",
            "usercache.json",
            "worlds/Sky/levelname.txt",
            "overworld/0/0/r.0.0.zvcr3d",
        ] {
            assert!(is_needed(needed), "{needed}");
        }

        for other in [
            "plugins/map/tile.png",
            "server.jar",
            "logs/1.log.gz",
            "eula.txt",
        ] {
            assert!(!is_needed(other), "{other}");
        }
    }

    #[test]
    fn double_endings_are_not_part_of_a_name() {
        for name in ["w.zip", "w.tar", "w.tgz", "w.tar.gz", "w.TAR.zst"] {
            assert_eq!(stem(Path::new(name)), Some(OsStr::new("w")), "{name}");
        }
    }
}
