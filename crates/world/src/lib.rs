//! Reads worlds: their folder or zip, their region files, and their chunks of any version and
//! edition. This room does not use colours, pixels or tiles.
//!
//! Other crates of this project use the names in [`internal`], and the view of one chunk
//! ([`chunk::Chunk`]).

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "what tests write is no output of the program"
    )
)]

#[doc(hidden)]
mod alpha;
#[doc(hidden)]
pub mod anvil;
#[doc(hidden)]
pub mod bedrock;
#[doc(hidden)]
pub mod bytes;
#[doc(hidden)]
pub mod chunk;
#[doc(hidden)]
pub mod internal;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod nbt;
#[doc(hidden)]
pub mod pack;
#[doc(hidden)]
mod region;
#[doc(hidden)]
mod save;
#[doc(hidden)]
mod saves;
#[doc(hidden)]
pub mod text;
