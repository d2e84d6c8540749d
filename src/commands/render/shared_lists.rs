//! The lists of changed files that several folders share.

use pixelmap_map::store::Output;

/// The folders that share one pair of lists, which are written when all maps are drawn. The first
/// folder contains the others.
pub(super) struct SharedLists {
    pub(super) folders: Vec<Output>,
    /// True if an earlier run wrote lists. Then every file of a folder that has never been listed
    /// counts as new.
    pub(super) are_begun: bool,
}
