//! Region files: the header, and one chunk's record.
//!
//! A region file (`r.X.Z.mca`, or `.mcr` before 1.2) is 8 KiB of header and then records in sectors of 4 KiB. Its
//! coordinates come from its name; a chunk's place is its slot in the header. Faults cost at most the chunk they are
//! in. Knows neither NBT nor threads.

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
