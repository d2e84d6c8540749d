//! Tests the legend in the viewer: chosen entries keep their columns in colour, and the viewer
//! finds the nearest of these columns.

use serde_json::json;

use super::MIDDLE;
use super::browser::Page;
use super::host::Host;
use crate::map::{Map, Place, Rgba, land, on};
use crate::world::level_dat::LevelDat;
use crate::world::nbt::Tag;
use crate::world::{Biome, ChunkSpec, Files, Generation, biome, block};

/// The length of a square's sides in chunks. Outer zoom levels mix the colours at borders, so the
/// squares are large.
const SIDE: i32 = 4;
/// The columns in the middle of the squares, with the biome, the version and the time of players
/// there.
const DESERT: i32 = 32;
const TAIGA: i32 = 32 + 128;
const SWAMP: i32 = 32 + 640;

/// The chunks of a square from chunk `west` on.
fn square(west: i32, biome: Biome, version: i32, ticks: i64) -> Vec<ChunkSpec> {
    let chunk = |at| {
        let mut chunk = ChunkSpec::new(west + at % SIDE, at / SIDE, Generation::Root(version));
        chunk.layer(60, 64, block::STONE);
        (0..256).for_each(|column| chunk.set_biome(column % 16, column / 16, biome));
        chunk.extra = vec![("InhabitedTime", Tag::Long(ticks))];
        chunk
    };
    (0..SIDE * SIDE).map(chunk).collect()
}

fn world_of_squares() -> Files {
    let squares = [
        square(0, biome::DESERT, 3955, 0),
        square(8, biome::TAIGA, 3465, 73_000),
        square(40, biome::SWAMP, 2975, 7_200_000),
    ];

    let mut files = Files::new();
    land::put_chunks(&mut files, "region", &squares.concat());
    files.put(
        "level.dat",
        LevelDat::new("squares", Some(3955))
            .with("RandomSeed", Tag::Long(1))
            .bytes(),
    );

    files
}

fn draw(place: &Place, more: &[&str]) -> Map {
    let layers = ["day", "biome", "version", "inhabited", "slime"];
    let layers = layers
        .iter()
        .flat_map(|layer| ["-l", layer])
        .chain(["--marker-kinds", "none"]);
    place.draw(
        "map",
        &layers.chain(more.iter().copied()).collect::<Vec<_>>(),
    )
}

/// Presses the button of the legend with this text.
fn press(page: &mut Page, text: &str) {
    page.eval(&format!(
        "[...document.querySelectorAll('#legend-parts button')].find((button) => button.value === \
         '{text}').click(); 1"
    ));
}

/// The pixel in the middle of the window after moving to a column.
fn pixel(page: &mut Page, layer: &str, x: i32, more: &str) -> Rgba {
    page.eval(&format!(
        "location.hash = '#overworld/{layer}/{x}/32/{more}'; 1"
    ));
    page.wait_for(&format!(
        "location.hash.startsWith('#overworld/{layer}/{x}/32/')"
    ));
    page.wait_for_tiles();
    page.pixels()[MIDDLE.1][MIDDLE.0]
}

fn is_grey([red, green, blue, _]: Rgba) -> bool {
    red == green && green == blue
}

#[test]
fn chosen_entries_alone_stay_in_colour() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&world_of_squares());
    let map = draw(&place, &[]);
    let host = Host::of(&map.root);
    let [layers, texts] = [
        ["biome", "version", "inhabited"],
        ["taiga", "1.20", "1 hour"],
    ];

    for address in [
        host.address,
        format!("file://{}/index.html", map.root.display()),
    ] {
        for (layer, text) in layers.into_iter().zip(texts) {
            page.go(&format!("{address}?{layer}#overworld/{layer}/{TAIGA}/32/0"));
            page.wait_for_tiles();
            press(&mut page, text);
            let kept = format!("0/only={}", text.replace(' ', "%20"));
            assert_eq!(
                page.address(),
                format!("#overworld/{layer}/{TAIGA}/32/{kept}")
            );

            let there = map.columns_of("overworld", layer).at(TAIGA, 32);
            assert_eq!(pixel(&mut page, layer, TAIGA, &kept), there, "{text}");
            assert!(
                !is_grey(there) && is_grey(pixel(&mut page, layer, DESERT, &kept)),
                "{text}"
            );
            assert!(is_grey(pixel(&mut page, layer, SWAMP, &kept)), "{text}");

            // Tiles further out have rounded colours.
            let further = kept.replace("0/", "-1/");
            assert!(!is_grey(pixel(&mut page, layer, TAIGA, &further)), "{text}");
            assert!(is_grey(pixel(&mut page, layer, DESERT, &further)), "{text}");
        }

        // Several entries, from an address and by keys.
        page.go(&format!(
            "{address}?several#overworld/biome/{TAIGA}/32/0/only=taiga/only=nowhere"
        ));

        page.wait_for_tiles();
        let pressed = "[...document.querySelectorAll('#legend-parts \
                       [aria-pressed=true]')].map((of) => of.value).join()";
        assert_eq!(page.eval(pressed), json!("taiga"));
        page.eval("document.querySelector('#legend-parts [value=swamp]').focus(); 1");
        let enter = json!({"type": "keyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"});
        page.call("Input.dispatchKeyEvent", &enter);
        page.wait_for(&format!(
            "location.hash === '#overworld/biome/{TAIGA}/32/0/only=swamp/only=taiga'"
        ));

        let both = "0/only=swamp/only=taiga";
        let colours = [SWAMP, TAIGA, DESERT].map(|x| is_grey(pixel(&mut page, "biome", x, both)));
        assert_eq!(colours, [false, false, true]);
        page.eval("document.getElementById('all-colours').click(); 1");
        page.wait_for("!location.hash.includes('only=')");
        assert!(!is_grey(pixel(&mut page, "biome", DESERT, "0")));
        page.go("about:blank");
    }

    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn slime_chunks_stay_in_colour_on_grey_land() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&world_of_squares());
    let map = draw(&place, &[]);
    let columns = map.columns_of("overworld", "slime");
    let slimy = (0..64)
        .find(|x| columns.at(*x, 56)[3] > 0)
        .expect("a slime chunk by this seed");
    let other = (0..64).find(|x| columns.at(*x, 56)[3] == 0).unwrap();

    let host = Host::of(&map.root);
    let mut pixel_at = |x: i32| {
        // The address alone shows the layer over the map.
        page.go(&format!(
            "{}?{x}#overworld/biome/{x}/56/0/only=slime%20chunk",
            host.address
        ));

        page.wait_for_tiles();
        assert!(
            page.address().ends_with("/only=slime%20chunk"),
            "{}",
            page.address()
        );
        assert_eq!(
            page.eval("document.querySelector('#overlays input').checked"),
            json!(true)
        );

        page.pixels()[MIDDLE.1][MIDDLE.0]
    };

    let [there, beside] = [slimy, other].map(&mut pixel_at);
    assert!(
        there[1] > there[0] && there[1] > there[2] && is_grey(beside),
        "{there:?} {beside:?}"
    );
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn the_nearest_column_of_an_entry_is_shown() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&world_of_squares());

    // The taiga's two western columns of chunks are hidden.
    let map = draw(&place, &["--hide", "128,0,160,64"]);
    let address = Host::of(&map.root).address;

    let nearest = |page: &mut Page, from: &str, only: &str, to: &str| {
        page.go("about:blank");
        page.go(&format!("{address}#overworld/{from}/{only}"));
        page.wait_for_tiles();
        page.eval("document.getElementById('nearest').click(); 1");
        page.wait_for(&format!(
            "location.hash === '#overworld/{}/{to}/0/pin/{only}'",
            from.split('/').next().unwrap()
        ));
    };

    nearest(&mut page, "biome/10/20/0", "only=taiga", "160/20");
    nearest(&mut page, "biome/10/20/0", "only=swamp", "640/20");
    nearest(&mut page, "version/900/-100/0", "only=1.21", "63/0");
    nearest(
        &mut page,
        "inhabited/400/20/0",
        "only=100%20hours%20and%20more",
        "640/20",
    );

    assert_eq!(
        page.eval("document.getElementById('legend-found').textContent"),
        json!("240 blocks away")
    );

    // The pixels of an archive are read in the same way.
    let archive = place.at("world.pmtiles");
    on(
        "export",
        &map.root,
        &["-q", "-l", "biome", "-o", archive.to_str().unwrap()],
    )
    .expect(0, "export");

    page.go("about:blank");
    let archives = Host::of(archive.parent().unwrap());
    page.go(&format!(
        "{}world.html#overworld/biome/10/20/0/only=taiga",
        archives.address
    ));
    page.wait_for_tiles();
    page.eval("document.getElementById('nearest').click(); 1");
    page.wait_for("location.hash === '#overworld/biome/160/20/0/pin/only=taiga'");

    // On a phone the test first unfolds the panel.
    page.resize((390, 844));
    page.go("about:blank");
    page.go(&format!("{address}#overworld/biome/30/30/0"));
    page.wait_for_tiles();
    page.eval(
        "document.getElementById('fold').click(); \
         document.getElementById('legend').scrollIntoView(); 1",
    );

    let place = page.eval(
        "(({x, y, width, height}) => [x + width / 2, y + height / 2, \
         height])(document.querySelector('#legend-parts button').getBoundingClientRect())",
    );
    assert!(place[2].as_f64().unwrap() >= 36.0, "{place}");

    page.click(
        place[0].as_f64().unwrap() as u32,
        place[1].as_f64().unwrap() as u32,
    );
    page.wait_for("location.hash.endsWith('/only=desert')");
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn hidden_biomes_are_not_in_the_legend() {
    let Some(mut page) = Page::open() else { return };
    let place = Place::of(&world_of_squares());
    let map = draw(&place, &["--hide", "128,0,192,64"]);
    page.go(&format!(
        "{}#overworld/biome/30/30/0",
        Host::of(&map.root).address
    ));
    page.wait_for_tiles();
    let texts =
        "[...document.querySelectorAll('#legend-parts button')].map((of) => of.value).join()";
    assert_eq!(page.eval(texts), json!("desert,swamp"));
    assert_eq!(page.errors, [""; 0]);
}
