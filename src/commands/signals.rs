//! Handles the signals that end a run, Ctrl-C (SIGINT) and SIGTERM, and the signal about the limit
//! of file sizes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pixelmap_draw::schedule::Stop;

use crate::outcome::OK;
#[cfg(feature = "serve")]
use {crate::outcome::Ending, pixelmap_serve::FollowError};

const SIGINT: usize = 2;
const SIGTERM: usize = 15;
/// The signal for a file that exceeds the allowed size (`ulimit -f`). Linux and macOS use the same
/// number.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const SIGXFSZ: i32 = 25;

/// The handlers of the signals that end a run. The first signal requests a stop; a second one ends
/// the program at once.
pub(super) struct Signals {
    /// The number of the last signal; 0 before the first one.
    number: Arc<AtomicUsize>,
    stop: Stop,
}

impl Signals {
    /// Installs the handlers. Must be called only once.
    pub(super) fn install() -> Self {
        let number = Arc::new(AtomicUsize::new(0));
        let again = Arc::new(AtomicBool::new(false));
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            let raw = signal as i32;
            // A signal that cannot be caught ends the program, as it does by default. The order
            // matters: when the stop is seen, the number of the signal is already set.
            let _ = signal_hook::flag::register_conditional_shutdown(raw, 128 + raw, again.clone());
            let _ = signal_hook::flag::register(raw, again.clone());
            let _ = signal_hook::flag::register_usize(raw, number.clone(), signal);
            let _ = signal_hook::flag::register(raw, stop.clone());
        }

        Self {
            number,
            stop: Stop::from(stop),
        }
    }

    /// Returns the stop that the first signal requests.
    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Starts a thread that waits for the first signal and then calls `end`.
    #[cfg(feature = "serve")]
    pub(super) fn on_stop(&self, end: impl FnOnce() + Send + 'static) -> Result<(), Ending> {
        let stop = self.stop.clone();
        let waiting = std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                wait_for(&stop);
                end();
            });
        waiting
            .map(drop)
            .map_err(|error| FollowError::Thread(error).into())
    }

    /// Returns the exit code after a signal, or 0 if none came.
    pub(super) fn code(&self) -> u8 {
        match self.number.load(Ordering::Relaxed) {
            0 => OK,
            number => 128 + number as u8,
        }
    }
}

/// Makes a write that exceeds the allowed size of files fail with an error, which is reported with
/// its path. Otherwise the signal would end the program. Every command calls this first, because the
/// first file that it writes may be an unpacked tar.
pub(super) fn report_file_limit() {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Waits until a signal has requested the stop.
#[cfg(feature = "serve")]
fn wait_for(stop: &Stop) {
    #[cfg(unix)]
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT as i32, SIGTERM as i32]) {
        // This iterator does not report signals that came before it was created.
        if !stop.is_requested() {
            signals.forever().next();
        }
        return;
    }

    // If the system cannot wake a thread for a signal, look at the flag again and again.
    while !stop.is_requested() {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
