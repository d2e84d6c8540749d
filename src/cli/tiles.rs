//! The options for the format and the names of a map's tiles.

use clap::Args;
use pixelmap_map::atlas::{Format, Scheme};
use pixelmap_map::store::WantedNaming;

use super::parse::{NamedValue, choice_parser};

const SCHEMES: [NamedValue<Scheme>; 3] = [
    (
        "signed",
        "The numbers of regions, negative in the west and north",
        Scheme::Signed,
    ),
    (
        "xyz",
        "Counted from the north-west, 0 <= x, y < 2^z: for programs without negative numbers",
        Scheme::Xyz,
    ),
    (
        "tms",
        "Like xyz, with y counted from the south",
        Scheme::Tms,
    ),
];

const FORMATS: [NamedValue<Format>; 2] = [
    (
        "png",
        "With a palette if the tile has at most 256 colours",
        Format::Png,
    ),
    (
        "webp",
        "Lossless, but larger than PNG. Layer height16, which holds numbers, stays PNG",
        Format::Webp,
    ),
];

#[derive(Debug, Args)]
pub(crate) struct TileArgs {
    /// How to name tiles; fixed when a map is begun [default: signed]
    #[arg(long, value_parser = choice_parser(SCHEMES))]
    pub(crate) scheme: Option<Scheme>,

    /// The lossless format of tiles; fixed when a map is begun. A picture has the format of its
    /// ending [default: png]
    #[arg(long, value_parser = choice_parser(FORMATS))]
    pub(crate) format: Option<Format>,
}

impl TileArgs {
    /// Returns the naming and format that the options ask for.
    pub(crate) fn naming(&self) -> WantedNaming {
        WantedNaming {
            scheme: self.scheme,
            format: self.format,
        }
    }
}
