//! The bytes of a region's markers: the key, the number of markers that are left out, the drawn
//! chunks, and the kind, column and properties of each marker. Numbers have the least byte first.
//!
//! The drawn chunks are stored as two sets of rows: the full rows, and the rows that are neither
//! full nor empty. Only the latter follow, because in most regions all rows are full, and at the
//! edge of a world most of them are empty.

use crate::tiles::record::region_markers::MarkersRecord;
use pixelmap_base::coord::{ColumnPos, REGION_CHUNKS, SlotSet};
use pixelmap_paint::markers::MarkerKind;
use pixelmap_paint::markers::{Marker, RegionMarkers};

pub fn markers_bytes(record: &MarkersRecord) -> Vec<u8> {
    let RegionMarkers {
        drawn,
        markers,
        left_out,
        ..
    } = &record.markers;
    let mut out = record.key.to_le_bytes().to_vec();
    out.extend(left_out.to_le_bytes());

    let (mut full, mut partial) = (0_u32, 0_u32);
    for (z, &row) in drawn.rows().iter().enumerate() {
        full |= u32::from(row == u32::MAX) << z;
        partial |= u32::from(is_partial(row)) << z;
    }

    out.extend(full.to_le_bytes());
    out.extend(partial.to_le_bytes());
    for row in drawn.rows().iter().filter(|row| is_partial(**row)) {
        out.extend(row.to_le_bytes());
    }

    for Marker {
        kind,
        at,
        properties,
    } in markers
    {
        out.push(*kind as u8);
        out.extend(at.x.to_le_bytes());
        out.extend(at.z.to_le_bytes());
        out.extend((properties.len() as u32).to_le_bytes());
        out.extend(properties.as_bytes());
    }

    out
}

/// Parses a record. Returns `None` if the bytes are not a valid record.
pub fn parse_markers(bytes: &[u8]) -> Option<MarkersRecord> {
    let mut from = bytes;
    let key = u64::from_le_bytes(take(&mut from)?);
    let left_out = u64::from_le_bytes(take(&mut from)?);

    let [full, partial] = [(); 2].map(|()| take(&mut from).map(u32::from_le_bytes));
    let (full, partial) = (full?, partial?);
    let mut rows = [0; REGION_CHUNKS];
    for (z, row) in rows.iter_mut().enumerate() {
        *row = match (full >> z & 1, partial >> z & 1) {
            (1, _) => u32::MAX,
            (_, 1) => u32::from_le_bytes(take(&mut from)?),
            _ => 0,
        };
    }

    let mut markers = Vec::new();
    while !from.is_empty() {
        let [kind] = take(&mut from)?;
        let at = ColumnPos {
            x: i32::from_le_bytes(take(&mut from)?),
            z: i32::from_le_bytes(take(&mut from)?),
        };

        let len = u32::from_le_bytes(take(&mut from)?);
        let (properties, rest) = from.split_at_checked(len as usize)?;
        from = rest;
        let kind = MarkerKind::from_number(kind)?;
        markers.push(Marker {
            kind,
            at,
            properties: str::from_utf8(properties).ok()?.into(),
        });
    }

    Some(MarkersRecord {
        key,
        markers: RegionMarkers::recorded(SlotSet::from_rows(rows), markers, left_out),
    })
}

/// Returns whether some chunks of a row are in the set, but not all.
fn is_partial(row: u32) -> bool {
    row != 0 && row != u32::MAX
}

fn take<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_base::coord::Slot;

    #[test]
    fn marker_records_are_read_as_written() {
        let mut drawn = SlotSet::NONE;
        drawn.insert(Slot::at(3, 30));
        (0..REGION_CHUNKS).for_each(|x| drawn.insert(Slot::at(x, 31)));

        let marker = |kind, x, properties: &str| Marker {
            kind,
            at: ColumnPos { x, z: -x },
            properties: properties.into(),
        };

        let markers = vec![
            marker(MarkerKind::Structures, -5, r#"{"name":"é"}"#),
            marker(MarkerKind::Players, i32::MAX, "{}"),
        ];

        let record = MarkersRecord {
            key: 7,
            markers: RegionMarkers::recorded(drawn, markers, 300),
        };
        let bytes = markers_bytes(&record);
        assert_eq!(parse_markers(&bytes).as_ref(), Some(&record));

        let whole = |len: usize| parse_markers(&bytes[..len]).is_some();

        // Bytes that end between two markers are a valid record with fewer markers.
        assert_eq!((0..bytes.len()).filter(|&len| whole(len)).count(), 2);

        let mut unknown = bytes;
        unknown[28] = 99;
        assert_eq!(parse_markers(&unknown), None);
    }
}
