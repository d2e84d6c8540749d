//! Leaves that know neither the game nor maps: positions, JSON, reading of files, errors that may
//! pass, locks, small caches, and letters in pictures.

pub(crate) mod at;
pub mod coord;
pub mod denied;
pub mod disk;
pub(crate) mod edited_json;
#[cfg(test)]
pub(crate) mod faults;
pub(crate) mod hash;
pub mod json;
pub(crate) mod letters;
pub(crate) mod mutex;
pub(crate) mod name_lines;
pub mod own_folder;
pub(crate) mod recent;
pub mod retry;
pub mod time;
pub(crate) mod words;
