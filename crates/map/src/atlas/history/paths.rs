//! Defines the paths of the history in a map's folder.

use pixelmap_base::hash::parse_hash;

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
