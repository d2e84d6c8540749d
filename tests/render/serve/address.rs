//! Tests the address of a server, its messages about it, and the browser that it opens.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

use super::{Server, shared_demo};
use crate::map::{program, run};

#[test]
fn an_unavailable_address_is_reported_with_the_remedy() {
    let demo = shared_demo();

    let map = demo.1.root.to_str().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (address, code, words) in [
        (
            &*taken,
            75,
            "is used by another program: name another port with --listen",
        ),
        (
            "8080",
            2,
            "is not an address with a port: write --listen 127.0.0.1:8080",
        ),
        ("127.0.0.1:99999", 2, "is not an address with a port"),
        // An address for documents alone (RFC 5737).
        (
            "192.0.2.1:8080",
            1,
            "name an address of this machine with --listen",
        ),
    ] {
        let ran = run(&["serve", map, "--listen", address]).expect(code, address);
        assert!(
            ran.err.starts_with(&format!("pixelmap: {address} ")) && ran.err.contains(words),
            "{}",
            ran.err
        );
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
}

#[test]
fn the_next_free_port_is_used_by_default() {
    let demo = shared_demo();
    let start = || {
        let mut command = program();
        command.arg("serve").arg(&demo.1.root);
        let mut server = Server::start_at(command, String::new());
        let first = server.line();
        let is_next = first == "another program uses port 8080, so this is the next free port";
        server.url = if is_next { server.line() } else { first };
        (server, is_next)
    };

    let ((one, _), (other, is_next)) = (start(), start());
    assert!(is_next, "{} and {}", one.url, other.url);

    for server in [&one, &other] {
        let port: u16 = server
            .host()
            .strip_prefix("127.0.0.1:")
            .unwrap()
            .parse()
            .unwrap();
        assert!((8080..8180).contains(&port), "{port}");
        server.assert_well();
    }

    assert_ne!(one.url, other.url);
}

#[cfg(target_os = "linux")]
#[test]
fn a_browser_is_opened_and_not_waited_for() {
    let demo = shared_demo();
    let folder = tempfile::tempdir().unwrap();
    let browser = folder.path().join("xdg-open");

    let start = || {
        let mut command = program();
        command.arg("serve").arg(&demo.1.root).args([
            "--listen",
            "0.0.0.0:0",
            "--open",
            "--base-path",
            "/map",
        ]);
        command.env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()));
        Server::start(command)
    };

    fs::write(
        &browser,
        "#!/bin/sh\necho \"$#$1\" > \"$0.told\"\nsleep 60\n",
    )
    .unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let server = start();

    let told = folder.path().join("xdg-open.told");
    let start_of_wait = std::time::Instant::now();
    while !fs::read_to_string(&told).is_ok_and(|told| told.ends_with('\n')) {
        assert!(
            start_of_wait.elapsed() < super::PATIENCE,
            "no browser was opened"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }

    // An address that a browser on this machine can reach.
    let reached = server.url.replace("0.0.0.0", "127.0.0.1");
    assert_eq!(
        fs::read_to_string(&told).unwrap().trim_end(),
        format!("1{reached}")
    );
    assert_eq!(server.get("/map/map.json").status, 200);
    fs::write(&browser, "#!/bin/sh\nexit 3\n").unwrap();

    let mut server = start();
    assert_eq!(
        server.line(),
        "warning: xdg-open opened no browser: open the address above"
    );
    assert_eq!(server.get("/map/map.json").status, 200);
}

#[test]
fn a_quiet_server_prints_nothing() {
    let demo = shared_demo();
    let taken = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();

    let mut command = program();
    command
        .arg("serve")
        .arg(&demo.1.root)
        .args(["-q", "--listen", &taken]);
    let mut server = Server::start_at(command, format!("http://{taken}/"));

    let start = std::time::Instant::now();
    while std::net::TcpStream::connect(&taken).is_err() {
        assert!(start.elapsed() < super::PATIENCE, "it does not listen");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }

    server.assert_well();
    server.child.kill().unwrap();
    assert_eq!(server.line(), "");
}
