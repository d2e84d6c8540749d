//! Makes markers of signs, and of banners that have a name.

use regex_lite::Regex;

use crate::markers::bounds::{ChunkMarkers, MAX_OF_CHUNK};
use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use pixelmap_base::coord::{ChunkPos, ColumnPos};
use pixelmap_world::chunk::EntityList;
use pixelmap_world::nbt::Error;
use pixelmap_world::text::{SignEntity, SignKind, read_signs};

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

    read_signs(entities, version, |entity| {
        if let Some(marker) = marker(&entity, position, wanted) {
            markers.push(marker);
        }
    })
}

/// Returns whether a side has lines that match. A pattern may match a single line, as in `^80$`, or
/// several consecutive lines.
fn is_wanted(side: &[String], wanted: &Regex) -> bool {
    let mut lines = side.iter().filter(|line| !line.is_empty());
    !side.is_empty()
        && (wanted.is_match(&side.join("\n")) || lines.any(|line| wanted.is_match(line)))
}

/// Returns the marker of a sign or banner in the chunk at `position`, if it matches `wanted`.
fn marker(entity: &SignEntity, position: ChunkPos, wanted: &Regex) -> Option<Marker> {
    let [x, y, z] = entity.at;
    let at = ColumnPos { x, z };
    if at.chunk() != position {
        return None;
    }

    if entity.kind == SignKind::Banner {
        let properties = Properties {
            name: &entity.name,
            y: Some(y),
            ..Properties::default()
        };
        let is_wanted = !entity.name.is_empty() && wanted.is_match(&entity.name);
        return is_wanted.then(|| Marker::new(MarkerKind::Banners, at, &properties));
    }

    if !entity.sides.iter().any(|side| is_wanted(side, wanted)) {
        return None;
    }

    let [front, back] = &entity.sides;
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
