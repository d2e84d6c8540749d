//! Reads the folders of players into one explored world.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::import::error::ImportError;
use crate::import::explored_world::ExploredWorld;
use crate::import::{folders, waypoints};
use pixelmap_world::internal::ReservedNames;

impl ExploredWorld {
    /// Lists the pictures and reads the waypoints in these folders. Pictures are limited to
    /// `dimensions`, unless the list is empty or contains `all`. Leaves out the dimensions that have
    /// one of the `reserved` names in their paths.
    ///
    /// # Errors
    /// Fails if a folder lacks pictures or cannot be listed, or if a requested dimension is in none
    /// of the folders.
    pub fn read(
        folders: &[PathBuf],
        dimensions: &[String],
        reserved: ReservedNames,
    ) -> Result<Self, ImportError> {
        let mut explored = folders::read_pictures(folders, reserved)?;
        explored.keep(dimensions)?;

        for folder in folders {
            waypoints::read(
                &folder.join("waypoints"),
                &mut explored.waypoints,
                &mut explored.warnings,
            );
        }

        Ok(explored)
    }

    /// Returns when the newest picture was saved, in seconds since 1970.
    pub fn newest(&self) -> Option<i64> {
        let pictures = self
            .dimensions
            .iter()
            .flat_map(|dimension| dimension.layers.values());
        let times = pictures
            .flat_map(BTreeMap::values)
            .flatten()
            .map(|picture| picture.modified);
        times
            .max()
            .map(|time| time.div_euclid(1_000_000_000))
            .filter(|&seconds| seconds > 0)
    }

    /// Removes all dimensions except the named ones. Keeps all if no name is given or a name is
    /// `all`.
    fn keep(&mut self, names: &[String]) -> Result<(), ImportError> {
        if names.is_empty() || names.iter().any(|name| name == "all") {
            return Ok(());
        }

        let wanted: Vec<String> = names
            .iter()
            .map(|name| pixelmap_world::internal::canonical_id(name))
            .collect();

        let ids: Vec<String> = self
            .dimensions
            .iter()
            .map(|dimension| dimension.id.clone())
            .collect();

        if let Some(missing) = wanted.iter().position(|id| !ids.contains(id)) {
            return Err(ImportError::NoDimension(names[missing].clone(), ids));
        }

        self.dimensions
            .retain(|dimension| wanted.contains(&dimension.id));

        Ok(())
    }
}
