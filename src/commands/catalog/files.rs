//! The names of the files that a catalog has for each world.

use std::path::{Component, Path};

use twox_hash::XxHash3_64;

pub(super) const PICTURES: &str = "pictures";
pub(super) const MAPS: &str = "maps";
/// The most letters of a world's name in the name of a file.
const MAX_LETTERS: usize = 40;

/// Returns a path below a folder, with `/` between names. The folder itself is `.`.
pub(super) fn relative(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let names = below.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        ".".to_owned()
    } else {
        names.join("/")
    }
}

/// Returns the name of a world's files: the last name of its path in plain letters, and a hash of
/// the path, because worlds in different folders may have the same name.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || letter == '-' {
                letter
            } else {
                '_'
            }
        })
        .take(MAX_LETTERS)
        .collect();
    format!("{plain}-{:08x}", XxHash3_64::oneshot(path.as_bytes()) >> 32)
}

/// Returns the path of a world's picture in the catalog.
pub(super) fn picture(path: &str) -> String {
    format!("{PICTURES}/{}.png", stem(path))
}

/// Returns the folder of a world's map in the catalog.
pub(super) fn map(path: &str) -> String {
    format!("{MAPS}/{}", stem(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_equal_names_are_told_apart() {
        assert_eq!(
            relative(Path::new("a"), Path::new("a/b/w.zip/c")),
            "b/w.zip/c"
        );
        assert_eq!(relative(Path::new("a/"), Path::new("a")), ".");

        let (one, other) = (picture("one/§a World"), picture("other/§a World"));
        assert!(one.starts_with("pictures/_a_World-"), "{one}");
        assert_ne!(one, other);
    }
}
