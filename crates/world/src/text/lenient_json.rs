//! Parses JSON as leniently as Minecraft 1.8 did: names and texts without quotes or in single
//! quotes, `=` or `=>` for `:`, `;` for `,`, comments, and a comma before the end.
//!
//! Source: `JsonReader` of Gson with `setLenient(true)`, which the game uses. Gson refuses a comma
//! before the end of an object, and reads one before the end of a list as a null element. This
//! parser accepts both, because the text is clear all the same.

use serde_json::{Map, Value};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 16;

/// The characters that end a name or text without quotes.
const ENDS: &str = "/\\;#={}[]:, \t\u{c}\r\n";

/// Parses a text that consists of one value. `None` if it is not even lenient JSON.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let mut parser = Parser { rest: text };
    let value = parser.value(0)?;
    parser.skip_blank();
    parser.rest.is_empty().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }

        self.skip_blank();

        match self.rest.chars().next()? {
            '{' => self.object(depth),
            '[' => self.list(depth),
            '"' | '\'' => self.word().map(Value::String),
            _ => Some(match self.word()?.as_str() {
                "null" => Value::Null,
                word => Value::String(word.to_owned()),
            }),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.skip('{');

        let mut fields = Map::new();
        while !self.skip_token('}') {
            let name = self.word()?;
            if self.skip_token('=') {
                self.skip('>');
            } else if !self.skip_token(':') {
                return None;
            }
            fields.insert(name, self.value(depth + 1)?);
            self.separator('}')?;
        }

        Some(Value::Object(fields))
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.skip('[');
        let mut elements = Vec::new();
        while !self.skip_token(']') {
            elements.push(self.value(depth + 1)?);
            self.separator(']')?;
        }
        Some(Value::Array(elements))
    }

    /// Skips a comma or semicolon, which is optional before the `end`.
    fn separator(&mut self, end: char) -> Option<()> {
        let is_there = self.skip_token(',') || self.skip_token(';') || self.rest.starts_with(end);
        is_there.then_some(())
    }

    /// Reads a name or a text, and moves past it.
    fn word(&mut self) -> Option<String> {
        self.skip_blank();

        if let Some(quote) = self
            .rest
            .chars()
            .next()
            .filter(|letter| matches!(letter, '"' | '\''))
        {
            self.skip(quote);
            return self.quoted(quote);
        }

        let end = self
            .rest
            .find(|letter| ENDS.contains(letter))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;

        (!word.is_empty()).then(|| word.to_owned())
    }

    /// Reads the rest of a quoted text. It is collected as UTF-16, because `\u` escapes store
    /// characters beyond the basic plane as two surrogates.
    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut halves = Vec::new();
        let mut letters = self.rest.chars();
        loop {
            let letter = match letters.next()? {
                letter if letter == quote => break,
                '\\' => match letters.next()? {
                    'u' => {
                        let digits = letters.as_str().get(..4)?;
                        halves.push(u16::from_str_radix(digits, 16).ok()?);
                        letters = letters.as_str()[4..].chars();
                        continue;
                    }
                    't' => '\t',
                    'b' => '\u{8}',
                    'n' => '\n',
                    'r' => '\r',
                    'f' => '\u{c}',
                    letter @ ('\n' | '\'' | '"' | '\\' | '/') => letter,
                    _ => return None,
                },
                letter => letter,
            };

            halves.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
        }

        self.rest = letters.as_str();
        Some(String::from_utf16_lossy(&halves))
    }

    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
            let is_line = self.rest.starts_with('#') || self.rest.starts_with("//");
            let end = match self.rest.strip_prefix("/*") {
                Some(comment) => comment.find("*/").map(|at| at + 4),
                None if is_line => Some(self.rest.find('\n').unwrap_or(self.rest.len())),
                None => None,
            };
            let Some(end) = end else { return };
            self.rest = &self.rest[end..];
        }
    }

    /// Skips blanks and then a character. Returns whether the character was there.
    fn skip_token(&mut self, letter: char) -> bool {
        self.skip_blank();
        self.skip(letter)
    }

    /// Skips a character that follows immediately. Returns whether it was there.
    fn skip(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}
