//! Writes JSON. Control characters that a terminal would interpret, and characters that change the
//! order of the letters around them, are escaped, because names in a world may contain anything and
//! people read JSON in terminals.

use std::fmt::Write as _;

use serde::Serialize;

/// A value with the name of its world as an additional field, if it has one.
#[derive(Debug, Serialize)]
pub struct WithWorldName<'a, T> {
    #[serde(flatten)]
    value: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    world_name: Option<&'a str>,
}

impl<'a, T: Serialize> WithWorldName<'a, T> {
    pub const fn new(world_name: Option<&'a str>, value: T) -> Self {
        Self { value, world_name }
    }
}

/// Writes a value on one line.
///
/// # Errors
/// Fails if JSON cannot hold the value.
pub fn text(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(escape_controls)
}

/// Writes a value on several lines, for people.
///
/// # Errors
/// Fails if JSON cannot hold the value.
pub fn pretty(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(escape_controls)
}

/// Writes a value on one line at the end of `out`. Programs that write millions of lines use one
/// buffer for all of them.
///
/// # Errors
/// Fails if JSON cannot hold the value.
pub fn append(out: &mut Vec<u8>, value: &impl Serialize) -> serde_json::Result<()> {
    let start = out.len();
    serde_json::to_writer(&mut *out, value)?;

    // Almost all lines consist of visible ASCII characters, so this check is enough for them.
    if out[start..].iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(());
    }

    // serde_json writes UTF-8 only.
    let json = String::from_utf8_lossy(&out[start..]).into_owned();
    out.truncate(start);
    out.extend_from_slice(escape_controls(json).as_bytes());
    Ok(())
}

/// Returns whether a terminal interprets a character, or shows the characters around it in another
/// order.
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes the characters that a terminal interprets as `\uXXXX`. In JSON they occur in strings
/// only. The only exceptions are line ends between values, which stay; inside strings JSON has
/// already escaped them.
fn escape_controls(json: String) -> String {
    if !json.contains(is_escaped) {
        return json;
    }

    let mut text = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_escaped(c) {
            // All of these characters have at most four hex digits. Writing to a string cannot
            // fail.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }

    text
}

fn is_escaped(c: char) -> bool {
    c != '\n' && is_obeyed(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_controls_are_escaped_and_read_back() {
        let obeyed = ('\0'..=char::MAX).filter(|&c| is_obeyed(c));
        let said: std::collections::BTreeMap<String, Vec<String>> = obeyed
            .map(|c| {
                (
                    format!("a{c}"),
                    vec![format!("\"{c}\\{c}\u{e9}"), "\n".to_owned()],
                )
            })
            .collect();
        assert_eq!(said.len(), 65 + 12);

        let mut appended = b"before".to_vec();
        append(&mut appended, &said).unwrap();
        let appended = String::from_utf8(appended).unwrap();
        assert_eq!(
            appended.strip_prefix("before"),
            text(&said).ok().as_deref(),
            "the same text behind the earlier one"
        );

        for json in [text(&said), pretty(&said)].map(Result::unwrap) {
            assert!(json.chars().all(|c| c == '\n' || !is_obeyed(c)));
            assert_eq!(
                serde_json::from_str::<std::collections::BTreeMap<_, _>>(&json).unwrap(),
                said
            );
        }

        assert_eq!(
            text(&"\u{9b}2J\u{7f}\u{202e}").unwrap(),
            r#""\u009b2J\u007f\u202e""#
        );
    }

    #[test]
    fn harmless_letters_are_not_escaped() {
        let said = [
            "plain",
            "\u{e9}\u{4e00}\u{1f600}",
            "\u{2028}\u{ad}",
            "tab\t\"\\",
            "\u{1}",
        ];
        assert_eq!(text(&said).unwrap(), serde_json::to_string(&said).unwrap());
        assert_eq!(
            pretty(&said).unwrap(),
            serde_json::to_string_pretty(&said).unwrap()
        );
    }
}
