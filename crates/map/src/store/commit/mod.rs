//! The changes at the end of a run: one redo list turns the old map into the new one, and change
//! lists report the difference to other programs.

pub(crate) mod change_list;
pub(crate) mod file_changes;
pub(crate) mod forget;
