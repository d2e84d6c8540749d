//! Names of files that must be possible on all systems.

/// The characters that the name of a file or folder cannot have on some system.
pub const NOT_IN_FILE_NAMES: &[char] = &['\\', '/', ':', '"', '*', '?', '<', '>', '|'];
