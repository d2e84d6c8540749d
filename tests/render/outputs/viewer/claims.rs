//! Tests claims of plugins and mods in the viewer: each file is a kind of markers with its areas.

use serde_json::json;

use super::MIDDLE;
use super::browser::Page;
use super::host::Host;
use crate::outputs::claims::{SCRIPTS, map_of_claims};

#[test]
fn the_page_shows_claims_as_areas() {
    let Some(mut page) = Page::open() else { return };
    let Some((_place, map)) = map_of_claims() else {
        return;
    };

    for address in [
        Host::of(&map.root).address,
        format!("file://{}/index.html", map.root.display()),
    ] {
        page.go(&format!("{address}#overworld/day/12/-10/0"));
        page.wait_for_tiles();

        // The areas of this dimension, by script. The areas of the nether are not counted.
        let counts = [2, 1, 2, 2, 1, 1, 2, 3, 3, 2, 2];
        for ((script, _), count) in SCRIPTS.into_iter().zip(counts) {
            let row =
                format!("document.querySelector('[data-key=\"markers/{script}.geojson\"] .count')");
            page.wait_for(&format!("({row} || {{}}).textContent === '{count}'"));
        }

        // A click on the region of WorldGuard shows its card.
        page.click(MIDDLE.0 as u32, MIDDLE.1 as u32);
        page.wait_for("!document.getElementById('place').hidden");
        assert_eq!(
            page.eval("document.querySelector('#place h2').textContent"),
            json!("spawn")
        );
        page.go("about:blank");
    }

    assert_eq!(page.errors, [""; 0]);
}
