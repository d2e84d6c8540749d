//! Writes the land of a world into the folders of Xaero's World Map, a mod that gives players a map
//! inside the game.
//!
//! The form of region files is in `pixelmap_world::explored`. This folder chooses dimensions and
//! names of folders, and merges with the files of players.

mod address;
mod error;
mod lock;
mod options;
mod plan;
mod regions;

pub use address::ServerFolder;
pub use error::XaeroError;
pub(crate) use lock::check_locks;
pub use options::{Keep, XaeroOptions};
pub use plan::{XaeroAmount, XaeroPlan};
pub use regions::{XaeroCounts, put_xaero};
