//! Finds the places where players appear: in level.dat, and since 26.1 in a file that Paper writes
//! for each dimension.

use std::collections::BTreeMap;
use std::path::Path;

use fastnbt::IntArray;

use crate::save::dat::Dat;
use crate::save::dimensions::dimension::Dimension;
use crate::save::error::WorldError;
use crate::save::level::level_dat::Level;
use pixelmap_base::files::Files;

/// Paper's file, below the folder of a dimension.
const FILE: &str = "data/paper/level_overrides.dat";

/// The places where players appear in a world.
#[derive(Debug, Default)]
pub struct Spawns {
    /// The dimension and the block where new players start.
    pub new_players: Option<(String, [i32; 3])>,
    /// The block of each dimension that has a place of its own, by the dimension's id.
    own: BTreeMap<String, [i32; 3]>,
}

impl Spawns {
    /// Uses only the place in level.dat.
    pub(crate) fn of_level(level: &Level) -> Self {
        Self {
            new_players: level.spawn.clone(),
            own: BTreeMap::new(),
        }
    }

    /// Reads the places of all dimensions. The file of a dimension takes precedence over level.dat,
    /// because plugins change only that file.
    ///
    /// # Errors
    /// Fails if a file cannot be read now, but perhaps later.
    pub(crate) fn read(
        files: &Files,
        given: &Path,
        level: &Level,
        dimensions: &[Dimension],
        warnings: &mut Vec<String>,
    ) -> Result<Self, WorldError> {
        let mut own = BTreeMap::new();
        for dimension in dimensions {
            let path = dimension.own_folder(given).join(FILE);
            if let Some(dat) = Dat::open_optional(files, &path, warnings)?
                && let Some(block) = own_spawn(&dat)
            {
                own.insert(dimension.id.clone(), block);
            }
        }

        let start = level
            .spawn_dimension
            .as_deref()
            .or(level.spawn.as_ref().map(|(dimension, _)| &**dimension))
            .unwrap_or("overworld");
        let start_block = own.get(start).map(|block| (start.to_owned(), *block));

        Ok(Self {
            new_players: start_block.or_else(|| level.spawn.clone()),
            own,
        })
    }

    /// Returns the block where players appear in a dimension, if it has such a place.
    pub fn in_dimension(&self, id: &str) -> Option<[i32; 3]> {
        let start = self.new_players.as_ref().filter(|(start, _)| start == id);
        start
            .map(|(_, block)| *block)
            .or_else(|| self.own.get(id).copied())
    }
}

/// Reads the place of a dimension from its file; `None`: the server has never chosen one.
fn own_spawn(dat: &Dat) -> Option<[i32; 3]> {
    if dat.get::<i8>("data/initialized") == Some(0) {
        return None;
    }
    dat.get::<IntArray>("data/spawn/pos")?
        .as_ref()
        .try_into()
        .ok()
}
