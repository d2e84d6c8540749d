//! Finds the worlds that players have explored, in the folders of a map mod.
//!
//! The folders of several players become one world. For each chunk the file that was saved last is
//! the most important one.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::Stamp;
use crate::explored::{ExploredStore, FoundDimension, FoundFolder, MapMod, SourceFile};
use crate::region::{RegionEntry, RegionStore};
use crate::save::dimensions::dimension::Dimension;
use crate::save::dimensions::namespaced::{ReservedNames, dimension_id};
use crate::save::error::WorldError;
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::Files;

const NANOSECONDS_A_MILLISECOND: i64 = 1_000_000;

/// A world that players have explored.
#[derive(Debug)]
pub(crate) struct ExploredWorld {
    pub(crate) name: String,
    pub(crate) dimensions: Vec<Dimension>,
    /// When the newest file was saved, in milliseconds since 1970; absent: it is not known.
    pub(crate) newest: Option<i64>,
    pub(crate) warnings: Vec<String>,
}

/// The files of a region, each with the time when it was saved, in nanoseconds since 1970.
type TimedFiles = BTreeMap<RegionPos, Vec<(i64, SourceFile)>>;

/// A dimension that is being gathered from several folders.
struct Gathered {
    /// The first folder with the dimension.
    folder: PathBuf,
    regions: TimedFiles,
    waypoint_files: Vec<(Files, PathBuf)>,
}

/// Finds the dimensions in the folders of a map mod. The world has the name of the first one.
///
/// # Errors
/// Fails if a folder cannot be listed, or is not the folder of one world of this mod.
pub(crate) fn find(
    map_mod: MapMod,
    folders: &[(Files, &Path)],
    reserved: ReservedNames,
) -> Result<ExploredWorld, WorldError> {
    let mut name = None;
    let mut warnings = Vec::new();
    let mut gathered: BTreeMap<String, Gathered> = BTreeMap::new();

    for (files, folder) in folders {
        let found = map_mod
            .find(files, folder)
            .map_err(|error| WorldError::unopened(folder, error))?;
        let FoundFolder {
            dimensions, inside, ..
        } = found;
        if dimensions.is_empty() {
            return Err(WorldError::NotExplored(
                map_mod,
                folder.to_path_buf(),
                inside,
            ));
        }

        name.get_or_insert(found.name);
        warnings.extend(found.warnings);
        for dimension in dimensions {
            match dimension_id(&dimension.name, reserved) {
                Ok(id) => gathered
                    .entry(id)
                    .or_insert_with(|| Gathered {
                        folder: folder.to_path_buf(),
                        regions: TimedFiles::new(),
                        waypoint_files: Vec::new(),
                    })
                    .add(files, dimension),
                Err(why) => warnings.push(format!(
                    "dimension {} of {} is left out: {why}",
                    dimension.name,
                    folder.display()
                )),
            }
        }
    }

    let times = gathered.values().flat_map(|dimension| {
        let files = dimension.regions.values().flatten();
        files.map(|(time, _)| *time)
    });
    let newest = times.max().filter(|&time| time > 0);

    let mut dimensions: Vec<Dimension> = gathered
        .into_iter()
        .map(|(id, gathered)| gathered.dimension(map_mod, id))
        .collect();
    dimensions.sort_by_key(|dimension| {
        let first = ["overworld", "the_nether", "the_end"];
        let place = first.iter().position(|id| *id == dimension.id);
        (place.unwrap_or(first.len()), dimension.id.clone())
    });

    Ok(ExploredWorld {
        name: name.unwrap_or_default(),
        dimensions,
        newest: newest.map(|time| time / NANOSECONDS_A_MILLISECOND),
        warnings,
    })
}

impl Gathered {
    /// Adds the files of a dimension. Files of 0 bytes are left out, as the mods do.
    fn add(&mut self, files: &Files, dimension: FoundDimension) {
        for path in dimension.waypoint_files {
            self.waypoint_files.push((files.clone(), path));
        }

        for file in dimension.files {
            let stamp = Stamp::ask(files, &file.path).ok().flatten();
            let stamp = stamp.unwrap_or_default();
            if stamp.len == 0 {
                continue;
            }

            // A file in an archive has a checksum in the place of a time.
            let time = match files {
                Files::Disk => stamp.modified,
                Files::Archive(_) => 0,
            };
            let source = SourceFile {
                files: files.clone(),
                path: file.path,
                cave_layer: file.cave_layer,
            };
            let region = self.regions.entry(file.region).or_default();
            region.push((time, source));
        }
    }

    fn dimension(self, map_mod: MapMod, id: String) -> Dimension {
        let regions = self.regions.into_iter().map(|(region, mut files)| {
            files.sort_by_key(|(time, file)| (file.cave_layer.is_some(), Reverse(*time)));
            (region, files.into_iter().map(|(_, file)| file).collect())
        });

        let is_closed = id == "the_nether";
        let store = ExploredStore::new(
            map_mod,
            self.folder,
            is_closed,
            regions.collect(),
            self.waypoint_files,
        );
        let mut regions: Vec<RegionPos> = store.regions().collect();
        regions.sort_unstable_by_key(|region| (region.z, region.x));

        Dimension {
            id,
            regions: regions
                .into_iter()
                .map(|region| RegionEntry::of_explored(&store, region))
                .collect(),
            store: RegionStore::Explored(Arc::new(store)),
            unreadable: None,
        }
    }
}
