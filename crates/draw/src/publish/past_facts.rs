//! Removes hidden places from the `map.json` of the earlier moments of a map. Its bounds, lists of
//! tiles, versions and legends depend on the tiles, so they are made again from the tiles that
//! [`hidden_past`](super::hidden_past) has cleaned.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use crate::publish::facts::ShownBounds;
use crate::publish::hidden_past::{CleanedLayer, EarlierMoments};
use crate::publish::past_lists::PastLists;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, RegionPos};
use pixelmap_map::atlas::{
    FileRecord, LayerFacts, LegendPart, Manifest, MapFile, Version, object_path,
};
use pixelmap_map::export::extent;
use pixelmap_map::store::{Commit, PublishError};

/// Removes hidden places from the earlier versions of `map.json`, and drops all earlier versions of
/// markers. `newest` are the facts of the newest state. Adds the paths of all earlier files to
/// `files`.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub(crate) fn clean_facts(
    moments: EarlierMoments<'_>,
    layers: &[CleanedLayer<'_>],
    newest: &MapFile,
    lists: &mut PastLists,
    files: &mut BTreeSet<String>,
    commit: &mut Commit<'_>,
) -> Result<(), PublishError> {
    let mut past = lists.take_files();
    files.extend(
        past.files()
            .map(|(path, record)| object_path(record.file, path)),
    );
    let before = past.0.remove(MapFile::FILE).unwrap_or_default();

    let mut cleaner = FactsCleaner {
        moments,
        layers,
        newest,
        filled: BTreeMap::new(),
    };

    let mut after = Vec::new();
    let mut next = newest.json();
    for (number, version) in before.iter().enumerate().rev() {
        let Some(id) = moments.last_with(&before, number) else {
            continue;
        };

        // Before the first moment with facts, the map did not exist.
        let text = match version.record {
            Some(record) => cleaner.text_at(id, record)?,
            None => None,
        };
        let Some(text) = text.filter(|text| *text != next) else {
            continue;
        };

        let record = FileRecord {
            bytes: text.len() as u32,
            file: XxHash3_64::oneshot(text.as_bytes()),
        };
        commit.put(&object_path(record.file, MapFile::FILE), text.as_bytes())?;
        after.push(Version {
            until: version.until,
            record: Some(record),
        });
        next = text;
    }

    after.reverse();
    if !after.is_empty() {
        lists.put_file(MapFile::FILE, after);
    }

    Ok(())
}

/// Makes earlier facts without hidden places.
struct FactsCleaner<'a> {
    moments: EarlierMoments<'a>,
    layers: &'a [CleanedLayer<'a>],
    newest: &'a MapFile,
    /// The drawn part of native tiles, by the hash of the file. The tiles of many moments are the
    /// same.
    filled: BTreeMap<u64, Option<Area>>,
}

impl FactsCleaner<'_> {
    /// Returns the text of the facts at a moment, or `None` if the file is missing or damaged.
    fn text_at(&mut self, id: u32, record: FileRecord) -> Result<Option<String>, PublishError> {
        let Some(file) = self.moments.read(MapFile::FILE, record.file)? else {
            return Ok(None);
        };
        let Some(mut facts) = MapFile::parse(&file) else {
            return Ok(None);
        };

        for dimension in &mut facts.dimensions {
            // Earlier markers are dropped, so that each moment has the newest ones.
            let newest = self.newest.dimensions.iter();
            let mut newest = newest.filter(|newest| newest.id == dimension.id);
            dimension.markers = newest
                .next()
                .map_or_else(Vec::new, |newest| newest.markers.clone());

            for layer in dimension.layers.iter_mut().chain(&mut dimension.details) {
                let mut cleaned = self.layers.iter();
                if let Some(cleaned) = cleaned
                    .find(|cleaned| cleaned.map.map_layers.path(cleaned.map_layer) == layer.path)
                {
                    *layer = self.layer_at(id, layer, cleaned)?;
                }
            }
        }

        facts.markers.clone_from(&self.newest.markers);
        Ok(Some(facts.json()))
    }

    /// Returns the facts of a layer at a moment. `before` are its facts with hidden places.
    fn layer_at(
        &mut self,
        id: u32,
        before: &LayerFacts,
        cleaned: &CleanedLayer<'_>,
    ) -> Result<LayerFacts, PublishError> {
        let manifest = cleaned.manifest_at(id);
        let mut newest = self.newest.with_details();
        let newest = newest.find(|newest| newest.path == before.path);
        if let Some(newest) = newest
            && manifest == *cleaned.newest()
        {
            return Ok(newest.clone());
        }

        let outermost = cleaned.min_zooms.get(&id).copied().unwrap_or_default();
        let shown = manifest.tiles.keys().next().map(|tile| tile.zoom);
        let min_zoom = before
            .min_zoom
            .max(outermost)
            .min(shown.unwrap_or(NATIVE_ZOOM));

        let ShownBounds { bounds, focus } =
            ShownBounds::find(&manifest, |area| self.shown_in(&manifest, area, cleaned))?;

        let mut facts = LayerFacts {
            bounds,
            focus,
            heights: before.heights,
            overlay: before.overlay,
            numbers: before.numbers,
            encoding: before.encoding,
            legend: self.legend_at(id, before, newest, cleaned)?,
            ..LayerFacts::new(
                &before.id,
                before.path.clone(),
                before.naming(),
                before.look,
                min_zoom,
                &manifest,
            )
        };
        facts.take_lists();

        Ok(facts)
    }

    /// Returns the part of an area that the tiles show something in, in whole chunks.
    fn shown_in(
        &mut self,
        manifest: &Manifest,
        area: Area,
        cleaned: &CleanedLayer<'_>,
    ) -> Result<Option<Area>, PublishError> {
        let regions = manifest.tiles.keys().filter_map(|tile| tile.region());
        extent(area, regions, |region: RegionPos| {
            let Some(&record) = manifest.tiles.get(&region.tile()) else {
                return Ok(None);
            };
            if let Some(filled) = self.filled.get(&record.file) {
                return Ok(filled.map(|filled| region.area_within(filled)));
            }

            let filled = cleaned.filled(self.moments, region, record)?;
            self.filled.insert(record.file, filled);
            Ok(filled.map(|filled| region.area_within(filled)))
        })
    }

    /// Returns the legend of a layer at a moment. An entry that the newest legend lacks is kept if
    /// its colour is on an earlier tile and no other entry has the same colour.
    fn legend_at(
        &self,
        id: u32,
        before: &LayerFacts,
        newest: Option<&LayerFacts>,
        cleaned: &CleanedLayer<'_>,
    ) -> Result<Vec<LegendPart>, PublishError> {
        let newest = newest.map_or(&[][..], |newest| &newest.legend);
        let is_newest =
            |entry: &(String, String)| newest.iter().any(|part| part.entries.contains(entry));
        let entries = before.legend.iter().flat_map(|part| &part.entries);
        let colours = if entries.clone().all(is_newest) {
            BTreeSet::new()
        } else {
            cleaned.earlier_colours(self.moments, id)?
        };

        let mut legend = before.legend.clone();
        for part in &mut legend {
            part.retain(|entry| {
                let (colour, _) = entry;
                let alike = entries.clone().filter(|(other, _)| other == colour);
                is_newest(entry) || colours.contains(colour) && alike.count() == 1
            });

            let mut newest = newest.iter().filter(|newest| newest.title == part.title);
            part.more = newest.any(|newest| newest.more);
        }
        legend.retain(|part| !part.entries.is_empty());

        Ok(legend)
    }
}
