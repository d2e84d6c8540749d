//! Sorts the markers of a map by dimension, and writes one waypoint file per dimension.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use super::merge::{MergedFile, SET, merge};
use super::options::XaeroWaypointOptions;
use super::waypoint_file;
use crate::map_mods::dated::check_newest;
use crate::map_mods::named_places::{NamedPlace, named_places};
use crate::map_mods::xaero::{XaeroError, check_locks};
use pixelmap_base::disk::is_folder;
use pixelmap_base::own_folder::OwnFolder;
use pixelmap_map::atlas::FinishedMap;
use pixelmap_map::export::ExportError;
use pixelmap_map::store::{PublishError, put_at};
use pixelmap_world::internal::{XaeroWaypoint, unformatted, waypoint_dimension_folder};

/// The most waypoints of a dimension. The mod reads all of them whenever a player joins.
const MAX_WAYPOINTS: usize = 1 << 16;

/// The counts of an export to Xaero's Minimap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct XaeroWaypointCounts {
    /// Files that are written, or that a dry run would write.
    pub written: u64,
    pub unchanged: u64,
    /// Our waypoints in all of these files.
    pub waypoints: u64,
}

/// A checked export to Xaero's Minimap, which can begin.
#[derive(Debug)]
pub struct XaeroWaypointPlan {
    options: XaeroWaypointOptions,
    /// The waypoints of each dimension, by the name of its folder.
    dimensions: BTreeMap<String, Vec<XaeroWaypoint>>,
    /// Messages about waypoints that are left out.
    pub warnings: Vec<String>,
}

impl XaeroWaypointPlan {
    /// Reads the markers of these dimensions, or of all dimensions of the map.
    ///
    /// # Errors
    /// Fails if the map is an archive or an earlier moment, because these lack markers, if it lacks
    /// a requested dimension, or if a file of markers cannot be read.
    pub fn new(
        map: &FinishedMap,
        dimensions: &[String],
        options: XaeroWaypointOptions,
    ) -> Result<Self, XaeroError> {
        check_newest(map)?;
        let folder = match map {
            FinishedMap::Folder(folder) => folder,
            FinishedMap::Archive(archive) => {
                return Err(XaeroError::NoMarkers(archive.path().to_owned()));
            }
        };

        let shown: Vec<String> = map
            .facts()
            .dimensions
            .iter()
            .map(|dimension| dimension.id.clone())
            .collect();
        if let Some(missing) = dimensions.iter().find(|id| !shown.contains(id)) {
            return Err(ExportError::NotShown(missing.clone(), shown).into());
        }

        let mut plan = Self {
            options,
            dimensions: BTreeMap::new(),
            warnings: Vec::new(),
        };
        let wanted = if dimensions.is_empty() {
            &shown
        } else {
            dimensions
        };
        for id in wanted {
            plan.dimensions
                .insert(waypoint_dimension_folder(id), Vec::new());
        }

        plan.add(named_places(folder)?, wanted);
        Ok(plan)
    }

    /// Adds the places of the wanted dimensions, each once.
    fn add(&mut self, places: Vec<NamedPlace>, wanted: &[String]) {
        let mut known = BTreeSet::new();
        let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
        for place in places {
            if !wanted.contains(&place.dimension) {
                continue;
            }

            let folder = waypoint_dimension_folder(&place.dimension);
            let waypoint = waypoint(&place);
            let key = (folder.clone(), waypoint.to_string());
            if !known.insert(key) {
                continue;
            }

            let waypoints = self.dimensions.entry(folder.clone()).or_default();
            if waypoints.len() < MAX_WAYPOINTS {
                waypoints.push(waypoint);
            } else {
                *left_out.entry(folder).or_default() += 1;
            }
        }

        for (folder, count) in left_out {
            self.warnings.push(format!(
                "left out: {folder}: {count} waypoints after {MAX_WAYPOINTS}"
            ));
        }
    }

    /// Writes the waypoints into a folder of the mod, or counts them.
    ///
    /// # Errors
    /// Fails if a game has the folder open, or if a file cannot be read or written.
    pub fn put(&self, folder: &Path) -> Result<XaeroWaypointCounts, XaeroError> {
        let mut counts = XaeroWaypointCounts::default();
        let opened = self.open(folder).map_err(PublishError::io(folder))?;
        let Some(folder) = opened else {
            for waypoints in self.dimensions.values() {
                counts.add(!waypoints.is_empty(), waypoints.len());
            }
            return Ok(counts);
        };

        let server = self.options.server.name();
        let mut paths = vec![server.to_owned()];
        for dimension in self.dimensions.keys() {
            paths.push(format!("{server}/{dimension}"));
        }
        check_locks(&folder, &paths)?;

        for (dimension, waypoints) in &self.dimensions {
            self.put_dimension(&folder, dimension, waypoints, &mut counts)?;
        }
        Ok(counts)
    }

    /// Opens the folder. Makes it if it is absent, or returns `None` in a dry run.
    fn open(&self, folder: &Path) -> io::Result<Option<OwnFolder>> {
        if !self.options.dry_run {
            OwnFolder::make(folder).map(Some)
        } else if is_folder(folder)? {
            OwnFolder::open(folder).map(Some)
        } else {
            Ok(None)
        }
    }

    fn put_dimension(
        &self,
        folder: &OwnFolder,
        dimension: &str,
        waypoints: &[XaeroWaypoint],
        counts: &mut XaeroWaypointCounts,
    ) -> Result<(), XaeroError> {
        let relative = format!("{}/{dimension}", self.options.server.name());
        let path = folder.path().join(&relative);
        let around = folder.place(&relative).map_err(PublishError::io(&path))?;
        let found = waypoint_file::find(&around, self.options.world_number);
        let place = found.map_err(PublishError::io(&path))?;

        let before = waypoint_file::read(&place).map_err(PublishError::io(&place.path()))?;
        let MergedFile {
            bytes,
            waypoints: count,
        } = merge(&before, waypoints);

        let is_changed = bytes != before;
        if is_changed && !self.options.dry_run {
            put_at(&place, &bytes)?;
        }
        if is_changed || count > 0 {
            counts.add(is_changed, count);
        }
        Ok(())
    }
}

impl XaeroWaypointCounts {
    fn add(&mut self, is_changed: bool, waypoints: usize) {
        self.written += u64::from(is_changed);
        self.unchanged += u64::from(!is_changed);
        self.waypoints += waypoints as u64;
    }
}

/// Makes the waypoint of a place. The mod shows the first letter of its name on the map. Formatting
/// codes are removed, because their sign stands for colons in the file.
fn waypoint(place: &NamedPlace) -> XaeroWaypoint {
    let name = unformatted(&place.name);
    let initial = name.chars().find(|letter| letter.is_alphanumeric());
    let initials = initial.map_or_else(
        || "X".to_owned(),
        |letter| letter.to_uppercase().to_string(),
    );
    XaeroWaypoint {
        initials,
        x: place.at.x,
        y: place.y,
        z: place.at.z,
        colour: XaeroWaypoint::nearest_colour(place.colour),
        set: SET.to_owned(),
        name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_base::coord::ColumnPos;

    #[test]
    fn names_lose_their_formatting_codes() {
        let waypoint = waypoint(&NamedPlace {
            name: "§c«Shop§r: one§".to_owned(),
            dimension: "overworld".to_owned(),
            at: ColumnPos { x: 1, z: -2 },
            y: None,
            colour: [250, 250, 90],
        });
        assert_eq!(waypoint.name, "«Shop: one");
        assert_eq!((&*waypoint.initials, waypoint.colour), ("S", 14));
        assert_eq!(XaeroWaypoint::parse(&waypoint.to_string()), Some(waypoint));
    }
}
