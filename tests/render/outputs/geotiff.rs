//! Tests GeoTIFF: the files have exactly the pixels of the map at each level, at the right
//! position. An independent reader in this file reads them. It follows TIFF 6.0 and GDAL's page
//! about Cloud Optimized GeoTIFF. GDAL also reads them if it is installed.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::map::{CLEAR, Map, NATIVE, Place, Rgba, SIDE, Tile, on, pixels, render};
use crate::missing;
use flate2::read::ZlibDecoder;

/// The note after the header.
const NOTE: &str =
    "GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\nLAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\n";

/// A file as read by a strict reader.
struct GeoTiff {
    bytes: Vec<u8>,
    /// Its directories in their order: the numbers of each tag, or the bytes of a text.
    directories: Vec<BTreeMap<u16, Vec<f64>>>,
}

/// A tile of a level, and its stored bytes.
struct Stored<'a> {
    tile: Tile,
    bytes: &'a [u8],
}

impl GeoTiff {
    fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        assert_eq!(&bytes[..4], b"II\x2a\0");
        assert!(bytes[8..].starts_with(NOTE.as_bytes()));

        let long = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let short = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());

        let mut directories = Vec::new();
        let mut at = long(4);
        while at != 0 {
            let count = usize::from(short(at));
            let mut tags = BTreeMap::new();
            for entry in (0..count).map(|number| at + 2 + 12 * number) {
                let (kind, len) = (short(entry + 2), long(entry + 4));
                let size = match kind {
                    2 => 1,
                    3 => 2,
                    4 => 4,
                    12 => 8,
                    other => panic!("type {other}"),
                };

                let from = if len * size > 4 {
                    long(entry + 8)
                } else {
                    entry + 8
                };

                let value = |bytes: &[u8]| match kind {
                    12 => f64::from_le_bytes(bytes.try_into().unwrap()),
                    _ => bytes
                        .iter()
                        .rev()
                        .fold(0.0, |number, &byte| number * 256.0 + f64::from(byte)),
                };

                let before = tags.insert(
                    short(entry),
                    bytes[from..from + len * size]
                        .chunks(size)
                        .map(value)
                        .collect(),
                );
                assert!(
                    before.is_none() && tags.last_key_value().unwrap().0 == &short(entry),
                    "tags grow"
                );
            }

            at = long(at + 2 + 12 * count);
            directories.push(tags);
        }

        Self { bytes, directories }
    }

    fn tag(&self, level: usize, tag: u16) -> &[f64] {
        self.directories[level].get(&tag).map_or(&[], Vec::as_slice)
    }

    fn text(&self, tag: u16) -> String {
        let bytes: Vec<u8> = self.tag(0, tag).iter().map(|&byte| byte as u8).collect();
        String::from_utf8(bytes)
            .unwrap()
            .trim_end_matches('\0')
            .to_owned()
    }

    /// The tiles of a level, each with the position of the map's tile.
    fn stored(&self, level: usize) -> Vec<Stored<'_>> {
        let [.., x, y, _] = self.tag(0, 33_922) else {
            panic!("no place in the world")
        };

        let side = (SIDE << level) as i32;
        let (x0, y0) = (*x as i32, -*y as i32);
        assert_eq!(
            (x0 % side, y0 % side),
            (0, 0),
            "a level begins at a tile of the map"
        );

        let columns = self.tag(level, 256)[0] as usize / SIDE;
        let places = self
            .tag(level, 324)
            .iter()
            .zip(self.tag(level, 325))
            .enumerate();

        let there = places.filter(|(_, (_, len))| **len > 0.0);
        let stored = there.map(|(at, (&offset, &len))| {
            let (offset, len) = (offset as usize, len as usize);
            let bytes = &self.bytes[offset..offset + len];
            assert_eq!(
                self.bytes[offset - 4..offset],
                (len as u32).to_le_bytes(),
                "its length is before it"
            );

            assert_eq!(
                self.bytes[offset + len..offset + len + 4],
                bytes[len - 4..],
                "its last bytes follow"
            );

            let place = (
                x0 / side + (at % columns) as i32,
                y0 / side + (at / columns) as i32,
            );

            Stored {
                tile: (NATIVE - level as u8, place.0, place.1),
                bytes,
            }
        });

        stored.collect()
    }

    /// The colours of a tile.
    fn colours(bytes: &[u8]) -> Vec<Rgba> {
        let mut samples = Vec::new();
        ZlibDecoder::new(bytes).read_to_end(&mut samples).unwrap();

        let mut pixels: Vec<Rgba> = samples.as_chunks::<4>().0.to_vec();
        for row in pixels.chunks_mut(SIDE) {
            for at in 1..SIDE {
                row[at] = std::array::from_fn(|channel| {
                    row[at][channel].wrapping_add(row[at - 1][channel])
                });
            }
        }

        pixels
    }

    /// The heights of a tile.
    fn heights(bytes: &[u8]) -> Vec<i16> {
        let mut samples = Vec::new();
        ZlibDecoder::new(bytes).read_to_end(&mut samples).unwrap();
        let mut heights: Vec<i16> = samples
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| i16::from_le_bytes(bytes))
            .collect();

        for row in heights.chunks_mut(SIDE) {
            for at in 1..SIDE {
                row[at] = row[at].wrapping_add(row[at - 1]);
            }
        }

        heights
    }
}

/// A world of 5 by 3 regions, some of them north-west of the origin.
fn wide() -> Place {
    Place::of_demo(15)
}

fn export(place: &Place, map: &str, name: &str, options: &[&str], code: i32) -> PathBuf {
    let out = place.at(name);
    let all = [&["-o", out.to_str().unwrap()], options].concat();
    on("export", &place.at(map), &all).expect(code, &format!("{name} {options:?}"));
    out
}

/// The numbers of a tile of `height16`, as heights.
fn heights(path: &Path) -> Vec<i16> {
    let numbers = image::open(path).unwrap().into_luma16();
    numbers
        .pixels()
        .map(|pixel| {
            if pixel[0] == 0 {
                i16::MIN
            } else {
                pixel[0] as i16 - 2048
            }
        })
        .collect()
}

/// Fails unless the levels of a file have exactly the tiles of the map at their zoom levels.
fn assert_tiles(
    what: &str,
    file: &GeoTiff,
    map: &Map,
    layer: &str,
    is_same: impl Fn(&[u8], &Path) -> bool,
) {
    let tiles = map.tiles_of("overworld", layer);
    let mut last = 0;
    for level in (0..file.directories.len()).rev() {
        let stored = file.stored(level);
        let expected: Vec<&Tile> = tiles
            .keys()
            .filter(|tile| usize::from(NATIVE - tile.0) == level)
            .collect();
        assert_eq!(
            stored.len(),
            expected.len(),
            "{what}: tiles of level {level}"
        );

        for Stored { tile, bytes } in stored {
            let at = bytes.as_ptr() as usize - file.bytes.as_ptr() as usize;
            assert!(
                at > last,
                "{what}: outer levels first, and rows from north to south"
            );
            last = at;
            assert!(is_same(bytes, &tiles[&tile]), "{what}: {tile:?}");
        }
    }
}

#[test]
fn every_level_has_the_pixels_of_the_map() {
    let place = wide();
    let map = place.draw("map", &["-l", "day", "-l", "height16", "-l", "terrain"]);
    let day = GeoTiff::read(&export(&place, "map", "day.tif", &["-t", "1"], 0));
    assert_tiles("day", &day, &map, "day", |bytes, path| {
        GeoTiff::colours(bytes) == pixels(path)
    });
    assert!(day.directories.len() > 1, "there are levels further out");
    assert_eq!(
        [258, 277, 338, 339].map(|tag| day.tag(0, tag).to_vec()),
        [vec![8.0; 4], vec![4.0], vec![2.0], vec![1.0; 4]]
    );
    export(&place, "map", "more.tif", &["-t", "3"], 0);
    assert!(
        fs::read(place.at("more.tif")).unwrap() == day.bytes,
        "threads do not change the bytes"
    );

    let numbers = GeoTiff::read(&export(
        &place,
        "map",
        "heights.tiff",
        &["-l", "height16"],
        0,
    ));
    assert_tiles("height16", &numbers, &map, "height16", |bytes, path| {
        GeoTiff::heights(bytes) == heights(path)
    });
    assert_eq!(numbers.text(42_113), "-32768");
    let terrain = GeoTiff::read(&export(&place, "map", "terrain.tif", &["-l", "terrain"], 0));
    let [one, other] = [&terrain, &numbers].map(|file| GeoTiff::heights(file.stored(0)[0].bytes));
    assert!(
        one == other,
        "a layer of heights has those of the layer of numbers"
    );
}

#[test]
fn tiles_of_webp_are_copied() {
    let place = wide();
    let map = place.draw("map", &["--format", "webp", "-l", "day", "-l", "height16"]);
    let file = GeoTiff::read(&export(&place, "map", "a.tif", &[], 0));
    assert_eq!(file.tag(0, 259), [50_001.0]);
    assert_tiles("day", &file, &map, "day", |bytes, path| {
        bytes == fs::read(path).unwrap()
    });
    let numbers = GeoTiff::read(&export(&place, "map", "b.tif", &["-l", "height16"], 0));
    assert_eq!(numbers.tag(0, 259), [8.0], "numbers are no WebP");
}

#[test]
fn an_area_includes_touched_regions() {
    let place = wide();
    place.draw("map", &[]);
    let file = GeoTiff::read(&export(&place, "map", "a.tif", &["-a", "10,10,12,700"], 0));
    let tiles: Vec<Tile> = file
        .stored(0)
        .into_iter()
        .map(|stored| stored.tile)
        .collect();

    assert_eq!(
        tiles,
        [
            (NATIVE, 0, 0),
            (NATIVE, 1, 0),
            (NATIVE, 0, 1),
            (NATIVE, 1, 1)
        ],
        "levels share their sides"
    );

    export(&place, "map", "none.tif", &["-a", "100000,0,100100,50"], 2);
    assert!(!place.at("none.tif").exists());
    export(&place, "map", "scaled.tif", &["--scale", "2"], 2);
    let refused = render(&place.world(), &place.at("b.tif"), &[]).expect(2, "render");
    assert!(refused.err.contains("pixelmap export"), "{}", refused.err);
}

#[test]
fn gdal_reads_place_and_value_of_pixels() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gdal/bin/python3");
    if !python.is_file() {
        return missing::report(
            "gdal",
            "GeoTIFF read by GDAL: target/gdal has no rasterio and rio-cogeo, see CONTRIBUTING.md",
        );
    }

    let place = wide();
    let map = place.draw("map", &["-l", "day", "-l", "height16"]);
    place.draw("webp", &["--format", "webp"]);
    export(&place, "map", "png.tif", &[], 0);
    export(&place, "webp", "webp.tif", &[], 0);
    export(&place, "map", "heights.tif", &["-l", "height16"], 0);

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/render/outputs/gdal.py");
    let columns = map.columns();
    let drawn = (0..SIDE as i32)
        .map(|at| (700 + at, 600))
        .find(|&(x, z)| columns.at(x, z) != CLEAR)
        .unwrap();

    let places = [(-511, -300), (0, 0), drawn, (100_000, 0)];
    let wanted = places.map(|(x, z)| format!("{x},{z}"));
    let output = Command::new(python)
        .arg(script)
        .arg(place.at(""))
        .args(wanted)
        .output()
        .unwrap();

    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");

    let numbers = map.tiles_of("overworld", "height16");
    let expected = places.map(|(x, z)| {
        let [r, g, b, a] = columns.at(x, z);
        let side = SIDE as i32;
        let tile = numbers.get(&(NATIVE, x.div_euclid(side), z.div_euclid(side)));
        let at = (z.rem_euclid(side) * side + x.rem_euclid(side)) as usize;
        let height = tile.map_or(i16::MIN, |path| heights(path)[at]);
        format!("{r} {g} {b} {a} {height}\n")
    });
    assert_eq!(out, expected.concat());
}
