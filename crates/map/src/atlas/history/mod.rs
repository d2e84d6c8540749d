//! The history of a map: its moments, and the earlier versions of its tiles and files.
//!
//! A map with history has a folder `history`. [`Moments`] lists the moments. The newest version of
//! each file has the same path as in a map without history. When a moment replaces or removes a
//! file, the earlier version is moved to a path made from its hash ([`object_path`]), and [`Past`]
//! records which tile or file it was and the moment until which it was shown. To show a map at a
//! moment, we start from the newest state and replace each tile and file by its first version that
//! was shown until a later moment, if it has one.
//!
//! This module defines and reads these files; the room `store` writes them.

mod keep;
mod moment;
mod objects;
mod past;
mod paths;
mod view;

pub use keep::{KeepCount, KeepRules};
pub(crate) use moment::split_moment;
pub use moment::{Moment, MomentChanges, Moments, time_text};
pub use objects::{history_lists, is_kept_file, kept_files};
pub use past::{FileRecord, Past, PastKey, PastPlace, Version};
pub use paths::{HISTORY, OBJECTS, object_hash, object_path};
pub(crate) use view::{FileThen, MomentView};

#[cfg(test)]
mod tests;
