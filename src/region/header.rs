//! The 8 KiB header of a region file: where each chunk's record is. Bytes only, no file.

use crate::coord::{REGION_SLOTS, Slot};

/// Bytes of a sector, the unit in which records are placed.
pub(super) const SECTOR: u64 = 4096;
/// Bytes of a whole header: 1024 locations, then 1024 times of saving.
pub(super) const HEADER_BYTES: usize = 8192;

/// Where a record lies, as the header tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// First sector, counted from the start of the file.
    pub sector: u32,
    /// Sectors reserved for it; 255 may stand for more.
    pub count: u8,
}

/// The locations of a region's chunks.
#[derive(Debug, Clone)]
pub struct Header {
    locations: Box<[u32; REGION_SLOTS]>,
}

impl Header {
    /// Reads a header; bytes that a short file lacks count as zero, which means empty slots.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut locations = Box::new([0; REGION_SLOTS]);
        for (location, stored) in locations.iter_mut().zip(bytes.chunks(4)) {
            let mut four = [0; 4];
            four[..stored.len()].copy_from_slice(stored);
            *location = u32::from_be_bytes(four);
        }
        Self { locations }
    }

    /// Where a slot's record is, or `None` for an empty slot: sector 0 or no sectors.
    pub fn location(&self, slot: Slot) -> Option<Location> {
        let stored = self.locations[slot.index()];
        let (sector, count) = (stored >> 8, (stored & 0xff) as u8);
        (sector != 0 && count != 0).then_some(Location { sector, count })
    }

    /// The number of slots in use.
    pub fn in_use(&self) -> usize {
        Slot::all().filter(|&slot| self.location(slot).is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_header_is_an_empty_one() {
        assert_eq!(Header::parse(&[]).in_use(), 0);
        let header = Header::parse(&[0, 0, 2, 1, 0, 0, 3]);
        assert_eq!(header.location(Slot::at(0, 0)), Some(Location { sector: 2, count: 1 }));
        assert_eq!(header.location(Slot::at(1, 0)), None, "half a location counts as none");
    }

    #[test]
    fn no_sector_or_no_count_is_empty() {
        let header = Header::parse(&[0, 0, 2, 0, 0, 0, 0, 9, 0, 1, 0, 255]);
        assert_eq!(header.location(Slot::at(0, 0)), None);
        assert_eq!(header.location(Slot::at(1, 0)), None);
        assert_eq!(header.location(Slot::at(2, 0)), Some(Location { sector: 256, count: 255 }));
    }
}
