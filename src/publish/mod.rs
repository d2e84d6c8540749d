//! A sink for finished tiles: the output folder, its manifest and the files of the viewer.
//!
//! Knows no pixels and no chunks: a tile reaches it as the bytes of a finished file.

pub mod viewer;
