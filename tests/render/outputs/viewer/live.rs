//! Tests the page of a world that is drawn while the page is open.

use std::time::{Duration, Instant};

use serde_json::json;

use super::MIDDLE;
use super::browser::Page;
use crate::map::{Map, Place};
use crate::serve::Server;
use crate::serve::players::Game;

fn serve(place: &Place, options: &[&str]) -> Server {
    let out = place.at("served");
    Server::of(
        &place.world(),
        &[
            &["-o", out.to_str().unwrap(), "--marker-kinds", "none"],
            options,
        ]
        .concat(),
    )
}

const PROGRESS: &str = "(document.getElementById('drawing') || {textContent: 'gone'}).textContent";

#[test]
fn a_page_shows_sketches_then_tiles() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of_demo(100);
    let server = serve(&place, &["--on-demand"]);

    // Outer tiles that nobody has drawn yet.
    page.go(&format!("{}#overworld/day/0/0/-1", server.url));
    page.wait_for_tiles();

    let shown = |page: &mut Page| {
        let pixels = page.pixels();
        let middle = pixels[MIDDLE.1..600]
            .iter()
            .flat_map(|row| row[MIDDLE.0..MIDDLE.0 + 200].iter());
        let colours: std::collections::BTreeSet<_> = middle.collect();
        colours.len()
    };

    assert!(shown(&mut page) > 50, "the land is there at once");

    // The visible area is drawn, and the page shows it; the rest is not drawn.
    page.wait_for(&format!(
        "/^[1-9][0-9]? of 100 regions drawn/.test({PROGRESS})"
    ));
    page.wait_for(
        "[...document.querySelectorAll('img.leaflet-tile')].some((tile) => \
         tile.src.startsWith('blob:'))",
    );
    assert!(shown(&mut page) > 50);

    // A native tile is ready when the page requests it.
    page.go(&format!("{}#overworld/day/256/256/0", server.url));
    super::assert_shows(&mut page, &Map::at(&place.at("served")), (256, 256));
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn pages_show_online_players_and_find_blocks() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of_demo(1);
    let game = Game::of(&[("Alice", "minecraft:overworld", [100.5, 70.0, 100.5], 0)]);

    let file = Game::password_file(&place);
    let rcon = [
        "--rcon",
        &game.address,
        "--rcon-password-file",
        file.to_str().unwrap(),
        "--find",
        "minecraft:absent",
    ];

    let server = serve(&place, &rcon);
    page.go(&format!(
        "{}?find=*_log,water#overworld/day/0/0/0",
        server.url
    ));

    page.wait_for(
        "[...document.querySelectorAll('#marker-kinds label')].some((row) => /^Players \
         online/.test(row.textContent))",
    );

    page.wait_for(
        "[...document.querySelectorAll('#marker-kinds label')].some((row) => /^Found \
         blocks/.test(row.textContent))",
    );
    page.send("go-to", "Alice");
    assert_eq!(page.address(), "#overworld/day/100/100/0/pin");

    let card = page.eval("document.getElementById('place-marker').innerText");
    assert!(card.as_str().unwrap().contains("Looks east"), "{card}");
    game.move_to([-50.0, 70.0, 20.0]);
    page.wait_for("(() => { const list = document.getElementById('marker-list'); list.open = true; const field = document.getElementById('marker-search'); field.value = 'alice'; field.dispatchEvent(new Event('input')); return document.getElementById('marker-found').innerText.includes('-50, 20'); })()");
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn a_page_switches_to_the_finished_map() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of_demo(9);
    let server = serve(&place, &["-t", "1"]);
    page.go(&format!("{}#overworld/day/256/256/0", server.url));
    page.wait_for(&format!("{PROGRESS} === 'gone'"));

    // Now the addresses of its tiles have their version. Until then the page may still remove tiles
    // of the unfinished map, so that no pixels are shown for a moment.
    page.wait_for(
        "[...document.querySelectorAll('img.leaflet-tile')].every((tile) => \
         tile.src.includes('?v='))",
    );
    super::assert_shows(&mut page, &Map::at(&place.at("served")), (256, 256));
    assert_eq!(page.eval("PIXELMAP.dimensions.length"), json!(1));
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn a_page_shows_saved_changes_at_once() {
    const VERSIONS: &str = "[...document.querySelectorAll('img.leaflet-tile')].map((tile) => \
                            tile.src.split('?v=')[1])";

    let Some(mut page) = Page::open() else { return };
    let place = Place::of_demo(9);
    let server = serve(&place, &[]);
    page.go(&format!("{}#overworld/day/256/256/0", server.url));
    page.wait_for(&format!("{VERSIONS}.some(Boolean)"));

    // A page that is opened later also receives the news. It checks for a newer map once a minute,
    // and not earlier.
    page.go(&format!("{}?later#overworld/day/256/250/0", server.url));
    page.wait_for(&format!("{VERSIONS}.some(Boolean)"));
    page.eval(&format!("window.before = {VERSIONS}.find(Boolean)"));

    let (regions, start) = (place.world().join("region"), Instant::now());
    let other = std::fs::read(regions.join("r.1.0.mca")).unwrap();
    std::fs::remove_file(regions.join("r.0.0.mca")).unwrap();
    std::fs::write(regions.join("r.0.0.mca"), other).unwrap();
    page.wait_for(&format!(
        "{VERSIONS}.some((version) => version && version !== before)"
    ));

    assert!(
        start.elapsed() < Duration::from_secs(40),
        "{:?}",
        start.elapsed()
    );
    super::assert_shows(&mut page, &Map::at(&place.at("served")), (256, 250));
    assert_eq!(page.errors, [""; 0]);
}
