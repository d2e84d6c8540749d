//! Reads the game's texts as plain text, in every form in which the game stores them: plain
//! characters, JSON in a string (1.8 to 1.21.4), or NBT (since 1.21.5). Colours, styles and click
//! actions are dropped.

use serde_json::Value;

use super::lenient_json;
use crate::nbt::{Error, OrderedReader, Tag};
use crate::save::unformatted;

/// The `DataVersion` from which a string is always plain text and never JSON.
const TEXT_IS_NBT: i32 = 4290;

/// The `DataVersion` below which the game also reads lenient JSON, which 1.8 accepted. The game's
/// fixer for 1.9 tries strict JSON, then lenient JSON, and otherwise keeps the text unchanged.
const TEXT_IS_STRICT: i32 = 101;

/// The longest text in characters. The rest is cut off.
const MAX_LETTERS: usize = 384;

/// The deepest nesting of texts that is read.
const MAX_DEPTH: usize = 16;

/// Reads the next text. `version` is the `DataVersion` of its chunk.
pub fn read<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
    version: Option<i32>,
) -> Result<String, Error> {
    let mut text = String::new();
    match tag {
        Tag::String => {
            let stored = letters(reader.string(tag)?.unwrap_or_default());
            text = string_text(&stored, version).unwrap_or(stored);
        }
        _ => add_nbt(reader, tag, 0, &mut text)?,
    }

    Ok(plain_text(&text))
}

/// Reads the text in a string. `None` if it is plain text.
fn string_text(stored: &str, version: Option<i32>) -> Option<String> {
    if version.is_some_and(|version| version >= TEXT_IS_NBT) {
        return None;
    }

    let text = json_text(stored);
    if text.is_none() && version.is_none_or(|version| version < TEXT_IS_STRICT) {
        lenient_text(stored)
    } else {
        text
    }
}

/// Decodes modified UTF-8. It differs from UTF-8 in the null character, and in the characters
/// beyond the basic plane, which it stores as two surrogates.
pub fn letters(stored: &[u8]) -> String {
    if let Ok(text) = str::from_utf8(stored) {
        return text.to_owned();
    }
    modified_utf8(stored)
}

fn modified_utf8(stored: &[u8]) -> String {
    let mut halves = Vec::new();
    let mut rest = stored;
    while let [first, after @ ..] = rest {
        let (half, len) = match (first, after) {
            (0..0x80, _) => (u16::from(*first), 1),
            (0xc0..0xe0, [b, ..]) => (u16::from(first & 0x1f) << 6 | u16::from(b & 0x3f), 2),
            (0xe0..0xf0, [b, c, ..]) => (
                u16::from(first & 0x0f) << 12 | u16::from(b & 0x3f) << 6 | u16::from(c & 0x3f),
                3,
            ),
            _ => (0xfffd, 1),
        };

        halves.push(half);
        rest = &rest[len..];
    }

    String::from_utf16_lossy(&halves)
}

/// Reads a text in JSON. `None` if it is plain text.
fn json_text(stored: &str) -> Option<String> {
    if !stored.starts_with(['"', '{', '[']) {
        return (stored == "null").then(String::new);
    }
    let mut text = String::new();
    add_json(&serde_json::from_str(stored).ok()?, &mut text);
    Some(text)
}

/// Reads a text in lenient JSON. `None` if it is plain text.
fn lenient_text(stored: &str) -> Option<String> {
    let is_whole = matches!(
        stored.as_bytes(),
        [b'{', .., b'}'] | [b'"', .., b'"'] | [b'[', .., b']']
    );
    if !is_whole {
        return None;
    }

    let value = lenient_json::parse(stored)?;
    let mut text = String::new();

    // An object without any field of a text is plain text that happens to be in braces.
    if let Value::Object(fields) = &value
        && !OWN_FIELDS
            .iter()
            .chain(&["extra"])
            .any(|name| fields.contains_key(*name))
    {
        return None;
    }

    add_json(&value, &mut text);
    Some(text)
}

/// The fields that may hold the text. The first field that exists is used.
const OWN_FIELDS: [&str; 4] = ["text", "fallback", "translate", "keybind"];

/// Appends a text in JSON. The JSON parsers limit the depth, so it is not checked here.
fn add_json(value: &Value, text: &mut String) {
    match value {
        Value::Null => {}
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&number.to_string()),
        Value::String(letters) => text.push_str(letters),
        Value::Array(parts) => {
            for part in parts {
                add_json(part, text);
            }
        }
        Value::Object(fields) => {
            let own = OWN_FIELDS.iter().find_map(|name| fields.get(*name));
            for part in own.into_iter().chain(fields.get("extra")) {
                add_json(part, text);
            }
        }
    }
}

fn add_nbt<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
    depth: usize,
    text: &mut String,
) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return reader.skip(tag);
    }

    match tag {
        Tag::String => text.push_str(&letters(reader.string(tag)?.unwrap_or_default())),
        Tag::List => {
            let Some(list) = reader.list(tag)? else {
                return Ok(());
            };
            for _ in 0..list.len {
                add_nbt(reader, list.tag, depth + 1, text)?;
            }
            reader.leave();
        }
        Tag::Compound => {
            reader.compound(tag)?;

            // Fields may be in any order, but `extra` must follow the text.
            let mut own = String::new();
            let mut rank = 0;
            let mut extra = String::new();
            while let Some((tag, name)) = reader.entry()? {
                let name_rank = match name {
                    // In a list with elements of several types, the game stores each text in a
                    // field without a name.
                    b"text" | b"" => 3,
                    b"fallback" => 2,
                    b"translate" | b"keybind" => 1,
                    _ => 0,
                };

                if name == b"extra" {
                    add_nbt(reader, tag, depth + 1, &mut extra)?;
                } else if name_rank > rank {
                    own.clear();
                    rank = name_rank;
                    add_nbt(reader, tag, depth + 1, &mut own)?;
                } else {
                    reader.skip(tag)?;
                }
            }

            text.push_str(&own);
            text.push_str(&extra);
        }
        _ => text.extend(reader.int(tag)?.map(|number| number.to_string())),
    }

    Ok(())
}

/// Removes style codes such as `§l` and control characters, and cuts off a text that is too long.
pub fn plain_text(text: &str) -> String {
    let shown: String = unformatted(text)
        .chars()
        .filter(|letter| !letter.is_control())
        .take(MAX_LETTERS)
        .collect();
    shown.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nbt::Reader;

    fn string(text: &str) -> Vec<u8> {
        [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
    }

    /// Reads a field with this payload in a compound.
    fn text_of(tag: u8, payload: &[u8], version: Option<i32>) -> String {
        let bytes = [&[10, 0, 0, tag, 0, 0][..], payload, &[0]].concat();
        let mut reader = Reader::root(&bytes).unwrap();
        let (tag, _) = reader.entry().unwrap().unwrap();
        let text = read(&mut reader, tag, version).unwrap();
        assert_eq!(reader.entry(), Ok(None), "all of it is read");
        text
    }

    #[test]
    fn strings_of_all_versions_are_read() {
        for (stored, text) in [
            ("plain", "plain"),
            ("{brace", "{brace"),
            ("null", ""),
            ("\"quoted\"", "quoted"),
            (
                r#"{"text":"a","extra":["b",{"text":"c","bold":true}],"color":"red"}"#,
                "abc",
            ),
            (r#"["", {"translate":"block.x","fallback":"X"}, 7]"#, "X7"),
            ("§4red §lbold\u{7}", "red bold"),
            ("\u{1f600} <b>", "\u{1f600} <b>"),
        ] {
            assert_eq!(text_of(8, &string(stored), Some(3955)), text);
            assert_eq!(text_of(8, &string(stored), None), text);
        }

        assert_eq!(
            text_of(8, &string("\"quoted\""), Some(4325)),
            "\"quoted\"",
            "letters since 1.21.5"
        );
        assert_eq!(
            text_of(8, &string(&"x".repeat(5000)), None).len(),
            MAX_LETTERS
        );

        let halves = [0, 6, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80];
        assert_eq!(
            text_of(8, &halves, None),
            "\u{1f600}",
            "as the game stores what is beyond the first plane"
        );
    }

    #[test]
    fn texts_of_1_8_may_be_lenient_json() {
        for (stored, text) in [
            ("{text:foo}", "foo"),
            ("{text:\"Spawn shop\",}", "Spawn shop"),
            ("{'text'='it''s'}", "{'text'='it''s'}"),
            ("{'text'='it\\'s';extra=[\"a\"; {text => b}]}", "it'sab"),
            ("[{text:a},{text:b},]", "ab"),
            ("{brace}", "{brace}"),
            ("{a:b}", "{a:b}"),
            ("{text:a} b", "{text:a} b"),
            ("\"say \"hi\"\"", "\"say \"hi\"\""),
        ] {
            assert_eq!(text_of(8, &string(stored), None), text);
            assert_eq!(text_of(8, &string(stored), Some(100)), text);
        }

        assert_eq!(
            text_of(8, &string("{text:foo}"), Some(101)),
            "{text:foo}",
            "strict since 1.9"
        );
    }

    #[test]
    fn texts_in_nbt_are_read() {
        let field =
            |tag: u8, name: &str, payload: &[u8]| [&[tag][..], &string(name), payload].concat();

        let list = |tag: u8, parts: &[Vec<u8>]| {
            [
                &[tag][..],
                &(parts.len() as u32).to_be_bytes(),
                &parts.concat(),
            ]
            .concat()
        };

        let bold = [
            field(1, "bold", &[1]),
            field(8, "text", &string("b")),
            vec![0],
        ]
        .concat();

        let plain = [field(8, "", &string("c")), vec![0]].concat();
        let extra = list(10, &[bold, plain]);
        let whole = [
            field(9, "extra", &extra),
            field(8, "text", &string("a")),
            vec![0],
        ]
        .concat();

        assert_eq!(text_of(10, &whole, Some(4325)), "abc");
        assert_eq!(
            text_of(9, &list(8, &[string("x"), string("y")]), Some(4325)),
            "xy"
        );

        let translated = [
            field(8, "translate", &string("k")),
            field(8, "fallback", &string("K")),
            vec![0],
        ]
        .concat();
        assert_eq!(text_of(10, &translated, Some(4325)), "K");

        let deep = [9, 0, 0, 0, 1].repeat(300);
        assert_eq!(
            text_of(9, &[&deep[..], &[0, 0, 0, 0, 0]].concat(), Some(4325)),
            ""
        );
    }
}
