//! A flag that ends a run early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends a run early. Clones share the same flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// Prevents further jobs from starting. Running jobs end normally.
    pub fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl From<Arc<AtomicBool>> for Stop {
    /// Makes a stop that is requested by setting this flag, because a signal handler can do nothing
    /// more than that.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
