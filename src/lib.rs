//! Draws Minecraft (Java Edition) worlds of every generation as zoomable maps.
//!
//! ```text
//! cli ─► plan ─► pipeline ──────────────────────────────────────────────► report ─► exit code
//!                  │ schedule runs one job per region, then one per parent tile
//!                  └─ region ─► chunk ─► surface ─► layer ─► tile ─► publish ─► MAP FOLDER
//!                     bytes     one view  columns   pixels   PNG     one commit    │
//!                                         export: a picture, an archive, regions ◄─┤
//!                                                  compare: diff, verify, digest ◄─┤
//!                                                                     serve: HTTP ◄─┘
//! ```
//!
//! Data goes one way. A room returns values and does not know the rooms above it. Only [`pipeline`] knows the whole
//! way, and only [`pipeline`] turns the error of a room into an entry of the [`report`] and goes on. The library never
//! prints, never exits, and knows no command line.
//!
//! **The program is what is released, and this library is a part of it.** A room is public because the program, the
//! benches or the tests name it, and any version may change or remove what it has. What is promised stands in the
//! program's help, its exit codes, the files that it writes and the pixels of a look.

mod at;
pub mod block;
pub mod chunk;
pub mod compare;
pub mod coord;
pub mod export;
pub mod files;
mod hide;
pub mod json;
pub mod layer;
mod letters;
mod marker;
pub mod nbt;
pub mod pack;
pub mod palette;
pub mod pipeline;
pub mod plan;
pub mod publish;
pub mod record;
pub mod region;
pub mod report;
mod retry;
pub mod schedule;
#[cfg(feature = "serve")]
pub mod serve;
pub mod surface;
pub mod tile;
pub mod world;
