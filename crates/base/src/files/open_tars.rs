//! Finds a tar again that is open in this process, because opening it reads all of it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::SystemTime;

use super::archive::Archive;
use crate::mutex;

/// The tars that are open. An entry does not keep its tar open.
static OPEN: Mutex<Vec<OpenTar>> = Mutex::new(Vec::new());

struct OpenTar {
    state: FileState,
    archive: Weak<Archive>,
}

/// The facts by which a file is recognised that has not changed since it was opened.
#[derive(PartialEq, Eq)]
struct FileState {
    path: PathBuf,
    len: u64,
    modified: Option<SystemTime>,
}

/// Opens a tar, or shares it if it is open and unchanged.
pub(super) fn open(path: &Path, is_needed: fn(&str) -> bool) -> io::Result<Arc<Archive>> {
    let facts = path.metadata()?;
    let state = FileState {
        path: path.to_owned(),
        len: facts.len(),
        modified: facts.modified().ok(),
    };

    // The lock is held while the tar is read, so that two threads do not unpack it twice.
    let mut open = mutex::lock(&OPEN);
    open.retain(|tar| tar.archive.strong_count() > 0);
    let found = open.iter().find(|tar| tar.state == state);
    if let Some(archive) = found.and_then(|tar| tar.archive.upgrade()) {
        return Ok(archive);
    }

    let archive = Arc::new(Archive::open_tar(path, is_needed)?);
    open.push(OpenTar {
        state,
        archive: Arc::downgrade(&archive),
    });
    Ok(archive)
}
