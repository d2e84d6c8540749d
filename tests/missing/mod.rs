//! Reports tests that need a program or a file that this machine does not have.

use std::io::Write as _;

/// Reports on the terminal which tests were skipped and which requirement is missing: one of
/// `chromium`, `gdal`, `s3`, `helm`, `slurm`, `runner`, `python`, `axe` (tools of the system, or
/// installed by `.ci/run`), `assets` and `shared` (files that the repository may not hold).
///
/// # Panics
///
/// `REQUIRED_TEST_TOOLS` is 1, or lists `missing` between commas: there such a test must run.
pub(crate) fn report(missing: &str, not_tested: &str) {
    let required = std::env::var("REQUIRED_TEST_TOOLS").unwrap_or_default();
    let is_required = required == "1" || required.split(',').any(|name| name == missing);
    assert!(!is_required, "NOT TESTED: {not_tested}");
    // Writes directly, because the output of macros is not shown if a test passes.
    let _ = writeln!(std::io::stderr(), "NOT TESTED: {not_tested}");
}
