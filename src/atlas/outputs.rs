//! The outputs that pixelmap makes: each kind with the endings of its names.

use std::path::{Path, PathBuf};

use super::Format;

/// A kind of output, as its name shows it.
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
    /// A file with an ending of this kind, which pixelmap does not make.
    NotMade(&'static str),
}

/// The kinds of files with their endings.
const ENDINGS: [(&str, OutputKind); 3] = [
    ("png", OutputKind::Picture(Format::Png)),
    ("webp", OutputKind::Picture(Format::Webp)),
    ("pmtiles", OutputKind::Archive),
];

/// Endings of a kind that is made of finished maps alone.
const GEOTIFF_ENDINGS: [&str; 2] = ["tif", "tiff"];

/// Endings of files that people may expect, and that are not made.
const OTHER_ENDINGS: [&str; 17] = [
    "jpg", "jpeg", "gif", "bmp", "svg", "pdf", "zip", "tar", "gz", "mbtiles", "avif", "apng", "avi", "mkv", "mov",
    "mp4", "webm",
];

impl OutputKind {
    /// The kind of an output, by its name alone.
    pub fn from_name(output: &Path) -> Self {
        let ending = ending(output);
        let known = ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, kind)| *kind);
        let other = OTHER_ENDINGS.iter().find(|other| **other == ending).map(|other| Self::NotMade(other));
        let geotiff = GEOTIFF_ENDINGS.contains(&ending.as_str()).then_some(Self::GeoTiff);
        if is_address(output) { Self::Bucket } else { known.or(geotiff).or(other).unwrap_or(Self::Folder) }
    }

    /// The kind of an output, by its name, unless a folder is there.
    #[expect(clippy::disallowed_methods, reason = "whoever opens the place next reports why it cannot be read")]
    pub fn at(output: &Path) -> Self {
        if output.is_dir() { Self::Folder } else { Self::from_name(output) }
    }

    /// Returns whether it is one file.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::Picture(_) | Self::Archive | Self::GeoTiff)
    }

    /// The endings of names that are those of files.
    pub fn file_endings() -> impl Iterator<Item = &'static str> {
        ENDINGS.into_iter().map(|(ending, _)| ending).chain(GEOTIFF_ENDINGS).chain(OTHER_ENDINGS)
    }

    /// The endings of the files that are made, as people list them: `.png, .webp or .pmtiles`.
    pub fn endings() -> String {
        let [others @ .., last] = ENDINGS.map(|(ending, _)| format!(".{ending}"));
        format!("{} or {last}", others.join(", "))
    }
}

/// The page that shows an archive, beside it.
pub fn archive_page(archive: &Path) -> PathBuf {
    archive.with_extension("html")
}

/// The ending of a name in small letters; empty: it has none.
pub fn ending(output: &Path) -> String {
    output.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Returns whether an output is an address (`s3://...`) and no path. One letter before the colon is a drive.
fn is_address(output: &Path) -> bool {
    let scheme = output.to_str().and_then(|output| output.split_once("://")).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()))
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
        for folder in ["map", "map.old", "1.20", "-", ".png", "c:\\map", "c://map", ""] {
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
