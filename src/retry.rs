//! Which errors of the system pass by: the same call may succeed later.

use std::io;

/// Whether what failed with `error` may succeed later: no space or no more allowed, no descriptors, no answer.
pub fn retryable(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    let passing = matches!(
        error.kind(),
        Kind::StorageFull
            | Kind::QuotaExceeded
            | Kind::FileTooLarge
            | Kind::OutOfMemory
            | Kind::ResourceBusy
            | Kind::StaleNetworkFileHandle
            | Kind::NetworkDown
            | Kind::NetworkUnreachable
            | Kind::HostUnreachable
            | Kind::TimedOut
    );
    // No descriptors left in this process (EMFILE) or on this machine (ENFILE): std has no kind for them.
    passing || cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}
