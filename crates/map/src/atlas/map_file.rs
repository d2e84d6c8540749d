//! `map.json` and `map.js`: the facts of a map, for the viewer and for other programs. `map.js`
//! contains the same facts as a script, because a page that is opened from disk may not read other
//! files. The folder of pictures of regions uses the same facts in `regions.json`.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::content::Content;
use super::manifest::Manifest;
use super::markers::{IconFile, MarkerFile, OwnMarkers};
use super::named_maps::WorldLink;
use super::naming::{Format, Naming, Scheme};
use crate::page::PageTexts;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, TILE_SIDE, TilePos};
use pixelmap_base::disk::if_there;
use pixelmap_base::hash::content_version;
use pixelmap_base::json;
use pixelmap_base::own_folder::OwnFolder;

/// The version of the files in an output folder. Raised when older programs could not continue with
/// newer files.
pub const FORMAT: u32 = 1;

/// The maximum number of runs of tiles that the facts list for a layer. If a layer has more, its
/// tiles are not listed, and the page requests tiles that may not exist.
const MAX_RUNS: usize = 200_000;

/// The facts of a map: the content of `map.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MapFile {
    /// [`FORMAT`].
    pub format: u32,
    pub version: String,
    pub name: String,
    /// Pixels along one side of a tile.
    pub tile_size: u32,
    /// The zoom level at which one pixel is one block.
    pub native_zoom: u8,
    /// The scheme of all layers, if they share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    pub dimensions: Vec<DimensionFacts>,
    /// The files of the owner's own markers.
    #[serde(default)]
    pub markers: Vec<OwnMarkers>,
    /// The owner's icons that markers name, sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<IconFile>,
    /// The texts that a link to the page shows, as the last run was asked to set them.
    #[serde(default, skip_serializing_if = "PageTexts::is_empty")]
    pub page: PageTexts,
    /// The name of the picture that links to the map show, if one was made: [`PageTexts::PREVIEW`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// `true` if the map has a folder with its earlier moments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub history: bool,
    /// The named maps that the page offers, in their order; empty if the map is the only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worlds: Vec<WorldLink>,
}

/// The block at which players start.
pub type SpawnBlock = [i32; 3];

/// One dimension of a map.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DimensionFacts {
    pub id: String,
    /// Its folder in the map.
    pub path: String,
    /// The name that people see.
    pub name: String,
    /// The block at which players start, if it is in this dimension.
    pub spawn: Option<SpawnBlock>,
    pub layers: Vec<LayerFacts>,
    /// The layer with its details: block, height and biome of each column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<LayerFacts>,
    /// The files of its markers, one per kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<MarkerFile>,
}

/// One layer of a dimension.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LayerFacts {
    pub id: String,
    /// Its folder in the map.
    pub path: String,
    /// The way its tiles are counted. Maps of the first version do not contain it, because there
    /// was only one scheme.
    #[serde(default)]
    pub scheme: Scheme,
    pub format: Format,
    /// The version of the look with which it was drawn.
    pub look: u32,
    pub min_zoom: u8,
    pub max_zoom: u8,
    /// The columns that its tiles show, rounded to chunks; `None` for a layer without tiles.
    pub bounds: Option<Bounds>,
    /// The columns to show first, if not all of them: the heaviest group of regions and the other
    /// groups that are worth the space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Bounds>,
    /// XXH3-64 of its manifest in scheme `signed`, as 16 hex digits. Addresses of tiles contain it,
    /// so that browsers load them again after any tile has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The lowest and the highest y that it shows, if not all heights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<[i32; 2]>,
    /// `true` if it is meant to be drawn on top of another layer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overlay: bool,
    /// The meaning of its pixels, if they are numbers for programs rather than colours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Numbers>,
    /// The encoding of its pixels, if they are heights for programs rather than colours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// The meaning of its colours; empty if they explain themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legend: Vec<LegendPart>,
    /// The tiles of each zoom level as rows: y and the inclusive ranges of x, counted in scheme
    /// signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiles: Option<BTreeMap<String, Vec<TileRow>>>,
    /// The zoom levels whose rows are in separate files next to the tiles, with the numbers of
    /// these files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Vec<i32>>,
}

/// Colours of a layer that belong together, with their meanings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegendPart {
    /// The quantity that the texts describe, with its unit.
    pub title: String,
    /// `true` for a scale: a value between two texts has a colour between their colours.
    pub scale: bool,
    /// Colours as `#rrggbb` and their texts, from the top down.
    pub entries: Vec<(String, String)>,
    /// The same colours on the tiles of zoom levels further out, which round them. Absent if no
    /// colour differs there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outer: Vec<String>,
    /// `true` if the layer has more entries than are listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The encoding of heights in a layer's pixels, named as in TileJSON and its readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// The height in blocks is red · 256 + green + blue / 256 − 32768. An odd blue marks a pixel
    /// without a height.
    Terrarium,
}

/// The meaning of the numbers in a layer's pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// The number of bits of each number.
    pub bits: u32,
    /// The number that means that nothing is there.
    pub nothing: u32,
    /// Added to any other number, gives the height in blocks.
    pub offset: i32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileRow(i32, Vec<[i32; 2]>);

impl TileRow {
    pub(super) const fn y(&self) -> i32 {
        self.0
    }

    /// Returns the number of its ranges of x.
    pub(super) const fn runs(&self) -> usize {
        self.1.len()
    }
}

/// A half-open rectangle of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    pub(super) x0: i32,
    pub(super) z0: i32,
    pub(super) x1: i32,
    pub(super) z1: i32,
}

impl From<Area> for Bounds {
    fn from(Area { x0, z0, x1, z1 }: Area) -> Self {
        Self { x0, z0, x1, z1 }
    }
}

impl From<Bounds> for Area {
    fn from(Bounds { x0, z0, x1, z1 }: Bounds) -> Self {
        Self { x0, z0, x1, z1 }
    }
}

impl MapFile {
    /// The name of the facts in the output folder.
    pub const FILE: &'static str = Content::Map.facts();
    /// The name of the script in the output folder.
    pub const SCRIPT: &'static str = "map.js";
    /// The name of the file in which open pages notice a newer map. It contains an object with the
    /// hash of the script.
    pub const VERSION: &'static str = "version.json";
    /// The name of the script with the markers of all files, for pages that are opened from disk
    /// and may not read other files.
    pub const MARKERS_SCRIPT: &'static str = "markers.js";

    /// Returns a map of a world called `name` that does not show anything yet.
    pub fn new(name: String) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name,
            tile_size: TILE_SIDE as u32,
            native_zoom: NATIVE_ZOOM,
            scheme: None,
            dimensions: Vec::new(),
            markers: Vec::new(),
            icons: Vec::new(),
            page: PageTexts::default(),
            preview: None,
            history: false,
            worlds: Vec::new(),
        }
    }

    /// Reads the facts of a folder with this content. Returns `None` if pixelmap did not write
    /// them.
    ///
    /// # Errors
    /// Fails if the facts exist but cannot be read.
    pub fn read(folder: &OwnFolder, content: Content) -> io::Result<Option<Self>> {
        let bytes = if_there(folder.place(content.facts())?.read())?;
        Ok(bytes.and_then(|bytes| Self::parse(&bytes)))
    }

    /// Reads the facts of a folder and derives the kind of its content from them. Returns `None` if
    /// the folder does not contain facts.
    ///
    /// # Errors
    /// Fails if the facts exist but cannot be read.
    pub(crate) fn read_any(folder: &OwnFolder) -> io::Result<Option<(Content, Self)>> {
        if let Some(map) = Self::read(folder, Content::Map)? {
            return Ok(Some((Content::Map, map)));
        }
        let Some(regions) = Self::read(folder, Content::Regions)? else {
            return Ok(None);
        };

        let is_flat = regions.layers().any(|layer| layer.path.is_empty());
        Ok(Some((
            if is_flat {
                Content::Regions
            } else {
                Content::RegionsByLayer
            },
            regions,
        )))
    }

    /// Returns the paths of the files with the world's markers.
    pub fn marker_files(&self) -> impl Iterator<Item = &str> {
        self.dimensions
            .iter()
            .flat_map(|dimension| &dimension.markers)
            .map(|markers| markers.file.as_str())
    }

    /// Returns the paths of all files of markers that a run writes or may have written.
    pub fn all_marker_files(&self) -> impl Iterator<Item = &str> {
        let own = self.markers.iter().map(|own| own.file.as_str());
        let files: Vec<&str> = self.marker_files().chain(own).collect();
        let script = (!files.is_empty()).then_some(Self::MARKERS_SCRIPT);
        files.into_iter().chain(script)
    }

    /// Returns the paths of the owner's icons.
    pub fn icon_files(&self) -> impl Iterator<Item = &str> {
        self.icons.iter().map(|icon| icon.file.as_str())
    }

    /// Parses the text of facts. Returns `None` if pixelmap did not write it.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let map: Self = serde_json::from_slice(text).ok()?;
        Some(map).filter(Self::is_sound)
    }

    /// Returns whether the facts have this format. Rejects a layer that starts further in than the
    /// native zoom level: such levels are never searched for tiles, because each level has four
    /// times as many tiles as the one before.
    pub(super) fn is_sound(&self) -> bool {
        self.format == FORMAT
            && self
                .with_details()
                .all(|layer| layer.min_zoom <= NATIVE_ZOOM)
    }

    /// Returns all layers, each with its dimension.
    pub fn dimension_layers(&self) -> impl Iterator<Item = (&DimensionFacts, &LayerFacts)> {
        let dimensions = self.dimensions.iter();
        dimensions
            .flat_map(|dimension| dimension.layers.iter().map(move |layer| (dimension, layer)))
    }

    /// Returns whether it has a layer of heights, from which a page can show terrain.
    pub fn has_hills(&self) -> bool {
        self.layers()
            .any(|layer| layer.encoding.is_some() && layer.bounds.is_some())
    }

    pub fn layers(&self) -> impl Iterator<Item = &LayerFacts> {
        self.dimensions
            .iter()
            .flat_map(|dimension| &dimension.layers)
    }

    /// Returns the layers and details of all dimensions: everything that has tiles and a manifest.
    pub fn with_details(&self) -> impl Iterator<Item = &LayerFacts> {
        self.dimensions
            .iter()
            .flat_map(DimensionFacts::with_details)
    }

    /// Adds the dimensions that the map does not have yet. If it has a dimension, only the missing
    /// layers, markers and details are added to it.
    pub fn add(&mut self, dimensions: Vec<DimensionFacts>) {
        for dimension in dimensions {
            match self
                .dimensions
                .iter_mut()
                .find(|new| new.id == dimension.id)
            {
                None => self.dimensions.push(dimension),
                Some(new) => {
                    if new.markers.is_empty() {
                        new.markers = dimension.markers;
                    }

                    new.details = new.details.take().or(dimension.details);

                    for layer in dimension.layers {
                        if !new.layers.iter().any(|drawn| drawn.id == layer.id) {
                            new.layers.push(layer);
                        }
                    }
                }
            }
        }
    }

    /// Keeps the dimensions and layers of an earlier map that this map does not draw again, and the
    /// earlier preview if no new one was made. The earlier markers of a dimension that is drawn
    /// again are dropped.
    pub fn keep(&mut self, mut earlier: Self) {
        for dimension in &mut earlier.dimensions {
            if self.dimensions.iter().any(|new| new.id == dimension.id) {
                dimension.markers.clear();
            }
        }
        self.add(earlier.dimensions);
        self.preview = self.preview.take().or(earlier.preview);
    }

    /// Sorts dimensions and layers, and sets the scheme that all layers share. The order depends
    /// neither on the order of the options nor on earlier runs; `rank_of` returns the rank of a
    /// layer's id.
    pub fn sort(&mut self, rank_of: impl Fn(&str) -> usize) {
        self.dimensions
            .sort_by_cached_key(|dimension| (rank(&dimension.id), dimension.id.clone()));

        for dimension in &mut self.dimensions {
            dimension.layers.sort_by(|a, b| {
                rank_of(&a.id)
                    .cmp(&rank_of(&b.id))
                    .then_with(|| a.id.cmp(&b.id))
            });
        }

        let scheme = self.layers().map(|layer| layer.scheme).next();
        self.scheme = scheme.filter(|scheme| self.layers().all(|layer| layer.scheme == *scheme));
    }

    /// Returns the text of [`Self::FILE`].
    pub fn json(&self) -> String {
        // JSON can represent every value of these types, so this cannot fail.
        json::text(self).unwrap_or_default() + "\n"
    }

    /// Returns the text of [`Self::SCRIPT`].
    pub fn script(&self) -> String {
        script_text(&self.json())
    }

    /// Returns the text of [`Self::VERSION`] for this script.
    pub fn version(script: &str) -> String {
        format!(
            "{{\"map\":\"{}\"}}\n",
            content_version(|out| out.write_all(script.as_bytes()))
        )
    }
}

impl LegendPart {
    /// Keeps only some of the entries. They are given as `(colour, text)`.
    pub fn retain(&mut self, is_kept: impl Fn(&(String, String)) -> bool) {
        let entries = std::mem::take(&mut self.entries);
        let mut outer = std::mem::take(&mut self.outer).into_iter();
        for entry in entries {
            let outer = outer.next();
            if is_kept(&entry) {
                self.entries.push(entry);
                self.outer.extend(outer);
            }
        }

        let mut pairs = self.entries.iter().zip(&self.outer);
        if pairs.all(|((colour, _), outer)| colour == outer) {
            self.outer.clear();
        }
    }
}

/// Returns the order of a dimension: the game's own three come first.
fn rank(id: &str) -> (bool, bool, bool) {
    (id != "overworld", id != "the_nether", id != "the_end")
}

impl DimensionFacts {
    /// Returns its layers and its details.
    pub fn with_details(&self) -> impl Iterator<Item = &LayerFacts> {
        self.layers.iter().chain(&self.details)
    }
}

impl LayerFacts {
    pub const fn naming(&self) -> Naming {
        Naming {
            scheme: self.scheme,
            format: self.format,
        }
    }

    /// Returns the facts of a layer with the tiles of `manifest`.
    pub fn new(
        id: &str,
        path: String,
        naming: Naming,
        look: u32,
        min_zoom: u8,
        manifest: &Manifest,
    ) -> Self {
        let native = manifest
            .tiles
            .keys()
            .filter(|tile| tile.zoom == NATIVE_ZOOM);

        let around = native.map(|tile| tile.area()).reduce(Area::union);
        let bounds = around.map(Bounds::from);
        let tiles = rows(manifest);
        Self {
            id: id.to_owned(),
            path,
            scheme: naming.scheme,
            format: naming.format,
            look,
            min_zoom,
            max_zoom: manifest
                .tiles
                .keys()
                .next_back()
                .map_or(NATIVE_ZOOM, |tile| tile.zoom.max(NATIVE_ZOOM)),
            bounds,
            focus: None,
            version: Some(content_version(|out| manifest.write(Scheme::Signed, out))),
            heights: None,
            overlay: false,
            numbers: None,
            encoding: None,
            legend: Vec::new(),
            tiles,
            lists: BTreeMap::new(),
        }
    }
}

/// Returns the text of `map.js` for the text of `map.json`.
pub(super) fn script_text(json: &str) -> String {
    // A name that contains "</script>" must not end the page's script early. U+2028 and U+2029 end
    // a line in scripts of older browsers.
    let json = json
        .replace("</", "<\\/")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    format!("var PIXELMAP = {};\n", json.trim_end())
}

fn rows(manifest: &Manifest) -> Option<BTreeMap<String, Vec<TileRow>>> {
    let mut tiles: Vec<TilePos> = manifest.tiles.keys().copied().collect();
    tiles.sort_unstable_by_key(|tile| (tile.zoom, tile.y, tile.x));

    let mut levels: BTreeMap<String, Vec<TileRow>> = BTreeMap::new();
    let mut runs = 0;
    for TilePos { zoom, x, y } in tiles {
        let rows = levels.entry(zoom.to_string()).or_default();
        match rows.last_mut() {
            Some(TileRow(row, ranges)) if *row == y => match ranges.last_mut() {
                Some(range) if range[1] + 1 == x => {
                    range[1] = x;
                    continue;
                }
                _ => ranges.push([x, x]),
            },
            _ => rows.push(TileRow(y, vec![[x, x]])),
        }

        runs += 1;

        if runs > MAX_RUNS {
            return None;
        }
    }

    Some(levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::manifest::TileRecord;

    fn manifest(tiles: &[(u8, i32, i32)]) -> Manifest {
        let record = TileRecord {
            bytes: 1,
            file: 2,
            pixels: 3,
        };
        Manifest {
            tiles: tiles
                .iter()
                .map(|&(zoom, x, y)| (TilePos { zoom, x, y }, record))
                .collect(),
        }
    }

    fn dimension(id: &str, layers: Vec<LayerFacts>) -> DimensionFacts {
        let [id, path, name] = [id; 3].map(str::to_owned);
        DimensionFacts {
            id,
            path,
            name,
            spawn: None,
            markers: Vec::new(),
            details: None,
            layers,
        }
    }

    #[test]
    fn tiles_are_listed_as_runs() {
        let layer = LayerFacts::new(
            "day",
            "overworld/day".to_owned(),
            Naming::default(),
            1,
            16,
            &manifest(&[(17, -1, 2), (17, 0, 2), (17, 3, 2), (17, 0, 1), (16, 0, 1)]),
        );

        let tiles = layer.tiles.unwrap();
        assert_eq!(
            tiles["17"],
            [TileRow(1, vec![[0, 0]]), TileRow(2, vec![[-1, 0], [3, 3]])]
        );
        assert_eq!(tiles["16"], [TileRow(1, vec![[0, 0]])]);

        let bounds = layer.bounds.unwrap();
        assert_eq!(
            (bounds.x0, bounds.z0, bounds.x1, bounds.z1),
            (-512, 512, 2048, 1536)
        );
    }

    #[test]
    fn long_lists_of_tiles_are_left_out() {
        let scattered =
            |runs: usize| -> Vec<_> { (0..runs as i32).map(|x| (17, 2 * x, 0)).collect() };

        let tiles = |runs| {
            let tiles = manifest(&scattered(runs));
            LayerFacts::new(
                "day",
                "overworld/day".to_owned(),
                Naming::default(),
                1,
                17,
                &tiles,
            )
            .tiles
        };

        assert!(tiles(MAX_RUNS).is_some() && tiles(MAX_RUNS + 1).is_none());
    }

    #[test]
    fn unchanged_tiles_keep_their_records() {
        let named = |scheme| Naming {
            scheme,
            ..Naming::default()
        };

        let layer = |id: &str, scheme| {
            LayerFacts::new(
                id,
                format!("{id} tiles"),
                named(scheme),
                1,
                17,
                &Manifest::default(),
            )
        };

        let dimension = |id: &str, layers: &[&str], scheme| {
            dimension(id, layers.iter().map(|id| layer(id, scheme)).collect())
        };

        let mut earlier = MapFile::new("w".to_owned());
        earlier.dimensions = vec![
            dimension("the_end", &["day"], Scheme::Signed),
            dimension("overworld", &["day", "night"], Scheme::Signed),
        ];

        let mut map = MapFile::new("w".to_owned());
        map.dimensions = vec![dimension("overworld", &["day"], Scheme::Tms)];
        map.sort(|_| 0);
        assert_eq!(map.scheme, Some(Scheme::Tms));
        map.keep(earlier);
        map.sort(|id| usize::from(id != "night"));
        assert_eq!(map.scheme, None);

        let shown: Vec<String> = map
            .dimensions
            .iter()
            .flat_map(|dimension| {
                dimension
                    .layers
                    .iter()
                    .map(move |layer| format!("{}/{}", dimension.id, layer.id))
            })
            .collect();
        assert_eq!(shown, ["overworld/night", "overworld/day", "the_end/day"]);
    }

    #[test]
    fn dimensions_are_sorted_as_players_know_them() {
        let mut map = MapFile::new("w".to_owned());
        let ids = ["b:other", "the_end", "a:other", "the_nether", "overworld"];
        map.dimensions = ids.map(|id| dimension(id, Vec::new())).into();
        map.sort(|_| 0);

        let sorted: Vec<&str> = map
            .dimensions
            .iter()
            .map(|dimension| dimension.id.as_str())
            .collect();
        assert_eq!(
            sorted,
            ["overworld", "the_nether", "the_end", "a:other", "b:other"]
        );

        assert!(
            !map.json().contains(r#""page""#),
            "a page without texts is left out"
        );
    }

    #[test]
    fn a_name_cannot_end_the_script() {
        let map = MapFile::new("</script><script>alert(1)//\u{2028}".to_owned());
        assert!(!map.script().contains("</"));
        assert!(!map.script().contains('\u{2028}'));
        assert_eq!(
            MapFile::parse(map.json().as_bytes()).unwrap().name,
            map.name
        );
    }

    #[test]
    fn facts_of_unknown_formats_or_levels_are_refused() {
        let layer = LayerFacts::new(
            "day",
            String::new(),
            Naming::default(),
            1,
            17,
            &Manifest::default(),
        );

        let mut map = MapFile::new("w".to_owned());
        map.dimensions = vec![dimension("overworld", vec![layer])];
        let text = map.json();
        assert!(MapFile::parse(text.as_bytes()).is_some());

        for (sound, other) in [
            ("\"min_zoom\":17", "\"min_zoom\":200"),
            ("\"format\":1", "\"format\":2"),
        ] {
            assert!(
                text.contains(sound)
                    && MapFile::parse(text.replace(sound, other).as_bytes()).is_none(),
                "{other}"
            );
        }
    }
}
