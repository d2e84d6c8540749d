//! Finds worlds whose regions are files of zvcr: a folder of dimensions, one dimension, one sector of
//! it, or one file.
//!
//! The largest of these worlds have millions of files. So if only an area is needed, only the
//! folders of its sectors are listed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::region::{RegionEntry, RegionStore};
use crate::save::dimensions::dimension::Dimension;
use crate::save::dimensions::listing::{plain_number, region_of_stem};
use crate::save::entries;
use crate::save::error::WorldError;
use crate::save::scope::WorldScope;
use crate::zvcr::{ENDING, FileLayout, Header, ZvcrStore};
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::{Files, FolderEntry};

/// The folders of dimensions, and their ids.
const DIMENSIONS: [(&str, &str); 3] = [
    ("overworld", "overworld"),
    ("nether", "the_nether"),
    ("end", "the_end"),
];

/// The most names of a folder that are read to recognize it.
const MAX_NAMES: usize = 1000;
/// The most folders of sectors along each axis that are searched for a first file.
const MAX_TRIED: usize = 64;
/// The most files whose headers are read to recognize a dimension.
const MAX_HEADERS: usize = 16;
/// The most bytes at the start of a file that are read to recognize it.
const START: u64 = 16;

/// Finds the dimensions in files of zvcr. Empty: the path leads to other files.
///
/// # Errors
/// Fails if a folder cannot be listed now, but perhaps later, or if the files have a form that is
/// not known.
pub(crate) fn find(
    files: &Files,
    given: &Path,
    scope: WorldScope,
    warnings: &mut Vec<String>,
) -> Result<Vec<Dimension>, WorldError> {
    if files.is_file(given) {
        return Ok(one_file(files, given, scope, warnings)?
            .into_iter()
            .collect());
    }

    let mut dimensions = Vec::new();
    for (name, id) in DIMENSIONS {
        let folder = given.join(name);
        if first_header(files, files_in_sectors(files, &folder))?.is_some() {
            dimensions.push(in_sectors(files, id, folder, scope, warnings)?);
        }
    }

    if !dimensions.is_empty() {
        return Ok(dimensions);
    }

    if let Some(header) = first_header(files, files_in(files, given))? {
        let dimension = in_folder(files, header.dimension, given, scope, warnings)?;
        return Ok(vec![dimension]);
    }

    if let Some(header) = first_header(files, files_in_sectors(files, given))? {
        let folder = given.to_owned();
        let dimension = in_sectors(files, header.dimension, folder, scope, warnings)?;
        return Ok(vec![dimension]);
    }

    Ok(dimensions)
}

/// Returns whether a folder on the disk is a world or a dimension of such files.
pub(crate) fn is_world(folder: &Path) -> bool {
    let files = &Files::Disk;
    let in_dimensions = DIMENSIONS
        .iter()
        .any(|(name, _)| files_in_sectors(files, &folder.join(name)).next().is_some());
    in_dimensions || files_in(files, folder).next().is_some()
}

/// Returns the first header that can be read; `None`: `paths` is empty.
///
/// # Errors
/// Fails if the first files all have a form that is not known, so that probably none can be read.
fn first_header(
    files: &Files,
    paths: impl Iterator<Item = PathBuf>,
) -> Result<Option<Header>, WorldError> {
    let mut first_error = None;
    for path in paths.take(MAX_HEADERS) {
        match header(files, &path) {
            Ok(header) => return Ok(Some(header)),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }

    first_error.map_or(Ok(None), Err)
}

/// Reads the header of a file.
///
/// # Errors
/// Fails if the form of the file is not known. The message names the file.
fn header(files: &Files, path: &Path) -> Result<Header, WorldError> {
    let unreadable = |error| WorldError::Unreadable(path.to_owned(), error);
    let start = files.read(path, START).map_err(unreadable)?;
    Header::parse(&start).map_err(unreadable)
}

/// Returns the dimension that consists of one file.
fn one_file(
    files: &Files,
    path: &Path,
    scope: WorldScope,
    warnings: &mut Vec<String>,
) -> Result<Option<Dimension>, WorldError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !name.ends_with(ENDING) {
        return Ok(None);
    }

    let id = header(files, path)?.dimension;
    let region = parse_name(&name).unwrap_or_else(|| {
        warnings.push(format!(
            "{} is drawn at 0, 0, because its name is not like r.X.Z.{ENDING}",
            path.display()
        ));
        RegionPos { x: 0, z: 0 }
    });

    let store = ZvcrStore::new(files.clone(), path.to_owned(), FileLayout::File, scope.at);
    Ok(Some(dimension(id, store, vec![region])))
}

/// Returns the dimension whose files are directly in a folder.
fn in_folder(
    files: &Files,
    id: &str,
    folder: &Path,
    scope: WorldScope,
    warnings: &mut Vec<String>,
) -> Result<Dimension, WorldError> {
    let regions = regions_in(files, folder, None, warnings)?;
    let regions = regions.filter(|&region| scope.meets(region)).collect();
    let store = ZvcrStore::new(
        files.clone(),
        folder.to_owned(),
        FileLayout::Folder,
        scope.at,
    );
    Ok(dimension(id, store, regions))
}

/// Returns the dimension whose files are in folders of sectors. Only the folders that the scope needs
/// are listed.
fn in_sectors(
    files: &Files,
    id: &str,
    folder: PathBuf,
    scope: WorldScope,
    warnings: &mut Vec<String>,
) -> Result<Dimension, WorldError> {
    let mut regions = Vec::new();
    for (x, inner) in numbered(files, &folder)? {
        if !scope.meets_x(first_region(x), ZvcrStore::SECTOR_REGIONS) {
            continue;
        }

        for (z, sector) in numbered(files, &inner)? {
            if scope.meets_z(first_region(z), ZvcrStore::SECTOR_REGIONS) {
                let found = regions_in(files, &sector, Some([x, z]), warnings)?;
                regions.extend(found.filter(|&region| scope.meets(region)));
            }
        }
    }

    let store = ZvcrStore::new(files.clone(), folder, FileLayout::Sectors, scope.at);
    Ok(dimension(id, store, regions))
}

fn dimension(id: &str, store: ZvcrStore, mut regions: Vec<RegionPos>) -> Dimension {
    regions.sort_unstable_by_key(|region| (region.z, region.x));
    Dimension {
        id: id.to_owned(),
        regions: regions
            .into_iter()
            .map(|region| RegionEntry::of_zvcr(&store, region))
            .collect(),
        store: RegionStore::Zvcr(Arc::new(store)),
        unreadable: None,
    }
}

/// Returns the number of a sector's first region along an axis.
fn first_region(sector: i32) -> i32 {
    sector.saturating_mul(ZvcrStore::SECTOR_REGIONS)
}

/// Lists the folders whose names are numbers, sorted by name.
fn numbered(files: &Files, folder: &Path) -> Result<Vec<(i32, PathBuf)>, WorldError> {
    let listed = entries::list(files, folder, |entry| plain_number(&entry.name).is_some());
    let listed = listed.map_err(|error| WorldError::Unreadable(folder.to_owned(), error))?;
    let numbered = listed
        .into_iter()
        .filter_map(|entry| Some((plain_number(&entry.name)?, entry.path)));
    Ok(numbered.collect())
}

/// Lists the files in a folder. Leaves out files that belong to another sector, and warns of them.
fn regions_in(
    files: &Files,
    folder: &Path,
    sector: Option<[i32; 2]>,
    warnings: &mut Vec<String>,
) -> Result<impl Iterator<Item = RegionPos>, WorldError> {
    let listed = entries::list(files, folder, |entry| parse_name(&entry.name).is_some());
    let listed = listed.map_err(|error| WorldError::Unreadable(folder.to_owned(), error))?;

    let (own, others): (Vec<RegionPos>, Vec<RegionPos>) = listed
        .iter()
        .filter_map(|entry| parse_name(&entry.name))
        .partition(|&region| sector.is_none_or(|sector| ZvcrStore::sector(region) == sector));

    if let Some(first) = others.first() {
        warnings.push(format!(
            "files left out in {}: {} of them belong to another folder, the first is {first}.{ENDING}",
            folder.display(),
            others.len()
        ));
    }

    Ok(own.into_iter())
}

/// Parses the name of a file.
fn parse_name(name: &str) -> Option<RegionPos> {
    region_of_stem(name.strip_suffix(ENDING)?.strip_suffix('.')?)
}

/// Returns some files of a dimension in folders of sectors.
fn files_in_sectors(files: &Files, folder: &Path) -> impl Iterator<Item = PathBuf> {
    let sectors = first_numbered(files, folder)
        .into_iter()
        .flat_map(|inner| first_numbered(files, &inner));
    sectors.flat_map(|sector| files_in(files, &sector))
}

fn first_numbered(files: &Files, folder: &Path) -> Vec<PathBuf> {
    let listed = names(files, folder).filter(|entry| plain_number(&entry.name).is_some());
    listed.map(|entry| entry.path).take(MAX_TRIED).collect()
}

/// Returns some files of a folder.
fn files_in<'a>(files: &'a Files, folder: &Path) -> impl Iterator<Item = PathBuf> + use<'a> {
    let listed = names(files, folder).filter(|entry| parse_name(&entry.name).is_some());
    listed.map(|entry| entry.path)
}

fn names<'a>(files: &'a Files, folder: &Path) -> impl Iterator<Item = FolderEntry> + use<'a> {
    let listed = files.list(folder).into_iter().flatten();
    listed.take(MAX_NAMES).flatten()
}
