//! Finished maps: reading them (`atlas`), changing their folders safely (`store`), their page
//! (`page`), pictures, archives and buckets made from them (`export`), and differences between them
//! (`compare`). This crate must never know worlds and chunks, so that a command on a finished map
//! needs neither.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files of their own")
)]

pub mod atlas;
pub mod compare;
pub mod export;
pub mod page;
#[cfg(feature = "object-store")]
pub mod remote;
pub mod store;
