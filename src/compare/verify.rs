//! A render and its own manifests: missing files, changed files, unnamed files; or one file that is to be whole.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde::Serialize;

use super::digest::{add, picture_digest, sorted_layers};
use super::{Side, Trouble, on_threads};
use crate::atlas::{
    AtlasError, Bounds, Content, Digest, FileRecord, FinishedLayer, FinishedMap, Format, HISTORY, LayerFacts, Manifest,
    MapFile, MapFolder, Moments, TileArchive, TileRecord, in_folder, kept_files, number_in_path,
};
use crate::base::coord::{Area, INNER_ZOOM, OUTER_ZOOM, TilePos};

/// The most files that are listed; those beyond are counted.
const MAX_NAMED: usize = 10_000;

/// The fault of a file of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wrong {
    /// The manifest names it, and it is not there.
    Missing,
    /// It is not the file that the manifest names.
    Changed,
    /// It is named like a tile, and no manifest names it.
    Stray,
    /// It is a manifest that is not whole, or not there.
    Manifest,
    /// Its facts differ from those of the manifests.
    Facts,
    /// It is a tile of an archive, and cannot be read.
    Damaged,
}

impl Wrong {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::Stray => "stray",
            Self::Manifest => "manifest",
            Self::Facts => "facts",
            Self::Damaged => "damaged",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// Relative to the map's folder.
    pub path: String,
    pub wrong: Wrong,
    /// More about the fault, in a sentence.
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Tiles that the manifests name.
    pub tiles: u64,
    /// Bytes of those tiles, by the manifests.
    pub bytes: u64,
    /// The faults, in the order of paths; where there are too many, the first.
    pub problems: Vec<Problem>,
    /// The number of faults beyond those.
    pub problems_not_listed: u64,
    /// A hash of all that the map shows, as 16 hex digits: the same for the same pixels, whatever the encoder.
    pub digest: String,
}

impl Verification {
    fn new(tiles: u64, bytes: u64, mut problems: Vec<Problem>, digest: String) -> Self {
        problems.sort();
        let problems_not_listed = problems.len().saturating_sub(MAX_NAMED) as u64;
        problems.truncate(MAX_NAMED);
        Self { tiles, bytes, problems, problems_not_listed, digest }
    }

    /// Returns whether there is no fault.
    pub fn is_right(&self) -> bool {
        self.problems.is_empty() && self.problems_not_listed == 0
    }
}

impl Problem {
    fn new(path: impl Into<String>, wrong: Wrong, message: Option<String>) -> Self {
        Self { path: path.into(), wrong, message }
    }
}

/// Checks a map against its manifests, an archive or a picture: every byte of every tile.
///
/// # Errors
/// A file cannot be read.
pub fn verify(path: &Path, threads: usize) -> Result<Verification, Trouble> {
    match Side::open(path)? {
        Side::Map(map) => match &map {
            FinishedMap::Folder(folder) => verify_folder(&map, folder, threads),
            FinishedMap::Archive(archive) => on_threads(threads, || verify_archive(&map, archive))?,
        },
        Side::Picture(picture) => {
            let bytes = path.metadata().map_err(Trouble::io(path))?.len();
            Ok(Verification::new(1, bytes, Vec::new(), picture_digest(&picture)?))
        }
        Side::Manifest(path) => Err(Trouble::NotVerified(path)),
    }
}

fn verify_archive(map: &FinishedMap, archive: &TileArchive) -> Result<Verification, Trouble> {
    let mut digest = Digest::default();
    let mut problems = Vec::new();
    let mut tiles = 0;
    let mut bytes = 0;
    for layer in sorted_layers(map) {
        let faults = archive.faults(layer.samples());
        if faults.is_empty() {
            let manifest = layer.manifest()?;
            tiles += manifest.tiles.len() as u64;
            bytes += manifest.tiles.values().map(|record| u64::from(record.bytes)).sum::<u64>();
            add(&mut digest, &layer, &manifest);
        }
        for (tile, fault) in faults {
            problems.push(Problem::new(tile.to_string(), Wrong::Damaged, Some(fault)));
        }
    }
    Ok(Verification::new(tiles, bytes, problems, digest.text()))
}

fn verify_folder(finished: &FinishedMap, map: &MapFolder, threads: usize) -> Result<Verification, Trouble> {
    let mut problems = Vec::new();
    let mut tiles = 0;
    let mut bytes = 0;
    let layers = sorted_layers(finished);
    let mut digest = Digest::default();
    for layer in layers.into_iter().chain(finished.details()) {
        let manifest = match layer.manifest() {
            Ok(manifest) => manifest,
            Err(error) => {
                let path = MapFolder::manifest_path(layer.facts);
                problems.push(Problem::new(path, Wrong::Manifest, Some(Trouble::from(error).to_string())));
                continue;
            }
        };
        tiles += manifest.tiles.len() as u64;
        bytes += manifest.tiles.values().map(|record| u64::from(record.bytes)).sum::<u64>();
        if layer.is_picture() {
            add(&mut digest, &layer, &manifest);
        }
        let checked = on_threads(threads, || {
            let tiles = manifest.tiles.par_iter();
            tiles.map(|(&tile, &record)| check(map, &layer, tile, record)).collect::<Result<Vec<_>, _>>()
        })??;
        problems.extend(checked.into_iter().flatten());
        if !agrees(layer.facts, &manifest) {
            let message = format!("its facts of {} differ from those of the manifest", layer.name());
            problems.push(Problem::new(map.content().facts(), Wrong::Facts, Some(message)));
        }
        let named = manifest.tiles.keys().map(|tile| map.tile_path(layer.facts, *tile)).collect();
        match map.content() {
            // What lies in the places of tiles is of the newest state.
            _ if map.moment_id().is_some() => {}
            Content::Map => strays(map, &layer.facts.path, &named, &mut problems),
            Content::Regions | Content::RegionsByLayer => {
                stray_regions(map, &layer.facts.path, &named, &mut problems);
            }
            Content::Frames | Content::Worlds => {}
        }
    }
    if map.content() == Content::Map && map.moment_id().is_none() {
        unknown_layers(map, &mut problems);
        if !map.script_agrees() {
            let message = "it differs from map.json".to_owned();
            problems.push(Problem::new(MapFile::SCRIPT, Wrong::Facts, Some(message)));
        }
        if map.facts().history {
            problems.extend(past_problems(map, threads)?);
        }
    }
    Ok(Verification::new(tiles, bytes, problems, digest.text()))
}

/// The problem of a tile, if it has one.
fn check(
    map: &MapFolder,
    layer: &FinishedLayer<'_>,
    tile: TilePos,
    record: TileRecord,
) -> Result<Option<Problem>, Trouble> {
    let path = map.tile_path(layer.facts, tile);
    let wrong = match layer.file(tile, record).map_err(Trouble::from) {
        Ok(_) if !layer.is_picture() => return Ok(None),
        Ok(bytes) => {
            let pixels = layer.samples().decode(&bytes).map(|canvas| layer.samples().hash(&canvas));
            if pixels.is_ok_and(|pixels| pixels == record.pixels) {
                return Ok(None);
            }
            // The file is the named one: the manifest's pixel hash is wrong, and the digest is made of it.
            let message = format!("the pixels of {path} are not those it names");
            return Ok(Some(Problem::new(MapFolder::manifest_path(layer.facts), Wrong::Manifest, Some(message))));
        }
        Err(error @ Trouble::Pointer(_)) => {
            return Ok(Some(Problem::new(path, Wrong::Changed, Some(error.to_string()))));
        }
        Err(Trouble::Map(AtlasError::Missing(_))) => Wrong::Missing,
        Err(Trouble::Map(AtlasError::Changed(_))) => Wrong::Changed,
        Err(error) => return Err(error),
    };
    Ok(Some(Problem::new(path, wrong, None)))
}

/// The problems of the files that are kept for earlier moments, and of their lists.
fn past_problems(map: &MapFolder, threads: usize) -> Result<Vec<Problem>, Trouble> {
    let listed = Moments::read(map.root()).and_then(|_| kept_files(map.root(), map.facts()));
    let files = match listed {
        Ok(files) => files,
        Err(error) => return Ok(vec![Problem::new(HISTORY, Wrong::Manifest, Some(error.to_string()))]),
    };
    let check = |(path, record): (&String, &FileRecord)| match map.kept_file(path, *record).map_err(Trouble::from) {
        Ok(_) => Ok(None),
        Err(Trouble::Map(AtlasError::Missing(_))) => Ok(Some(Problem::new(path, Wrong::Missing, None))),
        Err(Trouble::Map(AtlasError::Changed(_)) | Trouble::Pointer(_)) => {
            Ok(Some(Problem::new(path, Wrong::Changed, None)))
        }
        Err(error) => Err(error),
    };
    let checked = on_threads(threads, || files.par_iter().map(check).collect::<Result<Vec<_>, Trouble>>())??;
    Ok(checked.into_iter().flatten().collect())
}

/// Returns whether the facts of a layer in `map.json` follow from its manifest.
fn agrees(facts: &LayerFacts, manifest: &Manifest) -> bool {
    let right = LayerFacts::new(&facts.id, facts.path.clone(), facts.naming(), facts.look, facts.min_zoom, manifest);
    let within = facts.min_zoom..=facts.max_zoom;
    facts.max_zoom == right.max_zoom
        && manifest.tiles.keys().all(|tile| within.contains(&tile.zoom))
        && facts.bounds.map(|bounds| Bounds::from(Area::from(bounds).grown_to_regions())) == right.bounds
        && right.tiles == facts.tiles
}

/// Files in a layer's folder that look like tiles and are not among `named`.
fn strays(map: &MapFolder, folder: &str, named: &BTreeSet<String>, problems: &mut Vec<Problem>) {
    let levels = entries(map, folder).into_iter().filter(|(_, name)| is_zoom_level(name));
    let columns = levels.flat_map(|(level, _)| entries(map, &level)).filter(|(_, x)| number_in_path(x).is_some());
    let files = columns.flat_map(|(column, _)| entries(map, &column)).filter(|(_, name)| is_tile_name(name));
    problems.extend(files.filter_map(|(path, _)| check_stray(path, named)));
}

fn is_zoom_level(name: &str) -> bool {
    name.parse().is_ok_and(|level: u8| (OUTER_ZOOM..=INNER_ZOOM).contains(&level))
}

fn is_tile_name(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(y, ending)| {
        number_in_path(y).is_some() && (Format::from_name(ending).is_some() || ending == Format::Js.name())
    })
}

/// As [`strays`], for pictures of regions.
fn stray_regions(map: &MapFolder, folder: &str, named: &BTreeSet<String>, problems: &mut Vec<Problem>) {
    let files = entries(map, folder).into_iter().filter(|(_, name)| Content::region_tile(name).is_some());
    problems.extend(files.filter_map(|(path, _)| check_stray(path, named)));
}

fn check_stray(path: String, named: &BTreeSet<String>) -> Option<Problem> {
    (!named.contains(&path)).then(|| Problem::new(path, Wrong::Stray, None))
}

/// Tiles in folders of our dimensions that belong to no layer of the map, as a killed run leaves them.
fn unknown_layers(map: &MapFolder, problems: &mut Vec<Problem>) {
    for (path, _) in map.facts().dimensions.iter().flat_map(|dimension| entries(map, &dimension.path)) {
        if !map.facts().with_details().any(|layer| layer.path == path) {
            strays(map, &path, &BTreeSet::new(), problems);
        }
    }
}

/// The paths in a folder of the map, each with its name; none where there is no folder. Does not follow links: their
/// targets are not part of the map.
fn entries(map: &MapFolder, folder: &str) -> Vec<(String, String)> {
    let path = map.root().join(folder);
    let is_own = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let entries = if is_own { std::fs::read_dir(path).ok() } else { None };
    let names = entries.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.map(|name| (in_folder(folder, &name), name)).collect()
}
