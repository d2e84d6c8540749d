//! Each worker's buffers for a chunk's stored and plain bytes. Only one worker at a time may have
//! large buffers.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::bytes::fault::Fault;

/// The largest buffer, in bytes, that a worker gets without waiting, and keeps afterwards.
pub(crate) const OWN_BUFFER: usize = 8 << 20;
/// The interval at which a worker that waits for large buffers checks whether they are free, and
/// whether the run ends.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Whether a worker of this process has the right to large buffers.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The right to large buffers. Dropping it releases the right, so a panic of its holder releases it
/// as well.
struct Right;

impl Right {
    /// Waits for the right.
    ///
    /// # Errors
    /// Fails if the run ends before the right is free.
    fn wait(stop: &dyn Fn() -> bool) -> Result<Self, Fault> {
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

/// One worker's buffers. Kept buffers never shrink, so that they need not be cleared again for each
/// chunk.
pub(crate) struct RecordBuffers {
    /// A record in its stored form.
    pub(crate) packed: Vec<u8>,
    /// The record's plain bytes.
    pub(crate) plain: Vec<u8>,
    right: Option<Right>,
    /// Returns whether the run ends, which ends every wait.
    stop: Box<dyn Fn() -> bool + Send>,
}

impl RecordBuffers {
    pub(crate) fn new(stop: impl Fn() -> bool + Send + 'static) -> Self {
        Self {
            packed: Vec::new(),
            plain: Vec::new(),
            right: None,
            stop: Box::new(stop),
        }
    }

    /// Makes room for `len` stored bytes. Waits for the right to large buffers if it is needed.
    ///
    /// # Errors
    /// Fails if the run ends before the right is free.
    pub(crate) fn packed(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        self.wait_for_right(len)?;
        Ok(lengthen(&mut self.packed, len))
    }

    /// Makes room for `len` plain bytes, as [`RecordBuffers::packed`] does.
    pub(crate) fn plain(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        self.wait_for_right(len)?;
        Ok(lengthen(&mut self.plain, len))
    }

    /// Waits for the right to large buffers if `len` bytes need it.
    pub(crate) fn wait_for_right(&mut self, len: usize) -> Result<(), Fault> {
        if len > OWN_BUFFER && self.right.is_none() {
            self.right = Some(Right::wait(&self.stop)?);
        }
        Ok(())
    }

    /// Releases large buffers and the right to them, so that another worker can have it.
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

    /// Acquires the right to large buffers, as another worker would.
    #[cfg(test)]
    pub(crate) fn hold() -> impl Drop {
        Right::wait(&|| false).unwrap()
    }

    #[cfg(test)]
    pub(crate) fn holds_large(&self) -> bool {
        self.right.is_some()
    }
}

/// Makes a buffer at least `len` bytes long without spare capacity; its contents are lost if it
/// grows.
fn lengthen(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        // Growing by doubling would exceed the limit that `len` was checked against.
        buffer.clear();
        buffer.reserve_exact(len);
        buffer.resize(len, 0);
    }
    &mut buffer[..len]
}
