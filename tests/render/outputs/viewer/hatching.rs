//! Tests the hatching of places that are not drawn, by the pixels of the window.

use serde_json::json;

use super::browser::Page;
use super::host::Host;
use super::{MIDDLE, demo};

/// Returns the distances between the lines of the hatching, in a row of pixels of the window.
fn steps(page: &mut Page, row: usize) -> Vec<usize> {
    let pixels = page.pixels();
    let free = &pixels[row][80..2 * MIDDLE.0 - 80];
    let paper = free[free.len() / 2..free.len() / 2 + 16]
        .iter()
        .min()
        .unwrap();

    // The middle of a line is its brightest pixel, because the page is dark.
    let lines: Vec<usize> = (1..free.len() - 1)
        .filter(|&x| free[x] > *paper && free[x] > free[x - 1] && free[x] >= free[x + 1])
        .collect();
    lines.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn undrawn_places_are_hatched_at_every_zoom() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = demo();
    let host = Host::of(&map.root);

    for zoom in [-4, -1, 0, 3] {
        page.go("about:blank");
        page.go(&format!("{}#overworld/day/4000/4000/{zoom}", host.address));
        page.wait_for("document.querySelectorAll('.leaflet-tile-loaded').length > 0");
        std::thread::sleep(std::time::Duration::from_millis(500));

        let steps = steps(&mut page, 40);
        assert!(steps.len() > 40, "zoom {zoom}: {steps:?}");
        assert!(
            steps.iter().all(|step| (15..=17).contains(step)),
            "zoom {zoom}: {steps:?}"
        );
    }

    assert_eq!(
        page.eval("document.querySelector('#legend .hatching').textContent"),
        json!("unexplored or not drawn")
    );
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn hatching_waits_for_tiles() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = demo();
    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));
    page.wait_for_tiles();

    let background = "getComputedStyle(document.querySelector('img.leaflet-tile')).backgroundImage";
    assert!(page.eval(background).as_str().unwrap().contains("gradient"));
    page.eval(
        "document.querySelector('img.leaflet-tile').classList.remove('leaflet-tile-loaded'); 1",
    );
    assert_eq!(page.eval(background), json!("none"));
    assert_eq!(page.errors, [""; 0]);
}
