//! Tests of downloads from web servers that fail in every way.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::address::WorldAddress;
use super::error::RemoteError;
use super::fetch::{DownloadWatch, Downloader, Fetch};
use super::web::WebDownload;

/// The answer to a request: its bytes, and whether the connection then stays open without more.
struct Answer {
    bytes: Vec<u8>,
    then_hangs: bool,
}

/// A server that gives its answers one after another, and the last one again and again.
struct Server {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let answer = &answers[number.min(answers.len() - 1)];
                // The client must not wait for this lock while the server waits for its request.
                let head = read_head(&stream);
                seen.lock().unwrap().push(head);
                let _ = (&stream).write_all(&answer.bytes);
                if answer.then_hangs {
                    // Ends when the client closes the connection.
                    let _ = (&stream).read(&mut [0]);
                }
            }
        });
        Self { address, heads }
    }

    fn url(&self, rest: &str) -> String {
        format!("http://{}{rest}", self.address)
    }

    fn requests(&self) -> usize {
        self.heads.lock().unwrap().len()
    }
}

fn read_head(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
    head
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Answer {
    let head = format!("HTTP/1.1 {status}\r\n{headers}Connection: close\r\n\r\n");
    Answer {
        bytes: [head.as_bytes(), body].concat(),
        then_hangs: false,
    }
}

/// The answer with a file that announces `len` bytes.
fn file(len: usize, body: &[u8]) -> Answer {
    answer("200 OK", &format!("Content-Length: {len}\r\n"), body)
}

fn redirect(to: &str) -> Answer {
    let headers = format!("Location: {to}\r\nContent-Length: 0\r\n");
    answer("302 Found", &headers, b"")
}

fn of_status(status: &str) -> Answer {
    answer(status, "Content-Length: 0\r\n", b"")
}

/// Downloads a file, with at most two repeated requests.
fn download(url: &str) -> Result<Vec<u8>, RemoteError> {
    let address = WorldAddress::parse(url)?;
    let fetch = Fetch {
        retries: 2,
        is_stopped: Arc::new(|| false),
    };
    let downloader = Downloader::new(fetch, &address.shown)?;
    let watch = DownloadWatch::default();
    let download = WebDownload {
        address: &address,
        watch: &watch,
        silence: Duration::from_millis(300),
        first_wait: Duration::from_millis(1),
    };

    let mut bytes = Vec::new();
    download.run(&downloader)?.read_to_end(&mut bytes).unwrap();
    assert_eq!(watch.counts().0, bytes.len() as u64);
    let counts = downloader.traffic.counts();
    assert!(counts.requests > 0 && counts.bytes_down >= bytes.len() as u64);
    Ok(bytes)
}

#[test]
fn a_download_that_is_cut_short_begins_again() {
    let cut = || file(9, b"wrong");
    let silent = Answer {
        then_hangs: true,
        ..file(9, b"wrong")
    };
    let server = Server::start(vec![cut(), silent, file(9, b"the world")]);
    assert_eq!(download(&server.url("/w.zip")).unwrap(), b"the world");
    assert_eq!(server.requests(), 3);

    let server = Server::start(vec![cut()]);
    let error = download(&server.url("/w.zip")).unwrap_err();
    assert!(matches!(error, RemoteError::Away(..)), "{error}");
    assert_eq!(server.requests(), 3);
}

#[test]
fn files_without_length_are_read_whole() {
    let chunked = b"4\r\nthe \r\n5\r\nworld\r\n0\r\n\r\n";
    for answer in [
        answer("200 OK", "", b"the world"),
        answer("200 OK", "Transfer-Encoding: chunked\r\n", chunked),
    ] {
        let server = Server::start(vec![answer]);
        assert_eq!(download(&server.url("/w.zip")).unwrap(), b"the world");
    }
}

#[test]
fn answers_that_may_pass_are_asked_for_again() {
    let answers = ["503 Busy", "429 Slow Down"].map(of_status);
    let server = Server::start(answers.into_iter().chain([file(1, b"w")]).collect());
    assert_eq!(download(&server.url("/w.zip")).unwrap(), b"w");

    let server = Server::start(vec![of_status("500 Broken")]);
    let error = download(&server.url("/w.zip")).unwrap_err();
    assert!(
        error.retryable() && error.to_string().contains("500"),
        "{error}"
    );
    assert_eq!(server.requests(), 3);
}

#[test]
fn lasting_answers_are_believed_at_once() {
    for (status, words) in [
        ("404 Not Found", "nothing is there"),
        ("401 Unauthorized", "credentials"),
        ("403 Forbidden", "credentials"),
        ("204 No Content", "not with a file"),
    ] {
        let server = Server::start(vec![of_status(status)]);
        let error = download(&server.url("/w.zip")).unwrap_err();
        let text = error.to_string();
        assert!(!error.retryable() && text.contains(words), "{text}");
        assert_eq!(server.requests(), 1, "{status}");
    }
}

#[test]
fn announced_lengths_beyond_the_disk_are_refused() {
    let server = Server::start(vec![file(usize::MAX / 4, b"w")]);
    let error = download(&server.url("/w.zip")).unwrap_err();
    assert!(matches!(error, RemoteError::NoRoom(..)), "{error}");
    assert_eq!(server.requests(), 1);
}

#[test]
fn redirects_keep_secrets_at_the_first_server() {
    let last = Server::start(vec![file(1, b"w")]);
    // Another name of the same machine is another host.
    let port = last.address.port();
    let first = Server::start(vec![redirect(&format!("http://localhost:{port}/moved"))]);
    let url = format!("http://me:S3CRET@{}/w.zip?sig=S1G", first.address);
    if !last_is_reachable_as_localhost(port) {
        return;
    }

    assert_eq!(download(&url).unwrap(), b"w");
    let seen = first.heads.lock().unwrap().join("");
    assert!(seen.contains("sig=S1G") && seen.to_lowercase().contains("authorization: basic"));
    let seen = last.heads.lock().unwrap().join("").to_lowercase();
    assert!(seen.starts_with("get /moved"), "{seen}");
    for secret in ["authorization", "s1g", "referer", "s3cret"] {
        assert!(!seen.contains(secret), "{seen}");
    }
}

/// Returns whether the system has the usual name of this machine for IPv4.
fn last_is_reachable_as_localhost(port: u16) -> bool {
    use std::net::ToSocketAddrs as _;
    let found = ("localhost", port).to_socket_addrs();
    found.is_ok_and(|mut found| found.any(|address| address.is_ipv4()))
}

#[test]
fn redirects_without_end_are_refused() {
    let server = Server::start(vec![redirect("/again?sig=S1G")]);
    let error = download(&server.url("/w.zip")).unwrap_err();
    let text = error.to_string();
    assert!(
        !error.retryable() && text.contains("redirects too often"),
        "{text}"
    );
    assert!(!text.contains("S1G"));
    assert!(server.requests() <= 12);
}

#[test]
fn errors_name_the_address_without_its_secrets() {
    let port = {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap();
        closed.local_addr().unwrap().port()
    };
    let url = format!("http://me:S3CRET@127.0.0.1:{port}/w.zip?sig=S1G");
    let error = download(&url).unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(error.retryable() && text.contains("/w.zip"), "{text}");
    assert!(!text.contains("S3CRET") && !text.contains("S1G"), "{text}");
}

#[test]
fn a_stopped_run_ends_its_download() {
    let server = Server::start(vec![Answer {
        then_hangs: true,
        ..file(9, b"the")
    }]);
    let address = WorldAddress::parse(&server.url("/w.zip")).unwrap();
    let seen = Arc::clone(&server.heads);
    let fetch = Fetch {
        retries: 2,
        is_stopped: Arc::new(move || !seen.lock().unwrap().is_empty()),
    };
    let downloader = Downloader::new(fetch, &address.shown).unwrap();
    let watch = DownloadWatch::default();
    let stopped = WebDownload::new(&address, &watch).run(&downloader);
    assert!(matches!(stopped, Err(RemoteError::Interrupted(_))));
}
