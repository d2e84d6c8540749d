//! The promises of `tests/properties`, for the targets.

#[path = "../../tests/properties/promises.rs"]
pub mod promises;
#[path = "../../tests/slow_reader/mod.rs"]
mod slow_reader;
