//! Reads the world border: the square that players cannot leave.

use std::path::Path;

use crate::save::dat::Dat;
use pixelmap_base::files::Files;

/// The files of a dimension's own border, below its folder: since 26.1, and before.
const FILES: [&str; 2] = ["data/minecraft/world_border.dat", "data/world_border.dat"];

/// The names of a border's fields: its middle and its side.
const FIELDS: [&str; 3] = ["center_x", "center_z", "size"];

/// Just below the side, in blocks, of the border of every new world. Such a border is not worth
/// showing.
const NO_BORDER: f64 = 59_999_967.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldBorder {
    /// The middle, in blocks.
    pub x: f64,
    pub z: f64,
    /// In blocks.
    pub side: f64,
}

impl WorldBorder {
    /// Returns whether it is worth showing, unlike the border of a new world.
    pub(crate) fn is_narrow(&self) -> bool {
        self.side < NO_BORDER && self.side > 0.0
    }

    /// Reads the border in a dimension's own file, if the file is there and has one.
    pub(crate) fn of_dimension(files: &Files, folder: &Path) -> Option<Self> {
        FILES
            .iter()
            .find_map(|name| own_border(files, &folder.join(name)))
    }

    /// Reads the border that level.dat contains. Its fields had other names before 1.21.9.
    pub(crate) fn of_level(dat: &Dat) -> Option<Self> {
        let before = ["CenterX", "CenterZ", "Size"];
        Self::at(dat, "Data/world_border/", FIELDS).or_else(|| Self::at(dat, "Data/Border", before))
    }

    /// Reads three fields whose paths begin with `start`.
    fn at(dat: &Dat, start: &str, fields: [&str; 3]) -> Option<Self> {
        let [x, z, side] = fields.map(|name| {
            dat.get::<f64>(&format!("{start}{name}"))
                .filter(|number| number.is_finite())
        });
        Some(Self {
            x: x?,
            z: z?,
            side: side?,
        })
    }
}

fn own_border(files: &Files, path: &Path) -> Option<WorldBorder> {
    let dat = files
        .is_file(path)
        .then(|| Dat::open(files, path).ok())
        .flatten()?;
    WorldBorder::at(&dat, "data/", FIELDS)
}
