//! Writes everything in front of the tiles: the header, the note that describes the layout of the
//! file to GDAL, and one directory per level, all little-endian (TIFF 6.0; `BigTIFF` for offsets of
//! 8 bytes; GeoTIFF 1.1 for the position in the world).

use super::levels::{GeoTiffPlan, ImageLevel};
use super::pixels::{NO_HEIGHT, TileForm};
use pixelmap_base::coord::TILE_SIDE;

/// The note that GDAL's driver writes after the header of such files, and relies on when it reads
/// them.
const NOTE: &str = "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n\
                    BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n ";
/// Numbers of the compressions: zlib, and WebP as GDAL numbers it.
const ZLIB: u16 = 8;
const WEBP: u16 = 50_001;
/// The model "user-defined" of GeoTIFF, because the coordinates do not refer to the earth.
const NO_MODEL: u16 = 32_767;
const COORDINATES: &str =
    "Minecraft blocks: x to the east, y to the north (the negative z of the game)|";

/// The width of offsets in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// 4 bytes.
    Classic,
    /// 8 bytes.
    Big,
}

/// The position of a tile in the file. A length of 0 means that the file does not have the tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StoredTile {
    pub(super) offset: u64,
    pub(super) len: u32,
}

/// Everything in front of the tiles.
pub(super) struct Head<'a> {
    pub(super) form: TileForm,
    pub(super) width: Width,
    pub(super) plan: &'a GeoTiffPlan,
}

enum Value {
    Shorts(Vec<u16>),
    Longs(Vec<u32>),
    Offsets(Vec<u64>),
    Doubles(Vec<f64>),
    Text(String),
}

impl Value {
    fn short(value: u16) -> Self {
        Self::Shorts(vec![value])
    }
}

impl Head<'_> {
    /// Returns its bytes. Their number does not depend on `stored`.
    pub(super) fn bytes(&self, stored: &[Vec<StoredTile>]) -> Vec<u8> {
        let mut bytes = match self.width {
            Width::Classic => b"II\x2a\0".to_vec(),
            Width::Big => b"II\x2b\0\x08\0\0\0".to_vec(),
        };

        let note = format!(
            "GDAL_STRUCTURAL_METADATA_SIZE={:06} bytes\n{NOTE}",
            NOTE.len()
        );
        let first = bytes.len() as u64 + self.offset_bytes() as u64 + note.len() as u64;
        self.add_offset(&mut bytes, first.next_multiple_of(2));
        bytes.extend(note.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(2), 0);

        for (number, (level, stored)) in self.plan.levels.iter().zip(stored).enumerate() {
            let is_last = number + 1 == self.plan.levels.len();
            self.add_directory(&mut bytes, &self.tags(number, level, stored), is_last);
        }

        bytes
    }

    /// Returns the tags of a level, sorted by their numbers.
    fn tags(&self, number: usize, level: &ImageLevel, stored: &[StoredTile]) -> Vec<(u16, Value)> {
        let (width, height) = level.pixels();
        let is_height = self.form.is_height();
        let side = TILE_SIDE as u16;
        let bits = if is_height { vec![16] } else { vec![8; 4] };

        let is_webp = self.form == TileForm::Webp;
        let mut tags = vec![
            (254, Value::Longs(vec![u32::from(number > 0)])),
            (256, Value::Longs(vec![width as u32])),
            (257, Value::Longs(vec![height as u32])),
            (258, Value::Shorts(bits)),
            (259, Value::short(if is_webp { WEBP } else { ZLIB })),
            // Photometric interpretation: grey with 0 as black for heights, otherwise red, green
            // and blue.
            (262, Value::short(if is_height { 1 } else { 2 })),
            (277, Value::short(if is_height { 1 } else { 4 })),
            // The samples of a pixel are stored next to each other.
            (284, Value::short(1)),
        ];

        if number == 0 {
            tags.push((305, Value::Text("pixelmap".to_owned())));
        }

        if !is_webp {
            tags.push((317, Value::short(2)));
        }

        tags.push((322, Value::short(side)));
        tags.push((323, Value::short(side)));
        tags.push((
            324,
            Value::Offsets(stored.iter().map(|tile| tile.offset).collect()),
        ));

        tags.push((
            325,
            Value::Longs(stored.iter().map(|tile| tile.len).collect()),
        ));

        if is_height {
            tags.push((339, Value::short(2)));
        } else {
            // The fourth sample is alpha, and the colours are not multiplied by it.
            tags.push((338, Value::short(2)));
            tags.push((339, Value::Shorts(vec![1; 4])));
        }

        if number == 0 {
            tags.extend(self.world_position());
        }

        if is_height {
            tags.push((42_113, Value::Text(NO_HEIGHT.to_string())));
        }

        tags
    }

    /// Returns the tags for the position of the first pixel, the size of a pixel (one block), and
    /// the meaning of the coordinates.
    fn world_position(&self) -> [(u16, Value); 4] {
        let (x, z) = self.plan.corner();
        let corner = vec![0.0, 0.0, 0.0, x as f64, -z as f64, 0.0];

        // A header, then three GeoTIFF keys: the model, the rule that a pixel is an area, and a
        // text, which is in the next tag.
        let keys = vec![
            1,
            1,
            0,
            3,
            1024,
            0,
            1,
            NO_MODEL,
            1025,
            0,
            1,
            1,
            1026,
            34_737,
            COORDINATES.len() as u16,
            0,
        ];

        [
            (33_550, Value::Doubles(vec![1.0, 1.0, 0.0])),
            (33_922, Value::Doubles(corner)),
            (34_735, Value::Shorts(keys)),
            (34_737, Value::Text(COORDINATES.to_owned())),
        ]
    }

    /// Adds a directory, followed by the values that are too long for its entries.
    fn add_directory(&self, bytes: &mut Vec<u8>, tags: &[(u16, Value)], is_last: bool) {
        let (count, entry) = match self.width {
            Width::Classic => ((tags.len() as u16).to_le_bytes().to_vec(), 12),
            Width::Big => ((tags.len() as u64).to_le_bytes().to_vec(), 20),
        };

        let long_at = bytes.len() + count.len() + entry * tags.len() + self.offset_bytes();
        let mut long = Vec::new();
        bytes.extend(count);

        for (tag, value) in tags {
            let (kind, count, mut value) = self.value(value);
            bytes.extend(tag.to_le_bytes());
            bytes.extend(kind.to_le_bytes());
            self.add_offset(bytes, count);

            if value.len() > self.offset_bytes() {
                self.add_offset(bytes, (long_at + long.len()) as u64);
                value.resize(value.len().next_multiple_of(2), 0);
                long.extend(value);
            } else {
                value.resize(self.offset_bytes(), 0);
                bytes.extend(value);
            }
        }

        let end = (long_at + long.len()) as u64;
        self.add_offset(bytes, if is_last { 0 } else { end });
        bytes.extend(long);
    }

    /// Returns the number of a value's type, the number of its elements, and its bytes.
    fn value(&self, value: &Value) -> (u16, u64, Vec<u8>) {
        match value {
            Value::Text(text) => {
                let bytes = [text.as_bytes(), &[0]].concat();
                (2, bytes.len() as u64, bytes)
            }
            Value::Shorts(all) => (
                3,
                all.len() as u64,
                all.iter().flat_map(|one| one.to_le_bytes()).collect(),
            ),
            Value::Longs(all) => (
                4,
                all.len() as u64,
                all.iter().flat_map(|one| one.to_le_bytes()).collect(),
            ),
            Value::Doubles(all) => (
                12,
                all.len() as u64,
                all.iter().flat_map(|one| one.to_le_bytes()).collect(),
            ),
            Value::Offsets(all) => {
                let mut bytes = Vec::with_capacity(all.len() * self.offset_bytes());
                for &offset in all {
                    self.add_offset(&mut bytes, offset);
                }

                (
                    if self.width == Width::Big { 16 } else { 4 },
                    all.len() as u64,
                    bytes,
                )
            }
        }
    }

    const fn offset_bytes(&self) -> usize {
        match self.width {
            Width::Classic => 4,
            Width::Big => 8,
        }
    }

    fn add_offset(&self, bytes: &mut Vec<u8>, offset: u64) {
        bytes.extend(&offset.to_le_bytes()[..self.offset_bytes()]);
    }
}
