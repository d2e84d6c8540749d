//! Ends a run: publishes the maps that it drew in one commit, and reports each of them.

use std::collections::BTreeSet;

use crate::publish::account::{PublishedMap, publish_whole};
use crate::publish::drawn::UnpublishedMap;
use crate::publish::facts::{WorldLabel, map_facts, title};
use crate::publish::marker_files::put_markers;
use crate::publish::moment::put_moment;
use crate::publish::preview::put_preview;
use crate::publish::removals::Removals;
use crate::report::{Failure, Report, Thresholds, TileCounts};
use crate::request::layers::MapLayer;
use crate::schedule::Stop;
use crate::tiles::journal_subject::JournalSubject;
use crate::tiles::tile_store::MadeLayer;
use pixelmap_base::coord::TilePos;
use pixelmap_map::atlas::{LayerFacts, Manifest, MapFile, in_folder};
use pixelmap_map::page::PageTexts;
use pixelmap_map::store::{
    self, Commit, CompactJournal, CompletedLayers, LayerKey, Output, PublishError,
};
use pixelmap_paint::layers::Layer;

/// Publishes the maps of one folder together if all of them are complete and meet their thresholds.
/// Returns one report per map.
pub(crate) fn publish(
    world: &WorldLabel,
    output: &Output,
    maps: Vec<UnpublishedMap<'_>>,
    stop: &Stop,
) -> Vec<Report> {
    let others = other_layers(output, &maps);
    let staged = maps.first().and_then(|map| map.publishing.staged);
    end(
        maps,
        staged,
        others.as_deref().unwrap_or_default(),
        |maps| {
            others.as_ref().map_err(Failure::from)?;
            try_publish(world, output, maps, stop)
        },
    )
}

/// Calls `publish` if all maps are complete and a staged run meets its thresholds. Returns one
/// report per map. `others` are the layers of the folder that were not drawn.
pub(crate) fn end(
    maps: Vec<UnpublishedMap<'_>>,
    staged: Option<Thresholds>,
    others: &[String],
    publish: impl FnOnce(&[UnpublishedMap<'_>]) -> Result<Vec<PublishedMap>, Failure>,
) -> Vec<Report> {
    let accounts: Vec<_> = maps.iter().map(|map| &map.account).collect();
    let published = publish_whole(&accounts, staged, || publish(&maps));
    let mut reports = Vec::new();
    for (map, published) in maps.into_iter().zip(published) {
        let is_empty = map
            .made
            .layers
            .iter()
            .all(|layer| layer.manifest.tiles.is_empty());

        let warnings = published
            .warnings
            .iter()
            .cloned()
            .chain(map.made.markers.warnings())
            .collect();

        reports.push(map.account.report(PublishedMap {
            is_empty,
            others: others.to_vec(),
            warnings,
            ..published
        }));
    }

    reports
}

/// Publishes the maps in one commit. Publishes nothing if the run is stopping or too many tiles
/// would be removed.
fn try_publish(
    world: &WorldLabel,
    output: &Output,
    maps: &[UnpublishedMap<'_>],
    stop: &Stop,
) -> Result<Vec<PublishedMap>, Failure> {
    let mut removals = Vec::new();
    for map in maps {
        let of_map = Removals::find(
            output,
            &map.dimensions,
            &map.map_layers,
            map.hidden_regions(),
            |map_layer, tile| map.manifest(map_layer).tiles.contains_key(&tile),
        );

        let of_map = of_map.map_err(|error| Failure::from(&error))?;
        of_map
            .check(map.publishing.max_removed)
            .map_err(|error| Failure::from(&error))?;
        removals.push(of_map);
    }

    if stop.is_requested() {
        return Ok(vec![PublishedMap::default(); maps.len()]);
    }

    commit(world, output, maps, &removals).map_err(|error| Failure::from(&error))
}

/// Makes and carries out one commit of all new and all removed files.
fn commit(
    world: &WorldLabel,
    output: &Output,
    maps: &[UnpublishedMap<'_>],
    removals: &[Removals],
) -> Result<Vec<PublishedMap>, PublishError> {
    let mut commit = Commit::new(output);
    let mut tiles = Vec::new();
    for map in maps {
        tiles.push(TileCounts {
            written: put_staged(map, &mut commit)?,
            ..TileCounts::default()
        });
    }

    let StagedFacts {
        earlier,
        facts,
        warnings,
    } = put_facts(world, output, maps, &mut commit)?;

    let mut gone: BTreeSet<MapTile> = BTreeSet::new();
    for (map, (drawn, removals)) in maps.iter().zip(removals).enumerate() {
        for (map_layer, tiles) in drawn.map_layers.all().zip(removals.tiles()) {
            gone.extend(tiles.iter().map(|&tile| MapTile {
                map,
                map_layer,
                tile,
            }));
        }
    }

    gone.extend(put_state(output, maps, &mut commit)?);

    for tile in gone {
        commit.remove(&tile.path(maps))?;
        tiles[tile.map].removed += 1;
    }

    if let Some(earlier) = &earlier {
        remove_stated(earlier, &facts, &mut commit)?;
    }

    put_moment(output, world, maps, earlier.as_ref(), &facts, &mut commit)?;
    commit.carry_out()?;

    if facts.preview.is_some() {
        put_preview(output)?;
    }

    // The warnings about icons concern all maps, so the report of the first one has them.
    let mut first_warnings = Some(warnings);
    let mut published = Vec::new();
    for tiles in tiles {
        published.push(PublishedMap {
            is_closed: true,
            tiles,
            warnings: first_warnings.take().unwrap_or_default(),
            ..PublishedMap::default()
        });
    }

    Ok(published)
}

/// A tile of one of the maps that are published together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MapTile {
    pub(crate) map: usize,
    pub(crate) map_layer: MapLayer,
    pub(crate) tile: TilePos,
}

impl MapTile {
    /// Returns the tile of a subject and its map. Returns `None` for regions and markers, because
    /// they do not have files of their own.
    fn new((map, subject): (usize, JournalSubject), tile: TilePos) -> Option<Self> {
        match subject {
            JournalSubject::Tiles(map_layer) | JournalSubject::Inner(map_layer) => Some(Self {
                map,
                map_layer,
                tile,
            }),
            JournalSubject::Regions(_) | JournalSubject::Markers(_) => None,
        }
    }

    fn path(&self, maps: &[UnpublishedMap<'_>]) -> String {
        maps[self.map]
            .map_layers
            .tile_path(self.map_layer, self.tile)
    }
}

/// Stages the compacted records of the maps. Returns the tiles that a killed run wrote but never
/// added to a manifest.
pub(crate) fn put_state(
    output: &Output,
    maps: &[UnpublishedMap<'_>],
    commit: &mut Commit<'_>,
) -> Result<BTreeSet<MapTile>, PublishError> {
    let layers: Vec<LayerKey> = maps
        .iter()
        .flat_map(|map| map.made.keys.iter().copied())
        .collect();

    let subjects = maps
        .iter()
        .enumerate()
        .flat_map(|(map, drawn)| drawn.journal_subjects().map(move |it| (map, it)));

    let subjects: Vec<(usize, JournalSubject)> = subjects.collect();
    let finished = CompletedLayers {
        layers: &layers,
        stays: &|number, tile| {
            let (map, subject) = subjects[number];
            let tiles = maps[map].dimensions[subject.dimension()].tiles;
            match subject {
                JournalSubject::Inner(map_layer) => {
                    maps[map].map_layers.is_planned(map_layer, tile, tiles)
                }
                JournalSubject::Tiles(_)
                | JournalSubject::Regions(_)
                | JournalSubject::Markers(_) => tiles.contains(tile),
            }
        },
        is_published: &|number, tile| match subjects[number] {
            (map, JournalSubject::Tiles(map_layer) | JournalSubject::Inner(map_layer)) => {
                maps[map].manifest(map_layer).tiles.contains_key(&tile)
            }
            (_, JournalSubject::Regions(_) | JournalSubject::Markers(_)) => true,
        },
    };
    let CompactJournal { strays, unsure } = store::compact(output, &finished, commit)?;

    let mut existing = BTreeSet::new();
    for (number, tile) in strays {
        if let Some(stray) = MapTile::new(subjects[number], tile)
            && output.file_facts(&stray.path(maps))?.is_some()
        {
            existing.insert(stray);
        }
    }

    for (number, tile) in unsure {
        if let Some(tile) = MapTile::new(subjects[number], tile) {
            commit.bring_to_disk(&tile.path(maps))?;
        }
    }

    Ok(existing)
}

/// Adds the staged tiles of a map to the commit, and returns their number.
fn put_staged(map: &UnpublishedMap<'_>, commit: &mut Commit<'_>) -> Result<u64, PublishError> {
    let mut count = 0;
    for (map_layer, MadeLayer { staged, .. }) in map.map_layers.all().zip(&map.made.layers) {
        for &tile in staged {
            commit.put_staged(&map.map_layers.tile_path(map_layer, tile))?;
        }
        count += staged.len() as u64;
    }
    Ok(count)
}

/// The facts of a folder whose maps are being published.
struct StagedFacts {
    /// The facts of the published map, if there is one.
    earlier: Option<MapFile>,
    facts: MapFile,
    warnings: Vec<String>,
}

/// Stages the manifests, the markers, the viewer and `map.json`.
fn put_facts(
    world: &WorldLabel,
    output: &Output,
    maps: &[UnpublishedMap<'_>],
    commit: &mut Commit<'_>,
) -> Result<StagedFacts, PublishError> {
    let default = PageTexts::default();
    let page = maps.first().map_or(&default, |map| map.publishing.page);
    let mut facts = MapFile::new(page.title.clone().unwrap_or_else(|| world.name.clone()));
    facts.page = page.clone();
    facts.worlds = maps
        .first()
        .map_or_else(Vec::new, |map| map.publishing.worlds.to_vec());
    facts.history = output.has_history()? || maps.iter().any(|map| map.publishing.moment.begins);
    facts.preview = page.url.as_ref().map(|_| PageTexts::PREVIEW.to_owned());

    for map in maps {
        facts.add(map_facts(world.spawn.as_ref(), map));
        for (map_layer, MadeLayer { manifest, .. }) in map.map_layers.all().zip(&map.made.layers) {
            let path = map.map_layers.file_path(map_layer, Manifest::FILE);
            commit.put_stream(&path, |out| manifest.write(output.naming().scheme, out))?;
        }
    }

    for (dimension, layer) in facts
        .dimensions
        .iter()
        .flat_map(|dimension| dimension.layers.iter().map(move |layer| (dimension, layer)))
    {
        let name = format!("{}, {}, {}", world.name, title(&dimension.id), layer.id);
        if let Some(text) = layer.tilejson(&name) {
            commit.put(
                &in_folder(&layer.path, LayerFacts::TILEJSON),
                text.as_bytes(),
            )?;
        }
    }

    put_lists(&mut facts, commit)?;

    let earlier = output.facts()?;
    if let Some(earlier) = earlier.clone() {
        facts.keep(earlier);
    }

    let warnings = put_markers(output, maps, &mut facts, commit)?;

    // Layers that are unknown to this program are last.
    facts.sort(|id| {
        Layer::ALL
            .iter()
            .position(|layer| layer.name() == id)
            .unwrap_or(Layer::ALL.len())
    });

    let script = facts.script();
    for file in pixelmap_map::page::files(&script, page, facts.has_hills()) {
        commit.put_hashed(file.path, file.hash(), || file.into_bytes())?;
    }

    commit.put(MapFile::SCRIPT, script.as_bytes())?;
    commit.put(MapFile::VERSION, MapFile::version(&script).as_bytes())?;
    commit.put(MapFile::FILE, facts.json().as_bytes())?;

    Ok(StagedFacts {
        earlier,
        facts,
        warnings,
    })
}

/// Stages the lists of tiles that are too long for `map.json`.
fn put_lists(facts: &mut MapFile, commit: &mut Commit<'_>) -> Result<(), PublishError> {
    for layer in facts
        .dimensions
        .iter_mut()
        .flat_map(|dimension| dimension.layers.iter_mut().chain(&mut dimension.details))
    {
        for (path, text) in layer.take_lists() {
            commit.put(&path, text.as_bytes())?;
        }
    }

    Ok(())
}

/// Removes the lists of tiles, the marker files, the icons and the terrain page that only the earlier
/// map names. The owner's own markers stay.
fn remove_stated(
    earlier: &MapFile,
    facts: &MapFile,
    commit: &mut Commit<'_>,
) -> Result<(), PublishError> {
    for path in stated_files(earlier).difference(&stated_files(facts)) {
        if !earlier.markers.iter().any(|own| own.file == *path) {
            commit.remove(path)?;
        }
    }

    Ok(())
}

/// Returns the paths of the lists of tiles, the marker files, the icons and the terrain page that a
/// map names.
fn stated_files(map: &MapFile) -> BTreeSet<String> {
    let mut paths: BTreeSet<String> = map
        .with_details()
        .flat_map(LayerFacts::list_paths)
        .collect();
    paths.extend(map.all_marker_files().map(str::to_owned));
    paths.extend(map.icon_files().map(str::to_owned));
    if map.has_hills() {
        paths.extend(pixelmap_map::page::terrain_paths().map(str::to_owned));
    }

    paths
}

/// Returns the layers of the folder that this run does not draw.
fn other_layers(output: &Output, maps: &[UnpublishedMap<'_>]) -> Result<Vec<String>, PublishError> {
    let drawn: Vec<String> = maps
        .iter()
        .flat_map(|map| {
            map.map_layers
                .all()
                .map(|map_layer| map.map_layers.path(map_layer))
        })
        .collect();

    let facts = output.facts()?;
    let layers = facts
        .iter()
        .flat_map(MapFile::with_details)
        .map(|layer| layer.path.clone());
    Ok(layers.filter(|path| !drawn.contains(path)).collect())
}
