//! The stored bytes of chunks, shared by all kinds of stores: reads files that a game may be
//! writing, inflates bytes within limits, and defines the hashes, stamps and faults that are
//! returned with them. This module does not parse NBT and starts no threads.

mod budget;
mod buffers;
mod cut;
mod defect;
mod disk;
mod fault;
mod hash;
mod inflate;
mod kept_parts;
mod lz4;
pub(crate) mod network;
mod record;
mod stamp;
pub(crate) mod tag;
mod waiting;

pub(crate) use budget::Allowance;
pub(crate) use budget::SHORT_CHUNK;
pub use defect::{Defect, FileDamage, StreamDamage};
pub(crate) use disk::Disk;
#[cfg(test)]
pub(crate) use fault::MAX_REGION;
pub use fault::{Fault, MAX_INFLATED};
pub use hash::{ChunkHash, NO_RECORD, UNOPENED, UNSTABLE, join_hashes};
pub(crate) use hash::{hash_external, hash_fault, hash_record, hash_values};
pub(crate) use inflate::{GZIP, InflatedLen, UNCOMPRESSED};
pub use inflate::{Inflater, PlainBytes};
pub(crate) use kept_parts::{DatabaseRegion, PartKey};
#[cfg(test)]
pub(crate) use lz4::tests::stream as lz4_stream;
pub use record::{ChunkRecord, ChunkStorage, Form, UNKNOWN_LOWEST};
pub use stamp::Stamp;
pub(crate) use waiting::{LONG_REST, PATIENCE, PAUSE, REST, RESTS, WaitingTime};
