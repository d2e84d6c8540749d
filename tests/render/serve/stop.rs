//! The end of a server: in order, and with code 0.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{DEMO, Server, demo};

pub(super) fn stop(server: &Server, signal: Signal) {
    kill_process(Pid::from_child(&server.child), signal).unwrap();
}

#[test]
fn a_signal_ends_the_server_with_code_0() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut server = Server::of(&DEMO.1.root, &[]);
        // A connection without a request does not hold it.
        let _idle = server.connect();
        server.assert_well();
        let sent = Instant::now();
        stop(&server, signal);
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
        assert!(sent.elapsed() < Duration::from_secs(4), "it took {:?}", sent.elapsed());
        assert_eq!(server.line(), "");
    }
}

#[test]
fn an_answer_that_runs_comes_to_its_end() {
    const LEN: usize = 200 << 20;
    let (_place, map) = demo();
    File::create(map.root.join("long.bin")).unwrap().set_len(LEN as u64).unwrap();
    let mut server = Server::of(&map.root, &[]);
    let request = b"GET /long.bin HTTP/1.1\r\nHost: here\r\n\r\n";
    let mut reader = server.send(request);
    reader.read_exact(&mut [0; 1000]).unwrap();
    stop(&server, Signal::TERM);
    std::thread::sleep(Duration::from_millis(500));
    // Who comes now is not taken.
    if let Ok(mut late) = TcpStream::connect(server.host()) {
        let _ = late.write_all(request);
        assert_eq!(late.read(&mut [0; 1]).unwrap_or(0), 0);
    }
    assert!(server.child.try_wait().unwrap().is_none(), "it ended before its answer");
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert!(rest.len() + 1000 > LEN, "{} bytes came", rest.len());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_answer_that_nobody_reads_does_not_hold_the_stop() {
    let (_place, map) = demo();
    File::create(map.root.join("long.bin")).unwrap().set_len(1 << 30).unwrap();
    let mut server = Server::of(&map.root, &[]);
    let mut deaf = server.send(b"GET /long.bin HTTP/1.1\r\nHost: here\r\n\r\n");
    deaf.read_exact(&mut [0; 1000]).unwrap();
    let sent = Instant::now();
    stop(&server, Signal::INT);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let took = sent.elapsed();
    assert!((Duration::from_secs(4)..Duration::from_secs(12)).contains(&took), "it took {took:?}");
}
