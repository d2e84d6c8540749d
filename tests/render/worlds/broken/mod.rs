//! Broken worlds: a fault costs the chunk that it is in and nothing else, is named, and holds nothing up.

mod bombs;
mod cases;
#[cfg(unix)]
mod no_files;
mod one_chunk;
pub(crate) mod places;
mod run;
mod texts;
