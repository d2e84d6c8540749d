//! Leaves that know neither the game nor maps: positions, JSON, reading of files, errors that may
//! pass, locks, small caches, and letters in pictures.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "what tests write is no output of the program"
    )
)]

pub mod at;
pub mod coord;
pub mod denied;
pub mod disk;
pub mod edited_json;
#[cfg(any(test, feature = "faults"))]
pub mod faults;
pub mod files;
pub mod hash;
pub mod json;
pub mod letters;
pub mod mutex;
pub mod name_lines;
pub mod own_folder;
pub mod recent;
pub mod retry;
pub mod time;
pub mod words;
