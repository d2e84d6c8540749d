//! Compares a file with new bytes piece by piece, because both may be too long to be held in
//! memory.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Write};

use crate::hash::hash_reader;
use crate::own_folder::Place;
use crate::retry::{ask_again, retryable};

/// Returns whether a file contains exactly the bytes that `write` writes. A file that can never be
/// read counts as different.
///
/// # Errors
/// The system does not answer now, but perhaps later.
pub fn is_same_stream(
    place: &Place,
    write: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<bool> {
    false_if_never(ask_again(|| {
        let mut there = ComparedFile(BufReader::new(place.open()?));
        write(&mut there)?;
        Ok(there.0.read(&mut [0])? == 0)
    }))
}

/// Returns whether the bytes of a file have this XXH3-64. A file that can never be read counts as
/// different.
///
/// # Errors
/// The system does not answer now, but perhaps later.
pub fn has_hash(place: &Place, hash: u64) -> io::Result<bool> {
    false_if_never(ask_again(|| {
        let (_, there) = hash_reader(&mut place.open()?)?;
        Ok(there == hash)
    }))
}

/// Returns `false` in place of an error that would occur again.
fn false_if_never(answer: io::Result<bool>) -> io::Result<bool> {
    match answer {
        Err(error) if !retryable(&error) => Ok(false),
        answer => answer,
    }
}

/// A sink that compares the bytes written to it with a file, and fails at the first difference.
struct ComparedFile(BufReader<File>);

impl Write for ComparedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut there = [0; 256];
        let len = bytes.len().min(there.len());
        self.0.read_exact(&mut there[..len])?;
        if there[..len] == bytes[..len] {
            Ok(len)
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_files_are_equal_to_the_last_byte() {
        let folder = tempfile::tempdir().unwrap();
        let own = crate::own_folder::OwnFolder::open(folder.path()).unwrap();

        let place = own.place("tiles.tsv").unwrap();
        let long = "0123456789".repeat(5_000);
        let texts = ["one", "two", "twofold", "", &long, &long[1..]];
        for there in texts {
            File::create(place.path())
                .unwrap()
                .write_all(there.as_bytes())
                .unwrap();

            for text in texts {
                let pieces = |out: &mut dyn Write| {
                    text.as_bytes()
                        .chunks(3)
                        .try_for_each(|piece| out.write_all(piece))
                };
                assert_eq!(is_same_stream(&place, pieces).unwrap(), there == text);
            }
        }

        assert!(!is_same_stream(&own.place("missing").unwrap(), |_| Ok(())).unwrap());
    }
}
