//! Tests the moments of a map with history in the viewer: the time line, links to a moment, and
//! markers.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::fs;

use serde_json::json;

use super::browser::Page;
use super::host::Host;
use super::{MIDDLE, assert_shows};
use crate::drawing::markers::{entities, sign};
use crate::map::{Map, Place, land, render};
use crate::world::level_dat::LevelDat;
use crate::world::{ChunkSpec, Files, Generation, RegionSpec, block};

/// The regions of each night, with the block on top of each.
const NIGHTS: [&[(i32, i32, usize)]; 3] = [
    &[(0, 0, 0), (1, 0, 0)],
    &[(0, 0, 1), (1, 0, 0)],
    &[(0, 0, 2), (1, 0, 0), (-1, 0, 1)],
];

const PLACE: &str = "overworld/day/40/40/0";

fn write_world(place: &Place, night: usize) {
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new("moments", Some(3955)).bytes());

    for &(x, z, top) in NIGHTS[night] {
        let mut region = RegionSpec::new(x, z);
        for (dx, dz) in (0..6).flat_map(|dx| (0..6).map(move |dz| (dx, dz))) {
            let mut chunk = ChunkSpec::new(x * 32 + dx, z * 32 + dz, Generation::Root(3955));
            chunk.layer(60, 64, [block::STONE, block::GRASS_BLOCK, block::SAND][top]);
            region.put(&chunk);
        }
        files.put_region("region", &region);
    }

    let _ = fs::remove_dir_all(place.world());
    files.write_under(&place.world());
}

/// A map of three nights, and a map without history of each night.
pub(super) fn nights() -> (Place, Map, Vec<Map>) {
    let place = Place::empty();
    let mut plain = Vec::new();
    for night in 0..NIGHTS.len() {
        write_world(&place, night);
        let time = format!("2026-05-{:02}T02:00", night + 1);
        let label = format!("night <b>{night}");
        let options = ["-l", "day", "-l", "height", "-q"];
        let history = ["--history", "--time", &time, "--label", &label];
        render(
            &place.world(),
            &place.at("map"),
            &[&options[..], &history].concat(),
        )
        .expect(0, "a night");

        let out = place.at(&format!("plain-{night}"));
        render(&place.world(), &out, &options).expect(0, "plain");
        plain.push(Map::at(&out));
    }

    let map = Map::at(&place.at("map"));
    (place, map, plain)
}

/// Waits until the tile in the middle is a kept one, or a current one.
pub(super) fn wait_for_kept(page: &mut Page, is_kept: bool) {
    page.wait_for(&format!(
        "[...document.querySelectorAll('img.leaflet-tile')].some((tile) => \
         tile.src.includes('/history/objects/')) === {is_kept}"
    ));
}

pub(super) fn press(page: &mut Page, id: &str) {
    page.eval(&format!("document.getElementById('{id}').click(); 1"));
}

/// Moves the slider to a moment by its position in the list.
pub(super) fn slide(page: &mut Page, place: usize) {
    page.eval(&format!(
        "(() => \
         {{ const slider = document.getElementById('moment'); slider.value = '{place}'; slider.dispatchEvent(new Event('input')); }})()"
    ));
}

fn text(page: &mut Page, id: &str) -> String {
    page.eval(&format!("document.getElementById('{id}').textContent"))
        .as_str()
        .unwrap()
        .to_owned()
}

/// Asserts that the page reports no error except missing tiles of earlier moments.
fn assert_well(page: &Page) {
    let others: Vec<_> = page
        .errors
        .iter()
        .filter(|error| !error.contains("/history/overworld/"))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn the_time_line_shows_each_moment() {
    let Some(mut page) = Page::open() else { return };

    let (_place, map, plain) = nights();
    let host = Host::of(&map.root);
    for address in [
        host.address,
        format!("file://{}/index.html", map.root.display()),
    ] {
        page.go(&format!("{address}#{PLACE}"));
        assert_shows(&mut page, &map, (40, 40));
        let asked = "performance.getEntriesByType('resource').filter((of) => \
                     of.name.includes('/history/')).length";
        assert_eq!(
            page.eval(asked),
            json!(0),
            "the first view loads nothing of the past"
        );

        press(&mut page, "clock");
        page.wait_for("document.getElementById('moment').max === '2'");
        assert_eq!(page.address(), format!("#{PLACE}"));
        assert!(
            page.eval(
                "document.getElementById('later').disabled && \
                 document.getElementById('now').disabled"
            ) == true
        );

        // Starts to record the least number of tiles that are visible at a time.
        page.eval(
            "window.least = 99; setInterval(() => \
             { window.least = Math.min(window.least, [...document.querySelectorAll('img.leaflet-tile-loaded')].filter((tile) => tile.complete && tile.naturalWidth > 1).length); }, 10); 1",
        );
        slide(&mut page, 0);
        page.wait_for(&format!(
            "location.hash === '#{PLACE}/@2026-05-01T02:00:00Z'"
        ));

        wait_for_kept(&mut page, true);
        assert_shows(&mut page, &plain[0], (40, 40));
        assert!(
            text(&mut page, "moment-time").contains("2026"),
            "{}",
            text(&mut page, "moment-time")
        );
        assert_eq!(text(&mut page, "moment-label"), "night <b>0");
        page.wait_for(
            "/\\((1 tile|\\d tiles)\\)/.test(document.getElementById('otherwise').textContent)",
        );

        press(&mut page, "later");
        page.wait_for(&format!(
            "location.hash === '#{PLACE}/@2026-05-02T02:00:00Z'"
        ));
        page.wait_for(
            "[...document.querySelectorAll('img.leaflet-tile')].every((tile) => !tile.wanted || \
             tile.getAttribute('src') === tile.wanted)",
        );

        assert_shows(&mut page, &plain[1], (40, 40));
        press(&mut page, "now");
        page.wait_for(&format!("location.hash === '#{PLACE}'"));
        wait_for_kept(&mut page, false);
        assert_shows(&mut page, &map, (40, 40));
        assert!(
            page.eval("window.least").as_u64().unwrap() > 0,
            "the map went away in between"
        );
        page.go("about:blank");
    }

    assert_well(&page);
}

#[test]
fn a_link_opens_its_moment_and_plays() {
    let Some(mut page) = Page::open() else { return };

    let (_place, map, plain) = nights();
    let host = Host::of(&map.root);
    for address in [
        host.address,
        format!("file://{}/index.html", map.root.display()),
    ] {
        page.go(&format!("{address}#{PLACE}/pin/@2026-05-01"));
        page.wait_for("location.hash.endsWith('/@2026-05-01T02:00:00Z')");
        wait_for_kept(&mut page, true);
        press(&mut page, "unmark");
        page.wait_for_tiles();
        assert_shows(&mut page, &plain[0], (40, 40));
        assert_eq!(
            page.eval("document.getElementById('time').hidden"),
            json!(false)
        );
        page.eval("document.getElementById('moment').focus(); 1");

        for kind in ["rawKeyDown", "keyUp"] {
            let key =
                json!({"type": kind, "key": " ", "code": "Space", "windowsVirtualKeyCode": 32});
            page.call("Input.dispatchKeyEvent", &key);
        }

        page.wait_for("document.getElementById('play').getAttribute('aria-label') === 'Pause'");
        page.wait_for("!location.hash.includes('@')");
        page.wait_for("document.getElementById('play').getAttribute('aria-label') === 'Play'");
        wait_for_kept(&mut page, false);
        assert_shows(&mut page, &map, (40, 40));
        page.go("about:blank");
    }

    assert_well(&page);
}

#[test]
fn a_map_without_history_has_no_time_line() {
    let Some(mut page) = Page::open() else { return };
    let (_place, _, plain) = nights();
    page.go(&format!(
        "{}#{PLACE}/@2026-05-01T02:00:00Z",
        Host::of(&plain[2].root).address
    ));

    assert_shows(&mut page, &plain[2], (40, 40));
    assert_eq!(page.address(), format!("#{PLACE}"));

    assert_eq!(
        page.eval(
            "document.getElementById('clock').offsetHeight + \
             document.getElementById('time').offsetHeight"
        ),
        json!(0)
    );
    assert_eq!(page.errors, [""; 0]);
}

#[cfg(feature = "serve")]
#[test]
fn a_served_moment_is_in_the_address() {
    use crate::serve::Server;

    let Some(mut page) = Page::open() else { return };
    let (place, _map, plain) = nights();
    let server = Server::of(&place.at("map@night <b>1"), &[]);
    assert!(
        server.url.ends_with("/#@2026-05-02T02:00:00Z"),
        "{}",
        server.url
    );
    page.go(&server.url);
    wait_for_kept(&mut page, true);
    page.wait_for("location.hash.endsWith('/@2026-05-02T02:00:00Z')");
    page.go(&server.url.replace("#@", &format!("?2#{PLACE}/@")));
    wait_for_kept(&mut page, true);
    assert_shows(&mut page, &plain[1], (40, 40));
    assert_well(&page);
}

/// Waits until the page describes the middle in this way, and lists only the sign with this text.
fn wait_for_words(page: &mut Page, under: &str, sign: &str) {
    page.wait_for(&format!(
        "(({{hidden, textContent}}) => !hidden && textContent === \
         {})(document.getElementById('under'))",
        json!(under)
    ));
    page.wait_for(&format!(
        "[...document.querySelectorAll('#marker-found .words')].map((words) => \
         words.firstChild.textContent)\
         .filter((name) => /mine|Ruin/.test(name)).join() === {}",
        json!(sign)
    ));
}

#[test]
fn a_moment_has_its_own_markers_and_details() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::empty();
    let generation = Generation::Root(3955);
    let nights = [
        (block::STONE, "Old mine"),
        (block::GRASS_BLOCK, "New mine"),
        (block::SAND, "Ruin"),
    ];

    for (night, (top, name)) in nights.into_iter().enumerate() {
        let mut chunk = ChunkSpec::new(0, 0, generation);
        chunk.layer(60, 64, top);
        chunk.extra = vec![entities(
            generation,
            vec![sign(generation, [3, 65, 5], &[name])],
        )];

        let _ = fs::remove_dir_all(place.world());
        land::of_chunks(&[chunk], generation).write_under(&place.world());

        let time = format!("2026-05-{:02}", night + 1);
        let options = [
            "-l",
            "day",
            "--details",
            "--signs",
            ".",
            "--history",
            "--time",
            &time,
            "-q",
        ];
        render(&place.world(), &place.at("map"), &options).expect(0, "a night");
    }

    let root = place.at("map");
    let card = "document.getElementById('place-details').textContent";
    for address in [
        Host::of(&root).address,
        format!("file://{}/index.html", root.display()),
    ] {
        page.go(&format!("{address}#overworld/day/8/8/3"));
        page.eval("document.getElementById('marker-list').open = true; 1");
        wait_for_words(&mut page, "Sand \u{b7} y 64 \u{b7} Plains", "Ruin");
        page.click(MIDDLE.0 as u32 + 36, MIDDLE.1 as u32 + 36);
        page.wait_for(&format!("{card}.startsWith('Sand')"));
        press(&mut page, "clock");
        page.wait_for("document.getElementById('moment').max === '2'");
        slide(&mut page, 0);
        wait_for_words(&mut page, "Stone \u{b7} y 64 \u{b7} Plains", "Old mine");

        page.wait_for(&format!("{card}.startsWith('Stone')"));
        press(&mut page, "later");
        wait_for_words(
            &mut page,
            "Grass block \u{b7} y 64 \u{b7} Plains",
            "New mine",
        );
        press(&mut page, "now");
        wait_for_words(&mut page, "Sand \u{b7} y 64 \u{b7} Plains", "Ruin");
        page.go("about:blank");
    }

    assert_well(&page);
}

#[test]
fn the_time_line_fits_a_phone() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map, _plain) = nights();
    let size = json!({"width": 360, "height": 640, "deviceScaleFactor": 1, "mobile": true});
    page.call("Emulation.setDeviceMetricsOverride", &size);
    page.call(
        "Emulation.setTouchEmulationEnabled",
        &json!({"enabled": true}),
    );

    page.go(&format!(
        "{}#{PLACE}/@2026-05-02",
        Host::of(&map.root).address
    ));
    wait_for_kept(&mut page, true);

    // The time line is completely visible, covers no other button, and is large enough for a
    // finger.
    let inside =
        "(({left, right, top, bottom}) => left >= 0 && right <= 360 && top >= 0 && bottom <= 640)";
    page.wait_for(&format!(
        "{inside}(document.getElementById('time').getBoundingClientRect())"
    ));

    for id in [
        "earlier", "play", "later", "moment", "now", "outline", "beside", "clock", "fold",
    ] {
        let seen = format!(
            "(() => \
             {{ const control = document.getElementById('{id}'); const at = control.getBoundingClientRect(); const hit = document.elementFromPoint((at.left + at.right) / 2, (at.top + at.bottom) / 2); return [{inside}(at), hit === control || control.contains(hit) || (hit.control || null) === control]; }})()"
        );
        assert_eq!(page.eval(&seen), json!([true, true]), "{id}");
    }

    assert!(
        page.eval("document.getElementById('moment').offsetWidth")
            .as_u64()
            .unwrap()
            >= 120
    );
    slide(&mut page, 0);
    page.wait_for("location.hash.endsWith('/@2026-05-01T02:00:00Z')");
    page.wait_for_tiles();

    // A tap works like a press of a button.
    let at = page.eval(
        "(({left, right, top, bottom}) => [(left + right) / 2, (top + bottom) / 2])\
         (document.getElementById('later').getBoundingClientRect())",
    );

    for (kind, points) in [
        ("touchStart", json!([{"x": at[0], "y": at[1]}])),
        ("touchEnd", json!([])),
    ] {
        page.call(
            "Input.dispatchTouchEvent",
            &json!({"type": kind, "touchPoints": points}),
        );
    }

    page.wait_for("location.hash.endsWith('/@2026-05-02T02:00:00Z')");
    assert_well(&page);
}

#[test]
fn a_single_moment_offers_no_play() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::empty();
    for night in 0..2 {
        write_world(&place, night);
        let time = format!("2026-05-{:02}T02:00", night + 1);
        let options = ["--history", "--time", &time, "-q"];
        render(&place.world(), &place.at("map"), &options).expect(0, "a night");

        page.go("about:blank");
        page.go(&format!(
            "file://{}/index.html#{PLACE}",
            place.at("map").display()
        ));
        press(&mut page, "clock");
        page.wait_for(&format!(
            "document.getElementById('moment-time').textContent.endsWith('UTC') && \
             document.getElementById('play').disabled === {}",
            night == 0
        ));
    }

    assert_well(&page);
}
