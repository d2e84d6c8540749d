//! Reads JSON that people have edited, which may begin with a byte order mark and contain comments.

use serde_json::Value;

/// The byte order mark of UTF-8.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns a file without the byte order mark with which some editors, such as Notepad, begin it.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// Parses JSON that may begin with a byte order mark and contain comments.
///
/// # Errors
/// Fails if the text is not JSON without its comments.
pub fn parse(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_str(&without_comments(&String::from_utf8_lossy(without_mark(
        bytes,
    ))))
}

/// Removes the comments from JSON, because the game allows them in its files.
fn without_comments(text: &str) -> String {
    let mut json = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut is_text = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if is_text => {
                json.push(letter);
                json.extend(letters.next());
                continue;
            }
            '"' => is_text = !is_text,
            '/' if !is_text && letters.peek() == Some(&'/') => {
                letters.by_ref().find(|&letter| letter == '\n');
                json.push('\n');
                continue;
            }
            '/' if !is_text && letters.peek() == Some(&'*') => {
                let mut last = ' ';
                letters.next();
                letters
                    .by_ref()
                    .find(|&letter| std::mem::replace(&mut last, letter) == '*' && letter == '/');
                continue;
            }
            _ => {}
        }

        json.push(letter);
    }

    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out_and_texts_stay() {
        assert_eq!(
            without_comments("{\"a//b\": 1 // c\n, /* d */ \"e\\\"/*\": 2}"),
            "{\"a//b\": 1 \n,  \"e\\\"/*\": 2}"
        );
        assert_eq!(without_comments("1 /* open"), "1 ");
    }
}
