//! Files that are not on this machine: the way to object stores. This module treats all files as
//! plain bytes.

mod stop;
mod store;
mod traffic;

pub(crate) use stop::unless_stopped;
pub(crate) use store::{StorePlace, is_refused, reason};
pub use traffic::TrafficCounts;
