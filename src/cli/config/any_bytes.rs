//! The promise for configuration files with any bytes, for the test below and for the search in
//! `fuzz/`, which compiles this module again.
#![allow(clippy::unwrap_used, reason = "a broken promise panics")]

use std::ffi::OsString;
use std::io::Write as _;

use super::maps;
use super::precedence::parse_render;

/// A configuration becomes maps, or is refused with one line that begins with its path. Both are
/// the same each time.
pub(crate) fn configuration(bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let path = file.path().to_str().unwrap();
    let argv = ["pixelmap", "render", "--config", path].map(OsString::from);
    let read = || maps(&parse_render(&argv).unwrap(), &argv).map_err(|error| error.message);

    match read() {
        Ok(maps) => {
            assert!(
                maps.iter()
                    .flatten()
                    .flatten()
                    .all(|map| map.args.world.is_some())
            );
            assert_eq!(format!("{maps:?}"), format!("{:?}", read().unwrap()));
        }
        Err(error) => assert!(
            error.starts_with(path) && !error.contains('\n'),
            "{error:?}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, Strategy as _, any};
    use proptest::sample::select;

    use super::*;

    /// Parts of configurations, whole and broken.
    const PARTS: [&str; 12] = [
        "world = \"w\"\n",
        "[[map]]\nname = \"a\"\n",
        "[[map]]\n",
        "layer = [\"day\", \"night\"]\n",
        "hide = '1,2,3,4'\n",
        "area = \"all\"\n",
        "threads = ",
        "1e400\n",
        "\"\"\"a\\q\n",
        "{ a = [[[",
        "output = '--force'\n",
        "\u{feff}#\r",
    ];

    proptest::proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_configuration_is_read_or_refused(
            parts in proptest::collection::vec(select(&PARTS[..]).prop_map(str::as_bytes), 0..6),
            noise in proptest::collection::vec(any::<u8>(), 0..9),
        ) {
            configuration(&parts.concat());
            configuration(&[parts.concat(), noise].concat());
        }
    }
}
