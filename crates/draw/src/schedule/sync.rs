//! The synchronization primitives of this room, named in one place.
//!
//! `countdown`, `idle`, `plan`, `queue` and `board` use only the atomics, locks, deques and parkers
//! of this file, so that `tests/schedule/model.rs` can compile the same files with the primitives
//! of loom and try every order of events.

pub(super) use crossbeam_deque::{Steal, Stealer, Worker as Deque};
pub(super) use crossbeam_utils::sync::{Parker, Unparker};
pub(super) use crossbeam_utils::{Backoff, CachePadded};
pub(super) use pixelmap_base::mutex::lock;
pub(super) use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub(super) use std::sync::{Arc, Mutex};

/// The number of workers per word of bits in `idle`. The model uses fewer, so that a few workers
/// need several words.
pub(super) const BITS: usize = u64::BITS as usize;
