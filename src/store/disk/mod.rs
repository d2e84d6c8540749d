//! Files on the disk: written under a temporary name, renamed into place, synced and removed.

pub(crate) mod atomic;
pub(crate) mod own_folder;
pub(crate) mod partial_file;
pub(crate) mod scratch;
pub(crate) mod stream;
pub(crate) mod sync;
