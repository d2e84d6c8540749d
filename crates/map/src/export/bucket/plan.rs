//! The files that an export puts and removes.

use super::file_list::FileList;
use super::tiles::BucketLayer;
use crate::atlas::Naming;

/// The files that an export puts and removes.
pub(super) struct BucketPlan<'a> {
    pub(super) layers: Vec<BucketLayer<'a>>,
    /// The paths of the files to upload that only earlier moments show.
    pub(super) kept: Vec<String>,
    /// The paths of all other files to upload, except tiles and manifests. The page is last.
    pub(super) others: Vec<String>,
    pub(super) list: FileList,
    /// Whether a page of an earlier export is in the bucket.
    pub(super) has_page: bool,
}

impl BucketPlan<'_> {
    /// Returns the layers that are in the bucket but no longer in the map: the path of each
    /// manifest, and how its tiles are named.
    pub(super) fn removed_layers(&self) -> Vec<(String, Naming)> {
        self.list
            .manifests()
            .filter(|(path, _)| !self.layers.iter().any(|layer| layer.path == *path))
            .collect()
    }
}
