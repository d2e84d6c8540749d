//! Reads at a given position of a file, independent of its cursor, so that workers can share the
//! file. A read that a signal interrupts is repeated instead of failing.

use std::fs::File;
use std::io;

/// Fills the buffer with the bytes from position `at` on.
///
/// # Errors
/// Fails if the file cannot be read, or if it ends too early ([`io::ErrorKind::UnexpectedEof`]).
pub fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    let mut read = 0;
    while read < buffer.len() {
        match read_at(file, &mut buffer[read..], at + read as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => read += more,
        }
    }
    Ok(())
}

/// Reads bytes from position `at` on, up to the buffer's length. Returns the number of bytes, which
/// is 0 at the end of the file.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    retry_interrupted(|| {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, buffer, at);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, at);
        read
    })
}

fn retry_interrupted(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;

    #[test]
    fn a_signal_between_reads_is_ignored() {
        let mut answers = vec![
            Ok(3),
            Err(io::ErrorKind::Interrupted.into()),
            Err(io::ErrorKind::Interrupted.into()),
        ];
        assert_eq!(retry_interrupted(|| answers.pop().unwrap()).unwrap(), 3);
        assert!(retry_interrupted(|| Err(io::ErrorKind::PermissionDenied.into())).is_err());
    }

    #[test]
    fn bytes_are_read_at_their_position() {
        let file = tempfile::tempfile().unwrap();
        (&file).seek(io::SeekFrom::Start(70_000)).unwrap();
        (&file).write_all(b"place").unwrap();
        let mut there = [1; 7];
        read_exact_at(&file, &mut there, 69_998).unwrap();
        assert_eq!(&there, b"\0\0place");
        let short = read_exact_at(&file, &mut there, 69_999).unwrap_err();
        assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
    }
}
