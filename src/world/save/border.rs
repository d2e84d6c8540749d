//! Reads the world border: the square that players cannot leave.

use std::path::Path;

use crate::world::files::Files;
use crate::world::save::World;
use crate::world::save::dat::Dat;
use crate::world::save::dimension::Dimension;

/// The files of a dimension's own border, below its folder: since 26.1, and before.
const FILES: [&str; 2] = ["data/minecraft/world_border.dat", "data/world_border.dat"];

/// Just below the side, in blocks, of the border of every new world. Such a border is not worth showing.
const NO_BORDER: f64 = 59_999_967.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldBorder {
    /// The middle, in blocks.
    pub x: f64,
    pub z: f64,
    /// In blocks.
    pub side: f64,
}

impl World {
    /// Reads the border of a dimension from its own file or, for the overworld, from level.dat. `None`: it is the
    /// border of a new world, or none is stored.
    pub fn border(&self, dimension: &Dimension) -> Option<WorldBorder> {
        let folder = dimension.own_folder(&self.folder);
        let own = FILES.iter().find_map(|name| read_border(&self.files, &folder.join(name), &["data/"]));
        let border = own.or_else(|| {
            let level = self.level.folder.as_ref().filter(|_| dimension.id == "overworld")?;
            let fields = ["Data/world_border/", "Data/Border"];
            crate::world::save::level::FILES
                .iter()
                .find_map(|name| read_border(&self.files, &level.join(name), &fields))
        });
        border.filter(|border| border.side < NO_BORDER && border.side > 0.0)
    }
}

fn read_border(files: &Files, path: &Path, fields: &[&str]) -> Option<WorldBorder> {
    let dat = files.is_file(path).then(|| Dat::open(files, path).ok()).flatten()?;
    fields.iter().find_map(|below| {
        // The names of the fields in level.dat differed before 1.21.9.
        let names =
            if below.ends_with("Border") { ["CenterX", "CenterZ", "Size"] } else { ["center_x", "center_z", "size"] };
        let field = |name: &str| dat.get::<f64>(&format!("{below}{name}")).filter(|number| number.is_finite());
        let [x, z, side] = names.map(field);
        Some(WorldBorder { x: x?, z: z?, side: side? })
    })
}
