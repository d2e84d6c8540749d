//! Checks that an output and a world are apart.

use std::path::{Path, PathBuf};

use crate::store::error::PublishError;
use pixelmap_base::disk::{full_path, is_inside};

/// Checks that an output is not inside a folder of the world, and that no folder of the world is
/// inside the output.
///
/// # Errors
/// One of them is inside the other.
pub fn check_apart<'a>(
    root: &Path,
    world: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), PublishError> {
    let full = full_path(root);
    let mut world = world.into_iter().map(|folder| full_path(folder));
    if world.any(|folder| is_inside(&full, &folder) || is_inside(&folder, &full)) {
        return Err(PublishError::InsideWorld(root.to_owned()));
    }

    Ok(())
}
