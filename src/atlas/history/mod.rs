//! The past of a map: its moments, and the files that were otherwise before each of them.
//!
//! A map with history has a folder `history`. [`Moments`] lists the moments. The newest map lies in its places as in any
//! other map; what a moment replaced or removed lies under the hash of its bytes ([`object_path`]), and [`Past`] says
//! of which tile or file it is, and until which moment it was shown. So the state of a map at a moment is the newest
//! one, but for each tile and file of which an earlier version was shown until a later moment: the first such version.

use crate::base::hash::parse_hash;

mod keep;
mod moment;
mod objects;
mod past;
mod view;

pub use keep::{KeepCount, KeepRules};
pub(super) use moment::split_moment;
pub use moment::{MapMoment, Moment, MomentError, Moments, time_text};
pub use objects::{history_lists, is_kept_file, kept_files};
pub use past::{FileRecord, Past, PastKey, PastPlace};
pub(super) use view::{FileThen, MomentView};

/// The folder of the past in a map's folder.
pub const HISTORY: &str = "history";

/// The folder in it of what is kept by its hash, in a folder for each first two digits.
pub const OBJECTS: &str = "objects";

/// The path in a map of the bytes with this XXH3-64, of a file with the ending of `path`.
pub fn object_path(hash: u64, path: &str) -> String {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let text = format!("{hash:016x}");
    format!("{HISTORY}/{OBJECTS}/{}/{text}.{ending}", &text[..2])
}

/// The hash in the name of an object.
pub fn object_hash(name: &str) -> Option<u64> {
    parse_hash(name.split_once('.')?.0)
}

#[cfg(test)]
mod tests;
