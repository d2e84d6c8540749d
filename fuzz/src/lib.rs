//! The promises of `tests/slow/properties` and of the program's command line, for the targets.

#[allow(dead_code, reason = "the slow reader uses it for real worlds")]
#[path = "../../tests/missing/mod.rs"]
mod missing;
#[path = "../../tests/slow/properties/promises.rs"]
pub mod promises;
#[allow(dead_code, reason = "the promises use a part of it")]
#[path = "../../tests/slow_reader/mod.rs"]
mod slow_reader;

#[allow(
    dead_code,
    unused_imports,
    unexpected_cfgs,
    unreachable_pub,
    reason = "only the configuration is read"
)]
#[path = "../../src/cli/mod.rs"]
mod cli;

/// See `any_bytes.rs` of the program's configuration.
pub fn configuration(bytes: &[u8]) {
    cli::config::any_bytes::configuration(bytes);
}
