//! Tests hostile requests: each costs only its own connection.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::symlink;

use rustix::process::{Resource, getrlimit, setrlimit};

use super::{Answer, Server, demo, shared_demo};

#[test]
fn no_address_leads_out_of_the_map() {
    let (place, map) = demo();
    fs::write(place.at("secret.txt"), "secret").unwrap();
    fs::create_dir_all(map.root.join("sub/.git")).unwrap();

    for hidden in ["sub/.git/config", ".htpasswd", "sub/.env"] {
        fs::write(map.root.join(hidden), "secret").unwrap();
    }

    symlink(place.at("secret.txt"), map.root.join("out.txt")).unwrap();
    symlink("../..", map.root.join("overworld/up")).unwrap();
    symlink(".pixelmap", map.root.join("state")).unwrap();
    fs::create_dir(map.root.join("linked")).unwrap();
    symlink(place.at("secret.txt"), map.root.join("linked/index.html")).unwrap();

    rustix::fs::mknodat(
        rustix::fs::CWD,
        map.root.join("pipe.png"),
        rustix::fs::FileType::Fifo,
        0o644.into(),
        0,
    )
    .unwrap();
    let server = Server::of(&map.root, &[]);

    let mut up: Vec<String> = Vec::new();
    for dots in [
        "..",
        "%2e%2e",
        ".%2E",
        "%2e.",
        "..%00",
        "%c0%ae%c0%ae",
        "%252e%252e",
        "..%5c..",
        "..;",
        "%u002e%u002e",
    ] {
        for slash in ["/", "%2f", "\\", "%5c", "//"] {
            up.push(format!("/{dots}{slash}secret.txt"));
            up.push(format!(
                "/overworld/day{slash}{dots}{slash}{dots}{slash}{dots}{slash}secret.txt"
            ));
        }
    }

    let absolute = place.at("secret.txt").display().to_string();
    up.extend([
        absolute.clone(),
        format!("/{absolute}"),
        absolute.replace('/', "%2f"),
        format!("file://{absolute}"),
    ]);

    up.extend(
        [
            "/overworld/up/secret.txt",
            "/out.txt",
            "/linked/",
            "/linked",
            "/linked/index.html",
        ]
        .map(str::to_owned),
    );

    for hidden in [
        "/.pixelmap/journal",
        "/%2epixelmap/world.json",
        "/state/world.json",
        "/.htpasswd",
        "/sub/.env",
        "/./map.json",
    ] {
        up.push(hidden.to_owned());
    }

    up.extend(
        [
            "/sub/.git/config",
            "/sub/%2Egit/config",
            "/pipe.png",
            "/%00",
            "/map.json%00.png",
            "/map.json%",
        ]
        .map(str::to_owned),
    );

    up.push(format!("/{}", "a".repeat(5000)));
    up.push(format!("/{}map.json", "a/".repeat(3000)));

    for address in up {
        let answer = server.get(&address);
        assert!(
            matches!(answer.status, 400 | 404),
            "{address}: {}",
            answer.status
        );

        assert!(
            !answer.body.windows(6).any(|six| six == b"secret")
                && answer.header("location").is_empty(),
            "{address}"
        );
    }

    server.assert_well();
}

#[test]
fn a_broken_request_costs_only_its_connection() {
    let demo = shared_demo();
    let server = Server::of(&demo.1.root, &[]);
    let head = |lines: &str| format!("GET /map.json HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");

    let long = head(&format!("Long: {}\r\n", "a".repeat(20_000)));
    let many = head(&"A: b\r\n".repeat(200));
    for (request, statuses) in [
        (long.as_str(), &[431][..]),
        (&many, &[431]),
        (
            &format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(70_000)),
            &[414, 431],
        ),
        ("GET /map.json HTTP/9.9\r\n\r\n", &[400]),
        ("GET map.json HTTP/1.1\r\n\r\n", &[400]),
        ("GET /a b HTTP/1.1\r\n\r\n", &[400]),
        ("\x16\x03\x01\x02\x00\x01\x00\x01\r\n\r\n", &[400]),
        (&head("Content-Length: 1\r\nContent-Length: 2\r\n"), &[400]),
        (&head("Content-Length: -1\r\n"), &[400]),
        (&head("no header\r\n"), &[400]),
    ] {
        let mut answer = Vec::new();
        // If the server does not read the remaining bytes, closing the connection may lose the
        // answer.
        let _ = server.send(request.as_bytes()).read_to_end(&mut answer);

        if !answer.is_empty() {
            let status = Answer::parse(&answer).status;
            assert!(
                statuses.contains(&status),
                "{status} for {}",
                &request[..request.len().min(80)]
            );
        }
    }

    // Half a request, then nothing.
    for half in ["", "GET", "GET /map.json HTTP/1.1\r\nHo"] {
        let mut stream = server.send(half.as_bytes());
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{half}");
    }

    // A client that closes its side after a whole request.
    let stream = server.send(head("").as_bytes());
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(Answer::rest(stream).status, 200);

    // Requests whose answers nobody reads.
    let mut stream = server.connect();
    for _ in 0..100 {
        stream.write_all(head("").as_bytes()).unwrap();
    }

    drop(stream);
    server.assert_well();
}

#[test]
fn thousands_of_connections_are_served() {
    let demo = shared_demo();
    let limit = getrlimit(Resource::Nofile);
    let more = rustix::process::Rlimit {
        current: limit
            .maximum
            .map_or(Some(4096), |most| Some(most.min(4096))),
        ..limit
    };

    if limit.current.is_some_and(|current| current < 4096) {
        setrlimit(Resource::Nofile, more).unwrap();
    }

    let server = Server::of(&demo.1.root, &[]);
    let mut first = server.connect();
    let crowd: Vec<TcpStream> = (0..2000)
        .map(|_| server.send(b"GET /index.html HTTP/1.1\r\nHost: localhost\r\n"))
        .collect();

    // The client that is already connected is still served, although others wait.
    first
        .write_all(b"GET /map.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    assert_eq!(Answer::rest(first).status, 200);

    if let Ok(descriptors) = fs::read_dir(format!("/proc/{}/fd", server.child.id())) {
        let count = descriptors.count();
        assert!(count < 1100, "{count} descriptors");
    }

    let status =
        fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap_or_default();

    let memory = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .map_or(0, |kilobytes| {
            kilobytes
                .trim()
                .trim_end_matches(" kB")
                .parse::<u64>()
                .unwrap()
        });
    assert!(memory < 100_000, "{memory} kB");

    drop(crowd);
    server.assert_well();
}
