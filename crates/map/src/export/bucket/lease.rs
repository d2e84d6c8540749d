//! The lock of a map in a bucket. The run that holds the lock renews it. If nobody renews the lock,
//! another run takes it over, so that a killed run does not block the map for ever.
//!
//! The lock is a small file that the store writes only under a condition: it must not exist, or it
//! must still have the version that the writer wrote or read last. So only one of two runs
//! succeeds, and a run that has lost its lock notices this at its next renewal. Clocks of machines
//! are never compared: a run that finds a lock watches it, and takes it over only if it did not
//! change for [`LeaseTimes::takeover`]. The holder stops uploading before that time has passed
//! since its last renewal.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::pin::pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures_util::future::select;
use object_store::{PutMode, UpdateVersion};
use tokio::runtime::Runtime;
use tokio::sync::{Mutex as AsyncMutex, Notify};
use tokio::time::{sleep, timeout};

use super::store::{Bucket, BucketError};
use crate::remote::unless_stopped;
use pixelmap_base::mutex;

/// The longest time for giving the lock back when a run ends.
const LAST_REQUEST: Duration = Duration::from_secs(10);
/// Attempts to write the lock if the store does not answer. Stores do not repeat such requests
/// themselves.
const ATTEMPTS: u32 = 5;
/// The wait after the first failed attempt. Each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The times of a lock.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeaseTimes {
    /// The time between two renewals.
    pub(super) renewal: Duration,
    /// The holder stops uploading if its last renewal is older than this.
    pub(super) validity: Duration,
    /// A lock that was not renewed for this time is taken over.
    pub(super) takeover: Duration,
    /// The time between two checks of another run's lock.
    pub(super) look: Duration,
}

impl Default for LeaseTimes {
    fn default() -> Self {
        Self {
            renewal: Duration::from_secs(10),
            validity: Duration::from_secs(30),
            takeover: Duration::from_mins(1),
            look: Duration::from_secs(2),
        }
    }
}

/// A lock that this run holds until the value is dropped.
#[derive(Debug)]
pub(super) struct Lease {
    lock: Arc<Lock>,
    runtime: Arc<Runtime>,
    renewing: Option<JoinHandle<()>>,
}

/// A lock of this run, which a thread renews.
#[derive(Debug)]
struct Lock {
    bucket: Arc<Bucket>,
    path: String,
    times: LeaseTimes,
    /// A random number that no other run uses.
    run: u64,
    written: AsyncMutex<Written>,
    state: std::sync::Mutex<LeaseState>,
    /// Wakes the thread that renews the lock when the run ends.
    end: Notify,
}

/// The version of the lock in the bucket.
#[derive(Debug)]
struct Written {
    version: UpdateVersion,
    /// The number of renewals, so that each version has other bytes.
    renewals: u64,
}

#[derive(Debug, Clone, Copy)]
struct LeaseState {
    renewed: Instant,
    /// Whether another run has taken the lock over.
    is_lost: bool,
}

impl Lease {
    /// Takes the lock at `path`, and renews it from then on. Waits while nobody renews the lock of
    /// another run. Returns `None` if `is_stopped` ended the wait.
    ///
    /// # Errors
    /// Fails if another run renews the lock, or if the store does not answer or refuses.
    pub(super) fn take(
        bucket: Arc<Bucket>,
        runtime: Arc<Runtime>,
        path: String,
        times: LeaseTimes,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, BucketError> {
        let run = RandomState::new().build_hasher().finish();
        let claim = Claim {
            bucket: &bucket,
            path: &path,
            times,
            run,
        };

        let Some(taken) = runtime.block_on(unless_stopped(is_stopped, claim.take())) else {
            return Ok(None);
        };

        let (renewed, version) = taken?;
        let lock = Arc::new(Lock {
            bucket,
            path,
            times,
            run,
            written: AsyncMutex::new(Written {
                version,
                renewals: 0,
            }),
            state: std::sync::Mutex::new(LeaseState {
                renewed,
                is_lost: false,
            }),
            end: Notify::new(),
        });

        let (of_thread, on) = (Arc::clone(&lock), Arc::clone(&runtime));
        let renewing = std::thread::Builder::new()
            .name("lease".to_owned())
            .spawn(move || on.block_on(of_thread.keep()))
            .ok();
        Ok(Some(Self {
            lock,
            runtime,
            renewing,
        }))
    }

    /// Waits while another run renews the lock at `path`, without taking it. Returns `None` if
    /// `is_stopped` ended the wait.
    ///
    /// # Errors
    /// Fails if another run renews the lock, or if the store does not answer or refuses.
    pub(super) fn wait_until_free(
        bucket: &Bucket,
        runtime: &Runtime,
        path: &str,
        times: LeaseTimes,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<()>, BucketError> {
        let claim = Claim {
            bucket,
            path,
            times,
            run: 0,
        };
        let watched = runtime.block_on(unless_stopped(is_stopped, claim.watch()));
        Ok(watched.transpose()?.map(drop))
    }

    /// Returns whether the lock was renewed recently, so that no other run has taken it over.
    pub(super) fn is_valid(&self) -> bool {
        let state = *mutex::lock(&self.lock.state);
        !state.is_lost && state.renewed.elapsed() < self.lock.times.validity
    }

    /// Renews the lock now.
    ///
    /// # Errors
    /// Fails if another run has taken it over, or if the store does not answer.
    pub(super) fn confirm(&self) -> Result<(), BucketError> {
        self.runtime.block_on(self.lock.renew())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.lock.end.notify_one();
        if let Some(renewing) = self.renewing.take() {
            let _ = renewing.join();
        }

        // If this fails, the next run waits until it may take the lock over.
        if self.is_valid() {
            let removed = self.lock.bucket.remove(vec![self.lock.path.clone()]);
            let _ = self
                .runtime
                .block_on(async { timeout(LAST_REQUEST, removed).await });
        }
    }
}

impl Lock {
    /// Renews the lock until the run ends or another run has taken it over.
    async fn keep(&self) {
        let renewing = async {
            loop {
                sleep(self.times.renewal).await;
                // A store that does not answer now may answer at the next renewal.
                if let Err(BucketError::Held(_)) = self.renew().await {
                    return;
                }
            }
        };
        select(pin!(renewing), pin!(self.end.notified())).await;
    }

    async fn renew(&self) -> Result<(), BucketError> {
        let mut written = self.written.lock().await;
        let renewed = Instant::now();
        let renewals = written.renewals + 1;
        let claim = Claim {
            bucket: &self.bucket,
            path: &self.path,
            times: self.times,
            run: self.run,
        };

        let version = claim.write(renewals, PutMode::Update(written.version.clone()));
        if let Some(version) = version.await? {
            *written = Written { version, renewals };
            mutex::lock(&self.state).renewed = renewed;
            return Ok(());
        }

        mutex::lock(&self.state).is_lost = true;
        Err(self.bucket.held())
    }
}

/// A run that tries to take a lock.
struct Claim<'a> {
    bucket: &'a Bucket,
    path: &'a str,
    times: LeaseTimes,
    run: u64,
}

impl Claim<'_> {
    /// Takes the lock. Returns its version, and the time before it was written.
    async fn take(&self) -> Result<(Instant, UpdateVersion), BucketError> {
        let mut mode = PutMode::Create;
        for _ in 0..ATTEMPTS {
            let before = Instant::now();
            let is_takeover = matches!(mode, PutMode::Update(_));
            if let Some(version) = self.write(0, mode).await? {
                return Ok((before, version));
            }

            if is_takeover {
                return Err(self.bucket.held());
            }

            mode = if let Some(version) = self.watch().await? {
                PutMode::Update(version)
            } else {
                sleep(self.times.look).await;
                PutMode::Create
            };
        }

        // Other runs took the lock and gave it back each time.
        Err(self.bucket.held())
    }

    /// Waits until nobody has renewed the lock of another run for long enough. Returns its version,
    /// or `None` if its run has given it back.
    ///
    /// # Errors
    /// Fails if its run renews it, because then that run is at work.
    async fn watch(&self) -> Result<Option<UpdateVersion>, BucketError> {
        let Some((text, version)) = self.bucket.versioned_text(self.path).await? else {
            return Ok(None);
        };

        let since = Instant::now();
        while since.elapsed() < self.times.takeover {
            sleep(self.times.look).await;
            match self.bucket.versioned_text(self.path).await? {
                None => return Ok(None),
                Some((now, _)) if now == text => {}
                Some(_) => return Err(self.bucket.held()),
            }
        }

        Ok(Some(version))
    }

    /// Writes the lock under a condition. Returns its version, or `None` if another run has it.
    ///
    /// An attempt whose answer is lost may have succeeded, so the bytes of the lock decide.
    async fn write(
        &self,
        renewals: u64,
        mode: PutMode,
    ) -> Result<Option<UpdateVersion>, BucketError> {
        let text = format!(
            "{{\"run\":\"{:016x}\",\"renewals\":{renewals}}}\n",
            self.run
        );

        let mut wait = FIRST_WAIT;
        let mut attempt = 1;
        loop {
            let put = self
                .bucket
                .put_if(self.path, text.clone().into(), mode.clone());
            match put.await {
                Ok(Some(version)) => return Ok(Some(version)),
                Ok(None) => {
                    let there = self.bucket.versioned_text(self.path).await?;
                    let own = there.filter(|(there, _)| there == text.as_bytes());
                    return Ok(own.map(|(_, version)| version));
                }
                Err(BucketError::Away(..)) if attempt < ATTEMPTS => {}
                Err(error) => return Err(error),
            }

            sleep(wait).await;
            wait *= 2;
            attempt += 1;
        }
    }
}
