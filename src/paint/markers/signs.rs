//! Signs and banners, which are block entities. Signs have four lines in fields of their own until 1.19, and two sides
//! since 1.20.

use regex_lite::Regex;

use super::text;
use super::{Marker, MarkerKind, Properties};
use crate::base::coord::{ChunkPos, ColumnPos};
use crate::world::nbt::{Error, Reader, Tag};

/// The most markers of a chunk; more could not be distinguished on a map.
const MAX_MARKERS: usize = 4096;

/// The fields of a block entity that signs and banners need.
#[derive(Default)]
struct BlockEntity<'a> {
    id: &'a [u8],
    at: [Option<i64>; 3],
    /// Lines of the front and the back.
    sides: [Vec<String>; 2],
    name: String,
}

/// Reads the signs and banners of a chunk of this version whose lines or name match `wanted`. The reader is at the list
/// of block entities.
pub(super) fn read(
    reader: &mut Reader<'_>,
    place: ChunkPos,
    version: Option<i32>,
    wanted: &Regex,
    markers: &mut Vec<Marker>,
) -> Result<(), Error> {
    let Some(list) = reader.list(Tag::List)? else { return Ok(()) };
    for _ in 0..list.len {
        if reader.compound(list.tag)? {
            let entity = BlockEntity::read(reader, version)?;
            if markers.len() < MAX_MARKERS {
                markers.extend(entity.marker(place, wanted));
            }
        }
    }
    Ok(())
}

impl<'a> BlockEntity<'a> {
    fn read(reader: &mut Reader<'a>, version: Option<i32>) -> Result<Self, Error> {
        let mut entity = Self::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"id" => entity.id = reader.string(tag)?.unwrap_or_default(),
                b"x" => entity.at[0] = reader.int(tag)?,
                b"y" => entity.at[1] = reader.int(tag)?,
                b"z" => entity.at[2] = reader.int(tag)?,
                b"Text1" | b"Text2" | b"Text3" | b"Text4" => {
                    let line = usize::from(name[4] - b'1');
                    entity.sides[0].resize(4, String::new());
                    entity.sides[0][line] = text::read(reader, tag, version)?;
                }
                b"front_text" => entity.sides[0] = lines(reader, tag, version)?,
                b"back_text" => entity.sides[1] = lines(reader, tag, version)?,
                b"CustomName" => entity.name = text::read(reader, tag, version)?,
                _ => reader.skip(tag)?,
            }
        }
        Ok(entity)
    }

    fn marker(mut self, place: ChunkPos, wanted: &Regex) -> Option<Marker> {
        let [Some(x), Some(y), Some(z)] = self.at.map(|number| i32::try_from(number?).ok()) else { return None };
        let at = ColumnPos { x, z };
        if at.chunk() != place {
            return None;
        }
        let id = self.id.strip_prefix(b"minecraft:").unwrap_or(self.id);
        if matches!(id, b"Banner" | b"banner") {
            let properties = Properties { name: &self.name, y: Some(y), ..Properties::default() };
            let is_wanted = !self.name.is_empty() && wanted.is_match(&self.name);
            return is_wanted.then(|| Marker::new(MarkerKind::Banners, at, &properties));
        }
        // Mods have signs, too: their ids end like the game's.
        if !id.ends_with(b"Sign") && !id.ends_with(b"sign") {
            return None;
        }
        for side in &mut self.sides {
            side.truncate(side.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
        }
        self.sides.iter().find(|side| !side.is_empty() && wanted.is_match(&side.join("\n")))?;
        let [front, back] = &self.sides;
        let shown = if front.is_empty() { back } else { front };
        let name = shown.iter().filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>().join(" ");
        let properties = Properties { name: &name, y: Some(y), front, back, ..Properties::default() };
        Some(Marker::new(MarkerKind::Signs, at, &properties))
    }
}

/// The lines of a side since 1.20.
fn lines(reader: &mut Reader<'_>, tag: Tag, version: Option<i32>) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    if !reader.compound(tag)? {
        return Ok(lines);
    }
    while let Some((tag, name)) = reader.entry()? {
        let Some(list) = (if name == b"messages" { reader.list(tag)? } else { reader.skip(tag).map(|()| None)? })
        else {
            continue;
        };
        for number in 0..list.len {
            let line = text::read(reader, list.tag, version)?;
            if number < 4 {
                lines.push(line);
            }
        }
        reader.leave();
    }
    Ok(lines)
}
