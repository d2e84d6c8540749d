//! The journal contains one record per finished tile or region. Later runs, merges and checks read
//! it, so that unchanged regions need not be drawn again.

mod blocks;
pub(crate) mod compact;
pub(crate) mod entry;
pub(crate) mod journal_file;
