//! Room for a chunk's stored and plain bytes: each worker's own, and one large pair in the whole process.

use std::io;
use std::mem;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::Fault;

/// The most bytes in a worker's own buffer. Only one buffer in the whole process may be larger at a time.
pub(super) const OWN_BUFFER: usize = 8 << 20;

/// The large pair: with the worker that reads a chunk of more than [`OWN_BUFFER`], and here between such chunks. It is
/// kept once it has grown: the system takes longer to clear 64 MiB than they take to inflate.
static LARGE: Large = Large { free: Mutex::new(Some(Pair::EMPTY)), freed: Condvar::new() };
/// A worker that waits for the large pair looks this often for the end of the run.
const LOOK_EVERY: Duration = Duration::from_millis(50);

struct Large {
    /// `None`: a worker has it.
    free: Mutex<Option<Pair>>,
    freed: Condvar,
}

/// Room for a record as it is stored, and for its plain bytes. Neither shrinks, so that none is cleared again and
/// again.
pub(super) struct Pair {
    pub(super) packed: Vec<u8>,
    pub(super) plain: Vec<u8>,
}

impl Pair {
    const EMPTY: Self = Self { packed: Vec::new(), plain: Vec::new() };
}

/// The right to large buffers. Holds the worker's own ones while the large ones are in use; a holder that panics gives
/// them back, too.
pub(super) struct Held(Pair);

impl Large {
    /// Waits for the right; `None`: the run is to end.
    fn take(&self, stop: &dyn Fn() -> bool) -> Option<Held> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(pair) = free.take() {
                return Some(Held(pair));
            }
            if stop() {
                return None;
            }
            free = self.freed.wait_timeout(free, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *LARGE.free.lock().unwrap_or_else(PoisonError::into_inner) = Some(mem::replace(&mut self.0, Pair::EMPTY));
        LARGE.freed.notify_one();
    }
}

/// One worker's buffers.
pub(super) struct Buffers {
    /// Its own, or the large ones in their stead.
    pub(super) pair: Pair,
    large: Option<Held>,
    /// Returns whether the run is to end, and with it every wait.
    stop: Box<dyn Fn() -> bool + Send>,
}

impl Buffers {
    pub(super) fn new(stop: impl Fn() -> bool + Send + 'static) -> Self {
        Self { pair: Pair::EMPTY, large: None, stop: Box::new(stop) }
    }

    /// Makes room for `len` stored bytes. Waits for the large pair if that is needed.
    ///
    /// # Errors
    /// The run is to end before the large pair is free.
    pub(super) fn packed(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        self.room(|pair| &mut pair.packed, len)
    }

    /// The same for plain bytes.
    ///
    /// # Errors
    /// As [`Buffers::packed`].
    pub(super) fn plain(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        self.room(|pair| &mut pair.plain, len)
    }

    fn room(&mut self, of: fn(&mut Pair) -> &mut Vec<u8>, len: usize) -> Result<&mut [u8], Fault> {
        if len > OWN_BUFFER {
            if self.large.is_none() {
                let interrupted = || io::Error::new(io::ErrorKind::Interrupted, "the run is to end");
                self.large = Some(LARGE.take(&self.stop).ok_or_else(interrupted)?);
            }
            let own = of(&mut self.pair);
            if let (true, Some(Held(large))) = (own.len() <= OWN_BUFFER, &mut self.large) {
                mem::swap(own, of(large));
            }
        }
        let buffer = of(&mut self.pair);
        lengthen(buffer, len);
        Ok(&mut buffer[..len])
    }

    /// Lets the next worker have the large buffers.
    pub(super) fn give_back(&mut self) {
        if let Some(Held(large)) = &mut self.large {
            let Pair { packed, plain } = &mut self.pair;
            for (here, there) in [(packed, &mut large.packed), (plain, &mut large.plain)] {
                if here.len() > OWN_BUFFER {
                    mem::swap(here, there);
                }
            }
            self.large = None;
        }
    }

    /// Holds the large buffers as another worker does.
    #[cfg(test)]
    pub(super) fn hold() -> impl Drop {
        LARGE.take(&|| false).unwrap()
    }

    #[cfg(test)]
    pub(super) fn holds_large(&self) -> bool {
        self.large.is_some()
    }
}

/// Makes a buffer at least `len` bytes long and no longer; what is in it is lost if it grows.
fn lengthen(buffer: &mut Vec<u8>, len: usize) {
    if buffer.len() < len {
        // Growing by doubling would pass the bound that `len` was checked against.
        buffer.clear();
        buffer.reserve_exact(len);
        buffer.resize(len, 0);
    }
}
