//! The exit codes that `diff` has in common with the tools diff and cmp.

use crate::outcome::USAGE;

/// The two sides differ.
pub(super) const DIFFERS: u8 = 1;
/// The two sides could not be compared.
pub(super) const TROUBLE: u8 = USAGE;
