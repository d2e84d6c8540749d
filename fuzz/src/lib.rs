//! The promises of `tests/slow/properties`, for the targets.

#[path = "../../tests/slow/properties/promises.rs"]
pub mod promises;
#[allow(dead_code, reason = "the slow reader uses it for real worlds")]
#[path = "../../tests/missing/mod.rs"]
mod missing;
#[allow(dead_code, reason = "the promises use a part of it")]
#[path = "../../tests/slow_reader/mod.rs"]
mod slow_reader;
