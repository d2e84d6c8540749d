//! Tests `schedule`: in real runs, in every order of events, with pinning, and for machines with
//! many cores.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests say what is wrong by panicking"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

mod many_cores;
mod model;
mod pinning;
mod promises;
mod urgent;
