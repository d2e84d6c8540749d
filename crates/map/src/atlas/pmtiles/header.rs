//! The header of an archive, its first 127 bytes: the positions of the sections, the numbers of
//! tiles, and the shown area in degrees.
//!
//! Readers of archives expect the earth: a square in Web Mercator that zoom level 0 shows in one
//! tile. Tile (17, x, y) of a map is tile (17, x + 65,536, y + 65,536) of that square, so the
//! origin is at 0° 0', and the whole possible world, 67,108,864 blocks wide, covers the whole
//! earth.

use crate::atlas::degrees::{latitude, longitude};
use crate::atlas::naming::Format;
use pixelmap_base::coord::Area;

pub(super) const HEADER_BYTES: usize = 127;
/// The first bytes of an archive: the name and the version of the format.
pub(super) const MAGIC: &[u8] = b"PMTiles\x03";
const GZIP: u8 = 2;
const UNCOMPRESSED: u8 = 1;
/// The position of two bytes in the header: the compression of the directories and the compression
/// of the tiles.
const COMPRESSIONS: std::ops::Range<usize> = 97..99;
/// Degrees are written as whole numbers of 1 / 10,000,000 degree.
const DEGREE_PARTS: f64 = 1e7;

/// A part of the file, in bytes from its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ArchiveSection {
    pub(super) at: u64,
    pub(super) len: u64,
}

impl ArchiveSection {
    /// Returns a section of this length that begins where this one ends.
    const fn followed_by(self, len: u64) -> Self {
        Self {
            at: self.at + self.len,
            len,
        }
    }
}

/// The sections after the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArchiveSections {
    pub(super) root: ArchiveSection,
    pub(super) metadata: ArchiveSection,
    pub(super) leaves: ArchiveSection,
    pub(super) data: ArchiveSection,
}

impl ArchiveSections {
    /// Returns sections of these lengths, one after the other behind the header.
    pub(crate) fn in_a_row(root: u64, metadata: u64, leaves: u64, data: u64) -> Self {
        let root = ArchiveSection {
            at: HEADER_BYTES as u64,
            len: root,
        };
        let metadata = root.followed_by(metadata);
        let leaves = metadata.followed_by(leaves);
        Self {
            root,
            metadata,
            leaves,
            data: leaves.followed_by(data),
        }
    }

    /// Parses a header. Returns `None` if pixelmap did not write it.
    pub(super) fn parse(header: &[u8; HEADER_BYTES]) -> Option<Self> {
        if !header.starts_with(MAGIC) || header[COMPRESSIONS] != [GZIP, UNCOMPRESSED] {
            return None;
        }

        let (numbers, _) = header[MAGIC.len()..].as_chunks();
        let section = |number: usize| ArchiveSection {
            at: u64::from_le_bytes(numbers[2 * number]),
            len: u64::from_le_bytes(numbers[2 * number + 1]),
        };

        Some(Self {
            root: section(0),
            metadata: section(1),
            leaves: section(2),
            data: section(3),
        })
    }
}

#[derive(Debug)]
pub(crate) struct ArchiveHeader {
    pub(crate) sections: ArchiveSections,
    /// The number of tiles, including equal ones.
    pub(crate) addressed: u64,
    /// The number of directory entries with tiles.
    pub(crate) entries: u64,
    /// The number of different tiles.
    pub(crate) contents: u64,
    pub(crate) min_zoom: u8,
    pub(crate) max_zoom: u8,
    /// The columns that the tiles show, or `None` for an archive without tiles.
    pub(crate) area: Option<Area>,
    pub(crate) format: Format,
}

impl ArchiveHeader {
    pub(crate) fn bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        let ArchiveSections {
            root,
            metadata,
            leaves,
            data,
        } = self.sections;

        for ArchiveSection { at, len } in [root, metadata, leaves, data] {
            bytes.extend(at.to_le_bytes());
            bytes.extend(len.to_le_bytes());
        }

        for count in [self.addressed, self.entries, self.contents] {
            bytes.extend(count.to_le_bytes());
        }

        let tile_type = match self.format {
            Format::Png => 2,
            Format::Webp => 4,
            Format::Js => 0,
        };

        // 1 means that the data are in the order of tile ids.
        bytes.extend([
            1,
            GZIP,
            UNCOMPRESSED,
            tile_type,
            self.min_zoom,
            self.max_zoom,
        ]);

        let Area { x0, z0, x1, z1 } = self.area.unwrap_or(Area {
            x0: 0,
            z0: 0,
            x1: 0,
            z1: 0,
        });

        // The south-western corner comes first. z grows to the south, so the southern edge is `z1`.
        bytes.extend(position(x0, z1));
        bytes.extend(position(x1, z0));
        bytes.push(self.min_zoom);
        bytes.extend(position(middle(x0, x1), middle(z0, z1)));
        let mut header = [0; HEADER_BYTES];
        header.copy_from_slice(&bytes);

        header
    }
}

fn middle(from: i32, to: i32) -> i32 {
    from + (to - from) / 2
}

/// Returns the longitude and the latitude of a column in the form of the header.
fn position(x: i32, z: i32) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&degree_parts(longitude(x)).to_le_bytes());
    bytes[4..].copy_from_slice(&degree_parts(latitude(z)).to_le_bytes());
    bytes
}

fn degree_parts(degrees: f64) -> i32 {
    (degrees * DEGREE_PARTS).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_whole_numbers_of_small_parts() {
        let latitudes = [0, -33_554_432, 33_554_432].map(|z| degree_parts(latitude(z)));
        assert_eq!(latitudes, [0, 850_511_288, -850_511_288]);
        let longitudes = [0, -33_554_432, 33_554_432].map(|x| degree_parts(longitude(x)));
        assert_eq!(longitudes, [0, -1_800_000_000, 1_800_000_000]);
    }

    #[test]
    fn a_header_leads_to_its_sections() {
        let header = ArchiveHeader {
            sections: ArchiveSections::in_a_row(10, 20, 0, 40),
            addressed: 1,
            entries: 1,
            contents: 1,
            min_zoom: 9,
            max_zoom: 17,
            area: None,
            format: Format::Png,
        };

        let bytes = header.bytes();
        assert_eq!(ArchiveSections::parse(&bytes), Some(header.sections));
        assert_eq!(header.sections.data, ArchiveSection { at: 157, len: 40 });

        for at in [0, 7, 97, 98] {
            let mut other = bytes;
            other[at] ^= 1;
            assert_eq!(ArchiveSections::parse(&other), None, "{at}");
        }
    }
}
