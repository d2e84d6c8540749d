//! Tests textures on the page of a served world: while the view moves, and at earlier moments,
//! which lack textures.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::browser::Page;
use super::moments::{press, slide, wait_for_kept};
use super::{BARE, MIDDLE};
use crate::map::jar::jar;
use crate::map::land::{self, Column};
use crate::map::{Place, Rgba, fixture, pixels};
use crate::serve::Server;
use crate::world::{Block, Files, Generation, block};

/// Pixels per block at level 21, four levels further in than the native one.
const SIDE: i32 = 16;

/// Returns the visible pixels around the middle of the window, moved by `dx` and `dz` pixels.
fn seen_around(page: &mut Page) -> BTreeMap<(i32, i32), Rgba> {
    page.wait_for_tiles();

    let pixels = page.pixels();
    let around = (-100..100)
        .step_by(3)
        .flat_map(|dz| (-200..200).step_by(3).map(move |dx| (dx, dz)));
    around
        .map(|(dx, dz)| {
            (
                (dx, dz),
                pixels[(MIDDLE.1 as i32 + dz) as usize][(MIDDLE.0 as i32 + dx) as usize],
            )
        })
        .collect()
}

#[test]
fn textures_are_shown_across_region_edges() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&Files::read_under(&fixture("demo")));
    jar().write_under(&place.at("pack"));
    let pack = place.at("pack");
    let assets = ["--assets", pack.to_str().unwrap()];
    let options = ["--zoom-in", "4", "-a", "-48,-16,48,32"];
    let drawn = place.draw("drawn", &[&assets[..], &options, &BARE].concat());
    let mut tiles = BTreeMap::new();

    let out = place.at("served");
    let server = Server::of(
        &place.world(),
        &[
            &["-o", out.to_str().unwrap(), "--on-demand"][..],
            &assets,
            &BARE,
        ]
        .concat(),
    );
    page.go(&format!("{}#overworld/day/-30/8/4", server.url));

    for x in [-30, 0, 20] {
        page.eval(&format!("location.hash = '#overworld/day/{x}/8/4'; 1"));
        page.wait_for(&format!("location.hash === '#overworld/day/{x}/8/4'"));

        for ((dx, dz), there) in seen_around(&mut page) {
            // The middle of the window is a quarter of a block inside its block.
            let [at_x, at_z] = [x * SIDE + SIDE / 4 + dx, 8 * SIDE + SIDE / 4 + dz];
            let tile = (at_x.div_euclid(512), at_z.div_euclid(512));
            let tile = tiles.entry(tile).or_insert_with(|| {
                pixels(
                    &drawn
                        .root
                        .join(format!("overworld/day/21/{}/{}.png", tile.0, tile.1)),
                )
            });

            let wanted = tile[(at_z.rem_euclid(512) * 512 + at_x.rem_euclid(512)) as usize];
            assert_eq!(there, wanted, "{dx} {dz} from {x}");
        }
    }

    let colours: BTreeSet<_> = tiles.values().flatten().collect();
    assert!(
        colours.len() > 100,
        "textures have many colours: {}",
        colours.len()
    );
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn an_earlier_moment_is_the_native_tile_enlarged() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::empty();
    jar().write_under(&place.at("pack"));

    let write = |ground: Block| {
        let column = |_, _| Some(Column::of(64, ground));
        land::world([-32, -32, 64, 64], (0, 0), Generation::Root(3955), column)
            .write_under(&place.world());
    };

    let mut native = Vec::new();
    for (day, ground) in [
        ("2026-05-01", block::ANDESITE),
        ("2026-05-02", block::STONE),
    ] {
        write(ground);
        let map = place.draw("map", &[&["--history", "--time", day], &BARE[..]].concat());
        native.push(map.columns().at(8, 8));
    }

    let out = place.at("map");
    let pack = place.at("pack");
    let server = Server::of(
        &place.world(),
        &[
            &[
                "-o",
                out.to_str().unwrap(),
                "--assets",
                pack.to_str().unwrap(),
            ],
            &BARE[..],
        ]
        .concat(),
    );

    let shown = |page: &mut Page| seen_around(page).into_values().collect::<BTreeSet<_>>();
    page.go(&format!("{}#overworld/day/8/8/4", server.url));
    page.wait_for("document.getElementById('clock').offsetHeight > 0");
    press(&mut page, "clock");
    page.wait_for("Number(document.getElementById('moment').max) > 0");
    assert!(shown(&mut page).len() > 1, "the textures of now");
    slide(&mut page, 0);
    wait_for_kept(&mut page, true);
    assert_eq!(shown(&mut page), BTreeSet::from([native[0]]));

    // A link to the moment works in the same way.
    page.go(&format!("{}?2#overworld/day/8/8/4/@2026-05-01", server.url));
    wait_for_kept(&mut page, true);
    assert_eq!(shown(&mut page), BTreeSet::from([native[0]]));
    press(&mut page, "now");

    page.wait_for(
        "[...document.querySelectorAll('img.leaflet-tile')].every((tile) => \
         tile.src.includes('/21/'))",
    );
    assert!(shown(&mut page).len() > 1, "the textures of now");

    let others: Vec<_> = page
        .errors
        .iter()
        .filter(|error| !error.contains("/history/overworld/"))
        .collect();
    assert_eq!(json!(others), json!([]));
}
