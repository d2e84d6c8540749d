//! Tests broken worlds: a fault costs only its own chunk, is named, and delays nothing.

mod bombs;
mod cases;
#[cfg(unix)]
mod no_files;
mod one_chunk;
pub(crate) mod places;
mod run;
mod texts;
