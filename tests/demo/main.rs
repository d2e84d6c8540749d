//! Tests that the committed demo world is exactly the world that its builder makes.
//! `BLESS=1 cargo test --test demo` writes it again.
//!
//! `cargo test` leaves this out, because the builder of the island rarely changes and other tests
//! only read the committed files. `.ci/run` runs it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod island;

#[path = "../world/mod.rs"]
mod world;

const MOST_BYTES: usize = 8 << 20;

#[test]
fn the_demo_island_matches_its_builder() {
    let demo = island::build();
    let bytes: usize = demo.0.values().map(Vec::len).sum();
    assert!(bytes < MOST_BYTES, "the demo world has {bytes} bytes");
    demo.check_or_bless("demo", "cargo test --test demo");
}
