//! Reads the files of packs: resource packs, data packs, the game's jar and the jars of mods. Each
//! is a folder or a zip.
//!
//! A pack may come from anyone, together with the world that contains it. So names are checked
//! before they become paths, links are not followed, and both the number of files and the bytes
//! that they inflate to are limited. This module does not interpret the contents of files.

mod budget;
mod error;
mod inner;
mod jars;
mod json;
mod overlays;
mod reader;
mod resource;

pub use budget::{Budget, MAX_TOTAL};
pub use error::PackError;
pub use inner::PackOpener;
pub use jars::{MAX_JARS, jars};
pub use json::parse_json;
pub use reader::{MAX_FILE, MAX_FILES, Pack};
pub use resource::{Resource, split};
