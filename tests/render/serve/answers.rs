//! Tests the answers to requests: validators, ranges, compression, caching, methods, paths.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;

use twox_hash::XxHash3_64;

use super::{Answer, Server, demo, shared_demo};

fn tag_of(bytes: &[u8]) -> String {
    format!("\"{:016x}\"", XxHash3_64::oneshot(bytes))
}

#[test]
fn every_map_file_is_sent_with_its_hash() {
    let shared = shared_demo();

    let map = &shared.1;
    let server = Server::of(&map.root, &[]);
    let files = map.files();
    for (path, bytes) in &files {
        let answer = server.get(&format!("/{path}"));
        assert_eq!(
            (answer.status, answer.header("etag")),
            (200, &*tag_of(bytes)),
            "{path}"
        );

        assert!(answer.body == *bytes, "{path}");
        assert_eq!(
            answer.header("content-length"),
            bytes.len().to_string(),
            "{path}"
        );
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache", "{path}");

        let modified = map.root.join(path).metadata().unwrap().modified().unwrap();
        assert_eq!(
            answer.header("last-modified"),
            httpdate::fmt_http_date(modified),
            "{path}"
        );
    }

    // The tag of a tile is the hash in its manifest.
    for line in map.manifest("overworld") {
        let [zoom, x, y, _, file, _] = &line[..] else {
            panic!("{line:?}")
        };
        let answer = server.ask("HEAD", &format!("/overworld/day/{zoom}/{x}/{y}.png"), &[]);
        assert_eq!(answer.header("etag"), format!("\"{file}\""));
    }

    assert!(server.get("/").body == files["index.html"]);
}

#[test]
fn media_types_follow_from_the_ending() {
    let (_place, map) = demo();
    let server = Server::of(&map.root, &[]);

    for (name, content_type) in [
        ("a.html", "text/html; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.json", "application/json; charset=utf-8"),
        ("a.geojson", "application/geo+json; charset=utf-8"),
        ("a.tsv", "text/tab-separated-values; charset=utf-8"),
        ("a.svg", "image/svg+xml; charset=utf-8"),
        ("a.png", "image/png"),
        ("a.WEBP", "image/webp"),
        ("a.pmtiles", "application/vnd.pmtiles"),
        ("a.exe", "application/octet-stream"),
        ("a", "application/octet-stream"),
    ] {
        fs::write(map.root.join(name), "of the owner").unwrap();

        assert_eq!(
            server.get(&format!("/{name}")).header("content-type"),
            content_type,
            "{name}"
        );
    }
}

#[test]
fn versioned_files_are_cached_for_ever() {
    let demo = shared_demo();
    let server = Server::of(&demo.1.root, &[]);
    for (query, kept) in [
        ("?v=1", true),
        ("?a=b&v=1", true),
        ("?v=", false),
        ("?v", false),
        ("?w=1", false),
        ("?xv=1", false),
    ] {
        let answer = server.get(&format!("/map.js{query}"));

        let cache = if kept {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };

        assert_eq!(
            (answer.status, answer.header("cache-control")),
            (200, cache),
            "{query}"
        );
    }

    // A missing file may appear later, so browsers must request it again.
    let answer = server.get("/overworld/day/17/99/99.png?v=1");
    assert_eq!(
        (answer.status, answer.header("cache-control")),
        (404, "no-cache")
    );

    assert_eq!(
        (answer.header("content-type"), &*answer.body),
        ("text/plain; charset=utf-8", &b"404 Not Found\n"[..])
    );
}

#[test]
fn a_known_file_is_not_sent_again() {
    let demo = shared_demo();
    let server = Server::of(&demo.1.root, &[]);
    let tag = server.get("/map.json").header("etag").to_owned();
    for (known, status) in [
        (tag.clone(), 304),
        (format!("W/{tag}"), 304),
        (format!("\"other\", {tag}"), 304),
        ("*".to_owned(), 304),
        ("\"other\"".to_owned(), 200),
        (tag.trim_matches('"').to_owned(), 200),
        (String::new(), 200),
    ] {
        for method in ["GET", "HEAD"] {
            let answer = server.ask(
                method,
                "/map.json?v=1",
                &[&format!("If-None-Match: {known}")],
            );

            assert_eq!(
                (answer.status, answer.header("etag")),
                (status, &*tag),
                "{known}"
            );

            assert_eq!(
                answer.body.is_empty(),
                status == 304 || method == "HEAD",
                "{known}"
            );
            assert!(
                answer.header("cache-control").contains("immutable"),
                "{known}"
            );
        }
    }

    // A range of a file that the client already has is not sent either.
    let answer = server.ask(
        "GET",
        "/map.json",
        &[&format!("If-None-Match: {tag}"), "Range: bytes=0-1"],
    );
    assert_eq!(answer.status, 304);
}

#[test]
fn removed_versions_of_a_file_are_not_sent() {
    let demo = shared_demo();
    let server = Server::of(&demo.1.root, &[]);

    let answer = server.get("/map.json");
    let (tag, modified) = (answer.header("etag"), answer.header("last-modified"));
    let before = "Thu, 01 Jan 2015 00:00:00 GMT";
    for (headers, status) in [
        (vec![format!("If-Match: {tag}")], 200),
        (vec![format!("If-Match: \"other\", {tag}")], 200),
        (vec!["If-Match: *".to_owned()], 200),
        (vec!["If-Match: \"other\"".to_owned()], 412),
        (vec![format!("If-Match: W/{tag}")], 412),
        (vec![format!("If-Unmodified-Since: {modified}")], 200),
        (vec![format!("If-Unmodified-Since: {before}")], 412),
        (vec!["If-Unmodified-Since: yesterday".to_owned()], 200),
        // The tag counts more than the time.
        (
            vec![
                format!("If-Match: {tag}"),
                format!("If-Unmodified-Since: {before}"),
            ],
            200,
        ),
    ] {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        assert_eq!(
            server.ask("GET", "/map.json", &headers).status,
            status,
            "{headers:?}"
        );
    }
}

#[test]
fn a_part_of_a_file_is_sent() {
    let shared = shared_demo();
    let map = &shared.1;
    let server = Server::of(&map.root, &[]);
    let whole = fs::read(map.root.join("map.json")).unwrap();
    let len = whole.len();
    let ask = |headers: &[&str]| server.ask("GET", "/map.json", headers);

    for (range, bytes) in [
        ("0-0", 0..1),
        ("5-", 5..len),
        ("-7", len - 7..len),
        ("2-999999", 2..len),
    ] {
        let answer = ask(&[&format!("Range: bytes={range}")]);
        assert_eq!(answer.status, 206, "{range}");
        assert_eq!(
            answer.header("content-range"),
            format!("bytes {}-{}/{len}", bytes.start, bytes.end - 1),
            "{range}"
        );

        assert_eq!(
            (&answer.body[..], answer.header("etag")),
            (&whole[bytes], &*tag_of(&whole)),
            "{range}"
        );
    }

    for range in ["bytes=0-1,4-5", "bytes=5-2", "bytes=x", "lines=1-2"] {
        let answer = ask(&[&format!("Range: {range}")]);
        assert_eq!((answer.status, answer.body.len()), (200, len), "{range}");
    }

    let answer = ask(&["Range: bytes=999999-"]);
    assert_eq!(
        (answer.status, answer.header("content-range")),
        (416, &*format!("bytes */{len}"))
    );

    // The server sends a part only of the file that the client has.
    let modified = format!("If-Range: {}", ask(&[]).header("last-modified"));
    for (known, status) in [
        (format!("If-Range: {}", tag_of(&whole)), 206),
        ("If-Range: \"other\"".to_owned(), 200),
        (format!("If-Range: W/{}", tag_of(&whole)), 200),
        (modified, 200),
    ] {
        assert_eq!(ask(&["Range: bytes=0-1", &known]).status, status, "{known}");
    }

    assert_eq!(
        server
            .ask("HEAD", "/map.json", &["Range: bytes=0-1"])
            .status,
        200
    );
}

#[test]
fn long_files_are_sent_piece_by_piece() {
    let (_place, map) = demo();
    let server = Server::of(&map.root, &[]);
    let whole: Vec<u8> = (0..5_000_003_u32).map(|at| (at % 251) as u8).collect();
    for (name, is_text) in [("long.bin", false), ("long.tsv", true)] {
        fs::write(map.root.join(name), &whole).unwrap();
        let name = format!("/{name}");
        let answer = server.get(&name);
        assert!(answer.body == whole && answer.header("content-length") == whole.len().to_string());

        let tag = answer.header("etag").to_owned();
        let answer = server.ask(
            "GET",
            &name,
            &["Range: bytes=1234567-4234566", &format!("If-Range: {tag}")],
        );
        assert!(answer.status == 206 && answer.body == whole[1_234_567..4_234_567]);

        let answer = server.ask("GET", &name, &["Range: bytes=-10"]);
        assert!(answer.status == 206 && answer.body == whole[whole.len() - 10..]);

        let answer = server.ask("GET", &name, &["Accept-Encoding: gzip"]);
        if is_text {
            assert!(answer.unpacked() == whole && answer.body.len() < whole.len() / 10);
        } else {
            assert!(answer.body == whole);
        }

        // Other bytes of the same length have another tag.
        fs::write(map.root.join(&name[1..]), vec![7; whole.len()]).unwrap();
        assert_ne!(server.ask("HEAD", &name, &[]).header("etag"), tag);
    }
}

#[test]
fn texts_are_compressed_for_accepting_clients() {
    let shared = shared_demo();
    let map = &shared.1;
    let server = Server::of(&map.root, &[]);
    let whole = fs::read(map.root.join("viewer.js")).unwrap();
    let ask = |address: &str, headers: &[&str]| server.ask("GET", address, headers);

    for accept in [
        "gzip",
        "br, GZip;q=0.5",
        "*",
        "deflate, *;q=0.1",
        "gzip, *;q=0",
    ] {
        let answer = ask("/viewer.js", &[&format!("Accept-Encoding: {accept}")]);
        assert!(answer.unpacked() == whole, "{accept}");
        assert_eq!(
            answer.header("content-length"),
            answer.body.len().to_string(),
            "{accept}"
        );

        assert!(
            answer.body.len() < whole.len() / 2,
            "{accept}: {} bytes",
            answer.body.len()
        );
    }

    let packed = ask("/viewer.js", &["Accept-Encoding: gzip"]);
    assert_eq!(
        packed.header("etag"),
        format!("\"{:016x}-gzip\"", XxHash3_64::oneshot(&whole))
    );
    assert_eq!(packed.header("vary"), "Accept-Encoding");

    let known = format!("If-None-Match: {}", packed.header("etag"));
    assert_eq!(
        ask("/viewer.js", &[&known, "Accept-Encoding: gzip"]).status,
        304
    );
    assert_eq!(ask("/viewer.js", &[&known]).status, 200);

    for accept in [
        "",
        "br",
        "gzip;q=0",
        "*;q=0",
        "gzip;q=0, *",
        "gzip;q=x",
        "identity",
    ] {
        let answer = ask("/viewer.js", &[&format!("Accept-Encoding: {accept}")]);
        assert!(
            answer.body == whole && answer.header("content-encoding").is_empty(),
            "{accept}"
        );
        assert_eq!(
            (answer.header("vary"), answer.header("etag")),
            ("Accept-Encoding", &*tag_of(&whole)),
            "{accept}"
        );
    }

    // Ranges refer to the plain file. Short or already compressed files are sent unchanged.
    let answer = ask("/viewer.js", &["Accept-Encoding: gzip", "Range: bytes=3-9"]);
    assert!(
        answer.status == 206
            && answer.body == whole[3..10]
            && answer.header("content-encoding").is_empty()
    );

    for plain in ["/version.json", "/overworld/day/17/0/0.png"] {
        let answer = ask(plain, &["Accept-Encoding: gzip"]);
        assert_eq!(
            (answer.header("content-encoding"), answer.header("vary")),
            ("", ""),
            "{plain}"
        );
    }
}

#[test]
fn head_answers_equal_get_headers() {
    let demo = shared_demo();
    let server = Server::of(&demo.1.root, &[]);
    for (address, accept) in [
        ("/", "gzip"),
        ("/viewer.js", "identity"),
        ("/none", "gzip"),
        ("/overworld", "gzip"),
    ] {
        let headers = [&*format!("Accept-Encoding: {accept}")];
        let (mut get, mut head) = (
            server.ask("GET", address, &headers),
            server.ask("HEAD", address, &headers),
        );
        assert!(head.body.is_empty() && !get.body.is_empty(), "{address}");

        get.headers.remove("date");
        head.headers.remove("date");
        assert_eq!(
            (get.status, get.headers),
            (head.status, head.headers),
            "{address}"
        );
    }
}

#[test]
fn methods_other_than_reading_are_refused() {
    let shared = shared_demo();
    let map = &shared.1;
    let server = Server::of(&map.root, &[]);
    let before = map.files();

    for method in [
        "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND",
    ] {
        // The answer does not wait for the body, which never arrives.
        let answer = server.ask(method, "/map.json", &["Content-Length: 1000000"]);
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, "GET, HEAD"),
            "{method}"
        );
    }

    assert_eq!(
        server
            .ask("GET", "/map.json", &["Content-Length: 1000000"])
            .status,
        200
    );
    assert!(map.files() == before);
}

#[test]
fn several_requests_share_a_connection() {
    let demo = shared_demo();
    let server = Server::of(&demo.1.root, &[]);
    let request =
        |last: &str| format!("GET /version.json HTTP/1.1\r\nHost: localhost\r\n{last}\r\n");
    let mut stream = server.send([request(""), request("")].concat().as_bytes());
    stream
        .write_all(request("Connection: close\r\n").as_bytes())
        .unwrap();

    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    assert_eq!(
        bytes
            .windows(15)
            .filter(|part| part == b"HTTP/1.1 200 OK")
            .count(),
        3
    );

    let old = Answer::rest(server.send(b"GET /version.json HTTP/1.0\r\n\r\n"));
    assert_eq!(old.status, 200);
}

#[test]
fn a_folder_with_a_page_has_a_slash() {
    let (_place, map) = demo();
    fs::create_dir_all(map.root.join("old map/empty")).unwrap();
    fs::write(map.root.join("old map/index.html"), "an older map").unwrap();
    symlink("index.html", map.root.join("page.html")).unwrap();

    let server = Server::of(&map.root, &[]);
    let answer = server.get("/old%20map?compare=../&x=1");
    assert_eq!(
        (answer.status, answer.header("location")),
        (301, "/old%20map/?compare=../&x=1")
    );

    assert_eq!(server.get("/old%20map/").body, b"an older map");
    assert_eq!(
        server.get("/page.html").status,
        200,
        "a link within the map"
    );

    for absent in [
        "/overworld",
        "/overworld/",
        "/old%20map/empty",
        "/old%20map/empty/",
        "/map.json/",
        "/map.json/a",
    ] {
        assert_eq!(server.get(absent).status, 404, "{absent}");
    }
}

#[test]
fn a_map_is_served_under_its_base_path() {
    let demo = shared_demo();
    for typed in ["/maps/our-world", "/maps/our-world/"] {
        let server = Server::of(&demo.1.root, &["--base-path", typed]);
        assert!(server.url.ends_with("/maps/our-world/"), "{}", server.url);
        assert!(
            server
                .get("/maps/our-world/")
                .body
                .starts_with(b"<!doctype html>")
        );
        assert_eq!(server.get("/maps/our-world/map.json").status, 200);

        let answer = server.get("/maps/our-world?a=b");
        assert_eq!(
            (answer.status, answer.header("location")),
            (301, "/maps/our-world/?a=b")
        );

        for absent in [
            "/",
            "/maps",
            "/maps/",
            "/map.json",
            "/maps/our-worldmap.json",
            "/maps/our-world/maps/our-world/",
        ] {
            assert_eq!(server.get(absent).status, 404, "{absent}");
        }
    }
}

#[test]
fn a_file_that_becomes_shorter_ends_its_answer() {
    let (_place, map) = demo();
    let server = Server::of(&map.root, &[]);
    let file = File::create(map.root.join("long.bin")).unwrap();
    file.set_len(256 << 20).unwrap();
    let mut stream = server.send(b"GET /long.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.read_exact(&mut [0; 1000]).unwrap();
    file.set_len(1000).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.len() < 200 << 20, "{} bytes came", rest.len());
}
