//! An object store for tests: a front that records each request and changes it as a test requires.
//! It passes the request to a real S3 server or answers it itself.
//!
//! Its own answers are the few that an export needs, without signatures or parts. So each promise
//! is also tested with a real server if one is installed: at `TEST_S3_SERVER`, or at
//! `target/s3/versitygw`, where CI installs it.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::map::program;
use crate::missing;
use crate::world::Files;

/// The name of the bucket.
const BUCKET: &str = "maps";
const KEY: &str = "a-key";
const SECRET: &str = "a-long-secret";

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path below the bucket, without the query.
    pub(super) path: String,
    pub(super) query: String,
    /// Headers by their names in lower case.
    pub(super) headers: BTreeMap<String, String>,
    head: String,
    body: Vec<u8>,
}

/// The fate of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Passes the request on.
    Pass,
    /// Passes the request on after a while.
    Slow,
    /// Never answers.
    Hang,
    /// Answers with this status.
    Answer(u16),
    /// Ends the connection without an answer.
    Drop,
    /// Passes the request on, and drops the answer.
    Lose,
    /// Changes a byte on the way.
    Change,
}

type Rule = Box<dyn Fn(&Request) -> Fate + Send>;

/// The state that all connections share.
struct Shared {
    rule: Rule,
    requests: Vec<Request>,
    /// The files of the built-in store.
    objects: BTreeMap<String, Vec<u8>>,
}

/// A store with an empty bucket.
pub(super) struct Store {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    real: Option<Real>,
}

/// A real server. Its buckets are folders.
struct Real {
    folder: tempfile::TempDir,
    child: Child,
}

impl Drop for Real {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The real server's program.
fn server() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/s3/versitygw");
    std::env::var_os("TEST_S3_SERVER")
        .map(PathBuf::from)
        .or_else(|| own.is_file().then_some(own))
}

impl Real {
    fn start(program: &Path) -> (Self, SocketAddr) {
        let folder = tempfile::tempdir().unwrap();
        let [data, meta] = ["data", "meta"].map(|name| folder.path().join(name));
        fs::create_dir_all(data.join(BUCKET)).unwrap();
        fs::create_dir(&meta).unwrap();
        let address = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();

        let mut command = Command::new(program);
        command.args([
            "-a",
            KEY,
            "-s",
            SECRET,
            "-q",
            "-p",
            &address.to_string(),
            "posix",
            "--sidecar",
        ]);

        let child = command
            .arg(meta)
            .arg(data)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let real = Self { folder, child };

        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "the S3 server does not answer"
            );
            std::thread::sleep(Duration::from_millis(20));
        }

        (real, address)
    }
}

impl Store {
    /// The built-in store, and the real server if there is one.
    pub(super) fn all() -> Vec<Self> {
        let real = Self::real();
        [Some(Self::of(None)), real].into_iter().flatten().collect()
    }

    /// Starts the real server. Returns `None` if there is none, and reports it on the terminal.
    pub(super) fn real() -> Option<Self> {
        let Some(program) = server() else {
            missing::report(
                "s3",
                "buckets of a real S3 server: .ci/run builds one as target/s3/versitygw",
            );
            return None;
        };
        Some(Self::of(Some(Real::start(&program))))
    }

    fn of(real: Option<(Real, SocketAddr)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared {
            rule: Box::new(|_| Fate::Pass),
            requests: Vec::new(),
            objects: BTreeMap::new(),
        };
        let shared = Arc::new(Mutex::new(shared));

        let (real, behind) = real.unzip();
        let of_all = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&of_all);
                std::thread::spawn(move || serve(&stream, behind, &shared));
            }
        });

        Self {
            address,
            shared,
            real,
        }
    }

    /// Sets the fate of later requests. Forgets the earlier ones.
    pub(super) fn rule(&self, rule: impl Fn(&Request) -> Fate + Send + 'static) {
        let mut shared = self.shared.lock().unwrap();
        (shared.rule, shared.requests) = (Box::new(rule), Vec::new());
    }

    /// Returns the requests since the last call, in their order.
    pub(super) fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.shared.lock().unwrap().requests)
    }

    /// Returns the paths that were uploaded since the last call, in their order.
    pub(super) fn put(&self) -> Vec<String> {
        let put = self
            .requests()
            .into_iter()
            .filter(|request| request.method == "PUT");
        put.map(|request| request.path).collect()
    }

    /// The files below a prefix.
    pub(super) fn files(&self, prefix: &str) -> BTreeMap<String, Vec<u8>> {
        let Some(real) = &self.real else {
            let below = |(path, bytes): (&String, &Vec<u8>)| {
                Some((
                    path.strip_prefix(prefix)?.strip_prefix('/')?.to_owned(),
                    bytes.clone(),
                ))
            };

            return self
                .shared
                .lock()
                .unwrap()
                .objects
                .iter()
                .filter_map(below)
                .collect();
        };

        let folder = real.folder.path().join("data").join(BUCKET).join(prefix);
        if folder.is_dir() {
            Files::read_under(&folder).0
        } else {
            BTreeMap::new()
        }
    }

    /// Adds a file without the program.
    pub(super) fn add(&self, path: &str, bytes: &[u8]) {
        match &self.real {
            None => drop(
                self.shared
                    .lock()
                    .unwrap()
                    .objects
                    .insert(path.to_owned(), bytes.to_vec()),
            ),
            Some(real) => {
                let place = real.folder.path().join("data").join(BUCKET).join(path);
                fs::create_dir_all(place.parent().unwrap()).unwrap();
                fs::write(place, bytes).unwrap();
            }
        }
    }

    /// Removes a file without the program.
    pub(super) fn remove(&self, path: &str) {
        match &self.real {
            None => drop(self.shared.lock().unwrap().objects.remove(path)),
            Some(real) => {
                let [data, meta] = ["data", "meta"].map(|name| real.folder.path().join(name));
                let _ = fs::remove_file(data.join(BUCKET).join(path));
                let _ = fs::remove_dir_all(meta.join(BUCKET).join(path));
            }
        }
    }

    /// Returns the command `pixelmap export` of a map to a prefix of the bucket.
    pub(super) fn export(&self, map: &Path, prefix: &str) -> Command {
        let mut command = self.command("export", prefix);
        command.arg(map);
        command
    }

    /// Returns the address of a prefix of the bucket.
    pub(super) fn address(prefix: &str) -> String {
        format!("s3://{BUCKET}/{prefix}")
    }

    /// Returns a command of the program with a prefix of the bucket as its output.
    pub(super) fn command(&self, name: &str, prefix: &str) -> Command {
        let mut command = self.program();
        command.arg(name).arg("-o").arg(Self::address(prefix));
        command
    }

    /// Returns the program with the keys of the store.
    pub(super) fn program(&self) -> Command {
        let mut command = program();
        command.envs([
            ("AWS_ACCESS_KEY_ID", KEY),
            ("AWS_SECRET_ACCESS_KEY", SECRET),
        ]);
        command.env("AWS_ENDPOINT_URL", format!("http://{}", self.address));
        command
    }
}

/// Answers the requests of a connection.
fn serve(stream: &TcpStream, behind: Option<SocketAddr>, shared: &Mutex<Shared>) {
    let mut reader = BufReader::new(stream);
    while let Some(mut request) = read(&mut reader) {
        let fate = {
            let mut shared = shared.lock().unwrap();
            shared.requests.push(request.clone());
            (shared.rule)(&request)
        };

        match fate {
            Fate::Drop => return,
            Fate::Hang => {
                // Sends nothing until the client gives up and closes the connection.
                let _ = reader.read(&mut [0]);
                return;
            }
            Fate::Slow => std::thread::sleep(Duration::from_millis(100)),
            Fate::Change => *request.body.last_mut().unwrap() ^= 1,
            Fate::Pass | Fate::Lose | Fate::Answer(_) => {}
        }

        let answer = match (fate, behind) {
            (Fate::Answer(status), _) => of_status(status, "<Error><Code>SlowDown</Code></Error>"),
            (_, Some(behind)) => forward(behind, &request),
            (_, None) => shared.lock().unwrap().answer(&request),
        };

        let mut stream = stream;
        if fate == Fate::Lose || stream.write_all(&answer).is_err() || behind.is_some() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }

    let mut words = head.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let headers: BTreeMap<_, _> = lines
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();

    let mut body = vec![
        0;
        headers
            .get("content-length")
            .map_or(0, |len| len.parse().unwrap())
    ];
    reader.read_exact(&mut body).ok()?;

    let path = path
        .strip_prefix(&format!("/{BUCKET}"))
        .unwrap_or(path)
        .trim_start_matches('/')
        .replace("%20", " ");

    Some(Request {
        method,
        path,
        query: query.to_owned(),
        headers,
        head,
        body,
    })
}

/// Passes a request on to the real server. Signed headers are not changed.
fn forward(behind: SocketAddr, request: &Request) -> Vec<u8> {
    let mut stream = TcpStream::connect(behind).unwrap();
    let head = request
        .head
        .replacen("\r\n", "\r\nConnection: close\r\n", 1);
    stream
        .write_all(&[head.as_bytes(), &request.body].concat())
        .unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

/// The version of a file.
fn e_tag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

/// Reads the header `bytes=FIRST-LAST`.
fn parse_range(range: &str) -> Option<(usize, usize)> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// Returns the answer with a part of a file.
fn part_of(bytes: &[u8], (first, last): (usize, usize)) -> Vec<u8> {
    let part = &bytes[first..bytes.len().min(last + 1)];
    let head = format!(
        "HTTP/1.1 206 Part\r\nETag: {}\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
         Content-Range: bytes {first}-{}/{}\r\nContent-Length: {}\r\n\r\n",
        e_tag(bytes),
        first + part.len() - 1,
        bytes.len(),
        part.len()
    );
    [head.as_bytes(), part].concat()
}

fn of_status(status: u16, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} Answer\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

impl Shared {
    /// The answer of the built-in store.
    fn answer(&mut self, request: &Request) -> Vec<u8> {
        let Request {
            method,
            path,
            query,
            body,
            ..
        } = request;

        match method.as_str() {
            "PUT" if !self.is_allowed(request) => of_status(412, ""),
            "PUT" => {
                if let Some(source) = request.headers.get("x-amz-copy-source") {
                    let source = source.trim_start_matches('/');
                    let source = source.strip_prefix(BUCKET).unwrap().trim_start_matches('/');
                    let copied = self.objects[source].clone();
                    self.objects.insert(path.clone(), copied);
                    return of_status(200, "<CopyObjectResult/>");
                }
                self.objects.insert(path.clone(), body.clone());
                let tag = e_tag(body);
                format!("HTTP/1.1 200 OK\r\nETag: {tag}\r\nContent-Length: 0\r\n\r\n").into_bytes()
            }
            "GET" if query.contains("list-type=2") => of_status(200, &self.list(query)),
            "GET" => match self.objects.get(path) {
                None => of_status(404, "<Error><Code>NoSuchKey</Code></Error>"),
                Some(bytes) => {
                    let range = request.headers.get("range");
                    if let Some(range) = range.and_then(|range| parse_range(range)) {
                        return part_of(bytes, range);
                    }

                    let modified = "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT";
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nETag: {}\r\n{modified}\r\nContent-Length: {}\r\n\r\n",
                        e_tag(bytes),
                        bytes.len()
                    );
                    [head.as_bytes(), bytes].concat()
                }
            },
            "POST" if query == "delete" => {
                let body = String::from_utf8_lossy(body);
                let keys = body
                    .split("<Key>")
                    .skip(1)
                    .filter_map(|rest| rest.split_once("</Key>"));

                let mut gone = String::new();
                for (key, _) in keys {
                    self.objects.remove(key);
                    gone += &format!("<Deleted><Key>{key}</Key></Deleted>");
                }

                of_status(200, &format!("<DeleteResult>{gone}</DeleteResult>"))
            }
            _ => of_status(501, ""),
        }
    }

    /// Whether the conditions of an upload hold.
    fn is_allowed(&self, request: &Request) -> bool {
        let there = self.objects.get(&request.path).map(|bytes| e_tag(bytes));
        let is_new = !request.headers.contains_key("if-none-match") || there.is_none();
        let wanted = request.headers.get("if-match");
        is_new && wanted.is_none_or(|wanted| there.as_ref() == Some(wanted))
    }

    fn list(&self, query: &str) -> String {
        let is_flat = query.contains("delimiter=");
        let prefix = query
            .split('&')
            .find_map(|pair| pair.strip_prefix("prefix="))
            .unwrap_or_default();
        let prefix = prefix.replace("%2F", "/").replace("%20", " ");
        let below = self.objects.iter().filter(|(path, _)| {
            let rest = path.strip_prefix(&prefix);
            rest.is_some_and(|rest| !is_flat || !rest.contains('/'))
        });

        let entry = |(path, bytes): (&String, &Vec<u8>)| {
            let modified = "<LastModified>2026-01-01T00:00:00.000Z</LastModified>";
            let tag = e_tag(bytes);
            format!(
                "<Contents><Key>{path}</Key><Size>{}</Size>{modified}<ETag>{tag}</ETag></Contents>",
                bytes.len()
            )
        };

        format!(
            "<ListBucketResult>{}</ListBucketResult>",
            below.map(entry).collect::<String>()
        )
    }
}
