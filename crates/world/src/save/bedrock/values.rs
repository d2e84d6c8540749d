//! Visits the values of a Bedrock Edition world that are stored under keys with one prefix.

use crate::bedrock::{Database, FoundValues, MAX_VALUES};
use crate::save::left_out::LeftOut;

/// Calls `visit` with all values whose keys begin with `prefix`. Warns of values that a bound
/// leaves out; `what` names one of them. Damaged tables cost the values stored in them, and are
/// reported with the chunks.
pub(crate) fn visit_values(
    database: &Database,
    prefix: &[u8],
    what: &str,
    warnings: &mut Vec<String>,
    visit: impl FnMut(&[u8], &[u8]),
) {
    warn_beyond(
        database,
        &database.opened().values(prefix, visit),
        what,
        warnings,
    );
}

/// Calls `visit` with all keys that begin with `prefix` and have a value, like [`visit_values`].
pub(crate) fn visit_keys(
    database: &Database,
    prefix: &[u8],
    what: &str,
    warnings: &mut Vec<String>,
    visit: impl FnMut(&[u8]),
) {
    warn_beyond(
        database,
        &database.opened().keys(prefix, visit),
        what,
        warnings,
    );
}

/// Warns of the values that a lookup left out.
fn warn_beyond(database: &Database, found: &FoundValues, what: &str, warnings: &mut Vec<String>) {
    let FoundValues { beyond, .. } = *found;
    let mut left_out = LeftOut::default();
    left_out.add(beyond, || database.opened().folder().display().to_string());

    left_out.warn(
        what,
        &format!("only {} MiB of them are read", MAX_VALUES >> 20),
        warnings,
    );
}
