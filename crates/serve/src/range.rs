//! Parses the `Range` header of a request (RFC 9110, section 14). Only a single range of bytes is
//! supported; the whole file is sent for anything else, as the RFC allows.

use std::ops::Range;

/// The part of a file that a `Range` header requests.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestedRange {
    /// The whole file, because the header is invalid or has several ranges.
    Whole,
    /// These bytes, at least one.
    Bytes(Range<u64>),
    /// Only bytes beyond the end of the file.
    None,
}

impl RequestedRange {
    /// Parses the value of `Range` for a file of `len` bytes.
    pub(super) fn parse(value: &str, len: u64) -> Self {
        let Some((first, last)) = ends(value) else {
            return Self::Whole;
        };

        let bytes = match (first, last) {
            (Some(first), last) => first..last.map_or(len, |last| last.saturating_add(1).min(len)),
            (None, Some(last)) => len - last.min(len)..len,
            (None, None) => return Self::Whole,
        };

        if bytes.is_empty() {
            Self::None
        } else {
            Self::Bytes(bytes)
        }
    }
}

/// Returns the two numbers of a single range of bytes. `None` if the value is anything else, or the
/// range ends before it starts.
fn ends(value: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (unit, range) = value.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.eq_ignore_ascii_case("bytes") || !has_only_digits(first) || !has_only_digits(last) {
        return None;
    }

    let ends @ (first, last) = (number(first), number(last));
    first
        .zip(last)
        .is_none_or(|(first, last)| first <= last)
        .then_some(ends)
}

fn has_only_digits(text: &str) -> bool {
    text.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns the number with these digits. `None` without digits, which means an open end.
fn number(digits: &str) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }

    // A number that is too large for `u64` is certainly beyond the end of the file.
    Some(digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_range_is_answered_with_its_part() {
        for (value, bytes) in [
            ("bytes=0-0", 0..1),
            ("bytes=2-", 2..10),
            ("bytes=8-99999999999999999999999", 8..10),
            ("bytes=-3", 7..10),
            ("bytes=-11", 0..10),
            ("BYTES= 1-2", 1..3),
        ] {
            assert_eq!(
                RequestedRange::parse(value, 10),
                RequestedRange::Bytes(bytes),
                "{value}"
            );
        }

        for value in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=3-2",
            "bytes=0-1,4-5",
            "bytes=a-b",
            "lines=1-2",
            "bytes=+1-2",
        ] {
            assert_eq!(
                RequestedRange::parse(value, 10),
                RequestedRange::Whole,
                "{value}"
            );
        }

        for value in [
            "bytes=10-",
            "bytes=10-20",
            "bytes=-0",
            "bytes=99999999999999999999999-",
        ] {
            assert_eq!(
                RequestedRange::parse(value, 10),
                RequestedRange::None,
                "{value}"
            );
        }

        assert_eq!(RequestedRange::parse("bytes=-5", 0), RequestedRange::None);
        assert_eq!(RequestedRange::parse("bytes=0-", 0), RequestedRange::None);
    }
}
