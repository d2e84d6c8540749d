//! Worlds in the format from before Beta 1.3: one file per chunk, `a/b/c.X.Z.dat`, with all numbers
//! in base 36.
//!
//! A file is one gzipped chunk, in the same form as in region files until 1.1. Its two folders are
//! named after the last six bits of X and of Z, so the files of a region are spread over 1,024
//! folders. A game replaces a file as a whole: it writes a new file, removes the old one and
//! renames the new one. This module does not parse NBT and starts no threads.
//!
//! Source: the page on the Alpha level format of the Minecraft Wiki.

mod chunk_files;
mod chunk_path;
mod list;
#[cfg(test)]
mod tests;

pub(crate) use chunk_files::ChunkFiles;
pub(crate) use chunk_path::path;
pub(crate) use list::list;
