//! Asks a server whether it works, for the health checks of containers.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use crate::outcome::{Ending, FAILED, OK, USAGE};

/// The longest wait for each step of an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes of the first line of an answer.
const MAX_LINE: u64 = 1000;

/// Requests an address. Returns the exit code.
pub(super) fn run(url: &str) -> Result<u8, Ending> {
    let Some((host, path)) = parts(url) else {
        let message = format!("{url} is not an address: write it as http://127.0.0.1:8080/");
        return Err(Ending::new(USAGE, message));
    };

    let line = first_line(&host, &path)
        .map_err(|error| Ending::new(FAILED, format!("{url} does not answer: {error}")))?;
    let status = line.split(' ').nth(1).unwrap_or_default();
    if line.starts_with("HTTP/1.") && status.starts_with(['2', '3']) {
        Ok(OK)
    } else {
        Err(Ending::new(FAILED, format!("{url} answers: {line}")))
    }
}

/// Returns the host with its port, and the path of an address.
fn parts(url: &str) -> Option<(String, String)> {
    let rest = url.strip_prefix("http://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    if host.is_empty() || !is_plain(rest) {
        return None;
    }

    let has_port = host
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let port = if has_port { "" } else { ":80" };
    Some((format!("{host}{port}"), format!("/{path}")))
}

/// Returns the first line of the answer of a server.
fn first_line(host: &str, path: &str) -> io::Result<String> {
    let mut stream = connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;

    let mut line = Vec::new();
    BufReader::new(stream.take(MAX_LINE)).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
}

/// Connects to the first address of a host that accepts a connection.
fn connect(host: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::other("the name has no address");
    for address in host.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_path() {
        let parts = |url| parts(url).map(|(host, path)| host + " " + &path);
        for (url, expected) in [
            ("http://127.0.0.1:8080/", Some("127.0.0.1:8080 /")),
            ("http://[::1]:8080/map/", Some("[::1]:8080 /map/")),
            ("http://map", Some("map:80 /")),
            ("https://map/", None),
            ("http:///map", None),
            ("http://map/\r\nHost: x", None),
        ] {
            assert_eq!(parts(url).as_deref(), expected, "{url}");
        }
    }
}
