//! The game's formatting codes in the names that players gave.

/// Removes the game's formatting codes, such as `§l`, because only the game renders them.
pub fn unformatted(name: &str) -> String {
    let mut letters = name.chars();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        if letter == '§' {
            letters.next();
        } else {
            text.push(letter);
        }
    }

    text
}
