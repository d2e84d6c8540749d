//! Reads the files that a LevelDB had at one moment: `open_files` follows `CURRENT` and the manifest
//! (`snapshot`) to the tables and the logs. This folder returns keys and values, and does not
//! interpret them.
//!
//! Source: the `doc` folder of LevelDB, and Mojang's `leveldb-mcpe` for its additions.

mod block;
mod checksum;
pub(crate) mod fields;
mod key_range;
mod log;
mod manifest;
mod open_files;
mod records;
mod snapshot;
mod table;

pub(crate) use block::BlockReader;
pub(crate) use key_range::KeyRange;
pub(crate) use log::Logs;
pub use open_files::OpenError;
pub(crate) use open_files::{OpenFiles, open_files};
pub use snapshot::is_database;
pub(crate) use table::Table;
