//! Tests that an archive and its page are served, and nothing else in their folder.

use std::fs;
use std::net::TcpListener;

use super::{Server, shared_demo};
use crate::map::{on, run};

#[test]
fn an_archive_is_served_with_its_page() {
    let demo = shared_demo();
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("our world.pmtiles");
    on(
        "export",
        &demo.1.root,
        &["-q", "-o", archive.to_str().unwrap()],
    )
    .expect(0, "export");

    fs::write(folder.path().join("secret.txt"), "not of the archive").unwrap();
    let (bytes, page) = (
        fs::read(&archive).unwrap(),
        fs::read(archive.with_extension("html")).unwrap(),
    );

    // The server provides the page, so that no page is needed next to the archive.
    fs::remove_file(archive.with_extension("html")).unwrap();
    let server = Server::of(&archive, &[]);
    assert!(server.get("/").body == page);

    let answer = server.get("/our%20world.pmtiles");
    assert!(answer.body == bytes && answer.header("accept-ranges") == "bytes");

    let answer = server.ask("GET", "/our%20world.pmtiles", &["Range: bytes=0-126"]);
    assert!(
        answer.status == 206
            && answer.body == bytes[..127]
            && answer.header("content-encoding").is_empty()
    );

    for absent in [
        "/secret.txt",
        "/our%20world.html",
        "/index.html",
        "/our%20world.pmtiles/",
        "/a/our%20world.pmtiles",
    ] {
        assert_eq!(server.get(absent).status, 404, "{absent}");
    }

    let below = Server::of(&archive, &["--base-path", "/map"]);
    assert!(below.get("/map/").body == page);
    assert_eq!(
        below.get("/map/our%20world.pmtiles").body.len(),
        bytes.len()
    );

    assert_eq!(
        (below.get("/map").status, below.get("/").status),
        (301, 404)
    );
}

#[test]
fn only_a_drawn_map_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("file.txt"), "no map").unwrap();

    // No server could continue with a port that is in use.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (out, words) in [
        (path(""), "does not contain a finished map of pixelmap"),
        (
            path("absent"),
            "does not contain a finished map of pixelmap",
        ),
        (
            path("file.txt"),
            "does not contain a finished map of pixelmap",
        ),
        (path("absent.pmtiles"), "absent.pmtiles"),
    ] {
        let ran = run(&["serve", &out, "--listen", &taken]).expect(1, &out);
        assert!(ran.err.contains(words), "{out}: {}", ran.err);
    }
}
