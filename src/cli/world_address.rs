//! Recognizes the address of a world in the place of a path.

use std::path::Path;

use pixelmap_base::address::AddressParts;
use pixelmap_map::atlas::OutputKind;

/// Returns whether a path is an address, such as `s3://bucket/world`.
pub(crate) fn is_address(path: &Path) -> bool {
    OutputKind::from_name(path) == OutputKind::Bucket
}

/// Returns a path as text for messages and reports. The name of a user, a password and a query are
/// left out of an address, because they may be secrets.
pub(crate) fn shown_address(path: &Path) -> String {
    let text = path.display().to_string();
    if !is_address(path) {
        return text;
    }
    AddressParts::parse(&text).map_or_else(|| text.clone(), |parts| parts.without_secrets())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_addresses_are_not_shown() {
        for (path, shown) in [
            ("https://me:pw@h:1/w.zip?sig=a/b#c", "https://h:1/w.zip"),
            ("s3://key:pw@bucket/a/w/", "s3://bucket/a/w"),
            ("worlds/a?b", "worlds/a?b"),
            ("http://h?x", "http://h"),
        ] {
            assert_eq!(shown_address(Path::new(path)), shown, "{path}");
        }
    }
}
