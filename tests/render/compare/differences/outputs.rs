//! Tests the files that `pixelmap diff` writes: pictures, lists and a JUnit report.

use std::fs;
use std::path::Path;

use super::{X, Z, ab, diff, drawn, png, sand, world_with_edit};
use crate::map::{Map, Place, assert_same_files};
use crate::world::Files;

#[test]
fn diff_pictures_show_the_differing_places() {
    let place = drawn(sand, &[]);
    let at = |name: &str| place.at(name).to_str().unwrap().to_owned();
    let (image, heat, text) = (at("diff.png"), at("heat.png"), at("diff.md"));
    let options = ["--image", &image, "--heatmap", &heat, "--markdown", &text];
    ab(&place, &options).expect(1, "pictures");
    let shown = png(Path::new(&image));

    // 16 columns on each side of the changed one, with 8 pixels per column: three such squares with
    // gaps between them.
    assert_eq!(shown.dimensions(), (33 * 8 * 3 + 16, 33 * 8 + 20));

    let (before, after, marked) = (
        shown.get_pixel(132, 152),
        shown.get_pixel(264 + 8 + 132, 152),
        shown.get_pixel(544 + 132, 152),
    );
    assert_ne!(before, after);
    assert!(marked[0] >= 128 && marked[1] == 0, "{marked:?}");

    let red = shown
        .pixels()
        .filter(|pixel| pixel[0] >= 128 && pixel[1] == 0 && pixel[3] == 255)
        .count();
    assert_eq!(red, 64, "one pixel, enlarged");
    assert_eq!(png(Path::new(&heat)).into_raw(), [255, 0, 0, 255]);

    let told = fs::read_to_string(&text).unwrap();
    assert!(
        told.contains(&format!(
            "**overworld/day 17/1/0** changed: 1 pixel in {X},{Z}"
        )),
        "{told}"
    );

    assert!(
        told.contains("| overworld/day | 1 | 0.078 % | 1 | 0 | 0 |"),
        "{told}"
    );
    assert!(
        told.contains("![before, after, difference](diff-1.png)"),
        "{told}"
    );
    assert!(png(&place.at("diff-1.png")).width() <= 3 * 256 + 16);

    // If nothing differs, the program removes an older picture.
    diff(&place.at("a"), &place.copy("a", "c"), &options).expect(0, "the same");
    assert!(!Path::new(&image).exists() && !Path::new(&heat).exists());
}

#[test]
fn a_picture_of_far_places_is_small() {
    let place = Place::of(&world_with_edit(|_| {}));
    place.draw("a", &[]);

    for region in ["r.-1.0.mca", "r.2.0.mca"] {
        fs::remove_file(place.world().join("region").join(region)).unwrap();
    }

    place.draw("b", &[]);
    let (image, heat) = (place.at("diff.png"), place.at("heat.png"));
    let options = [
        "--image",
        image.to_str().unwrap(),
        "--heatmap",
        heat.to_str().unwrap(),
    ];
    ab(&place, &options).expect(1, "two regions");

    let shown = png(&image);
    assert!(
        shown.width() <= 3 * 1024 + 16 && shown.width() > 3 * 512,
        "{}",
        shown.width()
    );

    // The pictures are below the names.
    let middle = u32::midpoint(shown.height(), 20);
    let red = |x: &u32| shown.get_pixel(*x, middle)[1] == 0 && shown.get_pixel(*x, middle)[0] > 127;
    let places: Vec<u32> = (0..shown.width()).filter(red).collect();
    assert!(places.last().unwrap() - places[0] > 512, "{places:?}");

    let hot = png(&heat).pixels().filter(|pixel| pixel[3] > 0).count();
    assert!(hot >= 2 * 4 * 4, "two chunks: {hot}");
}

#[test]
fn a_junit_report_has_one_case_per_layer() {
    let place = drawn(sand, &["-l", "day", "-l", "height"]);
    let ran = ab(&place, &["--junit", "-", "-q"]).expect(1, "junit");
    assert!(
        ran.out.starts_with("<?xml") && ran.out.ends_with("</testsuites>\n"),
        "{}",
        ran.out
    );

    assert!(
        ran.out.contains("tests=\"2\" failures=\"1\""),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("name=\"overworld/height\"/>")
            && ran.out.contains("<failure message=\"differs: 1 pixel")
    );
}

/// Changes a copy according to the lists.
fn apply(copy: &Path, to: &Path, changed: &str, deleted: &str) {
    for path in deleted.lines() {
        fs::remove_file(copy.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    for path in changed.lines() {
        fs::create_dir_all(copy.join(path).parent().unwrap()).unwrap();
        fs::copy(to.join(path), copy.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

fn sorted(list: &str) -> bool {
    list.lines().is_sorted()
}

#[test]
fn the_lists_turn_a_into_b() {
    let place = Place::of(&world_with_edit(|_| {}));
    place.draw("a", &[]);
    fs::remove_dir_all(place.world()).unwrap();
    world_with_edit(sand).write_under(&place.world());
    fs::remove_file(place.world().join("region/r.2.0.mca")).unwrap();
    place.draw("b", &[]);
    let saved = place.at("saved.tsv");
    fs::copy(place.at("a").join("overworld/day/tiles.tsv"), &saved).unwrap();

    for from in [place.at("a"), saved] {
        let [changed, deleted] = ["--changed-list", "--deleted-list"].map(|list| {
            diff(&from, &place.at("b"), &[list, "-", "-q"])
                .expect(1, list)
                .out
        });
        assert!(sorted(&changed) && sorted(&deleted));
        assert!(
            deleted.contains("overworld/day/17/2/0.png\n") && !changed.contains("17/0/0.png"),
            "{changed}{deleted}"
        );

        let copy = place.at("copy");
        let _ = fs::remove_dir_all(&copy);
        Files(Map::at(&place.at("a")).files()).write_under(&copy);
        apply(&copy, &place.at("b"), &changed, &deleted);
        assert_same_files(
            "copy",
            &Map::at(&place.at("b")).files(),
            &Map::at(&copy).files(),
        );
    }

    let (list, copy) = (place.at("list"), place.copy("b", "same"));
    for option in ["--changed-list", "--deleted-list"] {
        diff(&place.at("b"), &copy, &[option, list.to_str().unwrap()]).expect(0, option);
        assert_eq!(fs::read_to_string(&list).unwrap(), "");
    }
}

#[test]
fn lists_name_the_files_next_to_tiles() {
    let place = drawn(sand, &["--scheme", "xyz"]);
    let tilejson = "overworld/day/tilejson.json";
    let name = |text: &str| text.replace("\"name\":", "\"other\":");

    let list = place.at("list");
    let listed = || {
        ab(&place, &["--changed-list", list.to_str().unwrap()]);
        fs::read_to_string(&list)
            .unwrap()
            .lines()
            .any(|line| line == tilejson)
    };

    assert!(!listed(), "both say the same");

    let path = place.at("b").join(tilejson);
    fs::write(&path, name(&fs::read_to_string(&path).unwrap())).unwrap();
    assert!(listed());
}
