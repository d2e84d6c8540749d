//! Tests two maps side by side in the viewer, with a divider between them.
#![allow(
    clippy::disallowed_methods,
    reason = "test maps are no output of the program"
)]

use serde_json::json;

use super::browser::Page;
use super::host::Host;
use super::{MIDDLE, demo};
use crate::map::{Map, Place, Rgba};

/// The colour of the page outside all tiles.
const GROUND: Rgba = [0xdf, 0xe3, 0xe8, 255];

/// Asserts that the window shows some columns as in `map`, all on one side of the divider.
fn assert_side(page: &mut Page, map: &Map, columns: std::ops::Range<i32>) {
    page.wait_for_tiles();
    let (pixels, drawn) = (page.pixels(), map.columns());
    for (x, z) in columns.flat_map(|x| [-60, 60].map(|z| (x, z))) {
        let there = drawn.at(x, z);
        let seen = pixels[(MIDDLE.1 as i32 + z) as usize][(MIDDLE.0 as i32 + x) as usize];
        if there[3] == 255 {
            assert_eq!(seen, there, "at {x} {z}");
        } else {
            // The lines of the hatching are a little darker than the page.
            let is_ground = (0..3).all(|c| GROUND[c].abs_diff(seen[c]) <= 20);
            assert!(is_ground, "{seen:?} at {x} {z}");
        }
    }
}

/// A map with layers `day` and `night`, and a map with only `day`, in folders side by side. Their
/// pixels and the names of their tiles differ.
fn two() -> (Place, Map, Map) {
    let (place, map) = demo();
    let other = place.draw(
        "map-of-monday",
        &["-l", "day", "--scheme", "tms", "--hide", "-96,-96,96,96"],
    );
    (place, map, other)
}

fn drag(page: &mut Page, from: u32, to: u32) {
    for (kind, x) in [
        ("mousePressed", from),
        ("mouseMoved", to),
        ("mouseReleased", to),
    ] {
        let event = json!({"type": kind, "x": x, "y": 700, "button": "left", "buttons": 1, "clickCount": 1});
        page.call("Input.dispatchMouseEvent", &event);
    }
}

#[test]
fn a_divider_compares_two_maps() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map, other) = two();
    let root = map.root.parent().unwrap();
    let beside = [
        format!("{}map/index.html", Host::of(root).address),
        // A host that allows other pages to read its facts.
        Host::of(&map.root).address,
        format!("file://{}/index.html", map.root.display()),
    ];

    let asked = [
        "../map-of-monday/".to_owned(),
        Host::of(&other.root).address,
        "../map-of-monday/index.html".to_owned(),
    ];

    for (address, asked) in beside.iter().zip(asked) {
        page.go(&format!("{address}?compare={asked}#overworld/day/0/0/0"));
        page.wait_for("!document.getElementById('divider').hidden");
        page.wait_for("document.querySelectorAll('.leaflet-compared-pane img').length > 0");
        assert_side(&mut page, &map, -90..-20);
        assert_side(&mut page, &other, 20..90);
        assert_eq!(
            page.eval("document.getElementById('save').hidden"),
            json!(true),
            "half of two maps is no picture"
        );

        drag(&mut page, MIDDLE.0 as u32, MIDDLE.0 as u32 + 120);
        assert_side(&mut page, &map, -90..90);
        page.eval("document.getElementById('divider').focus(); 1");

        for _ in 0..2 {
            page.call(
                "Input.dispatchKeyEvent",
                &json!({"type": "keyDown", "key": "PageDown", "code": "PageDown"}),
            );
        }

        // 596 pixels minus 20 % of 1,200 are 356.
        assert_side(&mut page, &other, -90..90);
        page.go("about:blank");
    }

    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn incomparable_maps_are_reported_in_a_line() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map, other) = two();
    let address = format!(
        "{}map/index.html",
        Host::of(map.root.parent().unwrap()).address
    );

    let told = "document.getElementById('compared-other')?.textContent";
    page.go(&format!(
        "{address}?compare=../map-of-monday/#overworld/night/0/0/0"
    ));

    page.wait_for(&format!(
        "{told} === 'map-of-monday: it has no layer Night here'"
    ));
    page.eval("document.querySelectorAll('input[name=layer]')[0].click(); 1");
    page.wait_for(&format!("{told} === 'map-of-monday'"));

    let mut facts = other.facts();
    facts["native_zoom"] = json!(16);
    std::fs::write(other.root.join("map.json"), facts.to_string()).unwrap();
    page.call("Page.reload", &json!({}));
    page.wait_for(&format!("{told} === 'map-of-monday: it has another scale'"));
    assert_eq!(page.errors, [""; 0]);

    for (asked, lack) in [
        ("../gone/", "gone: the host answers 404"),
        ("javascript:alert(1)", "it cannot be read from here"),
        ("%", "%: the host answers 404"),
        ("%25E0%25A4%25A", "%E0%A4%A: the host answers 404"),
        ("http://[", "http://[: this is not an address"),
        ("http://a:99999/", "http://a:99999/: this is not an address"),
        (
            "http://127.0.0.1:9/<b>map</b>/",
            "Access-Control-Allow-Origin",
        ),
    ] {
        page.go(&format!(
            "{address}?{}&compare={asked}#overworld/day/0/0/0",
            asked.len()
        ));
        page.wait_for(&format!("{told}?.includes('{lack}')"));
        assert_side(&mut page, &map, -90..90);
        assert_eq!(
            page.eval(
                "[...document.querySelectorAll('#compared span')].every((text) => \
                 text.getBoundingClientRect().right <= \
                 document.getElementById('panel').getBoundingClientRect().left)"
            ),
            json!(true),
            "the panel covers a text"
        );
    }
}
