//! Files that are not on this machine: the way to object stores, and the files of worlds that are in
//! a bucket or at an address on the web.
//!
//! A world in a bucket becomes a remote folder, whose files are downloaded when they are first read
//! ([`RemoteFiles`](pixelmap_base::files::RemoteFiles)). An archive of a world is downloaded once. This
//! module treats all files as plain bytes.

mod address;
mod bucket_folder;
mod download;
mod error;
mod fetch;
mod remote_world;
mod stop;
mod store;
mod temporary;
mod traffic;
mod web;
#[cfg(test)]
mod web_tests;

pub use error::RemoteError;
pub use fetch::{DownloadWatch, Fetch};
pub use remote_world::{RemoteRequest, RemoteWorld};
pub(crate) use stop::unless_stopped;
pub(crate) use store::{StorePlace, is_refused, reason};
pub use traffic::TrafficCounts;
