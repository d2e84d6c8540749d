//! Tests merges of parts that are missing, damaged, foreign, or do not belong together.

use std::fs;

use super::{OPTIONS, draw_all, files, merge, refusal, shard, world_with_gaps};
use crate::map::{Map, Place, assert_same_files, render};
use crate::world::level_dat::LevelDat;

#[test]
fn missing_shards_are_named() {
    let place = Place::of(&world_with_gaps(None, None));
    let said = refusal(merge(&place, "map", &[], &[]), 1);
    assert!(said.contains("pixelmap render --shard"), "{said}");

    for number in [1, 3] {
        shard(&place, "map", &format!("{number}/4"), &[]).expect(0, "shard");
    }

    let said = refusal(merge(&place, "map", &[], &[]), 1);
    assert!(
        said.contains("of 4 shards") && said.contains("2, 4;") && said.contains("--allow-missing"),
        "{said}"
    );
    assert!(!place.at("map/map.json").exists());

    let report = merge(&place, "map", &[], &["--allow-missing"])
        .expect(0, "preview")
        .report();
    assert!(report["warnings"].to_string().contains("2, 4"), "{report}");

    let preview = files(&place, "map");

    for number in [2, 4] {
        shard(&place, "map", &format!("{number}/4"), &[]).expect(0, "shard");
    }

    merge(&place, "map", &[], &[]).expect(0, "merge");
    place.draw("single", &OPTIONS);
    assert_same_files("map", &files(&place, "single"), &files(&place, "map"));
    assert!(
        preview.keys().any(|path| path.ends_with("/15/0/0.png"))
            && preview.len() < files(&place, "map").len()
    );

    // If a shard is begun again and not finished, the map keeps its earlier tiles.
    fs::remove_file(place.at("map/.pixelmap/parts/2-of-4/part.json")).unwrap();
    assert!(refusal(merge(&place, "map", &[], &[]), 1).contains("one is missing"));
    merge(&place, "map", &[], &["--allow-missing"]).expect(0, "preview");

    let tiles = |out: &str| {
        [
            Map::at(&place.at(out)).tiles("overworld"),
            Map::at(&place.at(out)).tiles("the_nether"),
        ]
    };

    let names = |out: &str| tiles(out).map(|tiles| tiles.into_keys().collect::<Vec<_>>());
    assert_eq!(names("map"), names("single"));
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let place = Place::of(&world_with_gaps(None, None));
    let other = Place::of(&world_with_gaps(None, Some((0, 0))));
    let third = Place::of(&world_with_gaps(None, None));
    fs::write(
        third.world().join("level.dat"),
        LevelDat::new("another", None).bytes(),
    )
    .unwrap();

    shard(&place, "one", "1/2", &[]).expect(0, "one");
    shard(&place, "two", "2/2", &[]).expect(0, "two");
    shard(&place, "again", "1/2", &[]).expect(0, "again");
    shard(&place, "three", "2/3", &[]).expect(0, "three");

    shard(
        &place,
        "options",
        "2/2",
        &["--contours", "10", "-l", "height"],
    )
    .expect(0, "options");

    shard(&place, "title", "2/2", &["--description", "Another"]).expect(0, "title");
    shard(&place, "palette", "2/2", &["--palette", "map-item"]).expect(0, "palette");

    let from = |other: &Place, name: &str| {
        let ran = render(
            &other.world(),
            &place.at(name),
            &[&OPTIONS[..], &["--shard", "2/2"]].concat(),
        );
        ran.expect(0, name);
    };

    from(&other, "changed");
    from(&third, "elsewhere");
    place.copy("two", "version");
    place.copy("two", "damaged");
    let part = |name: &str| place.at(name).join(".pixelmap/parts/2-of-2/part.json");
    let text = fs::read_to_string(part("version")).unwrap();

    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version));
    fs::write(
        part("version"),
        text.replace(&version, "\"version\":\"0.0.1\""),
    )
    .unwrap();
    fs::write(part("damaged"), &text[..text.len() / 2]).unwrap();

    for (name, why) in [
        ("three", "different numbers of shards"),
        ("options", "other options"),
        ("title", "other options"),
        ("palette", "other options"),
        ("changed", "from different states of the world"),
        ("elsewhere", "different worlds"),
        ("version", "different versions"),
        ("damaged", "another version of pixelmap, or is damaged"),
    ] {
        let said = refusal(merge(&place, "map", &["one", name], &[]), 1);
        assert!(said.contains(why) && said.contains(name), "{name}: {said}");
        assert!(!place.at("map").exists(), "{name}");
    }

    let said = refusal(merge(&place, "map", &["one", "two", "again"], &[]), 1);
    assert!(said.contains("shard 1/2 is there twice"), "{said}");
    merge(&place, "map", &["two", "one"], &[]).expect(0, "in any order");
}

#[test]
fn missing_or_damaged_tiles_are_redrawn() {
    let place = Place::of(&world_with_gaps(None, None));
    place.draw("single", &OPTIONS);

    let tile = "overworld/day/17/0/0.png";
    for out in ["map", "apart"] {
        draw_all(&place, out, 2, 0);
        let parts: &[&str] = if out == "apart" { &["apart"] } else { &[] };
        fs::write(place.at(out).join(tile), b"no tile").unwrap();

        let said = refusal(merge(&place, "merged", parts, &[]), 1);
        if out == "apart" {
            assert!(said.contains(tile), "{said}");
        }

        let said = refusal(
            merge(
                &place,
                if parts.is_empty() { out } else { "merged" },
                parts,
                &[],
            ),
            1,
        );
        assert!(said.contains(tile), "{said}");
        draw_all(&place, out, 2, 0);

        let merged = if parts.is_empty() { out } else { "merged" };
        merge(&place, merged, parts, &[]).expect(0, out);
        assert_same_files(out, &files(&place, "single"), &files(&place, merged));
    }
}

#[test]
fn foreign_parts_never_leave_their_folder() {
    let place = Place::of(&world_with_gaps(None, None));
    shard(&place, "part", "1/1", &[]).expect(0, "part");

    let json = fs::read_to_string(place.at("part/.pixelmap/parts/1-of-1/part.json")).unwrap();
    let changed = |from: &str, to: &str| {
        assert!(json.contains(from), "{from} in {json}");
        json.replace(from, to)
    };

    for (what, text) in [
        (
            "a path out of the folder",
            changed("\"path\":\"the_nether\"", "\"path\":\"../../nether\""),
        ),
        (
            "the folder of the user's files",
            changed(
                "\"id\":\"the_nether\",\"path\":\"the_nether\"",
                "\"id\":\"custom\",\"path\":\"custom\"",
            ),
        ),
        (
            "a zoom level that is none",
            changed("\"min_zoom\":15", "\"min_zoom\":0"),
        ),
        (
            "too many levels",
            changed("\"min_zoom\":15", "\"min_zoom\":200"),
        ),
        (
            "fewer keys than layers",
            changed(
                "\"layers\":[\"day\",\"biome\",\"details\"]",
                "\"layers\":[\"day\",\"biome\",\"details\",\"night\"]",
            ),
        ),
        ("an unknown layer", changed("\"biome\"", "\"biomes\"")),
        (
            "no page of ours",
            changed(
                "\"own_markers\":[]",
                "\"own_markers\":[[\"x.html\",\"{}\"]]",
            ),
        ),
        (
            "markers elsewhere",
            changed(
                "\"own_markers\":[]",
                "\"own_markers\":[[\"../x.geojson\",\"{}\"]]",
            ),
        ),
        (
            "markers that are no JSON",
            changed(
                "\"own_markers\":[]",
                "\"own_markers\":[[\"x.geojson\",\"</script>\"]]",
            ),
        ),
        (
            "an icon elsewhere",
            changed(
                "\"icons\":[]",
                "\"icons\":[{\"name\":\"../x\",\"png\":\"\"}]",
            ),
        ),
        (
            "a stray off the map",
            changed("\"strays\":[]", "\"strays\":[[0,0,1,1]]"),
        ),
        ("no shard", changed("\"shard\":1", "\"shard\":0")),
        (
            "fewer maps",
            changed("\"maps\":[", "\"maps\":[],\"more\":["),
        ),
    ] {
        let copy = format!("part of {what}");
        place.copy("part", &copy);
        fs::write(
            place.at(&copy).join(".pixelmap/parts/1-of-1/part.json"),
            text,
        )
        .unwrap();

        let said = refusal(merge(&place, "map", &[&copy], &[]), 1);
        assert!(
            !said.contains("panicked") && !place.at("map").exists(),
            "{what}: {said}"
        );
    }

    // A tile that was changed on the way and has the same length.
    place.copy("part", "flipped");
    let tile = place.at("flipped/overworld/day/17/0/0.png");
    let mut bytes = fs::read(&tile).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&tile, bytes).unwrap();
    assert!(refusal(merge(&place, "map", &["flipped"], &[]), 1).contains("17/0/0.png"));

    // A part whose path leads elsewhere.
    #[cfg(unix)]
    {
        place.copy("part", "linked");
        let tile = place.at("linked/overworld/day/17/0/0.png");
        fs::remove_file(&tile).unwrap();
        std::os::unix::fs::symlink(place.world().join("level.dat"), &tile).unwrap();
        assert!(
            refusal(merge(&place, "other", &["linked"], &[]), 1).contains("not a file of a part")
        );

        assert!(
            place
                .at("other/overworld/day/17/0/0.png")
                .symlink_metadata()
                .is_err()
        );
    }

    // A journal with any bytes.
    place.copy("part", "torn");

    let journal = place.at("torn/.pixelmap/parts/1-of-1/journal");
    let bytes = fs::read(&journal).unwrap();
    for len in [0, 18, 40, bytes.len() / 2] {
        fs::write(&journal, &bytes[..len]).unwrap();
        let ran = merge(&place, &format!("torn-{len}"), &["torn"], &[]);
        assert!(
            !ran.err.contains("panicked") && ran.code <= 3,
            "{len}: {}",
            ran.err
        );
    }
}
