//! Which errors of the system pass by: the same call may succeed later.

use std::io;

/// No descriptors left on this machine (ENFILE), or in this process (EMFILE): std has no kind for them.
const NO_DESCRIPTORS: i32 = 23;
const NO_MORE_FILES: i32 = 24;

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
            | Kind::NotConnected
    );
    passing || cfg!(unix) && matches!(error.raw_os_error(), Some(NO_DESCRIPTORS | NO_MORE_FILES))
}
