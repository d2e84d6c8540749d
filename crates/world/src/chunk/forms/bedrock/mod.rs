//! Reads the values of Bedrock Edition, and converts the cells of its sections to the packed indices
//! of Java Edition.

pub(crate) mod dyes;
pub(crate) mod spawners;
pub(crate) mod storage;
pub(crate) mod subchunk;
