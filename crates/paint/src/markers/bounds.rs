//! Limits the number of markers and the length of their texts, whatever a world stores.
//!
//! A chunk may inflate to 64 MiB, which has room for millions of structures, signs or points. On
//! the map they would cover one another, so the first ones are kept, and the others are only
//! counted.

use crate::markers::marker::Marker;
use crate::markers::region::RegionMarkers;
use pixelmap_base::coord::Slot;

/// The most markers that one source adds in a chunk. A source is, for example, the chunk's points,
/// signs or frames.
pub(crate) const MAX_OF_CHUNK: usize = 4096;
/// The longest properties of one marker, and the most properties of all markers of a chunk, in
/// bytes.
const MAX_PROPERTIES: usize = 8 << 10;
const MAX_CHUNK_TEXT: usize = 1 << 20;
/// The most markers of a region, and the most bytes of their properties. With these limits the
/// region's entry in the journal is always shorter than the longest entry that can be read.
const MAX_OF_REGION: usize = 1 << 16;
const MAX_REGION_TEXT: usize = 16 << 20;

/// The markers of one chunk.
#[derive(Debug, Default)]
pub struct ChunkMarkers {
    markers: Vec<Marker>,
    /// The length up to which the current source may fill the list.
    most: usize,
    /// The bytes of all properties in the list.
    text: usize,
    left_out: u64,
}

impl ChunkMarkers {
    /// Returns about how many bytes of memory the list takes.
    pub fn bytes(&self) -> usize {
        self.markers.capacity() * size_of::<Marker>() + self.text
    }

    /// Begins a source of markers, which may add at most `most` of them.
    pub(crate) fn begin(&mut self, most: usize) {
        self.most = self.markers.len() + most;
    }

    /// Returns whether the source may add another marker. If not, counts that marker as left out.
    pub(crate) fn has_room(&mut self) -> bool {
        let has_room = self.markers.len() < self.most && self.text < MAX_CHUNK_TEXT;
        self.left_out += u64::from(!has_room);
        has_room
    }

    /// Adds a marker, or counts it as left out if a limit is reached.
    pub(crate) fn push(&mut self, marker: Marker) {
        let text = self.text + marker.properties.len();
        if marker.properties.len() > MAX_PROPERTIES || text > MAX_CHUNK_TEXT {
            self.left_out += 1;
        } else if self.has_room() {
            self.text = text;
            self.markers.push(marker);
        }
    }

    /// Counts a marker that the caller has left out itself.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// Returns the markers in the order in which they were found.
    pub fn into_markers(self) -> Vec<Marker> {
        self.markers
    }
}

impl RegionMarkers {
    /// Adds a drawn chunk, and moves its markers here.
    pub fn add(&mut self, slot: Slot, chunk: ChunkMarkers) {
        self.drawn.insert(slot);
        self.add_more(chunk);
    }

    /// Moves more markers of a chunk here.
    pub fn add_more(&mut self, chunk: ChunkMarkers) {
        self.left_out += chunk.left_out;
        self.extend(chunk.markers);
    }

    /// Adds markers while there is room, and counts the others as left out.
    pub fn extend(&mut self, markers: Vec<Marker>) {
        for marker in markers {
            let text = self.text + marker.properties.len();
            if self.markers.len() < MAX_OF_REGION && text <= MAX_REGION_TEXT {
                self.text = text;
                self.markers.push(marker);
            } else {
                self.left_out += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markers::kind::MarkerKind;
    use pixelmap_base::coord::ColumnPos;

    fn marker(text: usize) -> Marker {
        Marker {
            kind: MarkerKind::Signs,
            at: ColumnPos { x: 0, z: 0 },
            properties: "x".repeat(text).into(),
        }
    }

    #[test]
    fn a_chunk_keeps_its_first_markers() {
        let mut chunk = ChunkMarkers::default();
        chunk.begin(2);
        (0..5).for_each(|_| chunk.push(marker(1)));
        chunk.begin(4);
        chunk.push(marker(MAX_PROPERTIES + 1));
        (0..3).for_each(|_| chunk.push(marker(1)));
        assert_eq!((chunk.markers.len(), chunk.left_out), (5, 4));
        chunk.begin(1000);
        (0..1000).for_each(|_| chunk.push(marker(MAX_PROPERTIES)));
        assert!(chunk.text <= MAX_CHUNK_TEXT && chunk.left_out > 800);
    }

    #[test]
    fn a_region_keeps_its_first_markers() {
        let mut region = RegionMarkers::default();
        region.extend(vec![marker(1); MAX_OF_REGION + 3]);
        assert_eq!((region.markers.len(), region.left_out), (MAX_OF_REGION, 3));
        let mut region = RegionMarkers::default();
        region.extend(vec![marker(MAX_PROPERTIES); 3000]);
        assert_eq!(
            region.left_out,
            3000 - (MAX_REGION_TEXT / MAX_PROPERTIES) as u64
        );
    }
}
