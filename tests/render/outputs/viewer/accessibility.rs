//! Tests the pages with axe-core (github.com/dequelabs/axe-core), which checks the rules of screen
//! readers, and the ring around the map while it has the focus of the keys.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::browser::{Page, WINDOW};
use super::host::Host;
use super::moments::{nights, press, slide, wait_for_kept};
use super::{BARE, demo};
use crate::map::{Place, fixture};
use crate::missing;
use crate::world::Files;

/// Returns the script of axe-core. If npm has not installed it, reports that on the terminal.
fn axe() -> Option<String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/page/node_modules/axe-core");
    let script = fs::read_to_string(package.join("axe.min.js"));
    if script.is_err() {
        missing::report(
            "axe",
            "the pages by the rules of screen readers: target/page has no axe-core, see \
             CONTRIBUTING.md",
        );
    }
    script.ok()
}

/// Asserts that axe-core finds nothing critical or serious in the page.
fn assert_accessible(page: &mut Page, axe: &str, what: &str) {
    page.eval(&format!("{axe}; 1"));
    let found = page.eval(
        "axe.run().then(({violations}) => violations.filter(({impact}) => \
         ['critical', 'serious'].includes(impact)).map(({id, nodes}) => \
         `${id}: ${nodes.map(({html}) => html).join(' ')}`))",
    );
    assert_eq!(found, json!([]), "{what}");
}

#[test]
fn the_flat_page_suits_screen_readers() {
    let (Some(mut page), Some(axe)) = (Page::open(), axe()) else {
        return;
    };
    let (_place, map, _) = nights();
    let host = Host::of(&map.root);

    for theme in ["dark", "light"] {
        page.go("about:blank");
        page.go(&format!("{}#overworld/height/40/40/0/pin", host.address));
        page.wait_for_tiles();
        page.eval(&format!(
            "document.documentElement.dataset.theme = '{theme}'; \
             document.getElementById('marker-list').open = true; 1"
        ));
        assert_accessible(&mut page, &axe, theme);

        page.eval("document.querySelector('input[name=layer]').click(); 1");
        page.wait_for("location.hash.startsWith('#overworld/day/')");
        press(&mut page, "clock");
        page.wait_for("document.getElementById('moment').max === '2'");
        slide(&mut page, 0);
        wait_for_kept(&mut page, true);
        press(&mut page, "draw");
        press(&mut page, "draw-here");
        assert_accessible(
            &mut page,
            &axe,
            &format!("{theme}, an earlier moment, drawing"),
        );
    }

    // Phones show other parts.
    page.resize((390, 844));
    page.go("about:blank");
    page.go(&format!("{}#overworld/day/0/0/0", host.address));
    page.wait_for_tiles();
    assert_accessible(&mut page, &axe, "a narrow window");
}

#[test]
fn the_comparison_suits_screen_readers() {
    let (Some(mut page), Some(axe)) = (Page::open(), axe()) else {
        return;
    };
    let (_place, map) = demo();
    let host = Host::of(&map.root);

    page.go(&format!("{}?compare=.#overworld/day/0/0/0", host.address));
    page.wait_for("!document.getElementById('divider').hidden");
    page.wait_for_tiles();
    assert_accessible(&mut page, &axe, "two maps");

    page.go(&format!(
        "{}?compare=gone#overworld/day/0/0/0",
        host.address
    ));
    page.wait_for("document.getElementById('compared-other').textContent.includes('404')");
    assert_accessible(&mut page, &axe, "a map that is missing");
}

#[test]
fn the_page_of_hills_suits_screen_readers() {
    let (Some(mut page), Some(axe)) = (Page::open_with_webgl(), axe()) else {
        return;
    };
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw("map", &["-l", "day", "-l", "terrain"]);
    let host = Host::of(&map.root);
    page.resize((720, 300));
    page.go(&format!("{}terrain.html", host.address));
    page.wait_for("document.getElementById('map').getAttribute('aria-busy') === 'false'");
    assert_accessible(&mut page, &axe, "hills");
}

#[test]
fn the_map_shows_the_focus_of_keys() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw("map", &BARE);
    // The tiles fill the window.
    page.go(&format!(
        "file://{}/index.html#overworld/day/0/0/3",
        map.root.display()
    ));
    page.wait_for_tiles();

    let has_ring = |page: &mut Page| {
        let pixels = page.pixels();
        let row = &pixels[WINDOW.1 as usize - 100];
        row[1] == [255; 4] && row[4] == [0x12, 0x15, 0x1a, 255]
    };

    for kind in ["keyDown", "keyUp"] {
        let key = json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
        page.call("Input.dispatchKeyEvent", &key);
    }
    page.wait_for("document.activeElement.id === 'map'");
    assert!(has_ring(&mut page), "the tiles cover the ring");

    page.click(WINDOW.0 / 2, 100);
    assert!(!has_ring(&mut page), "the mouse needs no ring");
    assert_eq!(page.errors, [""; 0]);
}
