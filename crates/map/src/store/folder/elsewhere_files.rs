//! Finds the published files of a map that are not in its folder, because the map is in a bucket.

use twox_hash::XxHash3_64;

use crate::atlas::markers::ENDING;
use crate::atlas::{FileRecord, MARKERS};
use crate::store::error::PublishError;
use crate::store::folder::output::{Output, modified_ns};
use pixelmap_base::own_folder::Place;

impl Output {
    /// Returns the modification time of a published file if it has exactly these bytes. The time of
    /// a file elsewhere is 0.
    pub(super) fn time_if_same(
        &self,
        place: &Place,
        relative: &str,
        bytes: &[u8],
    ) -> Result<Option<i64>, PublishError> {
        if place.has_bytes(bytes).map_err(PublishError::at(place))? {
            let facts = place.exact_facts().map_err(PublishError::at(place))?;
            let modified = facts.modified().ok();
            return Ok(Some(modified_ns(
                modified.map(cap_std::time::SystemTime::into_std),
            )));
        }

        if self.elsewhere().is_none() || place.facts().map_err(PublishError::at(place))?.is_some() {
            return Ok(None);
        }

        let there = self.find_elsewhere(relative)?;
        let is_same = there.is_some_and(|FileRecord { bytes: len, file }| {
            u64::from(len) == bytes.len() as u64 && file == XxHash3_64::oneshot(bytes)
        });
        Ok(is_same.then_some(0))
    }

    /// Returns the length and hash of a file that is not in the folder.
    pub(super) fn find_elsewhere(
        &self,
        relative: &str,
    ) -> Result<Option<FileRecord>, PublishError> {
        self.elsewhere().map_or(Ok(None), |elsewhere| {
            elsewhere
                .find(relative)
                .map_err(PublishError::io(&self.root().join(relative)))
        })
    }

    /// Copies a published file into the folder if it is elsewhere, so that it can get a second
    /// name.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(crate) fn bring_here(&self, relative: &str) -> Result<(), PublishError> {
        let place = self.place(relative)?;
        let Some(elsewhere) = self.elsewhere() else {
            return Ok(());
        };
        if place.facts().map_err(PublishError::at(&place))?.is_some() {
            return Ok(());
        }

        if let Some(bytes) = elsewhere.read(relative).map_err(PublishError::at(&place))? {
            let mut file = self.new_file(place)?;
            file.add(&bytes)?;
            file.appear()?;
        }

        Ok(())
    }

    /// Reads a file that is not in the folder.
    pub(super) fn read_elsewhere(&self, relative: &str) -> Result<Option<Vec<u8>>, PublishError> {
        self.elsewhere().map_or(Ok(None), |elsewhere| {
            elsewhere
                .read(relative)
                .map_err(PublishError::io(&self.root().join(relative)))
        })
    }

    /// Returns the names of the owner's marker files in the folder, sorted.
    ///
    /// # Errors
    /// The folder of markers cannot be listed.
    pub fn own_markers(&self) -> Result<Vec<String>, PublishError> {
        let folder = self.place(MARKERS)?;
        let mut names = Vec::new();
        for (name, kind) in folder.entries().map_err(PublishError::at(&folder))? {
            let Ok(name) = name.into_string() else {
                continue;
            };

            // The page loads these files. Here they are not opened, so one that is a link is listed
            // as well.
            if is_marker_name(&name) && (kind.is_file() || kind.is_symlink()) {
                names.push(name);
            }
        }

        if let Some(elsewhere) = self.elsewhere() {
            let others = elsewhere.names(MARKERS).into_iter();
            names.extend(others.filter(|name| is_marker_name(name)));
        }

        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}

/// Returns whether the page loads a file of markers with this name.
fn is_marker_name(name: &str) -> bool {
    name.ends_with(ENDING) && !name.starts_with('.')
}
