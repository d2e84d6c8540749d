//! Tests the time limits of the server: slow clients lose only their own connection, and none of
//! them delays the stop.
//!
//! The servers run in the process of the tests, with shorter limits than the program has, so that
//! no test waits for half a minute.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use pixelmap_serve::{AccessRules, BasePath, Server, Site, TimeLimits};

use super::{Answer, PATIENCE, demo};
use crate::map::{Map, Place};

/// The limit that a test tries.
const SHORT: Duration = Duration::from_secs(1);
/// The limits that a test does not try.
const LONG: TimeLimits = TimeLimits {
    head: PATIENCE,
    write: PATIENCE,
    stop: PATIENCE,
};

/// Serves a map until `stop` is called. Returns the server's address, and the thread that ends with
/// the server.
fn serve(map: &Map, limits: TimeLimits) -> (SocketAddr, impl Fn() + use<>, JoinHandle<()>) {
    let site = Site::open(&map.root, BasePath::parse("/").unwrap()).unwrap();
    let server = Server::listen("127.0.0.1:0", AccessRules::default())
        .unwrap()
        .with_time_limits(limits);
    let (address, stop) = (server.address(), server.stopper());
    (address, stop, spawn(move || server.run(site).unwrap()))
}

/// A drawn map with a file that is larger than all buffers of a connection.
fn map_with_long_file() -> (Place, Map) {
    let (place, map) = demo();
    File::create(map.root.join("long.bin"))
        .unwrap()
        .set_len(LEN as u64)
        .unwrap();
    (place, map)
}

const LEN: usize = 1 << 30;

/// Opens a connection and sends the beginning of a request, or a whole one.
fn send(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

/// Reads until the server closes the connection.
fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    bytes
}

/// Fails unless the server answers a usual request.
fn assert_well(address: SocketAddr) {
    let request = b"GET /map.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(Answer::rest(send(address, request)).status, 200);
}

#[test]
fn connections_without_a_request_are_closed() {
    let (_place, map) = demo();
    let (address, ..) = serve(
        &map,
        TimeLimits {
            head: SHORT,
            ..LONG
        },
    );
    let idle = send(address, b"");

    let kept = send(
        address,
        b"GET /version.json HTTP/1.1\r\nHost: localhost\r\n\r\n",
    );
    let mut slow = send(address, b"GET /map.json HTTP/1.1\r\n");

    // The limit is for the whole head, so a line from time to time does not extend it.
    let start = Instant::now();
    while start.elapsed() < SHORT * 3 / 2 {
        sleep(SHORT / 10);
        let _ = slow.write_all(b"A: b\r\n");
    }

    for (name, stream) in [("idle", idle), ("kept", kept), ("slow", slow)] {
        let start = Instant::now();
        rest(stream);
        assert!(start.elapsed() < PATIENCE / 2, "{name} was held");
    }

    assert_well(address);
}

#[test]
fn a_client_that_stops_receiving_is_disconnected() {
    let (_place, map) = map_with_long_file();
    let (address, ..) = serve(
        &map,
        TimeLimits {
            write: SHORT,
            ..LONG
        },
    );

    let deaf = send(
        address,
        b"GET /long.bin HTTP/1.1\r\nHost: localhost\r\n\r\n",
    );

    sleep(SHORT * 2);
    let received = rest(deaf).len();
    assert!(received < LEN / 2, "the client received {received} bytes");
    assert_well(address);
}

#[test]
fn an_unread_answer_does_not_delay_the_stop() {
    let (_place, map) = map_with_long_file();
    let (address, stop, server) = serve(
        &map,
        TimeLimits {
            stop: SHORT,
            ..LONG
        },
    );

    let mut deaf = send(
        address,
        b"GET /long.bin HTTP/1.1\r\nHost: localhost\r\n\r\n",
    );
    deaf.read_exact(&mut [0; 1000]).unwrap();

    let start = Instant::now();
    stop();
    server.join().unwrap();
    let took = start.elapsed();
    assert!(
        (SHORT * 4 / 5..PATIENCE / 2).contains(&took),
        "the stop took {took:?}"
    );
}
