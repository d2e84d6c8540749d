//! Tests `pixelmap serve WORLD`, which draws a world while it serves the map.

use std::io::Read as _;
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use super::{Answer, Server, stop::stop};
use crate::map::{Map, Place, assert_same_files, fixture, pixels, render};
use crate::world::Files;

fn serve(place: &Place, out: &Path, options: &[&str]) -> Server {
    Server::of(
        &place.world(),
        &[
            &["-o", out.to_str().unwrap(), "--marker-kinds", "none"],
            options,
        ]
        .concat(),
    )
}

fn json(server: &Server, address: &str) -> Value {
    serde_json::from_slice(&server.get(address).body).unwrap()
}

/// Waits until the map is finished.
fn wait_until_finished(out: &Path) {
    let start = Instant::now();
    while !out.join("map.json").is_file() || !out.join("overworld/day/tiles.tsv").is_file() {
        assert!(
            start.elapsed() < Duration::from_mins(2),
            "the map is never finished"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The part that a page of a served world has and the page of a map does not.
const LIVE_TAG: &str = "<meta name=\"pixelmap-live\" content=\"\" data-innermost=\"21\">\n";

/// Returns whether a page has received the news that the map is finished.
fn is_finished(text: &str) -> bool {
    text.contains("event: finished")
}

/// Returns the received events until `is_enough` of their text, or the end.
fn events(server: &Server, query: &str, is_enough: impl Fn(&str) -> bool) -> String {
    heard(&mut listen(server, query), is_enough)
}

/// A page that receives events about drawn tiles.
pub(super) fn listen(server: &Server, query: &str) -> TcpStream {
    server.send(format!("GET /live?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes())
}

/// Returns the received events until `is_enough` of the text, or the end.
pub(super) fn heard(stream: &mut TcpStream, is_enough: impl Fn(&str) -> bool) -> String {
    let (mut text, mut bytes, start) = (String::new(), [0; 4096], Instant::now());
    while !is_enough(&text) {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "it is never told: {text}"
        );
        match stream.read(&mut bytes) {
            Ok(read @ 1..) => text += &String::from_utf8_lossy(&bytes[..read]),
            _ => break,
        }
    }

    text
}

#[test]
fn a_served_world_becomes_the_rendered_map() {
    let place = Place::of_demo(9);

    let out = place.at("served");
    let hills = ["-l", "day", "-l", "terrain"];
    let server = serve(&place, &out, &hills);
    for page in ["/", "/terrain.html"] {
        let page = server.get(page);
        assert_eq!(page.status, 200);
        assert!(String::from_utf8(page.body).unwrap().contains(LIVE_TAG));
    }

    events(&server, "", is_finished);
    events(&server, "", is_finished);
    let page = server.get("/");
    assert_ne!(page.header("last-modified"), "");
    assert_eq!(page.body, server.get("/index.html").body);

    let page = String::from_utf8(page.body).unwrap();
    assert!(page.contains(LIVE_TAG), "it hears of what the game saves");

    let drawn = place.draw("drawn", &[&hills[..], &["--marker-kinds", "none"]].concat());
    let mut served = Map::at(&out).files();
    let mut files = drawn.files();
    for of in [&mut served, &mut files] {
        of.retain(|path, _| !path.starts_with(".pixelmap"));
    }

    assert_same_files("served and drawn", &served, &files);
    assert_eq!(
        page.replace(LIVE_TAG, "").into_bytes(),
        files.remove("index.html").unwrap()
    );

    let page = String::from_utf8(server.get("/terrain.html").body).unwrap();
    assert!(page.contains(LIVE_TAG));
    assert_eq!(
        page.replace(LIVE_TAG, "").into_bytes(),
        files.remove("terrain.html").unwrap()
    );

    for (path, bytes) in files {
        assert_eq!(server.get(&format!("/{path}")).body, bytes, "{path}");
    }
}

#[test]
fn on_demand_draws_requested_tiles() {
    let place = Place::of_demo(16);
    let out = place.at("served");
    let server = serve(&place, &out, &["--on-demand"]);
    let facts = json(&server, "/map.json");
    assert_eq!(facts["dimensions"][0]["layers"][0]["min_zoom"], 16);
    assert_eq!(server.get("/version.json").status, 200);
    assert_eq!(server.get("/viewer.js").status, 200);

    let drawn = place.draw("drawn", &["--marker-kinds", "none"]);
    let mut tiles = drawn
        .tiles("overworld")
        .into_iter()
        .filter(|((zoom, ..), _)| *zoom == 17);

    let (_, tile) = tiles.next().unwrap();
    let path = tile.strip_prefix(&drawn.root).unwrap();
    let address = format!("/{}", path.display());
    let answer = server.get(&address);
    assert_eq!(
        (answer.status, answer.headers["cache-control"].as_str()),
        (200, "no-cache")
    );

    assert_eq!(
        answer.body,
        std::fs::read(&tile).unwrap(),
        "the pixels of render"
    );

    let count = |folder: &Path| Map::at(folder).tiles("overworld").len();
    assert_eq!(count(&out), 1, "and nothing else is drawn");
    assert!(!out.join("map.json").exists());

    for (address, status) in [
        ("/overworld/day/17/60/60.png", 200),
        ("/overworld/day/17/60/60.webp", 404),
        ("/overworld/day/18/0/0.png", 404),
        ("/overworld/day/tiles.tsv", 404),
        ("/.pixelmap/lock", 404),
        ("/overworld/../../level.dat", 404),
    ] {
        assert_eq!(server.get(address).status, status, "{address}");
    }

    assert_eq!(server.ask("POST", &address, &[]).status, 405);
    assert_eq!(server.ask("HEAD", &address, &[]).status, 200);
}

#[test]
fn an_outer_tile_is_sketched_at_once() {
    let place = Place::of_demo(16);
    let out = place.at("served");
    let server = serve(&place, &out, &["--on-demand"]);

    let drawn = place.draw("drawn", &["--marker-kinds", "none"]);
    let outer: Vec<_> = drawn
        .tiles("overworld")
        .into_iter()
        .filter(|((zoom, ..), _)| *zoom == 16)
        .collect();
    assert!(outer.len() > 1);

    for (tile, path) in outer {
        let address = format!("/{}", path.strip_prefix(&drawn.root).unwrap().display());
        let answer = server.get(&address);
        assert_eq!(
            (answer.status, answer.headers["cache-control"].as_str()),
            (200, "no-store"),
            "{tile:?}"
        );

        let sketch = place.at("sketch.png");
        std::fs::write(&sketch, &answer.body).unwrap();
        let (sketch, whole) = (pixels(&sketch), pixels(&path));
        let covered = |pixels: &[[u8; 4]]| pixels.iter().filter(|pixel| pixel[3] > 0).count();
        assert!(
            covered(&sketch) * 10 > covered(&whole) * 9,
            "{tile:?} shows the land"
        );

        assert!(
            covered(&sketch) * 9 < covered(&whole) * 10,
            "{tile:?} shows no more than there is"
        );
    }

    assert_eq!(
        Map::at(&out).tiles("overworld").len(),
        0,
        "nothing is drawn for it"
    );
}

/// Returns the number of regions to draw from the last event.
fn drawn_in(text: &str) -> u64 {
    let last = text.rsplit("\"drawn\":").next().unwrap_or_default();
    last.split(',')
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

#[test]
fn visible_tiles_are_drawn_and_announced() {
    let place = Place::of_demo(16);
    let out = place.at("served");
    let server = serve(&place, &out, &["--on-demand"]);
    let bounds = &json(&server, "/map.json")["dimensions"][0]["layers"][0]["bounds"];
    let (x0, z0) = (
        bounds["x0"].as_i64().unwrap(),
        bounds["z0"].as_i64().unwrap(),
    );

    let query = format!(
        "layer=overworld%2Fday&zoom=16&x0={x0}&z0={z0}&x1={}&z1={}",
        x0 + 1000,
        z0 + 1000
    );

    let text = events(&server, &query, |text| {
        text.contains("event: tiles") && drawn_in(text) >= 4
    });
    assert!(
        text.contains("content-type: text/event-stream") && text.contains("\"of\":16"),
        "{text}"
    );
    assert!(text.contains("[16,"), "{text}");

    let count = || Map::at(&out).tiles("overworld").len();
    let mut before = 0;
    let mut now = count();
    assert!(now >= 4, "{now}");

    // The page is closed: after the tiles in progress, nothing more is drawn.
    while now != before {
        before = now;
        std::thread::sleep(Duration::from_millis(500));
        now = count();
    }

    assert!(now < 16, "only what is near was drawn: {now}");

    for query in [
        "",
        "layer=nothing&zoom=16&x0=0&z0=0&x1=1&z1=1",
        "zoom=-3",
        "layer=overworld/day&zoom=16&x0=9&z0=9&x1=3&z1=3",
    ] {
        let text = events(&server, query, |text| text.contains("event: progress"));
        assert!(text.starts_with("HTTP/1.1 200"), "{query}: {text}");
    }
}

#[test]
fn one_client_leaves_event_streams_for_others() {
    let place = Place::of_demo(9);
    let server = serve(&place, &place.at("served"), &["--on-demand"]);
    let begins = |client: &str| {
        let request =
            format!("GET /live? HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {client}\r\n\r\n");
        let mut stream = server.send(request.as_bytes());
        let text = heard(&mut stream, |text| text.contains("\r\n\r\n"));
        (stream, text.starts_with("HTTP/1.1 200"))
    };

    let mut greedy: Vec<_> = (0..40).map(|_| begins("192.0.2.1")).collect();
    assert_eq!(greedy.iter().filter(|(_, is_open)| *is_open).count(), 16);

    let other = begins("192.0.2.2");
    assert!(other.1, "another client has its own places");
    assert!(
        !begins("192.0.2.9, 192.0.2.1").1,
        "the proxy names the client last"
    );

    // A closed page leaves its place to another.
    greedy.truncate(15);

    let start = Instant::now();
    while !begins("192.0.2.1").1 {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "the place is never free"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn on_demand_redraws_saved_regions_when_visible() {
    let place = Place::of_demo(16);
    let (out, regions) = (place.at("served"), place.world().join("region"));
    let server = serve(&place, &out, &["--on-demand"]);
    let query = "layer=overworld%2Fday&zoom=17&x0=0&z0=0&x1=500&z1=500";

    let tile = |x: i32| format!("overworld/day/17/{x}/0.png");
    let first = |x| server.get(&format!("/{}", tile(x))).body;
    let (near, far) = (first(0), first(3));
    let bytes = std::fs::read(regions.join("r.1.1.mca")).unwrap();
    let mut page = listen(&server, query);
    heard(&mut page, |text| drawn_in(text) >= 5);

    for name in ["r.0.0.mca", "r.3.0.mca"] {
        std::fs::remove_file(regions.join(name)).unwrap();
        std::fs::write(regions.join(name), &bytes).unwrap();
    }

    heard(&mut page, |text| text.contains("[17,0,0]"));
    let text = events(&server, "", |text| text.contains("event: progress"));
    assert_eq!(drawn_in(&text), 5, "what was drawn before counts");
    assert!(
        std::fs::read(out.join(tile(0))).unwrap() != near,
        "what is seen is drawn"
    );

    assert!(
        std::fs::read(out.join(tile(3))).unwrap() == far,
        "and nothing else"
    );

    let drawn = place.draw("drawn", &["--marker-kinds", "none"]);
    for x in [0, 3] {
        assert!(
            first(x) == std::fs::read(drawn.root.join(tile(x))).unwrap(),
            "the pixels of render: {x}"
        );
    }

    assert!(!out.join("map.json").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_nice_server_yields_to_other_programs() {
    let place = Place::of_demo(9);
    let server = serve(&place, &place.at("served"), &["--nice", "--on-demand"]);
    let request =
        b"GET /overworld/day/17/0/0.png HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let stream = server.send(request);

    // While other tests use all cores, it may have to wait for a long time.
    stream.set_read_timeout(None).unwrap();
    assert_eq!(Answer::rest(stream).status, 200);
    crate::cli::nice::assert_idle(server.child.id(), "worker-");
}

#[test]
fn a_killed_server_loses_nothing() {
    let place = Place::of_demo(16);
    let out = place.at("served");
    let drawn = place.draw("drawn", &["--marker-kinds", "none"]);
    let mut tiles = drawn
        .tiles("overworld")
        .into_iter()
        .filter(|((zoom, ..), _)| *zoom == 17);

    for signal in [Signal::TERM, Signal::KILL, Signal::INT] {
        let mut server = serve(&place, &out, &["--on-demand"]);
        let (_, tile) = tiles.next().unwrap();
        let address = format!("/{}", tile.strip_prefix(&drawn.root).unwrap().display());
        assert_eq!(server.get(&address).status, 200);

        // A request that waits for ever does not delay the end.
        let _events =
            server.send(b"GET /live?layer=overworld/day HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let sent = Instant::now();
        stop(&server, signal);

        let code = server.child.wait().unwrap().code();
        assert_eq!(code, (signal != Signal::KILL).then_some(0));
        assert!(
            sent.elapsed() < Duration::from_secs(4),
            "it took {:?}",
            sent.elapsed()
        );
        assert!(out.join(tile.strip_prefix(&drawn.root).unwrap()).is_file());
    }

    let report = render(&place.world(), &out, &["--marker-kinds", "none"])
        .expect(0, "the rest")
        .report();
    assert_eq!(report["regions"]["unchanged"], 3, "what was served is done");

    let served = Map::at(&out)
        .files()
        .into_iter()
        .filter(|(path, _)| !path.starts_with(".pixelmap"))
        .collect();

    let files = drawn
        .files()
        .into_iter()
        .filter(|(path, _)| !path.starts_with(".pixelmap"))
        .collect();
    assert_same_files("served and drawn", &served, &files);
}

#[test]
fn hidden_places_of_earlier_maps_are_not_shown() {
    let place = Place::of_demo(9);
    let map = place.draw("map", &["--marker-kinds", "none", "--details"]);
    let (tile, details) = ("overworld/day/17/1/1.png", "overworld/details/17/1/1.js");
    assert!(map.root.join(details).is_file());

    let whole = std::fs::read(map.root.join(tile)).unwrap();
    for (hide, is_whole) in [("512,512,1024,1024", true), ("512,512,768,1024", false)] {
        let server = serve(
            &place,
            &map.root,
            &["--on-demand", "--details", "--hide", hide],
        );

        if is_whole {
            assert_eq!(server.get(&format!("/{details}")).status, 404, "{hide}");
        }

        let shown = place.at("shown.png");
        std::fs::write(&shown, server.get(&format!("/{tile}")).body).unwrap();
        let covered = pixels(&shown).iter().filter(|pixel| pixel[3] > 0).count();
        assert_eq!(covered == 0, is_whole, "{hide}: {covered} pixels");
        assert!(std::fs::read(&shown).unwrap() != whole);
    }
}

#[test]
fn another_run_reports_that_the_folder_is_held() {
    let place = Place::of_demo(9);
    let out = place.at("served");
    let _server = serve(&place, &out, &["--on-demand"]);
    let told = render(&place.world(), &out, &["--marker-kinds", "none"])
        .expect(75, "the server holds the folder");
    assert!(told.err.contains("another run"), "{}", told.err);
}

#[test]
fn a_temporary_map_is_removed_with_the_server() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let scratch = tempfile::tempdir().unwrap();
    let mut command = crate::map::program();
    command
        .arg("serve")
        .arg(place.world())
        .args(["--listen", "127.0.0.1:0"])
        .env("TMPDIR", scratch.path());

    let mut server = Server::start(command);
    assert_eq!(server.get("/map.json").status, 200);

    let folders: Vec<_> = std::fs::read_dir(scratch.path())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let modes: Vec<u32> = folders
        .iter()
        .map(|folder| folder.metadata().unwrap().mode() & 0o777)
        .collect();
    assert_eq!(modes, [0o700], "other users cannot look into it");

    // The message gives the address and not a path in the folder, because the folder is removed
    // with the server.
    wait_for_line(&mut server, "all is drawn: http://");
    stop(&server, Signal::TERM);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn paths_without_map_or_world_are_refused() {
    let place = Place::empty();
    std::fs::create_dir_all(place.at("nothing")).unwrap();
    let world = Place::of(&Files::read_under(&fixture("demo")));
    let map = world.draw("map", &[]);
    let run = |args: &[&str]| crate::map::run(&[&["serve"], args].concat());
    run(&[place.at("nothing").to_str().unwrap()]).expect(1, "nothing is there");

    let told = run(&[place.at("missing").to_str().unwrap()]).expect(1, "nothing is there");
    assert!(
        told.err.contains("not contain a finished map")
            && told.err.contains("give the path of a world"),
        "{}",
        told.err
    );

    let told =
        run(&[map.root.to_str().unwrap(), "-o", "elsewhere"]).expect(2, "a map is drawn already");
    assert!(told.err.contains("-o"), "{}", told.err);

    // As with `render`, a map must not be inside its world.
    run(&[
        world.world().to_str().unwrap(),
        "-o",
        world.world().join("map").to_str().unwrap(),
    ])
    .expect(2, "inside");
}

/// Waits until the server prints something.
fn wait_for_line(server: &mut Server, part: &str) {
    loop {
        let line = server.line();
        assert!(!line.is_empty(), "the server ended");
        if line.contains(part) {
            return;
        }
    }
}

#[test]
fn saved_regions_are_drawn_again() {
    let place = Place::of_demo(9);
    let out = place.at("served");
    let mut server = serve(&place, &out, &[]);
    wait_until_finished(&out);
    events(&server, "", is_finished);
    let before = server.get("/version.json").body;

    // Replaces one region and adds another one, as a game does.
    let regions = place.world().join("region");
    let bytes = std::fs::read(regions.join("r.1.1.mca")).unwrap();
    let mut page = listen(&server, "");
    heard(&mut page, is_finished);
    std::fs::remove_file(regions.join("r.0.0.mca")).unwrap();
    std::fs::write(regions.join("r.0.0.mca"), &bytes).unwrap();

    std::fs::write(regions.join("r.3.0.mca"), &bytes).unwrap();
    heard(&mut page, is_finished);
    assert_ne!(
        server.get("/version.json").body,
        before,
        "it is there when it is told"
    );

    let drawn = place.draw("drawn", &["--marker-kinds", "none"]);
    for tile in ["17/0/0.png", "17/3/0.png", "16/0/0.png"] {
        let path = format!("/overworld/day/{tile}");
        assert_eq!(
            server.get(&path).body,
            std::fs::read(drawn.root.join(&path[1..])).unwrap(),
            "{tile}"
        );
    }

    // A failed drawing is reported, the map is still served, and the next change is drawn.
    let in_the_way = out.join("overworld/day/17/5");
    std::fs::write(&in_the_way, "no folder").unwrap();
    std::fs::write(regions.join("r.5.0.mca"), &bytes).unwrap();
    wait_for_line(&mut server, "17/5");
    assert_eq!(server.get("/map.json").status, 200);
    std::fs::remove_file(in_the_way).unwrap();
    std::fs::write(regions.join("r.5.0.mca"), &bytes).unwrap();

    let start = Instant::now();
    while server.get("/overworld/day/17/5/0.png").status != 200 {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "it is never drawn"
        );
        std::thread::sleep(Duration::from_millis(50));
    }

    // Between two drawings the server does not lock the folder.
    wait_for_line(&mut server, "index.html");

    let start = Instant::now();
    while render(&place.world(), &out, &["--marker-kinds", "none"]).code == 75 {
        assert!(start.elapsed() < Duration::from_mins(1), "it stays held");
    }
}

/// Views with more regions than the limit of urgent jobs are drawn completely.
#[test]
fn a_wide_view_is_drawn_share_by_share() {
    let place = Place::of_demo(36);
    let server = serve(&place, &place.at("served"), &["--on-demand"]);
    let view = |from: i32| {
        listen(
            &server,
            &format!("layer=overworld%2Fday&zoom=15&x0={from}&z0=-9000&x1=9000&z1=9000"),
        )
    };
    let mut pages: Vec<TcpStream> = (0..16).map(|page| view(-9000 - page)).collect();
    heard(&mut pages[15], is_finished);
}

/// A link to a file elsewhere is like a network drive: the system reports no change of it.
#[test]
fn unreported_changes_are_found_by_polling() {
    let place = Place::of_demo(9);
    let linked = place.world().join("region/r.0.0.mca");
    let elsewhere = place.at("elsewhere.mca");
    std::fs::rename(&linked, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &linked).unwrap();
    let server = serve(&place, &place.at("served"), &["--poll", "1"]);
    let mut page = listen(&server, "");
    heard(&mut page, is_finished);
    let before = server.get("/overworld/day/17/0/0.png").body;
    std::fs::copy(place.world().join("region/r.1.1.mca"), &elsewhere).unwrap();
    heard(&mut page, is_finished);
    assert_ne!(server.get("/overworld/day/17/0/0.png").body, before);
}
