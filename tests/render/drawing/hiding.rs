//! Tests that hidden chunks count as absent: in pixels, records and reports, and in maps that
//! showed them before.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::map::land::{self, Column};
use crate::map::{Map, Place, Rgba, assert_same_files, render};
use crate::world::level_dat::LevelDat;
use crate::world::seed::of_place;
use crate::world::{
    Biome, Block, ChunkSpec, Files, Generation, Record, RegionSpec, Tag, biome, block,
};

/// The regions of the overworld: around the corners (0, 0), (1, 1) and (2, 0), three of them with
/// another corner's.
const REGIONS: [(i32, i32); 10] = [
    (-1, -1),
    (0, -1),
    (-1, 0),
    (0, 0),
    (1, 0),
    (0, 1),
    (1, 1),
    (1, -1),
    (2, -1),
    (2, 0),
];
/// Chunks around these corners of regions are stored.
const CORNERS: [(i32, i32); 3] = [(0, 0), (32, 32), (64, 0)];

/// Broken ground with ponds, leaves and grass in four biomes, so that shade and tint reach over
/// every border.
fn terrain(x: i32, z: i32) -> Column {
    let of_biome = of_place(x.div_euclid(7), z.div_euclid(6), 9) % 4;
    let biome: Biome =
        [biome::PLAINS, biome::SWAMP, biome::BADLANDS, biome::TAIGA][of_biome as usize];
    let y = 60 + (of_place(x, z, 3) % 9) as i32;
    let is_pond = of_place(x.div_euclid(5), z.div_euclid(5), 4).is_multiple_of(3);
    let ground: Block =
        [block::GRASS_BLOCK, block::STONE, block::OAK_LEAVES][(of_place(x, z, 5) % 3) as usize];
    Column {
        water_y: (is_pond && y < 66).then_some(66),
        biome,
        ..Column::of(y, ground)
    }
}

fn chunk(x: i32, z: i32) -> ChunkSpec {
    let generation = if (x + z) % 3 == 0 {
        Generation::Root(3955)
    } else {
        land::BY_COLUMN
    };

    let mut chunk = ChunkSpec::new(x, z, generation);
    for (dx, dz) in (0..16).flat_map(|dz| (0..16).map(move |dx| (dx, dz))) {
        let column = terrain(x * 16 + dx as i32, z * 16 + dz as i32);
        chunk.set(dx, column.y, dz, column.ground);
        if let Some(water_y) = column.water_y {
            chunk.stack(dx, dz, column.y + 1, water_y, block::WATER);
        }
        chunk.set_biome(dx, dz, column.biome);
    }

    chunk.extra = vec![(
        "InhabitedTime",
        Tag::Long(i64::from((x * 31 + z * 17).rem_euclid(400))),
    )];

    chunk
}

/// The chunks that are stored, each built and packed once for all tests.
static CHUNKS: LazyLock<BTreeMap<(i32, i32), Record>> = LazyLock::new(|| {
    let places = CORNERS
        .iter()
        .flat_map(|&(x, z)| (0..36).map(move |at| (x - 3 + at % 6, z - 3 + at / 6)));
    places
        .map(|(x, z)| ((x, z), Record::zlib(&chunk(x, z).nbt())))
        .collect()
});

/// Content of a chunk's slot; none: as in the world of all chunks.
type Change<'a> = &'a dyn Fn(i32, i32) -> Option<Option<Record>>;

fn put_regions(files: &mut Files, folder: &str, change: Change<'_>) {
    for (region_x, region_z) in REGIONS {
        let mut region = RegionSpec::new(region_x, region_z);
        for (&(x, z), record) in &*CHUNKS {
            if (x >> 5, z >> 5) == (region_x, region_z)
                && let Some(record) = change(x, z).unwrap_or_else(|| Some(record.clone()))
            {
                region.put_record(x, z, record);
            }
        }
        files.put_region(folder, &region);
    }
}

fn world_but(change: Change<'_>) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("hiding", Some(3955))
            .old_spawn(0, 64, 0)
            .bytes(),
    );
    put_regions(&mut files, "region", change);
    files
}

fn world() -> Files {
    world_but(&|_, _| None)
}

/// The world without some chunks; their regions are all there.
fn without(is_gone: impl Fn(i32, i32) -> bool) -> Files {
    world_but(&|x, z| is_gone(x, z).then_some(None))
}

/// Every layer there is, as options.
fn all_layers() -> Vec<String> {
    let place = Place::of(&Files::new());
    let said = render(&place.world(), &place.at("map"), &["-l", "none-such"])
        .expect(2, "no layer")
        .err;
    let (_, names) = said.split_once("[possible values: ").unwrap();
    let mut names: Vec<&str> = names.split_once(']').unwrap().0.split(", ").collect();
    names.sort_unstable();
    assert!(names.len() >= 6 && names.contains(&"height"), "{names:?}");
    names
        .iter()
        .flat_map(|name| ["-l".to_owned(), (*name).to_owned()])
        .collect()
}

fn with<'a>(all: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    all.iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect()
}

fn file(place: &Place, x: i32, z: i32) -> PathBuf {
    place.world().join(format!("region/r.{x}.{z}.mca"))
}

fn put(place: &Place, files: &Files, (x, z): (i32, i32)) {
    fs::write(
        file(place, x, z),
        &files.0[&format!("region/r.{x}.{z}.mca")],
    )
    .unwrap();
}

fn drawn(report: &Value) -> u64 {
    report["regions"]["drawn"].as_u64().unwrap()
}

/// A chunk inside, some at a border, some at the corner of four regions, and all that is stored of
/// one.
const RECTANGLES: [(&str, [i32; 4]); 5] = [
    ("17,17,18,18", [1, 1, 2, 2]),
    ("-1,-32,31,-17", [-1, -2, 2, -1]),
    ("-16,-16,16,16", [-1, -1, 1, 1]),
    ("500,530,560,500", [31, 31, 35, 34]),
    ("520,520,600,600", [32, 32, 38, 38]),
];

#[test]
fn hidden_chunks_count_as_absent() {
    let (all, place) = (all_layers(), Place::of(&world()));
    let whole = place.draw("whole", &with(&all, &[])).files();
    for ((text, [x0, z0, x1, z1]), threads) in
        RECTANGLES.into_iter().zip(["1", "3"].into_iter().cycle())
    {
        let bare = Place::of(&without(|x, z| {
            (x0..x1).contains(&x) && (z0..z1).contains(&z)
        }));
        let expected = bare.draw("map", &with(&all, &[])).files();
        assert!(expected != whole, "{text}: this tests nothing");

        let hidden = place.draw(text, &with(&all, &["--hide", text, "-t", threads]));
        assert_same_files(
            &format!("--hide {text} with {threads} threads"),
            &expected,
            &hidden.files(),
        );

        let area = ["-a", "-20,-30,540,520"];
        let expected = bare.draw("part", &with(&all, &area)).files();
        let part = place.draw(
            &format!("part {text}"),
            &[&with(&all, &area)[..], &["--hide", text]].concat(),
        );
        assert_same_files(
            &format!("a part of the map with --hide {text}"),
            &expected,
            &part.files(),
        );
    }
}

#[test]
fn a_polygon_hides_every_touched_chunk() {
    let mut files = world();
    put_regions(&mut files, "DIM-1/region", &|_, _| None);
    let place = Place::of(&files);

    // A triangle around the origin with a hole, and a square.
    let polygons = json!({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [
            [[-40, -40], [40, -40], [-40, 40], [-40, -40]], [[-32, -32], [-32, -16], [-16, -16], [-16, -32], [-32, -32]]]}},
        {"type": "Feature", "properties": {}, "geometry": {"type": "MultiPolygon", "coordinates": [
            [[[512, 512], [528, 512], [528, 528], [512, 528], [512, 512]]]]}},
    ]});
    fs::write(place.at("hidden.geojson"), polygons.to_string()).unwrap();

    let is_gone = |x: i32, z: i32| {
        // The chunk's north-west column is the one that lies deepest in the triangle.
        let in_triangle =
            (-3..3).contains(&x) && (-3..3).contains(&z) && x.max(-3) * 16 + z.max(-3) * 16 < 0;
        (in_triangle && (x, z) != (-2, -2)) || (x, z) == (32, 32)
    };

    let mut bare = without(is_gone);
    put_regions(&mut bare, "DIM-1/region", &|x, z| {
        is_gone(x, z).then_some(None)
    });
    let expected = Place::of(&bare).draw("map", &[]).files();
    let path = place.at("hidden.geojson");
    let hidden = place.draw("map", &["--hide", path.to_str().unwrap()]);
    assert_same_files("a polygon", &expected, &hidden.files());

    // Several at once hide what each of them hides.
    let more = [
        "--hide",
        path.to_str().unwrap(),
        "--hide",
        "544,512,545,513",
        "--hide",
        "0,0,1,1",
    ];

    let gone = |x: i32, z: i32| is_gone(x, z) || [(34, 32), (0, 0)].contains(&(x, z));
    let expected = Place::of(&without(gone))
        .draw("map", &["-d", "overworld"])
        .files();
    let hidden = place.draw("more", &[&more[..], &["-d", "overworld"]].concat());
    assert_same_files("three", &expected, &hidden.files());
}

#[test]
fn a_wholly_hidden_region_counts_as_missing() {
    let place = Place::of(&world());

    let mut bare = world();
    for (x, z) in [(1, 1), (0, 1)] {
        bare.0.remove(&format!("region/r.{x}.{z}.mca")).unwrap();
    }

    let expected = Place::of(&bare).draw("map", &[]).files();

    // Nobody opens it, so nothing can be wrong with it.
    fs::remove_file(file(&place, 1, 1)).unwrap();
    fs::create_dir(file(&place, 1, 1)).unwrap();
    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--hide", "0,512,1024,1024"],
    )
    .expect(0, "two regions");

    assert_same_files("two regions", &expected, &Map::at(&place.at("map")).files());
    let report = ran.report();
    assert_eq!(
        report["regions"],
        json!({"total": 10, "drawn": 8, "unchanged": 0, "failed": 0, "hidden": 2})
    );
    assert!(ran.err.contains("hidden: 2 whole regions"), "{}", ran.err);
}

#[test]
fn hidden_places_vanish_and_can_come_back() {
    for check in ["quick", "content"] {
        let all = ["-l", "biome", "-l", "day"].map(str::to_owned);
        let place = Place::of(&world());
        let whole = place.draw("map", &with(&all, &["--check", check])).files();

        // After this time the stamp of a file is trusted, so that only the hidden places require a
        // new drawing.
        if check == "quick" {
            std::thread::sleep(std::time::Duration::from_millis(2100));
            place.draw("map", &with(&all, &["-f"]));
        }

        for (text, touched, back) in [
            ("17,17,18,18", 1, 1),
            ("0,-32,1,-31", 3, 2),
            ("-16,-16,16,16", 4, 4),
            ("0,0,512,512", 7, 8),
        ] {
            let hide = with(&all, &["--hide", text, "--check", check]);
            let report = render(&place.world(), &place.at("map"), &hide)
                .expect(0, text)
                .report();
            let fresh = place.draw(&format!("fresh {text}"), &hide).files();
            let map = Map::at(&place.at("map"));
            assert_same_files(
                &format!("{check}: --hide {text} on a map"),
                &fresh,
                &map.files(),
            );

            for zoom in 15..=17 {
                let part = format!("overworld/day/{zoom}/");
                let mut tiles = whole.iter().filter(|(path, _)| path.starts_with(&part));
                let hidden = map.files();
                assert!(
                    tiles.any(|(path, tile)| hidden.get(path) != Some(tile)),
                    "{text}: zoom {zoom} is drawn anew"
                );
            }

            assert!(
                drawn(&report) <= touched,
                "{check}, {text}: {}",
                report["regions"]
            );

            let again = render(&place.world(), &place.at("map"), &hide)
                .expect(0, text)
                .report();
            assert_eq!(
                (drawn(&again), &again["tiles"]["written"]),
                (0, &json!(0)),
                "{check}, {text}: once more"
            );

            assert_eq!(
                again["chunks"]["hidden"], report["chunks"]["hidden"],
                "{check}, {text}: counted anew"
            );

            let shown = with(&all, &["--check", check]);
            let report = render(&place.world(), &place.at("map"), &shown)
                .expect(0, text)
                .report();
            assert!(
                (1..=back).contains(&drawn(&report)),
                "{check}, {text}: back, {}",
                report["regions"]
            );

            assert_same_files(
                &format!("{check}: {text} is shown again"),
                &whole,
                &map.files(),
            );
        }
    }
}

#[test]
fn only_hiding_may_remove_many_tiles() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);

    // All stored chunks are in these rectangles. Only the first rectangle consists of whole
    // regions.
    let all = ["--hide", "-512,-512,1024,1024", "--hide", "976,-48,1072,48"];
    let wiped: Vec<PathBuf> = REGIONS.iter().map(|&(x, z)| file(&place, x, z)).collect();
    let bytes: Vec<Vec<u8>> = wiped.iter().map(|path| fs::read(path).unwrap()).collect();

    // A world that is not mounted: empty files, and something hidden in each of them.
    for path in &wiped {
        fs::File::create(path).unwrap();
    }

    let somewhere: Vec<String> = REGIONS
        .iter()
        .map(|(x, z)| format!("{},{},{},{}", x * 512, z * 512, x * 512 + 60, z * 512 + 60))
        .collect();
    let hide: Vec<&str> = somewhere.iter().flat_map(|text| ["--hide", text]).collect();
    let before = map.files();
    let ran = render(&place.world(), &map.root, &hide).expect(1, "empty files");
    assert!(ran.err.contains("--max-removed"), "{}", ran.err);
    assert_same_files("nothing was removed", &before, &map.files());

    for (path, bytes) in wiped.iter().zip(bytes) {
        fs::write(path, bytes).unwrap();
    }

    let report = render(&place.world(), &map.root, &all)
        .expect(0, "all hidden")
        .report();
    assert_eq!(
        (&report["outcome"], &report["chunks"]["drawn"]),
        (&json!("empty"), &json!(0))
    );

    assert!(
        map.tiles("overworld").is_empty(),
        "{:?}",
        map.tiles("overworld")
    );

    assert_same_files(
        "as a first run",
        &place.draw("fresh", &all).files(),
        &map.files(),
    );

    // Chunks below the limit are still shown next to the hidden ones.
    place.draw("map", &[]);

    for (x, z) in [(-1, -1), (0, -1), (-1, 0), (0, 0), (2, 0), (2, -1)] {
        fs::remove_file(file(&place, x, z)).unwrap();
    }

    render(&place.world(), &map.root, &["--hide", "0,512,1024,1024"])
        .expect(1, "most of the rest is gone");
}

#[test]
fn hiding_a_far_region_removes_its_zoom_levels() {
    let mut files = without(|x, z| (x >> 5, z >> 5) != (0, 0) && (x >> 5, z >> 5) != (1, 1));
    for (x, z) in REGIONS.iter().filter(|at| ![(0, 0), (1, 1)].contains(at)) {
        files.0.remove(&format!("region/r.{x}.{z}.mca")).unwrap();
    }

    let expected = Place::of(&files).draw("map", &[]).files();
    let far = [
        (900, 900),
        (80, 900),
        (-900, 900),
        (-900, -900),
        (900, -900),
    ];

    for (x, z) in far {
        let mut far = RegionSpec::new(x, z);
        far.put(&chunk(x * 32, z * 32));
        files.put_region("region", &far);
    }

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    assert!(map.tiles("overworld").keys().any(|(zoom, ..)| *zoom < 12));

    // Each as much as the game stores of it, or all of it.
    let hide = far.map(|(x, z)| {
        let side = if x > 0 { 512 } else { 16 };
        format!(
            "{},{},{},{}",
            x * 512,
            z * 512,
            x * 512 + side,
            z * 512 + side
        )
    });

    let whole: Vec<&str> = hide[..2]
        .iter()
        .chain(&hide[4..])
        .flat_map(|text| ["--hide", text])
        .collect();

    let rest = ["--hide", &hide[2], "--hide", &hide[3]];
    let drawn = place.draw("map", &[&whole[..], &rest].concat());

    assert_eq!(
        drawn
            .tiles("overworld")
            .keys()
            .filter(|(zoom, ..)| *zoom == 17)
            .count(),
        2
    );

    for (x, z) in [(-900, 900), (-900, -900)] {
        fs::remove_file(file(&place, x, z)).unwrap();
    }

    place.draw("map", &whole);
    assert_same_files("near regions", &expected, &map.files());
}

#[test]
fn a_change_inside_a_hidden_chunk_changes_nothing() {
    let place = Place::of(&world());
    // A corner of a region, which three others look at, and a chunk in a file of its own.
    let hide = ["--hide", "0,0,16,16", "--hide", "528,528,529,529"];
    let map = place.draw("map", &hide);
    let before = map.files();

    let other = |x: i32, z: i32| {
        let mut other = chunk(x, z);
        other.layer(90, 99, Block::named("secretmod:vault"));
        Some(Some(other))
    };

    let changed = |make: &dyn Fn(ChunkSpec) -> Record| {
        world_but(&|x, z| {
            [(0, 0), (33, 33)]
                .contains(&(x, z))
                .then(|| other(x, z).unwrap().map(make))
        })
    };

    let external = |spec: ChunkSpec| Record::external(3, Some(spec.nbt().document()));
    let damaged = |_: ChunkSpec| Record::new(2, vec![0x5a; 90]);
    let worlds = [
        ("other blocks", changed(&|spec| Record::zlib(&spec.nbt()))),
        ("in a file of its own", changed(&external)),
        ("damaged", changed(&damaged)),
        ("gone", without(|x, z| [(0, 0), (33, 33)].contains(&(x, z)))),
    ];

    for (what, files) in worlds {
        for (path, bytes) in &files.0 {
            fs::write(place.world().join(path), bytes).unwrap();
        }

        for check in ["quick", "content"] {
            let options = [&hide[..], &["--check", check]].concat();
            let report = render(&place.world(), &map.root, &options)
                .expect(0, what)
                .report();
            assert_eq!(
                (drawn(&report), &report["tiles"]["written"]),
                (0, &json!(0)),
                "{what}, {check}"
            );

            assert_eq!(
                (&report["bad_chunks"], &report["unknown_blocks"]),
                (&json!([]), &json!({})),
                "{what}"
            );

            assert_eq!(
                report["chunks"]["hidden"],
                if what == "gone" { 0 } else { 2 },
                "{what}"
            );
        }

        assert_same_files(what, &before, &map.files());
        let mut report = render(&place.world(), &place.at(what), &hide)
            .expect(0, what)
            .report();
        assert_eq!(
            (&report["bad_chunks"], &report["unknown_blocks"]),
            (&json!([]), &json!({})),
            "{what}"
        );
        assert_same_files(what, &before, &Map::at(&place.at(what)).files());

        // Measured numbers may have any digits.
        for field in [
            "options",
            "seconds",
            "peak_memory_bytes",
            "chunks_per_second",
            "stages",
            "workers",
        ] {
            report[field] = Value::Null;
        }

        assert!(!report.to_string().contains("528"), "{what}: {report}");
    }
}

#[test]
fn damaged_hidden_chunks_keep_no_picture() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);
    let damaged = world_but(&|x, z| {
        [(1, 1), (2, 1)]
            .contains(&(x, z))
            .then(|| Some(Record::new(2, vec![0x5a; 90])))
    });
    put(&place, &damaged, (0, 0));

    render(&place.world(), &map.root, &[]).expect(3, "damaged");
    assert_eq!(
        map.columns().drawn_of_chunk(1, 1),
        256,
        "its picture is kept"
    );

    let report = render(&place.world(), &map.root, &["--hide", "16,16,17,17"])
        .expect(3, "one of two hidden")
        .report();
    assert_eq!(report["bad_chunks"].as_array().unwrap().len(), 1);
    assert_eq!(report["bad_chunks"][0]["chunk"], json!([2, 1]));
    assert_eq!(map.columns().drawn_of_chunk(1, 1), 0);

    // The other chunk keeps the pixels that the hidden one cannot have shaded or tinted.
    assert_eq!(map.columns().drawn_of_chunk(2, 1), 12 * 16);
    render(&place.world(), &map.root, &["--hide", "16,16,48,17"]).expect(0, "both hidden");
    assert_eq!(map.columns().drawn_of_chunk(2, 1), 0);
}

#[test]
fn an_unreadable_region_loses_its_hidden_part() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);
    fs::remove_file(file(&place, 0, 0)).unwrap();
    fs::create_dir(file(&place, 0, 0)).unwrap();
    let report = render(&place.world(), &map.root, &["--hide", "0,0,16,16"])
        .expect(3, "unreadable")
        .report();
    assert_eq!(report["regions"]["failed"], 1);

    let columns = map.columns();
    assert_eq!(
        (columns.drawn_of_chunk(0, 0), columns.drawn_of_chunk(2, 2)),
        (0, 256)
    );
    assert_eq!(
        (columns.drawn_of_chunk(1, 0), columns.drawn_of_chunk(1, 1)),
        (12 * 16, 15 * 16)
    );
}

/// Pixels within reach of a hidden chunk in another region are not kept either.
#[test]
fn kept_pictures_show_no_hidden_shade() {
    let place = Place::of(&world());
    let map = place.draw("map", &[]);
    let whole = map.columns();
    put(
        &place,
        &world_but(&|x, z| ((x, z) == (0, 0)).then(|| Some(Record::new(2, vec![0x5a; 90])))),
        (0, 0),
    );

    render(
        &place.world(),
        &map.root,
        &["--hide", "-16,0,0,16", "--hide", "-1,-1,0,0"],
    )
    .expect(3, "kept");

    let now = map.columns();
    for (x, z) in (0..16).flat_map(|z| (0..16).map(move |x| (x, z))) {
        let expected: Rgba = if x < 4 {
            crate::map::CLEAR
        } else {
            whole.at(x, z)
        };
        assert_eq!(now.at(x, z), expected, "column {x}, {z}");
    }
}

#[test]
fn hidden_content_is_nowhere_in_the_map_folder() {
    // A region of its own, so that nothing else is drawn anew when it is hidden; and a chunk among
    // others.
    let mut secret = ChunkSpec::new(320, 320, Generation::Root(99_999));
    secret.layer(60, 64, Block::named("secretmod:vault"));
    secret.biomes = Some(vec![Biome::new("secretmod:lair", 0); 256]);

    let mut files = world_but(&|x, z| {
        ((x, z) == (1, 1)).then(|| {
            let mut secret = secret.clone();
            (secret.x, secret.z) = (x, z);
            Some(Record::zlib(&secret.nbt()))
        })
    });

    let mut alone = RegionSpec::new(10, 10);
    alone.put(&secret);
    alone.put_record(321, 320, Record::new(2, vec![0x5a; 90]));
    files.put_region("region", &alone);

    let place = Place::of(&files);
    let map = place.at("map");
    let told = |word: &str| {
        let files = Files::read_under(&map).0;
        files
            .into_iter()
            .filter(|(_, bytes)| {
                bytes
                    .windows(word.len())
                    .any(|part| part == word.as_bytes())
            })
            .count()
    };

    let polygon = r#"{"type":"Polygon","coordinates":[[[5120,5120],[5632,5120],[5632,5632],[5120,5632],[5120,5120]]]}"#;
    fs::write(place.at("bases.geojson"), polygon).unwrap();
    let polygon = place.at("bases.geojson");
    let first = render(&place.world(), &map, &[])
        .expect(3, "all is shown")
        .report();

    assert_eq!(
        (
            first["unknown_blocks"].as_object().unwrap().len(),
            told("secretmod")
        ),
        (1, 1),
        "this tests nothing"
    );

    // First the lonely region alone, so that no tile is drawn.
    let lonely = ["--hide", polygon.to_str().unwrap()];
    render(&place.world(), &map, &lonely).expect(0, "the region alone");
    assert_eq!(told("5120"), 0);

    let both = [&lonely[..], &["--hide", "16,16,32,32"]].concat();
    let ran = render(&place.world(), &map, &both).expect(0, "both");

    for word in ["secretmod", "5120", "16,16", "bases"] {
        assert_eq!(told(word), 0, "{word}");
    }

    let report = ran.report();
    for empty in ["unknown_blocks", "unknown_biomes"] {
        assert_eq!(report[empty], json!({}), "{empty}");
    }

    assert_eq!(
        (&report["newer"], &report["bad_chunks"]),
        (&Value::Null, &json!([]))
    );

    assert_eq!(
        (
            &report["options"]["hide"],
            &report["options"]["min_inhabited"]
        ),
        (&json!(true), &Value::Null)
    );

    assert_eq!(
        (&report["chunks"]["hidden"], &report["regions"]["hidden"]),
        (&json!(1), &json!(1))
    );

    let total: u64 = ["drawn", "empty", "unfinished", "bad", "hidden"]
        .iter()
        .map(|kind| report["chunks"][kind].as_u64().unwrap())
        .sum();
    assert_eq!(total, 108, "the chunks of the regions that take part");

    // The digits of a time may be any.
    let mut said = report.clone();
    for measured in [
        "seconds",
        "chunks_per_second",
        "peak_memory_bytes",
        "stages",
        "workers",
    ] {
        said.as_object_mut().unwrap().remove(measured);
    }

    for said in [said.to_string(), ran.err] {
        assert!(
            !said.contains("secretmod") && !said.contains("5120") && !said.contains("bases"),
            "{said}"
        );
    }

    assert_same_files(
        "as a first run",
        &place.draw("fresh", &both).files(),
        &Map::at(&map).files(),
    );
}

/// The first run with hidden places changes no other tile here, but the records of the region must
/// be dropped all the same.
#[test]
fn a_run_forgets_a_hidden_region_without_drawing() {
    let mut files = Files::new();
    for x in [0, 4] {
        let mut region = RegionSpec::new(x, 0);
        let mut spec = chunk(x * 32, 0);
        spec = ChunkSpec {
            generation: Generation::Root(3955),
            ..spec
        };

        spec.layer(
            80,
            80,
            if x == 0 {
                block::STONE
            } else {
                Block::named("secretmod:vault")
            },
        );
        region.put(&spec);
        files.put_region("region", &region);
    }

    let place = Place::of(&files);

    // After so long the other region's stamp is believed, and nothing is noted anew.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    place.draw("map", &[]);

    let journal = place.at("map").join(".pixelmap/journal");
    let told = || {
        fs::read(&journal)
            .unwrap()
            .windows(9)
            .any(|part| part == b"secretmod")
    };

    assert!(told());

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--hide", "2048,0,2560,512"],
    )
    .expect(0, "hidden");
    assert_eq!(drawn(&ran.report()), 0);
    assert!(!told());
}

#[test]
fn briefly_visited_chunks_are_left_out() {
    let all = all_layers();
    // 400 ticks are 20 seconds.
    let place = Place::of(&world());
    let bare = Place::of(&without(|x, z| (x * 31 + z * 17).rem_euclid(400) < 200));
    let expected = bare.draw("map", &with(&all, &[])).files();
    let gone = 108
        - render(&bare.world(), &bare.at("map"), &[]).report()["chunks"]["drawn"]
            .as_u64()
            .unwrap();

    for threads in ["1", "3"] {
        let options = with(&all, &["--min-inhabited", "10", "-t", threads]);
        let report = render(&place.world(), &place.at(threads), &options)
            .expect(0, threads)
            .report();

        assert_same_files(threads, &expected, &Map::at(&place.at(threads)).files());
        assert_eq!(
            (
                &report["chunks"]["hidden"],
                &report["options"]["min_inhabited"]
            ),
            (&json!(gone), &json!(10))
        );

        let again = render(&place.world(), &place.at(threads), &options)
            .expect(0, threads)
            .report();
        assert_eq!(
            (drawn(&again), &again["chunks"]),
            (0, &{
                let mut chunks = report["chunks"].clone();
                chunks["edge"] = json!(0);
                chunks
            })
        );
    }

    // Another limit draws all anew, and so does none.
    let map = place.draw("map", &[]);
    let whole = map.files();
    place.draw("map", &["--min-inhabited", "10"]);
    assert_same_files("on a map", &bare.draw("bare", &[]).files(), &map.files());
    place.draw("map", &["--min-inhabited", "0"]);
    assert_same_files("all are shown", &whole, &map.files());

    // Somebody moves in.
    place.draw("map", &["--min-inhabited", "10"]);
    let mut lived_in = chunk(0, 0);
    lived_in.extra = vec![("InhabitedTime", Tag::Long(200))];
    put(
        &place,
        &world_but(&|x, z| ((x, z) == (0, 0)).then(|| Some(Record::zlib(&lived_in.nbt())))),
        (0, 0),
    );

    let report = render(&place.world(), &map.root, &["--min-inhabited", "10"])
        .expect(0, "moved in")
        .report();
    assert_eq!(
        (drawn(&report), map.columns().drawn_of_chunk(0, 0)),
        (4, 256)
    );
}

#[test]
fn chunks_without_visit_time_count_as_unvisited() {
    let mut silent = chunk(0, 1);
    assert_eq!(silent.generation, land::BY_COLUMN);
    silent.extra.clear();
    let place = Place::of(&world_but(&|x, z| {
        ((x, z) == (0, 1)).then(|| Some(Record::zlib(&silent.nbt())))
    }));
    let ran =
        render(&place.world(), &place.at("map"), &["--min-inhabited", "1"]).expect(0, "silent");

    assert_eq!(Map::at(&place.at("map")).columns().drawn_of_chunk(0, 1), 0);
    assert!(
        ran.err
            .contains("warning: a chunk that --min-inhabited hides does not store"),
        "{}",
        ran.err
    );

    let again =
        render(&place.world(), &place.at("map"), &["--min-inhabited", "1"]).expect(0, "unchanged");
    assert!(again.err.contains("does not store"), "{}", again.err);
}

#[test]
fn invalid_hiding_is_refused_before_drawing() {
    let place = Place::of(&world());
    fs::write(
        place.at("line.geojson"),
        r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#,
    )
    .unwrap();

    let line = place.at("line.geojson");
    for (hide, says) in [
        ("nowhere.geojson", "nowhere.geojson"),
        (line.to_str().unwrap(), "draw it as a Polygon"),
    ] {
        let ran = render(&place.world(), &place.at("map"), &["--hide", hide]).expect(2, hide);
        assert!(ran.err.contains(says), "{hide}: {}", ran.err);
        assert!(!place.at("map").exists(), "{hide}");
    }
}

#[test]
fn places_that_stay_visible_are_reported() {
    let place = Place::of(&world());
    place.draw("map", &["-l", "day", "-l", "height"]);

    let hide =
        |options: &[&str]| render(&place.world(), &place.at("map"), options).expect(0, "hide");
    let one = hide(&["--hide", "0,0,16,16"]);
    assert!(
        one.err
            .contains("draw overworld/height with the same options"),
        "{}",
        one.err
    );

    let both = hide(&["--hide", "0,0,16,16", "-l", "day", "-l", "height"]);
    assert!(!both.err.contains("warning"), "{}", both.err);

    let nothing = hide(&["--hide", "9000,9000,9016,9016", "-l", "day", "-l", "height"]);
    assert!(
        nothing.err.contains("--hide hides nothing"),
        "{}",
        nothing.err
    );
}
