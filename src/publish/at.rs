//! Reading and writing at a place of a file, whatever its cursor: so that workers share it.

use std::fs::File;
use std::io;

/// A file read from its start, whatever its cursor.
pub(super) struct AtStart<'a> {
    pub(super) file: &'a File,
    pub(super) at: u64,
}

impl io::Read for AtStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    let mut read = 0;
    while read < buffer.len() {
        match read_at(file, &mut buffer[read..], at + read as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => read += more,
        }
    }
    Ok(())
}

pub(super) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() {
        written += write_at(file, &bytes[written..], at + written as u64)?;
    }
    Ok(())
}

#[cfg(unix)]
use std::os::unix::fs::FileExt;
#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(buffer, at)
}
#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.write_at(bytes, at)
}

#[cfg(windows)]
use std::os::windows::fs::FileExt;
#[cfg(windows)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(buffer, at)
}
#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.seek_write(bytes, at)
}
