//! Reads signs and banners, which are block entities. Signs have four lines in separate fields
//! until 1.19, and two sides since 1.20. Bedrock Edition stores all lines of a side as one text.

use regex_lite::Regex;

use crate::markers::bounds::{ChunkMarkers, MAX_OF_CHUNK};
use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use crate::markers::text;
use pixelmap_base::coord::{ChunkPos, ColumnPos};
use pixelmap_world::chunk::EntityList;
use pixelmap_world::nbt::{Error, OrderedReader, Tag};

/// The number of lines on a side.
const LINES: usize = 4;

/// The fields of a block entity that signs and banners need.
#[derive(Default)]
struct SignEntity<'a> {
    id: &'a [u8],
    at: [Option<i64>; 3],
    /// The lines of the front and the back.
    sides: [Vec<String>; 2],
    name: String,
}

/// Reads the signs and banners of the chunk at `position` whose lines or names match `wanted`.
/// `version` is the chunk's `DataVersion`.
pub(crate) fn read(
    entities: EntityList<'_>,
    position: ChunkPos,
    version: Option<i32>,
    wanted: &Regex,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    markers.begin(MAX_OF_CHUNK);

    match entities {
        EntityList::List(mut reader) => {
            let Some(list) = reader.list(Tag::List)? else {
                return Ok(());
            };
            for _ in 0..list.len {
                read_entity(&mut reader, list.tag, position, version, wanted, markers)?;
            }
        }
        EntityList::Roots(mut reader) => {
            while let Some((tag, _)) = reader.entry()? {
                read_entity(&mut reader, tag, position, version, wanted, markers)?;
            }
        }
    }

    Ok(())
}

fn read_entity<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
    position: ChunkPos,
    version: Option<i32>,
    wanted: &Regex,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    if reader.compound(tag)?
        && let Some(marker) = SignEntity::read(reader, version)?.marker(position, wanted)
    {
        markers.push(marker);
    }

    Ok(())
}

/// Returns whether a side has lines that match. A pattern may match a single line, as in `^80$`, or
/// several consecutive lines.
fn is_wanted(side: &[String], wanted: &Regex) -> bool {
    let mut lines = side.iter().filter(|line| !line.is_empty());
    !side.is_empty()
        && (wanted.is_match(&side.join("\n")) || lines.any(|line| wanted.is_match(line)))
}

impl<'a> SignEntity<'a> {
    fn read<const LITTLE: bool>(
        reader: &mut OrderedReader<'a, LITTLE>,
        version: Option<i32>,
    ) -> Result<Self, Error> {
        let mut entity = Self::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"id" => entity.id = reader.string(tag)?.unwrap_or_default(),
                b"x" => entity.at[0] = reader.int(tag)?,
                b"y" => entity.at[1] = reader.int(tag)?,
                b"z" => entity.at[2] = reader.int(tag)?,
                b"Text1" | b"Text2" | b"Text3" | b"Text4" => {
                    let line = usize::from(name[4] - b'1');
                    entity.sides[0].resize(LINES, String::new());
                    entity.sides[0][line] = text::read(reader, tag, version)?;
                }
                b"Text" if LITTLE => entity.sides[0] = split_lines(reader, tag)?,
                b"front_text" | b"FrontText" => entity.sides[0] = lines(reader, tag, version)?,
                b"back_text" | b"BackText" => entity.sides[1] = lines(reader, tag, version)?,
                b"CustomName" => entity.name = text::read(reader, tag, version)?,
                _ => reader.skip(tag)?,
            }
        }

        Ok(entity)
    }

    fn marker(mut self, position: ChunkPos, wanted: &Regex) -> Option<Marker> {
        let [Some(x), Some(y), Some(z)] = self.at.map(|number| i32::try_from(number?).ok()) else {
            return None;
        };

        let at = ColumnPos { x, z };
        if at.chunk() != position {
            return None;
        }

        let id = self.id.strip_prefix(b"minecraft:").unwrap_or(self.id);
        if matches!(id, b"Banner" | b"banner") {
            let properties = Properties {
                name: &self.name,
                y: Some(y),
                ..Properties::default()
            };
            let is_wanted = !self.name.is_empty() && wanted.is_match(&self.name);
            return is_wanted.then(|| Marker::new(MarkerKind::Banners, at, &properties));
        }

        // The signs of mods are included, because their ids have the same endings as the game's.
        if !id.ends_with(b"Sign") && !id.ends_with(b"sign") {
            return None;
        }

        for side in &mut self.sides {
            side.truncate(
                side.iter()
                    .rposition(|line| !line.is_empty())
                    .map_or(0, |last| last + 1),
            );
        }

        if !self.sides.iter().any(|side| is_wanted(side, wanted)) {
            return None;
        }

        let [front, back] = &self.sides;
        let shown = if front.is_empty() { back } else { front };
        let name = shown
            .iter()
            .filter(|line| !line.is_empty())
            .cloned()
            .collect::<Vec<_>>()
            .join(" ");

        let properties = Properties {
            name: &name,
            y: Some(y),
            front,
            back,
            ..Properties::default()
        };

        Some(Marker::new(MarkerKind::Signs, at, &properties))
    }
}

/// Reads the lines of a side since 1.20.
fn lines<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
    version: Option<i32>,
) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    if !reader.compound(tag)? {
        return Ok(lines);
    }

    while let Some((tag, name)) = reader.entry()? {
        if LITTLE && name == b"Text" {
            lines = split_lines(reader, tag)?;
            continue;
        }

        let Some(list) = (if name == b"messages" {
            reader.list(tag)?
        } else {
            reader.skip(tag).map(|()| None)?
        }) else {
            continue;
        };

        for number in 0..list.len {
            let line = text::read(reader, list.tag, version)?;
            if number < LINES {
                lines.push(line);
            }
        }

        reader.leave();
    }

    Ok(lines)
}

/// Reads the lines of a side in Bedrock Edition.
fn split_lines<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
) -> Result<Vec<String>, Error> {
    let stored = text::letters(reader.string(tag)?.unwrap_or_default());
    Ok(stored
        .split('\n')
        .take(LINES)
        .map(text::plain_text)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_world::nbt::LittleReader;

    fn string(name: &str, value: &str) -> Vec<u8> {
        let text = |text: &str| [&(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();
        [vec![8], text(name), text(value)].concat()
    }

    /// Makes a block entity at the column 20, 35.
    fn entity(id: &str, fields: &[u8]) -> Vec<u8> {
        let position = [(b'x', 20), (b'y', 70), (b'z', 35)]
            .map(|(name, at)| [3, 1, 0, name, at, 0, 0, 0])
            .concat();
        [&[10, 0, 0][..], &string("id", id), &position, fields, &[0]].concat()
    }

    #[test]
    fn signs_of_bedrock_have_one_text_a_side() {
        let side = |name: &str, text: &str| {
            [
                &[10, name.len() as u8, 0][..],
                name.as_bytes(),
                &string("Text", text),
                &string("TextOwner", "9"),
                &[0],
            ]
            .concat()
        };

        let two = [
            side("FrontText", "§lTo\nthe\n\nport\nand more"),
            side("BackText", "home\n"),
        ]
        .concat();

        let bytes = [
            entity("Sign", &string("Text", "\nshop")),
            entity("Chest", &[]),
            entity("HangingSign", &two),
            entity("Banner", &string("CustomName", "flag")),
        ]
        .concat();

        let mut markers = ChunkMarkers::default();
        let position = ChunkPos { x: 1, z: 2 };

        let entities = EntityList::Roots(LittleReader::in_compound(&bytes));
        let ended = read(
            entities,
            position,
            None,
            &Regex::new("").unwrap(),
            &mut markers,
        );
        assert!(ended.is_err(), "the bytes end where the next one would be");

        let at = ColumnPos { x: 20, z: 35 };
        let empty = String::new;
        let expected = [
            (
                MarkerKind::Signs,
                "shop",
                vec![empty(), "shop".to_owned()],
                vec![],
            ),
            (
                MarkerKind::Signs,
                "To the port",
                vec!["To".into(), "the".into(), empty(), "port".into()],
                vec!["home".into()],
            ),
            (MarkerKind::Banners, "flag", vec![], vec![]),
        ]
        .map(|(kind, name, front, back)| {
            let properties = Properties {
                name,
                y: Some(70),
                front: &front,
                back: &back,
                ..Properties::default()
            };
            Marker::new(kind, at, &properties)
        });
        assert_eq!(markers.into_markers(), expected);
    }
}
