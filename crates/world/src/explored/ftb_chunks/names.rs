//! Reads the lists of names in the folder of a server.

use std::collections::BTreeMap;
use std::path::Path;

use pixelmap_base::files::Files;

/// The most bytes of a list. A list of a large modpack has less than 1 MB.
const MAX_LIST: u64 = 16 << 20;

/// Names by the numbers that pixels have.
pub(super) type NumberedNames = BTreeMap<u32, String>;

/// Reads a list with lines of `#NUMBER name`. A list that is absent is empty.
pub(super) fn read_list(files: &Files, server: &Path, name: &str) -> NumberedNames {
    let lines = text(files, &server.join(name));
    let named = lines.lines().filter_map(|line| {
        let (number, name) = line.trim().strip_prefix('#')?.split_once(' ')?;
        Some((u32::from_str_radix(number, 16).ok()?, name.to_owned()))
    });
    named.collect()
}

/// Returns the id of the dimension in a folder. The name of the folder is the id with `_` in the
/// place of the colon, so the server's list of dimensions is needed if the id has that letter.
pub(super) fn dimension_of_folder(files: &Files, server: &Path, folder: &str) -> String {
    let listed = text(files, &server.join("dimensions.txt"));
    let mut ids = listed.lines().map(str::trim);
    let known = ids.find(|id| id.replace([':', '/'], "_") == folder);
    known.map_or_else(|| folder.replacen('_', ":", 1), str::to_owned)
}

fn text(files: &Files, path: &Path) -> String {
    let bytes = files.read(path, MAX_LIST).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
