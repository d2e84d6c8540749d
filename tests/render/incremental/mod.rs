//! Promises of a run on a folder that holds a map already: what is drawn again, what stays, and what cannot be read.

mod earlier_map;
#[cfg(unix)]
pub(crate) mod nightly;
#[cfg(unix)]
mod unread;
