//! Reads the list of a world's dimensions, with the type and the generator of each one.
//!
//! Until 1.21 the list is in level.dat. Since 26.1 the game keeps it next to the seed, in a file of
//! its own. Paper has such a file in the folder of each dimension instead, and each file lists the
//! dimensions of the whole world.

use std::collections::BTreeMap;
use std::path::Path;

use crate::save::dat::Dat;
use crate::save::dimensions::dimension::{Dimension, canonical_id};
use crate::save::dimensions::dimension_type::{DescribedDimension, MAX_NAME_BYTES};
use crate::save::error::WorldError;
use crate::save::left_out::LeftOut;
use pixelmap_base::files::Files;

/// The file since 26.1, below the folder of the world or of a dimension.
const FILE: &str = "data/minecraft/world_gen_settings.dat";
/// The places of that file for the overworld, below the folder of the world. Paper uses the first
/// place, even before 26.1.
pub(crate) const OVERWORLD_FILES: [&str; 2] = [
    "dimensions/minecraft/overworld/data/minecraft/world_gen_settings.dat",
    FILE,
];

/// The most dimensions of a list that are read.
pub(crate) const MAX_DIMENSIONS: usize = 1000;

/// The described dimensions by their ids.
pub(crate) type DescribedDimensions = BTreeMap<String, DescribedDimension>;

/// Returns the possible entries of a stored list, and counts the others as left out.
pub(crate) fn within_bounds(
    stored: DescribedDimensions,
    list: &str,
    left_out: &mut LeftOut,
) -> DescribedDimensions {
    let mut kept = DescribedDimensions::new();
    for (id, described) in stored {
        let is_short = id.len() <= MAX_NAME_BYTES && described.has_short_name();
        if is_short && kept.len() < MAX_DIMENSIONS {
            kept.insert(canonical_id(&id), described);
        } else {
            left_out.add(1, || list.to_owned());
        }
    }

    kept
}

/// Describes the dimensions of a world whose level.dat lists `in_level`. The file of a dimension
/// itself takes precedence over the file of the world, and both take precedence over level.dat.
///
/// # Errors
/// Fails if a file cannot be read now, but perhaps later.
pub(crate) fn describe(
    files: &Files,
    given: &Path,
    world: &Path,
    in_level: &DescribedDimensions,
    dimensions: &[Dimension],
    warnings: &mut Vec<String>,
) -> Result<DescribedDimensions, WorldError> {
    let mut described = in_level.clone();

    // Without a file of the world, as on Paper, the overworld's file lists all dimensions.
    for file in OVERWORLD_FILES {
        described.extend(read_file(files, &world.join(file), warnings)?);
    }

    for dimension in dimensions {
        let file = dimension.own_folder(given).join(FILE);
        described.extend(read_file(files, &file, warnings)?.remove_entry(&dimension.id));
    }

    Ok(described)
}

/// Reads the list in a file since 26.1. It is empty if the file does not exist or is damaged.
fn read_file(
    files: &Files,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<DescribedDimensions, WorldError> {
    let Some(dat) = Dat::open_optional(files, path, warnings)? else {
        return Ok(DescribedDimensions::new());
    };

    let list = "data/dimensions";
    let mut left_out = LeftOut::default();
    let listed = within_bounds(dat.get(list).unwrap_or_default(), list, &mut left_out);
    let bounds = format!(
        "{} may have {MAX_DIMENSIONS} dimensions with names of at most {MAX_NAME_BYTES} bytes",
        path.display()
    );
    left_out.warn("list item", &bounds, warnings);

    Ok(listed)
}
