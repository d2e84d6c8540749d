//! Tests details in the viewer: the column under the pointer or in the middle, and a clicked place.

use serde_json::json;

use super::MIDDLE;
use super::browser::Page;
use super::host::Host;
use crate::map::{Place, land};
use crate::world::{ChunkSpec, Generation, Tag, biome, block};

/// Stone, with grass in another biome at column 0, 0.
fn place() -> Place {
    let chunks = [(0, 0), (-1, 0)].map(|(x, z)| {
        let mut chunk = ChunkSpec::new(x, z, Generation::Root(3955));
        chunk.layer(60, 64, block::STONE);
        chunk.set(0, 65, 0, block::GRASS_BLOCK);
        chunk.set_biome(0, 0, biome::TAIGA);
        chunk.extra = vec![("InhabitedTime", Tag::Long(20 * 3_700))];
        chunk
    });
    Place::of(&land::of_chunks(&chunks, Generation::Root(3955)))
}

/// Moves the view to a column, because without a mouse the page describes the middle of the map.
fn look_at(page: &mut Page, layer: &str, (x, z): (i32, i32)) {
    page.eval(&format!(
        "location.hash = '#overworld/{layer}/{x}/{z}/0'; 1"
    ));
}

/// Waits until the line under the map has this text. With an empty text, waits until the line is
/// gone.
fn wait_for_words(page: &mut Page, words: &str) {
    let words = json!(words);
    page.wait_for(&format!(
        "(({{hidden, textContent}}) => (hidden ? '' : textContent) === \
         {words})(document.getElementById('under'))"
    ));
}

#[test]
fn the_page_shows_the_block_of_a_column() {
    let Some(mut page) = Page::open() else { return };
    let place = place();
    let map = place.draw(
        "map",
        &[
            "--details",
            "-l",
            "day",
            "-l",
            "inhabited",
            "--marker-kinds",
            "none",
        ],
    );

    let host = Host::of(&map.root);
    for address in [
        host.address,
        format!("file://{}/index.html", map.root.display()),
    ] {
        page.go(&format!("{address}#overworld/day/0/0/0"));
        wait_for_words(&mut page, "Grass block \u{b7} y 65 \u{b7} Taiga");
        look_at(&mut page, "day", (-5, 7));
        wait_for_words(&mut page, "Stone \u{b7} y 64 \u{b7} Plains");
        look_at(&mut page, "day", (200, 7));
        wait_for_words(&mut page, "");
        look_at(&mut page, "inhabited", (0, 0));
        wait_for_words(
            &mut page,
            "Grass block \u{b7} y 65 \u{b7} Taiga \u{b7} players here: 1 h 1 min",
        );

        page.click(MIDDLE.0 as u32, MIDDLE.1 as u32);
        page.wait_for("!document.getElementById('place-details').hidden");
        let card = page.eval("document.getElementById('place-details').textContent");
        assert_eq!(
            card,
            "Grass block \u{b7} y 65 \u{b7} Taiga. Chunk saved by 1.21, players here: 1 h 1 min."
        );
        page.go("about:blank");
    }

    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn a_map_without_details_shows_and_requests_none() {
    let Some(mut page) = Page::open() else { return };
    let place = place();
    let host = Host::of(&place.draw("map", &["--marker-kinds", "none"]).root);
    page.go(&format!("{}#overworld/day/0/0/0", host.address));
    page.wait_for_tiles();
    page.wait_for("document.getElementById('position').textContent.startsWith('x 0, z 0')");
    std::thread::sleep(std::time::Duration::from_millis(200));
    wait_for_words(&mut page, "");
    assert_eq!(page.errors, [""; 0]);
}
