//! Tests the host names that a server answers to, and whether other sites may use its map.

use std::os::unix::fs::symlink;

use super::{Answer, Server, demo, shared_demo};
use crate::map::{on, run};

/// The status of the answer to a request with this first line and these other lines.
fn status(server: &Server, first: &str, lines: &[&str]) -> u16 {
    let lines: String = lines.iter().flat_map(|line| [line, "\r\n"]).collect();
    Answer::rest(server.send(format!("{first}\r\n{lines}Connection: close\r\n\r\n").as_bytes()))
        .status
}

fn status_for(server: &Server, host: &str) -> u16 {
    server.ask_host(host).status
}

#[test]
fn a_foreign_name_of_the_server_is_refused() {
    let demo = shared_demo();
    let local = Server::of(&demo.1.root, &[]);
    for own in [
        "localhost",
        "LocalHost:8080",
        "localhost.",
        "map.localhost",
        "127.0.0.1:1",
        "127.0.0.1.",
        "192.0.2.7",
        "[::1]",
        "[::1]:80",
    ] {
        assert_eq!(status_for(&local, own), 200, "{own}");
    }

    for foreign in [
        "rebound.example",
        "rebound.example:8080",
        "127.0.0.1.rebound.example",
        "localhost.rebound.example",
        "notlocalhost",
        "printer",
        "printer.local",
    ] {
        assert_eq!(status_for(&local, foreign), 421, "{foreign}");
    }

    let answer = local.ask_host("rebound.example:8080");
    assert_eq!(
        String::from_utf8(answer.body).unwrap(),
        "This server does not answer to the name rebound.example. Start it with --host \
         rebound.example\n"
    );

    // The host in a full address counts more than the header.
    let whole = |host: &str| format!("GET http://{host}/map.json HTTP/1.1");
    assert_eq!(
        status(&local, &whole("rebound.example"), &["Host: localhost"]),
        421
    );

    assert_eq!(
        status(&local, &whole("localhost"), &["Host: localhost"]),
        200
    );
}

#[test]
fn host_names_are_given_or_local() {
    let demo = shared_demo();
    let options = ["--host", "Map.Example.org", "--host", "other.example"];
    let named = Server::of(&demo.1.root, &options);
    for (host, expected) in [
        ("map.example.org", 200),
        ("other.example:443", 200),
        ("localhost", 200),
        ("example.org", 421),
    ] {
        assert_eq!(status_for(&named, host), expected, "{host}");
    }

    // A server that other machines can reach accepts the names by which they know it.
    let mut command = crate::map::program();
    command
        .arg("serve")
        .arg(&demo.1.root)
        .args(["--listen", "0.0.0.0:0"]);
    let mut in_network = Server::start(command);
    in_network.url = in_network.url.replace("0.0.0.0", "127.0.0.1");

    for (host, expected) in [
        ("printer", 200),
        ("printer.local:8080", 200),
        ("map.internal", 200),
        ("rebound.example", 421),
    ] {
        assert_eq!(status_for(&in_network, host), expected, "{host}");
    }
}

#[test]
fn a_request_names_one_host() {
    let demo = shared_demo();
    let server = Server::of(&demo.1.root, &[]);

    for (version, hosts, expected) in [
        ("1.1", &[][..], 400),
        ("1.1", &["Host: localhost", "Host: localhost"], 400),
        ("1.1", &["Host: localhost", "Host: rebound.example"], 400),
        ("1.1", &["Host:"], 400),
        ("1.1", &["Host: a b"], 400),
        ("1.1", &["Host: localhost, rebound.example"], 400),
        ("1.1", &["Host: localhost@rebound.example"], 400),
        ("1.1", &["Host: [::1].rebound.example"], 400),
        ("1.1", &["Host: localhost:port"], 400),
        ("1.1", &["Host: localhost:123456"], 400),
        ("1.1", &["Host: localhost:8080"], 200),
        ("1.0", &[], 200),
        ("1.0", &["Host: rebound.example"], 421),
        ("1.0", &["Host: localhost", "Host: localhost"], 400),
    ] {
        assert_eq!(
            status(&server, &format!("GET /map.json HTTP/{version}"), hosts),
            expected,
            "{version} {hosts:?}"
        );
    }
}

#[test]
fn other_sites_use_a_map_only_if_allowed() {
    let demo = shared_demo();
    let closed = Server::of(&demo.1.root, &[]);
    let open = Server::of(&demo.1.root, &["--cors"]);
    for address in ["/", "/map.js", "/overworld/day/17/0/0.png", "/nothing"] {
        let answer = closed.get(address);
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            "same-origin",
            "{address}"
        );

        assert_eq!(
            answer.header("access-control-allow-origin"),
            "",
            "{address}"
        );

        assert!(
            answer
                .header("content-security-policy")
                .ends_with("frame-ancestors 'self'"),
            "{address}"
        );

        let answer = open.get(address);
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            "cross-origin",
            "{address}"
        );

        assert_eq!(
            answer.header("access-control-allow-origin"),
            "*",
            "{address}"
        );

        assert!(
            !answer
                .header("content-security-policy")
                .contains("frame-ancestors"),
            "{address}"
        );
    }

    // A browser first asks whether it may request a part of a file.
    assert_eq!(closed.ask("OPTIONS", "/map.json", &[]).status, 405);

    let answer = open.ask(
        "OPTIONS",
        "/map.json",
        &["Access-Control-Request-Headers: range"],
    );
    assert_eq!(
        (answer.status, answer.header("access-control-allow-methods")),
        (204, "GET, HEAD")
    );

    assert!(
        answer
            .header("access-control-allow-headers")
            .contains("Range")
    );
}

#[test]
fn a_page_runs_only_its_own_scripts() {
    let (place, map) = demo();
    std::fs::write(map.root.join("own.html"), "<script>1</script>").unwrap();
    std::fs::write(map.root.join("own.svg"), "<svg/>").unwrap();

    let server = Server::of(&map.root, &[]);
    let archive = place.at("world.pmtiles");
    on(
        "export",
        &map.root,
        &["-q", "-o", archive.to_str().unwrap()],
    )
    .expect(0, "export");

    let archives = Server::of(&archive, &[]);
    for (page, inline) in [
        (server.get("/"), 0),
        (server.get("/index.html"), 0),
        (archives.get("/"), 2),
    ] {
        let policy = page.header("content-security-policy");
        let scripts = policy
            .split("; ")
            .find(|part| part.starts_with("script-src "))
            .unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(
            scripts.matches("'sha256-").count() >= inline && !scripts.contains("unsafe"),
            "{policy}"
        );
        assert!(!policy.contains("file:"), "{policy}");

        // This also applies where no server sends the header.
        let html = String::from_utf8_lossy(&page.body);
        let meta = html
            .split_once("<meta http-equiv=\"Content-Security-Policy\" content=\"")
            .unwrap()
            .1;
        let meta = meta.split('"').next().unwrap().replace(" file:", "");
        assert_eq!(format!("{meta}; frame-ancestors 'self'"), policy);
    }

    let policy = |address: &str| {
        server
            .get(address)
            .header("content-security-policy")
            .to_owned()
    };

    assert_eq!(
        policy("/own.html"),
        "frame-ancestors 'self'",
        "pages of the owner run as they are"
    );
    assert!(policy("/own.svg").starts_with("default-src 'none'; style-src 'unsafe-inline'; "));
}

#[test]
fn a_loop_of_links_is_404() {
    let (_place, map) = demo();
    symlink("b.png", map.root.join("a.png")).unwrap();
    symlink("a.png", map.root.join("b.png")).unwrap();
    symlink("self", map.root.join("self")).unwrap();
    let server = Server::of(&map.root, &[]);
    for address in ["/a.png", "/self/", "/self", "/self/map.json"] {
        assert_eq!(server.get(address).status, 404, "{address}");
    }
}

#[test]
fn changes_are_left_out_when_they_are_hidden() {
    let (place, map) = demo();
    crate::map::render(
        &place.world(),
        &map.root,
        &["-l", "day", "-l", "night", "--history"],
    )
    .expect(0, "history");

    crate::map::render(
        &place.world(),
        &map.root,
        &["-l", "day", "-l", "night", "--hide", "0,0,16,16"],
    )
    .expect(0, "");

    std::fs::File::create(map.root.join("long.bin"))
        .unwrap()
        .set_len(2 << 20)
        .unwrap();
    let shown = Server::of(&map.root, &[]);

    let hidden = Server::of(&map.root, &["--hide-changes"]);
    for address in [
        "/overworld/day/tiles.tsv",
        "/history/moments.js",
        "/overworld/../history/moments.js",
    ] {
        assert_eq!(hidden.get(address).status, 404, "{address}");
    }

    assert_eq!(shown.get("/overworld/day/tiles.tsv").status, 200);
    assert_eq!(shown.get("/history/moments.js").status, 200);

    for address in [
        "/map.json",
        "/version.json",
        "/overworld/day/17/0/0.png",
        "/long.bin",
    ] {
        let answer = hidden.get(address);
        assert_eq!(
            (answer.status, answer.header("last-modified")),
            (200, ""),
            "{address}"
        );
        assert_ne!(shown.get(address).header("last-modified"), "", "{address}");
    }

    let (before, now) = (shown.get("/long.bin"), hidden.get("/long.bin"));
    assert_ne!(
        before.header("etag"),
        now.header("etag"),
        "the tag of a long file has its time"
    );
}

#[test]
fn a_trusted_proxy_may_pass_on_any_name() {
    let demo = shared_demo();
    let server = Server::of(&demo.1.root, &["--trust-proxy"]);
    assert_eq!(server.ask_host("map.example.org").status, 200);
    assert_eq!(status(&server, "GET /map.json HTTP/1.1", &[]), 400);
}

#[test]
fn own_headers_are_in_all_answers() {
    let demo = shared_demo();
    let options = [
        "--header",
        "X-Robots-Tag: noindex",
        "--header",
        "Cache-Control:no-store",
    ];
    let server = Server::of(&demo.1.root, &options);
    for address in ["/", "/nothing"] {
        let answer = server.get(address);
        assert_eq!(answer.header("x-robots-tag"), "noindex", "{address}");
        assert_eq!(answer.header("cache-control"), "no-store", "{address}");
    }

    for header in ["Content-Length: 1", "no header", "X: a\nb"] {
        run(&["serve", "map", "--header", header]).expect(2, header);
    }
}

#[test]
fn a_ready_server_is_found_and_checked() {
    let (place, map) = demo();
    let ready = place.at("ready.json");
    let server = Server::of(&map.root, &["--ready-file", ready.to_str().unwrap()]);
    let written: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&ready).unwrap()).unwrap();
    assert_eq!(written["url"], server.url);
    run(&["serve", "--check", &server.url]).expect(0, "a server that works");

    let missing = format!("{}nothing", server.url);
    let ran = run(&["serve", "--check", &missing]).expect(1, "a file that is missing");
    assert!(ran.err.contains("404"), "{}", ran.err);

    let url = server.url.clone();
    drop(server);
    run(&["serve", "--check", &url]).expect(1, "a server that has ended");
}
