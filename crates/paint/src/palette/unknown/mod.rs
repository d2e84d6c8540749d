//! Chooses colours for names that are in none of the tables, from the words in them.

mod guess;
mod words;

pub(super) use guess::{AIR, Guess, guess};
