//! Tests textured tiles of a served world: they are drawn on request and not stored on the disk.

use std::time::{Duration, Instant};

use super::Server;
use crate::map::jar::jar;
use crate::map::{Map, Place, fixture};
use crate::world::Files;

/// The demo world and a jar.
fn place() -> (Place, String) {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    jar().write_under(&place.at("pack"));
    let pack = place.at("pack").to_str().unwrap().to_owned();
    (place, pack)
}

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

/// The part of the demo world whose textured tiles are drawn ahead of time for the comparison.
const AREA: &str = "-32,-32,64,64";

#[test]
fn textured_tiles_are_drawn_on_request() {
    let (place, pack) = place();
    let layers = ["-l", "day", "-l", "night", "-l", "height"];
    let server = serve(
        &place,
        &[&["--assets", &pack, "--on-demand"], &layers[..]].concat(),
    );

    let page = String::from_utf8(server.get("/").body).unwrap();
    assert!(
        page.contains(r#"<meta name="pixelmap-live" content="day night" data-innermost="21">"#),
        "{page}"
    );

    let drawn = place.draw(
        "drawn",
        &[
            &["--assets", &pack, "--zoom-in", "4", "-a", AREA],
            &layers[..],
        ]
        .concat(),
    );

    for path in ["day/21/0/0", "day/21/-1/-1", "night/21/1/-1", "day/20/0/0"] {
        let path = format!("overworld/{path}.png");
        let answer = server.get(&format!("/{path}"));
        assert_eq!(
            (answer.status, answer.headers["cache-control"].as_str()),
            (200, "no-store"),
            "{path}"
        );
        assert!(
            answer.body == std::fs::read(drawn.root.join(&path)).unwrap(),
            "{path}"
        );
    }

    // A tile that is read in several parts.
    let outermost = place.draw("outermost", &["--assets", &pack, "--zoom-in", "1"]);
    for path in ["overworld/day/18/0/0.png", "overworld/day/18/-1/-1.png"] {
        assert!(
            server.get(&format!("/{path}")).body
                == std::fs::read(outermost.root.join(path)).unwrap(),
            "{path}"
        );
    }

    for path in [
        "overworld/day/21/100000/0.png",
        "overworld/height/21/0/0.png",
        "overworld/day/22/0/0.png",
    ] {
        assert_eq!(server.get(&format!("/{path}")).status, 404, "{path}");
    }

    let inner = |(zoom, ..): &(u8, i32, i32)| *zoom > 17;
    assert!(
        !Map::at(&place.at("served"))
            .tiles("overworld")
            .keys()
            .any(inner),
        "none is on the disk"
    );
}

#[test]
fn finished_maps_serve_textured_tiles() {
    let (place, pack) = place();
    let server = serve(&place, &["--assets", &pack]);

    let start = Instant::now();
    while !place.at("served/map.json").is_file() {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "the map is never finished"
        );
        std::thread::sleep(Duration::from_millis(20));
    }

    assert_eq!(server.get("/overworld/day/20/0/0.png").status, 200);

    let page = String::from_utf8(server.get("/").body).unwrap();
    assert!(
        page.contains(r#"content="day" data-innermost="21""#),
        "{page}"
    );

    let plain = serve_plain(&place);
    assert_eq!(
        plain.get("/overworld/day/20/0/0.png").status,
        404,
        "without assets there are none"
    );
}

/// Serves the world without textures, into another folder.
fn serve_plain(place: &Place) -> Server {
    let out = place.at("plain");
    Server::of(
        &place.world(),
        &["-o", out.to_str().unwrap(), "--on-demand"],
    )
}
