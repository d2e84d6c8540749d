//! Tests markers in the viewer: showing, finding and describing them, from a host and from disk.
//! The marker files are written by hand, as docs/output.md describes them.

use std::fs;

use serde_json::{Value, json};

use super::browser::Page;
use super::host::Host;
use super::{MIDDLE, demo};
use crate::map::jar::png;
use crate::map::{Map, Place, Rgba, land};

/// The colours of dots in the viewer.
const VILLAGE: Rgba = [0xb5, 0x77, 0x2e, 255];
const SIGN: Rgba = [0xa8, 0x74, 0x34, 255];
const BED: Rgba = [0xd9, 0x54, 0x6b, 255];
const OWN: Rgba = [0x0f, 0x9a, 0x8a, 255];
/// The colour of the icons that tests make.
const ICON: Rgba = [0xd0, 0x10, 0xe0, 255];

/// A feature of one point.
fn point((x, z): (i32, i32), properties: &Value) -> Value {
    json!({"type": "Feature", "geometry": {"type": "Point", "coordinates": [x, z]}, "properties": properties})
}

fn collection(features: &[Value]) -> Value {
    json!({"type": "FeatureCollection", "features": features})
}

/// Replaces the markers of a map with these files, one per kind and dimension, and with the owner's
/// markers.
fn put(map: &Map, world: &[(&str, &str, Vec<Value>)], own: &[(&str, Value)]) {
    let mut facts = map.facts();
    let mut all = serde_json::Map::new();

    for of in facts["dimensions"].as_array_mut().unwrap() {
        of.as_object_mut().unwrap().remove("markers");
    }

    for (dimension, kind, features) in world {
        let file = format!("{dimension}/markers/{kind}.geojson");
        let entry = json!({"kind": kind, "file": file, "count": features.len(), "version": "0123456789abcdef"});
        let dimensions = facts["dimensions"].as_array_mut().unwrap();
        let of = dimensions
            .iter_mut()
            .find(|of| of["id"] == *dimension)
            .unwrap();

        let listed = of
            .as_object_mut()
            .unwrap()
            .entry("markers")
            .or_insert_with(|| json!([]));
        listed.as_array_mut().unwrap().push(entry);
        all.insert(file, collection(features));
    }

    facts["markers"] = own
        .iter()
        .map(|(file, _)| json!({"file": file, "version": "0123456789abcdef"}))
        .collect();
    all.extend(
        own.iter()
            .map(|(file, text)| ((*file).to_owned(), text.clone())),
    );

    for (file, content) in &mut all {
        let (place, text) = (map.root.join(file), content.to_string());
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, &text).unwrap();
        *content = json!(text);
    }

    fs::write(
        map.root.join("markers.js"),
        format!("pixelmapMarkers({});", Value::Object(all)),
    )
    .unwrap();
    fs::write(map.root.join("map.json"), facts.to_string()).unwrap();
    fs::write(map.root.join("map.js"), format!("var PIXELMAP = {facts};")).unwrap();
}

/// Puts an icon into a map.
fn put_icon(map: &Map, name: &str) {
    let folder = map.root.join("markers/icons");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.png")), png(16, |_, _| ICON)).unwrap();

    let mut facts = map.facts();
    facts["icons"] =
        json!([{"name": name, "file": format!("markers/icons/{name}.png"), "version": "1"}]);
    fs::write(map.root.join("map.json"), facts.to_string()).unwrap();
    fs::write(map.root.join("map.js"), format!("var PIXELMAP = {facts};")).unwrap();
}

/// Returns the colour of the dot at a column, in a view of column 0, 0 with one pixel per block.
/// Without a dot, it is the colour of the map.
fn dot(page: &mut Page, (x, z): (i32, i32)) -> Rgba {
    page.pixels()[(MIDDLE.1 as i32 + z + 6) as usize][(MIDDLE.0 as i32 + x) as usize]
}

/// Waits until the dot at a column has this colour, or no longer has it.
fn wait_for_dot(page: &mut Page, at: (i32, i32), colour: Rgba, is_there: bool) {
    let seen = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        (dot(page, at) == colour) == is_there
    });
    assert!(seen, "at {at:?}: {:?}", dot(page, at));
}

fn turn(page: &mut Page, key: &str) {
    page.eval(&format!(
        "document.querySelector('#marker-kinds [data-key=\"{key}\"] input').click(); 1"
    ));
}

/// The rows of the panel, as `name count`.
fn rows(page: &mut Page) -> Vec<String> {
    let told = page.eval(
        "[...document.querySelectorAll('#marker-kinds label')].map((row) => \
         [...row.querySelectorAll('span')].map((span) => span.textContent).join(' ').trim())",
    );
    serde_json::from_value(told).unwrap()
}

fn card(page: &mut Page) -> String {
    page.eval("document.getElementById('place-marker').innerText")
        .as_str()
        .unwrap()
        .to_owned()
}

/// A map with villages, a type that is off at first, signs, beds, and a file of the owner.
fn marked() -> (Place, Map) {
    let (place, map) = demo();

    let structure = |at, name: &str| {
        point(
            at,
            &json!({"name": format!("minecraft:{name}"), "type": format!("minecraft:{name}")}),
        )
    };

    let structures = vec![
        structure((-100, -100), "village_plains"),
        structure((-100, 100), "village_desert"),
        structure((100, -100), "shipwreck_beached"),
        point(
            (100, 0),
            &json!({"name": "aether:dungeon", "type": "aether:dungeon"}),
        ),
    ];

    let sign = json!({"name": "Iron farm", "front": ["Iron farm", "by Alex"], "back": ["go away"], "y": 71});
    let beds = vec![point(
        (0, -150),
        &json!({"name": "Bed", "type": "minecraft:home", "y": 64}),
    )];

    let shop = json!({
        "name": "Cake shop", "description": "Cakes\nand more", "link": "https://example.org/cakes", "color": "#0f9a8a"
    });

    put(
        &map,
        &[
            ("overworld", "structures", structures),
            ("overworld", "beds", beds),
            ("overworld", "signs", vec![point((100, 100), &sign)]),
        ],
        &[(
            "markers/shops.geojson",
            collection(&[point((0, 100), &shop)]),
        )],
    );

    (place, map)
}

#[test]
fn kinds_are_shown_counted_loaded_and_remembered() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = marked();
    let host = Host::of(&map.root);
    page.go(&format!("{}#overworld/day/0/0/0", host.address));
    page.wait_for_tiles();

    for (at, colour) in [
        ((-100, -100), VILLAGE),
        ((-100, 100), VILLAGE),
        ((100, 100), SIGN),
        ((0, 100), OWN),
    ] {
        wait_for_dot(&mut page, at, colour, true);
    }

    for (x, z) in [(100, -100), (100, 0)] {
        assert_eq!(
            dot(&mut page, (x, z)),
            map.columns().at(x, z + 6),
            "other structures are off at first"
        );
    }

    let off = map.columns().at(0, -144);
    assert_eq!(dot(&mut page, (0, -150)), off, "beds are off at first");

    assert_eq!(
        rows(&mut page),
        [
            "Shops 1",
            "Structures 4",
            "Village 2",
            "Shipwreck 1",
            "aether:dungeon 1",
            "Beds 1",
            "Signs 1"
        ]
    );

    let asked = "performance.getEntriesByType('resource').filter((of) => \
                 of.name.includes('beds.geojson')).length";
    assert_eq!(page.eval(asked), json!(0));
    turn(&mut page, "beds");
    wait_for_dot(&mut page, (0, -150), BED, true);
    assert_eq!(page.eval(asked), json!(1));
    turn(&mut page, "structures/Village");
    wait_for_dot(&mut page, (-100, -100), VILLAGE, false);
    assert_eq!(dot(&mut page, (-100, -100)), map.columns().at(-100, -94));

    turn(&mut page, "signs");
    wait_for_dot(&mut page, (100, 100), SIGN, false);
    page.call("Page.reload", &json!({}));
    page.wait_for("document.readyState === 'complete'");
    page.wait_for_tiles();
    wait_for_dot(&mut page, (0, -150), BED, true);
    assert_ne!(dot(&mut page, (-100, -100)), VILLAGE);
    assert_ne!(dot(&mut page, (100, 100)), SIGN);
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn markers_are_searched_and_described() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = marked();
    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));

    page.wait_for_tiles();
    wait_for_dot(&mut page, (100, 100), SIGN, true);
    page.click(MIDDLE.0 as u32 + 100, MIDDLE.1 as u32 + 100);
    page.wait_for("location.hash === '#overworld/day/100/100/0/pin'");

    let told = card(&mut page);
    for words in ["Iron farm", "Front", "by Alex", "Back", "go away"] {
        assert!(told.contains(words), "{words} in {told}");
    }

    let place = "document.getElementById('place-position').firstChild.textContent";
    assert_eq!(page.eval(place), json!("x 100, y 71, z 100"));
    page.send("go-to", "CAKE");
    assert_eq!(page.address(), "#overworld/day/0/100/0/pin");

    let told = card(&mut page);
    assert!(
        told.starts_with("Cake shop") && told.contains("Cakes\nand more"),
        "{told}"
    );

    let link = "(() => \
                { const link = document.querySelector('#place-marker a'); return [link.href, link.target, link.rel.includes('noopener')]; })()";
    assert_eq!(
        page.eval(link),
        json!(["https://example.org/cakes", "_blank", true])
    );

    page.send("go-to", "bed");
    assert_eq!(
        page.address(),
        "#overworld/day/0/100/0/pin",
        "a kind that is off is not found"
    );

    // The list begins with names that begin with the searched words. A click moves the view to the
    // marker.
    page.eval("document.getElementById('marker-list').open = true; 1");
    page.wait_for("document.querySelectorAll('#marker-found button').length === 4");
    page.eval(
        "(() => \
         { const field = document.getElementById('marker-search'); field.value = 'plains'; field.dispatchEvent(new Event('input')); document.querySelector('#marker-found button').click(); })()",
    );

    assert_eq!(
        page.eval("document.querySelectorAll('#marker-found button').length"),
        json!(1)
    );
    assert_eq!(page.address(), "#overworld/day/-100/-100/0/pin");
    assert!(card(&mut page).starts_with("Village (plains)"));
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn items_of_containers_are_searched_and_listed() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = demo();
    let items = json!([{"type": "minecraft:stone", "count": 64}, {"type": "minecraft:diamond", "count": 5}]);
    let chest =
        json!({"name": "Chest", "type": "minecraft:chest", "y": 63, "items": items, "more": 2});
    let loot = json!({"name": "Chest", "type": "minecraft:chest", "y": 20, "loot": "minecraft:chests/simple_dungeon"});
    let containers = vec![point((100, 100), &chest), point((-100, -100), &loot)];

    let glass = point(
        (50, -50),
        &json!({"name": "Glass", "type": "minecraft:glass", "y": 63, "count": 7}),
    );

    let torch = point(
        (50, 150),
        &json!({"name": "Torch", "type": "minecraft:torch", "y": 63, "count": 1}),
    );

    put(
        &map,
        &[
            ("overworld", "containers", containers),
            ("overworld", "found", vec![glass, torch]),
        ],
        &[],
    );

    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));
    page.wait_for_tiles();
    page.wait_for("document.querySelectorAll('#marker-kinds label').length === 4");

    let told = rows(&mut page);
    for row in ["Containers 2", "Found blocks 2", "Glass 1", "Torch 1"] {
        assert!(told.iter().any(|told| told == row), "{row} in {told:?}");
    }

    page.send("go-to", "diamond");
    assert_eq!(page.address(), "#overworld/day/100/100/0/pin");

    let told = card(&mut page);
    for words in ["Chest", "Stone × 64", "Diamond × 5", "and 2 more kinds"] {
        assert!(told.contains(words), "{words} in {told}");
    }

    page.send("go-to", "glass");
    assert!(card(&mut page).starts_with("Glass × 7"));
    turn(&mut page, "found/Glass");

    // The search does not find a hidden block.
    page.eval(
        "(() => \
         { document.getElementById('marker-list').open = true; const field = document.getElementById('marker-search'); field.value = 'glass'; field.dispatchEvent(new Event('input')); })()",
    );
    page.wait_for("document.querySelectorAll('#marker-found button').length === 0");

    // The view is at the glass at 50, -50.
    page.click(MIDDLE.0 as u32 - 150, MIDDLE.1 as u32 - 50);
    page.wait_for("document.getElementById('place-marker').innerText.includes('Not opened yet')");
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn hostile_texts_of_markers_stay_text() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = demo();

    let evil =
        "<img src=x onerror=\"window.hacked = 1\"></script><script>window.hacked = 1</script>";

    let all = |at, link: &str| {
        point(
            at,
            &json!({
                "name": evil, "type": evil, "description": evil, "icon": evil, "color": evil, "stroke": "url(x)",
                "front": [evil], "back": [evil, {"text": evil}], "uuid": evil, "seen": evil, "y": evil, "link": link
            }),
        )
    };

    let kinds = [
        "world",
        "structures",
        "portals",
        "beds",
        "signs",
        "banners",
        "players",
        "<b>kind</b>",
    ];

    let world: Vec<_> = kinds
        .iter()
        .enumerate()
        .map(|(at, kind)| {
            (
                "overworld",
                *kind,
                vec![all(
                    (50 * at as i32 - 200, -100),
                    "javascript:window.hacked=1",
                )],
            )
        })
        .filter(|(_, kind, _)| !kind.contains('/'))
        .collect();

    let links = [
        "javascript:window.hacked=1",
        " java\nscript:window.hacked=1",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
    ];

    let own: Vec<_> = links
        .iter()
        .enumerate()
        .map(|(at, link)| all((50 * at as i32 - 100, 100), link))
        .collect();

    let odd = json!([null, 7, {"geometry": {"type": "Point", "coordinates": ["<b>", null]}}, {"geometry": null},
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[1], "x"]}, "properties": null}]);
    let own = [own, odd.as_array().unwrap().clone()].concat();
    put(
        &map,
        &world,
        &[("markers/<i>shops.geojson", collection(&own))],
    );

    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));
    page.wait_for_tiles();
    page.eval("document.getElementById('marker-list').open = true; 1");

    // The types of structures come with their file.
    page.wait_for(
        "[...document.querySelectorAll('#marker-kinds input')].forEach((box) => box.checked || \
         box.click()) || document.querySelectorAll('#marker-found button').length === 12",
    );
    let places: Vec<(i32, i32)> = (0..7)
        .map(|at| (50 * at - 200, -100))
        .chain((0..5).map(|at| (50 * at - 100, 100)))
        .collect();

    for (x, z) in places {
        page.eval(&format!(
            "[...document.querySelectorAll('#marker-found button')].find((button) => \
             button.textContent.endsWith(' {x}, {z}')).click(); 1"
        ));

        assert!(
            page.address().contains(&format!("/{x}/{z}/")),
            "{}",
            page.address()
        );

        assert!(card(&mut page).contains("<img src=x"));
        assert_eq!(
            page.eval("document.querySelectorAll('#place-marker a').length"),
            json!(0),
            "at {x}, {z}"
        );
        page.send("go-to", "0 0");
    }

    let foreign = "document.querySelectorAll('#panel img, #corner img, #hint img, #panel b, #panel \
                   i, #panel script').length";
    assert_eq!(page.eval(foreign), json!(0));
    assert_eq!(page.eval("typeof window.hacked"), json!("undefined"));
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn many_markers_share_dots_that_show_their_number() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = demo();

    // Many markers are in a square of 250 blocks, and 24 are at one position.
    let spread = (0..50_000_i32).map(|at| (at % 250 - 125, at / 250 % 250 - 125));
    let beds = spread
        .chain([(300, 0); 24])
        .map(|at| point(at, &json!({"name": "Bed"})))
        .collect();
    put(&map, &[("overworld", "beds", beds)], &[]);

    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));

    page.wait_for_tiles();
    assert_eq!(rows(&mut page), ["Beds 50,024"]);
    turn(&mut page, "beds");
    wait_for_dot(&mut page, (300, 0), BED, true);
    assert_eq!(
        page.eval("document.querySelectorAll('#map canvas').length"),
        json!(1)
    );

    // No zoom level separates them, so the card lists each of them.
    page.click(MIDDLE.0 as u32 + 300, MIDDLE.1 as u32);
    page.wait_for("location.hash.startsWith('#overworld/day/30')");
    page.wait_for("Number(location.hash.split('/')[4]) === 5");
    page.wait_for_tiles();
    page.click(MIDDLE.0 as u32 + 8, MIDDLE.1 as u32 + 8);
    page.wait_for("document.querySelectorAll('#place-marker .found button').length === 23");
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn owner_marker_files_are_reloaded() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = marked();
    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));

    page.wait_for_tiles();
    wait_for_dot(&mut page, (0, 100), OWN, true);
    let file = map.root.join("markers/shops.geojson");
    fs::write(
        &file,
        collection(&[point((50, 0), &json!({"name": "Moved"}))]).to_string(),
    )
    .unwrap();

    let look = "document.dispatchEvent(new Event('visibilitychange')); 1";
    page.eval(look);
    wait_for_dot(&mut page, (50, 0), OWN, true);
    assert_ne!(dot(&mut page, (0, 100)), OWN);
    assert_eq!(page.errors, [""; 0]);

    // The panel reports a file that is missing or being written. Its earlier markers stay.
    fs::write(&file, "{\"type\":").unwrap();
    page.eval(look);
    let told = "document.getElementById('marker-trouble').textContent";
    page.wait_for(&format!("{told} === 'Not shown: Shops: it is no JSON.'"));

    fs::remove_file(&file).unwrap();
    page.eval(look);
    page.wait_for(&format!(
        "{told} === 'Not shown: Shops: the host answers 404.'"
    ));

    assert_eq!(dot(&mut page, (50, 0)), OWN);
    fs::write(&file, collection(&[]).to_string()).unwrap();
    page.eval(look);
    page.wait_for(&format!("{told} === ''"));
    wait_for_dot(&mut page, (50, 0), OWN, false);
}

#[test]
fn a_newer_map_brings_its_markers() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = marked();
    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));

    page.wait_for_tiles();
    wait_for_dot(&mut page, (100, 100), SIGN, true);
    let moved = collection(&[point((50, 0), &json!({"name": "Iron farm"}))]);
    fs::write(
        map.root.join("overworld/markers/signs.geojson"),
        moved.to_string(),
    )
    .unwrap();

    let mut facts = map.facts();
    let signs = &mut facts["dimensions"][0]["markers"][2];
    assert_eq!(signs["kind"], "signs");
    signs["version"] = json!("fedcba9876543210");
    fs::write(map.root.join("map.json"), facts.to_string()).unwrap();

    fs::write(
        map.root.join("version.json"),
        json!({"map": "fedcba9876543210"}).to_string(),
    )
    .unwrap();

    page.eval("document.dispatchEvent(new Event('visibilitychange')); 1");
    wait_for_dot(&mut page, (50, 0), SIGN, true);
    assert_ne!(dot(&mut page, (100, 100)), SIGN);
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn markers_are_shown_from_disk() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = marked();

    // Only the script may be read from there.
    fs::remove_dir_all(map.root.join("markers")).unwrap();
    fs::remove_dir_all(map.root.join("overworld/markers")).unwrap();
    page.go(&format!(
        "file://{}/index.html#overworld/day/0/0/0",
        map.root.display()
    ));
    page.wait_for_tiles();

    for (at, colour) in [((-100, -100), VILLAGE), ((100, 100), SIGN), ((0, 100), OWN)] {
        wait_for_dot(&mut page, at, colour, true);
    }

    turn(&mut page, "beds");
    wait_for_dot(&mut page, (0, -150), BED, true);
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn each_dimension_shows_its_own_markers() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    let sign = |name: &str| vec![point((0, 0), &json!({"name": name}))];
    let mut of_nether = point(
        (100, 0),
        &json!({"name": "Nether shop", "dimension": "minecraft:the_nether"}),
    );
    of_nether["id"] = json!(7);

    put(
        &map,
        &[
            ("overworld", "signs", sign("Above")),
            ("the_nether", "signs", sign("Below")),
        ],
        &[(
            "markers/shops.geojson",
            collection(&[of_nether, point((100, 0), &json!({"name": "Shop"}))]),
        )],
    );

    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));
    page.wait_for_tiles();

    let listed = |page: &mut Page, names: &str| {
        page.eval("document.getElementById('marker-list').open = true; 1");
        page.wait_for(&format!(
            "[...document.querySelectorAll('#marker-found .words')].map((words) => \
             words.firstChild.textContent)\
             .sort().join() === '{names}'"
        ));
    };

    listed(&mut page, "Above,Shop");
    page.eval("document.querySelectorAll('input[name=dimension]')[1].click(); 1");
    listed(&mut page, "Below,Nether shop");
    page.send("go-to", "shop");
    assert!(page.address().starts_with("#the_nether/day/100/0/"));
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn crowds_have_the_colour_of_their_kind() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = demo();
    let crowd: Vec<_> = (0..400)
        .map(|at| {
            point(
                (at % 20, at / 20),
                &json!({"color": format!("#ff{:02x}00", at % 256)}),
            )
        })
        .collect();
    let alone = point((-200, 0), &json!({"color": "#ff0000"}));
    let shops = collection(&[crowd, vec![alone]].concat());
    put(&map, &[], &[("markers/shops.geojson", shops)]);

    page.go(&format!(
        "{}#overworld/day/0/0/0",
        Host::of(&map.root).address
    ));
    page.wait_for_tiles();
    wait_for_dot(&mut page, (-200, 0), [255, 0, 0, 255], true);

    // The dot of 400 markers is so large that its colour reaches 18 pixels from its middle.
    wait_for_dot(&mut page, (0, 12), OWN, true);
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn the_map_and_its_panel_show_icons() {
    let Some(mut page) = Page::open() else { return };
    let (_place, map) = demo();
    let sign = |at, icon: &str| point(at, &json!({"name": "Bakery", "icon": icon}));
    let ring = json!([[[-60, 60], [60, 60], [60, 120], [-60, 120], [-60, 60]]]);
    let claim = json!({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": ring}, "properties": {"name": "Town", "icon": "bakery"}});
    let signs = vec![sign((-100, -100), "bakery"), sign((100, -100), "mill")];
    put(
        &map,
        &[("overworld", "signs", signs)],
        &[("markers/claims.geojson", collection(&[claim]))],
    );
    put_icon(&map, "bakery");

    let host = Host::of(&map.root);
    let from_disk = format!("file://{}/index.html", map.root.display());
    for address in [&host.address, &from_disk] {
        page.go(&format!("{address}#overworld/day/0/0/0"));
        page.wait_for_tiles();
        wait_for_dot(&mut page, (-100, -100), ICON, true);
        wait_for_dot(&mut page, (100, -100), SIGN, true);
        wait_for_dot(&mut page, (0, 89), ICON, true);
        assert_eq!(
            rows(&mut page),
            ["Claims 1", "Bakery 1", "Signs 2", "Bakery 1"]
        );
        page.go("about:blank");
    }

    page.go(&format!("{}#overworld/day/0/0/0", host.address));
    let shown = "[...document.querySelectorAll('#marker-kinds .groups canvas')].map((canvas) => \
                 [...canvas.getContext('2d').getImageData(11, 11, 1, 1).data].join()).join(' ')";
    let icon = "208,16,224,255";
    page.wait_for(&format!("{shown} === '{icon} {icon}'"));
    turn(&mut page, "signs/Bakery");
    wait_for_dot(&mut page, (-100, -100), ICON, false);
    assert_eq!(page.errors, [""; 0]);
}
