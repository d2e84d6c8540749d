//! Tests `pixelmap serve` byte by byte, over connections that the tests open themselves.
#![allow(
    clippy::disallowed_methods,
    reason = "test files are no output of the program"
)]

mod access;
mod address;
mod answers;
mod archives;
mod closer;
mod hostile;
pub(crate) mod players;
mod stop;
mod time_limits;
mod world;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use crate::map::{Map, Place, fixture, program};
use crate::world::Files;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// The demo world, drawn once for parallel tests that only read it. The last test removes it,
/// because values in a `static` are never dropped.
static DEMO: Mutex<Weak<(Place, Map)>> = Mutex::new(Weak::new());

/// The drawn demo world, which a test must not change.
fn shared_demo() -> Arc<(Place, Map)> {
    let mut drawn = DEMO.lock().unwrap_or_else(PoisonError::into_inner);
    drawn.upgrade().unwrap_or_else(|| {
        let new = Arc::new(demo());
        *drawn = Arc::downgrade(&new);
        new
    })
}

/// A drawn map that a test may change.
fn demo() -> (Place, Map) {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw("map", &["-l", "day", "-l", "night"]);
    (place, map)
}

/// The program while it serves a map.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// The lines that the server prints.
    told: Receiver<String>,
    /// The address that the server prints, ending in `/`.
    pub(crate) url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Serves on a port that is free.
    pub(crate) fn of(out: &Path, options: &[&str]) -> Self {
        let mut command = program();
        command
            .arg("serve")
            .arg(out)
            .args(["--listen", "127.0.0.1:0"])
            .args(options);
        Self::start(command)
    }

    pub(crate) fn start(command: Command) -> Self {
        let mut server = Self::start_at(command, String::new());
        server.url = server.line();
        assert!(
            server.url.starts_with("http://"),
            "it told {:?}",
            server.url
        );
        server
    }

    /// Starts a server. The test already has its address, or finds it by itself.
    fn start_at(mut command: Command, url: String) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (to, told) = mpsc::channel();
        std::thread::spawn(move || {
            lines
                .map_while(Result::ok)
                .try_for_each(|line| to.send(line))
        });
        Self { child, told, url }
    }

    /// Returns the next printed line; empty if the server ends, or prints nothing for a long time.
    fn line(&mut self) -> String {
        self.told.recv_timeout(PATIENCE).unwrap_or_default()
    }

    /// The address and the port.
    fn host(&self) -> &str {
        self.url
            .trim_start_matches("http://")
            .split('/')
            .next()
            .unwrap()
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Opens a connection and sends these bytes. Bytes that the server does not read are lost.
    fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        stream
    }

    /// The answer to a request with these headers, on its own connection.
    fn ask(&self, method: &str, address: &str, headers: &[&str]) -> Answer {
        let headers: String = headers.iter().flat_map(|header| [header, "\r\n"]).collect();
        let request = format!(
            "{method} {address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"
        );
        Answer::rest(self.send(request.as_bytes()))
    }

    /// The answer to a request for the facts that names this host.
    fn ask_host(&self, host: &str) -> Answer {
        let request =
            format!("GET /map.json HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        Answer::rest(self.send(request.as_bytes()))
    }

    fn get(&self, address: &str) -> Answer {
        self.ask("GET", address, &[])
    }

    /// Fails unless the server still answers.
    fn assert_well(&self) {
        assert_eq!(self.get("/map.json").status, 200);
    }
}

/// An answer of the server.
#[derive(Debug)]
struct Answer {
    status: u16,
    /// Headers by their names in lower case.
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Answer {
    /// The answer that a connection sends until its end.
    fn rest(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");

        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();

        let header = |line: &str| {
            line.split_once(": ")
                .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        };

        let headers: BTreeMap<_, _> = lines.map(|line| header(line).unwrap()).collect();
        let mut body = bytes[end + 4..].to_vec();
        if headers
            .get("transfer-encoding")
            .is_some_and(|encoding| encoding == "chunked")
            && !body.is_empty()
        {
            body = unchunked(&body);
        }

        Self {
            status,
            headers,
            body,
        }
    }

    /// Returns the value of a header; empty if it is missing.
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Returns the body after undoing gzip.
    fn unpacked(&self) -> Vec<u8> {
        assert_eq!(self.header("content-encoding"), "gzip");
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&*self.body)
            .read_to_end(&mut bytes)
            .unwrap();
        bytes
    }
}

/// Returns the bytes in the chunks of HTTP.
fn unchunked(mut chunks: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let end = chunks
            .windows(2)
            .position(|two| two == b"\r\n")
            .expect("the length of a chunk");

        let len = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).unwrap(), 16).unwrap();
        if len == 0 {
            return bytes;
        }

        bytes.extend(&chunks[end + 2..][..len]);
        chunks = &chunks[end + 2 + len + 2..];
    }
}
