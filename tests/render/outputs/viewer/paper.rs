//! Tests the page on paper: the title, the map, the scale bar and the legend.

use serde_json::json;

use super::browser::Page;
use crate::map::{Place, fixture};
use crate::world::Files;

#[test]
fn paper_has_map_title_scale_and_legend() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw("map", &["-l", "biome"]);
    page.go(&format!(
        "file://{}/index.html#overworld/biome/0/0/0/pin",
        map.root.display()
    ));
    page.wait_for_tiles();

    // The page is dark, and its panel is folded, so that the legend is hidden.
    page.eval(
        "document.documentElement.dataset.theme = 'dark'; \
         document.getElementById('fold').click(); \
         window.dispatchEvent(new Event('beforeprint')); 1",
    );
    page.call("Emulation.setEmulatedMedia", &json!({"media": "print"}));
    // The sheet A4 without its margins.
    page.resize((703, 1030));

    let shown = |page: &mut Page, chosen: &str| {
        page.eval(&format!(
            "[...document.querySelectorAll('{chosen}')].filter((one) => \
             one.getClientRects().length > 0).map((one) => one.id || one.textContent)"
        ))
    };
    for id in ["name", "map", "scale-bar", "scale-text"] {
        assert_eq!(shown(&mut page, &format!("#{id}")), json!([id]));
    }
    let entries = shown(&mut page, "#legend-parts li");
    assert!(entries.as_array().unwrap().len() > 5, "{entries}");
    assert_eq!(
        shown(&mut page, "button:not(li button), a, input, select"),
        json!([])
    );
    assert_eq!(shown(&mut page, "#place, #position, #hint"), json!([]));

    // The whole view of the window, 1200 by 800, is on the sheet, above the scale bar.
    let fits = "(() => { const map = document.getElementById('map').getBoundingClientRect(); \
                const bar = document.getElementById('scale').getBoundingClientRect(); \
                return map.right <= 703 && map.bottom <= bar.top && \
                Math.abs(map.width / map.height - 1.5) < 0.01; })()";
    assert_eq!(page.eval(fits), json!(true));
    assert_eq!(page.pixels()[1000][5], [255; 4], "paper is white");
    assert_eq!(page.errors, [""; 0]);
}
