//! The manifest of one layer: `tiles.tsv`, one line a tile.
//!
//! Tab-separated, no heading, in numeric order: `z x y bytes file pixels`, where `file` is the XXH3-64 of the file and
//! `pixels` that of its decoded samples, both as 16 lower-case hex digits. No times and no paths of the machine.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::coord::TilePos;

/// A tile that stands in the output folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileRecord {
    /// Length of the file.
    pub bytes: u32,
    /// XXH3-64 of the file.
    pub file: u64,
    /// XXH3-64 of the pixels.
    pub pixels: u64,
}

/// The tiles of one layer of one dimension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// By zoom level, then x, then y.
    pub tiles: BTreeMap<TilePos, TileRecord>,
}

impl Manifest {
    /// The file's name in a layer's folder.
    pub const FILE: &'static str = "tiles.tsv";

    /// Reads a manifest; lines that are not of its form are left out, so that a damaged one costs no more than tiles
    /// drawn or kept without need.
    pub fn parse(text: &str) -> Self {
        Self { tiles: text.lines().filter_map(parse_line).collect() }
    }

    /// The manifest as text.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.tiles.len() * 64);
        for (TilePos { zoom, x, y }, TileRecord { bytes, file, pixels }) in &self.tiles {
            let _ = writeln!(text, "{zoom}\t{x}\t{y}\t{bytes}\t{file:016x}\t{pixels:016x}");
        }
        text
    }
}

fn parse_line(line: &str) -> Option<(TilePos, TileRecord)> {
    let mut fields = line.split('\t');
    let mut field = || fields.next();
    let tile = TilePos { zoom: field()?.parse().ok()?, x: field()?.parse().ok()?, y: field()?.parse().ok()? };
    let bytes = field()?.parse().ok()?;
    let mut hash = || field().filter(|text| text.len() == 16).and_then(|text| u64::from_str_radix(text, 16).ok());
    let record = TileRecord { bytes, file: hash()?, pixels: hash()? };
    fields.next().is_none().then_some((tile, record))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_in_numeric_order_and_read_back() {
        let mut manifest = Manifest::default();
        for (zoom, x, y) in [(17, 10, 0), (17, -2, 0), (17, 9, 5), (16, 0, 0)] {
            manifest.tiles.insert(TilePos { zoom, x, y }, TileRecord { bytes: 7, file: 1, pixels: u64::MAX });
        }
        let text = manifest.text();
        let places: Vec<_> = text.lines().map(|line| line.split('\t').take(3).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(places, ["16 0 0", "17 -2 0", "17 9 5", "17 10 0"]);
        assert!(text.starts_with("16\t0\t0\t7\t0000000000000001\tffffffffffffffff\n"));
        assert_eq!(Manifest::parse(&text), manifest);
    }

    #[test]
    fn a_damaged_line_is_left_out() {
        let text = "17\t0\t0\t7\t0000000000000001\n\n17\tx\t0\t7\t0000000000000001\t0000000000000001\n\
                    17\t1\t0\t7\t0000000000000001\t0000000000000001\textra\n";
        assert_eq!(Manifest::parse(text), Manifest::default());
    }
}
