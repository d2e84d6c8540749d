//! Moves long lists of tiles from `map.json` to separate files in the layer's folder, so that
//! `map.json` stays short. The page loads only the lists that cover the area it shows.
//!
//! A list contains the rows of one zoom level with the same y / 256, rounded down. It is a script,
//! because a page that is opened from disk may not read other files: `pixelmapTiles([...]);` with
//! rows in the form of `map.json`.

use std::collections::BTreeMap;

use super::map_file::{LayerFacts, TileRow};
use super::naming::in_folder;
use pixelmap_base::json;

/// The maximum number of runs of tiles that `map.json` lists for one zoom level.
const MAX_RUNS: usize = 1_000;
/// The number of rows per list, as a power of two.
const ROWS: i32 = 8;

impl LayerFacts {
    /// Moves the rows of zoom levels with many runs to lists. Returns the paths and texts of the
    /// lists.
    pub fn take_lists(&mut self) -> Vec<(String, String)> {
        let mut texts = Vec::new();
        let Some(levels) = &mut self.tiles else {
            return texts;
        };

        for (zoom, rows) in levels.extract_if(.., |_, rows| {
            rows.iter().map(TileRow::runs).sum::<usize>() > MAX_RUNS
        }) {
            let mut lists: BTreeMap<i32, Vec<TileRow>> = BTreeMap::new();
            for row in rows {
                lists.entry(row.y() >> ROWS).or_default().push(row);
            }

            for (&number, rows) in &lists {
                // JSON can represent every row, so this cannot fail.
                let text = format!("pixelmapTiles({});\n", json::text(rows).unwrap_or_default());
                texts.push((list_path(&self.path, &zoom, number), text));
            }

            self.lists.insert(zoom, lists.into_keys().collect());
        }

        texts
    }

    pub fn list_paths(&self) -> impl Iterator<Item = String> {
        self.lists.iter().flat_map(|(zoom, numbers)| {
            numbers
                .iter()
                .map(|&number| list_path(&self.path, zoom, number))
        })
    }
}

fn list_path(folder: &str, zoom: &str, number: i32) -> String {
    in_folder(folder, &format!("tiles-{zoom}_{number}.js"))
}

/// Returns whether a file of this name in a layer's folder may be a list.
pub(super) fn is_list_name(name: &str) -> bool {
    name.strip_suffix(".js")
        .is_some_and(|name| name.starts_with("tiles-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::manifest::{Manifest, TileRecord};
    use crate::atlas::naming::Naming;
    use pixelmap_base::coord::TilePos;

    #[test]
    fn many_rows_go_to_lists_few_to_facts() {
        let scattered = |y: i32| {
            (0..4).map(move |x| TilePos {
                zoom: 17,
                x: 2 * x,
                y,
            })
        };

        let few = TilePos {
            zoom: 16,
            x: 1,
            y: 0,
        };
        let tiles = (-300..300).flat_map(scattered).chain([few]);

        let record = TileRecord {
            bytes: 1,
            file: 2,
            pixels: 3,
        };

        let manifest = Manifest {
            tiles: tiles.map(|tile| (tile, record)).collect(),
        };

        let mut layer = LayerFacts::new(
            "day",
            "o/day".to_owned(),
            Naming::default(),
            1,
            16,
            &manifest,
        );
        let all = layer.tiles.clone().unwrap();

        let lists = layer.take_lists();
        let paths: Vec<&str> = lists.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(
            paths,
            ["-2", "-1", "0", "1"].map(|number| format!("o/day/tiles-17_{number}.js"))
        );

        assert_eq!(layer.list_paths().collect::<Vec<_>>(), paths);
        assert!(
            paths
                .iter()
                .all(|path| is_list_name(path.rsplit('/').next().unwrap()))
        );

        assert_eq!(
            layer.tiles.as_ref().unwrap().keys().collect::<Vec<_>>(),
            ["16"]
        );

        let rows = lists.iter().flat_map(|(_, text)| {
            let text = text
                .strip_prefix("pixelmapTiles(")
                .and_then(|text| text.strip_suffix(");\n"))
                .unwrap();
            serde_json::from_str::<Vec<TileRow>>(text).unwrap()
        });
        assert_eq!(rows.collect::<Vec<_>>(), all["17"]);

        // The remaining zoom level has few tiles and needs no list.
        assert!(layer.take_lists().is_empty());
    }
}
