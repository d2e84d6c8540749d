//! Leaves that know neither the game nor maps: positions, JSON, reads at a place of a file, errors that may pass, and
//! letters in pictures.

pub(crate) mod at;
pub mod coord;
pub(crate) mod hash;
pub mod json;
pub(crate) mod letters;
pub(crate) mod retry;
