//! Reads structures from chunks. Since 1.13 each is stored as a whole in the chunk in which it
//! starts; other chunks only refer to that chunk.

use crate::markers::bounds::ChunkMarkers;
use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use crate::markers::names::{structure_id, title};
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos, ColumnPos};
use pixelmap_world::nbt::{Error, Reader, Tag};

/// The most structures that start in a chunk. The game itself places at most one of each type.
const MAX_STARTS: usize = 256;
/// The longest id in bytes, which is also the game's own limit.
const MAX_ID: usize = 256;

#[derive(Default)]
struct Start<'a> {
    id: Option<&'a [u8]>,
    /// The id of the first part.
    piece: Option<&'a [u8]>,
    /// The lowest and the highest block of the first part.
    heights: Option<[i32; 2]>,
}

/// Reads the structures that start in the chunk at `position`. The reader is at the compound with the
/// structures.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    position: ChunkPos,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    markers.begin(MAX_STARTS);
    reader.compound(Tag::Compound)?;

    while let Some((tag, name)) = reader.entry()? {
        if !matches!(name, b"starts" | b"Starts") {
            reader.skip(tag)?;
        } else if reader.compound(tag)? {
            while let Some((tag, _)) = reader.entry()? {
                if !markers.has_room() {
                    reader.skip(tag)?;
                } else if reader.compound(tag)? {
                    let start = Start::read(reader)?;
                    match start.id {
                        Some(id) if id.len() > MAX_ID => markers.leave_out(),
                        Some(id) => {
                            if let Some(marker) = start.marker(id, position) {
                                markers.push(marker);
                            }
                        }
                        None => {}
                    }
                }
            }
        }
    }

    Ok(())
}

/// Returns the marker of a structure that starts in the chunk at `position`. `None` if the structure
/// was never built.
pub(crate) fn structure_marker(
    stored: &str,
    piece: Option<&str>,
    y: Option<i32>,
    position: ChunkPos,
) -> Option<Marker> {
    // Until 1.17 the game writes this name if a structure was not built after all.
    if stored.is_empty() || stored == "INVALID" {
        return None;
    }

    let id = structure_id(stored, piece);
    let corner = position.corner();
    let half = CHUNK_SIDE as i32 / 2;
    let at = ColumnPos {
        x: corner.x + half,
        z: corner.z + half,
    };

    let properties = Properties {
        name: &title(&id),
        id: Some(&id),
        y,
        ..Properties::default()
    };

    Some(Marker::new(MarkerKind::Structures, at, &properties))
}

impl<'a> Start<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        let mut start = Self::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"id" => start.id = reader.string(tag)?,
                b"Children" => start.first_part(reader, tag)?,
                _ => reader.skip(tag)?,
            }
        }

        Ok(start)
    }

    fn first_part(&mut self, reader: &mut Reader<'a>, tag: Tag) -> Result<(), Error> {
        let Some(list) = reader.list(tag)? else {
            return Ok(());
        };

        if list.tag != Tag::Compound || list.len == 0 {
            reader.skip_elements(list)?;
            reader.leave();
            return Ok(());
        }

        reader.compound(list.tag)?;

        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"id" => self.piece = reader.string(tag)?,
                b"BB" => {
                    self.heights = reader.ints(tag)?.map(|[_, low, _, _, high, _]| [low, high]);
                }
                _ => reader.skip(tag)?,
            }
        }

        for _ in 1..list.len {
            reader.skip(list.tag)?;
        }
        reader.leave();

        Ok(())
    }

    fn marker(&self, id: &[u8], position: ChunkPos) -> Option<Marker> {
        let piece = self
            .piece
            .filter(|piece| piece.len() <= MAX_ID)
            .and_then(|bytes| str::from_utf8(bytes).ok());
        let y = self.heights.map(|[low, high]| low.midpoint(high));
        structure_marker(str::from_utf8(id).ok()?, piece, y, position)
    }
}
