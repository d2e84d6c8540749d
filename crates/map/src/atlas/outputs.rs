//! The kinds of output that pixelmap makes, recognised by the ending of the output's name.

use std::path::{Path, PathBuf};

use super::naming::Format;

/// A kind of output, as recognised by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    Picture(Format),
    /// One layer of a map in one file.
    Archive,
    /// One layer of a map as a GeoTIFF.
    GeoTiff,
    /// A folder: a map, or one picture per region.
    Folder,
    /// A place in an object store.
    Bucket,
    /// A file with an ending that people may expect but pixelmap does not make.
    NotMade(&'static str),
}

/// The endings of files that `render` makes, with their kinds.
const ENDINGS: [(&str, OutputKind); 3] = [
    ("png", OutputKind::Picture(Format::Png)),
    ("webp", OutputKind::Picture(Format::Webp)),
    ("pmtiles", OutputKind::Archive),
];

/// The endings of GeoTIFF files, which are only made from finished maps.
const GEOTIFF_ENDINGS: [&str; 2] = ["tif", "tiff"];

/// Endings of files that people may expect but pixelmap does not make.
const OTHER_ENDINGS: [&str; 17] = [
    "jpg", "jpeg", "gif", "bmp", "svg", "pdf", "zip", "tar", "gz", "mbtiles", "avif", "apng",
    "avi", "mkv", "mov", "mp4", "webm",
];

impl OutputKind {
    /// Returns the kind of an output, judged only by its name.
    pub fn from_name(output: &Path) -> Self {
        let ending = ending(output);
        let known = ENDINGS
            .iter()
            .find(|(known, _)| *known == ending)
            .map(|(_, kind)| *kind);
        let other = OTHER_ENDINGS
            .iter()
            .find(|other| **other == ending)
            .map(|other| Self::NotMade(other));

        let geotiff = GEOTIFF_ENDINGS
            .contains(&ending.as_str())
            .then_some(Self::GeoTiff);
        if is_address(output) {
            Self::Bucket
        } else {
            known.or(geotiff).or(other).unwrap_or(Self::Folder)
        }
    }

    /// Returns the kind of an output by its name, or `Folder` if a folder already exists there.
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever opens the place next reports why it cannot be read"
    )]
    pub fn at(output: &Path) -> Self {
        if output.is_dir() {
            Self::Folder
        } else {
            Self::from_name(output)
        }
    }

    /// Returns whether it is a single file.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::Picture(_) | Self::Archive | Self::GeoTiff)
    }

    /// Returns all endings that mark a name as a file rather than a folder, including files that
    /// are not made.
    pub fn file_endings() -> impl Iterator<Item = &'static str> {
        ENDINGS
            .into_iter()
            .map(|(ending, _)| ending)
            .chain(GEOTIFF_ENDINGS)
            .chain(OTHER_ENDINGS)
    }

    /// Returns the endings of `render`'s files as a phrase: `.png, .webp or .pmtiles`.
    pub fn endings() -> String {
        let [others @ .., last] = ENDINGS.map(|(ending, _)| format!(".{ending}"));
        format!("{} or {last}", others.join(", "))
    }
}

/// Returns the path of the page that shows an archive. It is in the same folder as the archive.
pub fn archive_page(archive: &Path) -> PathBuf {
    archive.with_extension("html")
}

/// Returns the ending of a name in lower case; empty for a name without one.
pub fn ending(output: &Path) -> String {
    output
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase()
}

/// Returns whether an output is an address (`s3://...`) rather than a path. A single letter before
/// the colon is a drive.
fn is_address(output: &Path) -> bool {
    let scheme = output
        .to_str()
        .and_then(|output| output.split_once("://"))
        .map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_output_follows_from_its_name() {
        let kind = |name: &str| OutputKind::from_name(Path::new(name));
        assert_eq!(kind("a/b.PNG"), OutputKind::Picture(Format::Png));
        assert_eq!(kind("b.webp"), OutputKind::Picture(Format::Webp));
        assert_eq!(kind("b.PMTiles"), OutputKind::Archive);
        assert_eq!([kind("b.tif"), kind("b.TIFF")], [OutputKind::GeoTiff; 2]);
        assert_eq!(kind("b.zip"), OutputKind::NotMade("zip"));

        for folder in [
            "map", "map.old", "1.20", "-", ".png", "c:\\map", "c://map", "",
        ] {
            assert_eq!(kind(folder), OutputKind::Folder, "{folder}");
        }

        for address in ["s3://bucket/a.png", "az://b", "x1://"] {
            assert_eq!(kind(address), OutputKind::Bucket, "{address}");
        }

        assert_eq!(OutputKind::endings(), ".png, .webp or .pmtiles");

        let folder = tempfile::tempdir().unwrap();
        let picture = folder.path().join("a.png");
        assert_eq!(OutputKind::at(&picture), OutputKind::Picture(Format::Png));
        std::fs::create_dir(&picture).unwrap();
        assert_eq!(OutputKind::at(&picture), OutputKind::Folder);
    }
}
