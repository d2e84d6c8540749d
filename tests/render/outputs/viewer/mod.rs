//! Tests the viewer in a browser by its pixels, from a strict host and from disk.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

mod accessibility;
mod browser;
mod catalog;
mod claims;
#[cfg(feature = "serve")]
mod closer;
mod compare;
mod details;
mod draw;
mod hatching;
mod hills;
mod host;
mod languages;
mod legend;
#[cfg(feature = "serve")]
mod live;
mod markers;
mod moments;
mod paper;
mod worlds;

use serde_json::json;

use crate::map::{Map, Place, Rgba, fixture, land, render};
use crate::world::level_dat::LevelDat;
use crate::world::{ChunkSpec, Files, Generation, block};
use browser::{Page, WINDOW};
use host::Host;

/// The width that the open panel covers at the right of the window, with its margin.
const COVERED: usize = 248;
/// The middle of the part of the window that the open panel leaves free.
const MIDDLE: (usize, usize) = ((WINDOW.0 as usize - COVERED) / 2, WINDOW.1 as usize / 2);

/// Asserts that the middle of the free part of the window shows the columns around a position, with
/// one pixel per column.
fn assert_shows(page: &mut Page, map: &Map, column: (i32, i32)) {
    assert_shows_at(page, map, column, MIDDLE);
}

/// Asserts the same at another place of the window.
fn assert_shows_at(page: &mut Page, map: &Map, (x, z): (i32, i32), middle: (usize, usize)) {
    page.wait_for_tiles();
    let (pixels, columns) = (page.pixels(), map.columns());
    let around =
        |reach: i32| (-reach..reach).flat_map(move |dz| (-reach..reach).map(move |dx| (dx, dz)));
    let seen =
        |dx: i32, dz: i32| pixels[(middle.1 as i32 + dz) as usize][(middle.0 as i32 + dx) as usize];
    for (dx, dz) in around(60) {
        let there: Rgba = columns.at(x + dx, z + dz);
        if there[3] == 255 {
            assert_eq!(seen(dx, dz), there, "at {} {}", x + dx, z + dz);
        }
    }
}

/// Hides markers, because pixels are compared with the tiles.
const BARE: [&str; 2] = ["--marker-kinds", "none"];

fn demo() -> (Place, Map) {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw("map", &[&["-l", "day", "-l", "night"], &BARE[..]].concat());
    (place, map)
}

#[test]
fn pages_show_the_pixels_of_the_map() {
    let Some(mut page) = Page::open() else { return };

    let (_place, map) = demo();
    let host = Host::of(&map.root);
    for address in [
        host.address,
        format!("file://{}/index.html", map.root.display()),
    ] {
        page.go(&format!("{address}#overworld/day/40/-20/0"));
        assert_shows(&mut page, &map, (40, -20));
        assert_eq!(page.address(), "#overworld/day/40/-20/0");
        page.go("about:blank");
    }

    assert_eq!(page.errors, [""; 0]);
}

#[cfg(feature = "serve")]
#[test]
fn a_page_shows_served_maps() {
    use crate::serve::Server;

    let Some(mut page) = Page::open() else { return };
    let (place, map) = demo();
    let archive = place.at("world.pmtiles");
    crate::map::on(
        "export",
        &map.root,
        &["-q", "-o", archive.to_str().unwrap()],
    )
    .expect(0, "export");
    for (out, options) in [
        (&map.root, &["--base-path", "/our/map"][..]),
        (&archive, &[]),
    ] {
        let server = Server::of(out, options);
        page.go(&format!("{}#overworld/day/40/-20/0", server.url));
        assert_shows(&mut page, &map, (40, -20));
        page.go("about:blank");
    }
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn a_wrong_address_of_an_archive_is_reported() {
    let Some(mut page) = Page::open() else { return };

    let (_place, map) = demo();
    let host = Host::of(&map.root);
    for (asked, text) in [
        ("%", "The host answers 404 when asked for the archive."),
        (
            "%25E0%25A4%25A",
            "The host answers 404 when asked for the archive.",
        ),
        (
            "http://[",
            "http://[ is not an address: write ?pmtiles= with the address of the archive, or \
             choose the file.",
        ),
        ("javascript:1", "It lies on another host than this page."),
    ] {
        page.go(&format!("{}?pmtiles={asked}", host.address));
        page.wait_for(
            "document.getElementById('message-title').textContent === 'This archive cannot be \
             shown'",
        );
        assert_eq!(
            page.eval("document.getElementById('message-text').textContent"),
            json!(text),
            "{asked}"
        );

        assert_eq!(
            page.eval("document.getElementById('message-file').hidden"),
            json!(false),
            "{asked}"
        );
    }

    // The host's answers are errors, and the page reports no others.
    assert!(
        page.errors.iter().all(|error| error.contains("404")),
        "{:?}",
        page.errors
    );
}

/// The pages of a map never run a text as a script, whatever the host is.
#[test]
fn a_script_in_a_page_is_not_run() {
    let Some(mut page) = Page::open() else { return };

    let (_place, map) = demo();
    for address in [
        Host::of(&map.root).address,
        format!("file://{}/index.html", map.root.display()),
    ] {
        page.go(&address);
        page.wait_for_tiles();
        let planted =
            "<img src=x: onerror='window.planted = 1'><svg onload='window.planted = 1'></svg>";
        page.eval(&format!(
            "document.getElementById('name').innerHTML = `{planted}`; \
             document.body.append(Object.assign(document.createElement('script'), \
             {{text: 'window.planted = 1'}})); 1"
        ));
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert_eq!(page.eval("String(window.planted)"), json!("undefined"));
    }
}

#[test]
fn a_page_loads_only_visible_tile_lists() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&land::scattered());

    let map = place.draw("map", &BARE);
    let host = Host::of(&map.root);
    let loaded = "performance.getEntriesByType('resource').filter((of) => \
                  of.name.includes('/tiles-')).length";
    for address in [
        host.address,
        format!("file://{}/index.html", map.root.display()),
    ] {
        page.go(&format!("{address}#overworld/day/0/0/-3"));
        page.wait_for_tiles();
        assert_eq!(page.eval(loaded), json!(0), "few tiles are in the facts");

        // Two lists meet there. The host would report an error for a missing tile.
        page.go(&format!("{address}?2#overworld/day/0/0/0"));
        assert_shows(&mut page, &map, (0, 0));

        // Browsers do not report which files of the disk they read.
        assert_eq!(
            page.eval(loaded),
            json!(if address.starts_with("http") { 2 } else { 0 })
        );
        page.go("about:blank");
    }

    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn a_newer_map_reaches_open_pages() {
    let Some(mut page) = Page::open() else { return };
    let (place, map) = demo();
    let host = Host::of(&map.root);
    page.go(&format!("{}#overworld/day/0/0/0", host.address));
    assert_shows(&mut page, &map, (0, 0));
    let middle = |page: &mut Page| page.pixels()[MIDDLE.1][MIDDLE.0];
    let before = middle(&mut page);

    // Starts to record the least number of tiles that are visible at a time.
    page.eval(
        "window.least = 99; setInterval(() => \
         { window.least = Math.min(window.least, document.querySelectorAll('img.leaflet-tile-loaded').length); }, 10); 1",
    );

    render(
        &place.world(),
        &map.root,
        &[&["--hide", "-16,-16,16,16"], &BARE[..]].concat(),
    )
    .expect(0, "a newer map");

    page.eval("document.dispatchEvent(new Event('visibilitychange')); 1");
    let version = map.facts()["dimensions"][0]["layers"][0]["version"]
        .as_str()
        .unwrap()
        .to_owned();
    page.wait_for(&format!(
        "[...document.querySelectorAll('img.leaflet-tile')].every((tile) => \
         tile.src.endsWith('?v={version}'))"
    ));

    assert_shows(&mut page, &map, (0, 0));
    assert_ne!(middle(&mut page), before);
    assert!(
        page.eval("window.least").as_u64().unwrap() > 0,
        "the map went away in between"
    );

    // A page that is opened again has all its files in the cache.
    render(&place.world(), &map.root, &BARE).expect(0, "as before");
    page.call("Page.reload", &json!({}));
    page.wait_for("document.readyState === 'complete'");
    assert_shows(&mut page, &map, (0, 0));
    assert_eq!(middle(&mut page), before);
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn places_are_visited_marked_and_shared() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = demo();
    page.go(&format!(
        "{}#overworld/day/0/0/1",
        Host::of(&map.root).address
    ));
    page.wait_for_tiles();

    for (text, address) in [
        ("100 64 -50", "#overworld/day/100/-50/1/pin"),
        ("~-10, ~", "#overworld/day/90/-50/1/pin"),
        ("nowhere", "#overworld/day/90/-50/1/pin"),
        ("1 2 3 4", "#overworld/day/90/-50/1/pin"),
    ] {
        page.send("go-to", text);
        assert_eq!(page.address(), address, "{text}");
        assert_eq!(
            page.eval("document.getElementById('go-to').validationMessage !== ''"),
            json!(!text.contains('~') && !text.contains('-'))
        );
    }

    page.eval("history.back(); 1");
    page.wait_for("location.hash === '#overworld/day/100/-50/1/pin'");
    page.eval("document.querySelectorAll('input[name=layer]')[1].click(); 1");
    page.wait_for("location.hash.startsWith('#overworld/night/100/-50/1')");
    page.eval("history.back(); 1");
    page.wait_for("location.hash === '#overworld/day/100/-50/1/pin'");

    // A shared address shows its mark.
    page.go("about:blank");
    page.go(&format!(
        "{}#overworld/day/7/9/2/pin",
        Host::of(&map.root).address
    ));

    page.wait_for_tiles();
    assert_eq!(
        page.eval("document.getElementById('place').hidden"),
        json!(false)
    );

    assert!(
        page.eval("document.getElementById('place-position').textContent")
            .as_str()
            .unwrap()
            .starts_with("x 7, z 9")
    );

    // While the visitor measures, clicks set no mark.
    page.eval("document.getElementById('measure').click(); 1");
    page.click(400, 300);
    page.click(800, 300);
    page.wait_for(
        "document.getElementById('measured').textContent === '100 blocks along 2 points'",
    );
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn nether_and_overworld_keep_the_place() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    let address = Host::of(&map.root).address;
    page.go(&format!("{address}#overworld/day/400/80/0"));
    page.wait_for_tiles();

    let choose = |page: &mut Page, number: usize| {
        page.eval(&format!(
            "document.querySelectorAll('input[name=dimension]')[{number}].click(); 1"
        ));
    };

    choose(&mut page, 1);
    page.wait_for("location.hash.startsWith('#the_nether/day/50/10/')");
    choose(&mut page, 0);
    page.wait_for("location.hash.startsWith('#overworld/day/4') && location.hash.includes('/8')");
    page.go(&format!("{address}?2#nether/day/5/6/1"));
    page.wait_for("location.hash === '#the_nether/day/5/6/1'");
    page.go(&format!("{address}?3#minecraft:the_nether/day/5/6/1"));
    page.wait_for("location.hash === '#the_nether/day/5/6/1'");
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn many_dimensions_are_listed_as_text() {
    let Some(mut page) = Page::open() else { return };
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(0, 3, block::STONE);
    let mut files = Files::new();
    let name = "<img src=x onerror=alert(1)></script>";
    files.put("level.dat", LevelDat::new(name, Some(3955)).bytes());

    let folders = (1..24).map(|number| format!("dimensions/ad_astra/far_{number}/region"));
    for folder in folders.chain(["region".to_owned()]) {
        land::put_chunks(&mut files, &folder, std::slice::from_ref(&chunk));
    }

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    page.go(&Host::of(&map.root).address);
    page.wait_for_tiles();
    assert_eq!(
        page.eval("document.getElementById('name').textContent"),
        json!(name)
    );

    assert_eq!(
        page.eval("document.querySelectorAll('.choices select option').length"),
        json!(24)
    );
    assert_eq!(
        page.eval("document.querySelector('.choices select').options[1].text"),
        json!("Far 1 · ad_astra")
    );

    page.eval("(() => { const list = document.querySelector('.choices select'); list.value = 'ad_astra:far_7'; list.dispatchEvent(new Event('change')); })()");
    page.wait_for("location.hash.startsWith('#ad_astra:far_7/')");

    // Every part of the panel can be reached in a small window.
    let size = json!({"width": 360, "height": 420, "deviceScaleFactor": 1, "mobile": true});
    page.call("Emulation.setDeviceMetricsOverride", &size);
    page.eval(
        "document.getElementById('settings').hidden && document.getElementById('fold').click(); 1",
    );
    page.wait_for("(() => { const panel = document.getElementById('panel').getBoundingClientRect(); return panel.right <= 360 && panel.bottom <= 420; })()");
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn the_open_panel_never_covers_the_map() {
    let Some(mut page) = Page::open() else { return };
    let chunks = [(-2, -2), (1, 1)].map(|(x, z)| ChunkSpec::new(x, z, Generation::Root(3955)));
    let chunks = chunks.map(|mut chunk| {
        chunk.layer(60, 60, block::STONE);
        chunk
    });

    let place = Place::of(&land::of_chunks(&chunks, Generation::Root(3955)));
    let map = place.draw("map", &BARE);
    let address = format!(
        "file://{}/index.html#overworld/day/0/0/0",
        map.root.display()
    );
    page.go(&address);
    assert_shows(&mut page, &map, (0, 0));

    // The buttons zoom around the middle of the free part, and the whole map is shown there.
    page.eval("document.querySelector('.leaflet-control-zoom-in').click(); 1");
    page.wait_for("location.hash === '#overworld/day/0/0/1'");
    page.eval("document.getElementById('whole').click(); 1");
    page.wait_for("/^#overworld.day.(-1|0).(-1|0).2$/.test(location.hash)");

    // Without the panel the whole window is free.
    page.go("about:blank");
    page.go(&address);
    page.wait_for_tiles();
    page.eval("document.getElementById('fold').click(); 1");
    assert_eq!(
        page.address(),
        format!("#overworld/day/{}/0/0", COVERED / 2)
    );
    page.eval("location.hash = '#overworld/day/0/0/0'; 1");
    let middle = (MIDDLE.0 + COVERED / 2, MIDDLE.1);
    assert_shows_at(&mut page, &map, (0, 0), middle);
    assert_eq!(page.errors, [""; 0]);
}
