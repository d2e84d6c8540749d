//! The options for the format and the names of a map's tiles.

use clap::Args;
use pixelmap::atlas::{Format, Scheme};
use pixelmap::store::WantedNaming;

use super::parse::{NamedValue, choice_parser};

const SCHEMES: [NamedValue<Scheme>; 3] = [
    ("signed", "Like regions, with negative numbers in the west and north", Scheme::Signed),
    ("xyz", "From the north-west, 0 <= x, y < 2^z: for programs without negative numbers", Scheme::Xyz),
    ("tms", "Like xyz, with y counted from the south", Scheme::Tms),
];

const FORMATS: [NamedValue<Format>; 2] = [
    ("png", "With a palette if that holds all colours", Format::Png),
    ("webp", "Lossless, but larger than PNG. Numbers (layer height16) stay PNG", Format::Webp),
];

#[derive(Debug, Args)]
pub(crate) struct TileArgs {
    /// How tiles are named; fixed when a map is begun [default: signed]
    #[arg(long, value_parser = choice_parser(SCHEMES))]
    pub(crate) scheme: Option<Scheme>,

    /// The format of tiles, without loss; fixed when a map is begun. The ending of a picture tells its format [default: png]
    #[arg(long, value_parser = choice_parser(FORMATS))]
    pub(crate) format: Option<Format>,
}

impl TileArgs {
    /// Returns the naming and format that the options ask for.
    pub(crate) fn naming(&self) -> WantedNaming {
        WantedNaming { scheme: self.scheme, format: self.format }
    }
}
