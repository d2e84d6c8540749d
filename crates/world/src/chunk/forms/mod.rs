//! The forms in which all versions and editions of the game store a chunk. `view` shows others one
//! view of them.
//!
//! `parse` passes over the bytes of a chunk once and remembers in `stored` where its sections have
//! their blocks, biomes and light. `java` and `bedrock` read single cells from these positions.

pub(crate) mod bedrock;
pub(crate) mod java;
pub(crate) mod parse;
pub(crate) mod stored;
