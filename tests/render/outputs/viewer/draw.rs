//! Tests drawing in the viewer: the browser keeps and shows shapes, and the visitor can download
//! them as a file for `--markers`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::browser::Page;
use super::host::Host;
use crate::map::{Map, Place, land, render};
use crate::world::{ChunkSpec, Generation, block};

fn place() -> Place {
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(60, 62, block::STONE);
    Place::of(&land::of_chunks(&[chunk], Generation::Root(3955)))
}

fn draw_map(place: &Place) -> Map {
    place.draw("map", &["--marker-kinds", "none"])
}

/// Chooses a tool by its number.
fn choose(page: &mut Page, tool: usize) {
    page.eval(&format!(
        "document.querySelectorAll('input[name=draw-tool]')[{tool}].click(); 1"
    ));
}

/// Presses the button with this id.
fn press(page: &mut Page, id: &str) {
    page.eval(&format!("document.getElementById('{id}').click(); 1"));
}

/// Changes a field of the shape that is selected.
fn fill(page: &mut Page, id: &str, value: &str) {
    let value = json!(value);
    page.eval(&format!(
        "(() => {{ const field = document.getElementById('{id}'); field.value = {value}; field.dispatchEvent(new Event('input')); }})()"
    ));
}

/// Clicks places, slowly enough that no two clicks are a double click.
fn click_all(page: &mut Page, places: &[(u32, u32)]) {
    for &(x, y) in places {
        std::thread::sleep(Duration::from_millis(600));
        page.click(x, y);
    }
}

/// Draws a point, an area and a line.
fn draw_three(page: &mut Page) {
    press(page, "draw");
    click_all(page, &[(376, 200)]);
    fill(page, "draw-name", "</script><b>Shop");
    fill(page, "draw-symbol", "shop");
    choose(page, 2);
    click_all(page, &[(476, 400), (576, 400), (576, 500)]);
    press(page, "draw-done");

    fill(page, "draw-name", "Field");
    fill(page, "draw-colour", "#ff8800");
    choose(page, 1);
    click_all(page, &[(326, 300), (400, 10)]);
    press(page, "draw-undo");
    press(page, "draw-here");
    press(page, "draw-done");
    fill(page, "draw-name", "Way");
}

fn wait_for_count(page: &mut Page, key: &str, count: usize) {
    page.wait_for(&format!(
        "(document.querySelector('[data-key=\"{key}\"] .count') || {{}}).textContent === '{count}'"
    ));
}

fn download(page: &mut Page, folder: &Path) -> Value {
    let way = json!({"behavior": "allow", "downloadPath": folder});
    page.call("Page.setDownloadBehavior", &way);
    press(page, "draw-save");

    let file = folder.join("drawn.geojson");
    let start = Instant::now();
    while !file.exists() {
        assert!(start.elapsed() < Duration::from_mins(1), "no file");
        std::thread::sleep(Duration::from_millis(50));
    }

    serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap()
}

#[test]
fn drawn_shapes_become_markers_of_the_map() {
    let Some(mut page) = Page::open() else { return };
    let place = place();
    let map = draw_map(&place);
    let host = Host::of(&map.root);
    let address = format!("{}#overworld/day/0/0/0", host.address);
    page.go(&address);
    page.wait_for_tiles();

    draw_three(&mut page);
    wait_for_count(&mut page, "drawn", 3);
    assert_eq!(
        page.eval("document.getElementById('place').hidden"),
        json!(true),
        "a click marks no place"
    );

    // A later visit shows the shapes, and other maps do not.
    page.go("about:blank");
    page.go(&address);
    wait_for_count(&mut page, "drawn", 3);
    press(&mut page, "draw");
    let folder = place.at("downloads");
    std::fs::create_dir(&folder).unwrap();

    let drawn = download(&mut page, &folder);
    let shapes: Vec<(&Value, String)> = drawn["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|feature| {
            (
                &feature["properties"]["name"],
                feature["geometry"]["coordinates"].to_string(),
            )
        })
        .collect();

    assert_eq!(
        shapes,
        [
            (&json!("</script><b>Shop"), "[-100,-200]".to_owned()),
            (
                &json!("Field"),
                "[[[0,0],[100,0],[100,100],[0,0]]]".to_owned()
            ),
            (&json!("Way"), "[[-149.5,-99.5],[0.5,0.5]]".to_owned()),
        ]
    );

    assert_eq!(drawn["features"][0]["properties"]["icon"], "shop");
    assert_eq!(drawn["features"][1]["properties"]["color"], "#ff8800");

    // The owner adds the file, and the visitor deletes the drawn shapes.
    let file = folder.join("drawn.geojson");
    let options = [
        "--marker-kinds",
        "none",
        "--markers",
        file.to_str().unwrap(),
    ];
    render(&place.world(), &map.root, &options).expect(0, "with the file");

    press(&mut page, "draw-clear");
    page.go("about:blank");
    page.go(&address);
    wait_for_count(&mut page, "markers/drawn.geojson", 3);
    assert_eq!(
        page.eval("document.querySelector('[data-key=drawn]')"),
        json!(null)
    );
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn drawing_works_from_disk_and_by_keys() {
    let Some(mut page) = Page::open() else { return };
    let place = place();
    let map = draw_map(&place);
    page.go(&format!(
        "file://{}/index.html#overworld/day/7/9/0",
        map.root.display()
    ));

    page.wait_for_tiles();
    page.eval(
        "document.getElementById('measure').click(); document.getElementById('draw').focus(); 1",
    );

    let key = |page: &mut Page, key: &str, code: u32| {
        for kind in ["keyDown", "keyUp"] {
            let text = if key == "Enter" { "\r" } else { "" };
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            page.call("Input.dispatchKeyEvent", &event);
        }
    };

    key(&mut page, "Enter", 13);
    page.wait_for(
        "!document.getElementById('draw-card').hidden && \
         document.getElementById('measured').hidden",
    );

    page.eval("document.getElementById('draw-here').focus(); 1");
    key(&mut page, "Enter", 13);
    wait_for_count(&mut page, "drawn", 1);
    page.eval("document.getElementById('draw-name').focus(); 1");
    page.call("Input.insertText", &json!({"text": "Here"}));
    page.wait_for("document.getElementById('drawn').textContent === 'Here'");
    key(&mut page, "Escape", 27);

    page.wait_for("document.getElementById('draw-card').hidden");
    page.send("go-to", "Here");
    page.wait_for("location.hash === '#overworld/day/7/9/0/pin'");
    assert_eq!(
        page.eval("document.querySelector('#place h2').textContent"),
        json!("Here")
    );
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn the_card_folds_while_points_are_chosen() {
    let Some(mut page) = Page::open() else { return };
    page.resize((390, 844));
    let place = place();
    let map = draw_map(&place);
    page.go(&format!("file://{}/index.html", map.root.display()));
    page.wait_for_tiles();

    // A place in the lower half of the window, which the whole card covers.
    let (x, y) = (200, 600);
    let is_covered = format!("document.elementFromPoint({x}, {y}).closest('#draw-card') !== null");
    page.eval("document.getElementById('fold').click(); 1");
    press(&mut page, "draw");
    assert_eq!(page.eval(&is_covered), json!(false), "the tools are shown");

    click_all(&mut page, &[(x, y)]);
    wait_for_count(&mut page, "drawn", 1);
    assert_eq!(page.eval(&is_covered), json!(true), "the point is named");

    choose(&mut page, 1);
    assert_eq!(page.eval(&is_covered), json!(false), "a line is drawn");
    press(&mut page, "draw-fold");
    assert_eq!(page.eval(&is_covered), json!(true), "the visitor unfolds");
    assert_eq!(page.errors, [""; 0]);
}
