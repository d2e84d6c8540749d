//! Tests texts from a world: terminals must not obey them, and JSON and the viewer must contain
//! them as plain text.

use serde_json::Value;

use super::run::{info, query, render, run};
use crate::map::{Map, Place};
use crate::world::level_dat::LevelDat;
use crate::world::{Block, ChunkSpec, Files, Generation, Record, RegionSpec, fixture::landscape};

/// A text that rings the bell, clears the screen, sets the title of the window, moves up a line,
/// hides the rest, and ends the script of a page.
const EVIL: &str =
    "a\u{7}\u{1b}[2J\u{1b}]0;x\u{7}\r\u{8}\u{9b}1A\u{202e}\u{2066}\n</script><b>&\"'\u{2028}";
/// Characters that must not reach a terminal.
const OBEYED: [char; 9] = [
    '\u{7}', '\u{1b}', '\r', '\u{8}', '\u{9b}', '\u{7f}', '\u{202e}', '\u{2066}', '\u{2028}',
];

fn world_with_evil_names() -> Files {
    let name: &'static str = Box::leak(format!("mod:{EVIL}").into_boxed_str());
    let mut unknown = ChunkSpec::new(1, 0, Generation::Root(3955));
    unknown.layer(60, 70, Block::named(name));
    let mut region = RegionSpec::new(0, 0);
    region.put(&landscape(0, 0, Generation::Root(3955)));
    region.put(&unknown);
    let custom = [&(EVIL.len() as u16).to_be_bytes()[..], EVIL.as_bytes()].concat();
    region.put_record(3, 0, Record::new(127, custom));
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new(EVIL, Some(3955)).bytes());
    files.put_region("region", &region);
    files
}

fn assert_obeys_nothing(what: &str, said: &str) {
    assert!(!said.contains(OBEYED), "{what}: {said:?}");
}

#[test]
fn world_texts_are_printed_without_terminal_controls() {
    let place = Place::of(&world_with_evil_names());
    let world = place.world();
    let ran = render(&world, &place.at("map"), &["-v"]).expect(3, "render");
    assert_obeys_nothing("render", &ran.err);

    assert!(ran.err.contains("mod:a"), "{}", ran.err);
    assert_eq!(
        ran.report()["world"]["name"],
        EVIL,
        "JSON holds it as it is"
    );

    assert!(
        ran.report()["unknown_blocks"]
            .as_object()
            .unwrap()
            .contains_key(&format!("mod:{EVIL}"))
    );

    let told = run(&["info", world.to_str().unwrap()]).expect(3, "info");
    assert_obeys_nothing("info", &told.out);
    assert_eq!(info(&world).0["name"], EVIL);

    let told = run(&["query", world.to_str().unwrap(), "17", "3"]).expect(0, "query");
    assert_obeys_nothing("query", &told.out);
    assert_eq!(told.out.lines().count(), 1, "{}", told.out);
    assert_eq!(
        query(&world, &[(17, 3)]).0[0]["block"],
        format!("mod:{EVIL}")
    );

    // The map of another world names the world that it shows.
    let other = Place::of(&Files::read_under(&crate::map::fixture("root-3955")));
    let ran = render(&other.world(), &place.at("map"), &[]).expect(1, "another world");
    assert_obeys_nothing("another world", &ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn the_viewer_page_contains_no_world_text() {
    let place = Place::of(&world_with_evil_names());
    render(&place.world(), &place.at("map"), &[]).expect(3, "render");
    let map = Map::at(&place.at("map"));
    assert_eq!(map.facts()["name"], EVIL);

    let text = |name: &str| String::from_utf8(map.files()[name].clone()).unwrap();

    for name in ["index.html", "viewer.js", "viewer.css"] {
        assert!(
            !text(name).contains("[2J") && !text(name).contains("a\u{7}"),
            "{name}"
        );
    }

    let script = text("map.js");
    assert!(!script.contains("</") && !script.contains(['\u{2028}', '\u{7}', '\u{1b}']));
    assert_eq!(script.lines().count(), 1);

    let object = script
        .strip_prefix("var PIXELMAP = ")
        .unwrap()
        .trim_end()
        .trim_end_matches(';');
    assert_eq!(serde_json::from_str::<Value>(object).unwrap()["name"], EVIL);
}

#[cfg(unix)]
#[test]
fn folders_with_evil_names_are_reported() {
    let place = Place::of(&world_with_evil_names());
    let folder = place
        .world()
        .join("dimensions/mod")
        .join(EVIL.replace('/', "_"))
        .join("region");
    Files([("r.0.0.mca".to_owned(), Vec::new())].into()).write_under(&folder);

    let ran = render(&place.world(), &place.at("map"), &[])
        .expect(3, "a dimension that no game names so");
    assert_obeys_nothing("render", &ran.err);
    assert!(ran.err.contains("left out"), "{}", ran.err);

    let evil = place.at(&EVIL.replace('/', "_"));
    world_with_evil_names().write_under(&evil);
    for args in [&["info"][..], &["query", "0", "0"], &["render", "-o"]] {
        let map = evil.with_extension("map");
        let mut all = vec![args[0], evil.to_str().unwrap()];
        all.extend(&args[1..]);

        if args[0] == "render" {
            all.push(map.to_str().unwrap());
        }

        let ran = run(&all);
        assert!([0, 3].contains(&ran.code), "{}", ran.err);
        assert_obeys_nothing(args[0], &format!("{}{}", ran.err, ran.out));
    }

    let missing = evil.join("nothing");
    let ran = run(&["info", missing.to_str().unwrap()]).expect(1, "no such folder");
    assert_obeys_nothing("no such folder", &ran.err);
}
