//! A web server for tests. It answers each request as a test requires.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// An answer of the server.
#[derive(Clone)]
pub(super) enum WebAnswer {
    File(Vec<u8>),
    Status(u16),
    Redirect(String),
    /// Announces the whole file, and ends the connection after the first half.
    Half(Vec<u8>),
    /// Sends the first half, and then nothing until the client is gone.
    Hang(Vec<u8>),
}

/// Returns the answer to a request by its number, counted from 0, and its target.
type Rule = Box<dyn Fn(usize, &str) -> WebAnswer + Send>;

pub(super) struct WebServer {
    pub(super) address: SocketAddr,
    targets: Arc<Mutex<Vec<String>>>,
}

impl WebServer {
    pub(super) fn start(rule: impl Fn(usize, &str) -> WebAnswer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let targets = Arc::default();
        let seen = Arc::clone(&targets);
        let rule: Rule = Box::new(rule);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(&stream, &rule, &seen);
            }
        });
        Self { address, targets }
    }

    /// Returns a server that always answers with this file.
    pub(super) fn of_file(bytes: Vec<u8>) -> Self {
        Self::start(move |_, _| WebAnswer::File(bytes.clone()))
    }

    pub(super) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    /// Returns the targets of all requests so far.
    pub(super) fn targets(&self) -> Vec<String> {
        self.targets.lock().unwrap().clone()
    }
}

/// Answers one request, and closes the connection.
fn serve(stream: &TcpStream, rule: &Rule, seen: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }

    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let number = seen.lock().unwrap().len();
    let answer = rule(number, &target);
    seen.lock().unwrap().push(target);

    let (status, location, body, sent) = match answer {
        WebAnswer::File(bytes) => (200, String::new(), bytes.len(), bytes),
        WebAnswer::Status(status) => (status, String::new(), 0, Vec::new()),
        WebAnswer::Redirect(to) => (302, format!("Location: {to}\r\n"), 0, Vec::new()),
        WebAnswer::Half(bytes) => (
            200,
            String::new(),
            bytes.len(),
            bytes[..bytes.len() / 2].into(),
        ),
        WebAnswer::Hang(bytes) => {
            let half = &bytes[..bytes.len() / 2];
            let _ = write!(
                &*stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
                bytes.len()
            );
            let _ = (&*stream).write_all(half);
            let _ = reader.read_line(&mut head);
            return;
        }
    };

    let head = format!(
        "HTTP/1.1 {status} Answer\r\n{location}Content-Length: {body}\r\nConnection: close\r\n\r\n"
    );
    let _ = (&*stream).write_all(&[head.as_bytes(), &sent].concat());
}
