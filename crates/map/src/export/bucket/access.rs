//! How a run uses a map in a bucket, and the locks that it needs for that.

use std::sync::Arc;

use tokio::runtime::Runtime;

use super::lease::{Lease, LeaseTimes};
use super::store::{Bucket, BucketError};
use crate::store::TravellingState;

/// How a map in a bucket is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BucketAccess {
    /// The run changes the whole map.
    Change,
    /// The run draws the part of a shard, which has this name.
    Part(String),
    /// The run merges the parts of all shards.
    Merge,
    /// The map is only read.
    Look,
}

impl BucketAccess {
    /// Returns the state that the run changes.
    pub(super) fn state(&self) -> TravellingState {
        match self {
            Self::Part(name) => TravellingState::of_part(name),
            Self::Change | Self::Merge | Self::Look => TravellingState::of_map(),
        }
    }

    /// Takes the locks of the run; the first one is renewed while the run uploads. A run that only
    /// reads takes no lock. Returns `None` if `is_stopped` ended the wait for a lock.
    ///
    /// Shards and runs of the whole map exclude each other: each run takes its own lock, and then
    /// checks the locks of the others.
    ///
    /// # Errors
    /// Fails if another run renews one of the locks, or if the store does not answer or refuses.
    pub(super) fn take_locks(
        &self,
        bucket: &Arc<Bucket>,
        runtime: &Arc<Runtime>,
        times: LeaseTimes,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Lease>>, BucketError> {
        let take = |path: String| {
            let (bucket, runtime) = (Arc::clone(bucket), Arc::clone(runtime));
            Lease::take(bucket, runtime, path, times, is_stopped)
        };

        if *self == Self::Look {
            return Ok(Some(Vec::new()));
        }

        let Some(own) = take(self.state().lock())? else {
            return Ok(None);
        };

        let mut locks = vec![own];
        if let Self::Part(_) = self {
            // Many shards need this lock to be free at the same time, so none of them takes it.
            let path = TravellingState::of_map().lock();
            let free = Lease::wait_until_free(bucket, runtime, &path, times, is_stopped)?;
            return Ok(free.map(|()| locks));
        }

        let mut parts = runtime.block_on(bucket.paths_below(&TravellingState::parts()))?;
        parts.retain(|path| path.ends_with("/lock"));
        for path in parts {
            let Some(of_part) = take(path)? else {
                return Ok(None);
            };
            locks.push(of_part);
        }

        Ok(Some(locks))
    }
}
