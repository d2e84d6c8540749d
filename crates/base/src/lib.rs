//! Leaves that know neither the game nor maps: positions, JSON, files on the disk or in an archive, the
//! folder of an output, errors that may pass, locks, small caches, and letters in pictures. All
//! other crates name this one, so it must never name them.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files of their own")
)]

pub mod address;
pub mod at;
pub mod coord;
pub mod denied;
pub mod disk;
pub mod edited_json;
#[cfg(any(test, feature = "faults"))]
pub mod faults;
pub mod file_names;
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
pub mod zstd_stream;
