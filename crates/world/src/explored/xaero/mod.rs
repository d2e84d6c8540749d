//! Reads the folders of Xaero's World Map, in the versions 0 to 7 of its region files, and writes
//! its region files in version 6.8. Also reads the waypoint files of Xaero's Minimap, which belong to
//! the same worlds.
//!
//! A region file is a zip with one stream. It has up to 8 by 8 groups of 4 by 4 chunks, each with
//! 256 columns. States and biomes are written where they first occur, and are numbers afterwards.
//!
//! Sources: files that players published, and readers and writers of other people
//! (dekrom/xaerotools, DanDucky/XaerosMapFormat, RuoChennn/MapSyncer-for-XaeroWorldmap).

mod block_kinds;
mod bytes;
mod column;
mod dimension_folders;
mod folders;
mod info;
mod overlays;
mod region;
mod stored_tile;
mod stream;
mod stream_writer;
mod todays_names;
mod waypoint_folders;
mod waypoint_line;
mod waypoint_text;

pub use dimension_folders::dimension_folder;
pub(super) use info::INFO;
pub use info::{PlainTile, read_stream};
pub use region::{XaeroNumbers, XaeroRegion, xaero_names};
pub use waypoint_folders::waypoint_dimension_folder;
pub use waypoint_line::XaeroWaypoint;
