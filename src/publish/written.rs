//! Files of an output folder that are written and read piece by piece, since they may be too long to be held in memory.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write};
use std::path::Path;

use super::moved::appear;
use super::output::{if_there, open_file};
use super::{ManifestLines, Output, PublishError, Put, Scheme};

impl Output {
    /// As [`Output::put`], of what `write` writes: the same each time it is called, which may be twice.
    ///
    /// # Errors
    /// As [`Output::put`].
    pub fn put_written(
        &self,
        relative: &str,
        write: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Put, PublishError> {
        let path = self.place(relative)?;
        if is_same(&path, &write) {
            return Ok(Put::Unchanged);
        }
        self.note(relative)?;
        let write = || {
            let mut file = BufWriter::new(self.temporary_file()?);
            write(&mut file)?;
            appear(file.into_inner().map_err(io::IntoInnerError::into_error)?, &path)
        };
        write().map(|()| Put::Written).map_err(PublishError::io(&path))
    }

    /// The manifest at this place; `None`: there is none.
    ///
    /// # Errors
    /// The path leads out of the folder, or the manifest cannot be opened.
    pub fn manifest(&self, relative: &str, scheme: Scheme) -> Result<Option<ManifestLines>, PublishError> {
        Ok(self.open_file(relative)?.map(|file| ManifestLines::new(file, scheme)))
    }

    /// Opens a published file, to be read piece by piece; `None`: it is not there.
    ///
    /// # Errors
    /// The path leads out of the folder, or the file cannot be opened.
    pub(super) fn open_file(&self, relative: &str) -> Result<Option<File>, PublishError> {
        let path = self.place(relative)?;
        if_there(open_file(&path)).map_err(PublishError::io(&path))
    }
}

/// Calls `line` with each whole line of a file of text, without its end; those of more bytes than `max` are left out.
///
/// # Errors
/// It cannot be read to its end.
pub(super) fn each_line(file: File, max: u64, mut line: impl FnMut(&str)) -> io::Result<()> {
    let (mut lines, mut bytes, mut is_start) = (BufReader::new(file), Vec::new(), true);
    while lines.by_ref().take(max).read_until(b'\n', &mut bytes)? > 0 {
        let whole = bytes.strip_suffix(b"\n");
        if let Some(text) = whole.filter(|_| is_start).and_then(|text| std::str::from_utf8(text).ok()) {
            line(text);
        }
        is_start = whole.is_some();
        bytes.clear();
    }
    Ok(())
}

/// Whether a file holds just what `write` writes.
fn is_same(path: &Path, write: impl Fn(&mut dyn Write) -> io::Result<()>) -> bool {
    let Ok(file) = open_file(path) else { return false };
    let mut there = Compared(BufReader::new(file));
    write(&mut there).is_ok() && there.0.read(&mut [0]).is_ok_and(|more| more == 0)
}

/// Takes only what a file holds, and fails at the first byte that is another one.
struct Compared(BufReader<File>);

impl Write for Compared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut there = [0; 256];
        let len = bytes.len().min(there.len());
        self.0.read_exact(&mut there[..len])?;
        if there[..len] == bytes[..len] { Ok(len) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::Identity;

    #[test]
    fn what_is_there_already_is_left_and_all_else_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.path().join("world") };
        let output = Output::open(&folder.path().join("map"), &world, &[]).unwrap();
        let put = |text: &str| {
            let pieces = |out: &mut dyn Write| text.as_bytes().chunks(3).try_for_each(|piece| out.write_all(piece));
            let put = output.put_written("a/b.tsv", pieces).unwrap();
            assert_eq!(output.read("a/b.tsv").unwrap(), text.as_bytes());
            put
        };
        let long = "0123456789".repeat(5_000);
        for text in ["one", "two", "twofold", "two", "", &long, &long[1..]] {
            assert_eq!((put(text), put(text)), (Put::Written, Put::Unchanged));
        }
        let refused = |out: &mut dyn Write| out.write_all(b"half").and(Err(io::ErrorKind::StorageFull.into()));
        assert!(output.put_written("a/b.tsv", refused).is_err_and(|error| error.retryable()));
        assert_eq!(output.read("a/b.tsv").unwrap(), &long.as_bytes()[1..]);
        assert!(output.put_written("../b.tsv", |_| Ok(())).is_err());
    }
}
