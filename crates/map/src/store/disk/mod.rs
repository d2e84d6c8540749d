//! Writes files to the disk under temporary names, renames them into place, syncs and removes them,
//! one by one or by a redo list. The rest of the store decides which files these are.

pub(crate) mod atomic;
pub(crate) mod new_file;
pub(crate) mod redo;
pub(crate) mod scratch;
pub(crate) mod sync;
