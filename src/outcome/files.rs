//! Writes the results of commands to standard output and to files that the user names.
//!
//! A file is written whole or not at all, except where it cannot be replaced, such as a pipe.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use pixelmap_base::disk::is_file;
use pixelmap_map::store::{self, PublishError};

use super::ending::Ending;

/// Writes to standard output. Returns false if the reader has closed its end, which is not an
/// error: the output just ends.
pub(crate) fn print(bytes: &[u8]) -> Result<bool, Ending> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Ending::not_written(Path::new("standard output"), &error)),
        Ok(()) => Ok(true),
    }
}

/// Writes a file that the user named, whole or not at all; `-` is standard output. Returns the same
/// as [`print()`].
pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<bool, Ending> {
    if path == Path::new("-") {
        return print(bytes);
    }

    if is_stream(path) {
        return write_in_place(path, bytes)
            .map(|()| true)
            .map_err(|error| Ending::not_written(path, &error));
    }

    match store::put_file(path, bytes) {
        // The folder may belong to another user, who has created the file so that this run can
        // write it.
        Err(PublishError::Io(_, error))
            if error.kind() == io::ErrorKind::PermissionDenied
                && is_file(path).unwrap_or(false) =>
        {
            write_in_place(path, bytes).map_err(|_| Ending::not_written(path, &error))?;
        }
        put => put?,
    }

    Ok(true)
}

fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    File::options()
        .write(true)
        .truncate(true)
        .open(path)?
        .write_all(bytes)
}

/// Empties a file if it exists. Standard output and pipes need no emptying, because they keep
/// nothing of an earlier run.
pub(crate) fn empty_file(path: &Path) -> Result<(), Ending> {
    let is_there = is_file(path).map_err(|error| Ending::not_written(path, &error))?;
    if is_there {
        put(path, b"").map(drop)
    } else {
        Ok(())
    }
}

/// Returns whether a path must be written in place, because no new file may replace it: a pipe, a
/// device, or a name of an open file such as `/dev/stdout`.
fn is_stream(path: &Path) -> bool {
    let is_open_file = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"]
        .iter()
        .any(|name| path.starts_with(name));
    is_open_file
        || path
            .metadata()
            .is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Writes the requested lists of paths, one path per line. Returns whether the readers took both
/// lists completely.
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
