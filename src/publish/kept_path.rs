//! Paths and arguments of the system in files of JSON: as the text that they are, and where they are none, without losing
//! what they are.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path, or an argument, as it is kept: its text, or `{"escaped": ...}` where it is no UTF-8. In that form `%` and all
/// bytes that are no text are `%` and two hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum KeptPath {
    /// Text as it is.
    Text(String),
    /// What is no text.
    Escaped {
        /// Its bytes.
        escaped: String,
    },
}

impl From<&OsStr> for KeptPath {
    fn from(path: &OsStr) -> Self {
        path.to_str().map_or_else(|| Self::Escaped { escaped: escaped(path) }, |text| Self::Text(text.to_owned()))
    }
}

impl KeptPath {
    /// The path, or the argument; `None`: this system has none like it.
    pub fn path(&self) -> Option<OsString> {
        match self {
            Self::Text(text) => Some(text.into()),
            Self::Escaped { escaped } => of_bytes(bytes(escaped)?),
        }
    }
}

fn escaped(path: &OsStr) -> String {
    let mut text = String::new();
    for chunk in path.as_encoded_bytes().utf8_chunks() {
        text += &chunk.valid().replace('%', "%25");
        for byte in chunk.invalid() {
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text
}

fn bytes(escaped: &str) -> Option<Vec<u8>> {
    let mut parts = escaped.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (byte, rest) = part.split_at_checked(2)?;
        // A sign would be read, too.
        bytes.push(u8::from_str_radix(byte, 16).ok().filter(|_| !byte.starts_with('+'))?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Some(bytes)
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "not every system has a path for any bytes")]
fn of_bytes(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn of_bytes(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

/// Writes a path, for `#[serde(with)]`.
pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    KeptPath::from(path.as_os_str()).serialize(to)
}

/// Reads a path, for `#[serde(with)]`.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    let path = KeptPath::deserialize(from)?.path();
    path.map(PathBuf::from).ok_or_else(|| serde::de::Error::custom("no path of this system"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn what_is_no_text_is_kept_whole_and_text_as_it_is() {
        let json = |path: &[u8]| serde_json::to_string(&KeptPath::from(OsStr::from_bytes(path))).unwrap();
        assert_eq!(json(b"/w\xc3\xb6 100%25"), "\"/w\u{f6} 100%25\"");
        assert_eq!(json(b"/a%/\xc3\xb6\xff\xe2\x82"), "{\"escaped\":\"/a%25/\u{f6}%ff%e2%82\"}");
        let all: Vec<u8> = (1..=255).collect();
        for path in [&b"/w\xc3\xb6 100%25"[..], b"/a%/\xc3\xb6\xff", b"", b"%ff", b"\xfe", &all] {
            let read: KeptPath = serde_json::from_str(&json(path)).unwrap();
            assert_eq!(read.path().unwrap().as_bytes(), path);
        }
        for broken in ["%", "a%f", "%fg", "%\u{f6}", "%+1"] {
            assert_eq!(KeptPath::Escaped { escaped: broken.to_owned() }.path(), None, "{broken}");
        }
    }
}
