//! Reads region files: the header, and the records of single chunks.
//!
//! A region file (`r.X.Z.mca`, or `.mcr` before 1.2) is a header of 8 KiB, followed by records in
//! sectors of 4 KiB. The file's name contains the coordinates of the region, and a chunk's position
//! follows from its slot in the header. A fault costs at most the chunk that contains it. This
//! module does not parse NBT itself and starts no threads.

mod ahead;
mod file;
mod header;
#[cfg(test)]
mod live_tests;
mod load;
#[cfg(test)]
mod tests;

pub use file::RegionFile;
pub use header::{Location, RegionHeader};
