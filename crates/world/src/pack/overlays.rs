//! Finds the overlays of a pack: folders that replace files of the pack in some versions of the
//! game.
//!
//! Since 1.20.2 `overlays.entries` of `pack.mcmeta` lists folders with the pack formats for which
//! they count. Since 1.21.9 a format has a minor number, and `min_format` and `max_format` replace
//! `formats`. We show a pack as the newest version of the game that it supports would. Source:
//! minecraft.wiki, "Pack.mcmeta" and "Pack format".

use serde::Deserialize;
use serde_json::Value;

use crate::pack::error::PackError;
use crate::pack::json::parse_json;

pub(crate) const META: &str = "pack.mcmeta";
/// The name of the list of overlays.
const WORD: &[u8] = b"overlays";
/// The largest `pack.mcmeta` that is read, in bytes.
pub(crate) const MAX_META: u64 = 1 << 20;
/// The most overlays of a pack that are used. Packs that support all versions have about 20.
const MAX_OVERLAYS: usize = 256;

/// Formats of resource packs and of data packs that no version up to 26.4 reaches. 26.2 has 88.0
/// and 107.1, and the first snapshot of 26.3 has 89.0 and 108.0. A pack that also has overlays for
/// versions far in the future shows the others.
const NEWEST_RESOURCES: PackFormat = PackFormat::all_of(99);
const NEWEST_DATA: PackFormat = PackFormat::all_of(119);

/// A pack format with its minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PackFormat {
    major: u64,
    minor: u64,
}

impl PackFormat {
    const fn first_of(major: u64) -> Self {
        Self { major, minor: 0 }
    }

    /// Returns the last format with this major number.
    const fn all_of(major: u64) -> Self {
        Self {
            major,
            minor: u64::MAX,
        }
    }

    /// Parses a number, `[major]` or `[major, minor]`. `alone` makes a format from a major number
    /// alone.
    fn parse(json: &Value, alone: fn(u64) -> Self) -> Option<Self> {
        let Some(list) = json.as_array() else {
            return json.as_u64().map(alone);
        };
        match list.iter().map(Value::as_u64).collect::<Option<Vec<_>>>()?[..] {
            [major] => Some(alone(major)),
            [major, minor] => Some(Self { major, minor }),
            _ => None,
        }
    }
}

/// The formats that a pack or an overlay supports, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FormatRange {
    first: PackFormat,
    last: PackFormat,
}

impl FormatRange {
    /// Parses a number, `[min, max]` or an object with `min_inclusive` and `max_inclusive`.
    fn parse(json: &Value) -> Option<Self> {
        let (first, last) = match json {
            Value::Array(list) => (list.first()?, list.get(1)?),
            Value::Object(ends) => (ends.get("min_inclusive")?, ends.get("max_inclusive")?),
            alone => (alone, alone),
        };
        Some(Self {
            first: PackFormat::first_of(first.as_u64()?),
            last: PackFormat::all_of(last.as_u64()?),
        })
    }

    /// Parses the fields of a pack or an overlay. Newer versions of the game ignore the older field
    /// if both are there.
    fn from_fields(fields: &Value, older: &str) -> Option<Self> {
        match (fields.get("min_format"), fields.get("max_format")) {
            (Some(first), Some(last)) => Some(Self {
                first: PackFormat::parse(first, PackFormat::first_of)?,
                last: PackFormat::parse(last, PackFormat::all_of)?,
            }),
            _ => fields.get(older).and_then(Self::parse),
        }
    }

    fn contains(&self, format: PackFormat) -> bool {
        self.first <= format && format <= self.last
    }

    /// Returns the newest format that is supported and at most `limit`.
    fn newest(&self, limit: PackFormat) -> Option<PackFormat> {
        (self.first <= limit).then(|| self.last.min(limit))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PackMeta {
    pack: Value,
    overlays: OverlayList,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OverlayList {
    entries: Vec<Value>,
}

/// An overlay of a pack.
#[derive(Debug)]
struct PackOverlay<'a> {
    folder: &'a str,
    formats: FormatRange,
}

impl<'a> PackOverlay<'a> {
    /// Parses an entry; `None`: the game refuses it.
    fn parse(entry: &'a Value) -> Option<Self> {
        let folder = entry.get("directory")?.as_str()?;

        // The game allows these letters only, so that no folder leads out of the pack.
        let is_allowed = !matches!(folder, "" | "." | "..")
            && folder.len() <= 256
            && folder
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        is_allowed.then_some(())?;

        Some(Self {
            folder,
            formats: FormatRange::from_fields(entry, "formats")?,
        })
    }
}

/// The folders of a pack with its resources and its data, the topmost first. Empty for a pack
/// without overlays.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Overlays {
    resources: Vec<String>,
    data: Vec<String>,
}

impl Overlays {
    /// Parses the bytes of `pack.mcmeta`, which `place` names. Also returns an error if the game
    /// refuses some of the entries.
    ///
    /// # Errors
    /// Fails if the file lists overlays, but is damaged.
    pub(super) fn parse(place: &str, bytes: &[u8]) -> Result<(Self, Option<PackError>), PackError> {
        // Mods often have a damaged file, which does not matter if it lists no overlays.
        if !bytes.windows(WORD.len()).any(|word| word == WORD) {
            return Ok((Self::default(), None));
        }

        let meta: PackMeta = parse_json(place, bytes)?;
        let (overlays, refused) = Self::from_meta(&meta);

        Ok((
            overlays,
            refused.map(|reason| PackError::new(place, reason)),
        ))
    }

    /// Keeps only the folders for which `is_wanted` returns true.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(&str) -> bool) {
        self.resources.retain(|folder| is_wanted(folder));
        self.data.retain(|folder| is_wanted(folder));
    }

    /// Returns the overlays that fit, and the reason why the game refuses other entries.
    fn from_meta(meta: &PackMeta) -> (Self, Option<String>) {
        let entries = &meta.overlays.entries;
        let overlays: Vec<PackOverlay<'_>> = entries
            .iter()
            .take(MAX_OVERLAYS)
            .filter_map(PackOverlay::parse)
            .collect();

        let refused = if entries.len() > MAX_OVERLAYS {
            Some(format!("it lists more than {MAX_OVERLAYS} overlays"))
        } else {
            (overlays.len() < entries.len())
                .then(|| "an overlay without a directory or without formats".to_owned())
        };

        let own = own_formats(&meta.pack);
        let [resources, data] =
            [NEWEST_RESOURCES, NEWEST_DATA].map(|newest| fitting(&overlays, own, newest));

        (Self { resources, data }, refused)
    }

    /// Returns the folders that may contain a file of the pack, as prefixes of its path, the
    /// topmost first.
    pub(super) fn roots(&self, file: &str) -> impl DoubleEndedIterator<Item = &str> {
        let folders = match file.split('/').next() {
            Some("assets") => &self.resources[..],
            Some("data") => &self.data[..],
            _ => &[],
        };
        folders.iter().map(String::as_str).chain([""])
    }
}

/// Returns the formats that a pack supports.
fn own_formats(pack: &Value) -> Option<FormatRange> {
    let ranges = [
        FormatRange::from_fields(pack, "supported_formats"),
        pack.get("pack_format").and_then(FormatRange::parse),
    ];
    ranges.into_iter().flatten().next()
}

/// Returns the folders of the overlays for the newest format that the pack or one of its overlays
/// supports. Later overlays are above earlier ones.
fn fitting(
    overlays: &[PackOverlay<'_>],
    own: Option<FormatRange>,
    limit: PackFormat,
) -> Vec<String> {
    let all = overlays.iter().map(|overlay| overlay.formats).chain(own);
    let Some(newest) = all.filter_map(|formats| formats.newest(limit)).max() else {
        return Vec::new();
    };
    let fitting = overlays
        .iter()
        .rev()
        .filter(|overlay| overlay.formats.contains(newest));
    fitting
        .map(|overlay| format!("{}/", overlay.folder))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlays(pack: &str, entries: &[&str]) -> (Overlays, Option<String>) {
        let meta = format!(
            r#"{{"pack": {{{pack}}}, "overlays": {{"entries": [{}]}}}}"#,
            entries.join(",")
        );
        Overlays::from_meta(&serde_json::from_str(&meta).unwrap())
    }

    /// Returns the overlays with which a pack shows its resources, the topmost first.
    fn resources(pack: &str, entries: &[&str]) -> Vec<String> {
        let (overlays, refused) = overlays(pack, entries);
        assert_eq!(refused, None);
        overlays.resources
    }

    const FORMAT_15: &str = r#""pack_format": 15"#;

    #[test]
    fn formats_have_all_forms_of_the_game() {
        for formats in [
            r#""formats": 34"#,
            r#""formats": [18, 34]"#,
            r#""formats": {"min_inclusive": 34, "max_inclusive": 34}"#,
            r#""min_format": 34, "max_format": 34"#,
            r#""min_format": [34], "max_format": [34, 0]"#,
            r#""min_format": [18, 3], "max_format": [34, 2147483647]"#,
            r#""min_format": 34, "max_format": 90, "formats": 12"#,
        ] {
            let entry = format!(r#"{{"directory": "new", {formats}}}"#);
            assert_eq!(resources(FORMAT_15, &[&entry]), ["new/"], "{formats}");
        }
    }

    #[test]
    fn the_newest_supported_format_chooses_overlays() {
        let old = r#"{"directory": "old", "formats": [16, 20]}"#;
        let long = r#"{"directory": "long", "formats": [18, 70]}"#;
        let minor = r#"{"directory": "minor", "min_format": [69, 1], "max_format": [70, 0]}"#;
        let open = r#"{"directory": "open", "formats": [42, 9999]}"#;
        let future = r#"{"directory": "future", "formats": [1000, 2000]}"#;
        let last_is_99 = r#"{"directory": "99", "formats": [18, 99]}"#;

        assert_eq!(
            resources(FORMAT_15, &[old, long, minor, future]),
            ["long/"],
            "70 is later than 70.0"
        );
        assert_eq!(
            resources(r#""min_format": 15, "max_format": [70, 0]"#, &[old, minor]),
            ["minor/"]
        );

        assert_eq!(
            resources(
                r#""supported_formats": [15, 80]"#,
                &[old, long, minor, future]
            ),
            [""; 0]
        );

        assert_eq!(resources(FORMAT_15, &[old, future, old]), ["old/", "old/"]);
        assert_eq!(
            resources(FORMAT_15, &[last_is_99, old, open]),
            ["open/", "99/"],
            "later ones are above"
        );

        let (both, _) = overlays(FORMAT_15, &[last_is_99, open]);
        assert_eq!(both.data, ["open/"], "data packs have higher numbers");

        let (data, _) = overlays(r#""supported_formats": [15, 99]"#, &[last_is_99]);
        assert_eq!(data.data, ["99/"]);
    }

    #[test]
    fn a_refused_overlay_leaves_the_others_alone() {
        let good = r#"{"directory": "good", "formats": 34}"#;
        for entry in [
            r#"{"formats": 34}"#,
            r#"{"directory": "new"}"#,
            r#"{"directory": "../new", "formats": 34}"#,
            r#"{"directory": "..", "formats": 34}"#,
            r#"{"directory": "a/b", "formats": 34}"#,
            r#"{"directory": "new", "formats": [-1, 34]}"#,
            r#"{"directory": "new", "min_format": 34}"#,
            "3",
        ] {
            let (overlays, refused) = overlays("", &[entry, good]);
            assert_eq!(overlays.resources, ["good/"], "{entry}");
            assert_eq!(
                refused.unwrap(),
                "an overlay without a directory or without formats"
            );
        }

        let (first, refused) = overlays("", &vec![good; MAX_OVERLAYS + 1]);
        assert_eq!(
            (first.resources.len(), &*refused.unwrap()),
            (256, "it lists more than 256 overlays")
        );
    }
}
