//! Exports a map in the layout that squaremap, a plugin for servers, has on a web host: its tiles,
//! markers and facts. Programs that read squaremap's maps can then show it, such as MapLink in the
//! game and LiveAtlas in a browser.
//!
//! Sources: the code by which these programs read it (thebuildcraft/MapLink, `SquareMapConnection`;
//! JLyne/LiveAtlas, `Pl3xmapMapProvider`).

mod documents;
mod web_folder;

pub use web_folder::{SquaremapCounts, put_squaremap};
