//! Draws Minecraft worlds of every generation as zoomable maps.
//!
//! ```text
//! program ─► draw ─────────────────────────────────────────────────► report ─► exit code
//!             │ schedule runs one job per region, then one per parent tile
//!             ├─ world    region ─► chunk: bytes of any generation to one view
//!             ├─ paint    view ─► columns ─► pixels, one decode for all layers
//!             ├─ tile     pixels ─► smaller, encoded
//!             └─ store    tiles to their places, one commit ─► MAP FOLDER ─► atlas reads it
//!                                                               ├─ export   a picture, an archive, regions, a bucket
//!                                                               ├─ compare  diff, verify, digest
//!                                                               └─ serve    HTTP; asks draw for what is not drawn yet
//! ```
//!
//! Data goes one way. A room returns values and does not know the rooms above it. Only [`draw`] knows the whole
//! way, and only [`draw`] turns the error of a room into an entry of the [report](draw::report) and goes on. The library never
//! prints, never exits, and knows no command line.
//!
//! **The program is what is released, and this library is a part of it.** A room is public because the program, the
//! benches or the tests name it, and any version may change or remove what it has. What is promised stands in the
//! program's help, its exit codes, the files that it writes and the pixels of a look.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "what tests write is no output of the program"))]

pub mod ask;
pub mod atlas;
pub mod base;
pub mod compare;
pub mod draw;
pub mod export;
pub mod import;
pub(crate) mod markers;
pub mod page;
pub mod paint;
pub mod report;
pub mod schedule;
#[cfg(feature = "serve")]
pub mod serve;
pub mod store;
pub mod tile;
pub mod world;
