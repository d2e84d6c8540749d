//! Tests the choice of named maps, from disk and from a host, with mouse and keyboard.

use serde_json::json;

use super::browser::Page;
use super::host::Host;
use crate::map::{Place, Ran, fixture, program};
use crate::world::Files;

/// Texts that no program may obey: in a page, in an address, in a script.
const NAMES: [&str; 3] = ["&lt;b&gt; 'x'", "100% #2", "\u{4e16}\u{754c};alert(1)"];

/// Draws maps of these names and worlds into `site`.
fn site(maps: &[(&str, &str)]) -> Place {
    let place = Place::empty();

    let table = |(name, world): &(&str, &str)| {
        format!(
            "[[map]]\nname = {name:?}\nworld = '{}'\nmarker-kinds = \"none\"\n",
            fixture(world).display()
        )
    };

    std::fs::write(
        place.at("maps.toml"),
        maps.iter().map(table).collect::<String>(),
    )
    .unwrap();

    let mut command = program();
    command
        .arg("render")
        .arg("-c")
        .arg(place.at("maps.toml"))
        .arg("-o")
        .arg(place.at("site"));
    Ran::of(command.output().unwrap()).expect(0, "a site");

    place
}

/// The contents of the choice: its label, its names, and the marked name.
fn shown(page: &mut Page) -> serde_json::Value {
    page.eval(
        "(() => \
         { const box = document.getElementById('worlds'); return box.offsetHeight === 0 ? null : { label: box.querySelector('legend').textContent, names: [...box.querySelectorAll('.choice')].map((choice) => choice.textContent), marked: [...box.querySelectorAll('input')].map((input) => input.checked).indexOf(true) }; })()",
    )
}

fn wait_for(page: &mut Page, number: usize) {
    let folder = json!(NAMES[number]);
    page.wait_for(&format!(
        "document.readyState === 'complete' && \
         decodeURIComponent(location.pathname).endsWith({folder} + '/index.html')"
    ));

    page.wait_for_tiles();
    assert_eq!(
        shown(page),
        json!({"label": "World", "names": NAMES, "marked": number})
    );
    assert_eq!(
        page.eval("document.getElementById('name').textContent"),
        folder
    );
}

#[test]
fn a_page_leads_to_other_worlds_and_back() {
    let Some(mut page) = Page::open() else { return };
    let place = site(&[
        (NAMES[0], "root-3955"),
        (NAMES[1], "aligned-2586"),
        (NAMES[2], "mcregion"),
    ]);

    let host = Host::of(&place.at("site"));
    for address in [
        host.address,
        format!("file://{}/index.html", place.at("site").display()),
    ] {
        // The front page keeps the query of the address.
        page.go(&format!("{address}#overworld/day/7/9/2"));
        wait_for(&mut page, 0);
        assert_eq!(page.address(), "#overworld/day/7/9/2");
        page.eval("document.querySelectorAll('input[name=world]')[1].click(); 1");
        wait_for(&mut page, 1);
        page.eval("document.querySelector('input[name=world]:checked').focus(); 1");

        for kind in ["rawKeyDown", "keyUp"] {
            let key = json!({"type": kind, "key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39});
            page.call("Input.dispatchKeyEvent", &key);
        }

        wait_for(&mut page, 2);
        page.eval("history.back(); 1");
        wait_for(&mut page, 1);
        page.eval("document.querySelectorAll('input[name=world]')[0].click(); 1");
        wait_for(&mut page, 0);
        page.go("about:blank");
    }

    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn empty_worlds_and_narrow_windows_keep_the_choice() {
    let Some(mut page) = Page::open() else { return };
    let place = site(&[("empty", "layout-empty"), ("drawn", "root-3955")]);
    let of = |name: &str| format!("file://{}/{name}/index.html", place.at("site").display());
    page.go(&of("empty"));
    page.wait_for("!document.getElementById('message').hidden");

    assert_eq!(shown(&mut page)["names"], json!(["empty", "drawn"]));
    assert_eq!(
        page.eval("document.getElementById('go').offsetHeight"),
        json!(0),
        "there is no place to go to"
    );

    let size = json!({"width": 360, "height": 420, "deviceScaleFactor": 1, "mobile": true});
    page.call("Emulation.setDeviceMetricsOverride", &size);
    page.go(&of("drawn"));
    page.wait_for_tiles();
    assert_eq!(shown(&mut page), json!(null), "the panel starts folded");
    page.eval("document.getElementById('fold').click(); 1");
    assert_eq!(shown(&mut page)["marked"], 1);

    let inside = "(() => \
                  { const box = document.getElementById('worlds').getBoundingClientRect(); return box.left >= 0 && box.right <= 360 && box.bottom <= 420; })()";
    assert_eq!(page.eval(inside), json!(true));

    // With many worlds, the choice is a list.
    let names: Vec<String> = (0..8).map(|number| format!("world {number}")).collect();
    let place = site(
        &names
            .iter()
            .map(|name| (name.as_str(), "root-3955"))
            .collect::<Vec<_>>(),
    );
    page.go(&format!("file://{}/index.html", place.at("site").display()));

    page.wait_for("document.querySelectorAll('#worlds select option').length === 8");
    assert_eq!(
        page.eval("document.querySelector('#worlds select').value"),
        json!("0")
    );
    assert_eq!(
        page.eval("document.querySelector('#worlds select').ariaLabel"),
        json!("World")
    );

    page.eval("(() => { const list = document.querySelector('#worlds select'); list.value = '7'; list.dispatchEvent(new Event('change')); })()");
    page.wait_for(
        "document.title === 'world 7' && document.querySelector('#worlds select')?.value === '7'",
    );
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn a_map_alone_has_no_choice_of_worlds() {
    let Some(mut page) = Page::open() else { return };
    let place = site(&[("one", "root-3955")]);
    Files::read_under(&fixture("root-3955")).write_under(&place.world());

    let plain = place.draw("plain", &[]);
    for root in [plain.root, place.at("site/one")] {
        page.go(&format!("file://{}/index.html", root.display()));
        page.wait_for_tiles();
        assert_eq!(shown(&mut page), json!(null), "{}", root.display());
    }

    assert_eq!(page.errors, [""; 0]);
}
