//! The end of a run: the maps that it drew are published by one commit, and reported.

use std::collections::BTreeSet;

use crate::atlas::{Bounds, Facts, LayerFacts, Manifest, MapFile, Numbers, in_folder};
use crate::base::coord::{Area, NATIVE_ZOOM, RegionPos, TilePos};
use crate::draw::account::{Published, report};
use crate::draw::map::drawn::DrawnMap;
use crate::draw::map::keyed::Keyed;
use crate::draw::map::legend::legend_of;
use crate::draw::map::marker_files::put_markers;
use crate::draw::map::preview::put_preview;
use crate::draw::map::removals::Removals;
use crate::draw::map::tile_store::MadeLayer;
use crate::draw::plan::{DimensionPlan, Plan};
use crate::draw::prepare::layers::{MapLayer, MapLayers};
use crate::draw::report::{Failure, Quality, Report, Tally};
use crate::draw::settings::Settings;
use crate::export::choose;
use crate::page::PageTexts;
use crate::paint::layers::{LOOK, Layer};
use crate::paint::markers::display_name;
use crate::schedule::Stop;
use crate::store::{self, Commit, Compacted, Finished, LayerKey, Output, PublishError};
use crate::world::World;

/// Publishes maps of one folder together, if all of them are whole and as they were asked for, and reports each.
pub(crate) fn publish(world: &World, output: &Output, maps: Vec<DrawnMap<'_>>, stop: &Stop) -> Vec<Report> {
    let others = others(output, &maps);
    publish_by(world, output, maps, &others, |maps| try_publish(world, output, maps, stop))
}

/// Publishes maps by `publish`, if all of them are whole, and reports each. `others` are the layers of the folder that
/// were not drawn.
pub(crate) fn publish_by(
    world: &World,
    output: &Output,
    mut maps: Vec<DrawnMap<'_>>,
    others: &[String],
    publish: impl FnOnce(&[DrawnMap<'_>]) -> Result<Vec<Published>, Failure>,
) -> Vec<Report> {
    let mut published = Vec::new();
    if maps.iter().all(DrawnMap::is_whole) {
        match publish(&maps) {
            Ok(done) => published = done,
            Err(failure) => maps.iter_mut().for_each(|map| map.drawn.failure = Some(failure.clone())),
        }
    }
    let mut published = published.into_iter();
    let report = |mut map: DrawnMap<'_>| {
        let empty = map.made.layers.iter().all(|made| made.manifest.tiles.is_empty());
        let published = published.next().unwrap_or_default();
        match published.placed {
            Some(tiles) => map.drawn.tally.tiles_written += tiles,
            None if map.settings.is_staged() => map.drawn.tally.tiles_written = 0,
            None => {}
        }
        let warnings = warnings(map.plan, map.settings, &map.drawn.tally, published.closed, others);
        map.drawn.summary.warnings.extend(warnings);
        report(world, map.plan, map.settings, output.naming(), map.drawn, Published { empty, ..published })
    };
    maps.into_iter().map(report).collect()
}

/// Publishes the maps by one commit; nothing, if the run is to end or a map is not as it was asked for.
fn try_publish(world: &World, output: &Output, maps: &[DrawnMap<'_>], stop: &Stop) -> Result<Vec<Published>, Failure> {
    if let Some(thresholds) = maps.first().and_then(|map| map.settings.staged)
        && let Some(failure) = thresholds.withhold(maps.iter().map(|map| Quality::from(&map.drawn.tally)).sum())
    {
        return Err(failure);
    }
    let mut removals = Vec::new();
    for map in maps {
        let stays = |map_layer, tile| map.manifest(map_layer).tiles.contains_key(&tile);
        let of_map = Removals::of(output, map.plan, &map.map_layers, &map.emptied, stays)
            .map_err(|error| Failure::from(&error))?;
        of_map.check(map.settings.max_removed).map_err(|error| Failure::from(&error))?;
        removals.push(of_map);
    }
    if stop.requested() {
        return Ok(Vec::new());
    }
    commit(world, output, maps, &removals).map_err(|error| Failure::from(&error))
}

/// Makes one commit of all that is new and all that goes, and carries it out.
fn commit(
    world: &World,
    output: &Output,
    maps: &[DrawnMap<'_>],
    removals: &[Removals],
) -> Result<Vec<Published>, PublishError> {
    let mut commit = Commit::new(output)?;
    let mut published = Vec::new();
    for map in maps {
        published.push(Published { closed: true, placed: put_staged(map, &mut commit)?, ..Published::default() });
    }
    let (earlier, facts) = put_facts(world, output, maps, &mut commit)?;
    let of_journal = of_journal(maps);
    let map_layers = of_journal.iter().filter_map(|(index, recorded)| Some((*index, recorded.map_layer()?)));
    let of_manifests = removals.iter().flat_map(Removals::tiles).zip(map_layers);
    let mut gone: BTreeSet<(usize, MapLayer, TilePos)> = of_manifests
        .flat_map(|(tiles, (index, map_layer))| tiles.iter().map(move |&tile| (index, map_layer, tile)))
        .collect();
    gone.extend(put_state(output, maps, &of_journal, &mut commit)?);
    for (index, map_layer, tile) in gone {
        commit.remove(&maps[index].map_layers.tile_path(map_layer, tile))?;
        published[index].removed += 1;
    }
    if let Some(earlier) = &earlier {
        remove_stated(earlier, &facts, &mut commit)?;
    }
    commit.carry_out()?;
    if facts.preview.is_some() {
        put_preview(output)?;
    }
    Ok(published)
}

/// The maps and what they record, in the order of their keys.
pub(crate) fn of_journal(maps: &[DrawnMap<'_>]) -> Vec<(usize, Keyed)> {
    maps.iter().enumerate().flat_map(|(index, map)| map.recorded(index)).collect()
}

/// Stages what is recorded of the maps, and finds the tiles that a killed run wrote before its manifest.
pub(crate) fn put_state(
    output: &Output,
    maps: &[DrawnMap<'_>],
    of_journal: &[(usize, Keyed)],
    commit: &mut Commit<'_>,
) -> Result<BTreeSet<(usize, MapLayer, TilePos)>, PublishError> {
    let layers: Vec<LayerKey> = maps.iter().flat_map(|map| map.made.keys.iter().copied()).collect();
    let finished = Finished {
        layers: &layers,
        stays: &|number, tile| {
            let (index, recorded) = of_journal[number];
            maps[index].plan.dimensions[recorded.dimension()].pyramid.contains(tile)
        },
        is_published: &|number, tile| {
            let (index, recorded) = of_journal[number];
            let map_layer = recorded.map_layer();
            map_layer.is_none_or(|map_layer| maps[index].manifest(map_layer).tiles.contains_key(&tile))
        },
    };
    let Compacted { strays, unsure } = store::compact(output, &finished, commit)?;
    // Markers have no files of their own, a region each.
    let tile_of = |(number, tile): (usize, TilePos)| {
        let (index, recorded) = of_journal[number];
        Some((index, recorded.map_layer()?, tile))
    };
    let path = |index: usize, map_layer, tile| maps[index].map_layers.tile_path(map_layer, tile);
    let mut strays: BTreeSet<_> = strays.into_iter().filter_map(tile_of).collect();
    strays
        .retain(|&(index, layer, tile)| output.standing(&path(index, layer, tile)).is_ok_and(|there| there.is_some()));
    for (index, map_layer, tile) in unsure.into_iter().filter_map(tile_of) {
        commit.bring_to_disk(&path(index, map_layer, tile))?;
    }
    Ok(strays)
}

/// Lists the staged tiles of a map; returns how many there are, or `None` where its tiles are in their places already.
fn put_staged(map: &DrawnMap<'_>, commit: &mut Commit<'_>) -> Result<Option<u64>, PublishError> {
    let mut count = 0;
    for (map_layer, MadeLayer { staged, .. }) in map.map_layers.all().zip(&map.made.layers) {
        staged.iter().try_for_each(|&tile| commit.put_staged(&map.map_layers.tile_path(map_layer, tile)))?;
        count += staged.len() as u64;
    }
    Ok(map.settings.is_staged().then_some(count))
}

/// Stages the manifests, the markers, the viewer and `map.json`. Returns the facts of the map as it stood, and of this
/// one.
fn put_facts(
    world: &World,
    output: &Output,
    maps: &[DrawnMap<'_>],
    commit: &mut Commit<'_>,
) -> Result<(Option<MapFile>, MapFile), PublishError> {
    let default = PageTexts::default();
    let page = maps.first().map_or(&default, |map| &map.settings.page);
    let mut facts = MapFile::new(page.title.clone().unwrap_or_else(|| world.name()));
    facts.page = page.clone();
    facts.worlds = maps.first().map_or_else(Vec::new, |map| map.settings.worlds.clone());
    facts.preview = page.url.as_ref().map(|_| PageTexts::PREVIEW.to_owned());
    for map in maps {
        facts.add(map_facts(world, map));
        for (map_layer, MadeLayer { manifest, .. }) in map.map_layers.all().zip(&map.made.layers) {
            let path = map.map_layers.path_of(map_layer, Manifest::FILE);
            commit.put_stream(&path, |out| manifest.write(output.naming().scheme, out))?;
        }
    }
    for (dimension, layer) in facts.dimensions.iter().flat_map(|of| of.layers.iter().map(move |layer| (of, layer))) {
        let name = format!("{}, {}, {}", world.name(), title(&dimension.id), layer.id);
        if let Some(text) = layer.tilejson(&name) {
            commit.put(&in_folder(&layer.path, LayerFacts::TILEJSON), text.as_bytes())?;
        }
    }
    put_lists(&mut facts, commit)?;
    let earlier = output.facts()?;
    if let Some(earlier) = earlier.clone() {
        facts.keep(earlier);
    }
    put_markers(output, maps, &mut facts, commit)?;
    // Layers that this program does not know come last.
    facts.sort(|id| Layer::ALL.iter().position(|layer| layer.name() == id).unwrap_or(Layer::ALL.len()));
    let script = facts.script();
    for (path, bytes) in crate::page::files(&script, page) {
        commit.put(path, &bytes)?;
    }
    commit.put(MapFile::SCRIPT, script.as_bytes())?;
    commit.put(MapFile::VERSION, MapFile::version(&script).as_bytes())?;
    commit.put(MapFile::FILE, facts.json().as_bytes())?;
    Ok((earlier, facts))
}

/// Stages the lists of tiles that are too long for `map.json`.
fn put_lists(facts: &mut MapFile, commit: &mut Commit<'_>) -> Result<(), PublishError> {
    for layer in facts.dimensions.iter_mut().flat_map(|of| of.layers.iter_mut().chain(&mut of.details)) {
        for (path, text) in layer.take_lists() {
            commit.put(&path, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Removes the lists of tiles, and the files of markers, that an earlier map states and this one does not. The owner's
/// own markers stay.
fn remove_stated(earlier: &MapFile, facts: &MapFile, commit: &mut Commit<'_>) -> Result<(), PublishError> {
    let of = |map: &MapFile| -> BTreeSet<String> {
        let markers = map.all_marker_files().map(str::to_owned);
        map.with_details().flat_map(LayerFacts::list_paths).chain(markers).collect()
    };
    let own = |path: &&String| earlier.markers.iter().any(|own| own.file == **path);
    of(earlier).difference(&of(facts)).filter(|path| !own(path)).try_for_each(|path| commit.remove(path))
}

/// The facts of a map's dimensions.
pub(crate) fn map_facts(world: &World, map: &DrawnMap<'_>) -> Vec<Facts> {
    let of = |(index, dimension): (usize, &DimensionPlan)| {
        let layer = |map_layer| {
            layer_facts(map.plan, &map.map_layers, map_layer, &map.made.layers[map.map_layers.number(map_layer)])
        };
        let (details, layers): (Vec<_>, Vec<_>) =
            map.map_layers.of(index).partition(|&map_layer| map.map_layers.is_details(map_layer));
        let layers = layers.into_iter().map(layer).collect();
        Facts { details: details.into_iter().map(layer).next(), ..dimension_facts(world, dimension, layers) }
    };
    map.plan.dimensions.iter().enumerate().map(of).collect()
}

/// The layers of the folder that this run does not draw.
fn others(output: &Output, maps: &[DrawnMap<'_>]) -> Vec<String> {
    let drawn: Vec<String> =
        maps.iter().flat_map(|map| map.map_layers.all().map(|map_layer| map.map_layers.path(map_layer))).collect();
    let facts = output.facts().ok().flatten();
    let layers = facts.iter().flat_map(MapFile::with_details).map(|layer| layer.path.clone());
    layers.filter(|path| !drawn.contains(path)).collect()
}

/// The warnings of a map as a whole: what must not be shown may be seen where this run drew nothing, in `others`.
pub(crate) fn warnings(
    plan: &Plan,
    settings: &Settings,
    tally: &Tally,
    closed: bool,
    others: &[String],
) -> Vec<String> {
    let mut warnings: Vec<String> = hides_nothing(plan, settings, tally, closed).into_iter().collect();
    if settings.is_hiding() && !others.is_empty() {
        warnings.push(format!(
            "what is hidden may still be seen where this run drew nothing: draw {} with the same options",
            others.join(", ")
        ));
    }
    warnings
}

/// The warning where what must not be shown is nowhere.
fn hides_nothing(plan: &Plan, settings: &Settings, tally: &Tally, closed: bool) -> Option<String> {
    let regions = plan.dimensions.iter().any(|dimension| dimension.hidden > 0);
    let nothing =
        closed && settings.shard.is_none() && !settings.hide.is_empty() && !regions && tally.chunks.hidden == 0;
    nothing.then(|| "--hide hides nothing of what is drawn: give blocks, first x and then z".to_owned())
}

/// The facts of a map layer.
pub(crate) fn layer_facts(plan: &Plan, map_layers: &MapLayers, map_layer: MapLayer, made: &MadeLayer) -> LayerFacts {
    let MadeLayer { manifest, shown, .. } = made;
    let layer = map_layers.layer(map_layer);
    let pyramid = &plan.dimensions[map_layer.dimension].pyramid;
    let min_zoom = if layer.is_details() { NATIVE_ZOOM } else { pyramid.min_zoom() };
    let numbers = layer.number_of_zero().map(|zero| Numbers { bits: 16, nothing: 0, offset: -zero });
    let facts = LayerFacts::new(
        layer.name(),
        map_layers.path(map_layer),
        map_layers.naming(map_layer),
        LOOK,
        min_zoom,
        manifest,
    );
    let regions = || manifest.tiles.keys().filter_map(|tile| tile.region());
    let shown_in = |area: Option<Area>| area.and_then(|area| made.shown_in(area)).map(Bounds::from);
    let bounds = shown_in(regions().map(RegionPos::area).reduce(Area::union));
    // A region weighs as much as its tile.
    let weight = |region: RegionPos| manifest.tiles.get(&region.tile()).map_or(0, |record| u64::from(record.bytes));
    let focus = shown_in(choose(regions(), weight).map(|choice| choice.area)).filter(|focus| Some(*focus) != bounds);
    LayerFacts { bounds, focus, numbers, legend: legend_of(layer, shown), overlay: layer.is_overlay(), ..facts }
}

/// The facts of a dimension with these layers.
pub(crate) fn dimension_facts(world: &World, dimension: &DimensionPlan, layers: Vec<LayerFacts>) -> Facts {
    let spawn = world.level.spawn.as_ref().filter(|(id, _)| *id == dimension.id).map(|(_, spawn)| *spawn);
    let (id, path, name) = (dimension.id.clone(), dimension.path.clone(), title(&dimension.id));
    Facts { id, path, name, spawn, layers, details: None, markers: Vec::new() }
}

/// A dimension's name for people.
fn title(id: &str) -> String {
    match id {
        "overworld" => "Overworld".to_owned(),
        "the_nether" => "Nether".to_owned(),
        "the_end" => "End".to_owned(),
        other => match other.split_once(':') {
            Some((namespace, path)) => format!("{} · {namespace}", display_name(path)),
            None => other.to_owned(),
        },
    }
}
