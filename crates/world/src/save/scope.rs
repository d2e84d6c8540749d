//! How a world is opened: which part of it is needed, and the facts of an earlier run.

use std::path::PathBuf;

use crate::explored::MapMod;
use crate::save::dimensions::namespaced::ReservedNames;
use pixelmap_base::coord::{Area, REGION_SIDE, RegionPos};
use pixelmap_base::files::Files;

/// How a world is opened.
#[derive(Debug, Clone, Copy)]
pub struct WorldRequest<'a> {
    /// Dimensions with one of these names in their paths are left out.
    pub reserved: ReservedNames,
    /// The result of an earlier run's [`World::cache`](super::World::cache), or empty: the files of
    /// a database that it contains are not read again.
    pub cache: &'a [u8],
    /// The number of threads that read new files; 0: one per CPU.
    pub threads: usize,
    pub scope: WorldScope,
    /// The map mod whose folder is opened, and the folders of other players that belong to the same
    /// world; absent: any kind of world.
    pub explored: Option<(MapMod, &'a [PathBuf])>,
    /// The files that the path of the world leads into, if another crate provides them because they
    /// are not on this machine; absent: the path leads to the disk or into an archive there.
    pub files: Option<&'a Files>,
}

impl WorldRequest<'_> {
    /// Requests the present state of a whole world, without facts of an earlier run.
    pub fn new(reserved: ReservedNames) -> Self {
        Self {
            reserved,
            cache: &[],
            threads: 0,
            scope: WorldScope::default(),
            explored: None,
            files: None,
        }
    }
}

/// A part of a world, at one time.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorldScope {
    /// The columns that are needed; absent: all. A world may list regions outside of it as well.
    pub area: Option<Area>,
    /// The time whose state is wanted, in seconds since 1970; absent: the newest.
    pub at: Option<i64>,
}

impl WorldScope {
    /// Returns whether a region is needed.
    pub(crate) fn meets(&self, region: RegionPos) -> bool {
        self.meets_x(region.x, 1) && self.meets_z(region.z, 1)
    }

    /// Returns whether one of `count` regions from west to east may be needed.
    pub(crate) fn meets_x(&self, first: i32, count: i32) -> bool {
        self.area
            .is_none_or(|area| reaches(first, count, area.x0, area.x1))
    }

    /// Returns whether one of `count` regions from north to south may be needed.
    pub(crate) fn meets_z(&self, first: i32, count: i32) -> bool {
        self.area
            .is_none_or(|area| reaches(first, count, area.z0, area.z1))
    }
}

/// Returns whether one of `count` regions along an axis has a part from `low` to `high`, or is next
/// to such a region, because neighbours shade and tint each other.
fn reaches(first: i32, count: i32, low: i32, high: i32) -> bool {
    let side = REGION_SIDE as i64;
    let (first, count) = (i64::from(first), i64::from(count));
    (first - 1) * side < i64::from(high) && (first + count + 1) * side > i64::from(low)
}
