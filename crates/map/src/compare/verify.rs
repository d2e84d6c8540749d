//! Checks a render. A map is compared with its own manifests: missing files, changed files, and
//! tiles that no manifest names. An archive or a picture is a single file that must be readable
//! completely.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde::Serialize;

use super::digest::{add, picture_digest, sorted_layers};
use super::side::Side;
use super::threads::on_threads;
use super::trouble::Trouble;
use crate::atlas::{
    AtlasError, Bounds, Content, Digest, FileRecord, FinishedLayer, FinishedMap, Format, HISTORY,
    LayerFacts, Manifest, MapFile, MapFolder, Moments, TileArchive, TileRecord, in_folder,
    kept_files, number_in_path,
};
use pixelmap_base::coord::{Area, INNER_ZOOM, OUTER_ZOOM, TilePos};

/// The maximum number of listed faults. Further ones are only counted.
const MAX_NAMED: usize = 10_000;

/// The kinds of faults that a file of a map can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wrong {
    /// The manifest names it, but it does not exist.
    Missing,
    /// It differs from the file that the manifest names.
    Changed,
    /// It is named like a tile, but no manifest names it.
    Stray,
    /// It is a manifest that is missing, damaged or wrong.
    Manifest,
    /// Its facts do not match the manifests.
    Facts,
    /// It is a tile of an archive that cannot be read.
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
    /// The path relative to the map's folder; for an archive, the tile.
    pub path: String,
    pub wrong: Wrong,
    /// A sentence with details about the fault.
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The number of tiles that the manifests name.
    pub tiles: u64,
    /// The total length of those tiles in bytes, according to the manifests.
    pub bytes: u64,
    /// The faults sorted by path, limited to a maximum number.
    pub problems: Vec<Problem>,
    /// The number of faults that are not listed.
    pub problems_not_listed: u64,
    /// The digest of the map as 16 hex digits. It depends only on pixels, not on the encoder.
    pub digest: String,
}

impl Verification {
    fn new(tiles: u64, bytes: u64, mut problems: Vec<Problem>, digest: String) -> Self {
        problems.sort();
        let problems_not_listed = problems.len().saturating_sub(MAX_NAMED) as u64;
        problems.truncate(MAX_NAMED);
        Self {
            tiles,
            bytes,
            problems,
            problems_not_listed,
            digest,
        }
    }

    /// Returns whether no faults were found.
    pub fn is_right(&self) -> bool {
        self.problems.is_empty() && self.problems_not_listed == 0
    }
}

impl Problem {
    fn new(path: impl Into<String>, wrong: Wrong, message: Option<String>) -> Self {
        Self {
            path: path.into(),
            wrong,
            message,
        }
    }
}

/// Checks a map against its manifests, or an archive or a picture by itself. Reads every byte of
/// every tile.
///
/// # Errors
/// Fails if a file cannot be read.
pub fn verify(path: &Path, threads: usize) -> Result<Verification, Trouble> {
    match Side::open(path)? {
        Side::Map(map) => match &map {
            FinishedMap::Folder(folder) => verify_folder(&map, folder, threads),
            FinishedMap::Archive(archive) => on_threads(threads, || verify_archive(&map, archive))?,
        },
        Side::Picture(picture) => {
            let bytes = path.metadata().map_err(Trouble::io(path))?.len();
            Ok(Verification::new(
                1,
                bytes,
                Vec::new(),
                picture_digest(&picture)?,
            ))
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
            bytes += manifest
                .tiles
                .values()
                .map(|record| u64::from(record.bytes))
                .sum::<u64>();
            add(&mut digest, &layer, &manifest);
        }

        for (tile, fault) in faults {
            problems.push(Problem::new(tile.to_string(), Wrong::Damaged, Some(fault)));
        }
    }

    Ok(Verification::new(tiles, bytes, problems, digest.text()))
}

fn verify_folder(
    finished: &FinishedMap,
    map: &MapFolder,
    threads: usize,
) -> Result<Verification, Trouble> {
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
                problems.push(Problem::new(
                    path,
                    Wrong::Manifest,
                    Some(Trouble::from(error).to_string()),
                ));
                continue;
            }
        };

        tiles += manifest.tiles.len() as u64;
        bytes += manifest
            .tiles
            .values()
            .map(|record| u64::from(record.bytes))
            .sum::<u64>();

        if layer.is_picture() {
            add(&mut digest, &layer, &manifest);
        }

        let checked = on_threads(threads, || {
            let tiles = manifest.tiles.par_iter();
            tiles
                .map(|(&tile, &record)| check(map, &layer, tile, record))
                .collect::<Result<Vec<_>, _>>()
        })??;
        problems.extend(checked.into_iter().flatten());

        if !agrees(layer.facts, &manifest) {
            let message = format!("its facts of {} differ from the manifest", layer.name());
            problems.push(Problem::new(
                map.content().facts(),
                Wrong::Facts,
                Some(message),
            ));
        }

        let named = manifest
            .tiles
            .keys()
            .map(|tile| map.tile_path(layer.facts, *tile))
            .collect();

        match map.content() {
            // The folders contain the tiles of the newest state, so stray files of an earlier
            // moment cannot be recognised.
            _ if map.moment_id().is_some() => {}
            Content::Map => strays(map, &layer.facts.path, &named, &mut problems)?,
            Content::Regions | Content::RegionsByLayer => {
                stray_regions(map, &layer.facts.path, &named, &mut problems)?;
            }
            Content::Frames | Content::Worlds => {}
        }
    }

    if map.content() == Content::Map && map.moment_id().is_none() {
        unknown_layers(map, &mut problems)?;

        let fault = match map.script_agrees() {
            Ok(true) => None,
            Ok(false) => Some("it differs from map.json".to_owned()),
            Err(error) => Some(error.to_string()),
        };

        if let Some(message) = fault {
            problems.push(Problem::new(MapFile::SCRIPT, Wrong::Facts, Some(message)));
        }

        if map.facts().history {
            problems.extend(past_problems(map, threads)?);
        }
    }

    Ok(Verification::new(tiles, bytes, problems, digest.text()))
}

/// Returns the problem of a tile, if it has one.
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
            let pixels = layer
                .samples()
                .decode(&bytes)
                .map(|canvas| layer.samples().hash(&canvas));
            if pixels.is_ok_and(|pixels| pixels == record.pixels) {
                return Ok(None);
            }

            // The file has the right hash, so the manifest's pixel hash is wrong. That matters
            // because the digest is made of it.
            let message = format!("the pixels of {path} differ from the manifest");
            return Ok(Some(Problem::new(
                MapFolder::manifest_path(layer.facts),
                Wrong::Manifest,
                Some(message),
            )));
        }
        Err(error) if error.is_link() || matches!(error, Trouble::Pointer(_)) => {
            return Ok(Some(Problem::new(
                path,
                Wrong::Changed,
                Some(error.to_string()),
            )));
        }
        Err(Trouble::Map(AtlasError::Missing(_))) => Wrong::Missing,
        Err(Trouble::Map(AtlasError::Changed(_))) => Wrong::Changed,
        Err(error) => return Err(error),
    };

    Ok(Some(Problem::new(path, wrong, None)))
}

/// Returns the problems of the files that are stored for earlier moments, and of their lists.
fn past_problems(map: &MapFolder, threads: usize) -> Result<Vec<Problem>, Trouble> {
    let listed = Moments::read(map.folder()).and_then(|_| kept_files(map.folder(), map.facts()));
    let files = match listed {
        Ok(files) => files,
        Err(error) => {
            return Ok(vec![Problem::new(
                HISTORY,
                Wrong::Manifest,
                Some(error.to_string()),
            )]);
        }
    };

    let checked = on_threads(threads, || {
        files
            .par_iter()
            .map(|(path, record)| check_kept_file(map, path, *record))
            .collect::<Result<Vec<_>, Trouble>>()
    })??;

    Ok(checked.into_iter().flatten().collect())
}

/// Returns the problem of a file that history keeps, if it has one.
fn check_kept_file(
    map: &MapFolder,
    path: &str,
    record: FileRecord,
) -> Result<Option<Problem>, Trouble> {
    let wrong = match map.kept_file(path, record).map_err(Trouble::from) {
        Ok(_) => return Ok(None),
        Err(error) if error.is_link() => {
            let problem = Problem::new(path, Wrong::Changed, Some(error.to_string()));
            return Ok(Some(problem));
        }
        Err(Trouble::Map(AtlasError::Missing(_))) => Wrong::Missing,
        Err(Trouble::Map(AtlasError::Changed(_)) | Trouble::Pointer(_)) => Wrong::Changed,
        Err(error) => return Err(error),
    };

    Ok(Some(Problem::new(path, wrong, None)))
}

/// Returns whether the facts of a layer in `map.json` match the facts that follow from its
/// manifest. Bounds are compared after extending them to whole regions, because `map.json` rounds
/// them to chunks.
fn agrees(facts: &LayerFacts, manifest: &Manifest) -> bool {
    let right = LayerFacts::new(
        &facts.id,
        facts.path.clone(),
        facts.naming(),
        facts.look,
        facts.min_zoom,
        manifest,
    );

    let within = facts.min_zoom..=facts.max_zoom;
    facts.max_zoom == right.max_zoom
        && manifest
            .tiles
            .keys()
            .all(|tile| within.contains(&tile.zoom))
        && facts
            .bounds
            .map(|bounds| Bounds::from(Area::from(bounds).grown_to_regions()))
            == right.bounds
        && right.tiles == facts.tiles
}

/// Adds problems for files in a layer's folder that are named like tiles but are not in `named`.
fn strays(
    map: &MapFolder,
    folder: &str,
    named: &BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Result<(), Trouble> {
    for (level, _) in entries(map, folder)?
        .into_iter()
        .filter(|(_, name)| is_zoom_level(name))
    {
        for (column, _) in entries(map, &level)?
            .into_iter()
            .filter(|(_, x)| number_in_path(x).is_some())
        {
            let files = entries(map, &column)?
                .into_iter()
                .filter(|(_, name)| is_tile_name(name));
            problems.extend(files.filter_map(|(path, _)| check_stray(path, named)));
        }
    }

    Ok(())
}

fn is_zoom_level(name: &str) -> bool {
    name.parse()
        .is_ok_and(|level: u8| (OUTER_ZOOM..=INNER_ZOOM).contains(&level))
}

fn is_tile_name(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(y, ending)| {
        number_in_path(y).is_some()
            && (Format::from_name(ending).is_some() || ending == Format::Js.name())
    })
}

/// Does the same as [`strays`] for pictures of regions.
fn stray_regions(
    map: &MapFolder,
    folder: &str,
    named: &BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Result<(), Trouble> {
    let files = entries(map, folder)?
        .into_iter()
        .filter(|(_, name)| Content::region_tile(name).is_some());
    problems.extend(files.filter_map(|(path, _)| check_stray(path, named)));
    Ok(())
}

fn check_stray(path: String, named: &BTreeSet<String>) -> Option<Problem> {
    (!named.contains(&path)).then(|| Problem::new(path, Wrong::Stray, None))
}

/// Adds problems for tiles in a dimension's folder that belong to none of the map's layers, for
/// example tiles of a killed run.
fn unknown_layers(map: &MapFolder, problems: &mut Vec<Problem>) -> Result<(), Trouble> {
    for dimension in &map.facts().dimensions {
        for (path, _) in entries(map, &dimension.path)? {
            if !map.facts().with_details().any(|layer| layer.path == path) {
                strays(map, &path, &BTreeSet::new(), problems)?;
            }
        }
    }
    Ok(())
}

/// Returns the path and name of each entry of a folder in the map; empty if the folder does not
/// exist. A link is empty as well, because its target is not part of the map, and manifests and
/// tiles behind it are problems already.
fn entries(map: &MapFolder, folder: &str) -> Result<Vec<(String, String)>, Trouble> {
    let entries = match map.entries(folder) {
        Err(error) if error.is_link() => Vec::new(),
        entries => entries?,
    };
    let names = entries
        .into_iter()
        .filter_map(|(name, _)| name.into_string().ok());
    Ok(names.map(|name| (in_folder(folder, &name), name)).collect())
}
