//! Removes the comments, the indentation and the empty lines of a script, so that visitors load
//! fewer bytes.
//!
//! Everything else stays, including the ends of lines. So an error in a browser still names a
//! readable line, and a statement that ends without a semicolon still ends.

use std::iter::Peekable;
use std::str::Chars;

/// The words after which a slash begins a regular expression, because no value precedes it.
const WORDS_BEFORE_REGEX: [&str; 7] = ["return", "typeof", "case", "in", "of", "delete", "void"];

/// Returns the script in its short form.
pub(crate) fn minify(script: &str) -> String {
    let mut minifier = Minifier {
        rest: script.chars().peekable(),
        out: String::with_capacity(script.len()),
    };
    minifier.copy_code(None);

    let mut short = minifier.out.trim().to_owned();
    short.push('\n');
    short
}

struct Minifier<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
}

impl Minifier<'_> {
    /// Copies code until it reads `end`, which it leaves out, or until the script ends.
    fn copy_code(&mut self, end: Option<char>) {
        let mut depth = 0;

        while let Some(next) = self.rest.next() {
            match next {
                '}' if depth == 0 && end == Some('}') => return,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }

            match next {
                '\'' | '"' => self.copy_quoted(next),
                '`' => self.copy_template(),
                '/' if self.rest.peek() == Some(&'/') => self.skip_line(),
                '/' if self.rest.peek() == Some(&'*') => self.skip_comment(),
                '/' if self.is_before_value() => self.copy_regex(),
                next if next.is_whitespace() => self.put_space(next),
                next => self.out.push(next),
            }
        }
    }

    /// Adds a space or the end of a line, unless one is there already.
    fn put_space(&mut self, space: char) {
        if space == '\n' {
            let len = self.out.trim_end_matches(' ').len();
            self.out.truncate(len);
        }
        if !self.out.ends_with([' ', '\n']) {
            self.out.push(if space == '\n' { '\n' } else { ' ' });
        }
    }

    /// Copies a string. Its first quote has been read.
    fn copy_quoted(&mut self, quote: char) {
        self.out.push(quote);
        while let Some(next) = self.rest.next() {
            self.out.push(next);
            if next == quote {
                return;
            }
            if next == '\\' {
                self.out.extend(self.rest.next());
            }
        }
    }

    /// Copies a template string, with the code in its braces. Its first quote has been read.
    fn copy_template(&mut self) {
        self.out.push('`');
        while let Some(next) = self.rest.next() {
            self.out.push(next);
            match next {
                '`' => return,
                '\\' => self.out.extend(self.rest.next()),
                '$' if self.rest.peek() == Some(&'{') => {
                    self.out.extend(self.rest.next());
                    self.copy_code(Some('}'));
                    self.out.push('}');
                }
                _ => {}
            }
        }
    }

    /// Copies a regular expression. Its first slash has been read.
    fn copy_regex(&mut self) {
        self.out.push('/');
        let mut is_in_class = false;
        while let Some(next) = self.rest.next() {
            self.out.push(next);
            match next {
                '/' if !is_in_class => return,
                '[' => is_in_class = true,
                ']' => is_in_class = false,
                '\\' => self.out.extend(self.rest.next()),
                _ => {}
            }
        }
    }

    /// Skips the rest of a line, but not its end.
    fn skip_line(&mut self) {
        while self.rest.next_if(|&next| next != '\n').is_some() {}
    }

    fn skip_comment(&mut self) {
        self.rest.next();
        let mut last = ' ';
        for next in self.rest.by_ref() {
            if last == '*' && next == '/' {
                return;
            }
            last = next;
        }
    }

    /// Returns whether a slash at this point begins a regular expression, because a value may
    /// follow here. After a value it divides.
    fn is_before_value(&self) -> bool {
        let code = self.out.trim_end();
        let Some(last) = code.chars().next_back() else {
            return true;
        };
        if !last.is_alphanumeric() && last != '_' && last != '$' {
            return !")]}'\"`".contains(last);
        }

        let before = code.trim_end_matches(|character: char| {
            character.is_alphanumeric() || "_$".contains(character)
        });
        WORDS_BEFORE_REGEX.contains(&&code[before.len()..])
    }
}
