//! Tests region files of odd sizes and in odd places.

use std::fs::{self, File};
use std::io::Write as _;

use serde_json::json;

use super::run::{info, query, render, run};
use crate::map::{Map, Place, assert_same_files};
use crate::world::{Files, Generation, Record, RegionSpec, Tag, fixture::landscape};

/// A world of one region with one chunk.
pub(crate) fn one_region() -> Files {
    let mut region = RegionSpec::new(0, 0);
    region.put(&landscape(3, 3, Generation::Root(3955)));
    Files::of_regions([region])
}

#[test]
fn regions_at_number_limits_are_named() {
    const ENDS: [i32; 4] = [i32::MIN, i32::MAX, -65_537, 65_536];

    let bytes = one_region().0["region/r.0.0.mca"].clone();
    let mut files = one_region();
    for x in ENDS {
        for z in ENDS {
            files.put(&format!("region/r.{x}.{z}.mca"), bytes.clone());
        }
    }

    let place = Place::of(&files);
    let report = render(&place.world(), &place.at("map"), &["-t", "2"])
        .expect(3, "far out")
        .report();

    assert_eq!(report["bad_chunks"].as_array().unwrap().len(), 16);
    assert!(
        report["bad_chunks"]
            .as_array()
            .unwrap()
            .iter()
            .all(|bad| bad["chunk"].is_null())
    );

    let map = Map::at(&place.at("map"));
    assert_eq!(
        map.tiles("overworld").into_keys().collect::<Vec<_>>(),
        [(17, 0, 0)]
    );

    let (told, _) = info(&place.world());
    assert_eq!(
        (
            &told["dimensions"][0]["regions"],
            &told["dimensions"][0]["chunks"]
        ),
        (&json!(17), &json!(17))
    );

    let ends: Vec<(i32, i32)> = ENDS.iter().flat_map(|&x| ENDS.map(|z| (x, z))).collect();
    let (answers, code) = query(&place.world(), &ends);
    assert_eq!((answers.len(), code), (16, 0));
    assert!(
        answers.iter().all(|answer| answer["missing"] == "no chunk"),
        "{answers:?}"
    );

    let [all, corner, near] = [
        "-2147483648,-2147483648,2147483647,2147483647",
        "2147483646,2147483646,2147483647,2147483647",
        "0,0,64,64",
    ];

    // The positions of blocks in the outermost regions exceed the range of numbers.
    for (area, code, far) in [(all, 3, 4), (corner, 0, 0), (near, 0, 0)] {
        let report = render(&place.world(), &place.at(area), &["-a", area])
            .expect(code, area)
            .report();
        assert_eq!(
            report["bad_chunks"].as_array().unwrap().len(),
            far,
            "{area}"
        );
    }

    for (options, code) in [(&[][..], 3), (&["-a", "all"], 3), (&["-a", near], 0)] {
        let picture = place.at("p.png");
        let report = render(&place.world(), &picture, options)
            .expect(code, &format!("{options:?}"))
            .report();
        let (named, total) = if code == 3 { (16, 17) } else { (0, 1) };
        assert_eq!(
            report["bad_chunks"].as_array().unwrap().len(),
            named,
            "{options:?}"
        );

        assert_eq!(
            (&report["regions"]["total"], &report["regions"]["drawn"]),
            (&json!(total), &json!(1))
        );

        assert!(
            report["bad_chunks"]
                .as_array()
                .unwrap()
                .iter()
                .all(|bad| bad["region"] != "r.0.0.mca")
        );
        fs::remove_file(picture).unwrap();
    }
}

#[test]
fn misnamed_region_files_are_named_and_others_drawn() {
    let bytes = one_region().0["region/r.0.0.mca"].clone();
    let before = Place::of(&one_region()).draw("map", &[]).files();

    let left_out = [
        "r.-0.0.mca",
        "r.-2147483649.0.mca",
        "r.0.00.mcr",
        "r.00.0.mca",
        "r.01.0.mca",
    ];
    let more = ["r.2147483648.0.mca", "r.99999999999999999999.0.mca"];

    let said = |extra: &[&str], count: usize| {
        let mut files = one_region();
        for name in extra {
            files.put(&format!("region/{name}"), bytes.clone());
        }

        // Files with names other than region names are ignored.
        for name in [
            "r.0.0.mca.bak",
            "r..0.mca",
            "r.+1.0.mca",
            "r.x.mca",
            "backup.mca",
        ] {
            files.put(&format!("region/{name}"), bytes.clone());
        }

        let place = Place::of(&files);
        let report = render(&place.world(), &place.at("map"), &[])
            .expect(0, "left out")
            .report();
        assert_same_files(
            "as without them",
            &before,
            &Map::at(&place.at("map")).files(),
        );
        let warnings = report["warnings"].as_array().unwrap().clone();
        assert_eq!(warnings.len(), count, "{warnings:?}");

        warnings
            .first()
            .map(|warning| warning.as_str().unwrap().to_owned())
            .unwrap_or_default()
    };

    assert_eq!(said(&[], 0), "");

    let all = said(&[&left_out[..], &more].concat(), 1);
    let named = format!(
        ": {}... (7 in all); the game reads only names like r.X.Z.mca",
        left_out.join(", ")
    );
    assert!(all.contains(&named), "{all}");

    let few = said(&more, 1);
    let named = format!(
        ": {}; the game reads only names like r.X.Z.mca",
        more.join(", ")
    );
    assert!(few.contains(&named), "{few}");
}

#[test]
fn regions_at_the_map_edge_are_drawn() {
    const ENDS: [i32; 2] = [-65_536, 65_535];

    let bytes = one_region().0["region/r.0.0.mca"].clone();
    let mut files = Files::new();
    for (x, z) in ENDS.iter().flat_map(|&x| ENDS.map(|z| (x, z))) {
        files.put(&format!("region/r.{x}.{z}.mca"), bytes.clone());
    }

    let place = Place::of(&files);
    assert_eq!(
        render(&place.world(), &place.at("map"), &[])
            .expect(0, "corners")
            .report()["chunks"]["drawn"],
        4
    );

    assert_eq!(
        Map::at(&place.at("map"))
            .tiles("overworld")
            .keys()
            .filter(|tile| tile.0 == 17)
            .count(),
        4
    );
}

#[test]
fn a_truncated_region_file_is_read_completely() {
    let whole = one_region().0["region/r.0.0.mca"].clone();
    for size in [
        0, 1, 3, 4, 396, 399, 400, 4095, 4096, 4097, 8191, 8192, 8193, 8196, 8197, 8198, 8900,
    ] {
        let mut files = one_region();
        files.put("region/r.1.0.mca", whole[..size].to_vec());
        let place = Place::of(&files);

        // The slot of the chunk at 3, 3 is bytes 396 to 399.
        let code = if size < 400 { 0 } else { 3 };
        let ran =
            render(&place.world(), &place.at("map"), &[]).expect(code, &format!("{size} bytes"));
        let report = ran.report();
        assert_eq!(
            (&report["chunks"]["drawn"], &report["regions"]["failed"]),
            (&json!(1), &json!(0)),
            "{size} bytes"
        );

        let is_short = (1..8192).contains(&size);
        assert_eq!(
            ran.err.contains("header"),
            is_short || report.to_string().contains("in_header"),
            "{size}: {}",
            ran.err
        );
        assert_eq!(info(&place.world()).1, code, "{size} bytes");
    }
}

#[test]
fn a_garbage_header_is_reported_by_slot() {
    for (name, header) in [
        ("ones", vec![0xff; 8192]),
        ("one record 1,024 times", [0, 0, 2, 255].repeat(2048)),
        ("the header itself", [0, 0, 1, 1].repeat(2048)),
        ("text", b"\n# A note, and not a region file\n".repeat(400)),
    ] {
        let mut files = one_region();
        files.put("region/r.1.0.mca", header);
        let place = Place::of(&files);
        let report = render(&place.world(), &place.at("map"), &["-t", "2"])
            .expect(3, name)
            .report();
        assert_eq!(
            (&report["chunks"]["drawn"], &report["chunks"]["bad"]),
            (&json!(1), &json!(1024)),
            "{name}"
        );

        let (told, code) = info(&place.world());
        assert_eq!(
            (
                told["dimensions"][0]["damaged"].as_array().unwrap().len(),
                code
            ),
            (1024, 3),
            "{name}"
        );
    }
}

#[test]
fn an_empty_terabyte_file_takes_no_time() {
    let place = Place::of(&one_region());
    let mut file = File::create(place.world().join("region/r.1.0.mca")).unwrap();
    let last = 0xff_ffff_u32 << 8 | 255;
    file.write_all(
        &[2 << 8 | 255, last, 77 << 8 | 1]
            .map(u32::to_be_bytes)
            .concat(),
    )
    .unwrap();

    // Not every file system supports such large files.
    let Some(len) = [1_u64 << 40, 1 << 36, 1 << 30]
        .into_iter()
        .find(|&len| file.set_len(len).is_ok())
    else {
        return;
    };

    let report = render(&place.world(), &place.at("map"), &[])
        .expect(3, "a terabyte")
        .report();

    assert_eq!(report["chunks"]["bad"], 3, "{len} bytes");
    assert!(
        report["peak_memory_bytes"]
            .as_u64()
            .is_none_or(|peak| peak < 200_000_000),
        "{report}"
    );
    assert_eq!(info(&place.world()).1, 3);
}

#[test]
fn overlapping_records_are_judged_one_by_one() {
    let mut region = RegionSpec::new(0, 0);
    region.put_record(
        3,
        3,
        Record::new(3, landscape(3, 3, Generation::Root(3955)).nbt().document()),
    );

    for (x, sectors) in [(4, 0), (5, 1), (6, 2), (7, 0)] {
        region.put_record(
            x,
            3,
            Record::over(crate::world::region::slot(3, 3), sectors),
        );
    }

    let files = Files::of_regions([region]);

    let place = Place::of(&files);
    let report = render(&place.world(), &place.at("map"), &[])
        .expect(3, "overlapping")
        .report();
    assert_eq!(
        (&report["chunks"]["drawn"], &report["chunks"]["bad"]),
        (&json!(3), &json!(2))
    );
}

#[test]
fn a_million_foreign_names_are_passed_over() {
    let mut files = one_region();
    for number in 0..2_000 {
        files.put(&format!("region/r.{number}.x.mca"), Vec::new());
    }
    let place = Place::of(&files);
    let ran = run(&["info", place.world().to_str().unwrap()]).expect(0, "other names");
    assert!(ran.out.contains("  regions      1 file, "), "{}", ran.out);
}

#[test]
fn info_bounds_its_list_of_damaged_places() {
    let place = Place::empty();
    crate::world::many::damaged_files(&place.world().join("region"), 11);
    let (told, code) = info(&place.world());
    let dimension = &told["dimensions"][0];
    assert_eq!(
        (dimension["damaged"].as_array().unwrap().len(), code),
        (10_000, 3)
    );
    assert_eq!(dimension["damaged_not_listed"], 11 * 1024 - 10_000);

    let said = run(&["info", place.world().to_str().unwrap()])
        .expect(3, "in words")
        .out;
    assert!(
        said.ends_with("and 1,264 more\n"),
        "{}",
        said.lines().last().unwrap()
    );
}

#[test]
fn info_bounds_its_list_of_versions() {
    let mut files = Files::new();
    for x in 0..10 {
        let mut region = RegionSpec::new(x, 0);
        for slot in 0..1024 {
            let chunk = [
                ("DataVersion", Tag::Int(x * 1024 + slot)),
                ("sections", Tag::List(Vec::new())),
            ];
            region.put_record(
                x * 32 + slot % 32,
                slot / 32,
                Record::new(3, Tag::compound(chunk).document()),
            );
        }

        files.put_region("region", &region);
    }

    let place = Place::of(&files);
    let (told, code) = info(&place.world());
    let dimension = &told["dimensions"][0];
    assert_eq!((&dimension["chunks"], code), (&json!(10 * 1024), 0));
    assert_eq!(
        dimension["data_versions"].as_object().unwrap().len(),
        10_000
    );
    assert_eq!(dimension["data_versions_not_listed"], 10 * 1024 - 10_000);

    let said = run(&["info", place.world().to_str().unwrap()])
        .expect(0, "in words")
        .out;
    assert!(said.contains("others: 240\n"), "{said:.200}");
}
