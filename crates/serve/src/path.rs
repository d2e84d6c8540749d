//! Decodes the path of an address into names of folders and a file, and refuses paths that could
//! lead out of a folder.

use std::path::{Component, Path};

use hyper::StatusCode;

/// The decoded path of an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AddressPath {
    /// The decoded names. Each is one plain file name, so a path joined from them never leads
    /// upwards.
    pub(super) names: Vec<String>,
    /// Whether the address ends in a slash.
    pub(super) is_folder: bool,
}

impl AddressPath {
    /// Parses the path of a request.
    ///
    /// # Errors
    /// The status of the answer: 400 if the path is not encoded correctly, 404 if a part of it
    /// cannot be the name of a file.
    pub(super) fn parse(path: &str) -> Result<Self, StatusCode> {
        let path = path.strip_prefix('/').ok_or(StatusCode::BAD_REQUEST)?;
        if path.is_empty() {
            return Ok(Self {
                names: Vec::new(),
                is_folder: true,
            });
        }

        let (path, is_folder) = path
            .strip_suffix('/')
            .map_or((path, false), |path| (path, true));
        Ok(Self {
            names: path.split('/').map(name).collect::<Result<_, _>>()?,
            is_folder,
        })
    }
}

/// Decodes one name of a path. It is decoded only once, so that `%252e` does not become a dot.
fn name(encoded: &str) -> Result<String, StatusCode> {
    let name = decode_percent(encoded)
        .filter(|name| !name.contains('\0'))
        .ok_or(StatusCode::BAD_REQUEST)?;
    let mut parts = Path::new(&name).components();

    // A backslash separates names on some systems only, and no file of a map has one.
    let is_plain = parts.next() == Some(Component::Normal(name.as_ref())) && !name.contains('\\');
    if is_plain {
        Ok(name)
    } else {
        Err(StatusCode::NOT_FOUND)
    }
}

/// Decodes percent-encoding. `None` if the encoding is invalid or the bytes are not UTF-8.
pub(super) fn decode_percent(encoded: &str) -> Option<String> {
    let mut parts = encoded.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let digits = part
            .get(..2)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(&part.as_bytes()[2..]);
    }

    String::from_utf8(bytes).ok()
}

/// Returns the value of a key in a query.
pub(super) fn query_value<'q>(query: &'q str, key: &str) -> Option<&'q str> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value)
}

/// The path of a site on its server, such as `/map`. Empty for the root of the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BasePath(Vec<String>);

impl BasePath {
    /// Parses a path that begins with a slash. A slash at the end makes no difference. `None` if
    /// the path is invalid, or has characters that addresses must encode.
    pub fn parse(text: &str) -> Option<Self> {
        if !text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "/-._~".contains(c))
        {
            return None;
        }
        AddressPath::parse(text).ok().map(|path| Self(path.names))
    }

    /// Returns the names below the base path. `None` if the path is not below it.
    pub(super) fn strip_base<'a>(&self, names: &'a [String]) -> Option<&'a [String]> {
        names.strip_prefix(self.0.as_slice())
    }

    /// Returns the path, with a slash at the end.
    pub fn text(&self) -> String {
        self.0
            .iter()
            .fold("/".to_owned(), |path, name| path + name + "/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_decoded_once() {
        let names =
            |path| AddressPath::parse(path).map(|path| (path.names.join("|"), path.is_folder));
        assert_eq!(names("/"), Ok((String::new(), true)));
        assert_eq!(
            names("/overworld/day/17/-1/0.png"),
            Ok(("overworld|day|17|-1|0.png".to_owned(), false))
        );
        assert_eq!(names("/a%20b/%C3%A9%2e/"), Ok(("a b|é.".to_owned(), true)));
        assert_eq!(names("/%252e%252e/a"), Ok(("%2e%2e|a".to_owned(), false)));

        for bad in [
            "/%",
            "/%4",
            "/%zz",
            "/a%+1",
            "/%00",
            "/a%c3/b",
            "/%ff",
            "*",
            "",
            "index.html",
        ] {
            assert_eq!(names(bad), Err(StatusCode::BAD_REQUEST), "{bad}");
        }

        for absent in [
            "//", "//a", "/a//b", "/..", "/a/../b", "/%2e%2e/", "/.%2E/a", "/./a", "/a%2fb",
            "/a\\b", "/%5c",
        ] {
            assert_eq!(names(absent), Err(StatusCode::NOT_FOUND), "{absent}");
        }
    }

    #[test]
    fn a_base_path_has_only_plain_names() {
        for (typed, text) in [("/", "/"), ("/map", "/map/"), ("/a/b-1/", "/a/b-1/")] {
            assert_eq!(
                BasePath::parse(typed).map(|base| base.text()).as_deref(),
                Some(text),
                "{typed}"
            );
        }

        for wrong in [
            "",
            "map",
            "//map",
            "/map//",
            "/../map",
            "/a b",
            "/%41",
            "/map?v",
            "http://host/map",
        ] {
            assert_eq!(BasePath::parse(wrong), None, "{wrong}");
        }

        let names = |path| AddressPath::parse(path).unwrap().names;
        let base = BasePath::parse("/map").unwrap();
        assert_eq!(
            base.strip_base(&names("/map/a/b")),
            Some(&names("/a/b")[..])
        );
        assert_eq!(base.strip_base(&names("/mapa/b")), None);
        assert_eq!(base.strip_base(&names("/")), None);
    }
}
