//! Warnings about parts of the owner's files that are left out.

use std::path::{Path, PathBuf};

/// The most parts of a file or folder that are named.
pub(super) const MAX_NAMED: usize = 10;

/// Returns warnings about the parts of a file or folder that are left out, the first ones by name.
/// Each of the `faults` has the place of its part.
pub(super) fn left_out(path: &Path, faults: &[(PathBuf, String)]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (place, fault) in faults.iter().take(MAX_NAMED) {
        warnings.push(format!("{}: left out: {fault}", place.display()));
    }

    let more = faults.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        let path = path.display();
        warnings.push(format!("{path}: left out for such reasons: {more} more"));
    }

    warnings
}
