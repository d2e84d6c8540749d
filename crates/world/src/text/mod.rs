//! Reads the texts and signs of a world as plain text, in every form in which the game stores them.

mod lenient_json;
mod read;
mod signs;

pub use read::{letters, plain_text, read};
pub use signs::{SignEntity, SignKind, read_signs};
