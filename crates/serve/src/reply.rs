//! Makes the answer to a request from a file and the request's headers: validators, ranges,
//! compression and caching (RFC 9110, 9111). Also makes the short answers that need no file.

use std::io;
use std::path::Path;
use std::time::Duration;

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::response::Builder;
use hyper::{Method, Response, StatusCode, Uri};

use super::body::Body;
use super::entity::Entity;
use super::range::RequestedRange;
use pixelmap_map::atlas::{CACHE_CHECKED, CACHE_FOREVER, FileKind, Format};

/// The least size in bytes for which compressing a text is worthwhile.
const MIN_GZIP: u64 = 1024;

/// Returns whether a request only reads.
pub(super) fn is_read(request: &Parts) -> bool {
    matches!(request.method, Method::GET | Method::HEAD)
}

/// Returns the answer with a picture that was just drawn. It must not be cached, because another
/// picture soon replaces it.
pub(super) fn drawn_now(format: Format, picture: Vec<u8>) -> Response<Body> {
    let kind = FileKind::from_path(Path::new(&format!("tile.{}", format.name())));
    let builder = Response::builder().header(header::CONTENT_TYPE, kind.content_type);
    finish(
        builder.header(header::CACHE_CONTROL, "no-store"),
        Body::Whole(picture.into()),
    )
}

/// Returns the answer with the blocks that were just found. Nobody keeps them, because the world
/// changes.
pub(super) fn found_now(text: Vec<u8>) -> Response<Body> {
    let builder = Response::builder().header(header::CONTENT_TYPE, "application/geo+json");
    finish(
        builder.header(header::CACHE_CONTROL, "no-store"),
        Body::Whole(text.into()),
    )
}

/// Returns the answer to a request that would change something.
pub(super) fn not_allowed() -> Response<Body> {
    finish_status(
        Response::builder().header(header::ALLOW, "GET, HEAD"),
        StatusCode::METHOD_NOT_ALLOWED,
    )
}

/// Returns an answer with only a status and its name.
pub(super) fn status_response(status: StatusCode) -> Response<Body> {
    finish_status(Response::builder(), status)
}

/// Returns an answer with a status and a line that explains what to do.
pub(super) fn text_response(status: StatusCode, text: &str) -> Response<Body> {
    finish_text(Response::builder(), status, text)
}

/// Returns the answer to a preflight request, in which a browser checks whether a page of another
/// site may request a part of a file.
pub(super) fn preflight() -> Response<Body> {
    let builder = Response::builder().status(StatusCode::NO_CONTENT);
    let builder = builder.header(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD");
    finish(
        builder.header(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Range, If-None-Match, If-Range",
        ),
        Body::empty(),
    )
}

fn finish_status(builder: Builder, status: StatusCode) -> Response<Body> {
    finish_text(builder, status, &status.to_string())
}

fn finish_text(builder: Builder, status: StatusCode, text: &str) -> Response<Body> {
    let builder = builder
        .status(status)
        .header(header::CONTENT_TYPE, "text/plain; charset=utf-8");
    finish(
        builder.header(header::CACHE_CONTROL, CACHE_CHECKED),
        Body::Whole(format!("{text}\n").into()),
    )
}

/// Redirects to the same address with a slash at the end, because the relative addresses in a page
/// need it.
pub(super) fn to_folder(uri: &Uri) -> Response<Body> {
    let query = uri
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    let builder = Response::builder().header(header::LOCATION, format!("{}/{query}", uri.path()));
    finish_status(builder, StatusCode::MOVED_PERMANENTLY)
}

/// Returns the answer with a file: the whole file, a part, or only the status that it has not
/// changed.
pub(super) fn send(entity: Entity, request: &Parts) -> io::Result<Response<Body>> {
    let headers = &request.headers;
    let range = if request.method == Method::GET {
        values(headers, &header::RANGE).next()
    } else {
        None
    };
    let packs = entity.kind.is_text && entity.len >= MIN_GZIP;
    let is_packed = packs && range.is_none() && accepts_gzip(headers);

    // A strong tag identifies the sent bytes, so the compressed form needs another tag.
    let tag = if is_packed {
        format!("\"{}-gzip\"", entity.tag)
    } else {
        format!("\"{}\"", entity.tag)
    };

    let mut builder = Response::builder().header(header::ETAG, &tag);
    builder = builder.header(
        header::CACHE_CONTROL,
        if has_version(&request.uri) {
            CACHE_FOREVER
        } else {
            CACHE_CHECKED
        },
    );

    if packs {
        builder = builder.header(header::VARY, "Accept-Encoding");
    }

    if has_other_version(headers, &entity, &tag) {
        return Ok(status_response(StatusCode::PRECONDITION_FAILED));
    }

    if let Some(policy) = entity.content_policy() {
        builder = builder.header(header::CONTENT_SECURITY_POLICY, policy);
    }

    if is_known(headers, &tag) {
        return Ok(finish(
            builder.status(StatusCode::NOT_MODIFIED),
            Body::empty(),
        ));
    }

    if let Some(modified) = entity.modified {
        builder = builder.header(header::LAST_MODIFIED, httpdate::fmt_http_date(modified));
    }

    builder = builder.header(header::CONTENT_TYPE, entity.kind.content_type);

    if is_packed {
        return Ok(finish(
            builder.header(header::CONTENT_ENCODING, "gzip"),
            entity.gzip()?,
        ));
    }

    let len = entity.len;

    // If the file has changed, a part of it would not fit the parts that the client already has.
    let has_same_parts = values(headers, &header::IF_RANGE).all(|known| known == tag);
    let part = match range {
        Some(range) if has_same_parts => RequestedRange::parse(range, len),
        _ => RequestedRange::Whole,
    };

    builder = builder.header(header::ACCEPT_RANGES, "bytes");
    match part {
        RequestedRange::Whole => Ok(finish(builder, entity.part(0..len)?)),
        RequestedRange::Bytes(bytes) => {
            let range = format!("bytes {}-{}/{len}", bytes.start, bytes.end - 1);
            let builder = builder
                .status(StatusCode::PARTIAL_CONTENT)
                .header(header::CONTENT_RANGE, range);
            Ok(finish(builder, entity.part(bytes)?))
        }
        RequestedRange::None => {
            let builder =
                Response::builder().header(header::CONTENT_RANGE, format!("bytes */{len}"));
            Ok(finish_status(builder, StatusCode::RANGE_NOT_SATISFIABLE))
        }
    }
}

fn finish(builder: Builder, body: Body) -> Response<Body> {
    let built = builder
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .body(body);

    // Building cannot fail: all values consist of plain letters, or were header values before.
    built.unwrap_or_else(|_| {
        let mut failed = Response::new(Body::empty());
        *failed.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        failed
    })
}

/// Returns whether an address contains the version of its file.
fn has_version(uri: &Uri) -> bool {
    let mut pairs = uri.query().unwrap_or_default().split('&');
    pairs.any(|pair| pair.starts_with("v=") && pair != "v=")
}

/// Returns whether the request is conditional on a version that the file no longer has (RFC 9110,
/// 13.1.1 and 13.1.4).
fn has_other_version(headers: &HeaderMap, entity: &Entity, tag: &str) -> bool {
    if headers.contains_key(header::IF_MATCH) {
        let mut known = values(headers, &header::IF_MATCH)
            .flat_map(|list| list.split(','))
            .map(str::trim);
        return !known.any(|known| known == "*" || known == tag);
    }

    let latest = values(headers, &header::IF_UNMODIFIED_SINCE)
        .find_map(|date| httpdate::parse_http_date(date).ok());

    // Times in headers have whole seconds, so any time within that second is still the same
    // version.
    let latest = latest.map(|latest| latest + Duration::from_secs(1));
    latest
        .zip(entity.modified)
        .is_some_and(|(latest, modified)| modified >= latest)
}

/// Returns whether the client already has the file with this tag. A proxy may have made the tag
/// weak.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let mut known = values(headers, &header::IF_NONE_MATCH)
        .flat_map(|list| list.split(','))
        .map(str::trim);
    known.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

/// Returns whether the client accepts gzip, by name or by `*`, with a weight above 0.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let encodings = values(headers, &header::ACCEPT_ENCODING).flat_map(|list| list.split(','));
    let weighed = encodings.map(|encoding| {
        let (name, weight) = encoding.split_once(';').unwrap_or((encoding, "q=1"));
        let weight = weight
            .trim()
            .strip_prefix("q=")
            .and_then(|weight| weight.parse::<f32>().ok());
        (name.trim(), weight.is_some_and(|weight| weight > 0.0))
    });

    let mut named = None;
    let mut any = None;
    for (name, is_taken) in weighed {
        match name {
            "*" => any = Some(is_taken),
            name if name.eq_ignore_ascii_case("gzip") => named = Some(is_taken),
            _ => {}
        }
    }

    named.or(any).unwrap_or(false)
}

/// Returns the values of a header that are text.
fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value: &HeaderValue| value.to_str().ok())
}
