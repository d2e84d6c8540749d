//! The end of a run: one redo list that turns the old map into the new one, and the change lists for other programs.

pub(crate) mod change_list;
pub(crate) mod file_changes;
pub(crate) mod forget;
pub(crate) mod redo;
