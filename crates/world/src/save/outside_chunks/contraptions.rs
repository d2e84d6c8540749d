//! Finds the chunks in which mods store contraptions that move, such as ships. The game shows a
//! contraption at another place than its chunks, which are millions of blocks away from all land.
//! So no time of players is counted there, and the chunks look abandoned.

use std::path::Path;

use crate::save::dimensions::dimension::Dimension;
use crate::save::dimensions::listing::is_nothing;
use crate::save::entries;
use crate::save::error::WorldError;
use crate::save::level::level_dat::Level;
use crate::save::world::World;
use pixelmap_base::coord::Area;
use pixelmap_base::files::Files;

/// A mod that stores contraptions in far chunks.
#[derive(Debug)]
pub struct ContraptionMod {
    pub name: &'static str,
    /// The beginnings of its ids, and of the names of its files in `data`, in small letters.
    signs: &'static [&'static str],
    /// The columns in which its contraptions are, in each dimension.
    pub areas: &'static [Area],
}

/// The mods that are known. The areas are in their sources: `ChunkAllocator` of Valkyrien Skies
/// (first for 1.18 and later, then until 1.16) and `SubLevelContainer` of Sable.
const MODS: [ContraptionMod; 2] = [
    ContraptionMod {
        name: "Valkyrien Skies",
        signs: &["valkyrienskies", "valkyrienwarfare", "vs_ship_data"],
        areas: &[
            Area {
                x0: -28_672_000,
                z0: 12_288_000,
                x1: 28_676_096,
                z1: 28_676_096,
            },
            Area {
                x0: 5_094_416,
                z0: -25_584,
                x1: 5_145_600,
                z1: 30_000_000,
            },
        ],
    },
    ContraptionMod {
        name: "Sable",
        signs: &["sable"],
        areas: &[Area {
            x0: 20_480_000,
            z0: 20_480_000,
            x1: 20_742_144,
            z1: 20_742_144,
        }],
    },
];

impl World {
    /// Returns the mods of this world that store contraptions in far chunks.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed, because then a mod must not count as absent.
    pub fn contraption_mods(&self) -> Result<Vec<&'static ContraptionMod>, WorldError> {
        find(&self.files, &self.folder, &self.level, &self.dimensions)
    }
}

/// Returns the mods that are in the mod list of level.dat, or that have a file in a folder `data`
/// of the world.
///
/// # Errors
/// Fails if such a folder cannot be listed, because a mod must not count as absent.
fn find(
    files: &Files,
    folder: &Path,
    level: &Level,
    dimensions: &[Dimension],
) -> Result<Vec<&'static ContraptionMod>, WorldError> {
    let mut found: Vec<String> = level.mods.clone();
    let own_folders = dimensions
        .iter()
        .map(|dimension| dimension.own_folder(folder));

    for own in own_folders.chain(level.folder.as_deref()) {
        let data = own.join("data");
        match entries::list(files, &data, |entry| is_sign(&entry.name)) {
            Ok(entries) => found.extend(entries.into_iter().map(|entry| entry.name)),
            Err(error) if is_nothing(&error) => {}
            Err(error) => return Err(WorldError::Unreadable(data, error)),
        }
    }

    Ok(MODS
        .iter()
        .filter(|known| found.iter().any(|name| known.has_sign(name)))
        .collect())
}

fn is_sign(name: &str) -> bool {
    MODS.iter().any(|known| known.has_sign(name))
}

impl ContraptionMod {
    fn has_sign(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.signs.iter().any(|sign| name.starts_with(sign))
    }
}
