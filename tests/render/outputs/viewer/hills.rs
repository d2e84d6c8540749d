//! Tests the page of hills: it shows the map over its heights, or explains why it cannot.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::BARE;
use super::browser::Page;
use super::host::Host;
use crate::map::{Map, Place, Rgba, fixture};
use crate::world::Files;

type Pixels = Vec<Vec<Rgba>>;

/// The size of the window. It is small, because the processor draws the pixels.
const SIZE: (u32, u32) = (360, 260);
const MIDDLE: (i32, i32) = (180, 130);
/// A place on the demo island, seen from the side: eight pixels per block.
const PLACE: &str = "#overworld/day/40/-20/3";

/// Different pictures differ by more than this.
const LITTLE: f64 = 0.02;

/// A browser with WebGL, if there is one.
fn open() -> Option<Page> {
    let mut page = Page::open_with_webgl()?;
    page.resize(SIZE);
    Some(page)
}

/// A map with hills.
fn draw(place: &Place, name: &str, options: &[&str]) -> Map {
    place.draw(
        name,
        &[&["-l", "day", "-l", "night", "-l", "terrain"], options].concat(),
    )
}

fn demo() -> Place {
    Place::of(&Files::read_under(&fixture("demo")))
}

/// Returns the pixels of the window after all tiles are shown and nothing moves any more.
fn shown(page: &mut Page) -> Pixels {
    page.wait_for("document.getElementById('map').getAttribute('aria-busy') === 'false'");
    assert_eq!(
        page.eval("document.getElementById('message').hidden"),
        json!(true)
    );

    let (mut before, mut now) = (Pixels::new(), page.pixels());
    while before != now {
        sleep(Duration::from_millis(100));
        before = std::mem::replace(&mut now, page.pixels());
    }

    now
}

/// Sets a slider of the panel.
fn set(page: &mut Page, id: &str, value: f64) {
    page.eval(&format!(
        "(() => \
         {{ const field = document.getElementById('{id}'); field.value = {value}; field.dispatchEvent(new Event('input')); return new Promise((done) => setTimeout(done, 100)); }})()"
    ));
}

/// The mean of how much the colours of the middle of the window differ, from 0 to 1.
fn difference(a: &Pixels, b: &Pixels) -> f64 {
    let places = (90..200).flat_map(|y| (50..350).map(move |x| (x, y)));
    let differences =
        places.flat_map(|(x, y): (usize, usize)| (0..3).map(move |at| (a[y][x][at], b[y][x][at])));
    let all: Vec<f64> = differences
        .map(|(a, b)| f64::from(a.abs_diff(b)) / 255.)
        .collect();
    all.iter().sum::<f64>() / all.len() as f64
}

/// Asserts that the window shows the columns around a place from above, with eight pixels per
/// block.
fn assert_is_flat(pixels: &Pixels, map: &Map, (x, z): (i32, i32)) {
    let columns = map.columns();
    let around = (-4..8).flat_map(|dz| (-15..20).map(move |dx| (dx, dz)));

    let is_same = |(dx, dz): (i32, i32)| {
        let seen = pixels[(MIDDLE.1 + 8 * dz) as usize][(MIDDLE.0 + 8 * dx) as usize];
        let there = columns.at(x + dx, z + dz);
        (0..3).all(|channel| seen[channel].abs_diff(there[channel]) <= 2)
    };

    let (same, others): (Vec<_>, Vec<_>) = around.partition(|&at| is_same(at));
    assert!(
        same.len() > 99 * others.len(),
        "{} are not those of the map: {others:?}",
        others.len()
    );
}

/// Returns whether a red marker is in the middle of the window.
fn is_marked(pixels: &Pixels) -> bool {
    let [r, g, b, _] = pixels[MIDDLE.1 as usize][MIDDLE.0 as usize];
    r > 250 && g < 5 && b < 5
}

fn text(page: &mut Page, id: &str) -> Value {
    page.eval(&format!("document.getElementById('{id}').textContent"))
}

fn press(page: &mut Page, chosen: &str) {
    page.eval(&format!(
        "document.querySelectorAll('{chosen}').forEach((one) => one.click()); 1"
    ));
}

/// Follows a link to another page of the map.
fn follow(page: &mut Page, link: &str, to: &str) {
    press(page, link);
    page.wait_for(&format!(
        "document.readyState === 'complete' && location.pathname === '/{to}'"
    ));
}

#[test]
fn hills_are_the_map_over_its_heights() {
    let Some(mut page) = open() else { return };
    let place = demo();
    let marker = json!({"type": "Feature", "geometry": {"type": "Point", "coordinates": [40, -20]},
        "properties": {"name": "here", "color": "#ff0000"}});
    let markers = json!({"type": "FeatureCollection", "features": [marker]});
    fs::write(place.at("own.geojson"), markers.to_string()).unwrap();
    let own = place.at("own.geojson");
    let map = draw(
        &place,
        "map",
        &[
            "--format",
            "webp",
            "--scheme",
            "xyz",
            "--markers",
            own.to_str().unwrap(),
        ],
    );
    let host = Host::of(&map.root);
    page.go(&format!("{}{PLACE}", host.address));
    page.wait_for_tiles();
    follow(&mut page, "#hills", "terrain.html");
    let tilted = shown(&mut page);
    assert_eq!(page.address(), PLACE);
    assert_eq!(text(&mut page, "name"), map.facts()["name"]);

    // The page shows hills, their shade, and markers.
    set(&mut page, "exaggeration", 4.);
    let steep = shown(&mut page);
    set(&mut page, "hour", 17.);
    let late = shown(&mut page);
    let [hills, shade] = [difference(&tilted, &steep), difference(&steep, &late)];
    assert!(hills > LITTLE && shade > LITTLE, "{hills} {shade}");
    assert_eq!(text(&mut page, "clock-time"), "17:00");
    assert!(is_marked(&tilted) && is_marked(&late));

    // The page shows the flat map when it is seen from above and without hills. The address
    // contains the tilt, and opening it restores the tilt.
    press(&mut page, "#marker-kinds input:checked");
    let from_above = flat(&mut page);
    assert!(!is_marked(&from_above));
    assert_is_flat(&from_above, &map, (40, -20));
    set(&mut page, "turn", 90.);
    assert_eq!(page.address(), format!("{PLACE}/tilt0/turn90"));
    page.eval("location.hash = '#overworld/night/30/-10/3/pin/tilt45'; 1");
    page.wait_for("document.querySelectorAll('.maplibregl-marker').length === 1");
    assert_eq!(
        page.eval("document.getElementById('tilt').value + document.getElementById('turn').value"),
        "450"
    );
    assert_eq!(
        page.eval("document.querySelector('input[name=layer]:checked').parentNode.textContent"),
        "Night"
    );
    follow(&mut page, "#flat", "index.html");
    page.wait_for_tiles();
    assert_eq!(page.address(), "#overworld/night/30/-10/3/pin");

    // From disk, the page shows the folder that the visitor chooses.
    let map = draw(&place, "other", &BARE);
    let title = "document.getElementById('message-title').textContent";
    page.go(&format!(
        "file://{}/terrain.html{PLACE}",
        map.root.display()
    ));
    assert_eq!(page.eval(title), "Choose the folder of this map");
    page.choose("folder", &map.root.join("overworld"));
    page.wait_for(&format!("{title} === 'This is another folder'"));
    page.choose("folder", &map.root);
    page.wait_for("document.getElementById('message').hidden");
    let from_disk = difference(&tilted, &shown(&mut page));
    assert!(from_disk < LITTLE, "{from_disk}");

    // A browser without WebGL.
    let script = "const get = HTMLCanvasElement.prototype.getContext; \
                  HTMLCanvasElement.prototype.getContext = function (kind, ...more) \
                  { return kind.startsWith('webgl') ? null : get.call(this, kind, ...more); };";
    page.call(
        "Page.addScriptToEvaluateOnNewDocument",
        &json!({"source": script}),
    );
    page.go("about:blank");
    page.go(&format!("{}terrain.html{PLACE}", host.address));
    assert_eq!(text(&mut page, "message-title"), "No hills in this browser");
    follow(&mut page, "#message-flat", "index.html");
    assert_eq!(page.address(), PLACE);
    assert_eq!(page.errors, [""; 0]);
}

/// Returns the pixels from straight above, without heights and their shade.
fn flat(page: &mut Page) -> Pixels {
    press(page, "#shade");
    set(page, "exaggeration", 0.);
    set(page, "tilt", 0.);
    shown(page)
}

#[test]
fn the_first_view_leaves_the_panel_free() {
    let Some(mut page) = Page::open_with_webgl() else {
        return;
    };
    let (width, height) = (720, 300);
    page.resize((width as u32, height));
    let place = demo();
    let map = draw(&place, "map", &BARE);
    page.go(&format!("{}terrain.html", Host::of(&map.root).address));
    let pixels = shown(&mut page);

    // The panel covers 248 pixels. The middle row shows the map between parts of the background,
    // which is grey like the shadow of the panel.
    let free = width - 248;
    let row = &pixels[height as usize / 2][..free];
    let is_map = |x: &usize| {
        let [red, _, blue, _] = row[*x];
        red.abs_diff(blue) > 30
    };
    let [first, last] = [
        (0..free).find(is_map).unwrap(),
        (0..free).rev().find(is_map).unwrap(),
    ];
    assert!(first > 0 && last < free - 1, "{first} {last}");
    assert!((first + last).abs_diff(free) < 30, "{first} {last}");
    assert_eq!(page.address().split('/').nth(2), Some("0"));
    assert_eq!(page.errors, [""; 0]);
}
