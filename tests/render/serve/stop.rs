//! Tests the end of a server: it stops cleanly, with code 0.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Server, demo, shared_demo};
use crate::map::{Place, fixture};
use crate::world::Files;

pub(super) fn stop(server: &Server, signal: Signal) {
    kill_process(Pid::from_child(&server.child), signal).unwrap();
}

#[test]
fn a_signal_ends_the_server_with_code_0() {
    let demo = shared_demo();
    for signal in [Signal::INT, Signal::TERM] {
        let mut server = Server::of(&demo.1.root, &[]);
        // A connection without a request does not delay the end.
        let _idle = server.connect();
        server.assert_well();
        let sent = Instant::now();
        stop(&server, signal);

        assert_eq!(server.child.wait().unwrap().code(), Some(0));
        assert!(
            sent.elapsed() < Duration::from_secs(4),
            "it took {:?}",
            sent.elapsed()
        );
        assert_eq!(server.line(), "");
    }
}

/// How often the threads of a process have waited.
fn waits(process: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{process}/task"))
        .unwrap()
        .flatten();
    let statuses =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok());

    let count = |status: String| {
        let (_, rest) = status.split_once("\nvoluntary_ctxt_switches:").unwrap();
        rest.split_whitespace()
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };

    statuses.map(count).sum()
}

/// Waits until no thread of a process does anything for three seconds.
fn assert_comes_to_rest(process: u32, what: &str) {
    let (start, pause) = (Instant::now(), Duration::from_secs(3));
    loop {
        let before = waits(process);
        std::thread::sleep(pause);
        if waits(process) == before {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(45),
            "{what}: it wakes again and again"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_without_requests_does_nothing() {
    let demo = shared_demo();
    let map = Server::of(&demo.1.root, &[]);
    map.assert_well();

    let place = Place::of(&Files::read_under(&fixture("demo")));
    let server = |name: &str, options: &[&str]| {
        Server::of(
            &place.world(),
            &[&["-o", place.at(name).to_str().unwrap()], options].concat(),
        )
    };

    let (drawn, on_demand) = (server("drawn", &[]), server("demand", &["--on-demand"]));
    assert_eq!(on_demand.get("/overworld/day/17/0/0.png").status, 200);

    // An open page receives an event now and then, and causes no work between them.
    let _events =
        on_demand.send(b"GET /live?layer=overworld/day HTTP/1.1\r\nHost: localhost\r\n\r\n");

    // All cases run at the same time, because each has to rest for a while.
    std::thread::scope(|scope| {
        for (server, what) in [
            (&map, "a map"),
            (&drawn, "a world"),
            (&on_demand, "a world on demand"),
        ] {
            let process = server.child.id();
            scope.spawn(move || assert_comes_to_rest(process, what));
        }
    });
}

#[test]
fn running_answers_are_completed() {
    const LEN: usize = 200 << 20;

    let (_place, map) = demo();
    File::create(map.root.join("long.bin"))
        .unwrap()
        .set_len(LEN as u64)
        .unwrap();

    let mut server = Server::of(&map.root, &[]);
    let request = b"GET /long.bin HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut reader = server.send(request);
    reader.read_exact(&mut [0; 1000]).unwrap();
    stop(&server, Signal::TERM);
    std::thread::sleep(Duration::from_millis(500));

    // A client that connects now is not accepted.
    if let Ok(mut late) = TcpStream::connect(server.host()) {
        let _ = late.write_all(request);
        assert_eq!(late.read(&mut [0; 1]).unwrap_or(0), 0);
    }

    assert!(
        server.child.try_wait().unwrap().is_none(),
        "it ended before its answer"
    );

    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert!(rest.len() + 1000 > LEN, "{} bytes came", rest.len());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}
