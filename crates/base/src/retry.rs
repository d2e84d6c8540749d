//! Errors of the system after which the same call may succeed later.

use std::io;

/// ENFILE (the machine has no descriptors left) and EMFILE (this process has none left). The
/// standard library has no error kind for them.
const NO_DESCRIPTORS: i32 = 23;
const NO_MORE_FILES: i32 = 24;

/// Returns whether a call that failed with `error` may succeed later: no space, no descriptors, no
/// answer.
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

/// Asks the system, and once more if it did not answer. Network file systems lose a handle now and
/// then, and find the file again at the second call. Many questions about a world treat an error as
/// an absent file, so an error that passes must not reach them.
pub fn ask_again<T>(ask: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match ask() {
        Err(error) if retryable(&error) => ask(),
        answer => answer,
    }
}

/// Describes an error of the system. Errors that users meet often, such as a full disk, include
/// advice.
pub fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => {
            "the disk is full: make room there, and run the same command again".to_owned()
        }
        io::ErrorKind::QuotaExceeded => {
            "the disk quota of this user is used up: make room, and run the same command again"
                .to_owned()
        }
        io::ErrorKind::FileTooLarge => {
            "a file there is larger than this process may write: raise the limit (ulimit -f), and \
             run the same command again"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn passing_errors_are_distinguished_from_lasting_ones() {
        // ENOMEM, EBUSY, ENFILE, EMFILE, EFBIG, ENOSPC, ENETDOWN, ENETUNREACH, ENOTCONN, ETIMEDOUT,
        // EHOSTUNREACH, ESTALE, EDQUOT.
        for passes in [12, 16, 23, 24, 27, 28, 100, 101, 107, 110, 113, 116, 122] {
            assert!(retryable(&io::Error::from_raw_os_error(passes)), "{passes}");
        }

        // EPERM, ENOENT, EIO, EACCES, ENOTDIR, EISDIR, EINVAL, EROFS, ENAMETOOLONG, ELOOP.
        for stays in [1, 2, 5, 13, 20, 21, 22, 30, 36, 40] {
            assert!(!retryable(&io::Error::from_raw_os_error(stays)), "{stays}");
        }

        assert!(
            !retryable(&io::ErrorKind::UnexpectedEof.into()),
            "a file that is cut short"
        );
    }
}
