//! The synchronization primitives of this room, named in one place.
//!
//! `countdown`, `idle`, `plan`, `queue` and `board` take their atomics, locks, deques and parkers from here and from
//! nowhere else, so that `tests/schedule/model.rs` can compile the same files over loom's primitives and try every
//! order of events. Knows nothing of workers and jobs.

pub(super) use crate::base::mutex::lock;
pub(super) use crossbeam_deque::{Steal, Stealer, Worker as Deque};
pub(super) use crossbeam_utils::sync::{Parker, Unparker};
pub(super) use crossbeam_utils::{Backoff, CachePadded};
pub(super) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(super) use std::sync::{Arc, Mutex};

/// Workers whose bits are in one word of `idle`. The model has fewer, so that few workers need several words.
pub(super) const BITS: usize = u64::BITS as usize;
