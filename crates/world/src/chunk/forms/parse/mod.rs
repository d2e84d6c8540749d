//! Finds the sections of a chunk and everything else that it stores, in one pass over its bytes.

pub(crate) mod bedrock;
pub(crate) mod java;
mod java_section;
pub(crate) mod network;
