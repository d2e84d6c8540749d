//! The part of YAML that `action.yml` needs: maps, lists of maps, and texts on one line. Anything
//! else fails.

use serde_json::{Map, Value};

/// A line that is neither empty nor a comment: its indentation and its text.
type Line<'a> = (usize, &'a str);

/// The value of a document.
pub(super) fn parse(text: &str) -> Value {
    let lines = text
        .lines()
        .map(|line| (line.len() - line.trim_start().len(), line.trim()));
    let mut lines: Vec<Line<'_>> = lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let (value, rest) = block(&mut lines, 0);
    assert!(rest.is_empty(), "wrong indentation: {:?}", rest[0]);
    value
}

/// The map or list whose lines have this indentation, and the lines after it.
fn block<'a, 'b>(lines: &'b mut [Line<'a>], indent: usize) -> (Value, &'b mut [Line<'a>]) {
    if !lines[0].1.starts_with("- ") {
        return map(lines, indent);
    }

    let (mut list, mut lines) = (Vec::new(), lines);
    while lines.first().is_some_and(|line| line.0 == indent) {
        let text = lines[0].1.strip_prefix("- ").unwrap();
        lines[0] = (indent + 2, text);
        let (value, rest) = map(lines, indent + 2);
        list.push(value);
        lines = rest;
    }

    (Value::Array(list), lines)
}

fn map<'a, 'b>(mut lines: &'b mut [Line<'a>], indent: usize) -> (Value, &'b mut [Line<'a>]) {
    let mut map = Map::new();
    while let Some(&(_, line)) = lines.first().filter(|line| line.0 == indent) {
        let (key, text) = line
            .split_once(':')
            .unwrap_or_else(|| panic!("no key: {line}"));
        lines = &mut lines[1..];

        let value = if text.is_empty() {
            let deeper = lines[0].0;
            assert!(deeper > indent, "no value: {line}");
            let (value, rest) = block(lines, deeper);
            lines = rest;
            value
        } else {
            Value::String(scalar(
                text.strip_prefix(' ')
                    .unwrap_or_else(|| panic!("no blank: {line}")),
            ))
        };

        assert!(map.insert(key.to_owned(), value).is_none(), "twice: {line}");
    }

    (Value::Object(map), lines)
}

fn scalar(text: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(text) = text.strip_prefix(quote) {
            let text = text.strip_suffix(quote).unwrap();
            assert!(
                !text.contains(quote) && (quote == '\'' || !text.contains('\\')),
                "not read here: {text}"
            );
            return text.to_owned();
        }
    }

    let is_plain = !text.contains(": ")
        && !text.contains(" #")
        && !text.starts_with(['|', '>', '[', '{', '&', '*', '!']);
    assert!(is_plain, "not read here: {text}");
    text.to_owned()
}
