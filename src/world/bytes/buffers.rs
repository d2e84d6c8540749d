//! Each worker's buffers for a chunk's stored and plain bytes. Only one worker at a time has large ones.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::world::bytes::fault::Fault;

/// The most bytes of a buffer that a worker keeps, and gets without waiting.
pub(crate) const OWN_BUFFER: usize = 8 << 20;
/// How often a worker that waits for large buffers checks whether they are free, and whether the run ends.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Whether a worker of this process has the right to large buffers.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The right to large buffers. A holder that panics gives it back, too.
struct Right;

impl Right {
    /// Waits for the right.
    ///
    /// # Errors
    /// The run ends before it is free.
    fn take(stop: &dyn Fn() -> bool) -> Result<Self, Fault> {
        while IS_TAKEN.swap(true, Ordering::Acquire) {
            if stop() {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "the run is to end").into());
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(Self)
    }
}

impl Drop for Right {
    fn drop(&mut self) {
        IS_TAKEN.store(false, Ordering::Release);
    }
}

/// One worker's buffers. Those that it keeps never shrink, so that they are not cleared again and again.
pub(crate) struct Buffers {
    /// A record as it is stored.
    pub(crate) packed: Vec<u8>,
    /// The record's plain bytes.
    pub(crate) plain: Vec<u8>,
    right: Option<Right>,
    /// Returns whether the run ends, and with it every wait.
    stop: Box<dyn Fn() -> bool + Send>,
}

impl Buffers {
    pub(crate) fn new(stop: impl Fn() -> bool + Send + 'static) -> Self {
        Self { packed: Vec::new(), plain: Vec::new(), right: None, stop: Box::new(stop) }
    }

    /// Makes room for `len` stored bytes. Waits for the right to large buffers if it is needed.
    ///
    /// # Errors
    /// The run ends before the right is free.
    pub(crate) fn packed(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        self.take_right(len)?;
        Ok(lengthen(&mut self.packed, len))
    }

    /// Makes room for `len` plain bytes, as [`Buffers::packed`] does.
    pub(crate) fn plain(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        self.take_right(len)?;
        Ok(lengthen(&mut self.plain, len))
    }

    /// Waits for the right to large buffers if `len` bytes need it.
    pub(crate) fn take_right(&mut self, len: usize) -> Result<(), Fault> {
        if len > OWN_BUFFER && self.right.is_none() {
            self.right = Some(Right::take(&self.stop)?);
        }
        Ok(())
    }

    /// Lets the next worker have large buffers.
    pub(crate) fn give_back(&mut self) {
        if self.right.is_some() {
            for buffer in [&mut self.packed, &mut self.plain] {
                if buffer.len() > OWN_BUFFER {
                    *buffer = Vec::new();
                }
            }
            self.right = None;
        }
    }

    /// Takes the right to large buffers, as another worker would.
    #[cfg(test)]
    pub(crate) fn hold() -> impl Drop {
        Right::take(&|| false).unwrap()
    }

    #[cfg(test)]
    pub(crate) fn holds_large(&self) -> bool {
        self.right.is_some()
    }
}

/// Makes a buffer at least `len` bytes long without spare capacity; its contents are lost if it grows.
fn lengthen(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        // Growing by doubling would exceed the limit that `len` was checked against.
        buffer.clear();
        buffer.reserve_exact(len);
        buffer.resize(len, 0);
    }
    &mut buffer[..len]
}
