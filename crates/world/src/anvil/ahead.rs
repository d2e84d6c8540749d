//! Finds the parts of a region file that will be read soon, so that the system can read them while
//! other chunks are drawn. Records are stored in any order, so the system cannot guess the next
//! one.

use std::ops::Range;

use super::header::{RegionHeader, SECTOR};
use pixelmap_base::coord::Slot;

/// The most bytes that Linux reads ahead for one call: 128 KiB, unless it is configured
/// differently. Smaller gaps between records are read as well.
const PIECE: u64 = 128 << 10;

/// Returns the pieces of a file of `len` bytes that contain the records of `slots`, in file order.
/// Returns none for a single record, because it is read at once anyway.
pub(super) fn pieces(
    header: &RegionHeader,
    slots: impl Iterator<Item = Slot>,
    len: u64,
) -> impl Iterator<Item = Range<u64>> {
    let mut stretches: Vec<Range<u64>> = slots
        .filter_map(|slot| header.location(slot))
        .map(|location| {
            let start = u64::from(location.sector) * SECTOR;
            start..(start + u64::from(location.count) * SECTOR).min(len)
        })
        .filter(|record| !record.is_empty())
        .collect();

    if stretches.len() == 1 {
        stretches.clear();
    }

    stretches.sort_unstable_by_key(|record| record.start);
    stretches.dedup_by(|record, before| {
        let is_near = record.start <= before.end + PIECE;
        if is_near {
            before.end = before.end.max(record.end);
        }
        is_near
    });

    stretches.into_iter().flat_map(|Range { start, end }| {
        (start..end)
            .step_by(PIECE as usize)
            .map(move |at| at..(at + PIECE).min(end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u64 = u64::MAX;

    /// Returns the pieces, in sectors, of a file whose first slots have these records.
    fn ranges(records: &[(u32, u32)], len: u64) -> Vec<(u64, u64)> {
        let bytes: Vec<u8> = records
            .iter()
            .flat_map(|(sector, count)| (sector << 8 | count).to_be_bytes())
            .collect();
        let slots = Slot::all().take(records.len());
        pieces(&RegionHeader::parse(&bytes), slots, len)
            .map(|piece| (piece.start / SECTOR, piece.end / SECTOR))
            .collect()
    }

    #[test]
    fn records_are_read_ahead_in_file_order() {
        assert_eq!(
            ranges(&[(90, 2), (2, 3), (0, 0), (40, 1), (5, 1)], END),
            [(2, 6), (40, 41), (90, 92)]
        );
        assert_eq!(
            ranges(&[(90, 2), (2, 3)], 91 * SECTOR),
            [(2, 5), (90, 91)],
            "the file ends"
        );

        assert_eq!(
            ranges(&[(90, 2), (2, 3), (9, 1)], 90 * SECTOR),
            [(2, 10)],
            "a record past the end"
        );
    }

    #[test]
    fn near_records_form_one_bounded_piece() {
        assert_eq!(
            ranges(&[(2, 1), (30, 1), (63, 1), (97, 1)], END),
            [(2, 34), (34, 64), (97, 98)]
        );
        assert_eq!(
            ranges(&[(2, 70), (4, 1)], END),
            [(2, 34), (34, 66), (66, 72)]
        );
    }

    #[test]
    fn a_single_record_is_not_read_ahead() {
        assert_eq!(ranges(&[(2, 3)], END), []);
        assert_eq!(ranges(&[], END), []);
    }
}
