//! Hashes of content, written as text with which file names and pages identify a version of the
//! content.

use std::hash::Hasher as _;
use std::io::{self, BufWriter};

use twox_hash::XxHash3_64;

/// Returns the XXH3-64 of all that `write` writes, as 16 hex digits.
pub fn content_version(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut bytes = BufWriter::new(HashWriter(XxHash3_64::with_seed(0)));
    // Neither the hash nor these writers can fail.
    let hashed =
        write(&mut bytes).and_then(|()| bytes.into_inner().map_err(io::IntoInnerError::into_error));
    format!(
        "{:016x}",
        hashed.map_or(0, |HashWriter(hash)| hash.finish())
    )
}

/// Hashes the values that a key depends on, one after the other. The hash is the same on every
/// machine. Values of changing length begin with their length, so that different values never give
/// the same bytes.
#[expect(
    missing_debug_implementations,
    reason = "the state of a hash has no meaning for a reader"
)]
pub struct KeyHasher(XxHash3_64);

impl Default for KeyHasher {
    fn default() -> Self {
        Self(XxHash3_64::with_seed(0))
    }
}

impl KeyHasher {
    pub fn add(&mut self, number: impl Into<i64>) {
        self.0.write(&number.into().to_le_bytes());
    }

    pub fn add_hash(&mut self, hash: u64) {
        self.add(hash.cast_signed());
    }

    pub fn add_numbers(&mut self, numbers: &[i32]) {
        self.add_len(numbers.len());
        for &number in numbers {
            self.add(number);
        }
    }

    pub fn add_text(&mut self, text: &str) {
        self.add_len(text.len());
        self.0.write(text.as_bytes());
    }

    /// Adds the length of a list whose elements follow.
    pub fn add_len(&mut self, len: usize) {
        self.add_hash(len as u64);
    }

    pub fn finish(self) -> u64 {
        self.0.finish()
    }
}

/// Returns a hash as 16 hex digits. Formatting takes several times as long, which counts in a long
/// manifest.
pub fn hash_text(hash: u64) -> [u8; 16] {
    std::array::from_fn(|digit| b"0123456789abcdef"[(hash >> (60 - 4 * digit) & 15) as usize])
}

/// Parses a hash of 16 hex digits. The standard library takes several times as long.
pub fn parse_hash(text: &str) -> Option<u64> {
    let digits: &[u8; 16] = text.as_bytes().try_into().ok()?;
    digits.iter().try_fold(0, |hash, &digit| {
        Some(hash << 4 | u64::from(char::from(digit).to_digit(16)?))
    })
}

/// Reads all remaining bytes. Returns their number and their XXH3-64.
///
/// # Errors
/// Fails if the reader fails.
pub fn hash_reader(reader: &mut dyn io::Read) -> io::Result<(u64, u64)> {
    let mut hashing = HashWriter(XxHash3_64::with_seed(0));
    let bytes = io::copy(reader, &mut hashing)?;
    Ok((bytes, hashing.0.finish()))
}

struct HashWriter(XxHash3_64);

impl io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_values_give_other_keys() {
        let hash = |add: fn(&mut KeyHasher)| {
            let mut key = KeyHasher::default();
            add(&mut key);
            key.finish()
        };

        let hashes = [
            hash(|_| ()),
            hash(|key| key.add(1)),
            hash(|key| key.add_text("")),
            hash(|key| key.add_text("ab")),
            hash(|key| ["a", "b"].into_iter().for_each(|text| key.add_text(text))),
            hash(|key| key.add_numbers(&[1, 2])),
            hash(|key| {
                key.add_numbers(&[1]);
                key.add_numbers(&[2]);
            }),
        ];
        let distinct: std::collections::BTreeSet<u64> = hashes.into_iter().collect();
        assert_eq!(distinct.len(), hashes.len());
    }
}
