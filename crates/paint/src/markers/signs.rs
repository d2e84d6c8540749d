//! Makes markers of signs, and of banners that have a name.
//!
//! The first line of a sign may name its icon, as in `[icon:shop]`. The word `icon` is needed because
//! many plugins read a first line such as `[shop]`, which is a part of the sign's name here.

use regex_lite::Regex;

use crate::markers::bounds::{ChunkMarkers, MAX_OF_CHUNK};
use crate::markers::icons::is_icon_name;
use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use crate::markers::names::display_name;
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
    let (icon, name) = icon_and_name(shown);

    let properties = Properties {
        name: &name,
        y: Some(y),
        icon: icon.as_deref(),
        front,
        back,
        ..Properties::default()
    };

    Some(Marker::new(MarkerKind::Signs, at, &properties))
}

/// Returns the icon that the first line of a side names, if it does, and the text of the other lines.
/// A side without other text is named after its icon.
fn icon_and_name(side: &[String]) -> (Option<String>, String) {
    let mut lines: Vec<&str> = side.iter().map(String::as_str).collect();
    lines.retain(|line| !line.is_empty());

    let icon = lines.first().and_then(|line| icon_in(line));
    if icon.is_some() {
        lines.remove(0);
    }

    let name = match &icon {
        Some(icon) if lines.is_empty() => display_name(icon),
        _ => lines.join(" "),
    };
    (icon, name)
}

/// Returns the icon that a line such as `[icon:shop]` names. Letters of any case and spaces are
/// allowed, because the game makes it hard to notice them.
fn icon_in(line: &str) -> Option<String> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (word, name) = inner.split_once(':')?;
    let name = name.trim().to_ascii_lowercase();

    let is_icon = word.trim().eq_ignore_ascii_case("icon") && is_icon_name(&name);
    is_icon.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_world::nbt::LittleReader;

    #[test]
    fn only_a_first_line_names_an_icon() {
        let named = |lines: &[&str]| {
            let side: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            icon_and_name(&side)
        };
        let shop = Some("shop".to_owned());

        assert_eq!(
            named(&["", "[icon:shop]", "Bakery", "", "open"]),
            (shop.clone(), "Bakery open".to_owned())
        );
        assert_eq!(
            named(&[" [Icon: SHOP] ", ""]),
            (shop, "Shop".to_owned()),
            "a sign without other text"
        );

        for line in [
            "[shop]",
            "[Private]",
            "icon:shop",
            "[icon:]",
            "[icon:../shop]",
            "[icon:a b]",
            "[icon:\u{e9}t\u{e9}]",
            "[icon:shop] Bakery",
        ] {
            assert_eq!(named(&[line, "Bob"]), (None, format!("{line} Bob")));
        }
        assert_eq!(
            named(&["Bakery", "[icon:shop]"]),
            (None, "Bakery [icon:shop]".to_owned())
        );
    }

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
