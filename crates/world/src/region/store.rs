//! Opens the regions of a dimension in the folder or database that stores them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry::{RegionEntry, RegionKind};
use super::open_region::Region;
use crate::alpha::ChunkFiles;
use crate::anvil::RegionFile;
use crate::bedrock::{BedrockRegion, Database, LowestSections};
use crate::bytes::Stamp;
use crate::explored::{ExploredRegion, ExploredStore};
use crate::zvcr::{ZvcrRegion, ZvcrStore};
use pixelmap_base::files::Files;

/// Region files with other data about the same chunks: they have the same names as the chunks'
/// files, and one record per chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Companion {
    /// Points of interest, since 1.14.
    Points,
    /// Entities, since 1.17. Before that they are in the chunks.
    Entities,
}

impl Companion {
    pub const ALL: [Self; 2] = [Self::Points, Self::Entities];

    /// Returns the name of their folder, which is next to the folder of the chunks.
    const fn folder(self) -> &'static str {
        match self {
            Self::Points => "poi",
            Self::Entities => "entities",
        }
    }
}

/// The store of a dimension's regions.
#[derive(Debug, Clone)]
pub enum RegionStore {
    /// Region files, or one file per chunk.
    Folder {
        files: Files,
        /// The folder of the region files, or the dimension's folder in the case of chunk files.
        folder: PathBuf,
        /// The folders of the [companion](Companion) files, in their order, as far as these exist.
        companions: [Option<PathBuf>; 2],
    },
    /// A database of Bedrock Edition.
    Database {
        database: Arc<Database>,
        /// The dimension's number in the database.
        dimension: i32,
        lowest_sections: Arc<LowestSections>,
    },
    /// Files of zvcr.
    Zvcr(Arc<ZvcrStore>),
    /// Region files of map mods.
    Explored(Arc<ExploredStore>),
}

impl RegionStore {
    /// Returns the store of region files or chunk files in a folder.
    pub fn in_folder(files: &Files, folder: &Path) -> Self {
        // A region folder that was given directly may have any name. Then the folders next to it do
        // not belong to it.
        let is_region_folder = folder.ends_with("region");
        let companions = Companion::ALL.map(|companion| {
            let folder = folder.with_file_name(companion.folder());
            (is_region_folder && files.is_folder(&folder)).then_some(folder)
        });
        Self::Folder {
            files: files.clone(),
            folder: folder.to_owned(),
            companions,
        }
    }

    /// Returns the folder of its files.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Folder { folder, .. } => folder,
            Self::Database { database, .. } => database.opened().folder(),
            Self::Zvcr(store) => store.folder(),
            Self::Explored(store) => store.folder(),
        }
    }

    /// Returns the path of a region's file. For chunk files or a database, returns the folder.
    pub fn path(&self, entry: RegionEntry) -> PathBuf {
        match self {
            Self::Folder { folder, .. } => entry.path_in(folder),
            Self::Database { database, .. } => database.opened().folder().to_owned(),
            Self::Zvcr(store) => store.path(entry.region),
            Self::Explored(store) => store.path(entry.region),
        }
    }

    /// Returns whether a chunk can be reached only after all chunks before it, so that a
    /// [pass](Region::pass) takes much less time than reading chunks in any other order.
    pub fn is_sequential(&self) -> bool {
        matches!(self, Self::Zvcr(_))
    }

    /// Returns whether each chunk has the time at which it was found changed.
    pub fn has_chunk_times(&self) -> bool {
        matches!(self, Self::Zvcr(_))
    }

    /// Returns whether the chunks are the land that players have explored, so that a column may have
    /// unexplored land above a cave.
    pub fn is_explored(&self) -> bool {
        matches!(self, Self::Explored(_))
    }

    /// Opens a region that the store lists.
    ///
    /// # Errors
    /// Fails if the region cannot be read.
    pub fn open(&self, entry: RegionEntry) -> io::Result<Region> {
        match (self, entry.kind) {
            (
                Self::Database {
                    database,
                    dimension,
                    lowest_sections,
                },
                _,
            ) => Ok(
                BedrockRegion::open(Arc::clone(database), *dimension, entry.region)
                    .with_lowest_sections(Arc::clone(lowest_sections))
                    .into(),
            ),
            (Self::Zvcr(store), _) => ZvcrRegion::open(store, entry.region).map(Region::from),
            (Self::Explored(store), _) => {
                ExploredRegion::open(store, entry.region).map(Region::from)
            }
            (Self::Folder { files, folder, .. }, RegionKind::Alpha) => {
                ChunkFiles::open(files, folder, entry.region).map(Region::from)
            }
            (Self::Folder { files, .. }, _) => {
                RegionFile::open(files, &self.path(entry), entry.region).map(Region::from)
            }
        }
    }

    /// Opens a region to draw it. If the region is empty and was touched a moment ago, waits until
    /// it was left alone for 100 ms, because a server may have emptied it to write it again. Does
    /// the same if a chunk file may be missing because it is being replaced.
    ///
    /// # Errors
    /// Fails if the region cannot be read.
    pub fn open_filled(&self, entry: RegionEntry) -> io::Result<Region> {
        match (self, entry.kind) {
            (Self::Database { .. } | Self::Zvcr(_) | Self::Explored(_), _) => self.open(entry),
            (Self::Folder { files, folder, .. }, RegionKind::Alpha) => {
                ChunkFiles::open_filled(files, folder, entry.region).map(Region::from)
            }
            (Self::Folder { files, .. }, _) => {
                RegionFile::open_filled(files, &self.path(entry), entry.region).map(Region::from)
            }
        }
    }

    /// Opens the companion file of a region; `None`: there is no such file.
    pub fn open_companion(
        &self,
        entry: RegionEntry,
        companion: Companion,
    ) -> Option<io::Result<Region>> {
        let (files, path) = self.companion(entry, companion)?;
        files
            .is_file(&path)
            .then(|| RegionFile::open(files, &path, entry.region).map(Region::from))
    }

    /// Returns the present stamp of the companion file of a region, without a needless header;
    /// `None`: the file does not exist. The file is opened only if its header is needed.
    pub fn look_at_companion(
        &self,
        entry: RegionEntry,
        companion: Companion,
    ) -> Option<io::Result<Stamp>> {
        let (files, path) = self.companion(entry, companion)?;
        match look_at_file(files, &path, entry) {
            Err(error) if error.kind() == io::ErrorKind::NotFound || !files.is_file(&path) => None,
            looked => looked.transpose(),
        }
    }

    /// Returns the path at which the companion file of a region would be; `None`: the region cannot
    /// have one.
    fn companion(&self, entry: RegionEntry, companion: Companion) -> Option<(&Files, PathBuf)> {
        let Self::Folder {
            files, companions, ..
        } = self
        else {
            return None;
        };
        if entry.kind == RegionKind::Alpha {
            return None;
        }

        let folder = companions[companion as usize].as_ref()?;
        Some((files, entry.path_in(folder)))
    }

    /// Returns whether each listed region still has the stamp with which it was listed. Regions
    /// whose stamp is known only when they are open are left out.
    pub(crate) fn is_as_listed(&self, regions: &[RegionEntry]) -> bool {
        regions
            .iter()
            .filter(|listed| listed.state != 0)
            .all(|listed| {
                let now = match self {
                    Self::Folder { files, folder, .. } => {
                        let path = listed.path_in(folder);
                        RegionEntry::listed(files, &path, listed.region, listed.kind)
                    }
                    Self::Zvcr(store) => RegionEntry::of_zvcr(store, listed.region),
                    Self::Explored(store) => RegionEntry::of_explored(store, listed.region),
                    Self::Database { .. } => *listed,
                };
                now.state == listed.state
            })
    }
}

/// Returns the present stamp of a region file, without a needless header; `None`: it is not a
/// regular file.
fn look_at_file(files: &Files, path: &Path, entry: RegionEntry) -> io::Result<Option<Stamp>> {
    let looked = Stamp::ask(files, path)?;
    if looked.is_some_and(|stamp| stamp.needs_header()) {
        return RegionFile::open(files, path, entry.region).map(|file| Some(file.stamp()));
    }
    Ok(looked)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};

    use super::*;
    use pixelmap_base::coord::RegionPos;

    #[test]
    fn a_look_shows_every_change_of_a_file() {
        let world = tempfile::tempdir().unwrap();
        let folder = world.path().join("region");
        fs::create_dir(&folder).unwrap();
        fs::create_dir(folder.with_file_name("poi")).unwrap();
        let store = RegionStore::in_folder(&Files::Disk, &folder);

        let region = RegionPos { x: 0, z: 0 };
        let entry = || {
            RegionEntry::listed(
                &Files::Disk,
                &folder.join("r.0.0.mca"),
                region,
                RegionKind::Mca,
            )
        };

        let points = || store.look_at_companion(RegionEntry::new(region, 0), Companion::Points);
        assert!(entry().state == 0 && points().is_none());

        for (part, look) in [
            ("region", &(|| entry().state) as &dyn Fn() -> u64),
            ("poi", &|| points().unwrap().unwrap().state()),
        ] {
            let path = world.path().join(part).join("r.0.0.mca");
            fs::write(&path, vec![0; 8192]).unwrap();
            let opened = RegionFile::open(&Files::Disk, &path, region)
                .unwrap()
                .stamp();
            let first = look();
            assert_eq!(first, opened.without_needless_header().state(), "{part}");

            let modified = path.metadata().unwrap().modified().unwrap();
            let set_back = || {
                File::options()
                    .write(true)
                    .open(&path)
                    .unwrap()
                    .set_modified(modified)
                    .unwrap();
            };

            // Longer than a step of the clock for file times.
            std::thread::sleep(std::time::Duration::from_millis(30));
            fs::write(&path, vec![1; 8192]).unwrap();
            set_back();
            let second = look();
            assert_ne!(second, first, "{part}: edited");
            fs::copy(&path, world.path().join("copy")).unwrap();
            fs::rename(world.path().join("copy"), &path).unwrap();
            set_back();
            assert_ne!(look(), second, "{part}: replaced");
        }
    }
}
