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

use crate::base::hash::parse_hash;

mod keep;
mod moment;
mod objects;
mod past;
mod view;

pub use keep::{KeepCount, KeepRules};
pub(super) use moment::split_moment;
pub use moment::{Moment, MomentChanges, Moments, time_text};
pub use objects::{history_lists, is_kept_file, kept_files};
pub use past::{FileRecord, Past, PastKey, PastPlace, Version};
pub(super) use view::{FileThen, MomentView};

/// The folder of the history in a map's folder.
pub const HISTORY: &str = "history";

/// The folder in `history` for files named by their hash, in subfolders named by the first two hex
/// digits.
pub const OBJECTS: &str = "objects";

/// Returns the path in a map of the earlier version with this XXH3-64. It gets the ending of
/// `path`.
pub fn object_path(hash: u64, path: &str) -> String {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let text = format!("{hash:016x}");
    format!("{HISTORY}/{OBJECTS}/{}/{text}.{ending}", &text[..2])
}

/// Parses the hash in the name of an object; `None` if the name is not one of an object.
pub fn object_hash(name: &str) -> Option<u64> {
    parse_hash(name.split_once('.')?.0)
}

#[cfg(test)]
mod tests;
