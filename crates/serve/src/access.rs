//! Decides which requests are answered at all, and which other sites may use the answers.
//!
//! A browser lets a page read every answer of the page's own host. An attacker can give the name of
//! that host the address of this machine (DNS rebinding), and could then read a map that only this
//! machine should see. So a request must name this server by an address, by a local name, or by a
//! name that its owner has given. For the same reason other sites may neither embed nor read files
//! of the map, unless the owner opens it for them.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::{Method, Response, StatusCode, Version};

use super::body::Body;
use super::reply::{preflight, status_response, text_response};

/// Endings of names that nobody can register, so that only the local network resolves them.
const LOCAL_ENDINGS: [&str; 3] = [".local", ".internal", ".home.arpa"];

/// A header of answers, with its value.
type Header = (HeaderName, HeaderValue);
/// Keeps the files of the map from pages of other sites.
const CLOSED: [Header; 1] = [(
    HeaderName::from_static("cross-origin-resource-policy"),
    HeaderValue::from_static("same-origin"),
)];
/// Lets pages of all sites embed and read the files of the map.
const OPEN: [Header; 3] = [
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    ),
    (
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    ),
    (
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("Content-Range, ETag, Last-Modified"),
    ),
];
/// Keeps other sites from showing the map's pages in a frame.
const OWN_FRAMES: &str = "frame-ancestors 'self'";

/// The name of a host in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName(String);

impl HostName {
    /// Parses the name of a host. `None` if it has a port, a path, or characters that no browser
    /// sends in a name.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.strip_suffix('.').unwrap_or(text);
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
        is_name.then(|| Self(name.to_ascii_lowercase()))
    }
}

/// Headers that decide how an answer is sent, so only the server itself may write them.
const RESERVED: [HeaderName; 6] = [
    header::CONNECTION,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::CONTENT_RANGE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// A header that the owner adds to all answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerHeader(HeaderName, HeaderValue);

impl AnswerHeader {
    /// Parses `Name: value`. `None` if this is not a header, or if only the server may write it.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, value) = text.split_once(':')?;
        let name = HeaderName::try_from(name).ok()?;
        let value = HeaderValue::try_from(value.trim()).ok()?;
        if RESERVED.contains(&name) {
            None
        } else {
            Some(Self(name, value))
        }
    }
}

/// The owner's choice of who may use a server, and of the headers of all answers.
#[derive(Debug, Clone, Default)]
pub struct AccessRules {
    /// The names under which the server is reached, other than addresses and local names.
    pub hosts: Vec<HostName>,
    /// All names are allowed, because a proxy in front of the server checks them.
    pub trusts_proxy: bool,
    /// Each replaces the server's own header of that name.
    pub headers: Vec<AnswerHeader>,
    /// The command line option that adds a name. The answer to a request with an unknown name
    /// suggests it.
    pub host_option: &'static str,
    /// Pages of other sites may embed and read the map.
    pub is_open: bool,
}

/// Checks requests to a server that listens at a known address.
#[derive(Debug)]
pub(super) struct Guard {
    access: AccessRules,
    /// Other machines can reach the server, so it also answers to the names that a local network
    /// gives to this machine.
    is_in_network: bool,
}

impl Guard {
    pub(super) fn new(access: AccessRules, address: SocketAddr) -> Self {
        Self {
            access,
            is_in_network: !address.ip().is_loopback(),
        }
    }

    /// Returns the answer to a request that needs no file: a refusal, or the answer to a request
    /// for permission (preflight). `None` if the request may be answered from the site.
    pub(super) fn answer(&self, request: &Parts) -> Option<Response<Body>> {
        match requested_host(request) {
            Err(status) => return Some(status_response(status)),
            Ok(Some(host)) if !self.is_own_name(&host) => {
                let option = self.access.host_option;
                let text = format!(
                    "This server does not answer to the name {host}. Start it with {option} {host}"
                );
                return Some(text_response(StatusCode::MISDIRECTED_REQUEST, &text));
            }
            Ok(_) => {}
        }

        (self.access.is_open && request.method == Method::OPTIONS).then(preflight)
    }

    /// Adds the headers that allow or forbid the use of an answer by other sites, and the owner's.
    pub(super) fn seal(&self, response: &mut Response<Body>) {
        self.seal_from_sites(response.headers_mut());
        for AnswerHeader(name, value) in &self.access.headers {
            response.headers_mut().insert(name, value.clone());
        }
    }

    fn seal_from_sites(&self, headers: &mut HeaderMap) {
        if self.access.is_open {
            headers.extend(OPEN);
            return;
        }

        headers.extend(CLOSED);
        let own = headers
            .get(header::CONTENT_SECURITY_POLICY)
            .and_then(|policy| policy.to_str().ok());
        let policy = own.map_or_else(
            || OWN_FRAMES.to_owned(),
            |own| format!("{own}; {OWN_FRAMES}"),
        );

        if let Ok(policy) = HeaderValue::try_from(policy) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
    }

    /// Returns whether a request with this host name is safe to answer: nobody on the web can
    /// register the name and point it to an address of their choice, or the owner has given it.
    fn is_own_name(&self, host: &str) -> bool {
        if self.access.trusts_proxy {
            return true;
        }

        let host = host.strip_suffix('.').unwrap_or(host);
        let literal = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let is_address = host.parse::<Ipv4Addr>().is_ok()
            || literal.is_some_and(|ip| ip.parse::<Ipv6Addr>().is_ok());
        let is_local_name = host == "localhost" || host.ends_with(".localhost");
        let is_network_name =
            !host.contains(['.', '[']) || LOCAL_ENDINGS.iter().any(|ending| host.ends_with(ending));
        let is_given = self.access.hosts.iter().any(|HostName(name)| name == host);
        is_address || is_local_name || is_given || (self.is_in_network && is_network_name)
    }
}

/// Returns the host that a request names, in lower case and without the port. `None` if a client of
/// HTTP/1.0 names none, because it need not.
///
/// # Errors
/// The status of the answer if the request names no host, several hosts, or an invalid one (RFC
/// 9112, 3.2).
fn requested_host(request: &Parts) -> Result<Option<String>, StatusCode> {
    let mut values = request.headers.get_all(header::HOST).iter();
    let named = match (values.next(), values.next()) {
        (Some(host), None) => Some(host_of(host.as_bytes())?),
        (None, _) if request.version < Version::HTTP_11 => None,
        _ => return Err(StatusCode::BAD_REQUEST),
    };

    // The host in an absolute address takes precedence over the header.
    match request.uri.authority() {
        Some(authority) => host_of(authority.as_str().as_bytes()).map(Some),
        None => Ok(named),
    }
}

fn host_of(value: &[u8]) -> Result<String, StatusCode> {
    let authority = Authority::try_from(value).map_err(|_| StatusCode::BAD_REQUEST)?;
    let host = authority.host().to_ascii_lowercase();

    // The parser accepts any text after the bracket of an address or after a colon.
    let rest = authority.as_str().get(host.len()..).unwrap_or_default();
    let is_whole = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    if host.is_empty() || authority.as_str().contains('@') || !is_whole {
        return Err(StatusCode::BAD_REQUEST);
    }

    Ok(host)
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|digit| digit.is_ascii_digit()) && port.len() <= 5
}
