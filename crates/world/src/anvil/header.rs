//! Parses the 8 KiB header of a region file, which contains the position of each chunk's record.
//! Works on bytes and opens no file.

use pixelmap_base::coord::{REGION_SLOTS, Slot};

/// Bytes of a sector, the unit in which space for records is allocated.
pub(super) const SECTOR: u64 = 4096;
/// Bytes of a whole header: 1024 locations, then 1024 times of saving.
pub(super) const HEADER_BYTES: usize = 8192;
/// The bit in the compression byte that marks a chunk in an external file.
pub(super) const EXTERNAL: u8 = 0x80;

/// The position of a record according to the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// First sector, counted from the start of the file.
    pub sector: u32,
    /// Number of sectors reserved for the record; 255 may mean more.
    pub count: u8,
}

/// The stored entry of one slot in the header: the position of its record, and the time when the
/// game saved it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SlotEntry {
    location: u32,
    saved: u32,
}

#[derive(Debug, Clone)]
pub struct RegionHeader {
    /// The locations, then the times of saving.
    words: Box<[u32; 2 * REGION_SLOTS]>,
}

impl RegionHeader {
    /// Parses a header. Bytes that a short file lacks count as zero, which means empty slots.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut words = Box::new([0; 2 * REGION_SLOTS]);
        let (whole, rest) = bytes.as_chunks();
        for (word, stored) in words.iter_mut().zip(whole) {
            *word = u32::from_be_bytes(*stored);
        }

        if let Some(word) = words.get_mut(whole.len()) {
            let mut four = [0; 4];
            four[..rest.len()].copy_from_slice(rest);
            *word = u32::from_be_bytes(four);
        }

        Self { words }
    }

    /// Updates the entries from a new reading of the header. Entries that vanish keep their values:
    /// a game removes no chunk, but a file that is being rewritten has an empty header for a while.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let (locations, times) = bytes.split_at(bytes.len().min(HEADER_BYTES / 2));
        for (index, stored) in locations.as_chunks().0.iter().enumerate() {
            let location = u32::from_be_bytes(*stored);
            if parse_location(location).is_some() {
                self.words[index] = location;
                let time = times.as_chunks().0.get(index);
                self.words[REGION_SLOTS + index] = time.map_or(0, |time| u32::from_be_bytes(*time));
            }
        }
    }

    pub(super) fn entry(&self, slot: Slot) -> SlotEntry {
        SlotEntry {
            location: self.words[slot.index()],
            saved: self.saved(slot),
        }
    }

    /// Returns when the game saved a slot, in seconds since 1970; 0: it stored no time.
    pub fn saved(&self, slot: Slot) -> u32 {
        self.words[REGION_SLOTS + slot.index()]
    }

    /// Returns the position of a slot's record. `None`: the slot is empty, because its sector or
    /// its number of sectors is 0.
    pub fn location(&self, slot: Slot) -> Option<Location> {
        parse_location(self.words[slot.index()])
    }

    /// Returns whether the records of several slots overlap.
    pub fn overlaps(&self) -> bool {
        let mut records: Vec<Location> =
            Slot::all().filter_map(|slot| self.location(slot)).collect();
        records.sort_unstable_by_key(|record| record.sector);
        records
            .windows(2)
            .any(|pair| pair[0].sector + u32::from(pair[0].count) > pair[1].sector)
    }

    /// Returns the number of slots that are not empty.
    pub fn in_use(&self) -> usize {
        Slot::all()
            .filter(|&slot| self.location(slot).is_some())
            .count()
    }
}

fn parse_location(stored: u32) -> Option<Location> {
    let sector = stored >> 8;
    let count = (stored & 0xff) as u8;
    (sector != 0 && count != 0).then_some(Location { sector, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_header_is_an_empty_one() {
        assert_eq!(RegionHeader::parse(&[]).in_use(), 0);

        let header = RegionHeader::parse(&[0, 0, 2, 1, 0, 0, 3]);
        assert_eq!(
            header.location(Slot::at(0, 0)),
            Some(Location {
                sector: 2,
                count: 1
            })
        );

        assert_eq!(
            header.location(Slot::at(1, 0)),
            None,
            "half a location counts as none"
        );
    }

    #[test]
    fn an_entry_that_vanishes_from_a_header_stays() {
        let mut header = RegionHeader::parse(&[0, 0, 2, 1, 0, 0, 3, 1]);
        header.update(&[0, 0, 9, 1]);
        assert_eq!(
            header.location(Slot::at(0, 0)),
            Some(Location {
                sector: 9,
                count: 1
            })
        );

        assert_eq!(
            header.location(Slot::at(1, 0)),
            Some(Location {
                sector: 3,
                count: 1
            })
        );

        let before = header.entry(Slot::at(0, 0));
        let mut saved = vec![0, 0, 9, 1];
        saved.resize(HEADER_BYTES / 2 + 4, 7);
        header.update(&saved);
        assert_ne!(
            header.entry(Slot::at(0, 0)),
            before,
            "saved at another time"
        );
    }

    #[test]
    fn records_that_share_sectors_are_detected() {
        let overlap = |bytes: &[u8]| RegionHeader::parse(bytes).overlaps();
        assert!(
            !overlap(&[0, 0, 9, 2, 0, 0, 2, 3, 0, 0, 5, 4]),
            "side by side"
        );

        assert!(overlap(&[0, 0, 9, 2, 0, 0, 2, 3, 0, 0, 5, 5]));
        assert!(
            overlap(&[0, 0, 3, 1, 0, 0, 3, 1]),
            "one record for two slots"
        );
        assert!(
            !overlap(&[0, 0, 3, 0, 0, 0, 3, 1, 0, 0, 0, 9]),
            "empty slots have none"
        );
    }

    #[test]
    fn slots_without_sector_or_count_are_empty() {
        let header = RegionHeader::parse(&[0, 0, 2, 0, 0, 0, 0, 9, 0, 1, 0, 255]);
        assert_eq!(header.location(Slot::at(0, 0)), None);
        assert_eq!(header.location(Slot::at(1, 0)), None);
        assert_eq!(
            header.location(Slot::at(2, 0)),
            Some(Location {
                sector: 256,
                count: 255
            })
        );
    }
}
