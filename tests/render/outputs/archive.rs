//! Tests archives: one `PMTiles` file with exactly the tiles of the map. An independent reader in
//! this file reads them. It follows the description of the format (github.com/protomaps/PMTiles,
//! spec/v3/spec.md).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::map::{Map, Place, Ran, Tile, fixture, land, render};
use crate::world::{ChunkSpec, Files, Generation, RegionSpec, block, many};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

/// An archive as read by a strict reader.
pub(crate) struct Archive {
    bytes: Vec<u8>,
    /// The ranges of tiles in the data, by id.
    tiles: BTreeMap<u64, (u64, u64)>,
    pub(crate) metadata: Value,
}

/// An entry of a directory: id, run, length, offset.
type Entry = [u64; 4];

/// Reads a number with seven bits per byte.
fn varint(from: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = from.split_first().unwrap();
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }

    number
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut out).unwrap();
    out
}

fn directory(bytes: &[u8]) -> Vec<Entry> {
    let bytes = unpacked(bytes);
    let mut from = &bytes[..];
    let count = varint(&mut from) as usize;
    assert!(count > 0, "a directory has entries");

    let mut column = || (0..count).map(|_| varint(&mut from)).collect::<Vec<_>>();
    let [ids, runs, lengths, offsets] = [column(), column(), column(), column()];
    assert!(from.is_empty(), "nothing follows a directory");

    let mut entries: Vec<Entry> = Vec::new();
    for at in 0..count {
        let last = entries.last().copied().unwrap_or_default();
        let offset = if offsets[at] == 0 {
            last[3] + last[2]
        } else {
            offsets[at] - 1
        };

        assert!(at > 0 || offsets[0] > 0, "nothing stands before the first");
        assert!(at == 0 || ids[at] > 0, "ids grow");
        entries.push([last[0] + ids[at], runs[at], lengths[at], offset]);
    }

    entries
}

/// The position of a tile by its id: counts the tiles of each level, then follows the curve.
fn place(id: u64) -> (u8, u64, u64) {
    let (mut zoom, mut left) = (0, id);
    while left >= 1 << (2 * zoom) {
        left -= 1 << (2 * zoom);
        zoom += 1;
    }

    let (mut x, mut y) = (0_u64, 0_u64);
    for bit in 0..zoom {
        let side = 1 << bit;
        let right = (left >> 1) & 1;
        let down = (left ^ right) & 1;
        if down == 0 {
            if right == 1 {
                (x, y) = (side - 1 - x, side - 1 - y);
            }
            (x, y) = (y, x);
        }

        x += side * right;
        y += side * down;
        left /= 4;
    }

    (zoom, x, y)
}

impl Archive {
    pub(crate) fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        assert_eq!(&bytes[..8], b"PMTiles\x03");

        let field = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let section = |at: usize| &bytes[field(at) as usize..(field(at) + field(at + 8)) as usize];
        assert_eq!(
            (field(8), field(56) + field(64)),
            (127, bytes.len() as u64),
            "from the header to the end"
        );

        assert!(
            field(8) + field(16) < 16_384,
            "the root lies within the first 16 KiB"
        );

        let (leaves, data) = (section(40), section(56));
        let (mut tiles, mut known) = (BTreeMap::new(), BTreeSet::new());

        let (mut entries, mut ends, mut last) = (0, 0, None);
        let mut add = |[id, run, len, offset]: Entry| {
            assert!(run > 0 && len > 0 && offset + len <= data.len() as u64);
            assert!(last.is_none_or(|last| last < id), "sorted, and no id twice");
            // In a clustered archive, the data of an entry either follows the earlier data or
            // repeats it.
            assert!(known.insert((offset, len)) == (offset == ends), "{id}");
            ends = ends.max(offset + len);
            last = Some(id + run - 1);
            entries += 1;
            tiles.extend((id..id + run).map(|id| (id, (offset, len))));
        };

        for [id, run, len, offset] in directory(section(8)) {
            if run > 0 {
                add([id, run, len, offset]);
                continue;
            }

            let leaf = directory(&leaves[offset as usize..(offset + len) as usize]);
            assert_eq!(
                leaf[0][0], id,
                "a leaf begins with the id that points to it"
            );
            leaf.into_iter().for_each(&mut add);
        }

        assert_eq!(ends, data.len() as u64, "no byte of the data is nobody's");

        let contents = tiles
            .values()
            .map(|(offset, _)| offset)
            .collect::<BTreeSet<_>>()
            .len();
        assert_eq!(
            [field(72), field(80), field(88)],
            [tiles.len() as u64, entries, contents as u64]
        );

        assert_eq!(
            bytes[96..99],
            [1, 2, 1],
            "clustered, gzip, tiles as they are"
        );

        let metadata = serde_json::from_slice(&unpacked(section(24))).unwrap();
        Self {
            bytes,
            tiles,
            metadata,
        }
    }

    /// The tiles, numbered as a map numbers them.
    pub(crate) fn tiles(&self) -> BTreeMap<Tile, &[u8]> {
        let data = u64::from_le_bytes(self.bytes[56..64].try_into().unwrap());
        let tile = |(&id, &(offset, len)): (&u64, &(u64, u64))| {
            let (zoom, x, y) = place(id);
            let half = if zoom > 0 { 1 << (zoom - 1) } else { 0 };
            (
                (zoom, x as i32 - half, y as i32 - half),
                &self.bytes[(data + offset) as usize..][..len as usize],
            )
        };
        self.tiles.iter().map(tile).collect()
    }

    fn contents(&self) -> usize {
        self.tiles.values().collect::<BTreeSet<_>>().len()
    }

    /// Degrees in units of 1/10,000,000: west, south, east, north, and the middle.
    fn degrees(&self) -> [i32; 6] {
        [102, 106, 110, 114, 119, 123]
            .map(|at| i32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap()))
    }

    /// Type of the tiles: 2 for PNG, 4 for WebP.
    fn tile_type(&self) -> u8 {
        self.bytes[99]
    }

    fn zooms(&self) -> (u8, u8) {
        (self.bytes[100], self.bytes[101])
    }
}

fn draw(place: &Place, name: &str, options: &[&str]) -> (Archive, Ran) {
    let path = place.at(name);
    let ran = render(&place.world(), &path, options).expect(0, &format!("{name} {options:?}"));
    (Archive::read(&path), ran)
}

/// Fails unless an archive contains exactly the bytes of a map's tiles, with equal tiles stored
/// once.
fn assert_same(what: &str, archive: &Archive, map: &Map, dimension: &str, layer: &str) {
    let files = map
        .tiles_of(dimension, layer)
        .into_iter()
        .map(|(tile, path)| (tile, fs::read(path).unwrap()));
    let files: BTreeMap<Tile, Vec<u8>> = files.collect();

    let found = archive.tiles();
    assert!(
        found.keys().eq(files.keys()),
        "{what}: {:?}, not {:?}",
        found.keys(),
        files.keys()
    );

    assert!(
        found.iter().all(|(tile, bytes)| files[tile] == *bytes),
        "{what}: the bytes"
    );
    assert_eq!(
        archive.contents(),
        files.values().collect::<BTreeSet<_>>().len(),
        "{what}: equal tiles once"
    );

    let (_, format) = map.naming(&format!("{dimension}/{layer}"));
    assert_eq!(
        archive.tile_type(),
        if format == "webp" { 4 } else { 2 },
        "{what}: tiles in {format}"
    );

    let zooms = (files.keys().next().unwrap().0, 17);
    assert_eq!(archive.zooms(), zooms, "{what}");
}

#[test]
fn an_archive_holds_the_tiles_of_the_map() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &["-l", "day", "-l", "height16"]);
    for (dimension, layer) in [
        ("overworld", "day"),
        ("the_nether", "day"),
        ("overworld", "height16"),
    ] {
        let name = format!("{dimension}-{layer}.pmtiles");
        let (archive, ran) = draw(&place, &name, &["-d", dimension, "-l", layer]);
        assert_same(&name, &archive, &map, dimension, layer);
        let report = ran.report();
        assert_eq!(report["tiles"]["written"], archive.tiles.len());

        let facts = json!({ "contents": archive.contents(), "bytes": archive.bytes.len() });
        assert_eq!(report["archive"], facts);
        assert!(
            ran.err.contains(&format!("{dimension}-{layer}.html")),
            "what to open is named: {}",
            ran.err
        );
    }

    let (plain, ran) = draw(&place, "plain.pmtiles", &["--mode", "map"]);
    assert_same("without options", &plain, &map, "overworld", "day");
    assert_eq!(ran.report()["world"]["dimensions"], json!(["overworld"]));
}

#[test]
fn webp_and_png_archives_have_equal_pixels() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &["--format", "webp"]);
    let (png, _) = draw(&place, "png.pmtiles", &[]);
    let (webp, _) = draw(&place, "webp.pmtiles", &["--format", "webp"]);
    assert_same("webp", &webp, &map, "overworld", "day");
    assert_eq!((png.tile_type(), webp.tile_type()), (2, 4));

    let (ours, others) = (webp.tiles(), png.tiles());
    assert!(
        ours.keys().eq(others.keys()) && ours.len() > 12,
        "{} tiles",
        ours.len()
    );

    let read = |bytes, format| {
        image::load_from_memory_with_format(bytes, format)
            .unwrap()
            .into_rgba8()
    };

    for (tile, bytes) in ours {
        assert!(
            bytes.starts_with(b"RIFF") && bytes[8..12] == *b"WEBP",
            "{tile:?}"
        );

        let (one, other) = (
            read(bytes, image::ImageFormat::WebP),
            read(others[&tile], image::ImageFormat::Png),
        );
        assert!(one == other, "{tile:?}: other pixels");
    }
}

/// Regions of one flat chunk each, in a square around the origin: all tiles except at the edge are
/// equal.
fn alike(reach: i32) -> Files {
    let mut files = Files::new();
    for (x, z) in (-reach..reach).flat_map(|x| (-reach..reach).map(move |z| (x, z))) {
        let mut chunk = ChunkSpec::new(x * 32 + 9, z * 32 + 9, Generation::Root(3955));
        chunk.layer(60, 60, block::STONE);
        let mut region = RegionSpec::new(x, z);
        region.put(&chunk);
        files.put_region("region", &region);
    }

    files
}

#[test]
fn archives_store_equal_tiles_once() {
    let place = Place::of(&alike(5));
    let map = place.draw("map", &[]);
    let (archive, _) = draw(&place, "world.pmtiles", &[]);
    assert_same("alike", &archive, &map, "overworld", "day");
    assert!(
        archive.contents() < archive.tiles.len() / 4,
        "{} of {}",
        archive.contents(),
        archive.tiles.len()
    );
    let entries = u64::from_le_bytes(archive.bytes[80..88].try_into().unwrap());
    assert!(entries < archive.tiles.len() as u64, "runs");
}

/// Region files of a large world.
const REGIONS: usize = 700;

#[test]
fn threads_do_not_change_a_large_archive() {
    let place = Place::empty();
    let region = place.world().join("region");
    many::small_files(&region, REGIONS);

    // Regions far from each other, so that each has its own tiles on some levels, with distant ids.
    for (number, name) in Files::read_under(&region).0.into_keys().enumerate() {
        let far = |step: usize, side: usize| (number * step % side) as i64 - side as i64 / 2;
        let there = format!("f.{}.{}.mca", far(7_919, 4_001), far(104_729, 3_989));
        fs::rename(region.join(name), region.join(there)).unwrap();
    }

    for name in Files::read_under(&region).0.into_keys() {
        fs::rename(region.join(&name), region.join(name.replace('f', "r"))).unwrap();
    }

    let mut all = Vec::new();
    for (name, threads) in [("one.pmtiles", "1"), ("four.pmtiles", "4")] {
        let (archive, ran) = draw(&place, name, &["-t", threads]);
        let leaves = u64::from_le_bytes(archive.bytes[48..56].try_into().unwrap());
        assert!(leaves > 0, "{} tiles in the root", archive.tiles.len());

        let peak = ran.report()["peak_memory_bytes"].as_u64();
        assert!(
            peak.is_none_or(|peak| peak < 24_000_000 + 24_000_000 + 200 * REGIONS as u64),
            "{peak:?}"
        );
        all.push(archive.bytes);
    }

    assert!(all[0] == all[1]);
}

#[test]
fn an_archive_states_its_place_and_contents() {
    let place = Place::of(&alike(1));
    let (archive, _) = draw(&place, "world.pmtiles", &[]);

    // 512 blocks are 180 * 512 / 2^25 degrees of longitude. Next to the equator they are nearly as
    // many degrees of latitude.
    assert_eq!(archive.degrees(), [-27_466, -27_466, 27_466, 27_466, 0, 0]);

    let facts = &archive.metadata;
    assert_eq!(
        (&facts["type"], &facts["description"]),
        (&json!("baselayer"), &json!("Overworld, day"))
    );

    let layer = &facts["pixelmap"]["dimensions"][0]["layers"][0];
    assert_eq!(
        (&layer["id"], &layer["min_zoom"], &layer["max_zoom"]),
        (&json!("day"), &json!(17), &json!(17))
    );

    assert_eq!(
        layer["bounds"],
        json!({ "x0": -368, "z0": -368, "x1": 160, "z1": 160 })
    );
    assert!(layer.get("tiles").is_none());
}

#[test]
fn the_whole_possible_world_is_the_whole_earth() {
    let mut files = Files::new();
    for (x, z) in [
        (-65_536, -65_536),
        (65_535, 65_535),
        (0, 0),
        (-65_536, 65_535),
        (65_535, -65_536),
    ] {
        let mut chunk = ChunkSpec::new(x * 32, z * 32, Generation::Root(3955));
        chunk.layer(60, 60, block::STONE);
        let mut region = RegionSpec::new(x, z);
        region.put(&chunk);
        files.put_region("region", &region);
    }

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    let (archive, _) = draw(&place, "world.pmtiles", &[]);
    assert_same("corners", &archive, &map, "overworld", "day");
    let (edge, pole) = (1_800_000_000, 850_511_288);
    assert_eq!(archive.degrees()[..4], [-edge, -pole, edge, pole]);
}

#[test]
fn archives_respect_areas_and_hidden_places() {
    let place = Place::of(&land::two_dimensions());
    let options = ["-a", "-100,-100,700,300", "--hide", "0,0,40,40"];
    let map = place.draw("map", &options);
    let (archive, ran) = draw(&place, "world.pmtiles", &options);
    assert_same("area", &archive, &map, "overworld", "day");
    assert_eq!(ran.report()["options"]["hide"], true);

    let (nothing, ran) = draw(&place, "world.pmtiles", &["-a", "100000,0,100100,50"]);
    assert_eq!(
        (&ran.report()["outcome"], &ran.report()["tiles"]["written"]),
        (&json!("empty"), &json!(0))
    );

    // A directory must have an entry, so there is one empty tile for the whole earth.
    let tiles = nothing.tiles();
    assert_eq!(tiles.keys().collect::<Vec<_>>(), [&(0, 0, 0)]);

    let picture = image::load_from_memory(tiles[&(0, 0, 0)])
        .unwrap()
        .into_rgba8();
    assert!(picture.pixels().all(|pixel| pixel.0[3] == 0));
}

#[test]
fn an_archive_with_gaps_ends_with_code_3() {
    let place = Place::of(&Files::read_under(&fixture("zlib-truncated")));
    render(&place.world(), &place.at("map"), &[]).expect(3, "map");
    let ran = render(&place.world(), &place.at("world.pmtiles"), &[]).expect(3, "gaps");
    assert_eq!(ran.report()["outcome"], "gaps");
    let archive = Archive::read(&place.at("world.pmtiles"));
    assert_same(
        "gaps",
        &archive,
        &Map::at(&place.at("map")),
        "overworld",
        "day",
    );
}

#[test]
fn a_refused_archive_leaves_the_previous_file() {
    let place = Place::of(&land::two_dimensions());
    let earlier = draw(&place, "world.pmtiles", &[]).0.bytes;

    for (name, options, says) in [
        ("world.pmtiles", &["-d", "all"][..], "one dimension"),
        ("world/in.pmtiles", &[], "-o"),
    ] {
        let ran =
            render(&place.world(), &place.at(name), options).expect(2, &format!("{options:?}"));
        assert!(ran.err.contains(says), "{name} {options:?}: {}", ran.err);
    }

    render(&place.world(), &place.at("world.pmtiles"), &["-d", "end"]).expect(1, "no end");
    assert!(fs::read(place.at("world.pmtiles")).unwrap() == earlier);
    assert!(!place.world().join("in.pmtiles").exists());

    let names: BTreeSet<String> = Files::read_under(&place.at("")).0.into_keys().collect();
    let beside: Vec<&String> = names
        .iter()
        .filter(|name| !name.starts_with("world/"))
        .collect();

    assert_eq!(
        beside,
        ["world.html", "world.pmtiles"],
        "nothing is left beside it"
    );
}

#[test]
fn a_held_archive_may_be_free_later() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let part = place.at(".world.pmtiles.part");
    let held = fs::File::create(&part).unwrap();
    held.lock().unwrap();
    let ran = render(&place.world(), &place.at("world.pmtiles"), &[]).expect(75, "held");
    assert!(ran.err.contains("again"), "{}", ran.err);
    drop(held);

    // Files that a killed run left do not prevent a new run.
    draw(&place, "world.pmtiles", &[]);
    assert!(!part.exists());
}

#[test]
fn an_archive_page_spares_other_pages() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    draw(&place, "my <world>.pmtiles", &[]);
    let page = fs::read_to_string(place.at("my <world>.html")).unwrap();
    assert!(page.contains(r#"var PIXELMAP_ARCHIVE = "my \u003cworld>.pmtiles""#));

    for attribute in [" src=\"", " href=\""] {
        let values = page
            .split(attribute)
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap());
        let beside: Vec<&str> = values
            .filter(|value| !value.starts_with("data:") && !value.contains("//"))
            .collect();

        assert!(
            beside
                .iter()
                .all(|name| name.contains("${") || name.starts_with('#')),
            "{beside:?}"
        );
    }

    draw(&place, "my <world>.pmtiles", &[]);
    Files([("other.html".to_owned(), b"mine".to_vec())].into()).write_under(&place.at(""));
    let (_, ran) = draw(&place, "other.pmtiles", &[]);
    assert!(
        ran.err.contains("other.html is not a page of pixelmap"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read(place.at("other.html")).unwrap(), b"mine");
}
