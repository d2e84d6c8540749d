//! Reads signs and banners, which are block entities. Signs have four lines in separate fields
//! until 1.19, and two sides since 1.20. Bedrock Edition stores all lines of a side as one text.

use super::read as text;
use crate::chunk::EntityList;
use crate::nbt::{Error, OrderedReader, Tag};

/// The number of lines on a side.
const LINES: usize = 4;

/// The kinds of block entities that signs and banners have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignKind {
    /// A sign of any wood, standing, on a wall or hanging. Includes the signs of mods, because
    /// their ids have the same endings.
    Sign,
    Banner,
}

/// A sign or a banner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignEntity {
    pub kind: SignKind,
    /// The stored position in blocks: x, y and z.
    pub at: [i32; 3],
    /// The lines of the front and the back, without the empty lines at the end.
    pub sides: [Vec<String>; 2],
    /// The name of a banner, or empty.
    pub name: String,
}

/// The fields of a block entity that signs and banners need.
#[derive(Default)]
struct SignFields<'a> {
    id: &'a [u8],
    at: [Option<i64>; 3],
    /// The lines of the front and the back.
    sides: [Vec<String>; 2],
    name: String,
}

/// Visits the signs and banners among block entities, in their stored order. `version` is the
/// chunk's `DataVersion`.
///
/// # Errors
/// Fails at the first block entity that is damaged. The ones before it were visited.
pub fn read_signs(
    entities: EntityList<'_>,
    version: Option<i32>,
    mut visit: impl FnMut(SignEntity),
) -> Result<(), Error> {
    match entities {
        EntityList::List(mut reader) => {
            let Some(list) = reader.list(Tag::List)? else {
                return Ok(());
            };
            for _ in 0..list.len {
                read_entity(&mut reader, list.tag, version, &mut visit)?;
            }
        }
        EntityList::Roots(mut reader) => {
            while let Some((tag, _)) = reader.entry()? {
                read_entity(&mut reader, tag, version, &mut visit)?;
            }
        }
    }

    Ok(())
}

fn read_entity<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
    version: Option<i32>,
    visit: &mut impl FnMut(SignEntity),
) -> Result<(), Error> {
    if reader.compound(tag)?
        && let Some(entity) = SignFields::read(reader, version)?.entity()
    {
        visit(entity);
    }

    Ok(())
}

impl<'a> SignFields<'a> {
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

    /// Returns `None` for other block entities, and for ones without a valid position.
    fn entity(mut self) -> Option<SignEntity> {
        let [Some(x), Some(y), Some(z)] = self.at.map(|number| i32::try_from(number?).ok()) else {
            return None;
        };

        let kind = match self.id.strip_prefix(b"minecraft:").unwrap_or(self.id) {
            b"Banner" | b"banner" => SignKind::Banner,
            id if id.ends_with(b"Sign") || id.ends_with(b"sign") => SignKind::Sign,
            _ => return None,
        };

        for side in &mut self.sides {
            let last = side.iter().rposition(|line| !line.is_empty());
            side.truncate(last.map_or(0, |last| last + 1));
        }

        Some(SignEntity {
            kind,
            at: [x, y, z],
            sides: self.sides,
            name: self.name,
        })
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
