//! Draws Minecraft worlds of every generation as zoomable maps.
//!
//! ```text
//! program ─► draw ──────────────────────────────────────────────────────────► report ─► exit code
//!             │ schedule runs one job per region, then one per parent tile
//!             ├─ world    region ─► chunk: bytes of any edition become one view
//!             ├─ paint    view ─► columns ─► pixels, one decode for all layers
//!             ├─ tile     pixels ─► smaller, encoded
//!             └─ store    tiles ─► their files, in one commit ─► MAP FOLDER ─► atlas reads it
//!                                                                 ├─ export   picture, archive, GeoTIFF, bucket, map mods
//!                                                                 ├─ compare  diff, verify, digest
//!                                                                 └─ serve    HTTP; asks draw for tiles not drawn yet
//! ```
//!
//! Data moves in one direction. A room returns values and does not know the rooms above it. Only
//! [`draw`] knows the whole way from a world to a published map, and only [`draw`] turns the error
//! of a room into an entry of the [`report`] and continues. The library never prints and never
//! exits.
//!
//! **The program is released, and this library is a part of it.** A room is public because the
//! program, the benches or the tests use it, and any version may change or remove its items. The
//! promises are in the program's help, its exit codes, the files that it writes and the pixels of a
//! look.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "what tests write is no output of the program"
    )
)]

pub mod ask;
pub mod atlas;
pub mod base;
pub mod compare;
pub mod draw;
pub mod export;
pub mod import;
pub mod markers;
pub mod page;
pub mod paint;
pub mod report;
pub mod schedule;
#[cfg(feature = "serve")]
pub mod serve;
pub mod store;
pub mod tile;
pub mod world;
