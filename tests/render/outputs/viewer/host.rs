//! A very strict web host for tests: only GET, no listings, no files except the requested ones.
//! Files are sixty days old, and files with a version in their address may be cached for ever, as
//! docs/output.md advises.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

/// Serves a folder on its own address until the test ends.
pub(super) struct Host {
    /// The address, with `/` at its end.
    pub(super) address: String,
}

impl Host {
    pub(super) fn of(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let folder = folder.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = folder.clone();
                std::thread::spawn(move || drop(answer(stream, &folder)));
            }
        });
        Self { address }
    }
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut request = String::new();
    let mut reader = BufReader::new(stream.try_clone()?);
    reader.read_line(&mut request)?;

    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }

    let mut words = request.split(' ');
    let (method, address) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );

    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let path = if path == "/" {
        "index.html"
    } else {
        path.trim_start_matches('/')
    };

    let path = decoded(path);
    let file: Option<PathBuf> =
        (method == "GET" && !path.contains("..")).then(|| folder.join(&path));
    let bytes = file.and_then(|file| std::fs::read(file).ok());

    let kind = match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("json") => "application/json",
        _ => "image/png",
    };

    let cache = if query.starts_with("v=") {
        "Cache-Control: public, max-age=31536000, immutable\r\n"
    } else {
        ""
    };

    let status = if bytes.is_some() {
        "200 OK"
    } else {
        "404 Not Found"
    };

    let bytes = bytes.unwrap_or_default();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT\r\n{cache}Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n",
        bytes.len()
    )?;

    stream.write_all(&bytes)
}

/// Undoes the escapes of a browser in a path.
fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        // A broken escape does not occur in the path of any file.
        bytes.push(u8::from_str_radix(part.get(..2).unwrap_or_default(), 16).unwrap_or(b'?'));
        bytes.extend(part.bytes().skip(2));
    }
    String::from_utf8(bytes).unwrap_or_default()
}
