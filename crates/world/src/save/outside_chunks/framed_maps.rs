//! Reads map items that hang in item frames: their pictures, and the frames that the game recorded
//! in them.
//!
//! The game records a frame in a map item only if the frame is inside the area that the map shows,
//! and never if the map is locked. Callers find all other frames among the entities. Sources: the
//! pages "Map item format" of the Minecraft Wiki and "Java Edition 26.1"; keys `map_` of real
//! worlds of Bedrock Edition.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fastnbt::IntArray;
use serde::Deserialize;

use crate::bedrock::Database;
use crate::save::bedrock::tables::DimensionNames;
use crate::save::bedrock::values::visit_keys;
use crate::save::dat::Dat;
use crate::save::entries;
use crate::save::left_out::LeftOut;
use crate::save::stored_values::{AnyValue, FirstOf};
use crate::save::world::World;
use pixelmap_base::coord::Area;
use pixelmap_base::files::Files;

/// The folders of map items, and the prefixes of their file names: since 26.1, and before.
const FOLDERS: [(&str, &str); 2] = [("data/minecraft/maps", ""), ("data", "map_")];
/// The prefix of the keys of map items in a database.
const KEYS: &[u8] = b"map_";
/// The most map items that are read. A server of a few friends had 18,518 after two years.
const MAX_MAPS: usize = 200_000;
/// The most frames that are read from one map item.
const MAX_FRAMES: usize = 1_000;
/// The most frames that are read from all map items together.
const MAX_NOTED: usize = 1 << 17;
/// Pixels along a side of a map item.
pub const MAP_ITEM_SIDE: usize = 128;
/// Half the side in blocks of a map whose pixels are one block wide.
const HALF: i32 = MAP_ITEM_SIDE as i32 / 2;
/// The kind of a Bedrock Edition decoration that marks a block, which is an item frame.
const BLOCK: i32 = 1;

/// A map item in at least one item frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FramedMap {
    pub id: i64,
    /// The columns that it shows.
    pub area: Area,
    pub picture: MapItemPicture,
    /// The frames in any order, possibly with duplicates.
    pub frames: Vec<MapFrame>,
}

/// An item frame with a map item in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapFrame {
    /// The id of the map item.
    pub map: i64,
    pub dimension: String,
    /// `[x, y, z]`.
    pub block: [i32; 3],
}

/// The pixels of a map item, `[y][x]`, north at the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MapItemPicture {
    /// Indices into the game's map colours, four shades each.
    Indices(Vec<u8>),
    /// Red, green, blue and alpha.
    Rgba(Vec<u8>),
}

impl World {
    /// Calls `visit` with each map item in a frame. Its frames are the recorded ones and the ones
    /// in `known`, whose keys are ids of map items. Warns of map items and frames that are left
    /// out. A callback is used because pictures take up to 64 KiB each, so they should not all be
    /// in memory together.
    pub fn visit_framed_maps(
        &self,
        mut known: BTreeMap<i64, Vec<MapFrame>>,
        warnings: &mut Vec<String>,
        visit: &mut dyn FnMut(FramedMap),
    ) {
        let mut room = Room::new(MAX_NOTED);
        if let Some(database) = &self.database {
            let items = items_in_database(database, warnings);
            for (_, key) in first_by_number(items, MAX_MAPS, &mut room.items_left_out) {
                // Damage is reported with the chunks.
                let Some(value) = database.opened().value(&key).ok().flatten() else {
                    continue;
                };

                let map = bedrock_map(&value, &self.dimension_names, &mut known, &mut room);
                map.into_iter().for_each(&mut *visit);
            }
        } else if let Some(folder) = &self.level.folder {
            let items = items_in_folders(&self.files, folder, warnings);
            for (id, path) in first_by_number(items, MAX_MAPS, &mut room.items_left_out) {
                match Dat::open(&self.files, &path) {
                    Ok(dat) => {
                        let frames = known.remove(&id).unwrap_or_default();
                        java_map(&dat, id, frames, &mut room)
                            .into_iter()
                            .for_each(&mut *visit);
                    }
                    Err(error) => room
                        .unread
                        .add(1, || format!("{}: {error}", path.display())),
                }
            }
        }

        room.warn(warnings);
    }
}

/// Returns the numbers and files of the map items in a world's folder.
fn items_in_folders(
    files: &Files,
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Vec<(i64, PathBuf)> {
    let mut items = Vec::new();
    for (below, beginning) in FOLDERS {
        let maps = entries::list_or_warn(
            files,
            &folder.join(below),
            |entry| !entry.is_folder && map_number(&entry.name, beginning).is_some(),
            warnings,
        );

        for entry in maps {
            if let Some(id) = map_number(&entry.name, beginning) {
                items.push((id, entry.path));
            }
        }
    }

    items
}

/// Returns the id in the name of a map item's file.
fn map_number(name: &str, beginning: &str) -> Option<i64> {
    name.strip_prefix(beginning)?
        .strip_suffix(".dat")?
        .parse()
        .ok()
}

/// Returns the numbers and keys of the map items in a database. It returns no values, because the
/// picture of a map item has 64 KiB.
fn items_in_database(database: &Database, warnings: &mut Vec<String>) -> Vec<(i64, Vec<u8>)> {
    let mut items = Vec::new();
    visit_keys(database, KEYS, "map item", warnings, |key| {
        let number = key
            .strip_prefix(KEYS)
            .and_then(|number| str::from_utf8(number).ok())
            .and_then(|number| number.parse().ok());
        if let Some(number) = number {
            items.push((number, key.to_vec()));
        }
    });

    items
}

/// Sorts map items by their numbers, and leaves out all after the first `most`. The numbers decide,
/// because the game counts them up, so a new map item never replaces an older one on the map. If two
/// items have one number, the first counts, which is the file in the newer folder, because the game
/// moved it there.
fn first_by_number<T>(
    mut items: Vec<(i64, T)>,
    most: usize,
    left_out: &mut LeftOut,
) -> Vec<(i64, T)> {
    items.sort_by_key(|(number, _)| *number);
    items.dedup_by_key(|(number, _)| *number);

    let beyond = items.split_off(most.min(items.len()));
    if let Some((number, _)) = beyond.first() {
        left_out.add(beyond.len(), || format!("map item {number}"));
    }

    items
}

/// The recorded frames that may still be read, and the map items and frames that are left out.
#[derive(Default)]
struct Room {
    noted: usize,
    items_left_out: LeftOut,
    frames_left_out: LeftOut,
    unread: LeftOut,
}

impl Room {
    fn new(noted: usize) -> Self {
        Self {
            noted,
            ..Self::default()
        }
    }

    /// Adds recorded frames of map item `id` to its known ones, as far as there is room. `left_out`
    /// further ones were not read.
    fn add(
        &mut self,
        id: i64,
        frames: &mut Vec<MapFrame>,
        mut noted: impl Iterator<Item = MapFrame>,
        left_out: usize,
    ) {
        let known = frames.len();
        frames.extend(noted.by_ref().take(self.noted));
        self.noted -= frames.len() - known;
        self.frames_left_out
            .add(left_out + noted.count(), || format!("map item {id}"));
    }

    fn warn(&self, warnings: &mut Vec<String>) {
        let Self {
            items_left_out,
            frames_left_out,
            unread,
            ..
        } = self;
        let lowest = format!("only the {MAX_MAPS} with the lowest numbers are read");
        items_left_out.warn("map item", &lowest, warnings);
        let most = format!("only {MAX_FRAMES} of a map item and {MAX_NOTED} in all are read");
        frames_left_out.warn("recorded item frame", &most, warnings);
        unread.warn("map item", "it cannot be read", warnings);
    }
}

fn java_map(dat: &Dat, id: i64, mut frames: Vec<MapFrame>, room: &mut Room) -> Option<FramedMap> {
    let dimension = AnyValue::dimension(dat, "data/dimension");
    let noted = dat
        .get::<FirstOf<NotedFrame, MAX_FRAMES>>("data/frames")
        .unwrap_or_default();

    let blocks = noted.first.iter().filter_map(NotedFrame::block);
    let blocks = blocks.map(|block| MapFrame {
        map: id,
        dimension: dimension.clone(),
        block,
    });
    room.add(id, &mut frames, blocks, noted.left_out);

    if frames.is_empty() {
        return None;
    }

    let indices = dat.bytes("data/colors")?.to_vec();
    let [x, z] = [dat.get("data/xCenter")?, dat.get("data/zCenter")?];

    // Since 1.20.5 the game does not store values that equal the default.
    let area = shown_area([x, z], dat.get("data/scale").unwrap_or(0))?;
    let is_whole = indices.len() == MAP_ITEM_SIDE * MAP_ITEM_SIDE;
    let picture = MapItemPicture::Indices(indices);
    is_whole.then_some(FramedMap {
        id,
        area,
        picture,
        frames,
    })
}

/// A frame that is recorded in a map item.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NotedFrame {
    pos: Option<IntArray>,
    #[serde(rename = "Pos")]
    old: Option<OldPosition>,
}

/// The position of a frame in the form that was stored until 1.20.4.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct OldPosition {
    x: i32,
    y: i32,
    z: i32,
}

impl NotedFrame {
    fn block(&self) -> Option<[i32; 3]> {
        let new = self
            .pos
            .as_ref()
            .and_then(|pos| <[i32; 3]>::try_from(pos.as_ref()).ok());
        new.or_else(|| self.old.as_ref().map(|&OldPosition { x, y, z }| [x, y, z]))
    }
}

/// Returns the area that a map item with this centre shows; `None`: the scale is invalid.
fn shown_area([x, z]: [i32; 2], scale: i8) -> Option<Area> {
    let half = (0..=4).contains(&scale).then(|| HALF << scale)?;
    Some(Area {
        x0: x.saturating_sub(half),
        z0: z.saturating_sub(half),
        x1: x.saturating_add(half),
        z1: z.saturating_add(half),
    })
}

/// A mark on a map item of Bedrock Edition.
#[derive(Deserialize)]
struct Decoration {
    key: DecorationKey,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DecorationKey {
    #[serde(rename = "type")]
    kind: i32,
    #[serde(default)]
    block_x: i32,
    #[serde(default)]
    block_y: i32,
    #[serde(default)]
    block_z: i32,
}

fn bedrock_map(
    value: &[u8],
    names: &DimensionNames,
    known: &mut BTreeMap<i64, Vec<MapFrame>>,
    room: &mut Room,
) -> Option<FramedMap> {
    let dat = Dat::from_little_endian(value.to_vec()).ok()?;
    let id = dat.get("mapId")?;
    let dimension = names.id(dat.get::<i8>("dimension").unwrap_or(0).into());
    let decorations = dat
        .get::<FirstOf<Decoration, MAX_FRAMES>>("decorations")
        .unwrap_or_default();

    let noted = decorations
        .first
        .iter()
        .map(|decoration| &decoration.key)
        .filter(|key| key.kind == BLOCK);

    let mut frames = known.remove(&id).unwrap_or_default();
    let blocks = noted.map(|key| [key.block_x, key.block_y, key.block_z]);
    let blocks = blocks.map(|block| MapFrame {
        map: id,
        dimension: dimension.clone(),
        block,
    });
    room.add(id, &mut frames, blocks, decorations.left_out);

    let rgba = dat.bytes("colors")?.to_vec();
    let area = shown_area(
        [dat.get("xCenter")?, dat.get("zCenter")?],
        dat.get("scale").unwrap_or(0),
    )?;

    let is_shown = !frames.is_empty() && rgba.len() == MAP_ITEM_SIDE * MAP_ITEM_SIDE * 4;
    let picture = MapItemPicture::Rgba(rgba);
    is_shown.then_some(FramedMap {
        id,
        area,
        picture,
        frames,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(tag: u8, name: &str, payload: &[u8]) -> Vec<u8> {
        [
            &[tag][..],
            &(name.len() as u16).to_le_bytes(),
            name.as_bytes(),
            payload,
        ]
        .concat()
    }

    /// A map item with this number of recorded frames.
    fn item(frames: usize) -> Dat {
        let at = ["X", "Y", "Z"]
            .map(|along| field(3, along, &[0; 4]))
            .concat();

        let frame = [field(10, "Pos", &[at, vec![0]].concat()), vec![0]].concat();
        let frames = [
            &[10][..],
            &(frames as u32).to_le_bytes(),
            &frame.repeat(frames),
        ]
        .concat();

        let colours = [&(1_u32 << 14).to_le_bytes()[..], &[1; 1 << 14]].concat();
        let centre = ["xCenter", "zCenter"]
            .map(|name| field(3, name, &[0; 4]))
            .concat();

        let data = [
            field(9, "frames", &frames),
            field(7, "colors", &colours),
            centre,
            vec![0],
        ]
        .concat();

        Dat::from_little_endian([vec![10, 0, 0], field(10, "data", &data), vec![0]].concat())
            .unwrap()
    }

    #[test]
    fn excess_frames_of_map_items_are_counted() {
        for (counts, mut room, kept, warning) in [
            (
                vec![MAX_FRAMES + 5],
                Room::new(MAX_NOTED),
                vec![MAX_FRAMES],
                "5 recorded item frames are",
            ),
            (
                vec![20, 20, 20],
                Room::new(30),
                vec![20, 10, 0],
                "30 recorded item frames are",
            ),
        ] {
            let frames = |count| {
                java_map(&item(count), 1, Vec::new(), &mut room).map_or(0, |map| map.frames.len())
            };

            assert_eq!(counts.into_iter().map(frames).collect::<Vec<_>>(), kept);

            let mut warnings = Vec::new();
            room.warn(&mut warnings);
            assert!(
                warnings.len() == 1 && warnings[0].starts_with(warning),
                "{warnings:?}"
            );
        }
    }

    #[test]
    fn map_items_with_high_numbers_are_left_out() {
        let world = tempfile::tempdir().unwrap();
        for (below, beginning) in FOLDERS {
            std::fs::create_dir_all(world.path().join(below)).unwrap();
            for id in [10, 9, 100] {
                let name = format!("{beginning}{id}.dat");
                std::fs::write(world.path().join(below).join(name), "").unwrap();
            }
        }

        let (mut room, mut warnings) = (Room::new(MAX_NOTED), Vec::new());
        let listed = items_in_folders(&Files::Disk, world.path(), &mut warnings);
        let items = first_by_number(listed, 2, &mut room.items_left_out);
        let newer = world.path().join(FOLDERS[0].0);
        assert_eq!(
            items,
            [(9, newer.join("9.dat")), (10, newer.join("10.dat"))]
        );

        room.warn(&mut warnings);
        assert!(
            warnings.len() == 1
                && warnings[0].starts_with("1 map item is left out")
                && warnings[0].ends_with("map item 100"),
            "{warnings:?}"
        );
    }
}
