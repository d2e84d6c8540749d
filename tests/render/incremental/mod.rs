//! Tests runs into a folder with an earlier map: redrawn and unchanged regions, and unreadable
//! files.

mod earlier_map;
#[cfg(unix)]
pub(crate) mod nightly;
#[cfg(unix)]
mod unread;
