//! Reading and writing at a place of a file, whatever its cursor: so that workers share it. A signal that comes in
//! between is no error.

use std::fs::File;
use std::io;

/// A file read from its start, or from another place on, whatever its cursor.
#[derive(Debug)]
pub struct AtStart<'a> {
    /// The file that is read.
    pub file: &'a File,
    /// The place of the next byte.
    pub at: u64,
}

impl io::Read for AtStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Fills the buffer.
///
/// # Errors
/// It cannot be read, or ends before ([`io::ErrorKind::UnexpectedEof`]).
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

/// Writes all bytes.
///
/// # Errors
/// They cannot be written.
pub fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() {
        match write_at(file, &bytes[written..], at + written as u64)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            more => written += more,
        }
    }
    Ok(())
}

/// Reads what there is, which may be less than the buffer holds; 0 at the end.
///
/// # Errors
/// It cannot be read.
pub fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    uninterrupted(|| system::read_at(file, buffer, at))
}

fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    uninterrupted(|| system::write_at(file, bytes, at))
}

fn uninterrupted(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt as _;

    pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        file.read_at(buffer, at)
    }

    pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
        file.write_at(bytes, at)
    }
}

#[cfg(windows)]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt as _;

    pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        file.seek_read(buffer, at)
    }

    pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
        file.seek_write(bytes, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_in_between_is_no_error() {
        let mut answers = vec![Ok(3), Err(io::ErrorKind::Interrupted.into()), Err(io::ErrorKind::Interrupted.into())];
        assert_eq!(uninterrupted(|| answers.pop().unwrap()).unwrap(), 3);
        assert!(uninterrupted(|| Err(io::ErrorKind::PermissionDenied.into())).is_err());
    }

    #[test]
    fn bytes_are_read_where_they_were_written() {
        let file = tempfile::tempfile().unwrap();
        write_all_at(&file, b"place", 70_000).unwrap();
        let mut there = [1; 7];
        read_exact_at(&file, &mut there, 69_998).unwrap();
        assert_eq!(&there, b"\0\0place");
        let short = read_exact_at(&file, &mut there, 69_999).unwrap_err();
        assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
        let mut rest = Vec::new();
        io::Read::read_to_end(&mut AtStart { file: &file, at: 70_002 }, &mut rest).unwrap();
        assert_eq!(rest, b"ace");
    }
}
