//! What a command writes: to standard output, and into files that the user names.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use pixelmap::base::disk::is_file;
use pixelmap::store::{self, PublishError};

use super::Ending;

/// Writes to standard output. Returns whether all was taken: a reader that has gone away ends the output quietly.
pub(crate) fn print(bytes: &[u8]) -> Result<bool, Ending> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Ending::not_written(Path::new("standard output"), &error)),
        Ok(()) => Ok(true),
    }
}

/// Writes a file that the user named, whole or not at all; `-` is standard output. Returns as [`print`].
pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<bool, Ending> {
    if path == Path::new("-") {
        return print(bytes);
    }
    if is_stream(path) {
        return write_in_place(path, bytes).map(|()| true).map_err(|error| Ending::not_written(path, &error));
    }
    match store::put_beside(path, bytes) {
        // The folder may be of another user, who made the file for this run.
        Err(PublishError::Io(_, error))
            if error.kind() == io::ErrorKind::PermissionDenied && is_file(path).unwrap_or(false) =>
        {
            write_in_place(path, bytes).map_err(|_| Ending::not_written(path, &error))?;
        }
        put => put?,
    }
    Ok(true)
}

fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    File::options().write(true).truncate(true).open(path)?.write_all(bytes)
}

/// Empties a file, if there is one. Standard output and pipes hold nothing of an earlier run.
pub(crate) fn empty_file(path: &Path) -> Result<(), Ending> {
    let is_there = is_file(path).map_err(|error| Ending::not_written(path, &error))?;
    if is_there { put(path, b"").map(drop) } else { Ok(()) }
}

/// Returns whether bytes must be written to what is there, and no file may take its place: a pipe, a device, or a name
/// for an open file such as `/dev/stdout`.
fn is_stream(path: &Path) -> bool {
    let is_open_file = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|name| path.starts_with(name));
    is_open_file || path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Writes the lists of paths that the user asked for, one path per line. Returns whether all of both was taken.
pub(crate) fn put_lists(lists: [(&Option<PathBuf>, &[String]); 2]) -> Result<bool, Ending> {
    let mut is_taken = true;
    for (path, list) in lists {
        if let Some(path) = path {
            let text: String = list.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
            is_taken &= put(path, text.as_bytes())?;
        }
    }
    Ok(is_taken)
}
