//! Finished maps: their files, their page, changes of their folders, exports and comparisons.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "what tests write is no output of the program"
    )
)]

pub mod atlas;
pub mod compare;
pub mod export;
pub mod page;
pub mod store;
