//! The journal: one record per finished tile or region, which later runs, merges and checks read.

pub(crate) mod compact;
pub(crate) mod entry;
pub(crate) mod journal_file;
