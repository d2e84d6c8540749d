//! Collects the markers of all regions of a map, with a limit per kind.
//!
//! There is a limit because all markers are in memory until the map is published, and because a
//! browser reads all markers of a kind at once. Above the limit the first regions keep their
//! markers, so that the result does not depend on the order in which workers finish.

use std::collections::BTreeMap;

use crate::report::times;
use pixelmap_base::coord::RegionPos;
use pixelmap_paint::markers::MarkerKind;
use pixelmap_paint::markers::RegionMarkers;

/// The most markers of one kind in a map. A world of 35,000 explored regions has fewer structures.
const MAX_OF_KIND: usize = 1 << 19;

/// The number of a dimension, and a region in it.
type RegionKey = (usize, RegionPos);

#[derive(Debug, Default)]
pub(crate) struct MapMarkers {
    pub(crate) regions: BTreeMap<RegionKey, RegionMarkers>,
    kinds: BTreeMap<MarkerKind, KindCount>,
    /// The number of markers that the bounds of chunks and regions left out.
    left_out: u64,
}

#[derive(Debug, Default)]
struct KindCount {
    kept: usize,
    /// The number of markers in each region that has some.
    regions: BTreeMap<RegionKey, usize>,
    /// The first region whose markers of this kind are left out. All regions after it lose theirs
    /// as well.
    first_left_out: Option<RegionKey>,
    left_out: u64,
}

impl MapMarkers {
    /// Adds the markers of a region.
    pub(crate) fn insert(&mut self, key: RegionKey, markers: RegionMarkers) {
        self.insert_within(key, markers, MAX_OF_KIND);
    }

    fn insert_within(&mut self, key: RegionKey, markers: RegionMarkers, most: usize) {
        let mut counts: BTreeMap<MarkerKind, usize> = BTreeMap::new();
        for marker in &markers.markers {
            *counts.entry(marker.kind).or_default() += 1;
        }

        self.left_out += markers.left_out;
        self.regions.insert(key, markers);

        for (kind, count) in counts {
            let of_kind = self.kinds.entry(kind).or_default();
            of_kind.kept += count;
            of_kind.regions.insert(key, count);
            while let Some(last) = of_kind.last_beyond(most) {
                if let Some(region) = self.regions.get_mut(&last) {
                    region.markers.retain(|marker| marker.kind != kind);
                }
            }
        }
    }

    /// Returns a warning for each kind that had too many markers, and one for the bounds of chunks
    /// and regions.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let reason = "a marker is left out, because its chunk or its region has too many, or its \
                      text is too long";
        let inside = (self.left_out > 0).then(|| times(self.left_out, reason));

        let kinds = self
            .kinds
            .iter()
            .filter(|(_, count)| count.left_out > 0)
            .map(|(kind, KindCount { left_out, kept, .. })| {
                let are_left_out = match left_out {
                    1 => "1 marker is left out".to_owned(),
                    _ => format!("{left_out} markers are left out"),
                };
                format!(
                    "kind {}: {are_left_out}, because a map shows at most {MAX_OF_KIND} of a kind; \
                     {kept} are shown",
                    kind.name()
                )
            });
        inside.into_iter().chain(kinds)
    }
}

impl KindCount {
    /// Removes and returns the last region if there are more than `most` markers, or if a region
    /// before it was left out.
    fn last_beyond(&mut self, most: usize) -> Option<RegionKey> {
        let last = *self.regions.last_key_value()?.0;
        if self.kept <= most && self.first_left_out.is_none_or(|first| last < first) {
            return None;
        }

        let count = self.regions.remove(&last)?;
        self.kept -= count;
        self.left_out += count as u64;
        self.first_left_out = Some(self.first_left_out.map_or(last, |first| first.min(last)));

        Some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_base::coord::ColumnPos;
    use pixelmap_paint::markers::Marker;

    #[test]
    fn the_first_regions_keep_their_markers() {
        let marker = |kind| Marker {
            kind,
            at: ColumnPos { x: 0, z: 0 },
            properties: "{}".into(),
        };

        let counts = [5, 6, 3, 1];
        let orders = [[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [3, 2, 1, 0]];
        for order in orders {
            let mut map = MapMarkers::default();
            for x in order {
                let mut region = RegionMarkers::default();
                region.extend(vec![marker(MarkerKind::Beds); counts[x]]);
                region.extend(vec![marker(MarkerKind::Bells)]);
                map.insert_within((0, RegionPos { x: x as i32, z: 0 }), region, 10);
            }

            let kept: Vec<usize> = map
                .regions
                .values()
                .map(|region| region.markers.len())
                .collect();
            assert_eq!(kept, [6, 1, 1, 1], "{order:?}");

            let warnings: Vec<String> = map.warnings().collect();
            assert!(
                warnings.len() == 1 && warnings[0].starts_with("kind beds: 10 markers are"),
                "{warnings:?}"
            );
        }
    }
}
